"""Picture of training: the bias and the accuracy over time."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.style import GREY, LIMIT, SERIES

if TYPE_CHECKING:
    from igbtheory.networks.training import Training

MIDDLE = (0.1, 0.9)
"""Quantiles over networks between which a band lies."""


def training(axes: Any, trained: "Training") -> None:
    """Draw the largest share, or for two classes the share of class 0, and the accuracy over time."""
    two = trained.n_classes == 2
    share = trained.G0.draws if two else trained.guesses.draws.max(axis=2)
    goal = trained.labels[0] if two else trained.labels.max()
    name = "share of class 0" if two else "largest share of a class"
    curves = {name: share, "accuracy": trained.accuracy.draws}
    if trained.test is not None:
        curves["accuracy on test data"] = trained.test.accuracy.draws
    # a logarithmic axis has no 0: draw time 0 at half the first other time
    time = np.maximum(trained.shown_times, 0.5 * trained.shown_times[trained.shown_times > 0].min())
    for (label, draws), how in zip(curves.items(), SERIES, strict=False):
        axes.plot(time, draws.mean(axis=0), label=label, **how)
        axes.fill_between(time, *np.quantile(draws, MIDDLE, axis=0), color=how["color"], alpha=0.18, lw=0)
    axes.axhline(goal, color=LIMIT, lw=1, ls=":", label="share of its label" if two else "share of the commonest label")
    axes.axhline(1 / trained.n_classes, color=GREY, lw=0.7, zorder=0)
    axes.set(xscale="log", xlim=(time[0], time[-1]), ylim=(0, 1.02), ylabel="mean and middle 80 % of networks")
    unit = "time of training, in units of 1/largest eigenvalue" if trained.step is None else "steps of training"
    axes.set(xlabel=unit, title=trained.loss_name)
    axes.legend(loc="best")
