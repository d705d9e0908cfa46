"""The limit of a sequence that follows a map of its own: the first fixed point on its way."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from igbtheory.verdict.tendency import SETTLED, Tendency, without_limit

FAR = 1e8
"""Largest value, and inverse of the smallest one, at which the map is asked."""
FLAT = 0.1
"""Exponent of the excess below which it is a constant."""


def by_map(following: Callable[[Any], Any], value: float, accuracy: float) -> Tendency:
    """Tendency of value, f(value), f(f(value)), ... for f = `following`, which takes arrays; 1/FAR < value < FAR.

    accuracy: relative error of f. The excess f(g)/g - 1 gives the direction; where it changes its sign on the way
    there is the limit. Where it does not, excess ~ const means growth by a factor a layer, excess ~ g^-s growth like
    depth^(1/s).
    """

    def excess(g: Any) -> Any:
        return following(np.asarray(g, float)) / g - 1

    start = float(excess(np.array([value]))[0])
    if abs(start) <= SETTLED:
        return Tendency("settles", value, accuracy * value)
    decades = max(2, int(np.ceil(abs(np.log10(FAR if start > 0 else 1 / FAR) - np.log10(value)))))
    way = value * 10.0 ** (np.sign(start) * np.arange(decades + 1))
    found = np.concatenate([[start], excess(way[1:])])
    turned = np.flatnonzero(found * start <= 0)
    if turned.size:
        return _between(excess, way[turned[0] - 1], way[turned[0]], accuracy)
    slope = float(np.log(found[-1] / found[-2]) / np.log(way[-1] / way[-2]))
    if abs(slope) < FLAT:
        return without_limit(float(1 + found[-1]), "exponential")
    return without_limit(-1 / slope, "power")


def _between(excess: Callable[[Any], Any], a: float, b: float, accuracy: float) -> Tendency:
    """Fixed point between a and b, its error that of f over one minus its slope."""
    log = float(scipy.optimize.brentq(lambda y: float(excess(np.exp([y]))[0]), np.log(a), np.log(b), xtol=1e-12))
    near = excess(np.exp(np.array([log - 1e-3, log + 1e-3])))
    pull = abs(float(near[1] - near[0])) / 2e-3
    limit = float(np.exp(log))
    return Tendency("settles", limit, limit * accuracy / max(pull, accuracy))
