"""Phase diagrams of ReLU and tanh, alone and with a maximum or an average over two units.

Source: bias-meets-trainability (pooled activations; phases by c, gamma and gradients), with its axes. Shades are the
bias ratio after 20 layers, and the solid white line is where it is 1. The other lines and the names are those of
infinite depth. Below the backward threshold, in the ordered phase, gradients vanish; above it, in the chaotic one, they
explode. The threshold is the edge of chaos where the variance of the units settles; at the threshold of ReLU it does so
without biases only, at the star. With small biases the solid line of tanh lies below the threshold: behind 20 layers
networks of the ordered phase are still neutral there.
"""

from typing import Any

import igbtheory as igb
from igbtheory.phases import Diagram
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.phase_maps import grid, maps, name_phases

DEPTH = 20
POOLS = {f", {DEPTH} layers": None, " + MaxPool(2)": igb.MaxPool(2), " + AvgPool(2)": igb.AvgPool(2)}
ACTIVATIONS = {"ReLU": "relu", "tanh": "tanh"}
SIGMA_W2, SIGMA_B2 = 5.0, 0.5
"""Widest variances."""


def compute(run: Run) -> dict[str, Diagram]:
    """Diagrams by title: a row for each activation, a column for each pool."""
    return {
        name + pooled: _diagram(run, activation, pool)
        for name, activation in ACTIVATIONS.items()
        for pooled, pool in POOLS.items()
    }


def _diagram(run: Run, activation: str, pool: Any) -> Diagram:
    """Return a diagram; that of tanh with MaxPool, where a point takes 0.1 s, has a coarser grid."""
    slow = activation == "tanh" and isinstance(pool, igb.MaxPool)
    count = run.some(24, 16) if slow else run.some(80, 30)
    return run.diagram(activation, grid(SIGMA_W2, count), grid(SIGMA_B2, count), DEPTH, pool)


def draw(data: dict[str, Diagram], style: Style) -> Any:
    """A row an activation, a column a pool."""
    figure = maps(style.figure(2.0), data, len(POOLS), style.size)
    for axes, phases in zip(figure.axes, data.values(), strict=False):
        name_phases(axes, phases)
    return figure
