"""Kernels of given data from draws of units, with other units of known kernel as control variates.

With units y and y0 of the same weights, the moments of y0 known,

    E y_a y_b = beta E y0_a y0_b + E (y_a y_b - beta y0_a y0_b),

where the last mean is over draws: the closer y0 comes to y, the less is left to them.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.draws import FEWEST, REPLICATES, SEED, SPARE, Array, Draws, points_within, standard_error
from igbtheory.numbers.threads import one_thread

Pair = Callable[[Draws, int], tuple[Array, Array | None]]
"""Draws units y, and units y0 of known moments or None, shape (data, units) each."""
LEAST, VALUES, MOST = 2**10, 2**18, 2**23
"""Of a replicate: units at least, values at all data where these allow more units, random numbers at most."""
FEW = 2
"""Replicates of a prediction that is one of many worlds."""
SMALL = 1024
"""Data up to which a matrix product takes one thread: several wait for each other, longer still beside other work."""
HEAVY = 100.0
"""Largest square over the mean square in a replicate up to which a unit is used as a control: beyond, its known moments
may come from rare values that no replicate has drawn."""


@final
@dataclass(frozen=True)
class DrawnKernel:
    """Second moments, shape (D, D), and means, shape (D,), of a unit at D data.

    error: SPARE standard errors of what a prediction is made of, against the mean q of the diagonal: of q - q_ab, q_ab
    the mean over all pairs, or of either of the two times (q - q_ab)/q, whichever is the largest.
    """

    q_ab: Array
    mean: Array
    error: float


def estimated(draw: Pair, q_ab: Array, mean: Array, world: int = 0) -> DrawnKernel:
    """Return the moments of the units y; q_ab and mean are those of y0.

    world: 0, or the number of one of many independent predictions, whose scatter shows their error: FEW replicates do.
    """
    replicates = FEW if world else REPLICATES
    rngs = np.random.default_rng([SEED, world] if world else SEED).spawn(replicates + 2)
    with one_thread() if mean.size <= SMALL else nullcontext():
        slope, beta, left, square, means = _drawn(draw, LEAST if world else max(LEAST, VALUES // mean.size), rngs)
    # without a control its moments may be out of range
    found = beta * q_ab + square if beta else square
    q, shared = float(np.diagonal(found).mean()), float(found.mean())
    apart = (q - shared) / q if q > 0 else 0.0
    own, common, difference = standard_error(np.stack([means[:, 0], means[:, 1], means[:, 0] - means[:, 1]], axis=1))
    error = SPARE * max(difference, apart * own, apart * common) / q if q > 0 else 0.0
    return DrawnKernel(found, slope * mean + left if slope else left, float(error))


def _drawn(draw: Pair, wanted: int, rngs: list[Generator]) -> tuple[float, float, Array, Array, Array]:
    """Slopes of y and of its square on those of y0, and what they leave of the means and of the second moments.

    The last are means of these second moments over the diagonal and over all pairs, shape (replicates, 2).
    """
    pairs = _replicates(draw, wanted, rngs)
    y, y0 = next(pairs)
    if y0 is None or not _is_light(y0):
        slope = beta = 0.0
    else:
        slope, beta = _slope(y, y0), _slope(np.square(y), np.square(y0))
    mean = square = np.zeros(())
    means: list[tuple[float, float]] = []
    for y, y0 in pairs:
        left, moments = y.mean(axis=1), y @ y.T / y.shape[1]
        if y0 is not None and beta:
            left, moments = left - slope * y0.mean(axis=1), moments - beta * (y0 @ y0.T) / y.shape[1]
        mean, square = mean + left, square + moments
        means.append((np.diagonal(moments).mean(), moments.mean()))
    return slope, beta, mean / len(means), square / len(means), np.array(means)


def _replicates(draw: Pair, wanted: int, rngs: list[Generator]) -> Iterator[tuple[Array, Array | None]]:
    """Independent draws, one more than the replicates; a trial tells how many numbers a unit takes."""
    first, *rngs = rngs
    trial = Draws(first, FEWEST)
    draw(trial, FEWEST)
    points = points_within(min(wanted, MOST // max(1, sum(trial.taken))))
    for rng in rngs:
        yield draw(Draws(rng, points), points)


def _is_light(y: Array) -> bool:
    """Whether the draws have seen what makes up the second moments, that is whether their tails are light."""
    square = np.square(y)
    return bool(np.all(square.max(axis=1) <= HEAVY * square.mean(axis=1)))


def _slope(y: Array, y0: Array) -> float:
    """Regression of y on y0, one for all data."""
    apart = y0 - y0.mean(axis=1, keepdims=True)
    square = float(np.sum(apart * apart))
    return float(np.sum(y * apart)) / square if square else 0.0
