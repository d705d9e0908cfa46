"""Layers with few weights, which do not average out however wide the network is: drawn once in a world.

Given these weights all else averages out in infinite width. A prediction is a mean over worlds.
"""

from abc import ABC
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from igbtheory.layers.layer import Layer


@dataclass(frozen=True, repr=False)
class Few(Layer, ABC):
    """A layer whose few weights are drawn by a seed: None in a finite network, which draws them with the others."""

    seed: int | None = field(default=None, kw_only=True, repr=False)

    @property
    def few(self) -> bool:
        """Whether the layer has few weights with its parameters."""
        return True

    def settled(self, rng: Generator) -> Layer:
        return replace(self, seed=int(rng.integers(2**63)))

    @property
    def rng(self) -> Generator:
        """Generator of the few weights of a world."""
        return np.random.default_rng(self.seed)


def is_few(layers: Iterable[Layer]) -> bool:
    """Whether some of the layers, or of those inside them, have few weights."""
    return any((isinstance(layer, Few) and layer.few) or is_few(layer.inner) for layer in layers)


def settled(layers: Iterable[Layer], rng: Generator) -> tuple[Layer, ...]:
    """Return the layers of one world: those with few weights get a seed of their own."""
    return tuple(layer.settled(rng) for layer in layers)
