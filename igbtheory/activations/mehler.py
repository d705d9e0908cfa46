"""Hermite (Mehler) series of a smooth function: phi(m + sqrt(q) z) = sum_k a_k He_k(z)/sqrt(k!).

Then E phi = a_0, Cov = sum_{k>0} a_k b_k c^k and var_chi = sum_k a_k^2 (1 - c^k), all terms positive. One matrix
product serves a whole sweep. The coefficients come from the trapezoidal rule, which converges geometrically for
analytic phi; even and odd k are kept apart, since they see the even and the odd part of phi only.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.threads import one_thread

ORDERS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
WITNESSES = np.sqrt([0.11, 0.57, 1.9, 5.3])
SEEN = 1e-4
"""Points at which a series is held against phi, and the gap, against the norm of phi, that shows it to be wrong."""
_DAMPING = np.exp(-(WITNESSES[:, None] ** 2) / 4)
FEW = 64
"""Points of a sweep below which a loop over coefficients costs more than their powers."""
LONG = 2
"""Orders at the end that a pair of data may take, but no point of a sweep: panels cost less there."""
SETTLED = 1024
"""Order from which on the fall of a series is judged."""
BLOCK = 2**20
"""Numbers held at once in a table of values."""


@lru_cache(maxsize=16)
def _basis(n: Kind, order: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Nodes z_j >= 0, and matrices (order/2, nodes) of weight times He_k(z_j)/sqrt(k!), k even and k odd."""
    decades = -np.log10(n.epsilon)
    step = float(2.0 ** np.floor(np.log2(min(0.125, 3 / np.sqrt(order)) * np.sqrt(16 / decades))))
    nodes = 1 + int((np.sqrt(4 * np.log(10) * decades) + 1) / step)
    table = n.hermite(order, nodes, step)
    return n.number(np.arange(nodes) * step), table[::2], table[1::2]


def coefficients(n: Kind, phi: Function, mean: Any, q: Any, order: int) -> tuple[Any, Any]:
    """Coefficients a_k, k even and k odd, shape (order/2, points) each, at the points (mean, q) of a sweep."""
    z, even, odd = _basis(n, order)
    scaled = z[:, None] * n.sqrt(q)
    above = phi(n, mean + scaled)
    if phi.parity and not np.any(mean):
        nothing = np.zeros((0, q.size), dtype=above.dtype)
        return (nothing, n.times(odd, 2 * above)) if phi.parity < 0 else (n.times(even, 2 * above), nothing)
    below = phi(n, mean - scaled)
    return n.times(even, above + below), n.times(odd, above - below)


def _misses(phi: Function, mean: Any, q: Any, even: Any, odd: Any) -> Any:
    """1 where the series is not phi at points between the nodes, 0 where it is: an oscillation finer than the nodes."""
    if not (even.size or odd.size):
        return np.zeros(q.shape)
    scale, centre = np.sqrt(q.astype(float)), np.asarray(mean, dtype=float)
    tables = _witnesses(2 * max(len(even), len(odd)))
    values = [phi(FLOAT64, centre + sign * scale * WITNESSES[:, None]) * _DAMPING for sign in (1, -1)]
    parts = (values[0] + values[1]) / 2, (values[0] - values[1]) / 2
    gaps = [
        np.abs(part - table[:, : len(a)] @ a.astype(float))
        for part, table, a in zip(parts, tables, (even, odd), strict=True)
    ]
    norm = np.sqrt(sum((a.astype(float) ** 2).sum(axis=0) for a in (even, odd)))
    return 1.0 * ~(np.max(gaps, axis=(0, 1)) <= SEEN * norm)


