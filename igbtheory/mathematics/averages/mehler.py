"""Mehler's sums over Hermite coefficients: Cov = sum_{k>0} a_k b_k c^k for two units of correlation c."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from igbtheory.mathematics.numbers import FLOAT64, Kind
from igbtheory.mathematics.numerics.limits import TINY

BLOCK = 2**15
"""Pairs evaluated at once, so that they stay in the cache: 2^19 take more than twice as long."""


def powers(c: Any, length: int) -> tuple[Any, Any]:
    """Return c^(k-1) and 1 + c + ... + c^(k-1) for k = 1, ..., length, first axis."""
    c = np.asarray(c)
    of_c = np.empty((length, *c.shape), dtype=c.dtype)
    of_c[:1], of_c[1:] = 0 * c + 1, c
    np.multiply.accumulate(of_c, axis=0, out=of_c)
    return of_c, np.add.accumulate(of_c, axis=0)


def shares(c: Any, less: Any, length: int) -> tuple[Any, Any]:
    """Return c^k and 1 - c^k for k = 1, ..., length, first axis; less: 1 - c, accurate when c -> 1.

    1 - c^k = (1 - c)(1 + c + ... + c^(k-1)) keeps its digits when c -> 1.
    """
    of_c, totals = powers(c, length)
    return c * of_c, less * totals


def sums(n: Kind, series: Sequence[tuple[Any, Any]], a: Any, b: Any, c: Any) -> Any:
    """Return the sums over k and over the pairs (f, g) of series of f_k(a) g_k(b) c^k at pairs.

    f, g: coefficients, shape (k, variances); a, b: indices of the variances of the pairs; c: correlations. All three
    have one axis.
    """
    order, values, length = np.argsort(np.abs(c)), np.empty_like(c), len(series[0][0])
    for block in np.array_split(order, 1 + order.size // BLOCK):
        x, of_a, of_b = c[block], a[block], b[block]
        total = 0 * x
        for k in reversed(range(min(length, terms(n, np.max(np.abs(x), initial=0))))):
            total *= x
            for f, g in series:
                if np.any(f[k]):
                    total += f[k].take(of_a) * g[k].take(of_b)
        values[block] = total
    return values


def terms(n: Kind, c: Any) -> int:
    """Return the number of terms beyond which the powers of a correlation c >= 0 are less than rounding errors."""
    return 1 + int(np.log(n.epsilon) / np.log(np.clip(float(c), TINY, 1 - FLOAT64.epsilon)))


def of_pairs(rule: Callable[..., tuple[Any, Any]], pair: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    """Return the values and the error of a rule for pairs of units.

    pair: variances q_a, q_b and covariance q_ab, arrays that broadcast. rule: takes the distinct variances, ascending,
    and for each pair the indices a and b of its variances, and its q_ab, each on one axis. In a symmetric matrix of
    pairs it sees each pair once.
    """
    q, places = np.unique(np.concatenate([np.ravel(part) for part in pair[:2]]), return_inverse=True)
    a, b = np.split(places, [np.size(pair[0])])
    a, b, q_ab = np.broadcast_arrays(a.reshape(np.shape(pair[0])), b.reshape(np.shape(pair[1])), pair[2])
    mirrored = q_ab.ndim > 1 and np.array_equal(a, _turned(b)) and np.array_equal(q_ab, _turned(q_ab))
    once = np.ones(q_ab.shape, dtype=bool)
    once = np.triu(once) if mirrored else once
    values = np.zeros(q_ab.shape, dtype=q.dtype)
    values[once], error = rule(q, a[once], b[once], q_ab[once])
    return (np.where(once, values, _turned(values)) if mirrored else values)[()], error


def _turned(x: Any) -> Any:
    """Return the transposed matrices."""
    return np.swapaxes(x, -1, -2)
