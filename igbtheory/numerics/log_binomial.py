"""The logarithm of a binomial probability at p = Phi(t), to 1e-15 even for a million trials.

Log-gamma functions would lose nine digits by cancellation. Source: C. Loader, "Fast and accurate computation of
binomial probabilities" (2000), which uses Stirling remainders and deviances instead.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_ATANH = tuple(1.0 / (2 * j + 3) for j in range(15))
_NEAR = 0.3  # the first omitted term of the series of atanh is 0.3^32/33 = 6e-19, relative to 1
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


def _deviance(x: Array, mean: Array, excess: Array) -> Array:
    """Return the Poisson deviance x log(x/mean) + mean - x >= 0, given excess = x - mean.

    Near x = mean it is summed without cancellation by the series of atanh v, v = excess/(x + mean).
    """
    is_near = np.abs(excess) < _NEAR * (x + mean)
    v = np.where(is_near, excess / (x + mean), 0.0)
    v2 = v * v
    series = np.full_like(v, _ATANH[-1])
    for coefficient in _ATANH[-2::-1]:
        series *= v2
        series += coefficient
    near = excess * v + 2.0 * x * v * v2 * series
    return np.where(is_near, near, scipy.special.rel_entr(x, mean) - excess)


def log_binomial(n: int, k: Array, t: Array) -> Array:
    """Return the logarithm of C(n, k) Phi(t)^k Phi(-t)^(n-k), of the broadcast shape of k and t.

    The excess k - n p is formed from the smallest of p, 1 - p and |p - 1/2|: at n = 1e6 a rounding error in the last
    digit of p would change the result by 1e-12.
    """
    other = n - k
    tail = scipy.special.ndtr(-np.abs(t))
    rare, common = n * tail, n * (1.0 - tail)
    expected, remaining = np.where(t < 0.0, rare, common), np.where(t < 0.0, common, rare)
    excess = np.where(
        np.abs(t) < _CENTRE,
        (k - 0.5 * n) - 0.5 * n * scipy.special.erf(t / np.sqrt(2.0)),
        np.where(t < 0.0, k - rare, rare - other),
    )
    inner = np.maximum(np.minimum(k, other), 1.0)
    outer = np.maximum(n - inner, 1.0)
    factor = (
        _stirling_remainder(np.maximum(np.full_like(k, n), 1.0))
        - _stirling_remainder(inner)
        - _stirling_remainder(outer)
        + 0.5 * np.log(n / (2.0 * np.pi * inner * outer))
    )
    deviances = _deviance(k, expected, excess) + _deviance(other, remaining, -excess)
    return np.where((k == 0.0) | (other == 0.0), 0.0, factor) - deviances
