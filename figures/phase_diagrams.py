"""Phase diagrams of ReLU and tanh, alone and with a maximum or an average over two units.

Source: bias-meets-trainability (pooled activations; phases by c, gamma and gradients). Left of the backward threshold,
in the ordered phase, gradients vanish; right of it, in the chaotic one, they explode. Where the variance settles, for
ReLU without biases alone, the threshold is the edge of chaos.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import scipy

import igbtheory as igb
from igbtheory.pictures import Run, Style
from igbtheory.pictures.phase_maps import Edge, edges, finished, gamma_map, grid

DEPTH = 20
POOLS = {"": None, " + MaxPool(2)": igb.MaxPool(2), " + AvgPool(2)": igb.AvgPool(2)}
ACTIVATIONS = {"ReLU": "relu", "tanh": "tanh"}
SIGMA_W2, SIGMA_B2 = 5.0, 0.5
"""Widest variances."""


@dataclass(frozen=True)
class Diagram:
    """Gamma at DEPTH, (sigma_b2, sigma_w2), and the edge of chaos."""

    sigma_w2: Any
    sigma_b2: Any
    gamma: Any
    edge: Edge | None


def compute(run: Run) -> dict[str, Diagram]:
    """Diagrams by title."""
    count = run.some(80, 30)
    w2, b2 = grid(SIGMA_W2, count), grid(SIGMA_B2, count)
    lines = edges(run, list(ACTIVATIONS.values()), SIGMA_B2, list(POOLS.values()))
    both = product(ACTIVATIONS.items(), POOLS.items())
    return {
        name + pooled: Diagram(w2, b2, _gamma(run, activation, pool, w2, b2), line)
        for ((name, activation), (pooled, pool)), line in zip(both, lines, strict=True)
    }


def _gamma(run: Run, activation: str, pool: Any, w2: Any, b2: Any) -> Any:
    """Return gamma over both axes; that of tanh with MaxPool, of which a point takes 0.1 s, between fewer points.

    Cubic splines of its logarithm in the square roots of the variances err by 0.3 %, and by 1.5 % under --quick: so
    they do for tanh alone.
    """
    if activation != "tanh" or not isinstance(pool, igb.MaxPool):
        return run.diagram(activation, w2, b2, DEPTH, pool).gamma
    across, up = (np.linspace(axis[0] ** 0.5, axis[-1] ** 0.5, run.some(24, 12)) for axis in (w2, b2))
    coarse = run.diagram(activation, across**2, up**2, DEPTH, pool).gamma
    spline: Any = scipy.interpolate.RectBivariateSpline(up, across, np.log(coarse))
    return np.exp(spline(np.sqrt(b2), np.sqrt(w2)))


def draw(data: dict[str, Diagram], style: Style) -> Any:
    """A row an activation, a column a pool."""
    figure = style.figure(2.0)
    panels = figure.subplots(len(ACTIVATIONS), len(POOLS), sharex=True, sharey=True)
    for axes, (title, found) in zip(panels.flat, data.items(), strict=True):
        shades = gamma_map(axes, found.sigma_w2, found.sigma_b2, found.gamma, found.edge)
        axes.set_title(f"{title}, {DEPTH} layers" if title in ACTIVATIONS else title)
    return finished(figure, panels, shades, style.size)
