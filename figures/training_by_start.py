"""Accuracy over training, of all data and of each class, for all starts and for neutral and prejudiced ones.

Class 0 is the one that a network favours at the start: it gets less than 0.6 of the data in neutral starts, and more
than 0.8 in prejudiced ones, which guess the data of class 1 wrong. Lines are infinitely wide networks of one hidden
layer of ReLU without a norm, which take the same steps. Source: where-you-place-the-norm, Fig. 2, with its Gaussian
blobs.
"""

from typing import Any

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.accuracies import Case, panels, trained
from igbtheory.presentation.pictures.style import shared_legend
from igbtheory.presentation.pictures.trained_networks import Hidden

DATA, FEATURES, DISTANCE = 60, 20, 1.0
"""Number and size of the data, and distance of the centres of the two classes from 0."""
NETWORKS, WIDTH, SEED = 400, 200, 2


def compute(run: Run) -> Case:
    """Accuracies in theory and of finite networks."""
    return trained(run, igb.mlp(1, "relu"), Hidden(), (DATA, FEATURES, DISTANCE), (NETWORKS, WIDTH, SEED))


def draw(data: Case, style: Style) -> Any:
    """All starts on the left, groups of starts on the right; all data above, each class below."""
    figure = style.figure(1.9)
    rows = figure.subplots(2, 2, sharex=True, sharey=True)
    panels(rows[:, 0], data, {"all starts": lambda share: share > 0})
    panels(rows[:, 1], data)
    rows[0, 0].set_title("all starts")
    rows[0, 1].set_title("neutral and prejudiced starts")
    figure.supxlabel("steps of training", fontsize=style.size)
    shared_legend(figure, 3)
    return figure
