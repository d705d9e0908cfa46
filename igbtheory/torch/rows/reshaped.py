"""Layers that models of PyTorch have and users of the theory do not write."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers import KernelNode, Layer
from igbtheory.layers.data import at_data, either_way, pairs_of
from igbtheory.layers.places import Point, Window, of_shape
from igbtheory.layers.spatial import OfData
from igbtheory.layers.token_mixing import mixed

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


@dataclass(frozen=True, repr=False)
class Means(OfData, ABC):
    """Means over windows of positions, the same for all channels: a product of means along the axes."""

    whole = True

    @abstractmethod
    def along(self, shape: Point) -> list[Array]:
        """Return the weights of the positions in the windows along each axis, (windows, positions)."""

    def positions(self, shape: Point) -> Point:
        return tuple(map(len, self.along(shape)))

    def kernel(self, node: KernelNode) -> KernelNode:
        shape = node.places.shape if node.places else ()
        x = node.averaged()
        weights: Array = np.ones((1, 1))
        for windows in self.along(shape):
            weights = np.asarray(np.kron(weights, windows), dtype=float)
        mean = mixed(weights, at_data(node.means()[0], len(x.q_ab))[:, None])[:, 0]
        values = pairs_of(node.n, x, mixed(weights, mixed(weights, np.asarray(x.q_ab, dtype=float)).T), x.error)
        found = node.remade(self, values, either_way(node.n, mean) if mean.any() else (0, 0))
        return replace(found, places=of_shape(self.positions(shape)))

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

    def along(self, shape: Point) -> list[Array]:
        found = []
        for length, count in zip(shape, self.shape, strict=True):
            places, windows = np.arange(length), np.arange(count)[:, None]
            inside = (places >= windows * length // count) & (places < -(-(windows + 1) * length // count))
            found.append(inside / inside.sum(axis=1, keepdims=True))
        return found


@final
@dataclass(frozen=True, repr=False)
class WindowMean(Means):
    """Average pooling over windows of k positions along each axis, of which `shape` windows may reach beyond the edges.

    inside: whether the positions of the padding do not count.
    """

    k: int
    stride: int
    padding: int
    shape: Point
    inside: bool

    def along(self, shape: Point) -> list[Array]:
        found = []
        for length, count in zip(shape, self.shape, strict=True):
            places, starts = np.arange(length), self.stride * np.arange(count)[:, None] - self.padding
            read = (places >= starts) & (places < starts + self.k)
            counted = read.sum(axis=1, keepdims=True)
            if not self.inside:  # what lies beyond the padding never counts
                counted = np.minimum(starts + self.k, length + self.padding) - starts
            found.append(read / counted)
        return found


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
