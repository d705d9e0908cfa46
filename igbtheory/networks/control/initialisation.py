"""One finite network whose output weights are drawn so that G0 lies in a window.

Let H be the activations of the last hidden layer at the data, scaled to include the bias and the variances of the
output layer. Then output 0 less output 1 is sqrt(2) H z, with z ~ N(0, 1) for every weight. Split z = r + t v along the
direction v of the mean of H over the data. t ~ N(0, 1) is independent of the rest r, and it shifts the outputs of all
data whose activations agree with the mean to the same side. The values of t for which G0 lies in the window are a union
of intervals, whose probability is P(H, r), and t is drawn from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.chain import drawn, weighing
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.networks.control.window import region
from igbtheory.networks.network import Network

Array = NDArray[np.float64]
Weights = tuple[tuple[Array, Array], ...]
"""Matrix and biases of every Dense, input side first. A Dense computes x @ matrix + biases."""


@final
@dataclass(frozen=True)
class Initialisation:
    """One network: G0, log_weight = log P with P the probability of the window given all but t, and its weights."""

    G0: float
    log_weight: float
    weights: Weights


def initialisation(
    network: Network, data: Array, width: int, counts: tuple[int, int], seed: tuple[int, int]
) -> Initialisation:
    """Return one network. If no t brings G0 into the window, log_weight is -inf and there are no weights.

    counts: the smallest and the largest number of data in class 0. seed: the seed of the draw, and the number of the
    try.
    """
    rng = Recorder(np.random.SeedSequence(seed[0], spawn_key=(seed[1],)))
    hidden, output = network.layers[:-1], network.output
    x = drawn(hidden, data, rng, width)
    before = rng.weights(hidden)
    scale = np.sqrt(np.append(np.full(x.shape[1], output.sigma_w2 / x.shape[1]), output.sigma_b2))
    centre = _unit(scale * np.append(x.mean(axis=0), 1.0))
    total, rest = rng.standard_normal((2, len(scale)))
    rest -= (rest @ centre) * centre
    a, s = (x @ part[:-1] + part[-1] for part in (scale * rest, scale * centre))
    size = np.sqrt(x**2 @ scale[:-1] ** 2 + scale[-1] ** 2)
    reached = region(a, s, size, *counts)
    log_weight = reached.log_probability()
    if log_weight == -np.inf:
        return Initialisation(np.nan, log_weight, ())
    difference = rest + reached.draw(rng) * centre
    rows = scale * np.stack([total + difference, total - difference]) / np.sqrt(2)
    outputs = x @ rows[:, :-1].T + rows[:, -1]
    share = float((outputs[:, 0] > outputs[:, 1]).mean())
    if not counts[0] <= round(share * len(data)) <= counts[1]:  # the interval is as narrow as rounding errors
        return Initialisation(np.nan, -np.inf, ())
    return Initialisation(share, log_weight, (*before, (rows[:, :-1].T, rows[:, -1])))


def _unit(direction: Array) -> Array:
    """Return the direction scaled to length 1, or any direction if it is 0, as after a norm over the data."""
    length = np.linalg.norm(direction)
    return direction / length if length else np.eye(1, len(direction))[0]


@final
class Recorder(np.random.Generator):
    """Generator that records the normal numbers it draws: for every Dense a matrix, whose last row are the biases."""

    def __init__(self, seeds: np.random.SeedSequence) -> None:
        super().__init__(np.random.PCG64(seeds))
        self.normals: list[Array] = []

    def standard_normal(self, *args: Any, **kwargs: Any) -> Any:
        drawn = super().standard_normal(*args, **kwargs)
        self.normals.append(drawn)
        return drawn

    def weights(self, layers: Sequence[Layer]) -> Weights:
        """Return the weights of all Dense layers among the `layers`, after these were drawn."""
        dense = [layer for layer in weighing(layers) if isinstance(layer, Dense)]
        return tuple(
            (np.sqrt(layer.sigma_w2 / (len(normal) - 1)) * normal[:-1], np.sqrt(layer.sigma_b2) * normal[-1])
            for layer, (normal,) in zip(dense, self.normals, strict=True)
        )
