"""Layers that models of PyTorch have and users of the theory do not write."""

from abc import ABC
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, final

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import nn

from igbtheory.foundations.device import alone
from igbtheory.layers.dropout import Noisy
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.data import at_data, pairs_of
from igbtheory.layers.nodes.node import KernelNode, Node
from igbtheory.layers.nodes.places import Point, of_shape
from igbtheory.layers.nodes.scaling import normalised
from igbtheory.layers.nodes.sums import add
from igbtheory.layers.spatial import OfData
from igbtheory.layers.token_mixing import moments_of_sums
from igbtheory.mathematics.averages.state import kernel_root

SELU_LIMIT = -1.7580993408473766
"""SELU at minus infinity."""


@final
@dataclass(frozen=True, repr=False)
class Arranged(Layer):
    """The numbers of given data in another order, such as features as images, of this shape, units first.

    places: for each number, its place in a datum in front, units first; -1 stands for a zero.
    """

    places: tuple[int, ...]
    shape: Point

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        flat = np.concatenate([x.reshape(len(x), -1), np.zeros((len(x), 1), x.dtype)], axis=1)
        return flat[:, list(self.places)].reshape(len(x), *self.shape)

    def positions(self, shape: Point) -> Point:
        return self.shape[1:]

    def __repr__(self) -> str:
        return f"Arranged({self.shape})"


@final
@dataclass(frozen=True)
class Part(Layer):
    """One in `of` of the units, which have the same law as all of them."""

    of: int

    @property
    def pooled(self) -> int:
        return self.of

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x[:, :: self.of]  # of units of several kinds side by side, these are the same share


@final
@dataclass(frozen=True)
class Zero(Layer):
    """A factor that is 0 when the model is new, as of the last norm of a branch.

    units, shape: of the model in front of it, and their positions.
    """

    units: int = field(repr=False)
    shape: Point = field(repr=False)

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node.times_number(0.0)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return 0 * x


@final
@dataclass(frozen=True)
class InstanceNorm(OfData):
    """Every unit of a datum centred and scaled over its positions: (x - <x>)/sqrt(<(x - <x>)^2> + eps).

    Its kernel is estimated from draws.
    """

    eps: float

    whole = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        flat = x.reshape(*x.shape[:2], -1)
        return normalised(flat, self.eps, axis=2).reshape(x.shape)


