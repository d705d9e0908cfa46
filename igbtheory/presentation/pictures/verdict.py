"""The picture of a verdict: the activation, gamma over depth, and the law of G0."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.phases import Course, Phase, Verdict
from igbtheory.presentation.pictures.marks import FEW, GAMMA, density, gaps, level, places_axis
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import LIMIT, THEORY, WIDTHS, fitted

DEPTHS = (1, 10, 100)
"""Depths whose law of G0 is drawn, as far as the course reaches."""
LONGEST = 60
"""Number of characters from which a formula is too long for a title."""
SEEN = 3.5
"""Standard deviations of the first pre-activation over which phi is drawn."""
FLOOR = 1e-6
"""Bias ratio below which a logarithmic axis shows nothing."""
TOP, TALLEST = 4.0, 15.0
"""Height of the axis if all densities of G0 have poles, and its largest height if one has a sharp peak."""
PHI = {"color": THEORY, "label": "$\\phi$"}
"""The look of the line of phi itself."""
ROOM = 1.9
"""Height of an axis relative to its curves, which leaves room for a legend."""


def picture(judged: Verdict) -> Figure:
    """Return three panels: phi and phi - s, gamma of both over depth, and the law of G0 at several depths."""
    figure = Figure(figsize=fitted(7.2, 2.75, single=False))
    left, middle, right = figure.subplots(1, 3)
    function_panel(left, judged)
    course_panel(middle, judged.course, judged.shifted if judged.shift else None)
    law_panel(right, judged.course)
    bias = f", $\\sigma_b^2$ = {judged.sigma_b2:g}" if judged.sigma_b2 else ""
    inputs = f"inputs N({judged.inputs.shift:g}, {judged.inputs.variance:g})"
    figure.suptitle(f"{_name(judged)}: $\\sigma_w^2$ = {judged.sigma_w2:g}{bias}, {inputs}", fontsize=9.5)
    return figure


def _name(judged: Verdict) -> str:
    """Return the name of the activation, or phi if it is long, with escaped dollars."""
    return judged.phi.name.replace("$", r"\$") if len(judged.phi.name) < LONGEST else "phi"


def function_panel(axes: Any, judged: Verdict) -> None:
    """Draw the activation phi, and phi - s."""
    scale = float(np.sqrt(judged.course.q[0]))
    x = np.linspace(-SEEN * scale, SEEN * scale, 1401)
    y = np.array(judged.phi(FLOAT64, x), float)
    for kink in map(float, judged.phi.pieces.kinks):  # draw a jump as a gap
        i = int(np.searchsorted(x, kink))
        if 0 < i < len(x) and abs(y[i] - y[i - 1]) > 20 * (x[1] - x[0]):
            y[i] = np.nan
    level(axes, 0)
    axes.plot(x, y, color=THEORY, label="$\\phi$")
    if judged.shift:
        axes.plot(x, y - judged.shift, color=LIMIT, ls="--", label=f"$\\phi$ \N{MINUS SIGN} {judged.shift:.3g}")
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.28 * (high - low))  # room for the legend
        axes.legend(loc="upper left", handlelength=1.7, borderaxespad=0.1)
    axes.set_xlabel("pre-activation $x$")
    axes.set_title("activation $\\phi$")


def course_panel(axes: Any, trajectory: Course, shifted: Course | None = None, look: Any = PHI) -> None:
    """Draw gamma over depth for phi, whose line has this look, and for phi - s."""
    depth = np.arange(1, trajectory.reached + 1)
    drawn = _line(axes, depth, trajectory.gamma[1:], **look)
    if shifted is not None:
        other = shifted.gamma[1:]
        label = "$\\phi$ \N{MINUS SIGN} $s$"
        drawn = _line(axes, np.arange(1, len(other) + 1), other, color=LIMIT, ls="--", label=label) or drawn
    _depth_axis(axes, trajectory.reached)
    axes.set_title(GAMMA)
    if not drawn:
        axes.plot(depth, 0 * depth, color=THEORY, label="_$\\gamma$ = 0")
        axes.text(0.5, 0.6, "$\\gamma$ = 0 at every depth", ha="center", transform=axes.transAxes)
        axes.set_yticks([0])
        return
    axes.set_yscale("log")  # before the horizontal lines, which would be lost on a linear axis
    limit = trajectory.rate.limit
    if FLOOR < limit < np.inf:
        axes.axhline(limit, color=WIDTHS[0], lw=1.1, ls=":", label=f"limit {limit:.4g}", zorder=0)
    _whole_decades(axes)
    level(axes, 1)
    if len(axes.get_legend_handles_labels()[1]) > 1:
        axes.legend(loc="best", handlelength=1.7)


def _whole_decades(axes: Any) -> None:
    """Set a logarithmic axis to whole decades, at least two so that there is room for the legend."""
    low, high = np.log10(axes.dataLim.intervaly)
    top = np.ceil(high + 0.05)
    axes.set_ylim(10 ** min(np.floor(low - 0.05), top - 2), 10**top)
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _depth_axis(axes: Any, deepest: int) -> None:
    """Label the horizontal axis with depths up to the deepest, on a logarithmic axis if there are many."""
    if deepest <= FEW:
        places_axis(axes, deepest)
    else:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("depth")


def course(axes: Any, trajectory: Course, pen: Pen, shifted: Course | None = None, name: str = "$\\phi$") -> None:
    """Draw gamma over depth as a picture of its own, or for phi only beside others."""
    if pen.alone:
        title = axes.get_title()
        course_panel(axes, trajectory, shifted, pen.curve("$\\phi$"))
        axes.set_title(title)
    else:
        shown = gaps(trajectory.gamma[1:])
        axes.plot(np.arange(1, trajectory.reached + 1), shown, **pen.curve(name))
        _depth_axis(axes, trajectory.reached)
        axes.set_yscale("log" if np.isfinite(shown).any() else "linear")
    axes.set(ylabel=GAMMA)


def phase(axes: Any, classified: Phase, pen: Pen) -> None:
    """Draw gamma over depth, with the name of the phase."""
    course(axes, classified.course, pen, name=classified.name)
    pen.title = classified.name


def gamma_over_depth(axes: Any, judged: Verdict, pen: Pen) -> None:
    """Draw gamma over depth from a verdict."""
    pen.title = _name(judged)
    course(axes, judged.course, pen, judged.shifted if judged.shift else None, pen.title)


def _line(axes: Any, depth: Any, gamma: Any, **how: Any) -> bool:
    """Draw gamma where a logarithmic axis can show it, and return whether there is such a depth."""
    shown = (gamma > FLOOR) & np.isfinite(gamma)
    if shown.any():
        axes.plot(depth, np.where(shown, gamma, np.nan), marker="o" if shown.sum() == 1 else None, ms=3, **how)
    return bool(shown.any())


def law_panel(axes: Any, course: Course) -> None:
    """Draw the density of G0 at several depths."""
    curves = {f"depth {d}": float(course.gamma[d]) for d in DEPTHS if d <= course.reached}
    limit = course.rate.limit
    if 0 < limit < np.inf and not np.isclose(limit, list(curves.values())[-1], rtol=0.02):
        curves["limit"] = limit
    smooth = {label: gamma for label, gamma in curves.items() if FLOOR < gamma < np.inf}
    for (label, gamma), colour, dashes in zip(smooth.items(), (*WIDTHS, LIMIT), ("-", "--", "-.", ":"), strict=False):
        density(axes, gamma, color=colour, ls=dashes, label=label)
    highest = max((gamma**-0.5 for gamma in smooth.values()), default=0.0)
    axes.set(xlim=(0, 1), ylim=(0, float(np.clip(ROOM * highest, TOP, TALLEST))))
    axes.set(xlabel="fraction $G_0$ given to class 0", ylabel="density of $G_0$")
    if not smooth and not any(curves.values()):
        axes.text(0.54, 0.9 * TOP, "all mass at 1/2")
        axes.axvline(0.5, color=THEORY, label="_all mass at 1/2")
        return
    if any(gamma <= FLOOR for gamma in curves.values()):
        label = ", ".join(x for x, gamma in curves.items() if gamma <= FLOOR)
        axes.axvline(0.5, 0, 1 / ROOM, color=THEORY, lw=1, label=label)
    axes.legend(loc="best", handlelength=1.9)
