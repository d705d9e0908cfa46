"""The kernel of a given data set behind layers in a row, in blocks of pairs of data."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from math import isqrt
from operator import itemgetter
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers import KernelNode, Layer, Pairs
from igbtheory.layers.base import Averaged
from igbtheory.layers.batches import batch_of
from igbtheory.layers.blocks import Block, block, listed
from igbtheory.layers.chain import behind_undrawn, needed
from igbtheory.layers.data import Components
from igbtheory.layers.gaussian import UnitsNeededError
from igbtheory.layers.places import Places, at_positions, of_shape
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.theory.refusals import is_whole, refuse_dark, refuse_many, refuse_scale, refuse_silent

BLOCK = 2**20
"""Entries of the kernel of a data set held at once."""
NEAR, ALIKE = 4000, 16
"""Distances of q_ab from q, in units of its rounding: up to which data are compared, and of two that are not equal."""
THREADS = 2
"""Blocks of images at once: more would need more memory."""


@final
@dataclass(frozen=True)
class Found:
    """What one world, or a network without few weights, has: means of q_ab and q after every Dense, and their error.

    arcsines: mean of asin(c_ab)/(2 pi) over all pairs of the outputs; outputs: number of data behind the layers.
    """

    q_ab: NDArray[Any]
    q: NDArray[Any]
    error: NDArray[np.float64]
    arcsines: float
    outputs: int
    rank: float
    estimated: tuple[Layer, ...]
    kernel: Callable[[], NDArray[np.float64]]


def found_on(layers: Sequence[Layer], n: Kind, given: Any, world: int = 0) -> Found:
    """Return what the layers find on the data, in blocks of their kernel; images whole where units must be drawn."""
    chain, data = behind_undrawn(layers, given)
    if n is FLOAT64:
        refuse_scale(data)
    data = n.number(data)
    places = needed(chain, data.shape[2:])
    refuse_many(chain, len(data), places)
    if places is not None and not places.whole:
        try:  # one datum tells whether units must be drawn, for which all pairs are needed
            _pairs(chain, n, data[:1], slice(0, 1), slice(0, 1), places, world)
        except UnitsNeededError:
            places = of_shape(data.shape[2:])
            refuse_many(chain, len(data), places)
    return _in_blocks(chain, n, data, places, world)


def _in_blocks(chain: Sequence[Layer], n: Kind, data: Any, places: Places | None, world: int) -> Found:
    """Return what the layers find on data that draw what enters the first layer, in blocks of their kernel."""
    parts = _parts(chain, len(data), places)
    sums, arcsines, rank = np.zeros(()), 0.0, np.inf
    for (rows, columns), found in zip(parts, _each(chain, n, data, parts, places, world), strict=True):
        node, pairs = found
        start = rows.start - columns.start
        sums = sums + np.array([_sums(part, start) for part in pairs]).T
        arcsines += _arcsines(pairs[-1], start)
        rank = min(rank, *(part.rank for part in pairs))
    q_ab, q, error, count = sums
    outputs = int(count[-1])  # a layer may have changed the number of data
    kernel = OutputKernel(tuple(chain), data.astype(float), places is not None and places.whole, world)
    means = q_ab / count**2, q / count, error.astype(float) / len(parts)
    return Found(*means, arcsines / outputs**2, outputs, rank, node.estimated, kernel)


@final
@dataclass(frozen=True)
class OutputKernel:
    """Covariance of an output at all data, which only draws need as a whole."""

    layers: tuple[Layer, ...]
    data: NDArray[np.float64]
    drawn: bool = False
    world: int = 0

    def __call__(self) -> NDArray[np.float64]:
        """Return the kernel, shape (n_samples, n_samples), in double precision."""
        count, shape = len(self.data), self.data.shape[2:]
        places = of_shape(shape) if self.drawn else needed(self.layers, shape)
        if places is None or places.whole:
            every = slice(0, count)
            _, pairs = _pairs(self.layers, FLOAT64, self.data, every, every, places, self.world)
            return np.asarray(pairs[-1].q_ab)
        parts = _parts(self.layers, count, places)
        blocks = _each(self.layers, FLOAT64, self.data, parts, places, self.world)
        kernel: Any = None
        for (rows, columns), (_, pairs) in zip(parts, blocks, strict=True):
            q_ab = pairs[-1].q_ab
            kernel = np.empty((count, count), dtype=q_ab.dtype) if kernel is None else kernel
            kernel[rows, columns], kernel[columns, rows] = q_ab, q_ab.T
        return np.asarray(kernel)


def _parts(layers: Sequence[Layer], count: int, places: Places | None) -> list[tuple[slice, slice]]:
    """Return rows and columns of the blocks: of images squares on and above the diagonal, of vectors whole rows."""
    if places is None or places.whole:
        rows = count if is_whole(layers, places) else max(1, BLOCK // count)
        return [(slice(start, start + rows), slice(0, count)) for start in range(0, count, rows)]
    side = max(1, isqrt(BLOCK // places.size))
    parts = [slice(start, min(start + side, count)) for start in range(0, count, side)]
    return [(rows, columns) for rows, columns in product(parts, parts) if rows.start <= columns.start]


def _each(
    layers: Sequence[Layer], n: Kind, data: Any, parts: list[tuple[slice, slice]], places: Places | None, world: int
) -> Iterator[tuple[KernelNode, list[Pairs]]]:
    """Yield what `_pairs` returns for the blocks; those of images are computed side by side."""
    if places is None or len(parts) == 1:
        yield from (_pairs(layers, n, data, rows, columns, places, world) for rows, columns in parts)
        return

    def quiet(part: tuple[slice, slice]) -> tuple[KernelNode, list[Pairs]]:
        with np.errstate(all="ignore"):  # every thread has a state of its own
            return _pairs(layers, n, data, *part, places, world)

    with ThreadPoolExecutor(THREADS) as pool:
        yield from pool.map(quiet, parts)


def _pairs(
    layers: Sequence[Layer], n: Kind, data: Any, rows: slice, columns: slice, places: Places | None, world: int
) -> tuple[KernelNode, list[Pairs]]:
    """Node of the outputs, the kernels that it shows and those of the stream, for the pairs in `rows` and `columns`."""
    if places is None:
        now = Block(_of_vectors(n, data, rows))
    elif places.whole:
        now = Block(replace(_of_vectors(n, at_positions(data), slice(0, data.size)), places=places))
    else:
        now = block(n, at_positions(data).reshape(len(data), -1, data.shape[1]), places, rows, columns, tuple(layers))
    now = replace(now, node=replace(now.node, world=world))
    found: list[Pairs] = []
    batched = batch_of(layers) is not None
    for layer in layers:
        now = now.behind(layer)
        if layer.listed:
            found.append(listed(now.node))
            if len(found) == 1 and now.node.places is not None:
                refuse_dark(layer, now.node)
            if len(found) == 1 or batched:
                refuse_silent(found, rows.start)
    return now.node, [*(pairs for _, pairs in sorted(now.node.shown, key=itemgetter(0))), *found]


def _of_vectors(n: Kind, data: Any, rows: slice) -> KernelNode:
    """Node of the pairs of the data in `rows` with all data."""
    features = data.shape[1]
    q, mean = (data * data).sum(axis=1) / features, data.sum(axis=1) / features
    q_ab = data[rows] @ data.T / features
    own = np.arange(len(q_ab))
    q_ab[own, rows.start + own] = q[rows]  # exactly: the matrix product may differ in the last digit
    same = np.zeros(q_ab.shape, dtype=bool)
    same[own, rows.start + own] = True
    _tell_apart(n, data, q, q_ab, rows.start)
    pairs = Pairs(q[rows, None], q[None, :], q_ab, same, ALIKE * n.epsilon)
    return KernelNode(n, Averaged(pairs, (mean[rows, None], mean[None, :]), Components(data)))


def _tell_apart(n: Kind, data: Any, q: Any, q_ab: Any, start: int) -> None:
    """Write q_ab of nearly equal data anew, from their differences: it is q where they are equal, and nowhere else.

    Behind a jump of an activation the smallest difference counts, and its rounding becomes part of the error.
    """
    row, column = np.nonzero(abs(q_ab - q) <= NEAR * n.epsilon * q)
    other = start + row != column
    for part in np.array_split(np.flatnonzero(other), 1 + other.sum() * data.shape[1] // BLOCK):
        i, j = row[part], column[part]
        apart = ((data[start + i] - data[j]) ** 2).sum(axis=1) / data.shape[1]
        half = (q[start + i] + q[j]) / 2
        q_ab[i, j] = np.where(apart > 0, np.minimum(half - apart / 2, (1 - ALIKE * n.epsilon / 2) * half), half)


def _sums(pairs: Pairs, start: int) -> list[Any]:
    """Sums of q_ab and q_aa, the error, and the number of data a, of a block of pairs; beside the diagonal, twice."""
    if start < 0:
        return [2 * pairs.q_ab.sum(), 0, pairs.error, 0]
    return [pairs.q_ab.sum(), pairs.q_a.sum(), pairs.error, len(pairs.q_ab)]


def _arcsines(pairs: Pairs, start: int) -> float:
    """Sum of asin(c_ab)/(2 pi); a datum with itself counts 1/4 exactly, since asin at 1 makes much of a last digit."""
    c = (pairs.q_ab / (pairs.q_a * pairs.q_b) ** 0.5).astype(float)
    if start >= 0:
        own = np.arange(len(c))
        c[own, start + own] = 1
    return (1 if start >= 0 else 2) * float(np.arcsin(np.clip(c, -1, 1)).sum()) / (2 * np.pi)
