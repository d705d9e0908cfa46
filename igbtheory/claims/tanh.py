"""Phases of tanh networks as functions of the fixed point q of the variance, without the rules of the package."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from igbtheory.claims.gaussians import mean_of, mean_of_pair


def square(q: float) -> float:
    """Return E tanh(h)^2, h ~ N(0, q)."""
    return mean_of(lambda h: np.tanh(h) ** 2, q)


def slope(q: float) -> float:
    """Return E tanh'(h)^2, h ~ N(0, q)."""
    return mean_of(lambda h: np.cosh(h) ** -4.0, q)


def edge(q: float) -> float:
    """Return sigma_w2 at the edge of chaos, where chi_1 = 1."""
    return 1 / slope(q)


def neutrality(q: float) -> float:
    """Return sigma_w2 on the neutrality line, where the correlation 1/2 of two data is a fixed point."""
    return q / 2 / (square(q) - mean_of_pair(np.tanh, q, 0.5))


def on(curve: Callable[[float], float], sigma_b2: float) -> tuple[float, float]:
    """Return q and sigma_w2 of the point on a curve, such as `edge`, that belongs to this sigma_b2."""
    q = float(brentq(lambda q: q - curve(q) * square(q) - sigma_b2, 1e-3, 30, xtol=1e-14, rtol=1e-14))
    return q, curve(q)


def fixed_point(sigma_w2: float, sigma_b2: float) -> float:
    """Return the fixed point q of the variance."""
    if sigma_b2 == 0 and sigma_w2 <= 1:
        return 0.0
    return float(brentq(lambda q: sigma_w2 * square(q) + sigma_b2 - q, 1e-9, sigma_w2 + sigma_b2, xtol=1e-14))
