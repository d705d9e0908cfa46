"""What amplifies a bias: depth, the size of a pool, and a shift of the inputs.

In the networks drawn here gamma grows without bound in all three. Depth does not amplify the bias of every
activation: for GELU gamma falls from the tenth layer on, see the figure bias_and_gradients. Source:
initial-guessing-bias, Theorem 5.2, Eqs. 11 to 13.
"""

from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import Curve, curves, level
from igbtheory.presentation.pictures.over_widths import joined
from igbtheory.presentation.pictures.style import shared_legend

DEPTHS = (1, 3, 6, 10, 20)
WIDTH = 64
"""Smallest width."""
POOLS = (2, 4, 8, 16)
SHIFTS = (0.0, 0.5, 1.0, 2.0)
ACTIVATIONS = {"relu": "ReLU", "tanh": "tanh", "linear": "linear"}


def compute(run: Run) -> dict[str, list[Curve]]:
    """Gamma of the output by panel."""
    shifts = np.linspace(0, 3, 31)
    return {
        "depth": [_depth(run)],
        "pool": [_pool(run, *row) for row in ACTIVATIONS.items()],
        "shift": [_shift(run, *row, shifts) for row in ACTIVATIONS.items()],
    }


def _depth(run: Run) -> Curve:
    network = igb.mlp(max(DEPTHS), "relu")
    found = run.ensemble(network, 400, WIDTH, 150, 61).gamma.at(np.array(DEPTHS))
    x = np.arange(1, 101)
    gamma = run.predict(igb.mlp(100, "relu")).per_layer.gamma[1:]
    return Curve("ReLU", x, gamma, np.array(DEPTHS), found)


def _pool(run: Run, activation: str, label: str) -> Curve:
    networks = {m: igb.mlp(1, activation, pool=m) for m in POOLS}
    found = joined([run.ensemble(networks[m], 300, WIDTH, 300, 70 + m).gamma.at([-1]) for m in POOLS])
    x = range(2, 33)
    gamma = [float(run.predict(igb.mlp(1, activation, pool=m)).gamma) for m in x]
    return Curve(label, np.array(x), np.array(gamma), np.array(POOLS), found)


def _shift(run: Run, activation: str, label: str, x: Any) -> Curve:
    network = igb.mlp(1, activation)
    found = joined([run.ensemble(network, 300, WIDTH, 300, 90, igb.GaussianInputs(k)).gamma.at([-1]) for k in SHIFTS])
    gamma = run.predict(network, igb.GaussianInputs(x)).gamma
    return Curve(label, x, gamma, np.array(SHIFTS), found)


def draw(data: dict[str, list[Curve]], style: Style) -> Any:
    """A panel for depth, pooling and shift."""
    figure = style.figure(1.25)
    panels = figure.subplots(1, 3)
    for axes, found in zip(panels, data.values(), strict=True):
        curves(axes, found)
        level(axes, 1)
    shared_legend(figure, 4)
    depth, pool, shift = panels
    depth.set(yscale="log", ylim=(0.2, 2e4), xscale="log", xlim=(0.9, 120), xlabel="hidden layers", title="depth")
    pool.set(yscale="log", ylim=(0.2, 2e4), xscale="log", xlim=(1.8, 36), xlabel="maximum over $m$ units")
    pool.set(title="MaxPool, one hidden layer")
    pool.set_xticks([2, 4, 8, 16, 32], ["2", "4", "8", "16", "32"])
    pool.minorticks_off()
    shift.set(xlim=(0, 3), ylim=(0, 14), xlabel="shift $k$", title="inputs $N(k, 1)$, one layer")
    depth.set_ylabel("bias ratio $\\gamma$ of the output")
    return figure
