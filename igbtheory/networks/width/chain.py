"""Many networks of finite width at once, without their weights.

Given the Gram matrix G = h h^T/N of the features h of the data, the units of a Dense are independent draws of
N(0, sigma_w2 G + sigma_b2): the weights need not be drawn. The rows of an array are the data of one network after
another, so that layers which act on every datum alone treat all networks at once. Nothing is approximated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, Protocol, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations.progress import counted
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import data_of_one, mapped, shapes
from igbtheory.layers.dense import Dense, condenses, read_out, sums
from igbtheory.layers.layer import Layer, refuse_sweep
from igbtheory.layers.nodes.places import Point
from igbtheory.networks.width.mixing import is_of_user
from igbtheory.networks.width.widths import sizes

Array = NDArray[Any]
Precision = Literal["float32", "float64"]
"""Precision of units. Moments have double precision, and are formed from differences where data are nearly equal."""
ENTRIES = 2**17
"""Number of entries of the units of a layer that are drawn at once, so that they stay in the cache."""
PRODUCTS = 64
"""Number of products with weights in the time in which a random number is drawn."""


class Data(Protocol):
    """The data of the networks of a chain."""

    @property
    def rows(self) -> int:
        """The number of data of a network."""

    @property
    def shape(self) -> Point:
        """The shape of the positions: (height, width), (tokens,), or () of vectors."""

    def __call__(self, rng: Generator, networks: int) -> Array:
        """Return the data of so many networks, one after the other, shape (networks x rows, units, *positions)."""


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
        h = x.reshape(-1, self.rows, x.shape[1])
        few = condenses(h.shape[1:], self.units)
        z = sums(h, self.sigma_w2, self.sigma_b2, rng, self.units, np.dtype(self.precision), few=few)
        return z.reshape(len(x), self.units)


@final
@dataclass(frozen=True, repr=False)
class EachNetwork(Layer):
    """A layer that may draw weights or mix data, applied to one network after the other."""

    layer: Layer
    rows: int
    units: int

    @property
    def listed(self) -> bool:
        return self.layer.listed

    @property
    def weighs(self) -> bool:
        return self.layer.weighs

    @property
    def ways(self) -> tuple[tuple[Layer, ...], ...]:
        return ((self.layer,),)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        networks = x.reshape(-1, self.rows, *x.shape[1:])
        return np.concatenate([self.layer.samples(network, rng, self.units) for network in networks])


@read_out.register
def _(layer: FreshDense, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
    return before, layer.sigma_w2, layer.sigma_b2


@read_out.register
def _(layer: EachNetwork, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
    read: tuple[NDArray[Any], Any, Any] = read_out(layer.layer, before, behind)
    return read


@final
@dataclass(frozen=True)
class Chain:
    """Networks whose output reads `rows` data each. hidden: layers, each with its units. data: draws those of networks.

    largest: the number of entries that the largest layer of a network has. numbers: that of all of its units, and of
    weights that are drawn, or of pairs of data.
    """

    hidden: tuple[Layer, ...]
    output: Layer
    data: Data
    rows: int
    precision: Precision
    largest: int
    numbers: int

    def features(self, rng: Generator, networks: int) -> Iterator[tuple[Array, FreshDense]]:
        """Yield what every Dense reads, shape (networks, rows, units), and the Dense, from the input to the output.

        Its kernel averages over the weights of the Dense. A residual block yields what is behind it, and an identity.
        """
        before = x = np.empty(0)
        for layer, x in self._units(rng, networks):
            if layer is not None and layer.listed:
                yield self._read(networks, *read_out(layer, before, x))
            before = x
        yield self._read(networks, *read_out(self.output, x, x))

    def everywhere(self, rng: Generator, networks: int) -> Iterator[tuple[Array, FreshDense]]:
        """Yield the data and what is behind every hidden layer, with an identity, and what the output reads."""
        x = np.empty(0)
        for _, x in self._units(rng, networks):
            yield self._read(networks, x, 1.0, 0.0)
        yield self._read(networks, *read_out(self.output, x, x))

    def _units(self, rng: Generator, networks: int) -> Iterator[tuple[Layer | None, Array]]:
        """Yield the data, after None, and the units behind every hidden layer."""
        x = self.data(rng, networks)
        yield None, x
        for layer in self.hidden:
            x = layer.samples(x, rng, 1)
            yield layer, x

    def blocks(self, networks: int, seeds: np.random.SeedSequence) -> Iterator[tuple[np.random.SeedSequence, int]]:
        """Yield seeds and numbers of networks that are drawn at once, whose sum is `networks`."""
        at_once = max(1, ENTRIES // self.largest)
        sizes = [min(at_once, networks - start) for start in range(0, networks, at_once)]
        yield from counted(zip(seeds.spawn(len(sizes)), sizes, strict=True), len(sizes), "networks of the theory")

    def _read(self, networks: int, x: Array, sigma_w2: Any, sigma_b2: Any) -> tuple[Array, FreshDense]:
        """Return units by network, and a Dense with these variances that reads them.

        A unit at every position is one of the units.
        """
        by_network = x.reshape(networks, -1, prod(x.shape[1:]))
        return by_network, FreshDense(sigma_w2, sigma_b2, by_network.shape[1], 1, self.precision)


def chain(
    layers: Sequence[Layer],
    units: Sequence[int],
    data: Data,
    batch: int,
    precision: Precision,
) -> Chain:
    """Return the networks with these data, in batches of `batch` where a BatchNorm has the full batch.

    units: the number of features of the data, and the units that each layer with weights makes, the output last.
    """
    rows = data.rows
    many = _Many(rows, batch, precision, iter(units[1:]), positions=any(shapes(layers, data.shape)))
    hidden, shape = [], data.shape
    for layer in layers[:-1]:
        hidden.append(many.of(layer))
        many, shape = replace(many, rows=many.rows * data_of_one(layer, shape)), layer.positions(shape)
    of_layers, _ = sizes(layers, iter(units[1:]), units[0], data.shape)
    given = units[0] * prod(data.shape)
    largest = rows * max(given, *(size.entries for size in of_layers))
    numbers = rows * (given + sum(size.entries for size in of_layers))
    drawn = [size.drawn(rows) for size in of_layers]
    products = rows * sum(size.entries * size.products for size in of_layers if not size.condensed(rows))
    numbers += rows**2 + sum(drawn) + products // PRODUCTS
    largest = max(largest, *drawn)
    return Chain(tuple(hidden), layers[-1], data, many.rows, precision, largest, numbers)


@final
@dataclass(frozen=True)
class _Many:
    """What layers are in many networks with `rows` data. made: the units of the layers with weights, one by one.

    batch: the number of data in a full batch. positions: whether the data are, or become, images or sequences.
    """

    rows: int
    batch: int
    precision: Precision
    made: Iterator[int]
    positions: bool

    def of(self, layer: Layer) -> Layer:
        """Return the layer with weights that differ between networks; other layers act on every datum, or batch."""
        if isinstance(layer, Dense) and not self.positions:
            refuse_sweep(layer, layer.sigma_w2, layer.sigma_b2)
            return FreshDense(layer.sigma_w2, layer.sigma_b2, self.rows, next(self.made), self.precision)
        makes_units = layer.weighs and not layer.ways
        if is_of_user(layer) or makes_units or (self.positions and not layer.inner):
            return EachNetwork(layer, self.rows, next(self.made) if makes_units else 1)
        if isinstance(layer, BatchNorm):
            return layer.in_batches(self.batch)
        return mapped(layer, lambda layers: tuple(map(self.of, layers)))
