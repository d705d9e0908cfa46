"""Theory of a chain of layers in infinite width: the law of Gaussian inputs, or the kernel of a given data set."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from math import isqrt, prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Gaussian, KernelNode, LawNode, Layer, Pairs
from igbtheory.layers.base import Averaged
from igbtheory.layers.batches import batch_of, in_batches, sees_batches
from igbtheory.layers.blocks import Block, block, vectors
from igbtheory.layers.chain import behind_undrawn, needed, shapes, swept
from igbtheory.layers.data import Components
from igbtheory.layers.draws import SEED, SPARE, standard_error
from igbtheory.layers.few import is_few, settled
from igbtheory.layers.gaussian import UnitsNeededError
from igbtheory.layers.places import Places, at_positions, of_shape, units_first
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.threads import one_thread
from igbtheory.prediction import Batch, PerLayer, Prediction

BLOCK = 2**20
"""Entries of the kernel of a data set held at once."""
RANGE = 1e150
"""Variance at most, and its inverse at least, in double precision."""
ROUNDED = 8
"""Difference of kernels, in units of the rounding of q, that is none."""
NEAR, ALIKE = 4000, 16
"""Distances of q_ab from q, in units of its rounding: up to which data are compared, and of two that are not equal."""
LARGEST = 30_000
"""Data of a given set at most: the time grows with the square."""
LARGEST_WHOLE = 4_000
"""Data of a given set at most where a layer, such as BatchNorm, needs their kernel as a whole."""
WORLDS, MOST_WORLDS, ENTRIES = 64, 128, 2**24
"""Worlds of few weights that a prediction is a mean over at least and at most, and entries of all their kernels."""
THREADS = 2
"""Blocks of images at once: more would need more memory."""
LARGEST_PAIRS, LARGEST_IMAGE = 2**34, 2**22
"""Pairs of positions at most, those of all pairs of data and those of one."""


def on_gaussian_inputs(
    layers: Sequence[Layer], n: Kind, inputs: GaussianInputs, *, draws_within: bool = False
) -> Prediction:
    """Return the prediction for Gaussian inputs, point by point of a sweep.

    draws_within: whether covariances within a batch are drawn where no rule gives them, instead of left out.
    """
    _refuse_unlike(inputs.shift, inputs.variance, *swept(layers))
    batch = batch_of(layers)
    node = LawNode(n, Gaussian(inputs.moments(n)), draws_within=draws_within or sees_batches(layers))
    found: list[Moments] = []
    with np.errstate(all="ignore"):  # what leaves the range of the numbers is refused below
        for layer in layers:
            node = layer.law(node)
            if layer.listed:
                found.append(node.averaged())
                _refuse_lost(n, found[-1].variance, len(found))
    per_layer = stacked(n, found)
    layers = tuple(layers)
    batches = batch and Batch(batch.batch_size, InBatches(layers, n, inputs))
    return Prediction(per_layer, batch=batches, estimated=_unlike(node.estimated), layers=layers, inputs=inputs)


@final
@dataclass(frozen=True)
class InBatches:
    """Prediction as a function of the batch size, where the full batch is meant."""

    layers: tuple[Layer, ...]
    n: Kind
    inputs: GaussianInputs

    def __call__(self, size: int) -> Prediction:
        """Return the prediction with batches of that size."""
        return on_gaussian_inputs(in_batches(self.layers, size), self.n, self.inputs, draws_within=True)


def stacked(n: Kind, found: Sequence[Moments]) -> PerLayer:
    """Return the moments after every Dense layer as arrays of one shape."""
    parts = [(x.var_mu, x.var_chi, x.error, x.covariance) for x in found]
    shape = np.broadcast_shapes(*(np.shape(part) for x in parts for part in x))
    return PerLayer(n, *(np.stack([np.broadcast_to(x, shape) for x in rows]) for rows in zip(*parts, strict=True)))


def on_data_set(layers: Sequence[Layer], n: Kind, inputs: Any) -> Prediction:
    """Return the prediction for the very data set `inputs`, in blocks of its kernel."""
    if any(map(np.ndim, swept(layers))):
        raise ValueError("expected one network on a data set, got a sweep; loop over its values")
    from igbtheory.guesses.dataset import DatasetGuessLaw  # noqa: PLC0415 - Gaussian inputs do not need it

    given = units_first(checks.data_set(inputs))
    shapes(layers, given.shape[2:])
    with np.errstate(all="ignore"):  # as above
        worlds = _worlds(layers, n, given) if is_few(layers) else [_found(layers, n, given)]
    found = worlds[0]
    q_ab, q = (np.mean([getattr(world, name) for world in worlds], axis=0) for name in ("q_ab", "q"))
    for i, variance in enumerate(q):
        _refuse_lost(n, variance, i + 1)
    # less is what rounding leaves of a centred kernel, or of one of equal data
    least = ROUNDED * n.epsilon * q
    q_ab, var_chi = (np.where(part > least, part, 0 * q) for part in (q_ab, q - q_ab))
    if len(worlds) == 1:
        error = found.error * np.asarray(n.ratio(q, var_chi), dtype=float)
    else:
        error = np.maximum(_scatter(worlds, lambda x: x.q_ab / q), _scatter(worlds, lambda x: (x.q - x.q_ab) / var_chi))
    error = np.where(var_chi == 0, 0.0, error)
    arcsines = float(np.mean([world.arcsines for world in worlds]))
    law = DatasetGuessLaw(found.outputs, arcsines, _kernels(worlds))
    per_layer = PerLayer(n, q_ab, var_chi, error, q_ab)
    rank = min(world.rank for world in worlds)
    return Prediction(per_layer, law, None, rank, _unlike(found.estimated), tuple(layers), checks.data_set(inputs))


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


def _kernels(worlds: list[Found]) -> Callable[[], NDArray[np.float64]]:
    """Return the kernel of the outputs, or those of all worlds, as a function."""
    return worlds[0].kernel if len(worlds) == 1 else lambda: np.stack([world.kernel() for world in worlds])


def _worlds(layers: Sequence[Layer], n: Kind, given: Any) -> list[Found]:
    """Return what independent worlds find, whose layers have the few weights drawn that do not average out."""
    count = min(max(WORLDS, ENTRIES // _positions(layers, given) ** 2), MOST_WORLDS)

    def world(rng: np.random.Generator) -> Found:
        with one_thread(), np.errstate(all="ignore"):
            found = _found(settled(layers, rng), n, given, 1 + int(rng.integers(2**32)))
            kernel = found.kernel()
        return replace(found, kernel=lambda: kernel)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(world, np.random.default_rng(SEED).spawn(count)))


def _positions(layers: Sequence[Layer], given: Any) -> int:
    """Return how many positions the data have behind any of the layers at most."""
    return len(given) * max(prod(shape) for shape in shapes(layers, given.shape[2:])[1:])


def _scatter(worlds: list[Found], statistic: Callable[[Found], Any]) -> Any:
    """Return the error of the mean of a statistic over the worlds."""
    with np.errstate(all="ignore"):
        return SPARE * standard_error(np.array([statistic(world) for world in worlds], dtype=float))


def _found(layers: Sequence[Layer], n: Kind, given: Any, world: int = 0) -> Found:
    """Return what the layers find on the data, in blocks of their kernel; images whole where units must be drawn."""
    chain, data = behind_undrawn(layers, given)
    if n is FLOAT64:
        _refuse_scale(data)
    data = n.number(data)
    places = needed(chain, data.shape[2:])
    _refuse_many(chain, len(data), places)
    if places is not None and not places.whole:
        try:  # one datum tells whether units must be drawn, for which all pairs are needed
            _pairs(chain, n, data[:1], slice(0, 1), slice(0, 1), places, world)
        except UnitsNeededError:
            places = of_shape(data.shape[2:])
            _refuse_many(chain, len(data), places)
    return _in_blocks(chain, n, data, places, world)


def _refuse_many(layers: Sequence[Layer], count: int, places: Places | None) -> None:
    """Refuse so many data that their kernel does not fit."""
    most = _most(layers, places)
    if count > most:
        raise ValueError(
            f"expected at most {most} data, got {count}: their kernel has the square of entries; predict "
            f"on a subsample, for example X[np.random.default_rng(0).choice({count}, {most}, replace=False)]"
        )


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


def _unlike(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Layers of which equal ones count once."""
    return tuple({repr(layer): layer for layer in layers}.values())


