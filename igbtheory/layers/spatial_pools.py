"""Pools over positions of images, and the layers that turn images into vectors: GlobalAvgPool and Flatten."""

from abc import ABC
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, ClassVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Places, Point, Window, every
from igbtheory.layers.spatial import Ending, OfData, Windowed, lengths


@dataclass(frozen=True, repr=False)
class Pool2d(Windowed, ABC):
    """A layer that pools windows of k x k positions, channel by channel; see `AvgPool2d` for the parameters."""

    k: int
    stride: int | None = None
    padding: int = 0

    each_unit = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.counted("k", self.k, 1))
        if self.stride is not None:
            object.__setattr__(self, "stride", checks.counted("stride", self.stride, 1))
        object.__setattr__(self, "padding", checks.counted("padding", self.padding, 0, self.k // 2))

    @cached_property
    def window(self) -> Window:
        pad = (self.padding, self.padding)
        return Window(self.k, self.stride or self.k, pad, apart=True, circular=not self.padding)

    def positions(self, shape: Point) -> Point:
        positions = super().positions(shape)
        if self.stride is None:
            refuse_rest(self, shape, self.k)
        return positions


@final
@dataclass(frozen=True, repr=False)
class AvgPool2d(Pool2d):
    """Average over windows of k x k positions, channel by channel: q_ab is the mean over pairs of positions.

    Padding consists of zeros, which count in the average.
    stride: distance between neighbouring windows; None: k, which must divide the sides. padding: number of positions
    by which windows reach beyond each edge, as in PyTorch.

    k: side of a window, in positions.

    >>> net = igb.Network(igb.Conv2d(3), igb.Activation("relu"), igb.AvgPool2d(2), igb.Flatten(), igb.Dense())
    >>> images = igb.gaussian_images(10, channels=3, height=6, width=6)
    >>> print(f"{net.predict(images).gamma:.3f}")
    2.185
    """

    apart: ClassVar[bool] = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        total = sum(self.window.reads(np.moveaxis(x, 1, -1)))
        return np.moveaxis(np.asarray(total) / x.dtype.type(self.k**2), -1, 1)


@final
@dataclass(frozen=True, repr=False)
class MaxPool2d(Pool2d):
    """Maximum over windows of k x k positions, channel by channel. Its kernel is estimated from draws.

    stride: distance between neighbouring windows; None: k, which must divide the sides. padding: number of positions
    by which windows reach beyond each edge, as in PyTorch.

    k: side of a window, in positions.

    >>> igb.Network(igb.Conv2d(3), igb.Activation("relu"), igb.MaxPool2d(2), igb.Flatten(), igb.Dense())
    Network(Conv2d(3, sigma_w2=2.0), Activation('relu'), MaxPool2d(2), Flatten(), Dense(2.0))
    """

    kernel = OfData.kernel  # a maximum is no mean over the windows
    whole = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        largest = reduce(np.maximum, self.window.reads(np.moveaxis(x, 1, -1), -np.inf))
        return np.moveaxis(np.asarray(largest), -1, 1)


@final
@dataclass(frozen=True, repr=False)
class GlobalAvgPool(Ending):
    """Average over all positions, channel by channel: q_ab is the mean over all pairs of positions.

    >>> net = igb.Network(igb.Conv2d(3), igb.Activation("relu"), igb.GlobalAvgPool(), igb.Dense())
    """

    apart: ClassVar[bool] = True

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        return every(shape)

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return values.mean(axis=(0, 1), keepdims=True)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return np.asarray(x.mean(axis=tuple(range(2, x.ndim))))


@final
@dataclass(frozen=True, repr=False)
class Flatten(Ending):
    """The channels at all positions as the units of one vector: q_ab is the mean over pairs of equal positions.

    >>> net = igb.Network(igb.Conv2d(3), igb.Activation("relu"), igb.Flatten(), igb.Dense())
    """

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return values[:1].mean(axis=1, keepdims=True)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return x.reshape(len(x), -1)


def refuse_rest(layer: Layer, shape: Point, k: int) -> None:
    """Refuse images whose sides are not multiples of k."""
    if any(length % k for length in shape):
        raise ValueError(
            f"expected images whose height and width {layer!r} divides, got {lengths(shape)} positions; crop them to "
            f"{lengths(max(k, length // k * k) for length in shape)}, or take another k"
        )
