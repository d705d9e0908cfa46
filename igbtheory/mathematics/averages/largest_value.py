"""Moments of the largest of m independent values phi(h), for a phi that does not increase, so that no rule has them.

The axis of h is cut into cells, on each of which phi counts as constant. Given u, which two data share, the values of
the data are independent, and F(x|u) = P(phi(h) <= x | u) is a sum over cells. With F = E_u F(x|u) and
F_2(x, y) = E_u F(x|u) F(y|u), as of any maximum,

    var_mu = iint [F_2(x, y)^m - F(x)^m F(y)^m] dx dy,   var_chi = 2 iint_{x<y} [F(x)^m - F_2(x, y)^m] dx dy.

Both integrals are sums over the values of the cells. Their error falls with the square of the number of cells, so that
they are extrapolated from numbers of cells which double.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64

Array = NDArray[np.float64]
REACH = 8.0
"""Standard deviations of h within which cells lie: the rest has the probability 1e-15, which m multiplies."""
CELLS, FEWEST, MOST = 10, 384, 1024
"""Cells in each standard deviation of h at fixed u, and bounds of their number: so many take a quarter of a second."""
LARGEST = 64
"""Largest number m of values: each takes a pass over all pairs of cells."""
ALIKE = 1e4
"""Ratio var_mu/var_chi from which on F(x|u) varies within a cell."""
STEP = 0.5
"""Distance of the nodes u, in units of the width of F(x|u): the trapezoidal rule then has rounding errors alone."""
SPARE = 4.0
"""Factor of the change by the last extrapolation in the stated error, for formulas whose kinks lie within cells."""


def moments(phi: Function, m: int, h: Moments) -> Moments | None:
    """Return the moments of the largest value at all points of a sweep; None if cells are too coarse for them.

    They are so if phi jumps, if m is large, or if data are nearly equal. The error of var_mu is relative to var_mu.
    """
    points = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in (h.mean, h.var_mu, h.var_chi)))
    _, var_mu, var_chi = points
    if m > LARGEST or any(phi.pieces.jumps(FLOAT64)) or not np.all((var_mu < ALIKE * var_chi) & (var_chi > 0)):
        return None
    rows = [_extrapolated(phi, m, *map(float, point)) for point in zip(*map(np.ravel, points), strict=True)]
    mean, var_mu, var_chi, error = (part.reshape(var_mu.shape)[()] for part in np.transpose(rows))
    return Moments(mean, var_mu, var_chi, h.error + error)


@lru_cache(maxsize=256)  # a deep network at its fixed point repeats them in every layer
def _extrapolated(phi: Function, m: int, mean: float, var_mu: float, var_chi: float) -> Array:
    """Return mean, var_mu, var_chi and their relative error at one point."""
    cells = int(np.clip(2 * REACH * CELLS * np.sqrt(1 + var_mu / var_chi), FEWEST, MOST)) // 4 * 4
    rough, middle, fine = (_of_cells(phi, m, (mean, var_mu, var_chi), cells // divisor) for divisor in (4, 2, 1))
    before, after = ((4 * many - few) / 3 for few, many in ((rough, middle), (middle, fine)))
    average, mu, chi = after
    scales = np.array([np.sqrt(average**2 + mu + chi), mu, chi])
    changes = np.divide(np.abs(after - before), scales, out=np.zeros(3), where=after != before)
    return np.array([*after, SPARE * changes.max() + REACH * FLOAT64.epsilon])


def _of_cells(phi: Function, m: int, h: tuple[float, float, float], cells: int) -> Array:
    """Return mean, var_mu and var_chi for so many cells."""
    mean, var_mu, var_chi = h
    ends = np.linspace(-REACH, REACH, cells + 1) * np.sqrt(var_mu + var_chi)
    values = np.asarray(phi(FLOAT64, mean + (ends[1:] + ends[:-1]) / 2), dtype=float)
    order = np.argsort(values)
    steps = np.diff(values[order])
    u, weights = _shared(var_mu, var_chi)
    inside = np.diff(ndtr((ends - np.sqrt(var_mu) * u[:, None]) / np.sqrt(var_chi)), axis=1)
    given = np.cumsum(inside[:, order], axis=1)[:, :-1]
    below = weights @ given
    # for x < y: P(a value is at most x), P(it is so, and that of another datum is above y), P(both are at most x and y)
    x, apart = below[:, None], (weights[:, None] * given).T @ (1 - given)
    both, area = x - apart, np.triu(np.outer(steps, steps))
    area += np.triu(area, 1)  # and for y < x
    chi = _rise(both, x, apart, m)
    mu = _rise(x * below, both, x * (1 - below) - apart, m)
    average = values[order[-1]] - steps @ below**m
    return np.array([average, np.vdot(area, mu), np.vdot(area, chi)])


def _rise(a: Array, b: Array, difference: Array, m: int) -> Array:
    """Return b^m - a^m, given b - a."""
    total, power = np.zeros(difference.shape), np.ones(b.shape)
    for _ in range(m):
        total = total * a + power
        power = power * b
    return total * difference


def _shared(var_mu: float, var_chi: float) -> tuple[Array, Array]:
    """Return nodes and weights of the average over u."""
    step = min(STEP * np.sqrt(var_chi / var_mu), 1.0) if var_mu else 2 * REACH
    u = np.arange(-REACH, REACH + step, step) if var_mu else np.zeros(1)
    weights = np.exp(-u * u / 2)
    return u, weights / weights.sum()
