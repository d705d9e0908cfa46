"""A panel that shows the law of G0, f_G0, over the histogram of simulated networks."""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.pictures.panels import density
from igbtheory.pictures.style import BARS, LIMIT, THEORY

ERRORS = "#5B8DB0"
BINS = 20
"""Bins at most; of few networks fewer, the square root of their number."""
DRAWS = 20_000
"""Draws that show the law of G0 on a given data set, which has no formula."""
NARROW = 0.05
"""Standard deviation of G0 below which a panel shows the neighbourhood of 1/2 only."""


def panel(axes: Any, shares: Any, samples: int, law: Any) -> None:
    """Draw the histogram of G0 of finite networks with bars of one standard error, and the law of G0 over it."""
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
    """Draw the share of the networks in every bin over its width, with its binomial standard error."""
    counts, _ = np.histogram(shares, edges)
    width, rest = len(shares) * np.diff(edges), 1 - counts / len(shares)
    axes.bar(edges[:-1], counts / width, np.diff(edges), align="edge", color=BARS, label="finite networks")
    errors = np.sqrt(counts * rest) / width
    centres = (edges[:-1] + edges[1:]) / 2
    axes.errorbar(centres, counts / width, errors, fmt="none", ecolor=ERRORS, elinewidth=0.7)


def _formula(axes: Any, law: igb.GuessLaw, size: int, edges: Any) -> None:
    """Draw theory: the law of the count of `size` data, binned, and the density for infinitely many data."""
    counts = np.arange(size + 1)
    heights = np.histogram(counts / size, edges, weights=law.finite(size).pmf(counts))[0] / np.diff(edges)
    axes.stairs(heights, edges, color=LIMIT, lw=1.3, ls="--", label="theory, as many data as simulated")
    top = 1.35 * max(heights.max(), axes.get_ylim()[1] / 1.05)
    density(axes, law.gamma, color=THEORY, label="theory, infinitely many data")
    axes.set_ylim(0, top)


def _edges(half: float, size: int, bins: int) -> Any:
    """Return the edges of bins within `half` of 1/2, between the fractions k/size and of nearly equal width."""
    first, last = np.ceil((0.5 - half) * size), np.floor((0.5 + half) * size)
    return (np.round(np.linspace(first, last + 1, bins + 1)) - 0.5) / size
