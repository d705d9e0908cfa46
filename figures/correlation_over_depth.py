"""Correlation of two data over depth: gamma/(1 + gamma) of the theory of guesses, and pairs of data in finite networks.

Source: bias-meets-trainability, Theorem 3.1 and Fig. 2: the two theories of initialisation meet in
c = gamma/(1 + gamma).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.pictures import Run, Style
from igbtheory.pictures.marks import legend_above, simulated, theory

DEPTH = 40
SHOWN = np.array([1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 25, 30, 35, 40])
"""Layers whose simulated pairs are drawn."""
PAIR = 2
PANELS = {
    "tanh, $\\sigma_b^2 = 0.05$": [("tanh", 1.0, 0.05), ("tanh", 1.76, 0.05), ("tanh", 3.0, 0.05)],
    "ReLU, $\\sigma_b^2 = 0.1$": [("relu", 1.0, 0.1), ("relu", 2.0, 0.1), ("relu", 3.0, 0.1)],
}


@dataclass(frozen=True)
class Course:
    """Correlation after every hidden layer: c from gamma, and from pairs of data at the layers SHOWN."""

    sigma_w2: float
    theory: Any
    found: Any
    error: Any


def compute(run: Run) -> dict[str, list[Course]]:
    """Courses by panel."""
    seeds = iter(range(40, 60))
    return {title: [_course(run, *case, next(seeds)) for case in cases] for title, cases in PANELS.items()}


def _course(run: Run, activation: str, sigma_w2: float, sigma_b2: float, seed: int) -> Course:
    network = igb.mlp(DEPTH, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
    gamma = run.predict(network).per_layer.gamma[1:]
    limit = run.ensemble(network, 300, 500, PAIR, seed).limit
    # c = q_ab/q_aa of two data, whose error is that of the ratio gamma = q_ab/(q_aa - q_ab)
    pairs, error = limit.gamma[SHOWN], limit.gamma_error[SHOWN]
    return Course(sigma_w2, gamma / (1 + gamma), pairs / (1 + pairs), error / (1 + pairs) ** 2)


def draw(data: dict[str, list[Course]], style: Style) -> Any:
    """A panel an activation, a line a variance of the weights."""
    figure = style.figure(1.4)
    panels = figure.subplots(1, len(data), sharey=True)
    depth = np.arange(1, DEPTH + 1)
    for axes, (title, courses) in zip(panels, data.items(), strict=True):
        for number, course in enumerate(courses):
            theory(axes, number, depth, course.theory, f"$\\sigma_w^2$ = {course.sigma_w2:g}")
            label = "pairs of data" if number == 0 else f"_pairs of data, $\\sigma_w^2$ = {course.sigma_w2:g}"
            simulated(axes, number, SHOWN, course.found, course.error, label, clip_on=False)
        axes.set(xlim=(0, DEPTH + 1), ylim=(0, 1), xlabel="hidden layers")
        legend_above(axes, title)
    panels[0].set_ylabel("correlation $c = \\gamma/(1+\\gamma)$")
    return figure
