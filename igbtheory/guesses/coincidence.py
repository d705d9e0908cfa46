"""Covariance of the guesses at two data, and the variance of the share of a class, which follows from it.

The outputs of a class at two data are normal variables (X_j, Y_j) with the correlation c = sin(psi) and the joint
distribution function F. By Price's theorem, the covariance of the two events that X_1 is the largest X and that Y_1 is
the largest Y has the derivative

    (M - 1) [2 iint F_xy^2 F^(M-2) dx dy + (M - 2) iint F_xy F_x F_y F^(M-3) dx dy] cos(psi)

by psi. It is positive and analytic on the whole of [-pi/2, pi/2], and 1/(2 pi) for M = 2. Its integral from 0 to psi is
the covariance, and its integral from psi to pi/2 is the difference from the largest covariance. The first keeps its
digits near psi = 0, and the second near pi/2.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from igbtheory.guesses.arguments import MOST_CLASSES, Numbers
from igbtheory.guesses.latent import angle
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below

STEP = 0.1
"""Step of the trapezoidal rules. The integrand is analytic, and narrow if M is large."""
FINE_STEP = 0.05
"""Step for more than 1000 classes: at a step of 0.1 a million of them would be off by 1e-4, so by less than 2e-9."""
DEGREE = 71
"""Degree of the polynomial that approximates the slope, to rounding error for M up to 1000, and to 2e-9 up to 10^6."""

Array = NDArray[np.float64]

_RIGHT = 0.5 * np.pi


def share_variance(gamma: Numbers, n_classes: int) -> Any:
    """Return the variance of the share of one of M classes, in the shape of gamma.

    Its relative error is below 1e-11 up to 1000 classes, and below 2e-9 up to 10^6.
    """
    return guess_covariance(angle(gamma), n_classes)


def guess_covariance(psi: Any, n_classes: int) -> Any:
    """Return the covariance of the events that the first and that the second of two data are given to class 0.

    The outputs at the two data have the correlation sin(psi). The covariance is -1/M^2 at psi = -pi/2, 0 at 0 and
    (1 - 1/M)/M at pi/2.
    """
    psi = np.asarray(psi, dtype=float)
    covariance = psi * chebyshev.chebval(psi / _RIGHT, _mean_slope(n_classes, 0.0))
    return np.where(psi == _RIGHT, (1.0 - 1.0 / n_classes) / n_classes, covariance)[()]


def disagreement(gamma: Numbers, n_classes: int) -> Any:
    """Return the probability, with the relative error of `share_variance`, that two data get different classes."""
    bounded = np.minimum(gamma, 1e300)
    left = np.where(np.isposinf(gamma), 0.0, np.arctan2(np.sqrt(1.0 + 2.0 * bounded), bounded))
    return (n_classes * left * chebyshev.chebval(1.0 - left / _RIGHT, _mean_slope(n_classes, 1.0)))[()]


@lru_cache(maxsize=64)
def _mean_slope(n_classes: int, end: float) -> Array:
    """Return the Chebyshev coefficients of the mean of the slope between the angles x and `end`, in units of pi/2."""
    if n_classes == 2:  # the slope is constant
        return np.array([0.5 / np.pi])
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
    """Return the derivative of the covariance by psi, with x, y = a u ± b v for independent standard normal u, v."""
    step = STEP if n_classes <= MOST_CLASSES else FINE_STEP
    u, v = np.arange(-6.5, 8.0, step)[:, None], np.arange(0.5 * step, 7.0, step)  # the integrand is even in v
    a, b = np.cos(0.5 * (_RIGHT - psi)), np.sin(0.5 * (_RIGHT - psi))
    x, y = a * u + b * v, a * u - b * v
    # y given x, and x given y, standardised
    low, high = b * u - a * v, b * u + a * v
    both = both_below(x, y, high, low)
    point = FLOAT64.npdf(u) * FLOAT64.npdf(v)
    apart = FLOAT64.npdf(x) * FLOAT64.npdf(y) * scipy.special.ndtr(low) * scipy.special.ndtr(high)
    pairs = (2.0 * point * both + (n_classes - 2) * np.cos(psi) * apart) * both ** (n_classes - 3)
    return float(2.0 * step**2 * (n_classes - 1) * np.sum(point * pairs))
