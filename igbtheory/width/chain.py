"""Many networks of finite width at once, without their weights.

Given the Gram matrix G = h h^T/N of the features h of the data, the units of a Dense are independent draws of
N(0, sigma_w2 G + sigma_b2): the weights need not be drawn. The rows of an array are the data of one network after
another, so that layers which act on every datum alone treat all networks at once. Nothing is approximated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.batch_sizes import in_batches
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.width.mixing import own

Array = NDArray[Any]
UNITS = np.float32
"""Precision of units. Moments have double precision, and are formed from differences where data are nearly equal."""
ROUNDED = 1e-15
"""Largest pivot of a Cholesky root, relative to its variance and for each datum, that is a rounding error of 0."""
ENTRIES = 2**17
"""Number of entries of the units of a layer that are drawn at once, so that they stay in the cache."""


@final
@dataclass(frozen=True, repr=False)
class FreshDense(Layer):
    """Dense that makes `units` units in many networks, whose weights are independent, each with `rows` data."""

    sigma_w2: Any
    sigma_b2: Any
    rows: int
    units: int

    listed = True
    weighs = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        h = x.reshape(-1, self.rows, x.shape[1])
        # the Gram matrix of more data than units has no Cholesky root
        drawn = self._from_root if self.rows <= x.shape[1] else self._from_weights
        return drawn(h, rng).reshape(len(x), self.units)

    def _from_root(self, h: Array, rng: Generator) -> Array:
        """Return units drawn from the Cholesky root of their covariance.

        It is that of the first datum and of the differences from it, to which biases add nothing and which keep their
        digits if all data are nearly equal.
        """
        apart = h.copy()
        apart[:, 1:] -= h[:, :1]
        covariance = (apart @ apart.swapaxes(1, 2)).astype(np.float64) * (self.sigma_w2 / h.shape[2])
        covariance[:, 0, 0] += self.sigma_b2
        z = cholesky(covariance).astype(UNITS) @ rng.standard_normal((len(h), self.rows, self.units), dtype=UNITS)
        z[:, 1:] += z[:, :1]
        return z

    def _from_weights(self, h: Array, rng: Generator) -> Array:
        """Return the features times drawn weights, plus drawn biases."""
        networks, _, units = h.shape
        scale_w, scale_b = np.sqrt([self.sigma_w2 / units, self.sigma_b2]).astype(UNITS)
        z = h.astype(UNITS) @ rng.standard_normal((networks, units, self.units), dtype=UNITS) * scale_w
        return np.asarray(z + scale_b * rng.standard_normal((networks, 1, self.units), dtype=UNITS))


@final
@dataclass(frozen=True, repr=False)
class EachNetwork(Layer):
    """A layer of the user's own, which may draw weights or mix data, applied to one network after the other."""

    layer: Layer
    rows: int
    units: int

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        networks = x.reshape(-1, self.rows, x.shape[1])
        return np.concatenate([self.layer.samples(network, rng, self.units) for network in networks])


@final
@dataclass(frozen=True)
class Chain:
    """Networks with `rows` data each. hidden: layers, each with its units. data: draws the data of many networks.

    largest: the number of entries that the largest layer of a network has. numbers: that of all of its units.
    """

    hidden: tuple[Layer, ...]
    output: FreshDense
    data: Callable[[Generator, int], Array]
    rows: int
    largest: int
    numbers: int

    def features(self, seed: np.random.SeedSequence, networks: int) -> Iterator[tuple[Array, FreshDense]]:
        """Yield what every Dense reads, shape (networks, rows, units), and the Dense, from the input to the output.

        Its kernel averages over the weights of the Dense. A residual block yields what is behind it, and an identity.
        """
        rng = np.random.default_rng(seed)
        x = self.data(rng, networks)
        for layer in self.hidden:
            before, x = x, layer.samples(x, rng, 1)
            if isinstance(layer, FreshDense):
                yield self._by_network(before), layer
            elif layer.listed:
                yield self._by_network(x), FreshDense(1.0, 0.0, self.rows, 1)
        yield self._by_network(x), self.output

    def blocks(self, networks: int, seeds: np.random.SeedSequence) -> Iterator[tuple[np.random.SeedSequence, int]]:
        """Yield seeds and numbers of networks that are drawn at once, whose sum is `networks`."""
        at_once = max(1, ENTRIES // self.largest)
        sizes = [min(at_once, networks - start) for start in range(0, networks, at_once)]
        yield from zip(seeds.spawn(len(sizes)), sizes, strict=True)

    def _by_network(self, x: Array) -> Array:
        return x.reshape(-1, self.rows, x.shape[1])


def chain(
    layers: Sequence[Layer], units: Sequence[int], data: Callable[[Generator, int], Array], rows: int, batch: int
) -> Chain:
    """Return the networks with `rows` data, in batches of `batch` where a BatchNorm has the full batch.

    units: the number of features of the data, and the units that each layer with weights makes, the output last.
    data: returns the data of a number of networks, one network after the other.
    """
    made = iter(units[1:])
    *hidden, output = (_of_many(layer, rows, made) for layer in in_batches(layers, batch))
    assert isinstance(output, FreshDense)  # noqa: S101 - Network refuses others
    # weights are drawn where a layer has fewer units than there are data
    weights = max(before * behind for before, behind in pairwise(units)) if rows > min(units[:-1]) else 0
    largest = max(rows * max(units), weights)
    return Chain(tuple(hidden), output, data, rows, largest, rows * sum(units))


def _of_many(layer: Layer, rows: int, made: Iterator[int]) -> Layer:
    """Return the layer with every Dense drawn for many networks; other layers act on every datum, or batch, alone."""
    if isinstance(layer, Dense):
        return FreshDense(layer.sigma_w2, layer.sigma_b2, rows, next(made))
    if own(layer):
        return EachNetwork(layer, rows, next(made) if layer.weighs else 1)
    return layer.mapped(lambda inner: tuple(_of_many(one, rows, made) for one in inner))


def cholesky(covariance: Array) -> Array:
    """Return lower triangular roots L with L L^T = covariance, shape (networks, rows, rows).

    A datum that depends on those before it, or is 0, gets a column of zeros, which LAPACK would refuse.
    """
    root = np.zeros_like(covariance)
    rows = covariance.shape[1]
    for i in range(rows):
        column = covariance[:, i:, i] - np.einsum("mij,mj->mi", root[:, i:, :i], root[:, i, :i])
        pivot = column[:, :1]
        independent = pivot > ROUNDED * rows * covariance[:, i, i, None]
        np.divide(column, np.sqrt(np.abs(pivot)), out=root[:, i:, i], where=independent)
    return root
