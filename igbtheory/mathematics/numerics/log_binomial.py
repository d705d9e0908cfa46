"""The logarithm of a binomial probability at p = Phi(t), to 1e-13 even for a million trials.

Log-gamma functions would lose nine digits by cancellation. Source: C. Loader, "Fast and accurate computation of
binomial probabilities" (2000), which uses Stirling remainders and deviances instead.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.mathematics.numerics.limits import TINY

Array = NDArray[np.float64]

_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)  # coefficients of 1/n, 1/n^3, ...
_CENTRE = 0.67  # |p - 1/2| < p(-0.67) = 1/4


def _stirling_remainder(n: Array) -> Array:
    """Return log n! - log(sqrt(2 pi n) (n/e)^n), n >= 1. From n = 16 on, six terms of its series give 1e-16."""
    large = np.maximum(n, 16.0)
    series = np.zeros_like(large)
    for coefficient in reversed(_STIRLING):
        series = series / large**2 + coefficient
    small = np.minimum(n, 16.0)
    direct = scipy.special.gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small - 0.5 * np.log(2.0 * np.pi)
    return np.where(n < 16.0, direct, series / large)


def log_binomial(n: int, k: Array, t: Array) -> Array:
    """Return the logarithm of C(n, k) Phi(t)^k Phi(-t)^(n-k), of the broadcast shape of k and t."""
    return log_largest(n, k) - deviance(n, k, t)


def log_largest(n: int, k: Array) -> Array:
    """Return the logarithm of the largest probability of k, which is that at p = k/n, of the shape of k."""
    inner = np.maximum(np.minimum(k, n - k), 1.0)
    outer = np.maximum(n - inner, 1.0)
    factor = (
        _stirling_remainder(np.maximum(np.full_like(k, n), 1.0))
        - _stirling_remainder(inner)
        - _stirling_remainder(outer)
        + 0.5 * np.log(n / (2.0 * np.pi * inner * outer))
    )
    return np.where((k == 0.0) | (k == n), 0.0, factor)


def deviance(n: int, k: Array, t: Array) -> Array:
    """Return the logarithm of the largest probability of k over that at p = Phi(t), of the broadcast shape of k and t.

    The deviance k log(k/(n p)) + (n-k) log((n-k)/(n (1-p))) is formed from the excess k - n p, and the excess from the
    smallest of p, 1 - p and |p - 1/2|, whose rounding errors are smallest.
    """
    other = n - k
    rare = n * scipy.special.ndtr(-np.abs(t))
    expected, remaining = np.where(t < 0.0, rare, n - rare), np.where(t < 0.0, n - rare, rare)
    excess = np.where(
        np.abs(t) < _CENTRE,
        (k - 0.5 * n) - 0.5 * n * scipy.special.erf(t / np.sqrt(2.0)),
        np.where(t < 0.0, k - rare, rare - other),
    )
    return np.asarray(
        scipy.special.xlog1py(k, excess / np.maximum(expected, TINY))
        + scipy.special.xlog1py(other, -excess / np.maximum(remaining, TINY))
    )
