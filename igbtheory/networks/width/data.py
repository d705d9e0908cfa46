"""The data of the networks of a chain, one network after the other."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.nodes.places import Point
from igbtheory.networks.width.chain import Array


@final
@dataclass(frozen=True)
class GaussianData:
    """New Gaussian data for every network: `rows` data with `features` components."""

    inputs: GaussianInputs
    rows: int
    features: int

    shape = ()

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x rows, features)."""
        x = rng.standard_normal((networks * self.rows, self.features), dtype=np.float32)
        return np.asarray(self.inputs.shift + np.sqrt(self.inputs.variance) * x)


@final
@dataclass(frozen=True)
class RandomPairs:
    """Pairs of different data of a data set for every network, drawn at random."""

    data: Array
    pairs: int

    @property
    def shape(self) -> Point:
        return self.data.shape[2:]

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the first data of all pairs of a network, then the second, (networks x data, units, *positions)."""
        size, drawn = len(self.data), (networks, self.pairs)
        first = rng.integers(size, size=drawn)
        second = (first + rng.integers(1, size, size=drawn)) % size
        return np.asarray(self.data[np.concatenate([first, second], axis=1).ravel()])


@final
@dataclass(frozen=True)
class WholeData:
    """The whole data set for every network."""

    data: Array

    @property
    def shape(self) -> Point:
        return self.data.shape[2:]

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x data, units, *positions)."""
        return np.tile(self.data, (networks, *[1] * (self.data.ndim - 1)))
