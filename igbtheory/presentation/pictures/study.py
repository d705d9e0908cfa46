"""Picture of a study: how its arms lose their bias and learn, and the effect of the learning rate."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import GREY, MARKERS, SERIES, shared_legend

if TYPE_CHECKING:
    from igbtheory.torch.studies import Course, Study

CURVES = {"largest": "largest share of a class", "accuracy": "accuracy", "worst_recall": "recall of the worst class"}
SYMBOLS = {"holds": "\N{CHECK MARK}", "fails": "\N{BALLOT X}", "not seen": "\N{EM DASH}"}
"""Symbols of the verdicts, in front of statements."""
KEY = ", ".join(f"{symbol} {verdict}" for verdict, symbol in SYMBOLS.items())
LETTERS = 85
"""Largest number of letters of names in one line of a legend."""
LINES = len(SERIES)
"""Largest number of arms in a row of panels."""


def study(outcome: "Study") -> Figure:
    """Return rows of panels of arms at their best learning rates, above the statement and the findings."""
    best = outcome.best_courses
    rows, words = _rows(outcome), 0.2 + 0.16 * (len(outcome.findings) + 3) if outcome.findings else 0.0
    heights = [2.5] * len(rows) + [words] * bool(words)
    figure = Figure(figsize=(9.6, sum(heights)))
    strips: Any = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, names in zip(strips, rows, strict=False):
        panels = part.subplots(1, len(CURVES) + 1)
        for number, name in enumerate(names):
            series = SERIES[number]
            for axes, curve in zip(panels, CURVES, strict=False):
                _curve(axes, best[name], curve, {**series, "label": name})
            _sweep(panels[-1], outcome, name, {"color": series["color"], "marker": MARKERS[number]})
        for axes, label in zip(panels, CURVES.values(), strict=False):
            _over_steps(axes)
            axes.set_title(label)
            axes.set_xlim(0, outcome.courses[0].steps[-1])
        panels[1].axhline(outcome.goal, color=GREY, lw=0.7, zorder=0)
        wide = len(names) == LINES or sum(map(len, names)) > LETTERS
        shared_legend(part, columns=(len(names) + 1) // 2 if wide else len(names))
    if words:
        _words(strips[-1], outcome)
    return figure


def largest(axes: Any, outcome: "Study", pen: Pen) -> None:
    """Draw the largest share of a class in all arms at their best learning rates."""
    arms = outcome.best_courses
    for name, course in arms.items():
        _curve(axes, course, "largest", pen.curve(name, several=len(arms) > 1))
    _over_steps(axes)
    axes.set_ylabel(CURVES["largest"])
    pen.title = outcome.title


def _over_steps(axes: Any) -> None:
    """Prepare axes for shares over the steps of training."""
    axes.set_xscale("symlog", linthresh=1, linscale=0.3)
    axes.set(ylim=(0, 1.02), xlabel="step")


def _rows(outcome: "Study") -> list[list[str]]:
    """Return the names of the arms by row of panels: first the arms themselves, then arms with their controls."""
    arms = {one.name: one.base for one in outcome.courses}
    drawn = [name for name, base in arms.items() if name == base]
    controls = [[base, *(name for name in arms if arms[name] == base != name)] for base in drawn]
    several = [group for group in controls if len(group) > 2]
    single = [name for group in controls if len(group) == 2 for name in group[1:]]
    groups = [*([drawn] if len(drawn) > 1 or not several else []), *several, *([single] if single else [])]
    return [group[i : i + LINES] for group in groups for i in range(0, len(group), LINES)]


def _curve(axes: Any, course: "Course", name: str, how: dict[str, Any]) -> None:
    law = course.mean(name)
    axes.plot(course.steps, law.value, **how)
    low, high = law.value - law.error, law.value + law.error
    axes.fill_between(course.steps, low, high, color=how["color"], alpha=0.2, lw=0)


def _sweep(axes: Any, outcome: "Study", name: str, how: dict[str, Any]) -> None:
    """Draw the median step at which the goal is reached over the learning rate, above the last step if never."""
    reached = sorted((one.rate, np.median(one.time_to(outcome.goal))) for one in outcome.courses if one.name == name)
    rates, times = np.array(reached).T
    last = outcome.courses[0].steps[-1]
    axes.plot(rates, np.minimum(times, 1.5 * last), lw=0.9, ms=4, mfc="none", **how)
    axes.axhline(last, color=GREY, lw=0.7, zorder=0)
    if np.isinf(times).any() and not axes.texts:
        axes.annotate("never", (0.5, 1.6 * last), xycoords=("axes fraction", "data"), ha="center", va="bottom", size=7)
    axes.set(xscale="log", yscale="log", ylim=(0.8, 3 * last), xlabel="learning rate")
    axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
    axes.minorticks_off()
    axes.set_title(f"median step to accuracy {outcome.goal:g}")


def _words(part: Any, outcome: "Study") -> None:
    """Write the papers' statement and the verdicts."""
    lines = [f"{SYMBOLS[one.verdict]}  {one.statement} (p = {one.paired.p:.1g})" for one in outcome.findings]
    lines.append("network by network, sign test at the best learning rates: " + KEY)
    how: Any = {"va": "top", "ha": "left", "family": "DejaVu Sans"}
    part.text(0.01, 1.0, outcome.statement, fontsize=9, weight="bold", **how)
    part.text(0.01, 1.0, "\n\n" + "\n".join(lines), fontsize=8, linespacing=1.4, **how)
