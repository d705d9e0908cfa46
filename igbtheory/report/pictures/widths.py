"""The picture of the trend in 1/width, and where it ends."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from igbtheory.report.pictures.style import LIMIT, THEORY, WIDTHS, points, shared_legend
from igbtheory.report.study import Outcome


def widths(outcomes: list[Outcome], columns: int) -> Figure:
    """The bias ratio of the output at three widths, its extrapolation to infinite width, and theory."""
    figure = Figure(figsize=(7.2, 6.4))
    panels = figure.subplots(len(outcomes) // columns, columns, squeeze=False).flat
    for axes, outcome in zip(panels, outcomes, strict=True):
        _panel(axes, outcome)
        axes.set_title(f"{outcome.case.activation}, depth {outcome.case.depth}")
    figure.supxlabel("1/width", fontsize=10)
    figure.supylabel("bias ratio $\\gamma$ of the output", fontsize=10)
    shared_legend(figure)
    return figure


def _panel(axes: Any, outcome: Outcome) -> None:
    row, wide = outcome.gamma, [simulation.width for simulation in outcome.comparison.simulations]
    inverse = 1 / np.array(wide)
    axes.axhline(row.theory, color=THEORY, lw=0.9, label="theory, infinite width")
    x = np.linspace(0, inverse[0], 101)
    axes.plot(x, _trend(outcome, inverse, x), color=LIMIT, lw=0.8, ls="--")
    points(axes, inverse, row.values, row.errors, color=WIDTHS[1], label="finite networks")
    points(axes, [0], [row.value], [row.error], color=LIMIT, label="extrapolated to infinite width")
    axes.set_xlim(-0.08 * inverse[0], 1.12 * inverse[0])
    axes.set_xticks([0, *inverse], ["0", *(f"1/{width}" for width in wide)], fontsize=7.5)
    axes.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True, useOffset=False)


def _trend(outcome: Outcome, inverse: Any, x: Any) -> Any:
    """The ratio of the parabolas in 1/width through var_mu and var_chi, which the extrapolation follows."""
    parts = (np.polyfit(inverse, outcome.output(name).values, 2) for name in ("var_mu", "var_chi"))
    var_mu, var_chi = (np.polyval(coefficients, x) for coefficients in parts)
    return var_mu / var_chi
