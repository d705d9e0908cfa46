"""The picture of f_G0: the law of the guesses over histograms of simulated ones."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import igbtheory as igb
from igbtheory.report.pictures.style import BARS, LIMIT, THEORY, shared_legend
from igbtheory.report.study import Outcome

ERRORS = "#5B8DB0"
BINS = 20
"""Bins at most; of few networks fewer, the square root of their number."""
DRAWS = 20_000
"""Draws that show the law of G0 on a given data set, which has no formula."""
NARROW = 0.05
"""Standard deviation of G0 below which a panel shows the neighbourhood of 1/2 only."""


def guesses(outcomes: list[Outcome], columns: int) -> Figure:
    """The law of G0 of every case, over the histogram of its widest networks."""
    figure = Figure(figsize=(7.2, 6.4))
    panels = figure.subplots(len(outcomes) // columns, columns, squeeze=False).flat
    for axes, outcome in zip(panels, outcomes, strict=True):
        panel(axes, outcome.widest.G0, outcome.widest.samples, outcome.prediction.G0)
        gamma = f"$\\gamma$ = {outcome.prediction.gamma:.3g}"
        axes.set_title(f"{outcome.case.activation}, depth {outcome.case.depth}, {gamma}")
    figure.supxlabel("fraction of the data given to class 0, $G_0$", fontsize=10)
    figure.supylabel("probability density $f_{G_0}$", fontsize=10)
    shared_legend(figure)
    return figure


def panel(axes: Any, shares: Any, samples: int, law: Any) -> None:
    """Histogram of G0 of finite networks, bars of one standard error, and the law of G0 over it."""
    is_formula = isinstance(law, igb.GuessLaw)
    spread = law.finite(samples).std() / samples if is_formula else law.std()
    half = 0.5 if spread > NARROW else 4 * spread
    edges = _edges(half, samples, min(BINS, int(len(shares) ** 0.5)))
    _histogram(axes, shares, edges)
    if is_formula:
        _formula(axes, law, samples, edges)
    else:
        heights, _ = np.histogram(law.rvs(DRAWS, 0), edges, density=True)
        axes.stairs(heights, edges, color=THEORY, lw=1.3, label="theory of this data set")
    axes.set_xlim(edges[0], edges[-1])
    axes.locator_params(nbins=5)


def _histogram(axes: Any, shares: Any, edges: Any) -> None:
    """The share of all networks in every bin over its width, with its binomial standard error."""
    counts, _ = np.histogram(shares, edges)
    width, rest = len(shares) * np.diff(edges), 1 - counts / len(shares)
    axes.bar(edges[:-1], counts / width, np.diff(edges), align="edge", color=BARS, label="finite networks")
    errors = np.sqrt(counts * rest) / width
    centres = (edges[:-1] + edges[1:]) / 2
    axes.errorbar(centres, counts / width, errors, fmt="none", ecolor=ERRORS, elinewidth=0.7)


def _formula(axes: Any, law: igb.GuessLaw, size: int, edges: Any) -> None:
    """Theory lines: the law of the count of `size` data, binned, and the density for infinitely many."""
    counts = np.arange(size + 1)
    heights = np.histogram(counts / size, edges, weights=law.finite(size).pmf(counts))[0] / np.diff(edges)
    axes.stairs(heights, edges, color=LIMIT, lw=1.3, ls="--", label="theory, as many data as simulated")
    top = 1.35 * max(heights.max(), axes.get_ylim()[1] / 1.05)
    label = "theory, infinitely many data"
    if law.gamma == 0:
        axes.axvline(0.5, color=THEORY, label=label)
    else:
        g = np.linspace(max(edges[0], 0), min(edges[-1], 1), 1001)[1:-1]
        axes.plot(g, law.pdf(g), color=THEORY, label=label)
    axes.set_ylim(0, top)


def _edges(half: float, size: int, bins: int) -> Any:
    """Edges of bins within `half` of 1/2, between the fractions k/size and of nearly equal width."""
    first, last = np.ceil((0.5 - half) * size), np.floor((0.5 + half) * size)
    return (np.round(np.linspace(first, last + 1, bins + 1)) - 0.5) / size
