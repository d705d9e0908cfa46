"""Weights of one finite network as arrays."""

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers import Dense, Layer

Array = NDArray[np.float64]
Weights = tuple[tuple[Array, Array], ...]
"""Matrix and biases of every Dense, input side first: it makes x @ matrix + biases."""


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
