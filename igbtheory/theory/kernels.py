"""The kernel of a given data set behind layers in a row, computed in blocks of pairs of data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product, starmap
from math import isqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.progress import counted
from igbtheory.foundations.threads import cores
from igbtheory.layers.blocks import Block, block, diagonal, listed
from igbtheory.layers.chain import behind_undrawn, each, functions, needed
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.data import Components
from igbtheory.layers.nodes.gaussian import UnitsNeededError
from igbtheory.layers.nodes.node import USUAL, KernelNode, Passage
from igbtheory.layers.nodes.places import VECTORS, Places, at_positions, of_shape
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.errors import Errors
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.theory.refusals import PassedByError, is_whole, refuse_many, refuse_scale, refuse_silent

BLOCK = 2**20
"""Number of entries of a kernel that are held at once."""
CACHED = 2**16
"""The same number if all averages are closed forms, which have nothing to prepare: so many stay in the cache."""
KEPT = 2048
"""Largest number of data whose kernel is kept with the means over it, for the law of the guesses: 32 MiB."""
NEAR, ALIKE = 4000, 16
"""Distances of q_ab from q, in rounding errors of q: up to NEAR data are compared, and from ALIKE on they differ."""
THREADS, SMALL_THREADS = 2, 8
"""Largest number of blocks that are computed at the same time: more would need more memory. SMALL_THREADS: the same if
all averages are closed forms, whose blocks are smaller: with their temporary arrays, each takes 20 MB."""

KERNEL = "kernel of the data"
"""What a progress bar calls this work."""

Watched = Mapping[int, bool]
"""Layers behind which kernels are wanted, by their places in `each`, counted from its end, and whether of the first
token alone. Layers may be replaced by others, or be left out in front, but keep these places."""


@final
@dataclass(frozen=True)
class KernelMeans:
    """Means over the data in one world, or in a network without few weights: of q_ab and q after every Dense.

    error: relative error of both, but for that of draws; of_draws: that of the mean of q - q_ab from draws. arcsines:
    mean of asin(c_ab)/(2 pi) over all pairs of data after every Dense; outputs: number of data behind the layers;
    rank: smallest effective rank of a batch.
    """

    q_ab: NDArray[Any]
    q: NDArray[Any]
    error: NDArray[np.float64]
    of_draws: NDArray[np.float64]
    arcsines: NDArray[np.float64]
    outputs: int
    rank: float
    estimated: tuple[Layer, ...]
    kernel: Callable[[], NDArray[np.float64]]


def output_kernel(
    layers: Sequence[Layer],
    n: Kind,
    given: Any,
    watched: Watched | None = None,
    *,
    last: bool = False,
    passage: Passage = USUAL,
) -> "OutputKernel":
    """Return the kernel behind the layers on given data, which enter the first layer that draws random numbers."""
    chain, data = behind_undrawn(layers, given)
    if n is FLOAT64:
        refuse_scale(data)
    kernel = OutputKernel(chain, data, n, passage=passage, watched=watched, last=last)
    refuse_many(chain, len(data), kernel.places)
    return replace(kernel, data=n.number(data))


def kernel_means(kernel: "OutputKernel") -> KernelMeans:
    """Return the means over the data, whose kernel is computed in blocks, or at once if units must be drawn."""
    if kernel.n is FLOAT64 or not _needs_units(kernel):
        with suppress(UnitsNeededError):  # raised by the first block, if an average needs units that are drawn
            return kernel.means()
    kernel = replace(kernel, drawn=True)
    refuse_many(kernel.layers, len(kernel.data), kernel.places)
    return kernel.means()


def _needs_units(kernel: "OutputKernel") -> bool:
    """Return whether averages of images need units that are drawn; many digits of all images would take minutes.

    One datum in double precision shows it, unless this precision cannot hold the datum: then the digits show it.
    """
    if kernel.places is None or kernel.places.whole:
        return False
    try:
        replace(kernel, n=FLOAT64, data=kernel.data[:1].astype(float)).block(slice(0, 1), slice(0, 1))
    except ValueError as error:
        return isinstance(error, UnitsNeededError)
    return False


@final
@dataclass(frozen=True)
class Passed:
    """What is behind the first `count` layers: a block, and kernels that are asked for.

    kernels: behind listed layers. watched: behind watched layers, by the places of `Watched`.
    """

    block: Block
    count: int = 0
    kernels: tuple[Pairs, ...] = ()
    watched: Mapping[int, Pairs] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class OutputKernel:
    """Kernel of the outputs on given data, computed in blocks of pairs of data.

    data: what enters the first of the layers, shape (n_samples, units, *positions), numbers of the kind n. drawn:
    whether units of images must be drawn, which takes all pairs of positions at once. watched: layers behind which
    kernels are wanted, too. last: whether means are those after the last Dense alone. front: what is behind layers that
    were passed before, in the only block.
    """

    layers: tuple[Layer, ...]
    data: NDArray[Any]
    n: Kind = FLOAT64
    drawn: bool = False
    passage: Passage = USUAL
    watched: Watched | None = None
    last: bool = False
    front: Passed | None = None

    @cached_property
    def places(self) -> Places | None:
        """Pairs of positions of the data that the layers need, None for vectors."""
        shape = self.data.shape[2:]
        return of_shape(shape) if self.drawn else needed(self.layers, shape)

    def __call__(self) -> NDArray[np.float64]:
        """Return the kernel, shape (n_samples, n_samples)."""
        return self.matrices("q_ab")[0]

    def matrices(self, *names: str) -> list[NDArray[np.float64]]:
        """Return symmetric matrices over the data, shape (n_samples, n_samples), that the output pairs call so."""

        def output(rows: slice, columns: slice) -> list[Any]:
            _, pairs = self.block(rows, columns)
            return [getattr(pairs[-1], name) for name in names]

        blocks, matrices = self._parts(), [np.empty(0)] * len(names)
        for place, outputs in zip(blocks, self._each(output, blocks), strict=True):
            for i, matrix in enumerate(outputs):
                matrices[i] = self._placed(matrices[i], place, matrix, whole=len(blocks) == 1)
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

        def summed(rows: slice, columns: slice) -> tuple[Any, ...]:
            node, pairs = self.block(rows, columns)
            wanted = pairs[-1:] if self.last else pairs
            sums = np.array([_sums(part, diagonal=rows == columns) for part in wanted]).T
            q_ab = pairs[-1].q_ab.astype(float) if len(self.data) <= KEPT else None
            return node.estimated, min(part.errors.rank for part in pairs), sums, q_ab

        blocks, kept = self._parts(), np.empty(0)
        total, rank = np.zeros(()), np.inf
        estimated: tuple[Layer, ...] = ()
        for place, (estimated, of_block, sums, last) in zip(blocks, self._each(summed, blocks), strict=True):  # noqa: B007
            total, rank = total + sums, min(rank, of_block)
            if last is not None:
                kept = self._placed(kept, place, last, whole=len(blocks) == 1)
        q_ab, q, error, of_draws, count, arcsines = total
        outputs = int(count[-1])  # a layer may have changed the number of data
        error, of_draws = (part.astype(float) / len(blocks) for part in (error, of_draws))
        means = q_ab / count**2, q / count, error, of_draws, (arcsines / count**2).astype(float)
        kernel: Callable[[], NDArray[np.float64]] = replace(self, n=FLOAT64, data=self.data.astype(float), front=None)
        if kept.size:
            kernel = Kept(kept)
        return KernelMeans(*means, outputs, rank, estimated, kernel)

    def block(self, rows: slice, columns: slice) -> tuple[KernelNode, list[Pairs]]:
        """Return, for the data in these rows and columns, the node of the outputs, and the kernels after every Dense.

        The kernels behind watched layers come first, in the order in which they are asked for.
        """
        passed = self._through(self.front or Passed(self._entering(rows, columns)), len(self.layers))
        refuse_silent([*passed.kernels], rows.start)
        watched = self.watched or {}
        if passed_by := watched.keys() - passed.watched:
            raise PassedByError(passed_by)
        return passed.block.node, [*(passed.watched[place] for place in watched), *passed.kernels]

    def behind(self, count: int) -> Passed:
        """Return what is behind the first `count` layers, for all data at once."""
        everything = slice(0, len(self.data))
        return self._through(Passed(self._entering(everything, everything)), count)

    def _entering(self, rows: slice, columns: slice) -> Block:
        """Return the block of the data themselves."""
        n, data, places = self.n, self.data, self.places
        if places is None:
            now = Block(_of_vectors(n, data, rows, columns))
        elif places.whole:
            everywhere = at_positions(data)
            whole = slice(0, len(everywhere))
            now = Block(replace(_of_vectors(n, everywhere, whole, whole), places=places))
        else:
            at_a, at_b = (self._diagonal[part.start] for part in (rows, columns))
            now = Block(block(n, self._units, places, rows, columns), at_a, at_b)
        return now.with_tangent() if self.passage.gradients else now

    def _through(self, passed: Passed, count: int) -> Passed:
        """Return what is behind the first `count` layers, from what is behind fewer of them."""
        watched, behind, kernels = self.watched or {}, dict(passed.watched), [*passed.kernels]
        places_of = {id(layer): place for place, layer in enumerate(reversed([*each(self.layers)])) if place in watched}

        def sees(layer: Ruled, node: KernelNode) -> None:
            if (place := places_of.get(id(layer))) is not None:
                behind[place] = listed(node, first=watched[place])

        now = passed.block.on(replace(self.passage, sees=sees if watched else None))
        for layer in counted(self.layers[passed.count : count], count - passed.count, KERNEL):
            now = now.behind(layer)
            if layer.listed:
                kernels.append(listed(now.node))
        return Passed(now, count, tuple(kernels), behind)

    def _parts(self) -> list[tuple[slice, slice]]:
        """Return rows and columns of the blocks: squares, the lower half left out."""
        sides = self._sides()
        return [(rows, columns) for rows, columns in product(sides, sides) if rows.start <= columns.start]

    def _sides(self) -> list[slice]:
        """Return the rows of the blocks, which are their columns, too."""
        count, places = len(self.data), self.places
        held = CACHED if self._closed else BLOCK
        entries = 8 * held // places.size if places else held
        side = count if is_whole(self.layers, places) else max(1, isqrt(entries))
        return [slice(start, min(start + side, count)) for start in range(0, count, side)]

    @cached_property
    def _units(self) -> NDArray[Any]:
        """The data, shape (data, positions, units)."""
        return at_positions(self.data).reshape(len(self.data), -1, self.data.shape[1])

    @cached_property
    def _diagonal(self) -> dict[int, tuple[KernelNode, ...]]:
        """Nodes of each datum with itself behind pools, by the first data of the rows of a block."""
        places = self.places or VECTORS
        return {
            part.start: diagonal(self.n, self._units[part], places, self.layers, self.passage) for part in self._sides()
        }

    @property
    def _closed(self) -> bool:
        """Whether all functions of units have closed forms."""
        return all(phi.closed for phi in functions(self.layers))

    def _each(self, rule: Callable[[slice, slice], Any], blocks: list[tuple[slice, slice]]) -> Iterator[Any]:
        """Yield what a rule returns for each block, from several threads."""
        if len(blocks) == 1:
            yield from counted(starmap(rule, blocks), len(blocks), KERNEL)
            return

        def quiet(part: tuple[slice, slice]) -> Any:
            with np.errstate(all="ignore"):  # every thread has a state of its own
                return rule(*part)

        with ThreadPoolExecutor(min(cores(), SMALL_THREADS if self._closed else THREADS)) as pool:
            yield from counted(pool.map(quiet, blocks), len(blocks), KERNEL)


@final
@dataclass(frozen=True, eq=False)
class Kept:
    """A kernel that was computed already."""

    kernel: NDArray[np.float64]

    def __call__(self) -> NDArray[np.float64]:
        """Return the kernel, shape (n_samples, n_samples)."""
        return self.kernel


def _of_vectors(n: Kind, data: Any, rows: slice, columns: slice) -> KernelNode:
    """Return the node of the pairs of the data in `rows` with those in `columns`."""
    features, (a, b) = data.shape[1], (data[rows], data[columns])
    q_a, q_b = ((part * part).sum(axis=1) / features for part in (a, b))
    q_ab = a @ b.T / features
    same = np.zeros(q_ab.shape, dtype=bool)
    if rows == columns:
        np.fill_diagonal(q_ab, q_a)  # exactly: the matrix product may differ in the last digit
        np.fill_diagonal(same, val=True)
    q, mean = Each(q_a[:, None], q_b[None, :]), Each(a.sum(axis=1)[:, None], b.sum(axis=1)[None, :]) / features
    _tell_apart(n, (a, b), q, q_ab, ~same)
    pairs = Pairs(q.a, q.b, q_ab, same, Errors(ALIKE * n.epsilon), mean)
    return KernelNode(n, Averaged(pairs, Components(data)))


def _tell_apart(n: Kind, data: tuple[Any, Any], q: Each, q_ab: Any, unlike: Any) -> None:
    """Compute q_ab of nearly equal or opposite data again, from differences or sums, in place.

    data, q: of the rows and of the columns; unlike: False for pairs of a datum with itself. q_ab is q only if the data
    are equal, and -q only if they are opposite. Behind a jump of an activation the smallest difference counts, and its
    rounding error becomes part of the error.
    """
    for sign in (1, -1):
        close = unlike & (abs(q_ab - sign * q.b) <= NEAR * n.epsilon * q.b)
        row, column = np.nonzero(close)
        for part in np.array_split(np.arange(row.size), 1 + row.size * data[0].shape[1] // BLOCK):
            i, j = row[part], column[part]
            apart = ((data[0][i] - sign * data[1][j]) ** 2).sum(axis=1) / data[0].shape[1]
            half = (q.a[i, 0] + q.b[0, j]) / 2
            near = np.minimum(half - apart / 2, (1 - ALIKE * n.epsilon / 2) * half)
            q_ab[i, j] = sign * np.where(apart > 0, near, half)


def _sums(pairs: Pairs, *, diagonal: bool) -> list[Any]:
    """Return the sums of q_ab, q_aa, the errors, the number of data and the arcsines.

    diagonal: whether the block is on the diagonal; the pairs of others count twice.
    """
    errors = pairs.errors.product, pairs.errors.draws
    if not diagonal:
        return [2 * pairs.q_ab.sum(), 0, *errors, 0, 2 * _arcsines(pairs, diagonal=False)]
    return [pairs.q_ab.sum(), pairs.q_a.sum(), *errors, len(pairs.q_ab), _arcsines(pairs, diagonal=True)]


def _arcsines(pairs: Pairs, *, diagonal: bool) -> float:
    """Return the sum of asin(c_ab)/(2 pi) over a block; a datum with itself counts 1/4, as asin magnifies rounding."""
    c = (pairs.q_ab / (pairs.q_a**0.5 * pairs.q_b**0.5)).astype(float, copy=False)
    if diagonal:
        np.fill_diagonal(c, 1)
    near = abs(c) > 1 - ALIKE * FLOAT64.epsilon
    if near.any():
        c[near] = np.sign(c[near])
    angles = np.arcsin(c, out=c)  # in place, as new arrays take as long as the arithmetic
    return float(angles.sum()) / (2 * np.pi)
