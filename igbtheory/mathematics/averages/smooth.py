"""Moments and kernels of a smooth formula by its Hermite series: one matrix product serves a whole sweep."""

from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.averages import hermite, mehler
from igbtheory.mathematics.averages.state import ZERO
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import BLOCK

ORDERS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
"""Numbers of terms to try. As each is twice the one before, all attempts take at most twice as long as the last."""
LONG = 2
"""The highest orders are for pairs of data only: at a point of a sweep, panels take less time."""
SHORT = 256
"""Order up to which a series takes less time than panels do for the points of a sweep at which one variance is 0."""
SETTLED = 1024
"""Order from which on a series that falls too slowly is given up."""


def fill(n: Kind, phi: Function, points: NDArray[Any], rows: NDArray[Any]) -> None:
    """Write mean, var_mu, var_chi and error into the columns of `rows` that miss the goal, if the series reaches it.

    points: rows mean, var_mu, var_chi of h.
    """
    unreached = np.flatnonzero(~(rows[3] <= n.goal))
    if points.shape[1] == 1:
        _write(n, *_series_at(n, phi, points[0, 0], points[1, 0] + points[2, 0]), points, rows, unreached)
        return
    for order in _orders(n)[:-LONG]:
        if not unreached.size:
            break
        errors = np.ones(0)
        for part in np.array_split(unreached, 1 + unreached.size * order // BLOCK):
            with one_thread():
                a, error = hermite.series(n, phi, points[0, part], points[1:, part].sum(axis=0), order, centred=True)
                errors = np.append(errors, _write(n, a, error, points, rows, part))
        unreached = unreached[_unsettled(n, errors, order)]
        if order >= SHORT:
            unreached = unreached[points[1:, unreached].all(axis=0)]


@lru_cache(maxsize=64)
def _series_at(n: Kind, phi: Function, mean: Any, q: Any) -> tuple[Any, Any]:
    """Return the series at one point, as long as needed or allowed: a deep network repeats q before it repeats c."""
    with one_thread():
        for order in _orders(n)[:-LONG]:
            a, error = hermite.series(n, phi, np.array([mean]), np.array([q]), order, centred=True)
            if not _unsettled(n, error, order)[0]:
                break
    return a, error


def _unsettled(n: Kind, error: Any, order: int) -> Any:
    """Return whether the error at this order is too large, and a longer series may reach the goal."""
    return ~(error <= n.goal) & (error <= _hope(n, order))


def _orders(n: Kind) -> tuple[int, ...]:
    """Return the orders to try: more digits need proportionally more terms at least."""
    return tuple(order for order in ORDERS if order >= -4 * np.log10(n.goal))


def _hope(n: Kind, order: int) -> float:
    """Return the largest error at this order with which a series that falls like exp(-a sqrt(k)) can reach the goal."""
    return float(100 * n.goal ** np.sqrt(order / ORDERS[-1])) if order >= SETTLED else np.inf


def _write(n: Kind, a: Any, error: Any, points: NDArray[Any], rows: NDArray[Any], part: Any) -> Any:
    """Write the moments at those of the points `part` at which the series has converged, and return all errors."""
    errors, converged = error.copy(), np.flatnonzero(error <= n.goal)
    if converged.size:
        moments = _moments(n, a[:, converged], error[converged], points[:, part[converged]])
        rows[:, part[converged]], errors[converged] = moments, moments[3]
    return errors


def _moments(n: Kind, a: Any, error: Any, points: NDArray[Any]) -> NDArray[Any]:
    """Return mean, var_mu, var_chi and error at points of a sweep, from the a_k and their truncation errors."""
    average, a = a[0], a[1:]
    _, var_mu, var_chi = points
    q, squares = var_mu + var_chi, a * a
    mu_shares, chi_shares = mehler.shares(var_mu / q, var_chi / q, len(a))
    mu, chi = (squares * mu_shares).sum(axis=0), (squares * chi_shares).sum(axis=0)
    # rounding leaves in each a_k an error of the size of phi, which the mean may dominate
    centred, product = squares.sum(axis=0), average * average + mu
    total = average * average + centred
    zero = product <= total * (ZERO / FLOAT64.epsilon * n.epsilon) ** 2
    sizes = np.abs(average) + (np.abs(a) * mu_shares).sum(axis=0)
    rounding = 100 + 4 * n.sqrt(total / centred) + 4 * n.sqrt(total) * sizes / (product + zero)
    return np.array([average, mu, chi, error + rounding * n.epsilon])


def product(n: Kind, phi: Function, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) of pairs and its error relative to E phi^2, infinite if no series converges.

    pair: variances q_a, q_b and covariance q_ab, arrays that broadcast; mean: one number, of both units.
    """
    return mehler.of_pairs(partial(_of_pairs, n, phi, mean), pair)


def _of_pairs(n: Kind, phi: Function, mean: Any, q: Any, a: Any, b: Any, q_ab: Any) -> tuple[Any, float]:
    """Return the product and its error at pairs with the variances q[a] and q[b]."""
    for order in _orders(n):
        terms, errors = hermite.series(n, phi, mean, q, order, centred=False)
        error = float(np.max(errors)) + 100 * n.epsilon
        if error <= n.goal:
            root = n.sqrt(q)
            return mehler.sums(n, ((terms, terms),), a, b, q_ab / (root[a] * root[b])), error
        if not error <= _hope(n, order):
            break
    return 0 * q_ab, np.inf
