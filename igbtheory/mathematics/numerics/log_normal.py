"""The Laplace transform of a log-normal variable Y, log Y ~ N(x, scale^2), for means of ratios with sums of such Y.

For a sum S of such variables, 1/S = int exp(-t S) dt turns a mean of a ratio into one integral of products. exp(-Y) is
also the probability that a standard Gumbel variable lies below -log Y.
"""

from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.mathematics.numerics.limits import DEPTH, TINY

REACH = 9.0
"""Number of standard deviations beyond which a normal variable is negligible: P(z > 9) = 1e-19."""
PEAK = 5.0
"""Value of y beyond which exp(-exp(y)) is negligible: exp(-exp(5)) = 4e-65."""
STEP = 0.2
"""Step of the trapezoidal rule, whose error is 1e-16 for functions analytic in the strip |Im x| < pi/2."""
FEW_KNOTS = 4
"""Knots per step of a spline of degree 7, whose error is 1e-12 of the logarithms; it is slow at many values."""
KNOTS = 32
"""Knots of the spline per step: its error is of the fourth order, 1e-6 of that of a spline with one knot per step."""

Array = NDArray[np.float64]


@final
class LogNormalLaplace:
    """Splines in x of the logarithms of E exp(-Y), E Y exp(-Y) and E Y^2 exp(-Y), where log Y ~ N(x, scale^2).

    nodes: values of x, `step` apart, for trapezoidal sums over x. They span the range in which E exp(-Y) differs from
    0 and from 1.
    """

    def __init__(self, scale: float) -> None:
        self.step = STEP * max(1.0, scale) / 2
        self.nodes = np.arange(-REACH * scale - PEAK, REACH * scale + DEPTH, self.step)
        x = np.arange(-self.nodes[-1], -self.nodes[0] + self.step, self.step / FEW_KNOTS)
        values = _narrow(x, scale) if scale < 1 else _wide(x, scale)
        few = scipy.interpolate.make_interp_spline(x, np.log(np.maximum(values, TINY)), k=7, axis=1)
        many = np.arange(x[0], x[-1], self.step / KNOTS)
        self._spline = scipy.interpolate.CubicSpline(many, few(many), axis=1)

    def __call__(self, x: Array) -> Any:
        return self._spline(np.maximum(x, -self.nodes[-1]))


def _narrow(x: Array, scale: float) -> Array:
    """Return the three means by the trapezoidal rule in z, log Y = x + scale z."""
    z = np.arange(-REACH, REACH, STEP)
    log_y = x[:, None] + scale * z
    y = np.exp(np.minimum(log_y, 700.0))
    weights = STEP * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return np.array([np.exp(k * log_y - y) @ weights for k in range(3)])


def _wide(x: Array, scale: float) -> Array:
    """Return the three means by the trapezoidal rule in v = log Y, E exp(-Y) after integration by parts."""
    v = np.arange(-DEPTH, PEAK, STEP)
    y = np.exp(v)
    z = (v - x[:, None]) / scale
    density = STEP * np.exp(-z * z / 2) / (np.sqrt(2 * np.pi) * scale)
    return np.array([STEP * scipy.special.ndtr(z) @ (y * np.exp(-y)), *(density @ (y**k * np.exp(-y)) for k in (1, 2))])