@final
@dataclass(frozen=True)
class DropUnits(Noisy, OfData):
    """Every unit of a datum times m/(1 - p) at all its positions, m = 0 with probability p, else 1."""

    p: float

    whole = True

    def kernel(self, node: KernelNode) -> KernelNode:
        if not node.passage.trains:
            return node
        x, count = node.averaged(), prod(node.shape)
        same = np.kron(np.eye(len(x.q_ab) // count), np.ones((count, count)))
        q_ab = np.asarray(x.q_ab, dtype=float) * (1 + same * self.p / (1 - self.p))
        return node.with_moments(self, pairs_of(node.n, x, q_ab, at_data(x), x.error))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        kept = rng.random(x.shape[:2]) >= self.p
        return np.asarray(x * (kept / (1 - self.p)).astype(x.dtype).reshape(*x.shape[:2], *[1] * (x.ndim - 2)))


@final
@dataclass(frozen=True)
class AlphaDropout(Noisy):
    """PyTorch's AlphaDropout: it sets each unit of each datum, with probability p, to SELU's limit at minus infinity.

    Then it scales and shifts all units so that those of mean 0 and variance 1 keep both. It is estimated from draws.
    """

    p: float

    each_unit = True

    def rule(self, node: Node[Any]) -> Node[Any]:
        return super().rule(node) if node.passage.trains else node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        kept = rng.random(x.shape) >= self.p
        scale = ((1 - self.p) * (1 + self.p * SELU_LIMIT**2)) ** -0.5
        return np.asarray(scale * (np.where(kept, x, SELU_LIMIT) - self.p * SELU_LIMIT), dtype=x.dtype)


@final
@dataclass(frozen=True)
class Scaled(Layer):
    """Every unit times its own number from N(mean, variance), plus one from N(0, shift), the same for all data.

    Such are norms whose weights and biases are drawn. It is estimated from draws.
    """

    variance: float
    shift: float = 0.0
    mean: float = 1.0

    each_unit = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        shape = x.shape[1], *[1] * (x.ndim - 2)
        scales, shifts = (
            (mean + variance**0.5 * rng.standard_normal(shape)).astype(x.dtype)
            for mean, variance in ((self.mean, self.variance), (0.0, self.shift))
        )
        return np.asarray(scales * x + shifts)


@final
@dataclass(frozen=True)
class SharedVector(Layer):
    """A random vector that is added to all data at all positions, entries N(0, variance): biases without weights."""

    variance: float

    each_unit = True

    def rule(self, node: Node[Any]) -> Node[Any]:
        return add(node, 1, node.weighted(0.0, self.variance), 1)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        vector = self.variance**0.5 * rng.standard_normal((x.shape[1], *[1] * (x.ndim - 2)))
        return np.asarray(x + vector.astype(x.dtype))


@final
@dataclass(frozen=True, repr=False)
class Marks(OfData):
    """Vectors that are added at the positions of all data, such as sines of the position.

    means: of each vector over its units; covariances: averages over the units of the products of each two vectors.
    Units that are drawn get Gaussian vectors with these averages.
    """

    means: tuple[float, ...]
    covariances: tuple[tuple[float, ...], ...]

    each_unit = True
    whole = True

    @classmethod
    def of(cls, means: torch.Tensor, products: torch.Tensor) -> "Marks":
        """Return the marks of vectors with these averages and averages of products."""
        return cls(tuple(means.tolist()), tuple(map(tuple, products.tolist())))

    def kernel(self, node: KernelNode) -> KernelNode:
        x, count = node.averaged(), len(self.means)
        data = len(x.q_ab) // count
        mean, marks = at_data(x), np.tile(self.means, data)
        q_ab = np.asarray(x.q_ab, dtype=float) + np.tile(self.covariances, (data, data))
        q_ab = q_ab + np.outer(mean, marks) + np.outer(marks, mean)
        return node.with_moments(self, pairs_of(node.n, x, q_ab, mean + marks, x.error))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        means = np.array(self.means)
        root = kernel_root(np.array(self.covariances) - np.outer(means, means))
        vectors = means[:, None] + root @ rng.standard_normal((root.shape[1], x.shape[1]))
        return np.asarray(x + vectors.T.reshape(x.shape[1:]).astype(x.dtype))

    def __repr__(self) -> str:
        return f"Marks({len(self.means)} positions)"


@dataclass(frozen=True, repr=False)
class TorchPool(OfData, ABC):
    """A pool over windows that the theory's own pools do not have; PyTorch computes its samples.

    name: the name of its class in torch.nn; settings: its arguments by name; shape: the positions behind it.
    """

    name: str
    settings: tuple[tuple[str, Any], ...]
    shape: Point

    each_unit = True
    whole = True

    @property
    def module(self) -> nn.Module:
        """The pool as a module of PyTorch."""
        made: nn.Module = getattr(nn, self.name)(**dict(self.settings))
        return made

    def positions(self, shape: Point) -> Point:
        return self.shape

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        with alone():  # a process that was forked waits forever for further threads of PyTorch
            units: NDArray[Any] = self.module(torch.from_numpy(np.ascontiguousarray(x))).numpy()
        return units

    def __repr__(self) -> str:
        return repr(self.module)


@final
@dataclass(frozen=True, repr=False)
class TorchMaxPool(TorchPool):
    """A maximum over windows, estimated from draws."""


@final
@dataclass(frozen=True, repr=False)
class TorchAvgPool(TorchPool):
    """An average over windows: a weighted sum over positions. The pool itself gives the weights from unit vectors."""

    def kernel(self, node: KernelNode) -> KernelNode:
        ones = np.eye(prod(node.shape)).reshape(-1, 1, *node.shape)
        weights = self.samples(ones, np.random.default_rng(), 1).reshape(len(ones), -1).T
        x, mean, q_ab = moments_of_sums(node, weights)
        behind = node.remade(self, pairs_of(node.n, x, q_ab, mean, x.error))
        return replace(behind, places=of_shape(self.shape))
