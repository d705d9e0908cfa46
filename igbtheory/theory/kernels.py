"""The kernel of a given data set behind layers in a row, computed in blocks of pairs of data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product, starmap
from math import isqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.progress import counted
from igbtheory.layers.blocks import Block, block, listed
from igbtheory.layers.chain import behind_undrawn, each, needed
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.data import Components
from igbtheory.layers.nodes.gaussian import UnitsNeededError
from igbtheory.layers.nodes.node import USUAL, KernelNode, Passage, Ruled
from igbtheory.layers.nodes.places import Places, at_positions, of_shape
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.theory.refusals import is_whole, refuse_many, refuse_scale, refuse_silent

BLOCK = 2**20
"""Number of entries of a kernel that are held at once."""
KEPT = 2048
"""Largest number of data whose kernel is kept with the means over it, for the law of the guesses: 32 MiB."""
NEAR, ALIKE = 4000, 16
"""Distances of q_ab from q, in rounding errors of q: up to NEAR data are compared, and from ALIKE on they differ."""
THREADS = 2
"""Number of blocks of images that are computed at the same time: more would need more memory."""

KERNEL = "kernel of the data"
"""What a progress bar calls this work."""

Watched = Mapping[int, bool]
"""Layers behind which kernels are wanted, by their places in `each`, counted from its end, and whether of the first
token alone. Layers may be replaced by others, or be left out in front, but keep these places."""


@final
@dataclass(frozen=True)
class KernelMeans:
    """Means over the data in one world, or in a network without few weights: of q_ab and q after every Dense.

    error: relative error of both. arcsines: mean of asin(c_ab)/(2 pi) over all pairs of data after every Dense;
    outputs: number of data behind the layers; rank: smallest effective rank of a batch.
    """

    q_ab: NDArray[Any]
    q: NDArray[Any]
    error: NDArray[np.float64]
    arcsines: NDArray[np.float64]
    outputs: int
    rank: float
    estimated: tuple[Layer, ...]
    kernel: Callable[[], NDArray[np.float64]]


def kernel_means(
    layers: Sequence[Layer], n: Kind, given: Any, world: int = 0, watched: Watched | None = None
) -> KernelMeans:
    """Return the means over the data, whose kernel is computed in blocks, or at once if units must be drawn."""
    chain, data = behind_undrawn(layers, given)
    if n is FLOAT64:
        refuse_scale(data)
    kernel = OutputKernel(chain, n.number(data), n, world, watched=watched)
    refuse_many(chain, len(data), kernel.places)
    if kernel.needs_units():
        kernel = replace(kernel, drawn=True)
        refuse_many(chain, len(data), kernel.places)
    return kernel.means()


@final
@dataclass(frozen=True)
class OutputKernel:
    """Kernel of the outputs on given data, computed in blocks of pairs of data.

    data: what enters the first of the layers, shape (n_samples, units, *positions), numbers of the kind n. drawn:
    whether units of images must be drawn, which takes all pairs of positions at once. watched: layers behind which
    kernels are wanted, too.
    """

    layers: tuple[Layer, ...]
    data: NDArray[Any]
    n: Kind = FLOAT64
    world: int = 0
    drawn: bool = False
    passage: Passage | None = None
    watched: Watched | None = None

    @cached_property
    def places(self) -> Places | None:
        """Pairs of positions of the data that the layers need, None for vectors."""
        shape = self.data.shape[2:]
        return of_shape(shape) if self.drawn else needed(self.layers, shape)

    def needs_units(self) -> bool:
        """Return whether units must be drawn, for which all pairs of positions are needed; one datum shows it."""
        if self.places is None or self.places.whole:
            return False
        try:
            replace(self, data=self.data[:1]).block(slice(0, 1), slice(0, 1))
        except UnitsNeededError:
            return True
        return False

    def __call__(self) -> NDArray[np.float64]:
        """Return the kernel, shape (n_samples, n_samples)."""
        return self.matrices("q_ab")[0]

    def matrices(self, *names: str) -> list[NDArray[np.float64]]:
        """Return symmetric matrices over the data, shape (n_samples, n_samples), that the output pairs call so."""
        blocks, matrices = self._parts(), [np.empty(0)] * len(names)
        for place, (_, pairs) in zip(blocks, self._blocks(blocks), strict=True):
            for i, name in enumerate(names):
                matrices[i] = self._placed(matrices[i], place, getattr(pairs[-1], name), whole=len(blocks) == 1)
        return matrices

    def _placed(self, matrix: Any, place: tuple[slice, slice], block: Any, *, whole: bool) -> NDArray[np.float64]:
        """Return a symmetric matrix, which is made for its first block, with a block and its transpose put into it."""
        if whole:  # a layer may have changed the number of data
            return np.asarray(block)
        if not matrix.size:
            matrix = np.empty((len(self.data), len(self.data)), dtype=block.dtype)
        matrix[place], matrix[place[::-1]] = block, block.T
        return np.asarray(matrix)

    def means(self) -> KernelMeans:
        """Return means over the kernels after every Dense."""
        blocks = self._parts()
        sums, rank, kept = np.zeros(()), np.inf, np.empty(0)
        for (rows, columns), of_block in zip(blocks, self._blocks(blocks), strict=True):
            node, pairs = of_block
            start = rows.start - columns.start
            sums = sums + np.array([_sums(part, start) for part in pairs]).T
            rank = min(rank, *(part.rank for part in pairs))
            if len(self.data) <= KEPT:
                q_ab = pairs[-1].q_ab.astype(float)
                kept = self._placed(kept, (rows, columns), q_ab, whole=len(blocks) == 1)
        q_ab, q, error, count, arcsines = sums
        outputs = int(count[-1])  # a layer may have changed the number of data
        means = q_ab / count**2, q / count, error.astype(float) / len(blocks), (arcsines / count**2).astype(float)
        kernel: Callable[[], NDArray[np.float64]] = replace(self, n=FLOAT64, data=self.data.astype(float))
        if kept.size:
            kernel = Kept(kept)
        return KernelMeans(*means, outputs, rank, node.estimated, kernel)

    def block(self, rows: slice, columns: slice) -> tuple[KernelNode, list[Pairs]]:
        """Return, for the data in these rows and columns, the node of the outputs, and the kernels after every Dense.

        The kernels behind watched layers come first, in the order in which they are asked for.
        """
        n, data, places = self.n, self.data, self.places
        if places is None:
            now = Block(_of_vectors(n, data, rows))
        elif places.whole:
            now = Block(replace(_of_vectors(n, at_positions(data), slice(0, data.size)), places=places))
        else:
            now = block(n, at_positions(data).reshape(len(data), -1, data.shape[1]), places, rows, columns, self.layers)
        watched = self.watched or {}
        behind: dict[int, Pairs] = {}
        layers = [*each(self.layers)]
        places_of = {id(layers[-1 - place]): place for place in watched}

        def sees(layer: Ruled, node: KernelNode) -> None:
            if (place := places_of.get(id(layer))) is not None:
                behind[place] = listed(node, first=watched[place])

        now = now.on(replace(self.passage or USUAL, world=self.world, sees=sees if watched else None))
        kernels: list[Pairs] = []
        for layer in counted(self.layers, len(self.layers), KERNEL):
            now = now.behind(layer)
            if layer.listed:
                kernels.append(listed(now.node))
        refuse_silent(kernels, rows.start)
        return now.node, [*(behind[place] for place in watched), *kernels]

    def _parts(self) -> list[tuple[slice, slice]]:
        """Return rows and columns of the blocks: of vectors all columns, of images squares, the lower half left out."""
        count, places = len(self.data), self.places
        if places is None or places.whole:
            rows = count if is_whole(self.layers, places) else max(1, BLOCK // count)
            return [(slice(start, start + rows), slice(0, count)) for start in range(0, count, rows)]
        side = max(1, isqrt(BLOCK // places.size))
        sides = [slice(start, min(start + side, count)) for start in range(0, count, side)]
        return [(rows, columns) for rows, columns in product(sides, sides) if rows.start <= columns.start]

    def _blocks(self, blocks: list[tuple[slice, slice]]) -> Iterator[tuple[KernelNode, list[Pairs]]]:
        """Yield the results of `block`, of images from several threads."""
        if self.places is None or len(blocks) == 1:
            yield from counted(starmap(self.block, blocks), len(blocks), KERNEL)
            return

        def quiet(part: tuple[slice, slice]) -> tuple[KernelNode, list[Pairs]]:
            with np.errstate(all="ignore"):  # every thread has a state of its own
                return self.block(*part)

        with ThreadPoolExecutor(THREADS) as pool:
            yield from counted(pool.map(quiet, blocks), len(blocks), KERNEL)


@final
@dataclass(frozen=True, eq=False)
class Kept:
    """A kernel that was computed already."""

    kernel: NDArray[np.float64]

    def __call__(self) -> NDArray[np.float64]:
        """Return the kernel, shape (n_samples, n_samples)."""
        return self.kernel


def _of_vectors(n: Kind, data: Any, rows: slice) -> KernelNode:
    """Return the node of the pairs of the data in `rows` with all data."""
    features = data.shape[1]
    q, mean = (data * data).sum(axis=1) / features, data.sum(axis=1) / features
    q_ab = data[rows] @ data.T / features
    diagonal = np.arange(len(q_ab))
    q_ab[diagonal, rows.start + diagonal] = q[rows]  # exactly: the matrix product may differ in the last digit
    same = np.zeros(q_ab.shape, dtype=bool)
    same[diagonal, rows.start + diagonal] = True
    _tell_apart(n, data, q, q_ab, rows.start)
    centres = Each(mean[rows, None], mean[None, :])
    pairs = Pairs(q[rows, None], q[None, :], q_ab, same, ALIKE * n.epsilon, mean=centres)
    return KernelNode(n, Averaged(pairs, Components(data)))


def _tell_apart(n: Kind, data: Any, q: Any, q_ab: Any, start: int) -> None:
    """Compute q_ab of nearly equal or opposite data again, from differences or sums, in place.

    It is q only if the data are equal, and -q only if they are opposite. Behind a jump of an activation the smallest
    difference counts, and its rounding error becomes part of the error.
    """
    for sign in (1, -1):
        row, column = np.nonzero(abs(q_ab - sign * q) <= NEAR * n.epsilon * q)
        other = start + row != column
        for part in np.array_split(np.flatnonzero(other), 1 + other.sum() * data.shape[1] // BLOCK):
            i, j = row[part], column[part]
            apart = ((data[start + i] - sign * data[j]) ** 2).sum(axis=1) / data.shape[1]
            half = (q[start + i] + q[j]) / 2
            near = np.minimum(half - apart / 2, (1 - ALIKE * n.epsilon / 2) * half)
            q_ab[i, j] = sign * np.where(apart > 0, near, half)


def _sums(pairs: Pairs, start: int) -> list[Any]:
    """Return the sums of q_ab, q_aa, the error, the number of data and the arcsines; beside the diagonal, twice."""
    if start < 0:
        return [2 * pairs.q_ab.sum(), 0, pairs.error, 0, _arcsines(pairs, start)]
    return [pairs.q_ab.sum(), pairs.q_a.sum(), pairs.error, len(pairs.q_ab), _arcsines(pairs, start)]


def _arcsines(pairs: Pairs, start: int) -> float:
    """Return the sum of asin(c_ab)/(2 pi) over a block; a datum with itself counts 1/4, as asin magnifies rounding."""
    c = (pairs.q_ab / (pairs.q_a * pairs.q_b) ** 0.5).astype(float)
    c = np.where(1 - abs(c) < ALIKE * FLOAT64.epsilon, np.sign(c), c)
    if start >= 0:
        diagonal = np.arange(len(c))
        c[diagonal, start + diagonal] = 1
    angles = np.arcsin(np.clip(c, -1, 1, out=c), out=c)  # in place, as new arrays take as long as the arithmetic
    return (1 if start >= 0 else 2) * float(angles.sum()) / (2 * np.pi)
