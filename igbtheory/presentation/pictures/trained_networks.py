"""Finite networks in training, for figures: one hidden layer of ReLU, with a norm or without, and plain descent.

The parametrisation is that of `igb.training.kernels`, so that infinitely wide networks take the same steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.networks.training import Training

Array = NDArray[Any]

AXES = {"layer": -1, "batch": 1}
"""The axis of units (networks, data, units) over which a norm averages."""
SIGMA_W2 = 2.0


@final
@dataclass(frozen=True)
class Hidden:
    """The hidden layer: a norm, "layer", "batch" or None, before or after ReLU."""

    norm: str | None = None
    after: bool = False

    def forward(self, z: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return the units behind the layer, and the function that takes gradients by them to those by z."""
        if self.norm is None:
            return np.maximum(z, 0), lambda g: g * (z > 0)
        axis = AXES[self.norm]
        if self.after:
            h, back = _normalised(np.maximum(z, 0), axis)
            return h, lambda g: back(g) * (z > 0)
        x, back = _normalised(z, axis)
        return np.maximum(x, 0), lambda g: back(g * (x > 0))


def _normalised(x: Array, axis: int) -> tuple[Array, Callable[[Array], Array]]:
    centred = x - x.mean(axis=axis, keepdims=True)
    root = np.sqrt(np.square(centred).mean(axis=axis, keepdims=True))
    y = centred / root

    def back(g: Array) -> Array:
        along = (g * y).mean(axis=axis, keepdims=True)
        return np.asarray((g - g.mean(axis=axis, keepdims=True) - along * y) / root)

    return y, back


def trained_outputs(
    x: Array, hidden: Hidden, gradient: Callable[[Array], Array], steps: Sequence[int], step: float, drawn: Any
) -> Array:
    """Return outputs (steps, data, networks, outputs) after these numbers of steps of descent on a loss.

    gradient: the derivative of the loss, summed over the data, by outputs (data, networks, outputs). drawn: numbers of
    networks, of hidden units and of outputs, and a seed.
    """
    networks, width, outputs, seed = drawn
    rng, a, b = np.random.default_rng(seed), np.sqrt(SIGMA_W2 / x.shape[1]), np.sqrt(SIGMA_W2 / width)
    first = rng.standard_normal((networks, x.shape[1], width))
    last = rng.standard_normal((networks, width, outputs))
    kept = []
    for k in range(steps[-1] + 1):
        h, back = hidden.forward(a * (x @ first))
        f = b * (h @ last)
        if k in steps:
            kept.append(f.swapaxes(0, 1))
        g = gradient(f.swapaxes(0, 1)).swapaxes(0, 1)
        by_first = a * (x.T @ back(b * (g @ last.swapaxes(1, 2))))
        last = last - step * b * (h.swapaxes(1, 2) @ g)
        first = first - step * by_first
    return np.array(kept)


@final
@dataclass(frozen=True)
class Accuracies:
    """Over time, (networks, times): accuracy on all data, on the class that is favoured at the start, on the other one.

    largest: the share of all data that the favoured class gets at the start, (networks,).
    """

    accuracy: Array
    favoured: Array
    others: Array
    largest: Array

    @staticmethod
    def of_training(run: Training) -> "Accuracies":
        """Return the accuracies of infinitely wide networks, for two classes."""
        return _accuracies(run.accuracy.draws, run.recall.draws, run.guesses.draws[:, 0])

    @staticmethod
    def of_outputs(outputs: Array, labels: NDArray[np.int64]) -> "Accuracies":
        """Return the accuracies of finite networks with outputs (times, data, networks, 2)."""
        guessed = outputs.argmax(axis=3)
        right = guessed == labels[:, None]
        recall = np.stack([right[:, labels == c].mean(axis=1).T for c in (0, 1)], axis=2)
        share = (guessed[0] == 0).mean(axis=0)
        return _accuracies(right.mean(axis=1).T, recall, np.stack([share, 1 - share], axis=1))


def _accuracies(accuracy: Array, recall: Array, shares: Array) -> Accuracies:
    first = shares[:, 0] >= shares[:, 1]
    favoured = np.where(first[:, None], recall[..., 0], recall[..., 1])
    return Accuracies(accuracy, favoured, recall.sum(axis=2) - favoured, shares.max(axis=1))
