"""Width lowers the bias ratio of deep networks of ReLU, and hardly changes their guesses.

The bias ratio counts how norms of features differ between data, which guesses do not see: they depend on angles. Lines
of finite width N are the expansion in 1/width; those of infinite width go to the same depths L. Crosses are pairs of
data in 2,000 networks, drawn without weights.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.networks.width.expansion import expand
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import points, simulated, theory
from igbtheory.presentation.pictures.style import SERIES, shared_legend

WIDTHS = (32, 128)
DEEPEST = 0.5
"""Largest depth, as a multiple of the width."""
PLACES = (0.125, 0.25, 0.375, 0.5)
"""Depths of drawn networks, as multiples of the width."""
SAMPLES = 100
BETWEEN = (0.1875, 0.3125, 0.4375)
"""Depths at which pairs of data are drawn, as multiples of the width."""
PAIRS = 2000
"""Number of networks whose pairs are drawn: in the deepest ones gamma then has an error of about a tenth."""


@dataclass(frozen=True)
class Case:
    """Networks of one width: depth/width of the lines, and (gamma, Var(G0)) there and in infinite width.

    drawn, pairs: of finite networks at `PLACES` and of pairs `BETWEEN` them, with standard errors: (gamma, Var(G0)),
    values and errors.
    """

    width: int
    x: Any
    finite: tuple[Any, Any]
    infinite: tuple[Any, Any]
    drawn: Any
    pairs: Any


def compute(run: Run) -> list[Case]:
    """ReLU networks of two widths, up to a depth of half the width."""
    return [_case(run, width, 40 + 10 * i) for i, width in enumerate(WIDTHS)]


def _case(run: Run, width: int, seed: int) -> Case:
    depth = int(DEEPEST * width)
    network = igb.mlp(depth, "relu")
    found = expand(network.layers, [width] * depth, igb.GaussianInputs(), width)
    wide = run.predict(network).per_layer
    drawn = np.array([_drawn(run, width, int(place * width), seed + i) for i, place in enumerate(PLACES)])
    pairs = np.array([_pairs(width, int(place * width), seed + i) for i, place in enumerate(BETWEEN)])
    return Case(
        width,
        np.arange(1, depth + 1) / width,
        (found.gamma[1:], found.var_g0[1:]),
        (wide.gamma[1:], np.arcsin(wide.c[1:]) / (2 * np.pi)),
        drawn.transpose(1, 2, 0),
        pairs.transpose(1, 2, 0),
    )


def _pairs(width: int, depth: int, seed: int) -> Any:
    """Return gamma and Var(G0) from pairs of data, each with its error."""
    found = igb.mlp(depth, "relu").predict(width=width, method="pairs", networks=PAIRS, seed=seed)
    return [(found.gamma, found.gamma_error), (found.var_g0, found.var_g0_error)]


def _drawn(run: Run, width: int, depth: int, seed: int) -> Any:
    """Return gamma and Var(G0) of drawn networks, each with its error."""
    found = run.simulate(igb.mlp(depth, "relu"), 800, width, SAMPLES, seed)
    # a datum with itself counts 1/4
    squares = (SAMPLES * (found.G0 - 0.5) ** 2 - 0.25) / (SAMPLES - 1)
    return [
        (found.gamma, found.gamma_error),
        (squares.mean(), squares.std(ddof=1) / np.sqrt(len(squares))),
    ]


def draw(data: list[Case], style: Style) -> Any:
    """Gamma on the left, Var(G0) on the right."""
    figure = style.figure(1.25)
    panels = figure.subplots(1, 2)
    for quantity, axes in enumerate(panels):
        for number, case in enumerate(data):
            theory(axes, number, case.x, case.finite[quantity], f"$N$ = {case.width}")
            value, error = case.drawn[quantity]
            simulated(axes, number, PLACES, value, error, f"drawn, $N$ = {case.width}")
            value, error = case.pairs[quantity]
            colour = SERIES[number]["color"]
            points(axes, BETWEEN, value, error, "x", color=colour, label=f"pairs, $N$ = {case.width}")
        for number, case in enumerate(data, len(data)):
            theory(axes, number, case.x, case.infinite[quantity], f"$N = \\infty$, $L \\leq$ {case.x.size}")
        axes.set(xlim=(0, 1.04 * DEEPEST), xlabel="depth / width, $L/N$")
    panels[0].set(yscale="log", ylim=(0.4, 200), title="bias ratio $\\gamma$")
    panels[1].set(ylim=(0.06, 0.25), title="variance of $G_0$")
    figure.supylabel("ReLU, $\\sigma_w^2 = 2$", fontsize=style.size)
    shared_legend(figure, columns=4)
    return figure
