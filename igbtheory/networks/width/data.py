"""The data of the networks of a chain, one network after the other."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.width.chain import Array


@final
@dataclass(frozen=True)
class GaussianData:
    """New Gaussian data for every network: `rows` data with `features` components."""

    inputs: GaussianInputs
    rows: int
    features: int

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x rows, features)."""
        x = rng.standard_normal((networks * self.rows, self.features), dtype=np.float32)
        return np.asarray(self.inputs.shift + np.sqrt(self.inputs.variance) * x)


@final
@dataclass(frozen=True)
class RandomPairs:
    """Two different data of a data set for every network, drawn at random."""

    data: Array

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x 2, features)."""
        size = len(self.data)
        first = rng.integers(size, size=networks)
        second = (first + rng.integers(1, size, size=networks)) % size
        return self.data[np.stack([first, second], axis=1).ravel()]


@final
@dataclass(frozen=True)
class WholeData:
    """The whole data set for every network."""

    data: Array

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x data, features)."""
        return np.tile(self.data, (networks, 1))
