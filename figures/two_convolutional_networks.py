"""Two untrained convolutional networks: one that gives half of the data to each class, and one that favours a class.

Both have two layers of convolutions, with tanh and average pools, or with ReLU and maximum pools. The images are noise.
Source: initial-guessing-bias, Fig. 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.networks.simulation import Simulation
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import panel
from igbtheory.presentation.pictures.style import shared_legend

DATA, SIZE = 40, 8
NETWORKS, CHANNELS, SEED = 600, 32, 1


def convolutional(activation: str, pool: type) -> igb.Network:
    """Return a network of two convolutions and pools."""
    layers = (igb.Conv2d(3, padding="zeros"), igb.Activation(activation), pool(2))
    return igb.Network(*layers, *layers, igb.Flatten(), igb.Dense())


CASES = {
    "tanh + average pool": convolutional("tanh", igb.AvgPool2d),
    "ReLU + maximum pool": convolutional("relu", igb.MaxPool2d),
}


@dataclass(frozen=True)
class Case:
    """A network: its title, its law on the digits, and finite ones."""

    title: str
    law: Any
    networks: Simulation


def compute(run: Run) -> list[Case]:
    """The two networks."""
    images = np.random.default_rng(SEED).standard_normal((DATA, 1, SIZE, SIZE))
    found = []
    for title, network in CASES.items():
        prediction = run.predict(network, images)
        drawn = run.simulate(network, NETWORKS, CHANNELS, DATA, SEED, inputs=images)
        found.append(Case(f"{title}, $\\gamma$ = {prediction.gamma:.3g}", prediction.G0, drawn))
    return found


def draw(data: list[Case], style: Style) -> Any:
    """One panel a network."""
    figure = style.figure(1.2)
    for axes, case in zip(figure.subplots(1, len(data)), data, strict=True):
        panel(axes, case.networks.G0, case.networks.samples, case.law)
        axes.set(xlim=(0, 1), title=case.title)
    figure.supxlabel("fraction of the data given to class 0, $G_0$", fontsize=style.size)
    figure.supylabel("density $f_{G_0}$", fontsize=style.size)
    shared_legend(figure)
    return figure
