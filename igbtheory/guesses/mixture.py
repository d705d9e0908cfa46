"""Probabilities of a count k ~ Binomial(n, Phi(s U)), U ~ N(0, 1), s = sqrt(gamma), as integrals."""

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.arguments import Numbers
from igbtheory.guesses.logconcave import log_integral
from igbtheory.mathematics.numerics.log_binomial import deviance, log_largest

Array = NDArray[np.float64]

BLOCK = 2048
"""Number of values that are computed at a time. Each has 40 nodes, so all arrays together stay below 100 MB."""
_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_ERROR = 2e-13  # relative error of the integrals for D up to 1,000,000


def log_probability(gamma: Numbers, n: int, k: Array) -> Array:
    """Return the logarithm of P(count = k), whole numbers k from 0 to n/2, in the broadcast shape."""
    none = log_probability_up_to(gamma, n, np.zeros(()))
    return np.where(k == 0, none, _of_distinct(log_mass, gamma, n, np.maximum(k, 1.0)))


def log_probability_up_to(gamma: Numbers, n: int, k: Array) -> Array:
    """Return the logarithm of P(count <= k), whole numbers k from 0 to (n - 1)/2, in the broadcast shape."""
    return _of_distinct(log_cumulative, gamma, n, k)


def _of_distinct(rule: Callable[[int, Array, Array], Array], gamma: Numbers, n: int, k: Array) -> Array:
    """Return rule(n, k, sqrt(gamma)) in the broadcast shape. It is computed once for equal pairs (k, gamma)."""
    # the rules divide by sqrt(gamma); the law at this least gamma is that of gamma = 0 to the last digit
    k, s = np.broadcast_arrays(k, np.sqrt(np.maximum(gamma, 1e-20 / float(n) ** 2)))
    pairs, places = np.unique([k.ravel(), s.ravel()], axis=1, return_inverse=True)
    blocks = np.array_split(pairs, 1 + pairs.shape[1] // BLOCK, axis=1)
    with np.errstate(all="ignore"):
        values = np.concatenate([rule(n, *part) for part in blocks])
    return np.asarray(values[places].reshape(k.shape))


def _hazard(t: Array) -> tuple[Array, Array]:
    """Return the first two derivatives of log Phi(t): phi(t)/Phi(t), and one that lies between -1 and 0."""
    value = np.sqrt(2.0 / np.pi) / scipy.special.erfcx(-t / np.sqrt(2.0))
    return value, np.clip(-value * (value + t), -1.0, 0.0)


def _score(n: int, k: Array, t: Array) -> tuple[Array, Array]:
    """Return the first two derivatives, by t, of the logarithm of the binomial probability of k with p = Phi(t)."""
    (below, below_slope), (above, above_slope) = _hazard(t), _hazard(-t)
    return k * below - (n - k) * above, k * below_slope + (n - k) * above_slope


def log_mass(n: int, k: Array, s: Array) -> Array:
    """Return the logarithm of P(count = k) = E Binom(k; n, Phi(s U)), 1 <= k <= n/2; k and s of shape (m,).

    s may be inf. The variable of integration x is u if s <= 1, and t = s u otherwise, so that the curvature of the
    exponent is at least 1.
    """
    to_t, to_u = np.minimum(s, 1.0), 1.0 / np.maximum(s, 1.0)

    def exponent(x: Array) -> Array:
        return -deviance(n, k, to_t * x) - 0.5 * (to_u * x) ** 2

    def slope(x: Array) -> tuple[Array, Array]:
        first, second = _score(n, k, to_t * x)
        return to_t * first - to_u**2 * x, to_t**2 * second - to_u**2

    # the mode lies between 0 and the t at which k is likeliest, and no further out than the score at 0 can pull it
    upper = np.zeros_like(k)
    lower = np.fmax(scipy.special.ndtri(k / n) / to_t, to_t * _score(n, k, upper)[0] / to_u**2)
    return np.asarray(log_largest(n, k) + log_integral(exponent, slope, lower, upper) + np.log(to_u) - _LOG_SQRT_2PI)


def log_cumulative(n: int, k: Array, s: Array) -> Array:
    """Return the logarithm of P(count <= k) = E Phi(T/s), 0 <= k <= (n-1)/2; k and s of shape (m,).

    The count is the number of n standard normal variables below s U. It is at most k if s U is below the variable T of
    rank k + 1. T has the density n Binom(k; n-1, Phi(t)) phi(t). All terms are positive, so that small probabilities
    keep their digits. s may be inf.
    """

    def exponent(t: Array) -> Array:
        return scipy.special.log_ndtr(t / s) - deviance(n - 1, k, t) - 0.5 * t**2

    def slope(t: Array) -> tuple[Array, Array]:
        (first, second), (step, step_slope) = _score(n - 1, k, t), _hazard(t / s)
        return first - t + step / s, second - 1.0 + step_slope / s**2

    # for t < 0 the slope of log Phi(t/s) is at least -t/s^2, and that of the rest is at least its value at 0
    lower = np.fmax(scipy.special.ndtri(np.maximum(k, 0.5) / n), s**2 * _score(n - 1, k, np.zeros_like(k))[0])
    upper = np.minimum(40.0 * s, 1.0)
    # if s is small, Phi(t/s) is a step on the scale of the density of T, and it is 1 from 9 s on
    logarithm = log_integral(exponent, slope, lower, upper, 9.0 * s) + log_largest(n - 1, k) + np.log(n) - _LOG_SQRT_2PI
    # it is at most 1/2 by symmetry, and equal to 1/2 within the error of the quadrature if gamma is huge
    return np.asarray(np.where(logarithm > np.log(0.5) - _ERROR, np.log(0.5), logarithm))
