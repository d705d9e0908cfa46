"""Map of regimes: gamma over the variances of weights and biases, tanh and ReLU, 1, 10 and 100 layers deep.

Networks are neutral below gamma = 1 and prejudiced above. Depth moves the border, the solid white line, towards the
dotted one: below the backward threshold gamma grows with depth without bound, for tanh if there are biases.
Source: bias-meets-trainability, Table 1.
"""

from typing import Any

from igbtheory.phases import Diagram
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.phase_maps import grid, maps

DEPTHS = (1, 10, 100)
ACTIVATIONS = {"tanh": "tanh", "ReLU": "relu"}
SIGMA_W2, SIGMA_B2 = 4.0, 0.5
"""Widest variances."""


def compute(run: Run) -> dict[str, Diagram]:
    """Diagrams by title: a row for each activation, a column for each depth."""
    count = run.some(80, 30)
    w2, b2 = grid(SIGMA_W2, count), grid(SIGMA_B2, count)
    return {
        f"{name}, {depth} layer{'s' * (depth > 1)}": run.diagram(activation, w2, b2, depth)
        for name, activation in ACTIVATIONS.items()
        for depth in DEPTHS
    }


def draw(data: dict[str, Diagram], style: Style) -> Any:
    """A row an activation, a column a depth."""
    return maps(style.figure(2.0), data, len(DEPTHS), style.size)
