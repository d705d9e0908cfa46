"""Bias ratio over 20 layers: ReLU, and LayerNorm in front of ReLU, which changes nothing.

Source: where-you-place-the-norm, Fig. F.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.pictures import Run, Style
from igbtheory.pictures.marks import level, simulated, theory

DEPTH = 20
NETWORKS = {
    "ReLU": igb.mlp(DEPTH, "relu"),
    "LN + ReLU": igb.mlp(DEPTH, "relu", norm="layer", placement="before"),
    "ReLU + LN": igb.mlp(DEPTH, "relu", norm="layer", placement="after"),
}


@dataclass(frozen=True)
class Course:
    """Gamma after every hidden layer: theory, and finite networks extrapolated to infinite width."""

    theory: Any
    gamma: Any
    error: Any


def compute(run: Run) -> dict[str, Course]:
    """The course of each network."""
    found = {}
    for seed, (name, network) in enumerate(NETWORKS.items(), 10):
        limit = run.ensemble(network, 300, 96, 150, seed).limit
        gamma = run.predict(network).per_layer.gamma
        found[name] = Course(gamma[1:], limit.gamma[1:], limit.gamma_error[1:])
    return found


def draw(data: dict[str, Course], style: Style) -> Any:
    """Lines of theory and points."""
    figure = style.figure(single=True)
    axes = figure.subplots()
    depth = np.arange(1, DEPTH + 1)
    for number, (name, course) in enumerate(data.items()):
        theory(axes, number, depth, course.theory, name)
        own = slice(number % 2, None, 2)  # every second layer: two courses are the same
        label = "finite networks" if number == 0 else f"_finite networks: {name}"
        simulated(axes, number, depth[own], course.gamma[own], course.error[own], label)
    level(axes, 1)
    axes.set(xlim=(0, DEPTH + 1), ylim=(0, 24), xlabel="hidden layers", ylabel="bias ratio $\\gamma$")
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.legend(loc="upper left")
    return figure
