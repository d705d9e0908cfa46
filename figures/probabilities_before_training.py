"""Mean softmax probabilities of the classes before training, against the fair value of one in ten.

On the left the classes of one network, on the right means over networks, from the class that a network favours most to
the one that it favours least. Source: initialization-biases-and-losses, Fig. 1, for a network of ReLU in place of
ResNet-50.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.networks.losses.outputs import limit_outputs
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import legend_above, simulated, theory
from igbtheory.presentation.pictures.style import BARS, LIMIT

CLASSES, DEPTH, SAMPLES = 10, 10, 300
SIGMA_W2_OF_OUTPUTS = 8.0
"""Variance of the weights of the last layer: the logits have a standard deviation of 2.8."""
NETWORKS, WIDTH, SEED = 300, 300, 4
DRAWS = 4000


@dataclass(frozen=True)
class Data:
    """Mean probabilities of the classes of every finite network, and their means by rank in theory."""

    networks: Any
    theory: Any


def compute(run: Run) -> Data:
    """Means over the data of finite networks, and of drawn outputs of infinitely wide ones."""
    network = igb.Network(*igb.mlp(DEPTH, "relu").layers[:-1], igb.Dense(SIGMA_W2_OF_OUTPUTS))
    drawn = run.outputs(network, CLASSES, run.some(NETWORKS), WIDTH, SAMPLES, SEED)
    finite = np.array([_softmax(values).mean(axis=0) for values in drawn])
    limit, rng = limit_outputs(run.predict(network), CLASSES, SAMPLES), np.random.default_rng(SEED)
    ranked = [np.sort(_softmax(limit(rng)).mean(axis=0))[::-1] for _ in range(run.some(DRAWS, 400))]
    return Data(finite, np.mean(ranked, axis=0))


def _softmax(outputs: Any) -> Any:
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def draw(data: Data, style: Style) -> Any:
    """Bars of one network, and ranks of all."""
    figure = style.figure(1.2)
    left, right = figure.subplots(1, 2, sharey=True)
    classes = np.arange(CLASSES)
    edges = np.arange(CLASSES + 1) - 0.5
    left.stairs(data.networks[0], edges, fill=True, color=BARS, label="one network")
    left.set(xticks=classes, xlabel="class", ylabel="mean probability")
    ranked = np.sort(data.networks, axis=1)[:, ::-1]
    theory(right, 0, 1 + classes, data.theory, "infinite width")
    error = ranked.std(axis=0, ddof=1) / np.sqrt(len(ranked))
    simulated(right, 0, 1 + classes, ranked.mean(axis=0), error, "finite networks")
    right.set(xticks=1 + classes, xlabel="rank of the class")
    for axes in (left, right):
        axes.axhline(1 / CLASSES, color=LIMIT, lw=1, ls="--", label="fair value")
        axes.set_ylim(0, 1.1 * max(data.networks[0].max(), data.theory.max()))
        legend_above(axes, "one network" if axes is left else "means over networks", 3)
    return figure
