"""Draws of units: quasi-random normal numbers, and statistics of them in independent replicates.

Every call draws the same numbers, so that a repeated prediction gives the same result.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.sobol import normal_points

Array = NDArray[np.float64]

SEED = 1
"""Seed of all replicates, so that a prediction is the same at every call."""
REPLICATES = 32
"""Number of independent replicates of a mean, whose scatter tells its error to 13 %, 1/sqrt(62)."""
SPARE = 4.0
"""Number of standard errors that an estimate reports as its error: with 32 replicates, the deviation is larger with a
probability of 4e-4 (Student)."""
NUMBERS = 2**20
"""Number of normal numbers in a replicate, within the bounds below: 8 MiB."""
FEWEST, MOST = 2**6, 2**16
"""Smallest and largest number of units in a replicate: powers of two, for which Sobol points are balanced."""
MIXED = 1.3
"""Factor of the change from few to many data in the reported error, if that change is significant."""
LARGEST = 2**26
"""Largest number of normal numbers in a replicate: 512 MiB."""


@final
@dataclass(frozen=True)
class Sampling:
    """How many units of a given data set are drawn, and which.

    world: the number of one of many predictions over which `layers.few` are averaged, 0 if there is one. fewer: by
    which factor, a power of 2, fewer units are drawn than usual.
    """

    world: int = 0
    fewer: int = 1


ALONE = Sampling()
"""The sampling of one prediction alone."""


@final
@dataclass(frozen=True)
class Draws:
    """One replicate of drawn units.

    rng is the generator, which layers may use for their own draws; points is the number of units drawn together, whose
    means are near those of all units; 1 if units are independent. Units of a law are drawn at `batches` of `size` data
    in independent `groups`; units of a given data set, at all of its data. taken records how many normal numbers each
    unit takes.
    """

    rng: Generator
    points: int
    batches: int = 1
    size: int = 1
    groups: int = 2
    taken: list[int] = field(default_factory=list)

    @property
    def data(self) -> int:
        """Number of data at which units of a law are drawn."""
        return self.batches * self.size

    def normal(self, rows: int, count: int) -> Array:
        """Draw normal numbers, shape (rows, count), from Sobol points; independent ones if `points` is 1.

        The numbers of count/points neighbouring columns are the coordinates of one point. The points are in random
        order, and the two halves of the columns are independent. Means over units vary less than those of independent
        units. A layer that computes with a mean over a number of units that its network has needs independent ones.
        """
        copies = -(-count // self.points)
        if rows * copies * self.points > LARGEST:
            raise ValueError(
                f"expected units made of at most {LARGEST // FEWEST} random numbers in front of a layer that is "
                f"estimated from draws, got {rows * copies}; pool fewer units, or put a Dense in front of it"
            )
        self.taken.append(rows * copies)
        if self.points == 1:
            return self.rng.standard_normal((rows, count))
        half = self.points // 2
        halves = [normal_points(self.rng, half, rows * copies).reshape(half, rows, copies) for _ in range(2)]
        return np.stack(halves).transpose(2, 0, 1, 3).reshape(rows, self.points * copies)[:, :count]

    def of_law(self, count: int) -> tuple[Array, Array]:
        """Draw normal numbers of `count` units, and of the same units at all data, shape (batches, size, count)."""
        return self.normal(1, count)[0], self.stratified(count)

    def stratified(self, count: int) -> Array:
        """Draw normal numbers of units at all data, shape (batches, size, count).

        Within each of the `groups`, the numbers at the same place of all batches are stratified, so that their averages
        are near the averages over infinitely many batches.
        """
        from scipy.special import ndtri  # noqa: PLC0415 - loaded where something is drawn

        if self.batches == 1:
            return self.normal(self.size, count)[None]
        self.taken.append(self.batches * self.size * (count // self.points))
        strata = self.batches // self.groups
        places = np.broadcast_to(np.arange(strata)[:, None, None], (self.groups, strata, self.size, count))
        uniform = self.rng.permuted(places, axis=1) + self.rng.random(places.shape)
        normal: Array = ndtri(uniform / strata)
        return normal.reshape(self.batches, self.size, count)


def replicated(statistic: Callable[[Draws], Array], batches: int, size: int, groups: int = 2) -> Array:
    """Return a statistic of drawn units in independent replicates, shape (REPLICATES, ...).

    A replicate has as many units as NUMBERS allows; a trial with few units shows how many numbers each unit takes.
    """
    first, *rngs = np.random.default_rng(SEED).spawn(REPLICATES + 1)
    with one_thread(), np.errstate(all="ignore"):
        trial = Draws(first, FEWEST, batches, size, groups)
        statistic(trial)
        points = min(MOST, points_within(NUMBERS // max(1, sum(trial.taken))))
        return np.array([statistic(Draws(rng, points, batches, size, groups)) for rng in rngs])


def points_within(most: int) -> int:
    """Return the largest power of two that is at most `most`, or FEWEST if that is larger."""
    return max(FEWEST, 1 << max(most, 1).bit_length() - 1)


def standard_error(values: Array) -> Array:
    """Return the standard errors of means over replicates, which are along the first axis."""
    return np.asarray(values.std(axis=0) / np.sqrt(len(values) - 1))


def combined(few: Array, many: Array, ratio: float) -> tuple[Array, Array]:
    """Return the mean over replicates with few and with many data, and its error.

    If the two differ by more than their scatter, the value is extrapolated to infinitely many data by a change of order
    1/data. ratio: many data over few.
    """
    change = many.mean(axis=0) - few.mean(axis=0)
    few_error, many_error = (SPARE * standard_error(part) for part in (few, many))
    differs = np.abs(change) > few_error + many_error
    weight = many_error**2 / np.maximum(few_error**2 + many_error**2, TINY)
    value = many.mean(axis=0) + np.where(differs, change / (ratio - 1), -weight * change)
    together = np.sqrt(weight) * few_error
    return value, np.where(differs, many_error + MIXED * np.abs(change), together)


def beside(value: Any) -> Array:
    """Return a number, or the numbers of a sweep, with two axes appended: of the data and of the units."""
    return np.asarray(value, dtype=float)[..., None, None]
