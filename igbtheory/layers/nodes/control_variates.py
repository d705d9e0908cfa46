"""Kernels of given data from draws of units, with units of known kernel as control variates.

Let y and y0 be units that are computed from the same draws, and let the moments of y0 be known. In

    E y_a y_b = beta E y0_a y0_b + E (y_a y_b - beta y0_a y0_b),

only the last mean is estimated from draws: the closer y0 is to y, the smaller is its error.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.foundations.threads import one_thread
from igbtheory.layers.nodes.draws import (
    ALONE,
    FEWEST,
    REPLICATES,
    SEED,
    SPARE,
    Array,
    Draws,
    Sampling,
    points_within,
    standard_error,
)
from igbtheory.mathematics.numbers import FLOAT64

Pair = Callable[[Draws, int], tuple[Array, Array | None]]
"""Function that draws units y, and units y0 of known moments or None, shape (data, units) each."""
LEAST, VALUES, MOST = 2**10, 2**18, 2**23
"""Sizes of a replicate: fewest units, wanted number of values at all data, and largest number of random numbers."""
FEW = 2
"""Number of replicates in each of many worlds, over which a prediction is averaged."""
SMALL = 1024
"""Largest number of data for which a matrix product takes one thread: several would wait for one another."""
HEAVY = 100.0
"""Largest ratio of a square to the mean square in a replicate for which y0 is used as a control variate: beyond it, the
known moments may come from rare values that no replicate has drawn."""


@final
@dataclass(frozen=True)
class DrawnKernel:
    """Second moments, shape (D, D), and means, shape (D,), of a unit at D data.

    of_draws: SPARE times the largest of three relative standard errors: of q - q_ab to itself, and of q and q_ab to q,
    where q is the mean of squares and q_ab that of all pairs of data, at equal positions. of_pools: the same of a unit
    averaged over all positions. growth: the factor by which this average magnifies independent relative errors of the
    positions, the root of the ratio of q - q_ab in front of it to that behind. error_of_mean: SPARE times the standard
    error of the means, of which the root mean square over the data is taken, divided by sqrt(q).
    """

    q_ab: Array
    mean: Array
    of_draws: float = 0.0
    of_pools: float = 0.0
    error_of_mean: float = 0.0
    growth: float = 1.0


def estimated(draw: Pair, q_ab: Array, mean: Array, positions: int = 1, sampling: Sampling = ALONE) -> DrawnKernel:
    """Return the moments of the units y; q_ab and mean are the moments of y0.

    positions: the number of positions of a datum; those of a datum are consecutive rows of y. The scatter of many
    worlds shows the error, so that FEW replicates are enough in each.
    """
    world = sampling.world
    replicates = FEW if world else REPLICATES
    rngs = np.random.default_rng([SEED, world] if world else SEED).spawn(replicates + 2)
    wanted = LEAST if world else max(LEAST, VALUES // mean.size) // sampling.fewer
    with one_thread() if mean.size <= SMALL else nullcontext():
        slope, beta, lefts, square, means = _drawn(draw, wanted, rngs, positions)
    # without a control variate, the known moments are not used, which may be out of range
    kernel = beta * q_ab + square if beta else square
    left = lefts.mean(axis=0)
    centre = slope * mean + left if slope else left
    q = float(np.diagonal(kernel).mean())
    if q <= 0:
        return DrawnKernel(kernel, centre)
    squares, pairs = _means(kernel, positions)
    least = FLOAT64.epsilon * q
    apart = np.maximum(squares - pairs, least)
    errors = standard_error(means[:, 0] - means[:, 1]) / apart, *(standard_error(means) / np.maximum(squares, least))
    of_draws, of_pools = (SPARE * np.max(errors, axis=0)).tolist()
    of_mean = SPARE * np.sqrt(np.square(standard_error(lefts)).mean() / q)
    return DrawnKernel(kernel, centre, of_draws, of_pools, float(of_mean), float(np.sqrt(apart[0] / apart[1])))


def _drawn(draw: Pair, wanted: int, rngs: list[Generator], positions: int) -> tuple[float, float, Array, Array, Array]:
    """Return the slopes of y on y0 and of y^2 on y0^2, and the means and second moments of y less slope times y0.

    The means have the shape (replicates, data), the second moments (data, data). Last come the `_means` of these second
    moments, shape (replicates, 2, 2).
    """
    pairs = _replicates(draw, wanted, rngs)
    y, y0 = next(pairs)
    if y0 is None or not _is_light(y0):
        slope = beta = 0.0
    else:
        slope, beta = _slope(y, y0), _slope(np.square(y), np.square(y0))
    square = np.zeros(())
    lefts: list[Array] = []
    means: list[Array] = []
    for y, y0 in pairs:
        left, moments = y.mean(axis=1), y @ y.T / y.shape[1]
        if y0 is not None and beta:
            left, moments = left - slope * y0.mean(axis=1), moments - beta * (y0 @ y0.T) / y.shape[1]
        square = square + moments
        lefts.append(left)
        means.append(_means(moments, positions))
    return slope, beta, np.array(lefts), square / len(means), np.array(means)


def _means(kernel: Array, positions: int) -> Array:
    """Return the means of squares and of all pairs of data (rows), at equal positions and averaged over all."""
    count = len(kernel) // positions
    blocks = kernel.reshape(count, positions, count, positions)
    equal, pooled = np.einsum("aibi->ab", blocks) / positions, blocks.mean(axis=(1, 3))
    return np.array([[np.diagonal(x).mean() for x in (equal, pooled)], [x.mean() for x in (equal, pooled)]])


def _replicates(draw: Pair, wanted: int, rngs: list[Generator]) -> Iterator[tuple[Array, Array | None]]:
    """Yield independent draws, one more than the replicates; a trial shows how many numbers a unit takes."""
    first, *rngs = rngs
    trial = Draws(first, FEWEST)
    draw(trial, FEWEST)
    points = points_within(min(wanted, MOST // max(1, sum(trial.taken))))
    for rng in rngs:
        yield draw(Draws(rng, points), points)


def _is_light(y: Array) -> bool:
    """Return whether y has so light tails that its second moments do not come from values too rare to be drawn."""
    square = np.square(y)
    return bool(np.all(square.max(axis=1) <= HEAVY * square.mean(axis=1)))


def _slope(y: Array, y0: Array) -> float:
    """Return the slope of the regression of y on y0, one for all data."""
    apart = y0 - y0.mean(axis=1, keepdims=True)
    square = float(np.sum(apart * apart))
    return float(np.sum(y * apart)) / square if square else 0.0
