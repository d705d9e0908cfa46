"""Activation functions that bias a network of one hidden layer, those that do not, and shifted ones.

Source: initial-guessing-bias, Theorem 5.1: no bias if and only if E phi = 0 under the law of the first pre-activation;
a constant shift takes a bias away, or brings one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import density, guesses_axis, level
from igbtheory.presentation.pictures.style import SERIES

REACH = 3.0
GROUPS = {
    "bias at depth 1": {"ReLU": "relu", "GELU": "gelu", "softplus": "softplus", "sigmoid": "sigmoid"},
    "no bias": {"linear": "x", "tanh": "tanh", "erf": "erf", "softsign": "softsign", "sin": "sin"},
    "shifted": {
        "ReLU $-\\,1/\\sqrt{\\pi}$": "max(x, 0) - 1/sqrt(pi)",
        "sigmoid $-\\,1/2$": "sigmoid(x) - 1/2",
        "tanh $+\\,1/2$": "tanh(x) + 1/2",
    },
}


@dataclass(frozen=True)
class Function:
    """An activation: its values on the grid, and gamma behind one hidden layer."""

    values: Any
    gamma: float


def grid() -> Any:
    """Pre-activations shown."""
    return np.linspace(-REACH, REACH, 301)


def compute(run: Run) -> dict[str, dict[str, Function]]:
    """Functions by group and name."""
    return {group: {name: _function(run, text) for name, text in named.items()} for group, named in GROUPS.items()}


def _function(run: Run, text: str) -> Function:
    gamma = float(run.predict(igb.mlp(1, text)).gamma)
    return Function(np.asarray(function_of(text)(FLOAT64, grid()), float), 0.0 if gamma < 1e-20 else gamma)


def draw(data: dict[str, dict[str, Function]], style: Style) -> Any:
    """Above the functions, below their laws of G0."""
    figure = style.figure(2.1)
    panels = figure.subplots(2, len(data), sharey="row", height_ratios=(1.2, 1))
    for (above, below), (group, functions) in zip(panels.T, data.items(), strict=True):
        for number, (name, function) in enumerate(functions.items()):
            gamma = f"{function.gamma:.3g}"
            above.plot(grid(), function.values, **SERIES[number], label=f"{name}, $\\gamma$ = {gamma}")
            if function.gamma:
                density(below, function.gamma, label=f"_{name}", **SERIES[number])
        if not all(function.gamma for function in functions.values()):
            density(below, 0.0, label="_all at 1/2", **SERIES[0])
            below.text(0.47, 3.2, "$\\gamma = 0$:\nall at 1/2", ha="right")
        level(above, 0)
        above.set(title=group, xlim=(-REACH, REACH), ylim=(-1.6, 5.2), xlabel="pre-activation $x$")
        above.legend(loc="upper left", fontsize=style.size - 1.5)
        guesses_axis(below, 4.0)
        below.label_outer()
    panels[0, 0].set_ylabel("activation $\\phi(x)$")
    return figure
