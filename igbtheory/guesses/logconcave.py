"""Integrals of many log-concave functions at once, each over the interval where it is not negligible."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.numerics.limits import DEPTH

Array = NDArray[np.float64]
Exponent = Callable[[Array], Array]
Slope = Callable[[Array], tuple[Array, Array]]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)  # on either side of the mode
_OFF_MODE = 0.1  # accepted error of the mode, in units of the width of the peak
_SLACK = 4.0  # accepted error of the exponent at an end
_STEPS = 100  # largest number of steps of a search, many more than any takes


def _mode(slope: Slope, lower: Array, upper: Array) -> Array:
    """Return the zero of the decreasing slope in [lower, upper], by Newton steps, or halving where those leave it."""
    x = lower
    for _ in range(_STEPS):
        value, derivative = slope(x)
        if np.all(np.abs(value) <= _OFF_MODE * np.sqrt(-derivative)):
            break
        lower = np.where(value > 0.0, x, lower)
        upper = np.where(value > 0.0, upper, x)
        newton = x - value / derivative
        x = np.where((newton >= lower) & (newton <= upper), newton, 0.5 * (lower + upper))
    return x


def _end(exponent: Exponent, slope: Slope, mode: Array, side: float) -> Array:
    """Return the point on one side (-1 or 1) of the mode where the exponent is DEPTH below its peak.

    The exponent is concave, so that the first Newton step ends outside and later ones approach the point from there.
    The curvature is at least 1, so that the point is at most sqrt(2 DEPTH) away: a step from a flat top stops there.
    """
    target = exponent(mode) - DEPTH
    reach = np.sqrt(2.0 * DEPTH)
    distance = reach / np.sqrt(np.maximum(-slope(mode)[1], 1.0))
    for _ in range(_STEPS):
        x = mode + side * distance
        gap = exponent(x) - target
        if np.all((gap <= _SLACK) & (gap >= -2.0 * _SLACK)):
            break
        step = -gap / (side * slope(x)[0])
        distance = np.where(step > -distance, np.minimum(distance + step, reach), reach)
    return np.asarray(mode + side * distance)


def log_integral(exponent: Exponent, slope: Slope, lower: Array, upper: Array, *edges: Array) -> Array:
    """Return the logarithms of the integrals of exp(exponent(x)) over the real line, shape (m,).

    exponent: a concave function with a second derivative of at most -1, which acts elementwise on the last axis
    (quadrature axes come in front). slope: its first two derivatives. The mode lies in [lower, upper], shape (m,).
    On each side of the mode the integrand varies on a single length scale, unless `edges`, shape (m,), separate
    parts with different ones. Composite Gauss-Legendre quadrature between the ends, the mode and the edges adds a
    relative error of 2e-14.
    """
    mode = _mode(slope, lower, upper)
    peak = exponent(mode)
    first, last = _end(exponent, slope, mode, -1.0), _end(exponent, slope, mode, 1.0)
    bounds = np.sort(np.stack([first, last, *(np.clip(edge, first, last) for edge in (mode, *edges))]), axis=0)
    half = 0.5 * np.diff(bounds, axis=0)
    total = np.zeros_like(peak)
    for middle, radius in zip(bounds[:-1] + half, half, strict=True):
        x = middle + radius * _NODES[:, None]
        total += radius * np.sum(_WEIGHTS[:, None] * np.exp(exponent(x) - peak), axis=0)
    return np.asarray(peak + np.log(total))
