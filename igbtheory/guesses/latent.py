"""The latent variable U ~ N(0, 1) of a network. Given U, class 0 gets the fraction Phi(sqrt(gamma) U) of the data."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import Numbers
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.panels import split

FARTHEST = 38
"""Latent value above which the normal density underflows."""
ORDER = 20
"""Gauss-Legendre nodes of a panel, which is at most one standard deviation wide."""


def fraction(gamma: Numbers, u: Numbers) -> NDArray[np.float64]:
    """Return the fraction Phi(sqrt(gamma) u) of class 0 at the latent value u, in the broadcast shape.

    If gamma = 0, it is 1/2 for every u. If gamma = inf, it is 0 for u <= 0 and 1 for u > 0.
    """
    with np.errstate(all="ignore"):
        inside = FLOAT64.ncdf(np.sqrt(gamma) * u)
    one_peak, two_peaks = np.equal(gamma, 0.0), np.isposinf(gamma)
    limit = np.where(one_peak, 0.5, np.greater(u, 0.0))
    return np.where(np.isnan(u), np.nan, np.where(one_peak | two_peaks, limit, inside))


def angle(gamma: Numbers) -> NDArray[np.float64]:
    """Return the angle arcsin(c) with c = gamma/(1 + gamma), in the shape of gamma, to the last digits."""
    # arcsin loses half of the digits near 1, and arctan2 none; above 1e300 the angle is pi/2 to the last digit
    bounded = np.minimum(gamma, 1e300)
    return np.arctan2(bounded, np.sqrt(1.0 + 2.0 * bounded))


def fraction_variance(gamma: Numbers) -> NDArray[np.float64]:
    """Return the variance arcsin(gamma/(1 + gamma))/(2 pi) of the fraction of class 0, in the shape of gamma."""
    return angle(gamma) / (2.0 * np.pi)


def for_every_draw(gamma: Numbers, size: Any) -> NDArray[np.float64]:
    """Return gamma in the shape `size` of draws (None: its own). ValueError if it does not broadcast to it."""
    gamma_shape = np.shape(gamma)
    shape = checks.shape_of(size, gamma_shape)
    try:
        return np.broadcast_to(gamma, shape)
    except ValueError:
        raise ValueError(
            f"size: expected a shape that gamma, of shape {gamma_shape}, broadcasts to, got {size!r}; "
            f"put further axes in front: (n, {', '.join(map(str, gamma_shape))})"
        ) from None


def average(gamma: Numbers, of: Callable[[Any], Any], low: float = -np.inf, high: float = np.inf) -> Any:
    """Return the mean of the function `of` at y = sqrt(gamma) U, over low <= y <= high, in the shape of gamma.

    Panels of the quadrature end at whole U and at powers of two of y, between which a function of Phi(y) varies little.
    """
    return np.reshape([_average(float(g), of, low, high) for g in np.ravel(gamma)], np.shape(gamma))[()]


def _average(gamma: float, of: Callable[[Any], Any], low: float, high: float) -> float:
    if gamma == 0.0:
        return float(of(0.0)) if low <= 0.0 <= high else 0.0
    if np.isposinf(gamma):
        return 0.5 * sum(float(of(end)) for end in (-np.inf, np.inf) if low <= end <= high)
    scale = np.sqrt(gamma)
    halving = FARTHEST * 0.5 ** np.arange(8.0 + max(0.0, np.log2(scale)))
    cuts = np.concatenate([np.arange(-FARTHEST, FARTHEST + 1.0), halving, -halving])
    first, last = np.clip([low / scale, high / scale], -FARTHEST, FARTHEST)
    panels = split(FLOAT64, cuts, first, last, ORDER)
    return float(panels.integral(FLOAT64.npdf(panels.x) * of(scale * panels.x)))
