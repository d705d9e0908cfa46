"""The picture of agreement: every deviation from theory in units of its standard error."""

import numpy as np
from matplotlib.figure import Figure

from igbtheory.report.cases import NORMS, Case
from igbtheory.report.pictures.style import LIMIT, WIDTHS
from igbtheory.report.study import Outcome

NAMES = {"gaussian": "Gaussian", "digits": "digits"}


def agreement(outcomes: list[Outcome]) -> Figure:
    """The z-scores of gamma and of Var(G0) of all cases."""
    figure = Figure(figsize=(7.2, 0.6 + 0.22 * len(outcomes)))
    axes = figure.subplots()
    y = np.arange(len(outcomes))
    for inner, grey in ((2, "#F0F0F0"), (1, "#E0E0E0")):
        axes.axvspan(-inner, inner, color=grey, lw=0)
    axes.axvline(0, color="#000000", lw=0.9)
    gamma, variance = ([getattr(o, name).z for o in outcomes] for name in ("gamma", "variance"))
    axes.plot(gamma, y - 0.13, "o", ms=4.5, color=WIDTHS[1], label="$\\gamma$")
    axes.plot(variance, y + 0.13, "D", ms=4, color=LIMIT, label="Var($G_0$)")
    axes.set_yticks(y, [_label(outcome.case) for outcome in outcomes])
    axes.set_ylim(len(outcomes) - 0.5, -0.5)
    reach = max(4.0, 1.1 * max(map(abs, gamma + variance)))
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("(simulation extrapolated to infinite width \N{MINUS SIGN} theory) / standard error")
    axes.legend(loc="upper right")
    return figure


def _label(case: Case) -> str:
    norm = "" if case.norm is None else f", {NORMS[case.norm]} {case.placement}"
    return f"{NAMES[case.inputs]}, {case.activation}{norm}, depth {case.depth}"
