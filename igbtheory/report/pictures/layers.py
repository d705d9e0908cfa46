"""The picture of gamma over the layers: theory as a line, finite networks as points."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from igbtheory.report.pictures.style import THEORY, WIDTHS, points, shared_legend
from igbtheory.report.study import Outcome


def layers(outcomes: list[Outcome]) -> Figure:
    """The bias ratio after every Dense layer of the deepest network of every activation."""
    deepest = max(outcome.case.depth for outcome in outcomes)
    shown = [outcome for outcome in outcomes if outcome.case.depth == deepest]
    figure = Figure(figsize=(7.2, 2.9))
    for axes, outcome in zip(figure.subplots(1, len(shown)), shown, strict=True):
        layer = np.arange(1, deepest + 2)
        axes.plot(layer, outcome.prediction.per_layer.gamma, color=THEORY, label="theory, infinite width")
        shifts = (-0.22, 0.0, 0.22)
        for simulation, colour, shift in zip(outcome.comparison.simulations, WIDTHS, shifts, strict=True):
            found = simulation.per_layer
            label = f"width {simulation.width}"
            points(axes, layer + shift, found.gamma, found.gamma_error, color=colour, label=label)
        axes.set_title(f"{outcome.case.activation}, depth {deepest}")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
    figure.supxlabel("Dense layer (the last one is the output)", fontsize=10)
    figure.supylabel("bias ratio $\\gamma$", fontsize=10)
    shared_legend(figure)
    return figure
