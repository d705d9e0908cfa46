"""Covariance of the guesses at two data, and with it the variance of a class's share of the guesses.

The outputs of a class at two data are normal variables (X_j, Y_j) of correlation c = sin(psi), of distribution function
F. By Price's theorem the covariance of the events that X_1 is the largest X, and Y_1 the largest Y, has the slope

    (M - 1) [2 iint F_xy^2 F^(M-2) dx dy + (M - 2) iint F_xy F_x F_y F^(M-3) dx dy] cos(psi)

in psi: positive, analytic on the whole of [-pi/2, pi/2], and 1/(2 pi) at M = 2. Its integral from 0 is the covariance,
that up to pi/2 what it misses of the largest one, and neither loses a digit at its own end.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from igbtheory.guesses.latent import angle
from igbtheory.guesses.law import Numbers
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bivariate import both_below

STEP = 0.1
"""Step of the trapezoidal rules: the integrand is analytic, and narrow where M is large."""
DEGREE = 71
"""Degree of the polynomial that stands for the slope: higher terms are rounding, also at M = 1000."""

Array = NDArray[np.float64]

_U = np.arange(-6.5, 8.0, STEP)[:, None]
_V = np.arange(0.5 * STEP, 7.0, STEP)  # the integrand is even in v
_RIGHT = 0.5 * np.pi


def share_variance(gamma: Numbers, n_classes: int) -> Any:
    """Return the variance of the share of one of M classes, of the shape of gamma, to a relative error of 1e-11."""
    most = (1.0 - 1.0 / n_classes) / n_classes
    return np.where(np.isposinf(gamma), most, guess_covariance(angle(gamma), n_classes))[()]


def guess_covariance(psi: Any, n_classes: int) -> Any:
    """Return the covariance of the events that either of two data of correlation sin(psi) is given to class 0.

    From -1/M^2 at psi = -pi/2 through 0 to (1 - 1/M)/M at pi/2.
    """
    psi = np.asarray(psi, dtype=float)
    return (psi * chebyshev.chebval(psi / _RIGHT, _mean_slope(n_classes, 0.0)))[()]


def disagreement(gamma: Numbers, n_classes: int) -> Any:
    """Probability that two data are given to different classes, of the shape of gamma, to a relative error of 1e-11."""
    bounded = np.minimum(gamma, 1e300)
    left = np.where(np.isposinf(gamma), 0.0, np.arctan2(np.sqrt(1.0 + 2.0 * bounded), bounded))
    return (n_classes * left * chebyshev.chebval(1.0 - left / _RIGHT, _mean_slope(n_classes, 1.0)))[()]


@lru_cache(maxsize=64)
def _mean_slope(n_classes: int, end: float) -> Array:
    """Return the Chebyshev coefficients of the mean of the slope between the angles x and `end`, in units of pi/2."""
    slope = _slopes(n_classes)
    nodes, weights = np.polynomial.legendre.leggauss(DEGREE // 2 + 1)
    between = 0.5 * (1.0 + nodes)[:, None]

    def mean(x: Array) -> Any:
        return 0.5 * weights @ chebyshev.chebval(end + between * (x - end), slope)

    return chebyshev.chebinterpolate(mean, DEGREE)


@lru_cache(maxsize=64)
def _slopes(n_classes: int) -> Array:
    """Return the Chebyshev coefficients of the slope at the angle x, in units of pi/2."""
    return chebyshev.chebinterpolate(np.vectorize(lambda x: _slope(_RIGHT * x, n_classes)), DEGREE)


def _slope(psi: float, n_classes: int) -> float:
    """Return the slope of the covariance: x, y = a u +- b v with independent standard normal u and v."""
    a, b = np.cos(0.5 * (_RIGHT - psi)), np.sin(0.5 * (_RIGHT - psi))
    x, y = a * _U + b * _V, a * _U - b * _V
    # y given x, and x given y, in units of their standard deviation cos(psi)
    low, high = b * _U - a * _V, b * _U + a * _V
    both = both_below(x, y, high, low)
    point = FLOAT64.npdf(_U) * FLOAT64.npdf(_V)
    pairs = 2.0 * point * both ** (n_classes - 2)
    if n_classes > 2:
        apart = FLOAT64.npdf(x) * FLOAT64.npdf(y) * scipy.special.ndtr(low) * scipy.special.ndtr(high)
        pairs += (n_classes - 2) * np.cos(psi) * apart * both ** (n_classes - 3)
    return float(2.0 * STEP**2 * (n_classes - 1) * np.sum(point * pairs))
