"""The data of the networks of a chain, one network after the other."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.nodes.places import Point
from igbtheory.networks.width.chain import Array, Precision


@final
@dataclass(frozen=True)
class GaussianData:
    """New Gaussian data for every network: `rows` data with `features` components, in a precision."""

    inputs: GaussianInputs
    rows: int
    features: int
    precision: Precision

    shape = ()

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x rows, features)."""
        x = rng.standard_normal((networks * self.rows, self.features), dtype=np.float32)
        x = x.astype(self.precision, copy=False)
        x *= x.dtype.type(np.sqrt(self.inputs.variance))
        x += x.dtype.type(self.inputs.shift)
        return x


@final
@dataclass(frozen=True)
class RandomPairs:
    """A pair of different data of a data set for every network, drawn at random."""

    data: Array

    @property
    def rows(self) -> int:
        return 2

    @property
    def shape(self) -> Point:
        return self.data.shape[2:]

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the two data of every network, (networks x 2, units, *positions)."""
        size = len(self.data)
        first = rng.integers(size, size=networks)
        second = (first + rng.integers(1, size, size=networks)) % size
        return np.asarray(self.data[np.stack([first, second], axis=1).ravel()])


@final
@dataclass(frozen=True)
class RandomData:
    """So many data of a data set for every network, drawn at random; all of them keep their order."""

    data: Array
    rows: int

    @property
    def shape(self) -> Point:
        return self.data.shape[2:]

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data, shape (networks x rows, units, *positions)."""
        orders = np.tile(np.arange(len(self.data)), (networks, 1))
        if self.rows < len(self.data):
            orders = rng.permuted(orders, axis=1)[:, : self.rows]
        return np.asarray(self.data[orders.ravel()])
