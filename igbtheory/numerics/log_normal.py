"""The Laplace transform of a log-normal variable: what sums of exponentials of normal variables are made of.

log Y ~ N(x, scale^2). With S a sum of such variables, 1/S = int exp(-t S) dt turns means of ratios into one integral of
products. exp(-Y) is also the probability that a standard Gumbel variable lies below -log Y.
"""

from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

REACH = 9.0
"""Standard deviations of a normal variable that matter."""
TAIL = 40.0
"""Logarithm of what is small against 1."""
PEAK = 5.0
"""Logarithm y beyond which exp(-exp(y)) is nothing."""
STEP = 0.2
"""Step of the trapezoidal rule in a logarithm of time: what is analytic in a strip of pi/2 is exact to 1e-16."""
KNOTS = 32
"""Knots of an interpolation in a step."""

Array = NDArray[np.float64]


@final
class LogNormalLaplace:
    """Logarithms of E exp(-Y), E Y exp(-Y), E Y^2 exp(-Y), log Y ~ N(x, scale^2), as functions of x by splines.

    nodes: x of a trapezoidal rule of the given step for integrals over them, from where exp(-Y) is 0 to where it is 1.
    """

    def __init__(self, scale: float) -> None:
        self.step = STEP * max(1.0, scale) / 2
        self.nodes = np.arange(-REACH * scale - PEAK, REACH * scale + TAIL, self.step)
        x = np.arange(-self.nodes[-1], -self.nodes[0] + self.step, self.step / KNOTS)
        values = _narrow(x, scale) if scale < 1 else _wide(x, scale)
        self._spline = scipy.interpolate.CubicSpline(x, np.log(np.maximum(values, 1e-300)), axis=1)

    def __call__(self, x: Array) -> Any:
        return self._spline(np.maximum(x, -self.nodes[-1]))


def _narrow(x: Array, scale: float) -> Array:
    """The three means by the trapezoidal rule in z, log Y = x + scale z."""
    z = np.arange(-REACH, REACH, STEP)
    log_y = x[:, None] + scale * z
    y = np.exp(np.minimum(log_y, 700.0))
    weights = STEP * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return np.array([np.exp(k * log_y - y) @ weights for k in range(3)])


def _wide(x: Array, scale: float) -> Array:
    """The three means by the trapezoidal rule in v = log Y, the first by parts: E exp(-Y) = P(log Y < a Gumbel)."""
    v = np.arange(-TAIL, PEAK, STEP)
    y = np.exp(v)
    z = (v - x[:, None]) / scale
    density = STEP * np.exp(-z * z / 2) / (np.sqrt(2 * np.pi) * scale)
    return np.array([STEP * scipy.special.ndtr(z) @ (y * np.exp(-y)), *(density @ (y**k * np.exp(-y)) for k in (1, 2))])
