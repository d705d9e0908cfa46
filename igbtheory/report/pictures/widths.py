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
    row, inverse = outcome.gamma, np.array([1 / s.width for s in outcome.comparison.simulations])
    axes.axhline(row.theory, color=THEORY, lw=0.9, label="theory, infinite width")
    points(axes, inverse, row.values, row.errors, color=WIDTHS[1], label="finite networks")
    points(axes, [0], [row.value], [row.error], color=LIMIT, label="extrapolated to infinite width")
    axes.set_xlim(-0.08 * inverse[0], 1.08 * inverse[0])
    axes.set_xticks([0, *inverse], ["0", *(f"1/{s.width}" for s in outcome.comparison.simulations)])
    axes.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True, useOffset=False)