def _refuse_unlike(*values: Any) -> None:
    """Refuse sweeps whose shapes do not broadcast."""
    shapes = {np.shape(value) for value in values}
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        named = ", ".join(map(str, sorted(shapes)))
        raise ValueError(
            f"expected sweeps whose shapes broadcast, got {named}; give one of them an axis more, as in a[:, None]"
        ) from None


def _most(layers: Sequence[Layer], places: Places | None) -> int:
    """Return the number of data at most: of images with these pairs of positions, of vectors without."""
    whole = _whole(layers, places)
    if places is None:
        return LARGEST_WHOLE if whole else LARGEST
    fits = len(places.offsets) <= LARGEST_WHOLE // 2 if whole else places.size <= LARGEST_IMAGE
    if not fits:
        raise ValueError(
            f"expected images of fewer positions, got {' x '.join(map(str, places.shape))}, of which the layers need "
            f"{places.size} pairs; average them first, for example by AvgPool2d(2) in front of all layers, or crop them"
        )
    return LARGEST_WHOLE // len(places.offsets) if whole else min(LARGEST, isqrt(LARGEST_PAIRS // places.size))


def _whole(layers: Sequence[Layer], places: Places | None) -> bool:
    """Return whether the kernel of all data is held at once."""
    return (places is not None and places.whole) or any(layer.whole for layer in layers)


