"""Moments of units that can be drawn and not averaged, by those of other units that can.

With units y and y0 of the same weights, the moments of y0 known,

    E y_a y_b = beta E y0_a y0_b + E (y_a y_b - beta y0_a y0_b),

where the last mean is over draws: the closer y0 comes to y, the less is left to them. They are the same in every call.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.draws import Array
from igbtheory.numbers.threads import one_thread

SEED = 1
"""Seed of the draws."""
BLOCKS = 32
"""Blocks of draws, besides one for beta."""
LEAST, VALUES, FEWEST = 1024, 2**18, 64
"""Draws in a block at least, values at all data that they make where this allows more, and maxima at least."""
SMALL = 256
"""Data up to which a matrix product takes one thread: several would wait for each other."""
HEAVY = 100.0
"""Largest square in a block, relative to their mean, from which on a unit is no control: its known moments may come
from draws that no block has."""
SPARE = 4.0
"""Standard errors in an error."""


@final
@dataclass(frozen=True)
class Estimate:
    """Second moments, shape (D, D), and means, shape (D,), of a unit at D data.

    error: SPARE standard errors, against the roots of the two diagonal entries: the root of their mean square, over
    the means, over the diagonal or over all pairs, whichever is the largest.
    """

    q_ab: Array
    mean: Array
    error: float


def estimated(draw: Callable[[Generator, int], Array], q_ab: Array, mean: Array, m: int) -> Estimate:
    """Moments of the units y; draw: from a generator and a count, y and y0 in one array, shape (2, D, count).

    q_ab, mean: those of y0; m: draws that make one unit. Source: control variates, as in any textbook of Monte Carlo
    methods.
    """
    count = max(FEWEST, max(LEAST, VALUES // mean.size) // m)
    with one_thread() if mean.size <= SMALL else nullcontext():
        slope, beta, sums = _drawn(draw, count)
    left, error_1 = _mean(sums[0], sums[1])
    square, error_2 = _mean(sums[2], sums[3])
    # without a control its moments may be out of range
    found = beta * q_ab + square if beta else square
    q = np.diagonal(found)
    inverse = np.divide(1, q, out=np.zeros(len(q)), where=q > 0)
    relative = (
        error_1 * np.sqrt(inverse),
        np.diagonal(error_2) * inverse,
        error_2 * np.sqrt(inverse[:, None] * inverse),
    )
    return Estimate(
        found,
        slope * mean + left if slope else left,
        SPARE * max(float(np.sqrt(np.mean(part**2))) for part in relative),
    )


def _drawn(draw: Callable[[Generator, int], Array], count: int) -> tuple[float, float, list[Array]]:
    """Slopes of y and of its square on those of y0, and sums over blocks of what they leave, and of its squares."""
    rng = np.random.default_rng(SEED)
    y, y0 = draw(rng, count)
    slope, beta = (_slope(y, y0), _slope(np.square(y), np.square(y0))) if _is_light(y0) else (0.0, 0.0)
    sums: list[Array] = [np.zeros(())] * 4
    for _ in range(BLOCKS):
        y, y0 = draw(rng, count)
        left, square = (y - slope * y0).mean(axis=1), (y @ y.T - beta * (y0 @ y0.T)) / count
        sums = [total + new for total, new in zip(sums, (left, left**2, square, square**2), strict=True)]
    return slope, beta, sums


def _is_light(y: Array) -> bool:
    """Whether the draws have seen what makes up the second moments, that is whether their tails are light."""
    square = np.square(y)
    return bool(np.all(square.max(axis=1) <= HEAVY * square.mean(axis=1)))


def _slope(y: Array, y0: Array) -> float:
    """Regression of y on y0, one for all data."""
    apart = y0 - y0.mean(axis=1, keepdims=True)
    square = float(np.sum(apart * apart))
    return float(np.sum(y * apart)) / square if square else 0.0


def _mean(total: Array, squares: Array) -> tuple[Array, Array]:
    """Means of the blocks, and their standard errors."""
    mean = total / BLOCKS
    return mean, np.sqrt(np.maximum(squares / BLOCKS - mean**2, 0) / (BLOCKS - 1))
