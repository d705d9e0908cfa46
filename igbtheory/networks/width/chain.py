"""Many networks of finite width at once, without their weights.

Given the Gram matrix G = h h^T/N of the features h of the data, the units of a Dense are independent draws of
N(0, sigma_w2 G + sigma_b2): the weights need not be drawn. The rows of an array are the data of one network after
another, so that layers which act on every datum alone treat all networks at once. Nothing is approximated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.networks.width.mixing import own

Array = NDArray[Any]
Precision = Literal["float32", "float64"]
"""Precision of units. Moments have double precision, and are formed from differences where data are nearly equal."""
PASSES = 4
"""Number of passes over the units of all pairs of data in the time in which as many random numbers are drawn."""
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
    precision: Precision

    listed = True
    weighs = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        h = self.weighted(x.reshape(-1, self.rows, x.shape[1]))
        # weights cost a random number for each unit that is read, a root one for each datum, and passes over the units
        few = self.rows**2 <= PASSES * x.shape[1]
        left = triangular_roots(h).astype(self.precision) if few else h.astype(self.precision)
        normal: Array = rng.standard_normal((len(h), left.shape[2], self.units), dtype=self.precision)
        return np.asarray((left @ normal).reshape(len(x), self.units))

    def read_out(self, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
        return before, self.sigma_w2, self.sigma_b2

    def weighted(self, h: Array) -> Array:
        """Return features whose products are the covariances of a unit: the bias is one more of them.

        h: shape (networks, rows, units).
        """
        features = np.empty((*h.shape[:2], h.shape[2] + 1), dtype=h.dtype)
        np.multiply(h, h.dtype.type(np.sqrt(self.sigma_w2 / h.shape[2])), out=features[..., :-1])
        features[..., -1] = np.sqrt(self.sigma_b2)
        return features


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

    largest: the number of entries that the largest layer of a network has. numbers: that of all of its units, weights
    that are drawn, and pairs of data.
    """

    hidden: tuple[Layer, ...]
    output: Layer
    data: Callable[[Generator, int], Array]
    rows: int
    precision: Precision
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
            if layer.listed:
                yield self._read(*layer.read_out(before, x))
        yield self._read(*self.output.read_out(x, x))

    def blocks(self, networks: int, seeds: np.random.SeedSequence) -> Iterator[tuple[np.random.SeedSequence, int]]:
        """Yield seeds and numbers of networks that are drawn at once, whose sum is `networks`."""
        at_once = max(1, ENTRIES // self.largest)
        sizes = [min(at_once, networks - start) for start in range(0, networks, at_once)]
        yield from zip(seeds.spawn(len(sizes)), sizes, strict=True)

    def _read(self, x: Array, sigma_w2: Any, sigma_b2: Any) -> tuple[Array, FreshDense]:
        """Return units by network, and a Dense with these variances that reads them."""
        return x.reshape(-1, self.rows, x.shape[1]), FreshDense(sigma_w2, sigma_b2, self.rows, 1, self.precision)


def chain(
    layers: Sequence[Layer],
    units: Sequence[int],
    data: Callable[[Generator, int], Array],
    rows: int,
    batch: int,
    precision: Precision,
) -> Chain:
    """Return the networks with `rows` data, in batches of `batch` where a BatchNorm has the full batch.

    units: the number of features of the data, and the units that each layer with weights makes, the output last.
    data: returns the data of a number of networks, one network after the other.
    """
    made = iter(units[1:])
    hidden = tuple(_of_many(layer, rows, made, precision, batch) for layer in layers[:-1])
    # weights are drawn where a layer has few units for so many data
    few = rows**2 <= PASSES * min(units[:-1])
    weights = [0] if few else [before * behind for before, behind in pairwise(units)]
    largest = max(rows * max(units), *weights)
    numbers = rows * sum(units) + sum(weights) + rows**2 * len(units)
    return Chain(hidden, layers[-1], data, rows, precision, largest, numbers)


def _of_many(layer: Layer, rows: int, made: Iterator[int], precision: Precision, batch: int) -> Layer:
    """Return the layer with every Dense drawn for many networks; other layers act on every datum, or batch, alone."""
    if isinstance(layer, Dense):
        return FreshDense(layer.sigma_w2, layer.sigma_b2, rows, next(made), precision)
    if own(layer):
        return EachNetwork(layer, rows, next(made) if layer.weighs else 1)
    inside = partial(_of_many, rows=rows, made=made, precision=precision, batch=batch)
    return layer.in_batches(batch).mapped(lambda layers: tuple(map(inside, layers)))


def triangular_roots(h: Array) -> Array:
    """Return lower triangular L with L L^T = h h^T for every network, shape (networks, rows, rows); h is overwritten.

    Data are made orthogonal one after the other, instead of a Cholesky root of h h^T: so small angles between data keep
    their digits, of whatever lengths the data are. Data that depend on those before them, or are 0, do no harm.
    """
    networks, rows, _ = h.shape
    roots = np.zeros((networks, rows, rows), dtype=np.float64)
    for i in range(rows):
        one, others = h[:, i], h[:, i + 1 :]
        square = np.einsum("mu,mu->m", one, one)[:, None]
        along = np.einsum("mau,mu->ma", others, one)
        along = np.divide(along, square, out=np.zeros_like(along), where=square > 0)
        others -= along[:, :, None] * one[:, None]
        roots[:, i, i] = np.sqrt(square[:, 0])
        roots[:, i + 1 :, i] = along * np.sqrt(square)
    return roots
