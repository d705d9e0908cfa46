"""Positions of images and sequences: the pairs of positions that a kernel holds, and means over windows of them.

Pairs (p, p + o) are numbered by an offset o and a position p, where p + o wraps around at the edges. A layer that
treats all positions in the same way needs the same offsets in front and behind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.each import Each

CACHED = 2**15
"""Numbers of an array that stay in the cache of a core, with those from which they are computed."""
Index = NDArray[np.intp]
Point = tuple[int, ...]


@final
@dataclass(frozen=True)
class Places:
    """Pairs of positions (p, p + o), p at one datum and p + o at the other, for all p and for the `offsets` o.

    shape: (height, width) of images, (tokens,) of sequences; offsets: numbers of positions, the first of them 0. Arrays
    over pairs have the shape (offsets, positions, data a, data b). If `whole`, they are matrices over all data at all
    positions instead, shape (data x positions, data x positions), from which units can be drawn.
    """

    shape: Point
    offsets: tuple[int, ...]
    whole: bool = False

    @cached_property
    def points(self) -> Index:
        """Coordinates of all positions, shape (axes, positions)."""
        return np.indices(self.shape).reshape(len(self.shape), prod(self.shape))

    @cached_property
    def second(self) -> Index:
        """Numbers of the positions p + o, shape (offsets, positions)."""
        return self.number(self.points[:, list(self.offsets), None] + self.points[:, None])

    @property
    def size(self) -> int:
        """Number of pairs of positions."""
        return len(self.offsets) * prod(self.shape)

    @property
    def equal(self) -> "Places":
        """The pairs of each position with itself."""
        return Places(self.shape, (0,))

    def number(self, points: Index) -> Index:
        """Return the numbers of positions with these coordinates, shape (axes, ...), which wrap around."""
        if not self.shape:
            return np.zeros(points.shape[1:], dtype=np.intp)
        lengths = np.reshape(self.shape, (-1, *[1] * (points.ndim - 1)))
        return np.asarray(np.ravel_multi_index(tuple(points % lengths), self.shape))

    def indices(self, offsets: Index) -> Index:
        """Return the indices of these offsets among `self.offsets`, or -1 for offsets that are not there."""
        indices = np.full(prod(self.shape), -1)
        indices[list(self.offsets)] = np.arange(len(self.offsets))
        return indices[offsets]

    def equal_positions(self, q_ab: Any) -> Any:
        """Return 1 or True for pairs of equal positions, else 0, in an array that broadcasts with q_ab."""
        if self.whole:
            return np.tile(np.eye(prod(self.shape)), [len(q_ab) // prod(self.shape)] * 2)
        return (np.asarray(self.offsets) == 0)[:, None, None, None]

    def averages(self, each: Each) -> Each:
        """Return the averages over the positions of values at the data a and b of pairs; a number stays as it is."""
        if not np.ndim(each.a):
            return each
        if not self.whole:
            return each.map(lambda values: values.mean(axis=1, keepdims=True))
        mean = np.repeat(each.a.reshape(-1, prod(self.shape)).mean(axis=1), prod(self.shape))
        return Each(mean[:, None], mean[None, :])

    def paired(self, matrix: Any) -> Any:
        """Return a matrix over all data at all positions as an array over pairs."""
        count = prod(self.shape)
        blocks = matrix.reshape(len(matrix) // count, count, -1, count).transpose(1, 3, 0, 2)
        return blocks[np.arange(count), self.second]

    def gathered(self, values: Any) -> Any:
        """Return an array over all pairs as a matrix over all data at all positions."""
        _, count, rows, columns = values.shape
        blocks = np.empty((count, *values.shape[1:]), dtype=values.dtype)
        blocks[np.arange(count), self.second] = values
        return blocks.transpose(2, 0, 3, 1).reshape(rows * count, columns * count)


VECTORS = Places((), (0,))
"""The pair of the only position of vectors with itself."""


def of_shape(shape: Point) -> Places | None:
    """Return all pairs of positions, as a matrix, or None for vectors."""
    return Places(shape, every(shape), whole=True) if shape else None


def every(shape: Point) -> tuple[int, ...]:
    """Return all offsets of positions."""
    return tuple(range(prod(shape)))


def at_positions(x: NDArray[Any]) -> NDArray[Any]:
    """Return units (data, units, *positions) as (data x positions, units); units of vectors stay as they are."""
    return x if x.ndim == 2 else np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])


def images(units: NDArray[Any], shape: Point) -> NDArray[Any]:
    """Return units (data x positions, units) as (data, units, *shape): the inverse of `at_positions`."""
    if not shape:
        return units
    by_datum = units.reshape(-1, prod(shape), units.shape[1])
    return np.moveaxis(by_datum, 1, -1).reshape(len(by_datum), -1, *shape)


def units_first(data: NDArray[Any]) -> NDArray[Any]:
    """Return sequences (n_samples, tokens, features) as (n_samples, features, tokens); other data stay as they are."""
    return data.swapaxes(1, 2) if data.ndim == 3 else data


@final
@dataclass(frozen=True)
class Window:
    """Windows of `size` points along each of the `axes`, `dilation` apart.

    Output p reads the positions stride p + a, where a runs over the points of the window, from -pad[0] on.
    pad: number of positions that are read beyond the two edges. apart: True if two data are read at all pairs of
    points, as in the average over a pool; False if they are read at equal points, as in a convolution, whose weights
    are independent. circular: True if positions wrap around at the edges, False if there are zeros beyond.
    """

    size: int
    stride: int
    pad: tuple[int, int]
    axes: int = 2
    apart: bool = False
    circular: bool = False
    dilation: int = 1

    @property
    def span(self) -> int:
        """Number of positions from the first point of a window to its last along an axis."""
        return self.dilation * (self.size - 1) + 1

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Points of the window around stride p."""
        indices = np.ndindex(*[self.size] * self.axes)
        return tuple(tuple(self.dilation * i - self.pad[0] for i in point) for point in indices)

    @cached_property
    def pairs(self) -> tuple[tuple[Point, Point], ...]:
        """Points at which two data are read together."""
        return tuple((a, b) for a in self.points for b in (self.points if self.apart else (a,)))

    @property
    def keeps(self) -> bool:
        """Whether there is a window for every position, around it."""
        return self.stride == 1 and sum(self.pad) == self.span - 1

    def behind(self, shape: Point) -> Point:
        """Return the shape of the positions of the windows."""
        return tuple((length + sum(self.pad) - self.span) // self.stride + 1 for length in shape)

    def reads(self, x: NDArray[Any], beyond: float = 0.0) -> Iterator[NDArray[Any]]:
        """Yield the part of x, (data, *positions, units), that each point of the window reads; `beyond` outside x."""
        shape, sides = self.behind(x.shape[1:-1]), [(0, 0), *[self.pad] * self.axes, (0, 0)]
        padded = np.pad(x, sides, mode="wrap") if self.circular else np.pad(x, sides, constant_values=beyond)
        for point in np.ndindex(*[self.size] * self.axes):
            starts = [self.dilation * i for i in point]
            read = [slice(i, i + self.stride * length, self.stride) for i, length in zip(starts, shape, strict=True)]
            yield padded[(slice(None), *read)]

    def patches(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return images in which all that a window reads are channels of one position, (data, channels, *positions)."""
        reads = self.reads(np.moveaxis(x, 1, -1))
        return np.concatenate([np.moveaxis(read, -1, 1) for read in reads], axis=1)

    def offsets(self, before: Places, after: Places) -> Index:
        """Return the offsets in front from which each offset behind is computed, shape (ways, offsets behind)."""
        turns = sorted({tuple(np.subtract(b, a).tolist()) for a, b in self.pairs})
        behind = after.points[:, list(after.offsets)]
        # a pair (p, p + o) may wrap around behind the windows, and so have another offset in front of them
        around = np.reshape(after.shape, (-1, 1)) * (behind > 0)
        ways = product((0, 1), repeat=self.axes)
        starts = [self.stride * (behind - np.reshape(way, (-1, 1)) * around) for way in ways]
        return np.stack([before.number(start + np.reshape(turn, (-1, 1))) for start in starts for turn in turns])

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        """Return the means over the windows of second moments, an array over pairs in front."""
        if self.keeps and not self.apart and not self.circular:
            return self._around(values, before)
        return self.gathered(values, before, after, self.pairs)

    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        """Return the means over the windows of values at single positions, shape (1, positions, data a, data b)."""
        if self.keeps and not self.circular:
            return self._around(values, before.equal)
        return self.gathered(values, before.equal, after.equal, [(a, a) for a in self.points])

    def _around(self, values: Any, places: Places) -> Any:
        """Return the means if both data are read at equal points around every position: sums along axis after axis.

        A step along an axis adds all values at once; sums whose step leads beyond an edge, to zeros, are put back.
        """
        width, sums = values[0, 0].size, values
        for stays, steps in _steps(self, places):
            x, sums = np.ravel(sums), np.array(sums, order="C") if stays else np.zeros(sums.shape, sums.dtype)
            total = sums.reshape(-1)
            for step, beyond in steps:
                kept, move = sums[beyond], step * width
                first, end = max(0, -move), x.size - max(0, move)
                total[first:end] += x[first + move : end + move]
                sums[beyond] = kept
        sums /= self.size**self.axes
        return sums

    def gathered(self, values: Any, before: Places, after: Places, pairs: Sequence[tuple[Point, Point]]) -> Any:
        """Return the means over the windows of values read at pairs of points, whatever the windows are."""
        means = np.empty((*after.second.shape, *values.shape[2:]), dtype=values.dtype)
        starts = self.stride * (after.points[:, after.second] - after.points[:, None])
        reads = {point: self._read(before, after, point) for point in self.points}
        beyond = values.shape[1]
        if not self.circular:  # zeros behind the last position, which is read beyond the edges
            values = np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)
        for part in slices(means):
            total = means[part]
            total[:] = 0
            for a, b in pairs:
                held = before.indices(before.number(starts[:, part] + np.reshape(np.subtract(b, a), (-1, 1, 1))))
                (read, inside), (_, other) = reads[a], reads[b]
                total += values[
                    held, read if self.circular else np.where(inside & other[after.second[part]], read, beyond)
                ]
            total /= len(pairs)
        return means

    def _read(self, before: Places, after: Places, at: Point) -> tuple[Index, Any]:
        """Return the numbers of the positions in front that a point of the windows reads, and whether they exist."""
        read = self.stride * after.points + np.reshape(at, (-1, 1))
        inside = np.all((read >= 0) & (read < np.reshape(before.shape, (-1, 1))), axis=0)
        return before.number(read), inside


def slices(values: NDArray[Any]) -> list[slice]:
    """Return slices of the offsets of an array over pairs, so small that they stay in the cache of a core."""
    step = max(1, CACHED // max(1, values[0].size))
    return [slice(start, start + step) for start in range(0, len(values), step)]


def portions(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Yield slices along the first axes of an array of this shape, so small that they stay in the cache of a core."""
    length, *others = shape
    size = prod(others)
    if size <= CACHED or len(others) == 1:
        step = max(1, CACHED // max(1, size))
        yield from ((slice(start, start + step),) for start in range(0, length, step))
        return
    for i in range(length):
        yield from ((slice(i, i + 1), *part) for part in portions(tuple(others)))


def cut(x: Any, part: tuple[slice, ...]) -> Any:
    """Return a part of an array that broadcasts with the one of whose shape `portions` are taken."""
    array = np.asarray(x)
    return array[tuple(along if length > 1 else slice(None) for along, length in zip(part, array.shape, strict=False))]


@lru_cache(maxsize=64)
def _steps(window: Window, places: Places) -> list[tuple[bool, list[tuple[int, tuple[Index, ...]]]]]:
    """Return, for each axis, whether a window reads the position in its middle, and its steps along the axis to others.

    A step is a number of positions, and pairs that it leads beyond an edge.

    A pair of positions is beyond an edge if one of the two is: where the second one wraps around, they do not stay
    together.
    """
    steps = []
    for axis, length in enumerate(places.shape):
        apart, at = places.points[axis, list(places.offsets), None], places.points[axis]
        both, stride = np.stack([at + 0 * apart, (at + apart) % length]), prod(places.shape[axis + 1 :])
        along = (window.dilation * i - window.pad[0] for i in range(window.size))
        inside = {step: ((both + step >= 0) & (both + step < length)).all(axis=0) for step in along}
        beyond = [(step * stride, np.nonzero(~held)) for step, held in inside.items() if step and held.any()]
        steps.append((0 in inside, beyond))
    return steps


@lru_cache(maxsize=64)
def offsets_read(window: Window, shape: Point, after: Places) -> tuple[int, ...]:
    """Return the offsets in front of a window, of positions of this shape, from which pairs behind are computed."""
    return tuple(np.unique(window.offsets(Places(shape, (0,)), after)).tolist())


@lru_cache(maxsize=64)
def behind(window: Window, before: Places, shape: Point) -> Places:
    """Return the pairs behind a window that can be computed from the pairs in front."""
    everything = Places(shape, every(shape), before.whole)
    held = before.indices(window.offsets(before, everything)) >= 0
    return replace(everything, offsets=tuple(np.flatnonzero(held.all(axis=0)).tolist()))
