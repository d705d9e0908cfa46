"""Draws of units: quasi-random normal numbers, and means over independent replicates of them.

Every call draws the same numbers, so that a prediction is the same twice.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.numbers.threads import one_thread

Array = NDArray[np.float64]

SEED = 1
"""Seed of all replicates."""
REPLICATES = 32
"""Independent replicates of a mean, whose scatter gives its error."""
SPARE = 4.0
"""Standard errors in an error."""
NUMBERS = 2**19
"""Normal numbers that a replicate takes, within the bounds below."""
FEWEST, MOST = 2**6, 2**16
"""Units in a replicate at least and at most: powers of two, for which Sobol points are balanced."""
LARGEST = 2**26
"""Normal numbers in a replicate at most."""
DIMENSIONS = 2**10
"""Dimensions of one Sobol sequence; more dimensions are several sequences, paired at random."""


@final
@dataclass(frozen=True)
class Draws:
    """One replicate of drawn units.

    rng is the generator, which layers may use for what they draw themselves; points is the number of units drawn
    together. Units of a law are drawn at `batches` times `size` data, or at `size` data that stand for the `full` batch;
    those of a given data set at all of its data.
    """

    rng: Generator
    points: int
    batches: int = 1
    size: int = 1
    full: bool = False
    taken: list[int] = field(default_factory=list)

    @property
    def data(self) -> int:
        """Number of data at which units of a law are drawn."""
        return self.batches * self.size

    def normal(self, rows: int, count: int) -> Array:
        """Draw independent normal numbers, shape (rows, count), from scrambled Sobol points.

        Neighbouring columns, count/points of them, are the coordinates of one point. The points are in random order,
        and the two halves of the columns are independent, so that a layer may combine units in any way.
        """
        copies = -(-count // self.points)
        if rows * copies * self.points > LARGEST:
            raise ValueError(
                f"expected units made of at most {LARGEST // FEWEST} random numbers in front of a layer that is "
                f"estimated from draws, got {rows * copies}; pool fewer units, or put a Dense in front of it"
            )
        self.taken.append(rows * copies)
        halves = [self._scrambled(self.points // 2, rows, copies) for _ in range(2)]
        return np.concatenate(halves, axis=1)[:, :count]

    def of_law(self, count: int) -> tuple[Array, Array]:
        """Draw normal numbers of `count` units and, shape (data, count), of the same units at all data.

        The data of a full batch are spread evenly over the normal law, unit by unit, so that their averages are near
        those of infinitely many.
        """
        if not self.full:
            found = self.normal(1 + self.data, count)
            return found[0], found[1:]
        from scipy.special import ndtri  # noqa: PLC0415 - loaded where something is drawn

        self.taken.append(self.data * (count // self.points))
        strata = self.rng.permuted(np.broadcast_to(np.arange(self.data)[:, None], (self.data, count)), axis=0)
        return self.normal(1, count)[0], np.asarray(ndtri((strata + self.rng.random(strata.shape)) / self.data))

    def _scrambled(self, points: int, rows: int, copies: int) -> Array:
        from scipy.special import ndtri  # noqa: PLC0415 - loaded where something is drawn
        from scipy.stats.qmc import Sobol  # noqa: PLC0415 - as above

        found = np.empty((points, rows * copies))
        for start in range(0, rows * copies, DIMENSIONS):
            part = found[:, start : start + DIMENSIONS]
            part[:] = self.rng.permutation(Sobol(part.shape[1], rng=self.rng).random(points))
        # points have 30 bits: half a step keeps them away from 0 and 1
        normal: Array = ndtri(found + 2.0**-31)
        return normal.reshape(points, rows, copies).transpose(1, 0, 2).reshape(rows, points * copies)


def replicated(statistic: Callable[[Draws], Array], batches: int, size: int, *, full: bool = False) -> Array:
    """Values of a statistic of drawn units in independent replicates, shape (REPLICATES, ...).

    A replicate has as many units as NUMBERS allows, counted by a trial with few.
    """
    first, *rngs = np.random.default_rng(SEED).spawn(REPLICATES + 1)
    with one_thread(), np.errstate(all="ignore"):
        trial = Draws(first, FEWEST, batches, size, full)
        statistic(trial)
        most = NUMBERS // max(1, sum(trial.taken))
        points = min(MOST, max(FEWEST, 1 << max(most, 1).bit_length() - 1))
        return np.array([statistic(Draws(rng, points, batches, size, full)) for rng in rngs])


def standard_error(values: Array) -> Array:
    """Standard errors of the means of replicates along the first axis."""
    return np.asarray(values.std(axis=0) / np.sqrt(len(values) - 1))


def beside(value: Any) -> Array:
    """Return a number, or those of a sweep, with the axes of data and units behind."""
    return np.asarray(value, dtype=float)[..., None, None]
