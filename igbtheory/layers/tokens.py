"""Layers of tokens: patches of images, embeddings of ids and positions, a class token, the first token, each token."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import data_of_one, products, reading, reads_ids
from igbtheory.layers.convolution import Conv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.data import at_data, pairs_of
from igbtheory.layers.nodes.node import KernelNode, Node
from igbtheory.layers.nodes.places import VECTORS, Places, Point, at_positions, images, of_shape
from igbtheory.layers.spatial import Ending, OfData, OfTokens, refuse_vectors
from igbtheory.layers.spatial_pools import refuse_rest

MOST_IDS = 2**24
"""Number of ids that single precision tells apart."""
LARGEST = 2**27
"""Largest number of entries of data whose units are ids: 1 GiB."""


@final
@dataclass(frozen=True, repr=False)
class Tokens(OfData):
    """The positions of images as tokens of sequences, in rows from the top.

    >>> net = igb.Network(igb.Conv2d(4, stride=4, padding=0), igb.Tokens(), igb.Flatten(), igb.Dense())
    """

    each_unit = True
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

    size: side of a patch. sigma_w2, sigma_b2: variances of the weights and biases.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.Activation("gelu"), igb.Flatten(), igb.Dense())
    >>> print(f"{net.predict(igb.gaussian_images(10, 3, 8, 8)).gamma:.3f}")
    0.376
    """

    size: int
    sigma_w2: Any = 1.0
    sigma_b2: Any = 0.0

    listed = True
    weighs = True
    whole = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.counted("size", self.size, 1, variance="sigma_w2"))
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

    def kernel(self, node: KernelNode) -> KernelNode:
        return node.through((self.convolution, Tokens()))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        dense, patches = reading(self, x)
        return dense.samples(patches, rng, width)


@products.register
def _(layer: PatchEmbedding, units: int) -> int:
    return products(layer.convolution, units)


@reading.register
def _(layer: PatchEmbedding, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
    patches = layer.convolution.window.patches(x)
    return Dense(layer.sigma_w2, layer.sigma_b2), patches.reshape(*patches.shape[:2], -1)


@final
@dataclass(frozen=True, repr=False)
class Embedding(OfTokens):
    """Tokens of ids, whole numbers of shape (n_samples, tokens): a random vector for each id, entries N(0, variance).

    q_ab(p, p') is the variance if the ids at p and p' are equal, else 0. padding: an id whose vector is 0, or None. The
    layer stands first, and the ids are the data: predict(ids).

    variance: the variance of each entry of a vector.

    >>> ids = np.array([[0, 1, 2], [0, 2, 1]])
    >>> net = igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense(2.0))
    >>> print(f"{net.predict(ids).gamma:.4f}")
    2.0000
    """

    variance: Any = 1.0
    padding: int | None = None

    listed = True
    weighs = True

    def __post_init__(self) -> None:
        checks.variance("variance", self.variance, "an Embedding")
        if self.padding is not None:
            object.__setattr__(self, "padding", checks.counted("padding", self.padding, 0))

    def rule(self, node: Node[Any]) -> Node[Any]:
        got = "units of other layers" if node.base.on_data else "Gaussian inputs"
        raise ValueError(
            f"expected the ids of tokens in front of {self!r}, got {got}; put it first, and pass ids as data: whole "
            "numbers of shape (n_samples, tokens)"
        )

    def positions(self, shape: Point) -> Point:
        return (self.in_front_of(shape),)

    def in_front_of(self, shape: Point) -> int:
        if len(shape) != 1:
            raise ValueError(
                f"expected the ids of tokens in front of {self!r}, whole numbers of shape (n_samples, tokens), got "
                f"{'images' if shape else 'vectors'}; put it first, and pass ids as data"
            )
        return shape[0]

    def one_hot(self, x: NDArray[Any]) -> tuple[Dense, NDArray[Any]]:
        """Return a Dense and, for each token, which of the ids of the data it has: 1 for one unit, 0 for the others."""
        self.in_front_of(x.shape[2:])
        self._refuse_others(x)
        ids, numbers = np.unique(x[:, 0], return_inverse=True)
        if x.size * len(ids) > LARGEST:
            raise ValueError(
                f"expected at most {LARGEST} entries of all tokens and all different ids, got {x.size} tokens and "
                f"{len(ids)} ids; predict on fewer data, or on fewer tokens"
            )
        units = np.zeros((x.size, len(ids)), dtype=x.dtype)
        units[np.arange(x.size), numbers.ravel()] = 1
        if self.padding is not None:
            units[:, ids == self.padding] = 0
        return Dense(self.variance * len(ids)), images(units, x.shape[2:])

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        dense, units = self.one_hot(x)
        return dense.samples(units, rng, width)

    def _refuse_others(self, x: NDArray[Any]) -> None:
        """Refuse data that are no ids."""
        wrong = x[(x < 0) | (x >= MOST_IDS) | (x != np.round(x))]
        if x.shape[1] > 1 or wrong.size:
            got = f"{x.shape[1]} features for each token" if x.shape[1] > 1 else f"{wrong[0]:g}"
            raise ValueError(
                f"expected the ids of tokens in front of {self!r}, whole numbers from 0 to {MOST_IDS - 1} of shape "
                f"(n_samples, tokens), got {got}; pass ids, or leave the layer out and pass the vectors of the tokens"
            )


@reads_ids.register
def _(layer: Embedding) -> bool:
    return True


@reading.register
def _(layer: Embedding, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
    return layer.one_hot(x)


@final
@dataclass(frozen=True, repr=False)
class PositionEmbedding(OfData):
    """Random vectors, one for each position, added to all data: entries N(0, variance), q_ab(p, p) + variance.

    variance: the variance of each entry of a vector.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.PositionEmbedding(0.5), igb.Flatten(), igb.Dense())
    """

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
    """A random token in front of the others, the same for all data, entries N(0, variance). `FirstToken` reads it.

    variance: of an entry.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.ClassToken(), igb.Attention(), igb.FirstToken(), igb.Dense())
    """

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
    """The first token alone, as a vector: the ClassToken if there is one.

    >>> net = igb.Network(igb.PatchEmbedding(4), igb.ClassToken(), igb.Attention(), igb.FirstToken(), igb.Dense())
    """

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return values[:1, :1]

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return np.ascontiguousarray(x.reshape(*x.shape[:2], -1)[:, :, 0])


@final
@dataclass(frozen=True, repr=False)
class EachToken(OfTokens):
    """Every token as a datum of its own, in the order of the data: a language model predicts behind each of them.

    >>> net = igb.Network(igb.Embedding(), igb.Dense(1.0), igb.EachToken(), igb.Dense(1.0))
    """

    each_unit = True

    def positions(self, shape: Point) -> Point:
        self.in_front_of(shape)
        return ()

    def kernel(self, node: KernelNode) -> KernelNode:
        self.in_front_of(node.shape)
        return replace(node, places=None)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.in_front_of(x.shape[2:])
        return at_positions(x)


@data_of_one.register
def _(layer: EachToken, shape: Point) -> int:
    return layer.in_front_of(shape)
