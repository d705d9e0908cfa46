"""Probabilities of a count k ~ Binomial(n, Phi(s U)), U ~ N(0, 1), s = sqrt(gamma), by integrals."""

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.logconcave import log_integral
from igbtheory.numerics.log_binomial import log_binomial

Array = NDArray[np.float64]

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)


def _hazard(t: Array) -> tuple[Array, Array]:
    """Return the derivative phi(t)/Phi(t) of log Phi(t), and its own derivative, which lies between -1 and 0."""
    value = np.sqrt(2.0 / np.pi) / scipy.special.erfcx(-t / np.sqrt(2.0))
    return value, np.clip(-value * (value + t), -1.0, 0.0)


def _score(n: int, k: Array, t: Array) -> tuple[Array, Array]:
    """Return the first two derivatives of the logarithm of the binomial probability of k in t, p = Phi(t)."""
    (below, below_slope), (above, above_slope) = _hazard(t), _hazard(-t)
    return k * below - (n - k) * above, k * below_slope + (n - k) * above_slope


def log_mass(n: int, k: Array, s: Array) -> Array:
    """Return the logarithm of P(count = k) = E Binom(k; n, Phi(s U)), 1 <= k <= n/2; k and s of shape (m,).

    The variable x is u for s <= 1 and t = s u above, so that the exponent's curvature is at least 1.
    """
    to_t, to_u = np.minimum(s, 1.0), 1.0 / np.maximum(s, 1.0)

    def exponent(x: Array) -> Array:
        return log_binomial(n, k, to_t * x) - 0.5 * (to_u * x) ** 2

    def slope(x: Array) -> tuple[Array, Array]:
        first, second = _score(n, k, to_t * x)
        return to_t * first - to_u**2 * x, to_t**2 * second - to_u**2

    # the mode lies between the best fit of k and 0, and no further out than the score at 0 can pull it
    upper = np.zeros_like(k)
    lower = np.fmax(scipy.special.ndtri(k / n) / to_t, to_t * _score(n, k, upper)[0] / to_u**2)
    return np.asarray(log_integral(exponent, slope, lower, upper) + np.log(to_u) - _LOG_SQRT_2PI)


def log_cumulative(n: int, k: Array, s: Array) -> Array:
    """Return the logarithm of P(count <= k) = E Phi(T/s), 0 <= k <= (n-1)/2; k and s of shape (m,).

    T is number k + 1 of n ordered normal variables, of density n Binom(k; n-1, Phi(t)) phi(t): the count is
    the number of them below s U. All terms are positive: small probabilities keep their digits.
    """

    def exponent(t: Array) -> Array:
        return log_binomial(n - 1, k, t) - 0.5 * t**2 + scipy.special.log_ndtr(t / s)

    def slope(t: Array) -> tuple[Array, Array]:
        (first, second), (step, step_slope) = _score(n - 1, k, t), _hazard(t / s)
        return first - t + step / s, second - 1.0 + step_slope / s**2

    # left of 0 the step pulls with at least -t/s^2, the rest with at most its score at 0
    lower = np.fmax(scipy.special.ndtri(np.maximum(k, 0.5) / n), s**2 * _score(n - 1, k, np.zeros_like(k))[0])
    upper = np.minimum(40.0 * s, 1.0)
    # Phi(t/s) is a step to the density of T where s is small: it has passed at 9 s
    return np.asarray(log_integral(exponent, slope, lower, upper, 9.0 * s) + np.log(n) - _LOG_SQRT_2PI)
