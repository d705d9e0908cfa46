"""One finite network, the output weights conditioned on what the hidden layers make of the data.

Given the activations H behind the hidden layers, output 0 less output 1 at the data is sqrt(2) (H z), z ~ N(0, 1) per
weight, the variances and the bias taken into H. Split z = r + t v along the direction v of the mean of H over the data:
t ~ N(0, 1) is independent of the rest r, and moves all data whose activations agree with the mean to one side. The t
whose G0 lies in the window are a union of intervals of probability P(H, r); t is drawn from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.control.window import region
from igbtheory.layers import Dense, Layer
from igbtheory.layers.chain import drawn
from igbtheory.network import Network

Array = NDArray[np.float64]
Weights = tuple[tuple[Array, Array], ...]
"""Matrix and biases of every Dense, input side first: it makes x @ matrix + biases."""


@final
@dataclass(frozen=True)
class Initialisation:
    """One network of a draw: G0, log_weight = log P(G0 in the window, given all but t), and its weights."""

    G0: float
    log_weight: float
    weights: Weights


def initialisation(
    network: Network, data: Array, width: int, counts: tuple[int, int], seed: tuple[int, int]
) -> Initialisation:
    """Return one network, with a log_weight of -inf and no weights where no t reaches the window.

    counts: smallest and largest number of data in class 0; seed: that of the draw, and the number of the network.
    """
    rng = Recorder(np.random.SeedSequence(seed[0], spawn_key=(seed[1],)))
    x = drawn(network.layers[:-1], data, rng, width)
    before = rng.weights(network.layers[:-1])
    output = network.layers[-1]
    assert isinstance(output, Dense)  # noqa: S101 - a Network ends with one
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
    if not counts[0] <= round(share * len(data)) <= counts[1]:  # an interval of rounding's width
        return Initialisation(np.nan, -np.inf, ())
    return Initialisation(share, log_weight, (*before, (rows[:, :-1].T, rows[:, -1])))


def _unit(direction: Array) -> Array:
    """Return the direction of length 1; any will do where there is none, as behind a norm over the data."""
    length = np.linalg.norm(direction)
    return direction / length if length else np.eye(1, len(direction))[0]


@final
class Recorder(np.random.Generator):
    """Generator that keeps the normal numbers it draws: of every Dense a matrix, then a vector."""

    def __init__(self, seeds: np.random.SeedSequence) -> None:
        super().__init__(np.random.PCG64(seeds))
        self.normals: list[Array] = []

    def standard_normal(self, *args: Any, **kwargs: Any) -> Any:
        drawn = super().standard_normal(*args, **kwargs)
        self.normals.append(drawn)
        return drawn

    def weights(self, layers: Sequence[Layer]) -> Weights:
        """Return the weights of the Dense among the `layers` that were drawn."""
        pairs = zip(_dense(layers), self.normals[::2], self.normals[1::2], strict=True)
        return tuple(
            (np.sqrt(dense.sigma_w2 / len(matrix)) * matrix, np.sqrt(dense.sigma_b2) * biases)
            for dense, matrix, biases in pairs
        )


def _dense(layers: Sequence[Layer]) -> Iterator[Dense]:
    """Return every Dense, in the order in which they draw."""
    for layer in layers:
        if isinstance(layer, Dense):
            yield layer
        yield from _dense(layer.inner)
