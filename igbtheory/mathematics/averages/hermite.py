"""Hermite series of a smooth function: phi(m + sqrt(q) z) = sum_k a_k He_k(z)/sqrt(k!).

The coefficients come from the trapezoidal rule, which converges geometrically if phi is analytic.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import TINY

WITNESSES = np.sqrt([0.11, 0.57, 1.9, 5.3])
WITNESSES = np.append(WITNESSES, -WITNESSES)
"""Points at which a series is compared with phi. Their ratios are irrational: an oscillation that vanishes at the nodes
does not vanish at all of them."""
SEEN = 1e-4
"""Difference there, relative to the norm of phi, that shows a series to be wrong; the series of an oscillation that its
nodes miss is wrong by the size of phi."""
_DAMPING = np.exp(-(WITNESSES**2) / 4)
"""With this factor all He_k/sqrt(k!) are at most 1.09, by Cramér's inequality."""


def series(n: Kind, phi: Function, mean: Any, q: Any, order: int, *, centred: bool) -> tuple[Any, Any]:
    """Return the a_k at the points (mean, q) of a sweep, shape (order, points), and their truncation errors.

    The errors are estimated; an error is at least 1 if the series has converged to something other than phi.
    centred: whether the error is relative to the sums of a_k^2 and of k a_k^2 for k > 0, which determine the variances
    of phi at any correlation. Otherwise it is relative to E phi^2.
    """
    a = _coefficients(n, phi, mean, q, order)
    squares = a * a
    if centred:
        squares[0] *= 0
    weighted = np.arange(order)[:, None] * squares if centred else squares
    # of a constant both sums are 0, and the error is NaN
    error = n.ratio(_tail(n, weighted), weighted.sum(axis=0)) + n.ratio(
        _beyond(n, phi, mean, q, a), squares.sum(axis=0)
    )
    converged = error <= n.goal
    if np.any(converged):
        error = error + _misses(phi, mean, q, a) * converged
    return a, error


@lru_cache(maxsize=16)
def _basis(n: Kind, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the nodes z_j >= 0, and the matrix (order, nodes) of weight times He_k(z_j)/sqrt(k!)."""
    # the entries are at most exp(-z^2/4), which is epsilon at the last node; the step is at most half a wavelength,
    # pi/sqrt(k), of He_k
    decades = -np.log10(n.epsilon)
    step = float(2.0 ** np.floor(np.log2(min(0.125, 3 / np.sqrt(order)) * np.sqrt(16 / decades))))
    nodes = 1 + int((np.sqrt(4 * np.log(10) * decades) + 1) / step)
    return n.number(np.arange(nodes) * step), n.hermite(order, nodes, step)


def _coefficients(n: Kind, phi: Function, mean: Any, q: Any, order: int) -> Any:
    """Return the a_k, shape (order, points); even k see the even part of phi only, and odd k the odd part."""
    z, basis = _basis(n, order)
    scaled = z[:, None] * n.sqrt(q)
    above = phi(n, mean + scaled)
    below = phi.parity * above if phi.parity and not np.any(mean) else phi(n, mean - scaled)
    a = np.zeros((order, q.size), dtype=above.dtype)
    for first, part in enumerate((above + below, above - below)):
        if np.any(part):
            a[first::2] = n.times(basis[first::2], part)
    return a


def _beyond(n: Kind, phi: Function, mean: Any, q: Any, a: Any) -> Any:
    """Estimate the error of the sum of the a_k^2 from values of phi beyond the outermost nodes, where phi may grow."""
    z, basis = _basis(n, len(a))
    far = z[-1:, None] * n.sqrt(q)
    size = 4 * (np.abs(phi(n, mean + far)) + np.abs(phi(n, mean - far)))
    return 2 * (np.abs(a) * n.times(np.abs(basis[:, -1:]), size)).sum(axis=0)


def _misses(phi: Function, mean: Any, q: Any, a: Any) -> Any:
    """Return 1 where the series is not phi between the nodes, because phi oscillates faster, and 0 elsewhere."""
    scale, centre, coefficients = np.sqrt(q.astype(float)), np.asarray(mean, dtype=float), a.astype(float)
    values = phi(FLOAT64, centre + scale * WITNESSES[:, None]) * _DAMPING[:, None]
    gaps = np.abs(values - _witnesses(len(a)) @ coefficients)
    return 1.0 * ~(np.max(gaps, axis=0) <= SEEN * np.sqrt((coefficients**2).sum(axis=0)))


@lru_cache
def _witnesses(order: int) -> NDArray[np.float64]:
    """Return the damped He_k(z)/sqrt(k!) at the witnesses, shape (witnesses, order)."""
    return np.asarray(table(FLOAT64, WITNESSES, _DAMPING, order).T)


def rows(n: Kind, z: Any, factor: Any) -> Iterator[Any]:
    """Yield factor He_k(z)/sqrt(k!) for k = 0, 1, ..., in arrays that later steps overwrite."""
    before, now = 0 * factor, factor.copy()
    for k in count():
        yield now
        # sqrt(k + 1) h_(k+1) = z h_k - sqrt(k) h_(k-1), for h_k = He_k/sqrt(k!)
        before *= -n.sqrt(n.number(k))
        before += z * now
        before /= n.sqrt(n.number(k + 1))
        before, now = now, before


def table(n: Kind, z: Any, factor: Any, order: int) -> Any:
    """Return factor He_k(z)/sqrt(k!) for k < order, first axis."""
    return np.array([row.copy() for row in islice(rows(n, z, factor), order)])


def _tail(n: Kind, squares: Any) -> Any:
    """Return an upper estimate of the sum beyond the end of a decaying series: its last quarter times sqrt(last/third).

    The terms of an analytic phi fall like exp(-a sqrt(k)) or faster, so that the next quarter is smaller still.
    """
    third, last = (squares[i * len(squares) // 4 : (i + 1) * len(squares) // 4].sum(axis=0) for i in (2, 3))
    return last * np.minimum(n.sqrt(last / (third + n.number(TINY))), 1)
