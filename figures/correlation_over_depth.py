"""Correlation of two data over depth: gamma/(1 + gamma) of the theory of guesses, and pairs of data in finite networks.

Source: bias-meets-trainability, Theorem 3.1 and Fig. 2: the two theories of initialisation meet in
c = gamma/(1 + gamma).
"""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import Curve, curves, legend_above

DEPTH = 40
SHOWN = np.array([1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 25, 30, 35, 40])
"""Layers whose simulated pairs are drawn."""
PAIR = 2
PANELS = {
    "tanh, $\\sigma_b^2 = 0.05$": [("tanh", 1.0, 0.05), ("tanh", 1.76, 0.05), ("tanh", 3.0, 0.05)],
    "ReLU, $\\sigma_b^2 = 0.1$": [("relu", 1.0, 0.1), ("relu", 2.0, 0.1), ("relu", 3.0, 0.1)],
}


def compute(run: Run) -> dict[str, list[Curve]]:
    """Correlation after every hidden layer, by panel: c from gamma, and from pairs of data at the layers SHOWN."""
    seeds = iter(range(40, 60))
    return {title: [_curve(run, *case, next(seeds)) for case in cases] for title, cases in PANELS.items()}


def _curve(run: Run, activation: str, sigma_w2: float, sigma_b2: float, seed: int) -> Curve:
    network = igb.mlp(DEPTH, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
    gamma = run.predict(network).per_layer.gamma[1:]
    pairs = run.ensemble(network, 300, 500, PAIR, seed).gamma.at(SHOWN)
    # c = q_ab/q_aa of two data, whose error is that of the ratio gamma = q_ab/(q_aa - q_ab)
    correlations = pairs.through(lambda x: x / (1 + x), lambda x: (1 + x) ** -2)
    label, depth = f"$\\sigma_w^2$ = {sigma_w2:g}", np.arange(1, DEPTH + 1)
    return Curve(label, depth, gamma / (1 + gamma), SHOWN, correlations)


def draw(data: dict[str, list[Curve]], style: Style) -> Any:
    """A panel an activation, a line a variance of the weights."""
    figure = style.figure(1.4)
    panels = figure.subplots(1, len(data), sharey=True)
    for axes, (title, found) in zip(panels, data.items(), strict=True):
        curves(axes, found, clip_on=False)
        axes.set(xlim=(0, DEPTH + 1), ylim=(0, 1), xlabel="hidden layers")
        legend_above(axes, title)
    panels[0].set_ylabel("correlation $c = \\gamma/(1+\\gamma)$")
    return figure
