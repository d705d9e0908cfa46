"""Map of regimes: gamma over the variances of weights and biases, tanh and ReLU, 1, 10 and 100 layers deep.

Neutral below gamma = 1, prejudiced above; depth moves the border, and left of the backward threshold everything becomes
deeply prejudiced. Source: bias-meets-trainability, Table 1.
"""

from dataclasses import dataclass
from typing import Any

import igbtheory as igb
from igbtheory.pictures import Run, Style
from igbtheory.pictures.phase_maps import Edge, edges, finished, gamma_map, grid

DEPTHS = (1, 10, 100)
ACTIVATIONS = {"tanh": "tanh", "ReLU": "relu"}
SIGMA_W2, SIGMA_B2 = 4.0, 0.5
"""Widest variances."""


@dataclass(frozen=True)
class Map:
    """Gamma, (depths, sigma_b2, sigma_w2), of an activation on a grid, and its edge of chaos."""

    sigma_w2: Any
    sigma_b2: Any
    gamma: Any
    edge: Edge | None


def compute(run: Run) -> dict[str, Map]:
    """A map for each activation."""
    count = run.some(80, 30)
    w2, b2 = grid(SIGMA_W2, count), grid(SIGMA_B2, count)
    found = {}
    lines = edges(run, list(ACTIVATIONS.values()), SIGMA_B2)
    for (name, activation), line in zip(ACTIVATIONS.items(), lines, strict=True):
        network = igb.mlp(max(DEPTHS), activation, sigma_w2=w2, sigma_b2=b2[:, None])
        gamma = run.predict(network).per_layer.gamma[list(DEPTHS)]
        found[name] = Map(w2, b2, gamma, line)
    return found


def draw(data: dict[str, Map], style: Style) -> Any:
    """A row an activation, a column a depth."""
    figure = style.figure(2.0)
    panels = figure.subplots(len(data), len(DEPTHS), sharex=True, sharey=True)
    for row, (name, found) in zip(panels, data.items(), strict=True):
        for axes, depth, gamma in zip(row, DEPTHS, found.gamma, strict=True):
            shades = gamma_map(axes, found.sigma_w2, found.sigma_b2, gamma, found.edge)
            axes.set_title(f"{name}, {depth} layer{'s' * (depth > 1)}")
    return finished(figure, panels, shades, style.size)
