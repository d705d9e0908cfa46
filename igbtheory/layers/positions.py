"""Layers that move units between positions: one vector at all positions, and positions gathered in another order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.nodes.data import at_data
from igbtheory.layers.nodes.mixture import mixture
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import Point, of_shape
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.layers.spatial import OfData, lengths
from igbtheory.mathematics.averages.each import Each

NOWHERE = -1
"""Number of a position of zeros."""


@final
@dataclass(frozen=True, repr=False)
class Spread(OfData):
    """A vector at all positions of an image or a sequence: q_ab of a pair of data at all pairs of positions.

    shape: (height, width) or (tokens,). The layer reads vectors, or images or sequences with a single position.

    >>> igb.Spread((8, 8))
    Spread((8, 8))
    """

    shape: Point

    each_unit = True
    whole = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _checked_shape(self.shape))

    def positions(self, shape: Point) -> Point:
        if prod(shape) != 1:
            raise ValueError(
                f"expected vectors in front of {self!r}, got {lengths(shape)} positions; put GlobalAvgPool() in front "
                "of it"
            )
        return self.shape

    def kernel(self, node: KernelNode) -> KernelNode:
        return moved(self, node, [0] * prod(self.positions(node.shape)), self.shape)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        return np.repeat(x.reshape(*x.shape[:2], 1), prod(self.shape), axis=2).reshape(*x.shape[:2], *self.shape)


@final
@dataclass(frozen=True, repr=False)
class Gathered(OfData):
    """Images or sequences whose position p has the units of the positions index[p] in front, side by side.

    index: for each position behind, the numbers of k positions in front, in rows from the top; -1 is a position of
    zeros. shape: (height, width), (tokens,) or () of a vector. With k = 1 it selects, repeats, moves or pads positions;
    with k > 1 it merges them: q_ab(p, p') is the mean of q_ab(index[p][j], index[p'][j]) over j.
    Source of merged patches: Liu et al. 2021, Swin transformer.

    >>> igb.Gathered(index=((0,),), shape=())    # the first of several positions, as a vector
    Gathered(((0,),), shape=())
    """

    index: tuple[tuple[int, ...], ...]
    shape: Point

    each_unit = True
    whole = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _checked_shape(self.shape))
        index = tuple(tuple(checks.whole("index", one, NOWHERE) for one in row) for row in self.index)
        if len({len(row) for row in index}) != 1 or not index[0]:
            raise ValueError(
                "expected as many positions in front for each position behind a Gathered, at least one, got "
                f"{sorted({len(row) for row in index})} of them; -1 is a position of zeros"
            )
        if len(index) != prod(self.shape):
            raise ValueError(
                f"expected an index of the {prod(self.shape)} positions of the shape {self.shape}, got {len(index)}; "
                "change the shape of Gathered"
            )
        object.__setattr__(self, "index", index)

    @property
    def selects(self) -> bool:
        """Whether behind the layer stand positions of those in front of it, with the same units."""
        return len(self.index[0]) == 1 and min(self.index) > (NOWHERE,)

    def positions(self, shape: Point) -> Point:
        last = max(map(max, self.index))
        if last >= prod(shape):
            raise ValueError(
                f"expected an index of positions from 0 to {prod(shape) - 1} in front of a Gathered, got {last}; the "
                f"data there have {lengths(shape) or 'no'} positions"
            )
        return self.shape

    def kernel(self, node: KernelNode) -> KernelNode:
        self.positions(node.shape)
        share = 1 / node.n.number(len(self.index[0]))
        return mixture([(share, self._of_one(node, column)) for column in zip(*self.index, strict=True)])

    def _of_one(self, node: KernelNode, column: tuple[int, ...]) -> KernelNode:
        """Return the node of the units that come from one position in front of each position behind."""
        alone = Gathered(tuple((one,) for one in column), self.shape)
        return moved(alone, node, column, self.shape)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        self.positions(x.shape[2:])
        flat = x.reshape(*x.shape[:2], -1)
        with_zeros = np.concatenate([flat, np.zeros_like(flat[:, :, :1])], axis=2)
        read = np.moveaxis(with_zeros[:, :, np.array(self.index)], -1, 1)
        return read.reshape(len(x), -1, *self.shape)


def moved(layer: Ruled, node: KernelNode, read: Sequence[int], shape: Point) -> KernelNode:
    """Return the node behind a layer that reads one position in front for each position behind, or NOWHERE for zeros.

    read: the numbers of these positions; shape: of the positions behind.
    """
    x, before, numbers = node.averaged(), prod(node.shape), np.asarray(read)
    data = len(x.q_ab) // before
    rows = (before * np.arange(data)[:, None] + numbers).ravel()
    silent = np.tile(numbers == NOWHERE, data)

    def of_pairs(values: Any) -> Any:
        behind = values[np.ix_(rows, rows)]
        behind[silent], behind[:, silent] = 0, 0
        return behind

    at_one = x.mean
    if not x.centred:
        centre = np.where(silent, 0, at_data(x)[rows])
        at_one = Each(centre[:, None], centre[None, :])
    moments = x.linear(of_pairs, x.square, mean=at_one)
    q = np.diagonal(moments.q_ab)
    values = replace(moments, q_a=q[:, None], q_b=q[None, :], same=np.eye(len(q), dtype=bool))
    return replace(node.remade(layer, values), places=of_shape(shape))


def _checked_shape(shape: Any) -> Point:
    """Return a shape as whole numbers. ValueError: it is no shape of an image, a sequence or a vector."""
    sides = tuple(checks.whole("shape", length, 1) for length in np.ravel(shape).tolist())
    if len(sides) > 2:
        raise ValueError(f"expected a shape (height, width), (tokens,) or (), got {shape}; give two sides at most")
    return sides
