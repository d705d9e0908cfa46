"""Layers that models of PyTorch have and users of the theory do not write."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers import Layer
from igbtheory.layers.places import Point


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
@dataclass(frozen=True, repr=False)
class AdaptiveAvgPool2d(Layer):
    """Average pooling that makes images of `shape` positions, whatever their size before: PyTorch's rule for windows.

    The windows along a side differ in length by one position at most, and may overlap: window i of n along a side of
    that length reads from floor(i length/n) to ceil((i + 1) length/n).
    """

    shape: Point

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        down, across = (_means(*sides).astype(x.dtype) for sides in zip(x.shape[2:], self.shape, strict=True))
        return np.asarray(down @ x @ across.T)

    def positions(self, shape: Point) -> Point:
        return self.shape


def _means(length: int, count: int) -> NDArray[np.float64]:
    """Return the matrix (count, length) of means over windows."""
    places, windows = np.arange(length), np.arange(count)[:, None]
    inside = (places >= windows * length // count) & (places < -(-(windows + 1) * length // count))
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))
