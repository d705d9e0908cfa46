"""Layers with few weights, which do not average out however wide the network is: drawn once in a world.

Given these weights all else averages out in infinite width. A prediction is a mean over worlds.
"""

from abc import ABC
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
        return True

    def settled(self, rng: Generator) -> Layer:
        return replace(self, seed=int(rng.integers(2**63)))

    @property
    def rng(self) -> Generator:
        """Generator of the few weights of a world."""
        return np.random.default_rng(self.seed)
