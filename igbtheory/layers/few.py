"""Layers with so few weights that they do not average out in infinite width.

Given these weights, everything else averages out. One draw of them is a world, and a prediction is a mean over worlds.
"""

from abc import ABC
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from igbtheory.layers.layer import Layer


@dataclass(frozen=True, repr=False)
class Few(Layer, ABC):
    """A layer whose few weights are drawn from a seed; it is None in a finite network, which draws all weights."""

    seed: int | None = field(default=None, kw_only=True, repr=False)

    @property
    def few(self) -> bool:
        return True

    def settled(self, rng: Generator) -> Layer:
        return replace(self, seed=int(rng.integers(2**63)))

    @property
    def rng(self) -> Generator:
        """The generator of the few weights of a world."""
        return np.random.default_rng(self.seed)
