"""The integral of a log-concave function, many at once and each on the interval where it lives."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Exponent = Callable[[Array], Array]
Slope = Callable[[Array], tuple[Array, Array]]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_DEPTH = 40.0  # exp(-40) = 4e-18: what is left out beyond the ends
_OFF_MODE = 0.1  # by how much of its own width the mode may be missed
_SLACK = 4.0  # by how much of the exponent an end may be missed
_STEPS = 100  # many more than any of the searches takes


def _mode(slope: Slope, lower: Array, upper: Array) -> Array:
    """Return zero of the decreasing slope in [lower, upper]: Newton's steps, or halving where they leave it."""
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
    """Return the point on one side (-1 or 1) of the mode where the exponent is _DEPTH below its peak.

    The exponent is concave, so that a Newton step ends outside and the further ones approach from there; as
    its curvature is at least 1 the point is no further than sqrt(2 _DEPTH): from a flat top it starts there.
    """
    target = exponent(mode) - _DEPTH
    reach = np.sqrt(2.0 * _DEPTH)
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
    """Return the logarithm of the integral of exp(exponent(x)) over the real line, adding a relative error of 2e-14.

    `exponent` is concave with second derivative at most -1 and acts on the last axis elementwise (quadrature
    axes come in front); `slope` gives its first two derivatives; the mode lies in [lower, upper], shape (m,).
    The function has one length on each side of the mode, unless `edges`, shape (m,), separate the parts.
    Composite Gauss-Legendre between the ends, the mode and the edges.
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
