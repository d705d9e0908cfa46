"""Layers of tokens: patches of images, position embeddings, a class token in front, and the first token alone."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.convolution import Conv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.data import at_data, pairs_of
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import VECTORS, Places, Point, of_shape
from igbtheory.layers.spatial import Ending, OfData, OfTokens, refuse_vectors
from igbtheory.layers.spatial_pools import refuse_rest


@final
@dataclass(frozen=True, repr=False)
class Tokens(OfData):
    """The positions of images as tokens of sequences, in rows from the top."""

    each_unit = True
    keeps_averages = True
    whole = True

    def positions(self, shape: Point) -> Point:
        if len(shape) != 2:
            refuse_vectors(self, shape)
        return (prod(shape),)

    def kernel(self, node: KernelNode) -> KernelNode:
        return replace(node, places=of_shape(self.positions(node.shape)))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return x.reshape(*x.shape[:2], -1)


@final
@dataclass(frozen=True, repr=False)
class PatchEmbedding(OfData):
    """Tokens of images: a Dense of each patch of size x size positions, in rows from the top.

    It is Conv2d(size, stride=size, padding=0) and Tokens() in one. Behind it, q_ab of two patches is sigma_w2 times the
    mean of q_ab over their equal positions, plus sigma_b2.
    """

    size: int
    sigma_w2: Any = 1.0
    sigma_b2: Any = 0.0

    listed = True
    weighs = True
    whole = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.whole("size", self.size, 1))
        for name in ("sigma_w2", "sigma_b2"):
            checks.variance(name, getattr(self, name), "a PatchEmbedding")

    @property
    def convolution(self) -> Conv2d:
        """The convolution that makes images of the tokens."""
        return Conv2d(self.size, self.size, 0, self.sigma_w2, self.sigma_b2)

    def positions(self, shape: Point) -> Point:
        if len(shape) == 2:
            refuse_rest(self, shape, self.size)
        return Tokens().positions(self.convolution.positions(shape))

    def products(self, units: int) -> int:
        return self.convolution.products(units)

    def reading(self, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
        patches = self.convolution.window.patches(x)
        return Dense(self.sigma_w2, self.sigma_b2), patches.reshape(*patches.shape[:2], -1)

    def kernel(self, node: KernelNode) -> KernelNode:
        return node.through((self.convolution, Tokens()))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        dense, patches = self.reading(x)
        return dense.samples(patches, rng, width)


@final
@dataclass(frozen=True, repr=False)
class PositionEmbedding(OfData):
    """Random vectors, one for each position, added to all data: entries N(0, variance), q_ab(p, p) + variance."""

    variance: Any = 1.0

    each_unit = True

    def __post_init__(self) -> None:
        checks.variance("variance", self.variance, "a PositionEmbedding")

    def positions(self, shape: Point) -> Point:
        if not shape:
            raise ValueError(f"expected images or sequences in front of {self!r}, got vectors; remove it")
        return shape

    def kernel(self, node: KernelNode) -> KernelNode:
        places = node.places or VECTORS
        self.positions(places.shape)
        x, more = node.averaged(), node.n.number(self.variance)
        q_ab = x.q_ab + more * places.equal_positions(x.q_ab)
        values = replace(x, q_a=x.q_a + more, q_b=x.q_b + more, q_ab=q_ab)
        return node.remade(self, values)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        added = rng.standard_normal(x.shape[1:]) * np.sqrt(float(self.variance))
        return np.asarray(x + added.astype(x.dtype))


@final
@dataclass(frozen=True, repr=False)
class ClassToken(OfTokens):
    """A random token in front of the others, the same for all data, entries N(0, variance). `FirstToken` reads it."""

    variance: Any = 1.0

    each_unit = True

    def __post_init__(self) -> None:
        checks.variance("variance", self.variance, "a ClassToken")

    def positions(self, shape: Point) -> Point:
        return (1 + self.in_front_of(shape),)

    def kernel(self, node: KernelNode) -> KernelNode:
        before = self.in_front_of(node.shape)
        x = node.averaged()
        data = len(x.q_ab) // before
        q_ab = np.zeros((data, 1 + before, data, 1 + before))
        q_ab[:, 1:, :, 1:] = np.asarray(x.q_ab).reshape(data, before, data, before)
        q_ab[:, 0, :, 0] = self.variance
        mean = np.zeros((data, 1 + before))
        mean[:, 1:] = at_data(x).reshape(data, before)
        values = pairs_of(node.n, x, q_ab.reshape(mean.size, -1), mean.ravel(), x.error)
        return replace(node.remade(self, values), places=of_shape((1 + before,)))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.in_front_of(x.shape[2:])
        token = rng.standard_normal((1, x.shape[1], 1)) * np.sqrt(float(self.variance))
        return np.concatenate([np.repeat(token.astype(x.dtype), len(x), axis=0), x], axis=2)


@final
@dataclass(frozen=True, repr=False)
class FirstToken(Ending):
    """The first token alone, as a vector: the ClassToken if there is one."""

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return values[:1, :1]

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return np.ascontiguousarray(x.reshape(*x.shape[:2], -1)[:, :, 0])
