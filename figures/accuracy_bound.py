"""What the guesses of an untrained network leave for its accuracy on balanced classes.

Source: initial-guessing-bias, Eq. 14 and Fig. 5: accuracy <= 1 - (max_i f_i - 1/N_C). On the right its mean over
initialisations, by E max(G0, 1 - G0) = 1/2 + arctan(sqrt(gamma))/pi.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import extrapolated, legend_above, theory
from igbtheory.presentation.pictures.over_widths import OverWidths, joined
from igbtheory.presentation.pictures.style import MARKERS, REGIONS, SERIES

DEPTHS = (1, 2, 4, 8, 16)
MIDDLE = 4
"""Depth of the networks whose accuracy is drawn one by one."""
SAMPLES = 500
SHOWN = 150
"""Networks whose accuracy on random labels is drawn."""


@dataclass(frozen=True)
class Data:
    """Largest fraction and accuracy of networks on random labels; gamma of the depths, and mean bounds."""

    largest: Any
    accuracy: Any
    gamma: Any
    bound: OverWidths


def compute(run: Run) -> Data:
    """ReLU networks of several depths."""
    networks = {depth: igb.mlp(depth, "relu") for depth in DEPTHS}
    gamma = np.array([float(run.predict(network).gamma) for network in networks.values()])
    ensembles = {depth: run.ensemble(network, 800, 64, SAMPLES, 30 + depth) for depth, network in networks.items()}
    bound = joined([found.mean(lambda share: 1.5 - np.maximum(share, 1 - share)) for found in ensembles.values()])
    middle, width = ensembles[MIDDLE].G0[-1, : run.some(SHOWN)], ensembles[MIDDLE].widths[-1]
    run.facts.append(f"Panel (a) has {len(middle)} of the networks of depth {MIDDLE} and width {width}.")
    given = np.rint(middle * SAMPLES).astype(int)
    # among the data that get class 0 the labels are drawn without replacement
    right = np.random.default_rng(0).hypergeometric(SAMPLES // 2, SAMPLES // 2, given)
    accuracy = (right + (SAMPLES - given) - (SAMPLES // 2 - right)) / SAMPLES
    return Data(np.maximum(middle, 1 - middle), accuracy, gamma, bound)


def draw(data: Data, style: Style) -> Any:
    """What a network can reach by its guesses, and its mean over networks by gamma."""
    figure = style.figure(1.25)
    left, right = figure.subplots(1, 2)
    _reachable(left, data)
    x = np.geomspace(0.05, 100, 301)
    theory(right, 0, x, 1 - np.arctan(np.sqrt(x)) / np.pi, "theory, $1-\\arctan(\\sqrt{\\gamma})/\\pi$")
    extrapolated(right, 0, data.gamma, data.bound)
    right.set(xscale="log", xlim=(0.05, 100), ylim=(0.5, 1), xlabel="bias ratio $\\gamma$ of infinite width")
    right.set_ylabel("mean of the bound on accuracy")
    legend_above(right, f"mean over ReLU networks of depth {DEPTHS[0]} to {DEPTHS[-1]}")
    return figure


def _reachable(axes: Any, data: Data) -> None:
    half = np.linspace(0.5, 1, 101)
    axes.fill_between(half, half - 0.5, 1.5 - half, color=REGIONS[1], lw=0, label="within reach, $N_C = 2$")
    theory(axes, 0, half, 1.5 - half, "bound, $N_C = 2$")
    tenth = np.linspace(0.1, 1, 101)
    theory(axes, 1, tenth, 1.1 - tenth, "bound, $N_C = 10$")
    how = {"color": SERIES[2]["color"], "mfc": "none", "ms": 3, "ls": "none", "clip_on": False}
    label = "ReLU, random labels"
    axes.plot(data.largest, data.accuracy, marker=MARKERS[2], label=label, **how)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="largest fraction of guesses, $\\max_i f_i$", ylabel="accuracy")
    legend_above(axes, f"bound $1 - (\\max_i f_i - 1/N_C)$; networks of depth {MIDDLE}")
