"""Bias against growth of gradients, for every norm in front of the activation and behind it, over 20 layers.

BatchNorm or LayerNorm behind the activation takes the bias away, at the price of gradients that grow; BatchNorm in
front of it has both, a bias that does not grow and gradients that do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import theory
from igbtheory.presentation.pictures.style import MARKERS, shared_legend

DEPTH = 20
NOTHING = 1e-9
"""Bias ratio that is rounding."""
ACTIVATIONS = {"ReLU": "relu", "GELU": "gelu"}
PLACES = {
    "no norm": (None, "before"),
    "BN + act.": ("batch", "before"),
    "act. + BN": ("batch", "after"),
    "LN + act.": ("layer", "before"),
    "act. + LN": ("layer", "after"),
    "act. + RMS": ("rms", "after"),
}


@dataclass(frozen=True)
class Course:
    """Bias ratio after every hidden layer, and squared gradients from the output to the input."""

    gamma: Any
    squared: Any


def compute(run: Run) -> dict[str, dict[str, Course]]:
    """Courses by activation and placement."""
    return {
        title: {name: _course(run, activation, *place) for name, place in PLACES.items()}
        for title, activation in ACTIVATIONS.items()
    }


def _course(run: Run, activation: str, norm: str | None, placement: str) -> Course:
    network = igb.mlp(DEPTH, activation, norm=norm, placement=placement)
    return Course(run.predict(network).per_layer.gamma[1:], run.gradients(network).squared[::-1])


def draw(data: dict[str, dict[str, Course]], style: Style) -> Any:
    """A row an activation: bias on the left, gradients on the right."""
    figure = style.figure(1.9)
    panels = figure.subplots(len(data), 2, sharex="col")
    for (left, right), (title, courses) in zip(panels, data.items(), strict=True):
        for number, (name, course) in enumerate(courses.items()):
            # markers at other layers for every line: some lines are the same
            how = {"marker": MARKERS[number], "markevery": (number, len(courses)), "ms": 3.5}
            if course.gamma.max() > NOTHING:
                theory(left, number, np.arange(1, DEPTH + 1), course.gamma, name, **how)
            theory(right, number, np.arange(DEPTH + 1), course.squared, name, **how)
        unbiased = [name for name, course in courses.items() if course.gamma.max() <= NOTHING]
        left.text(DEPTH, 0.07, f"{', '.join(unbiased)}: $\\gamma = 0$", ha="right")
        left.set(title=f"{title}: bias ratio $\\gamma$", xlim=(1, DEPTH), ylim=(0.05, 40), yscale="log")
        right.set(title=f"{title}: squared gradient $E\\,|\\partial O/\\partial Z_l|^2$", xlim=(0, DEPTH), yscale="log")
    panels[-1, 0].set_xlabel("hidden layers")
    panels[-1, 0].set_xticks([1, 5, 10, 15, 20])
    panels[-1, 1].set_xticks([0, 5, 10, 15, 20])
    panels[-1, 1].set_xlabel("layers from the output")
    figure.supylabel("theory, infinite width", fontsize=style.size)
    shared_legend(figure)
    return figure
