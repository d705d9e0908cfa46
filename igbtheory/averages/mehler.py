"""Mehler's sums over a Hermite series: E phi = a_0, Cov = sum_{k>0} a_k b_k c^k, var_chi = sum_k a_k^2 (1 - c^k).

All terms are positive where c is. One matrix product serves a whole sweep.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages import hermite
from igbtheory.averages.hermite import Series, beyond, coefficients, misses, tail
from igbtheory.formulas.function import Function
from igbtheory.numbers import Kind
from igbtheory.numbers.threads import one_thread

ORDERS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
FEW = 64
"""Points of a sweep below which a loop over coefficients costs more than their powers."""
LONG = 2
"""The highest orders are for pairs of data alone: at a point of a sweep panels take less time."""
SETTLED = 1024
"""Order from which on a series that falls too slowly is given up."""
BLOCK = 2**20
"""Numbers held at once in a table of values."""


def fill(n: Kind, phi: Function, points: NDArray[Any], found: NDArray[Any]) -> None:
    """Write mean, var_mu, var_chi and error into columns of `found` where the series reaches its goal at the `points`.

    points: rows mean, var_mu, var_chi of h.
    """
    if points.shape[1] == 1:
        series = _series_at(n, phi, points[0, 0], points[1, 0] + points[2, 0])
        found[3] = series.error
        if series.error[0] <= n.goal:
            found[:] = _sums(n, series, points)
        return
    left = np.arange(points.shape[1])
    for order in _orders(n)[:-LONG]:
        if not left.size:
            break
        for part in np.array_split(left, 1 + left.size * order // BLOCK):
            with one_thread():
                _fill(n, phi, points, found, part, order)
        left = np.flatnonzero(_unsettled(n, found[3], order))


@lru_cache(maxsize=64)
def _series_at(n: Kind, phi: Function, mean: Any, q: Any) -> Series:
    """Series at one point, as long as it takes or may: in a deep network q settles long before c does."""
    with one_thread():
        for order in _orders(n)[:-LONG]:
            series = hermite.series(n, phi, np.array([mean]), np.array([q]), order)
            if not _unsettled(n, series.error, order)[0]:
                break
    return series


def _unsettled(n: Kind, error: Any, order: int) -> Any:
    """Whether an error at this order is too large, and a longer series may yet reach the goal."""
    return ~(error <= n.goal) & (error <= _hope(n, order))


def _fill(n: Kind, phi: Function, points: NDArray[Any], found: NDArray[Any], part: Any, order: int) -> None:
    """Write the errors of the series at `part` of the points, and the sums where it has ended."""
    mean, var_mu, var_chi = points[:, part]
    series = hermite.series(n, phi, mean, var_mu + var_chi, order)
    found[3, part] = series.error
    ended = np.flatnonzero(series.error <= n.goal)
    if ended.size:
        found[:, part[ended]] = _sums(n, series.at(ended), points[:, part[ended]])


def _orders(n: Kind) -> tuple[int, ...]:
    """Orders to try: more digits need in proportion more terms at the least."""
    return tuple(order for order in ORDERS if order >= -4 * np.log10(n.goal))


def _hope(n: Kind, order: int) -> float:
    """Largest error at this order with which a series that falls like exp(-a sqrt(k)) may yet reach the goal."""
    return float(100 * n.goal ** np.sqrt(order / ORDERS[-1])) if order >= SETTLED else np.inf


def _sums(n: Kind, series: Series, points: NDArray[Any]) -> NDArray[Any]:
    """Mean, var_mu, var_chi and error at points of a sweep.

    With S_i = sum_{j >= i} s_j, sum_j s_j (1 - c^2j) = (1 - c^2) sum_i S_{i+1} c^2i: no power is taken from 1.
    """
    _, var_mu, var_chi = points
    q = var_mu + var_chi
    c, less = var_mu / q, var_chi / q
    square, less_square = c * c, less * (1 + c)
    average = series.even[0] if len(series.even) else 0 * q
    (even, odd), (later_even, later_odd) = series.squares, series.later
    first_odd = later_odd[0] if len(odd) else 0 * q
    of = _polynomials(square, max(len(even), len(odd)))
    mu = c * of(odd) + of(even)
    chi = less_square * (of(later_even[1:]) + c * of(later_odd[1:])) + less * first_odd
    # rounding leaves each a_k an error of the size of phi, which the mean may dominate
    total = average * average + (later_even[0] if len(even) else 0 * q) + first_odd
    product = average * average + mu
    zero = product <= total * (1e5 * n.epsilon) ** 2  # what rounding leaves of it
    size_even, size_odd = series.sizes
    sizes = c * of(size_odd) + of(size_even)
    rounding = 100 + 4 * n.sqrt(total / (total - average * average)) + 4 * n.sqrt(total) * sizes / (product + zero)
    return np.array([average, mu, chi, series.error + rounding * n.epsilon])


def _polynomials(x: Any, longest: int) -> Callable[[Any], Any]:
    """Polynomials in x, of coefficients with the lowest first: by powers at few points, by Horner's rule at many."""
    if x.size >= FEW or x.dtype == object:
        return lambda rows: _horner(rows[::-1], x)
    powers = x ** np.arange(longest)[:, None]
    return lambda rows: (rows * powers[: len(rows)]).sum(axis=0)


def _horner(highest_first: Iterable[Any], x: Any) -> Any:
    total = 0 * x
    for row in highest_first:
        total *= x
        total += row
    return total


def product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, mean: Any) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) = sum_k a_k b_k c^k of pairs with that mean (arrays that broadcast) and its error."""
    c = q_ab / n.sqrt(q_a * q_b)
    square = c * c
    for order in _orders(n):
        series = [coefficients(n, phi, mean, np.ravel(q), order) for q in (q_a, q_b)]
        shares = (_share(n, phi, (mean, np.ravel(q)), *parts) for q, parts in zip((q_a, q_b), series, strict=True))
        error = max(float(np.max(share)) for share in shares) + 100 * n.epsilon
        if error <= n.goal:
            missed = (misses(phi, mean, np.ravel(q), *parts) for q, parts in zip((q_a, q_b), series, strict=True))
            error += max(float(np.max(part)) for part in missed)
        if error <= n.goal or error > _hope(n, order):
            break
    (even_a, odd_a), (even_b, odd_b) = series
    shape_a, shape_b = ((-1, *np.shape(q)) for q in (q_a, q_b))
    even, odd = (
        _horner(map(np.multiply, a.reshape(shape_a)[::-1], b.reshape(shape_b)[::-1]), square) if len(a) else 0 * c
        for a, b in ((even_a, even_b), (odd_a, odd_b))
    )
    return even + c * odd, error


def _share(n: Kind, phi: Function, at: tuple[Any, Any], even: Any, odd: Any) -> Any:
    """Share of the second moment that lies beyond the end, or beyond the nodes, an upper estimate at any c."""
    squares = [part * part for part in (even, odd)]
    lost = beyond(n, phi, at, even, odd) + sum(tail(n, part) for part in squares)
    return lost / sum(part.sum(axis=0) for part in squares)