@lru_cache
def _witnesses(order: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Damped He_k(z)/sqrt(k!) at the witnesses, shape (witnesses, order/2), k even and k odd."""
    rows = [_DAMPING[:, 0], WITNESSES * _DAMPING[:, 0]]
    for k in range(2, order):
        rows.append((WITNESSES * rows[-1] - np.sqrt(k - 1) * rows[-2]) / np.sqrt(k))
    return np.array(rows[::2]).T, np.array(rows[1::2]).T


def _tail(n: Kind, squares: Any) -> Any:
    """Upper estimate of what lies beyond the end of a decaying series: its last quarter times sqrt(last/third).

    The terms of an analytic phi fall like exp(-a sqrt(k)) or faster, for which the next quarter is smaller still.
    """
    third, last = (squares[i * len(squares) // 4 : (i + 1) * len(squares) // 4].sum(axis=0) for i in (2, 3))
    return last * np.minimum(n.sqrt(last / (third + n.number(1e-300))), 1)


def fill(n: Kind, phi: Function, points: NDArray[Any], found: NDArray[Any]) -> None:
    """Write mean, var_mu, var_chi and error into columns of `found` where the series reaches its goal at the `points`.

    points: rows mean, var_mu, var_chi of h.
    """
    left = np.arange(points.shape[1])
    for order in _orders(n)[:-LONG]:
        if not left.size:
            break
        for part in np.array_split(left, 1 + left.size * order // BLOCK):
            with one_thread():
                found[:, part] = _moments(n, phi, points[:, part], order)
        left = np.flatnonzero(~(found[3] <= n.goal) & (found[3] <= _hope(n, order)))


def _orders(n: Kind) -> tuple[int, ...]:
    """Orders to try: more digits need in proportion more terms at the least."""
    return tuple(order for order in ORDERS if order >= -4 * np.log10(n.goal))


def _hope(n: Kind, order: int) -> float:
    """Largest error at this order with which a series that falls like exp(-a sqrt(k)) may yet reach the goal."""
    return float(100 * n.goal ** np.sqrt(order / ORDERS[-1])) if order >= SETTLED else np.inf


def _moments(n: Kind, phi: Function, points: NDArray[Any], order: int) -> NDArray[Any]:
    """Mean, var_mu, var_chi and error at points of a sweep.

    With S_i = sum_{j >= i} s_j, sum_j s_j (1 - c^2j) = (1 - c^2) sum_i S_{i+1} c^2i: no power is taken from 1.
    """
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    c, less = var_mu / q, var_chi / q
    square, less_square = c * c, less * (1 + c)
    series = even, odd = coefficients(n, phi, mean, q, order)
    average = even[0] if len(even) else 0 * q
    sizes = c * _polynomial(np.abs(odd[::-1]), square) + _polynomial(np.abs(even[::-1]), square)
    even, odd = even * even, odd * odd
    even[:1] = 0 * q
    later_even, later_odd = (np.add.accumulate(part[::-1])[::-1] for part in (even, odd))
    first_odd = odd.sum(axis=0)
    mu = c * _polynomial(odd[::-1], square) + _polynomial(even[::-1], square)
    chi = (
        less_square * (_polynomial(later_even[:0:-1], square) + c * _polynomial(later_odd[:0:-1], square))
        + less * first_odd
    )
    k = 2 * np.arange(order // 2)[:, None]
    weighted = [part * ks[: len(part)] for part, ks in ((even, k), (odd, k + 1))]
    # rounding leaves each a_k an error of the size of phi, which the mean may dominate
    total = average * average + even.sum(axis=0) + first_odd
    product = average * average + mu
    zero = product <= total * (1e5 * n.epsilon) ** 2  # what rounding leaves of it
    rounding = 100 + 4 * n.sqrt(total / (total - average * average)) + 4 * n.sqrt(total) * sizes / (product + zero)
    error = sum(_tail(n, part) for part in weighted) / sum(part.sum(axis=0) for part in weighted)
    error = error + rounding * n.epsilon
    ended = error <= n.goal
    if np.any(ended):  # only a series that has ended must be phi
        error = error + _misses(phi, mean, q, *series) * ended
    return np.array([average, mu, chi, error])


def _polynomial(highest_first: Any, x: Any) -> Any:
    """Polynomial in x, its highest coefficient first: by powers at few points, by Horner's rule at many."""
    if isinstance(highest_first, np.ndarray) and x.size < FEW and x.dtype != object:
        return (highest_first * x ** np.arange(len(highest_first))[::-1, None]).sum(axis=0)
    total = 0 * x
    for row in highest_first:
        total *= x
        total += row
    return total


def product(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any, mean: Any) -> tuple[Any, float]:
    """Mean E phi(h_a) phi(h_b) = sum_k a_k b_k c^k of pairs with that mean (arrays that broadcast) and its error."""
    c = q_ab / n.sqrt(q_a * q_b)
    square = c * c
    for order in _orders(n):
        series = [coefficients(n, phi, mean, np.ravel(q), order) for q in (q_a, q_b)]
        error = max(float(np.max(_share(n, *parts))) for parts in series) + 100 * n.epsilon
        if error <= n.goal:
            missed = (_misses(phi, mean, np.ravel(q), *parts) for q, parts in zip((q_a, q_b), series, strict=True))
            error += max(float(np.max(part)) for part in missed)
        if error <= n.goal or error > _hope(n, order):
            break
    (even_a, odd_a), (even_b, odd_b) = series
    shape_a, shape_b = ((-1, *np.shape(q)) for q in (q_a, q_b))
    even, odd = (
        _polynomial(map(np.multiply, a.reshape(shape_a)[::-1], b.reshape(shape_b)[::-1]), square) if len(a) else 0 * c
        for a, b in ((even_a, even_b), (odd_a, odd_b))
    )
    return even + c * odd, error


def _share(n: Kind, even: Any, odd: Any) -> Any:
    """Share of the second moment that lies beyond the end, an upper estimate at any c."""
    squares = [part * part for part in (even, odd)]
    return sum(_tail(n, part) for part in squares) / sum(part.sum(axis=0) for part in squares)
