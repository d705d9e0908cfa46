"""Small batches: they move gamma of BatchNorm + ReLU upwards, and the paper's proxy moves it downwards.

The proxy (where-you-place-the-norm, Eqs. 27 to 61) normalises every datum by the others of its batch, BatchNorm by all
of them, itself included: its law has a bounded support where that of the proxy has heavy tails.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import extrapolated, level, theory
from igbtheory.presentation.pictures.over_widths import OverWidths, joined

SIZES = np.unique(np.geomspace(2, 256, 40).round().astype(int))
LEAST_PROXY = 5
SIMULATED = (2, 3, 4, 6, 8, 12, 24, 60)
DATA = 120
"""Data of a simulated network, which batches of all sizes divide."""


@dataclass(frozen=True)
class Data:
    """Gamma of the output by batch size: exact, under the proxy, in the full batch, and simulated."""

    exact: Any
    proxy: Any
    full: float
    found: OverWidths


def network(size: int | None, law: str = "exact") -> igb.Network:
    """One hidden layer with BatchNorm in front of ReLU."""
    return igb.Network(igb.Dense(2.0), igb.BatchNorm(size, law), igb.Activation("relu"), igb.Dense(2.0))


def compute(run: Run) -> Data:
    """Gamma under both laws, and of finite networks."""
    exact = [float(run.predict(network(int(size))).gamma) for size in SIZES]
    proxy = [float(run.predict(network(int(size), "proxy")).gamma) for size in SIZES if size >= LEAST_PROXY]
    found = joined([run.ensemble(network(size), 400, 64, DATA, 700 + size).gamma.at([-1]) for size in SIMULATED])
    return Data(np.array(exact), np.array(proxy), float(run.predict(network(None)).gamma), found)


def draw(data: Data, style: Style) -> Any:
    """Gamma over the batch size."""
    figure = style.figure(1.2, single=True)
    axes = figure.subplots()
    theory(axes, 0, SIZES, data.exact, "exact law of BatchNorm")
    extrapolated(axes, 0, SIMULATED, data.found)
    theory(axes, 1, SIZES[SIZES >= LEAST_PROXY], data.proxy, "proxy of the paper")
    level(axes, data.full)
    axes.text(2.1, data.full, "full batch, $1/(\\pi-1)$", va="bottom", fontsize=style.size - 1)
    axes.set(xscale="log", xlim=(2, 256), xlabel="data in a batch $n$", ylabel="bias ratio $\\gamma$ of BN + ReLU")
    axes.set_xticks([2, 4, 8, 16, 32, 64, 128, 256], ["2", "4", "8", "16", "32", "64", "128", "256"])
    axes.minorticks_off()
    axes.legend(loc="best")
    return figure
