"""The law of G0 for one hidden layer: linear, ReLU, and ReLU with a maximum over two units.

Source: initial-guessing-bias, Fig. 4, with the law of finitely many data.
"""

from dataclasses import dataclass
from typing import Any

import igbtheory as igb
from igbtheory.networks.simulation import Simulation
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import panel
from igbtheory.presentation.pictures.style import shared_legend

CASES = {
    "linear, $\\gamma = 0$": igb.mlp(1, "linear"),
    "ReLU, $\\gamma = 1/(\\pi-1)$": igb.mlp(1, "relu"),
    "ReLU + MaxPool(2), $\\gamma$ = {:.4g}": igb.mlp(1, "relu", pool=2),
}


@dataclass(frozen=True)
class Case:
    """A network: its title, its prediction, and finite ones."""

    title: str
    law: Any
    networks: Simulation


def compute(run: Run) -> list[Case]:
    """The three networks."""
    found = []
    for seed, (title, network) in enumerate(CASES.items(), 1):
        prediction = run.predict(network)
        found.append(Case(title.format(prediction.gamma), prediction.G0, run.simulate(network, 2000, 600, 300, seed)))
    return found


def draw(data: list[Case], style: Style) -> Any:
    """One panel a network."""
    figure = style.figure(1.1)
    for axes, case in zip(figure.subplots(1, len(data)), data, strict=True):
        panel(axes, case.networks.G0, case.networks.samples, case.law)
        axes.set_title(case.title)
    figure.supxlabel("fraction of the data given to class 0, $G_0$", fontsize=style.size)
    figure.supylabel("density $f_{G_0}$", fontsize=style.size)
    shared_legend(figure)
    return figure
