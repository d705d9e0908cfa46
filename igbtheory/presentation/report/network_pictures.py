"""Pictures of two classes: predictions and finite networks."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from igbtheory.presentation.pictures.marks import DEVIATION, EXTRAPOLATED, OF_GUESSES, bands, panel, points
from igbtheory.presentation.pictures.style import LIMIT, THEORY, WIDTHS, shared_legend
from igbtheory.presentation.report.study import Outcome

SIZE = 7.2
"""Width of a picture in inches."""


def agreement(outcomes: list[Outcome]) -> Figure:
    """Return a picture of the deviations of gamma and Var(G0) from theory in standard errors, a line for each case."""
    figure = Figure(figsize=(SIZE, 0.6 + 0.22 * len(outcomes)))
    axes = figure.subplots()
    y = np.arange(len(outcomes))
    bands(axes.axvspan)
    axes.axvline(0, color=THEORY, lw=0.9, label="_theory")
    gamma, variance = [o.gamma.z for o in outcomes], [o.variance.z for o in outcomes]
    how: Any = {"lw": 0, "elinewidth": 0.8, "ms": 4}
    axes.errorbar(variance, y - 0.16, xerr=1, fmt="D", color=LIMIT, label="Var($G_0$), guesses", **how)
    axes.errorbar(gamma, y + 0.16, xerr=1, fmt="o", color=WIDTHS[1], label="$\\gamma$, outputs", **how)
    axes.set_yticks(y, [f"{o.case.inputs.replace('gaussian', 'Gaussian')}, {o.case.title}" for o in outcomes])
    axes.set_ylim(len(outcomes) - 0.5, -0.5)
    reach = max(4.0, 1.2 + max(map(abs, gamma + variance)))
    axes.set_xlim(-reach, reach)
    axes.set_xlabel(DEVIATION)
    shared_legend(figure)
    return figure


def guesses(outcomes: list[Outcome]) -> Figure:
    """Return a picture of the law of G0 of every case over the histogram of its widest networks."""
    figure, panels = _panels(outcomes, "fraction of the data given to class 0, $G_0$", "probability density $f_{G_0}$")
    for axes, outcome in zip(panels, outcomes, strict=True):
        predicted = outcome.expected.compared
        panel(axes, outcome.widest.G0, outcome.widest.samples, predicted.G0)
        ratio = f"$\\gamma_\\mathrm{{guess}}$ = {float(predicted.gamma_guess):.3g}"
        axes.set_title(f"{axes.get_title('right')}, {ratio}")
    shared_legend(figure)
    return figure


def layers(outcomes: list[Outcome]) -> Figure:
    """Return a picture of gamma_guess after every Dense layer: theory as lines, finite networks as points."""
    figure, panels = _panels(outcomes, "Dense layer (the last one is the output)", OF_GUESSES)
    for axes, outcome in zip(panels, outcomes, strict=True):
        layer, expected = np.arange(1, outcome.case.depth + 2), outcome.expected
        axes.plot(layer, expected.limit.per_layer.gamma_guess, color=THEORY, label="theory, infinite width")
        if expected.at_width is not None:
            narrow = expected.at_width.per_layer.gamma_guess
            axes.plot(layer, narrow, color=LIMIT, ls="--", label=f"theory at width {outcome.widest.width}")
        simulations = outcome.comparison.simulations
        shifts = np.linspace(-0.22, 0.22, len(simulations)) if len(simulations) > 1 else [0.0]
        for simulation, colour, shift in zip(simulations, WIDTHS[-len(simulations) :], shifts, strict=True):
            simulated, label = simulation.per_layer, f"width {simulation.width}"
            points(axes, layer + shift, simulated.gamma_guess, simulated.gamma_guess_error, color=colour, label=label)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
    shared_legend(figure)
    return figure


def widths(outcomes: list[Outcome]) -> Figure:
    """Return a picture of Var(G0) against 1/width: three widths, their extrapolation, theory."""
    figure, panels = _panels(outcomes, "1/width", "variance of the guesses, Var($G_0$)")
    for axes, outcome in zip(panels, outcomes, strict=True):
        row, wide = outcome.variance, [simulation.width for simulation in outcome.comparison.simulations]
        inverse = 1 / np.array(wide)
        x = np.linspace(0, inverse[0])
        axes.axhline(row.theory, color=THEORY, lw=1.1, label="theory")
        # the parabola through the three values has the extrapolated one at 0: see `extrapolation`
        parabola = np.polyval(np.polyfit(inverse, row.values, 2), x)
        axes.plot(x, parabola, color=LIMIT, lw=0.8, ls="--", label="_extrapolation")
        points(axes, inverse, row.values, row.errors, color=WIDTHS[1], label="finite networks")
        points(axes, [0], [row.value], [row.error], color=LIMIT, label=f"{EXTRAPOLATED} to infinite width")
        axes.set_xlim(-0.08 * inverse[0], 1.12 * inverse[0])
        axes.set_xticks([0, *inverse], ["0", *(f"1/{width}" for width in wide)], fontsize=7.5)
        axes.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True, useOffset=False)
    shared_legend(figure)
    return figure


def _panels(outcomes: list[Outcome], x: str, y: str) -> tuple[Figure, list[Any]]:
    """Return a figure and its panels, a row for each activation and a column for each depth, or a single row."""
    rows = len({outcome.case.activation for outcome in outcomes})
    rows = 1 if rows == len(outcomes) else rows
    figure = Figure(figsize=(SIZE, 2.9 if rows == 1 else 0.4 + 2 * rows))
    figure.supxlabel(x, fontsize=10)
    figure.supylabel(y, fontsize=10)
    panels = list(figure.subplots(rows, len(outcomes) // rows, squeeze=False).flat)
    for axes, outcome in zip(panels, outcomes, strict=True):
        axes.set_title(outcome.case.title)
    return figure, panels
