"""Pictures of several classes: their shares of the data, and the gradients of losses."""

import numpy as np
from matplotlib.figure import Figure

from igbtheory.networks.losses import LossAtStart
from igbtheory.presentation.pictures.marks import level, points
from igbtheory.presentation.pictures.style import BARS, THEORY, WIDTHS, shared_legend
from igbtheory.presentation.report.classes import ClassStudy


def shares(studies: list[ClassStudy]) -> Figure:
    """Return a picture of the mean shares of the data, from the favoured class to the last one, at every depth."""
    figure = Figure(figsize=(7.2, 2.7))
    for axes, study in zip(figure.subplots(1, len(studies), sharey=True, squeeze=False).flat, studies, strict=True):
        simulated, ranks = study.simulated.mean(), np.arange(1, len(study.mean) + 1)
        axes.bar(ranks, simulated.value, color=BARS, label="finite networks")
        points(
            axes,
            ranks,
            simulated.value,
            simulated.error,
            "none",
            color=WIDTHS[1],
            label="_finite networks, standard error",
        )
        axes.plot(ranks, study.mean, "_", ms=9, mew=1.3, color=THEORY, label="theory, infinite width")
        axes.axhline(1 / len(ranks), color="#999999", lw=0.8, ls=":", label="_even guesses")
        axes.set(ylim=(0, 1), xticks=ranks)
        axes.set_title(f"ReLU, depth {study.case.depth}")
    figure.supxlabel("class, the favoured one of each network first", fontsize=10)
    figure.supylabel("mean share of the data", fontsize=10)
    shared_legend(figure)
    return figure


def losses(studies: list[ClassStudy]) -> Figure:
    """Return a picture of the gradient at the logit of the favoured class, relative to cross-entropy."""
    figure = Figure(figsize=(7.2, 3.1))
    axes = figure.subplots()
    names = list(studies[0].losses)
    shifts = np.linspace(-0.25, 0.25, len(studies))
    level(axes, 0)
    for study, colour, shift in zip(studies, WIDTHS[: len(studies)], shifts, strict=True):
        at, depth = np.arange(len(names)) + shift, f"depth {study.case.depth}"
        theory, errors = _strengths(study.losses)
        axes.errorbar(at, theory, errors, fmt="_", ms=14, mew=1.6, lw=0, color=colour, label=f"{depth}, theory")
        simulated = _strengths(study.simulated_losses)
        points(axes, at + 0.1, *simulated, color=colour, mfc="white", label=f"{depth}, finite networks")
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("gradient at the favoured class\n(1: that of cross-entropy)")
    shared_legend(figure, columns=len(studies))
    return figure


def _strengths(laws: dict[str, LossAtStart]) -> tuple[list[float], list[float]]:
    strengths = [law.strength() for law in laws.values()]
    return [strength.value for strength in strengths], [strength.error for strength in strengths]
