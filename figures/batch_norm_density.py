"""Density of a batch-normalised node for several batch sizes: the exact law, the paper's proxy, simulated BatchNorm.

Source: where-you-place-the-norm, Figs. E.1 (linear) and E.2 (logarithmic), Eq. 49 for the proxy.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.caption import listed
from igbtheory.presentation.pictures.marks import binned, simulated, theory
from igbtheory.presentation.pictures.style import shared_legend

SIZES = (4, 6, 16, 100)
REACH = 5.0
BIN = 0.35
"""Approximate width of a bin."""
FEWEST = 10
"""Smallest number of values in a bin that is drawn, because the error bars of fewer mean little."""
SEED = 4
EXACT = "exact: $B^2/(n-1) \\sim \\mathrm{Beta}(\\frac{1}{2}, \\frac{n-2}{2})$"
PROXY = "proxy: $\\sqrt{n/(n-2)}\\; t_{n-2}$"


@dataclass(frozen=True)
class Histogram:
    """Density of one datum of each of many simulated batches: centres of bins, heights, standard errors."""

    centres: Any
    heights: Any
    errors: Any


def exact(size: int, b: Any) -> Any:
    """Density of a datum normalised in its own batch, 0 beyond sqrt(n - 1)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = scipy.special.xlog1py(size / 2 - 2, -np.square(b) / (size - 1))
    factor = scipy.special.poch(size / 2 - 1, 0.5) / np.sqrt(np.pi * (size - 1))
    return np.where(np.square(b) < size - 1, factor * np.exp(inside), 0.0)


def proxy(size: int, b: Any) -> Any:
    """Density of a datum normalised by the others of its batch."""
    return scipy.stats.t(size - 2, scale=np.sqrt(size / (size - 2))).pdf(b)


def compute(run: Run) -> dict[int, Histogram]:
    """Histograms by batch size."""
    batches = run.some(100_000, 2000)
    run.record.append({"one datum of batches of": SIZES, "batches": batches, "seed": SEED})
    run.facts.append(f"Simulated BatchNorm: one datum of each of {batches} batches of {listed(SIZES)} data.")
    return {size: _histogram(_simulated(batches, size), min(np.sqrt(size - 1), REACH)) for size in SIZES}


def _simulated(batches: int, size: int) -> Any:
    """Return one datum of each batch, because two data of a batch are not independent."""
    rng = np.random.default_rng(SEED)
    x = 1 + 2 * rng.standard_normal((batches, size)).T
    return igb.BatchNorm(size).samples(x, rng, batches)[0]


def _histogram(values: Any, reach: float) -> Histogram:
    edges = np.linspace(-reach, reach, round(2 * reach / BIN) + 1)
    heights, errors = binned(values, edges)
    seen = heights * np.diff(edges) * len(values) > FEWEST - 0.5
    return Histogram(((edges[:-1] + edges[1:]) / 2)[seen], heights[seen], errors[seen])


def draw(data: dict[int, Histogram], style: Style) -> Any:
    """A column a batch size; above in linear, below in logarithmic scale."""
    figure = style.figure(1.9)
    panels = figure.subplots(2, len(SIZES), sharex=True, sharey="row")
    for column, (size, found) in zip(panels.T, data.items(), strict=True):
        for axes in column:
            _panel(axes, size, found)
        column[0].set_title(f"batches of $n$ = {size}")
    panels[0, 0].set(xlim=(-REACH, REACH), ylim=(0, 0.5))
    panels[1, 0].set(yscale="log", ylim=(1e-5, 3))
    figure.supxlabel("batch-normalised node $B$", fontsize=style.size)
    figure.supylabel("probability density", fontsize=style.size)
    shared_legend(figure)
    return figure


def _panel(axes: Any, size: int, found: Histogram) -> None:
    edge = np.sqrt(size - 1)
    b = np.linspace(-REACH, REACH, 801)
    inner = min(edge, REACH) * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 803)[1:-1])
    theory(axes, 0, inner, exact(size, inner), EXACT, zorder=3)
    theory(axes, 1, b, proxy(size, b), PROXY)
    theory(axes, 2, b, scipy.stats.norm.pdf(b), "full batch: $N(0, 1)$", lw=0.9)
    simulated(axes, 0, found.centres, found.heights, found.errors, "simulated BatchNorm")
