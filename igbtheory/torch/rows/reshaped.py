"""Layers that models of PyTorch have and users of the theory do not write."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers import KernelNode, Layer
from igbtheory.layers.data import either_way, pairs_of
from igbtheory.layers.places import Point, Window, of_shape
from igbtheory.layers.spatial import OfData
from igbtheory.layers.token_mixing import moments_of_sums

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Unflatten(Layer):
    """The features of given data as images or sequences of that shape, units first."""

    shape: Point

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x.reshape(len(x), *self.shape)

    def positions(self, shape: Point) -> Point:
        return self.shape[1:]


@final
@dataclass(frozen=True)
class Exchanged(Layer):
    """Given data of that shape, (channels, length), whose axes the theory takes for tokens and features."""

    shape: Point

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x.swapaxes(1, 2)

    def positions(self, shape: Point) -> Point:
        return self.shape[1:]


@final
@dataclass(frozen=True)
class Halves(Layer):
    """The first half of the units; the second one has the same law and is independent of it: see `Second`."""

    pooled = 2

    def kernel(self, node: KernelNode) -> KernelNode:
        return node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x[:, : x.shape[1] // 2]


@final
@dataclass(frozen=True)
class Second(Layer):
    """The second one of two halves of the units, which tells it from the first."""

    def kernel(self, node: KernelNode) -> KernelNode:
        return node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x


class Means(OfData, ABC):
    """Means over windows of positions, the same for all channels: a product of means along the axes."""

    shape: Point

    whole = True

    @abstractmethod
    def windows(self, length: int, count: int) -> Array:
        """Return the weights of the positions in the windows along an axis, (count, length)."""

    def along(self, shape: Point) -> Iterator[Array]:
        """Yield the weights along each axis."""
        return map(self.windows, shape, self.shape)

    def positions(self, shape: Point) -> Point:
        return self.shape

    def kernel(self, node: KernelNode) -> KernelNode:
        x, mean, q_ab = moments_of_sums(node, reduce(_product, self.along(node.shape)))
        found = node.remade(self, pairs_of(node.n, x, q_ab, x.error), either_way(node.n, mean))
        return replace(found, places=of_shape(self.shape))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        for axis, weights in enumerate(self.along(x.shape[2:]), 2):
            x = np.moveaxis(np.tensordot(x, weights.astype(x.dtype), (axis, 1)), -1, axis)
        return x


@final
@dataclass(frozen=True, repr=False)
class AdaptiveAvgPool(Means):
    """Average pooling that leaves `shape` positions, whatever their number before: PyTorch's rule for windows.

    The windows along a side differ in length by one position at most, and may overlap: window i of n along a side of
    that length reads from floor(i length/n) to ceil((i + 1) length/n).
    """

    shape: Point

    def windows(self, length: int, count: int) -> Array:
        places, numbers = np.arange(length), np.arange(count)[:, None]
        read = (places >= numbers * length // count) & (places < -(-(numbers + 1) * length // count))
        return np.asarray(read / read.sum(axis=1, keepdims=True))


@final
@dataclass(frozen=True, repr=False)
class WindowMean(Means):
    """Average pooling over windows of k positions along each axis, of which `shape` windows may reach beyond the edges.

    inside: whether a mean is over the positions of the data alone, and not over the padding too.
    """

    k: int
    stride: int
    padding: int
    shape: Point
    inside: bool

    def windows(self, length: int, count: int) -> Array:
        places, starts = np.arange(length), self.stride * np.arange(count)[:, None] - self.padding
        read = (places >= starts) & (places < starts + self.k)
        if self.inside:
            return np.asarray(read / read.sum(axis=1, keepdims=True))
        # PyTorch counts the padding, but not what a window of ceil_mode reads behind it
        return np.asarray(read / (np.minimum(starts + self.k, length + self.padding) - starts))


@final
@dataclass(frozen=True, repr=False)
class WindowMax(OfData):
    """Maximum over windows of k positions along each axis, of which `shape` windows may reach beyond the edges.

    dilation: positions from one point of a window to the next. It is estimated from draws.
    """

    k: int
    stride: int
    padding: int
    shape: Point
    dilation: int

    def positions(self, shape: Point) -> Point:
        return self.shape

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        pad = self.padding, self.padding + self.stride - 1
        window = Window(self.k, self.stride, pad, len(self.shape), dilation=self.dilation)
        part = (slice(None), *map(slice, self.shape))
        reads = (read[part] for read in window.reads(np.moveaxis(x, 1, -1), -np.inf))
        return np.moveaxis(reduce(np.maximum, reads), -1, 1)


def _product(a: Array, b: Array) -> Array:
    """Return the weights of windows of two axes from those along each."""
    return np.asarray(np.kron(a, b), dtype=float)
