"""Residual networks have one phase: gradients and the bias ratio have a limit of great depth at every sigma_w2.

L layers of tanh between a first layer and the output. Without residual blocks, gradients vanish with depth below the
edge of chaos and explode above it, and the bias ratio grows with depth below it and settles above it. Blocks that add
their layer, divided by the square root of L, to its input have no edge: with depth, both go to the limit of infinitely
many blocks. Source: bias-meets-trainability (residual MLPs have a single critical phase).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import extrapolated, level, theory
from igbtheory.presentation.pictures.over_widths import OverWidths, joined
from igbtheory.presentation.pictures.style import GREY, shared_legend

ACTIVATION, SIGMA_B2 = "tanh", 0.05
DEPTHS = (5, 20, 80)
"""Numbers L of layers; finite networks have the first of them, for which narrow networks suffice."""
GRID = np.linspace(0.2, 4.0, 39)
SIMULATED = (0.5, 1.0, 2.0, 3.0, 4.0)
NETWORKS, WIDTH, SAMPLES, SEED = 300, 64, 100, 70


@dataclass(frozen=True)
class Case:
    """Quantities over GRID, by the name of the depth, of networks with or without residual blocks.

    squared: squared gradients in the first layer, those in the last hidden layer being 1; finite: gamma of finite
    networks at SIMULATED; edge: of chaos, NaN if there is none.
    """

    squared: dict[str, Any]
    gamma: dict[str, Any]
    finite: OverWidths
    edge: float


def _network(depth: int, sigma_w2: Any, *, is_residual: bool) -> igb.Network:
    dense, activation = igb.Dense(sigma_w2, SIGMA_B2), igb.Activation(ACTIVATION)
    block = (igb.Residual(activation, dense, scale=depth**-0.5),) if is_residual else (activation, dense)
    return igb.Network(dense, *block * depth, activation, dense)


def compute(run: Run) -> dict[str, Case]:
    """Gradients and gamma of both kinds of network by title."""
    cases = {"without residual blocks": _case(run, is_residual=False), "residual blocks": _case(run, is_residual=True)}
    ranges = [np.ptp(np.log10(case.squared[f"$L$ = {DEPTHS[-1]}"])) for case in cases.values()]
    run.facts.append(
        f"Over the drawn variances, squared gradients at L = {DEPTHS[-1]} differ by a factor of up to "
        f"10^{ranges[0]:.0f} without residual blocks and {10 ** ranges[1]:.2g} with them."
    )
    return cases


def _case(run: Run, *, is_residual: bool) -> Case:
    squared, gamma = {}, {}
    for depth in DEPTHS:
        network = _network(depth, GRID, is_residual=is_residual)
        squared[f"$L$ = {depth}"] = _in_first_layer(run.gradients(network))
        gamma[f"$L$ = {depth}"] = run.predict(network).gamma
    edge = np.nan
    if is_residual:
        one = _network(1, GRID, is_residual=True)
        limit = igb.phases.residual_limit(one)
        run.record.append({"limit of": repr(one), "relative_error": float(np.max(limit.prediction.error))})
        squared["$L = \\infty$"], gamma["$L = \\infty$"] = _in_first_layer(limit.gradients), limit.prediction.gamma
    else:
        edge = igb.phases.edge_of_chaos(ACTIVATION, SIGMA_B2)
    ensembles = (
        run.ensemble(_network(DEPTHS[0], each, is_residual=is_residual), NETWORKS, WIDTH, SAMPLES, seed)
        for seed, each in enumerate(SIMULATED, SEED + len(SIMULATED) * is_residual)
    )
    return Case(squared, gamma, joined([ensemble.gamma.at([-1]) for ensemble in ensembles]), edge)


def _in_first_layer(gradients: igb.phases.Gradients) -> Any:
    return gradients.squared[0] / gradients.squared[-2]


def draw(data: dict[str, Case], style: Style) -> Any:
    """A column a kind of network: gradients above, bias ratios below."""
    figure = style.figure(1.9)
    panels = figure.subplots(2, len(data), sharex=True, sharey="row")
    for column, (title, case) in zip(panels.T, data.items(), strict=True):
        for axes, lines in zip(column, (case.squared, case.gamma), strict=True):
            for number, (name, values) in enumerate(lines.items()):
                theory(axes, number, GRID, values, name)
            axes.axvline(case.edge, color=GREY, ls="--", zorder=0, label="edge of chaos")
            level(axes, 1)
        extrapolated(column[1], 0, SIMULATED, case.finite)
        column[0].set_title(title)
    panels[0, 0].set(yscale="log", ylim=(1e-4, 1e4), ylabel="squared gradient in layer 1")
    panels[1, 0].set(yscale="log", ylim=(1e-2, 1e4), ylabel="bias ratio $\\gamma$", xlim=(0, GRID[-1] + 0.1))
    figure.supxlabel("variance of the weights $\\sigma_w^2$", fontsize=style.size)
    shared_legend(figure, columns=5)
    return figure
