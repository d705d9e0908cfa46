"""Pools over positions of images, and the ends of their positions: GlobalAvgPool and Flatten."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.layers.layer import Layer
from igbtheory.layers.places import Places, Point, Window, every
from igbtheory.layers.spatial import Ending, Windowed, refuse_vectors


@final
@dataclass(frozen=True)
class AvgPool2d(Windowed):
    """Average over windows of k x k positions next to one another, channel by channel: a mean over their pairs."""

    k: int
    apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.whole("k", self.k, 1))

    @property
    def window(self) -> Window:
        return Window(self.k, tuple(np.ndindex(self.k, self.k)), apart=True)

    def positions(self, shape: Point) -> Point:
        return pooled(self, shape, self.k)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        return np.asarray(windows(self, x, self.k).mean(axis=(3, 5)))

    def latex(self) -> str:
        return rf"\mathrm{{avg}}_{{{self.k} \times {self.k}}} x"

    def __repr__(self) -> str:
        return f"AvgPool2d({self.k})"


@final
@dataclass(frozen=True)
class MaxPool2d(Layer):
    """Maximum over windows of k x k positions next to one another, channel by channel: estimated from draws."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.whole("k", self.k, 1))

    def positions(self, shape: Point) -> Point:
        return pooled(self, shape, self.k)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        return np.asarray(windows(self, x, self.k).max(axis=(3, 5)))

    def latex(self) -> str:
        return rf"\max_{{{self.k} \times {self.k}}} x"

    def __repr__(self) -> str:
        return f"MaxPool2d({self.k})"


@final
@dataclass(frozen=True)
class GlobalAvgPool(Ending):
    """Average over all positions, channel by channel: q_ab is the mean over all pairs of positions."""

    apart: ClassVar[bool] = True

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        del offsets
        return every(shape)

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        del before, after
        return values.mean(axis=(0, 1), keepdims=True)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        self.positions(x.shape[2:])
        return np.asarray(x.mean(axis=tuple(range(2, x.ndim))))

    def __repr__(self) -> str:
        return "GlobalAvgPool()"


@final
@dataclass(frozen=True)
class Flatten(Ending):
    """All channels at all positions as the units of a vector: q_ab is the mean over equal positions."""

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        del before, after
        return values[:1].mean(axis=1, keepdims=True)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        self.positions(x.shape[2:])
        return x.reshape(len(x), -1)

    def __repr__(self) -> str:
        return "Flatten()"


def pooled(layer: Layer, shape: Point, k: int) -> Point:
    """Return the positions behind pools of k x k, refused where k does not divide those in front."""
    if len(shape) != 2:
        refuse_vectors(layer, shape)
    if any(length % k for length in shape):
        raise ValueError(
            f"expected images whose height and width {layer!r} divides, got {shape[0]} x {shape[1]} positions; crop "
            f"them to {' x '.join(str(max(k, length // k * k)) for length in shape)}, or take another k"
        )
    return shape[0] // k, shape[1] // k


def windows(layer: Layer, x: NDArray[Any], k: int) -> NDArray[Any]:
    """Return images in windows, (n_samples, channels, height/k, k, width/k, k)."""
    height, width = pooled(layer, x.shape[2:], k)
    return x.reshape(*x.shape[:2], height, k, width, k)
