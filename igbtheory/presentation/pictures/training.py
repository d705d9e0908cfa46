"""Picture of training: the bias and the accuracy over time."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.pen import PALE, Pen
from igbtheory.presentation.pictures.style import GREY, LIMIT

if TYPE_CHECKING:
    from igbtheory.networks.training import Training

MIDDLE = (0.1, 0.9)
"""Quantiles over networks between which a band lies."""


def training(axes: Any, trained: "Training", pen: Pen) -> None:
    """Draw the largest share, or for two classes the share of class 0, and the accuracy over time."""
    two = trained.n_classes == 2
    share = trained.G0.draws if two else trained.guesses.draws.max(axis=2)
    goal = trained.labels[0] if two else trained.labels.max()
    name = "share of class 0" if two else "largest share of a class"
    curves = {name: share}
    if pen.alone:
        curves["accuracy"] = trained.accuracy.draws
    if pen.alone and trained.test is not None:
        curves["accuracy on test data"] = trained.test.accuracy.draws
    # a logarithmic axis has no 0: draw time 0 at half the first other time
    time = np.maximum(trained.shown_times, 0.5 * trained.shown_times[trained.shown_times > 0].min())
    for label, draws in curves.items():
        look = pen.curve(label)
        axes.plot(time, draws.mean(axis=0), **look)
        axes.fill_between(time, *np.quantile(draws, MIDDLE, axis=0), color=look["color"], alpha=PALE / 2, lw=0)
    axes.set(xscale="log", xlim=(time[0], time[-1]), ylim=(0, 1.02), ylabel=f"{name}, mean and middle 80 %")
    unit = "time of training, in units of 1/largest eigenvalue" if trained.step is None else "steps of training"
    axes.set(xlabel=unit)
    if pen.alone:
        goes = "share of its label" if two else "share of the commonest label"
        axes.axhline(goal, color=LIMIT, lw=1, ls=":", label=goes)
        axes.axhline(1 / trained.n_classes, color=GREY, lw=0.7, zorder=0)
        axes.set_ylabel("mean and middle 80 % of networks")
    pen.title = trained.loss_name
