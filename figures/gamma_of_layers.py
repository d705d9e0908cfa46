"""Bias ratio over 20 layers: ReLU, and LayerNorm in front of ReLU, which changes nothing in infinite width.

Source: where-you-place-the-norm, Fig. F.1.
"""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import Curve, curves, level

DEPTH = 20
NETWORKS = {
    "ReLU": igb.mlp(DEPTH, "relu"),
    "LN + ReLU": igb.mlp(DEPTH, "relu", norm="layer", placement="before"),
    "ReLU + LN": igb.mlp(DEPTH, "relu", norm="layer", placement="after"),
}


def compute(run: Run) -> list[Curve]:
    """Gamma of each network after every hidden layer."""
    depth = np.arange(1, DEPTH + 1)
    found: list[Curve] = []
    for seed, (name, network) in enumerate(NETWORKS.items(), 10):
        at = depth[len(found) % 2 :: 2]  # every second layer, because two curves are equal
        gamma = run.predict(network).per_layer.gamma[1:]
        found.append(Curve(name, depth, gamma, at, run.ensemble(network, 300, 96, 150, seed).gamma.at(at)))
    return found


def draw(data: list[Curve], style: Style) -> Any:
    """Lines of theory and points."""
    figure = style.figure(single=True)
    axes = figure.subplots()
    curves(axes, data)
    level(axes, 1)
    axes.set(xlim=(0, DEPTH + 1), ylim=(0, 24), xlabel="hidden layers", ylabel="bias ratio $\\gamma$")
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.legend(loc="upper left")
    return figure
