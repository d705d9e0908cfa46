"""Layers with so few weights that they do not average out in infinite width.

Given these weights, everything else averages out. One draw of them is a world, and a prediction is a mean over worlds.
"""

from abc import ABC
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from igbtheory.layers.chain import each, mapped
from igbtheory.layers.layer import Layer


@dataclass(frozen=True, repr=False)
class Few(Layer, ABC):
    """A layer whose few weights are drawn from a seed; it is None in a finite network, which draws all weights."""

    seed: int | None = field(default=None, kw_only=True, repr=False)

    @property
    def few(self) -> bool:
        """Whether the weights do not average out, as they do where their number grows with the width."""
        return True

    @property
    def worlds(self) -> int | None:
        """The number of different draws of the few weights; None if there are as many as are wanted."""
        return None

    @property
    def rng(self) -> Generator:
        """The generator of the few weights of a world."""
        return np.random.default_rng(self.seed)


def is_few(layer: Layer) -> bool:
    """Return whether a layer, or one inside it, has weights that do not average out in infinite width."""
    return (isinstance(layer, Few) and layer.few) or any(map(is_few, layer.inner))


@singledispatch
def settled(layer: Layer, rng: Generator) -> Layer:
    """Return a layer with its few weights drawn; most layers have none."""
    return mapped(layer, lambda layers: tuple(settled(layer, rng) for layer in layers))


F = TypeVar("F", bound=Few)


def seeded(layer: F, rng: Generator) -> F:
    """Return a layer with a seed of its few weights."""
    return replace(layer, seed=int(rng.integers(2**63)))


settled.register(Few, seeded)


def draws_of_few(layers: Iterable[Layer], most: int) -> int:
    """Return the number of different draws of the few weights of any layer, at most so many."""
    return min((layer.worlds for layer in each(layers) if isinstance(layer, Few) and layer.worlds), default=most)
