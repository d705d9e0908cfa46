"""Hermite series of a smooth function: phi(m + sqrt(q) z) = sum_k a_k He_k(z)/sqrt(k!).

The coefficients come from the trapezoidal rule, which converges geometrically for analytic phi; even and odd k are
kept apart, since they see the even and the odd part of phi only.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64, Kind

WITNESSES = np.sqrt([0.11, 0.57, 1.9, 5.3])
SEEN = 1e-4
"""Points at which a series is held against phi, and the gap, against the norm of phi, that shows it to be wrong."""
_DAMPING = np.exp(-(WITNESSES[:, None] ** 2) / 4)


@final
@dataclass(frozen=True, eq=False)
class Series:
    """Coefficients a_k, k even and k odd, of phi at points of a sweep, and what their end leaves out.

    error: the share of the second moment beyond the end, 1 where the series has ended and is not phi.
    """

    even: Any
    odd: Any
    error: Any

    def at(self, points: Any) -> "Series":
        """The series at some of the points."""
        return Series(self.even[:, points], self.odd[:, points], self.error[points])

    @cached_property
    def squares(self) -> tuple[Any, Any]:
        """Squares a_k^2 without a_0^2, k even and k odd."""
        even, odd = self.even * self.even, self.odd * self.odd
        even[:1] *= 0
        return even, odd

    @cached_property
    def later(self) -> tuple[Any, Any]:
        """Sums of the squares from each k on, k even and k odd."""
        even, odd = (np.add.accumulate(part[::-1])[::-1] for part in self.squares)
        return even, odd

    @cached_property
    def sizes(self) -> tuple[Any, Any]:
        """Sizes |a_k|, k even and k odd."""
        return np.abs(self.even), np.abs(self.odd)


def series(n: Kind, phi: Function, mean: Any, q: Any, order: int) -> Series:
    """Return the series at points of a sweep."""
    found = Series(*coefficients(n, phi, mean, q, order), error=0 * q)
    k = 2 * np.arange(order // 2)[:, None]
    weighted = [part * ks[: len(part)] for part, ks in zip(found.squares, (k, k + 1), strict=True)]
    error = sum(tail(n, part) for part in weighted) / sum(part.sum(axis=0) for part in weighted)
    square = sum(part.sum(axis=0) for part in found.squares)
    error = error + beyond(n, phi, (mean, q), found.even, found.odd) / square
    ended = error <= n.goal
    if np.any(ended):  # only a series that has ended must be phi
        error = error + misses(phi, mean, q, found.even, found.odd) * ended
    return replace(found, error=error)


@lru_cache(maxsize=16)
def _basis(n: Kind, order: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Nodes z_j >= 0, and matrices (order/2, nodes) of weight times He_k(z_j)/sqrt(k!), k even and k odd."""
    decades = -np.log10(n.epsilon)
    step = float(2.0 ** np.floor(np.log2(min(0.125, 3 / np.sqrt(order)) * np.sqrt(16 / decades))))
    nodes = 1 + int((np.sqrt(4 * np.log(10) * decades) + 1) / step)
    table = n.hermite(order, nodes, step)
    return n.number(np.arange(nodes) * step), table[::2], table[1::2]


def coefficients(n: Kind, phi: Function, mean: Any, q: Any, order: int) -> tuple[Any, Any]:
    """Return the a_k, k even and k odd, shape (order/2, points) each, at the points (mean, q) of a sweep."""
    z, even, odd = _basis(n, order)
    scaled = z[:, None] * n.sqrt(q)
    above = phi(n, mean + scaled)
    if phi.parity and not np.any(mean):
        nothing = np.zeros((0, q.size), dtype=above.dtype)
        return (nothing, n.times(odd, 2 * above)) if phi.parity < 0 else (n.times(even, 2 * above), nothing)
    below = phi(n, mean - scaled)
    return n.times(even, above + below), n.times(odd, above - below)


def beyond(n: Kind, phi: Function, at: tuple[Any, Any], even: Any, odd: Any) -> Any:
    """Estimate of the error of the sum of the a_k^2 due to values beyond the outermost nodes, where phi may grow.

    at: mean and variance, arrays; even, odd: the a_k there.
    """
    z, *tables = _basis(n, 2 * max(len(even), len(odd)))
    far = z[-1:, None] * n.sqrt(at[1])
    size = 4 * (np.abs(phi(n, at[0] + far)) + np.abs(phi(n, at[0] - far)))
    parts = zip(tables, (even, odd), strict=True)
    return 2 * sum((np.abs(a) * n.times(np.abs(table[: len(a), -1:]), size)).sum(axis=0) for table, a in parts)


def misses(phi: Function, mean: Any, q: Any, even: Any, odd: Any) -> Any:
    """Return 1 where the series is not phi between the nodes, as with an oscillation finer than they are, else 0."""
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


def tail(n: Kind, squares: Any) -> Any:
    """Estimate from above what lies beyond the end of a decaying series: its last quarter times sqrt(last/third).

    The terms of an analytic phi fall like exp(-a sqrt(k)) or faster, for which the next quarter is smaller still.
    """
    third, last = (squares[i * len(squares) // 4 : (i + 1) * len(squares) // 4].sum(axis=0) for i in (2, 3))
    return last * np.minimum(n.sqrt(last / (third + n.number(1e-300))), 1)
