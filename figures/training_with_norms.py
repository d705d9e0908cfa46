"""Accuracy over training with BatchNorm or LayerNorm before or after ReLU, of all data and of each class.

Class 0 is the one that a network favours at the start: it gets less than 0.6 of the data in neutral starts, and more
than 0.8 in prejudiced ones. Behind ReLU the norms leave neutral starts only; in front of it there are prejudiced ones,
as without a norm. Bars in the upper panels are shares of starts by the share of the favoured class, between 0.5 on the
left and 1 on the right. Lines are infinitely wide networks, which take the same steps; for BatchNorm behind
ReLU, whose tangent kernel is not known, there are finite networks only. Source: where-you-place-the-norm, Fig. 4.
"""

from typing import Any

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.accuracies import Case, inset, panels, trained
from igbtheory.presentation.pictures.style import shared_legend
from igbtheory.presentation.pictures.trained_networks import Hidden

DATA, FEATURES, DISTANCE = 60, 20, 1.0
NETWORKS, WIDTH, SEED = 400, 200, 3
CASES = {
    "BatchNorm, ReLU": Hidden("batch"),
    "ReLU, BatchNorm": Hidden("batch", after=True),
    "LayerNorm, ReLU": Hidden("layer"),
    "ReLU, LayerNorm": Hidden("layer", after=True),
}


def compute(run: Run) -> dict[str, Case]:
    """Accuracies in theory and of finite networks, for every norm and placement."""
    return {name: _case(run, hidden) for name, hidden in CASES.items()}


def _case(run: Run, hidden: Hidden) -> Case:
    network = igb.mlp(1, "relu", norm=hidden.norm, placement="after" if hidden.after else "before")  # type: ignore[arg-type]
    return trained(run, network, hidden, (DATA, FEATURES, DISTANCE), (NETWORKS, WIDTH, SEED))


def draw(data: dict[str, Case], style: Style) -> Any:
    """A column a network; all data above, each class below."""
    figure = style.figure(1.9)
    rows = figure.subplots(2, len(data), sharex=True, sharey=True)
    for column, (name, case) in zip(rows.T, data.items(), strict=True):
        panels(column, case)
        inset(column[0], case)
        column[0].set_title(name)
    figure.supxlabel("steps of training", fontsize=style.size)
    shared_legend(figure, 3)
    return figure
