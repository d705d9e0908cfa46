"""Layers that models of PyTorch have and users of the theory do not write."""

from abc import ABC
from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import nn

from igbtheory.foundations.device import alone
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.data import pairs_of
from igbtheory.layers.nodes.node import KernelNode, Node
from igbtheory.layers.nodes.places import Point, of_shape
from igbtheory.layers.spatial import OfData
from igbtheory.layers.token_mixing import moments_of_sums


@final
@dataclass(frozen=True)
class Unflatten(Layer):
    """The features of given data as images or sequences of this shape, units first."""

    shape: Point

    keeps_averages = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x.reshape(len(x), *self.shape)

    def positions(self, shape: Point) -> Point:
        return self.shape[1:]


@final
@dataclass(frozen=True)
class Exchanged(Layer):
    """Given data of the shape (channels, length) with their axes exchanged: the theory expects tokens first."""

    shape: Point

    keeps_averages = True

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x.swapaxes(1, 2)

    def positions(self, shape: Point) -> Point:
        return self.shape[1:]


@final
@dataclass(frozen=True)
class Halves(Layer):
    """The first half of the units. The second half, see `Second`, has the same law and is independent of the first."""

    keeps_averages = True
    pooled = 2

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x[:, : x.shape[1] // 2]


@final
@dataclass(frozen=True)
class Second(Layer):
    """The identity, which marks the second half of the units: it follows `Halves`."""

    keeps_averages = True

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x


@final
@dataclass(frozen=True)
class Zero(Layer):
    """A factor that is 0 when the model is new, as of the last norm of a branch: a branch that has one adds nothing."""

    keeps_averages = True

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node.times_number(0.0)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return 0 * x


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