def _parts(layers: Sequence[Layer], count: int, places: Places | None) -> list[tuple[slice, slice]]:
    """Return rows and columns of the blocks: of images squares on and above the diagonal, of vectors whole rows."""
    if places is None or places.whole:
        rows = count if _whole(layers, places) else max(1, BLOCK // count)
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
    """Node of the outputs, and the kernels of the stream, for the pairs of the data in `rows` and `columns`."""
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
            found.append(vectors(now.node))
            if len(found) == 1 and now.node.places is not None:
                _refuse_dark(layer, now.node)
            if len(found) == 1 or batched:
                _refuse_silent(found, rows.start)
    return now.node, found


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
            return np.asarray(
                _pairs(self.layers, FLOAT64, self.data, slice(0, count), slice(0, count), places, self.world)[1][
                    -1
                ].q_ab
            )
        parts = _parts(self.layers, count, places)
        kernel: Any = None
        for (rows, columns), (_, pairs) in zip(
            parts, _each(self.layers, FLOAT64, self.data, parts, places, self.world), strict=True
        ):
            q_ab = pairs[-1].q_ab
            kernel = np.empty((count, count), dtype=q_ab.dtype) if kernel is None else kernel
            kernel[rows, columns], kernel[columns, rows] = q_ab, q_ab.T
        return np.asarray(kernel)


def _refuse_scale(data: NDArray[np.float64]) -> None:
    """Refuse data whose mean squares leave the range of double precision."""
    largest = float(np.abs(data).max())
    if largest and not 1 / RANGE < largest * largest < RANGE:
        raise ValueError(
            f"expected data with squares between {1 / RANGE:g} and {RANGE:g}, got {largest:g} as the largest entry, "
            "so variances are out of range; scale the data, for example X / np.abs(X).max(), or use digits=30"
        )


def _refuse_lost(n: Kind, q: Any, layer: int) -> None:
    """Refuse a network whose variance q after a Dense layer, a number or an array, is somewhere zero or out of range.

    The range of double precision ends at 1e150, because rules multiply two variances.
    """
    q = np.ravel(q)
    lost = q[~(q > 0) | (((q < 1 / RANGE) | (q > RANGE)) if n is FLOAT64 else ~np.isfinite(q.astype(float)))]
    if lost.size:
        value = float(lost[0])
        raise ValueError(f"the variance after Dense layer {layer} is {value:g}, {_loss(value)}")


def _loss(value: float) -> str:
    """What such a variance makes of the outputs, and what to do."""
    if value == 0:
        return (
            "so its outputs tie exactly: its weights are 0, or all that they read; use sigma_w2 > 0 and inputs that "
            "are not all 0, such as GaussianInputs(0, 1), or set sigma_b2 > 0"
        )
    return (
        "so its outputs are out of range; use a sigma_w2 nearer to the critical one (2.0 for relu), sigma_b2 > 0, or "
        "digits=30"
    )


def _refuse_silent(found: list[Pairs], start: int) -> None:
    """Refuse data, numbered from `start`, whose pre-activations have no variance."""
    silent = np.flatnonzero(np.ravel(found[-1].q_a) == 0)
    if not silent.size:
        return
    if len(found) == 1:
        why, remedy = "it is all zeros, or sigma_w2 is", "remove it, shift the data"
    else:
        why, remedy = "its batch does not vary in front of a BatchNorm, which makes it 0", "remove data that are equal"
    raise ValueError(
        f"datum {start + silent[0]} has no variance behind Dense layer {len(found)}, so its outputs tie exactly: "
        f"{why}, and there are no biases; {remedy}, or set sigma_b2 > 0"
    )


def _refuse_dark(layer: Layer, node: KernelNode) -> None:
    """Refuse images some positions of which have no variance behind their first layer."""
    if np.any(node.averaged().q_a == 0):
        raise ValueError(
            f"expected images without windows of zeros alone, got some, which have no variance behind {layer!r}; "
            "standardise the data with igb.standardised(X), or set sigma_b2 > 0"
        )


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
