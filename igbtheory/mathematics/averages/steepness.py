"""The factor by which a function with jumps magnifies an error of the correlation of two units."""

from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind


def steepness(n: Kind, phi: Function, q_a: Any, q_b: Any, q_ab: Any) -> float:
    """Return the factor by which phi magnifies an error of the correlation c: 1, or 1/sqrt(1 - c^2) if phi jumps.

    If phi is a power p < 1/2, the factor is (1 - c^2)^(p - 1/2). It is evaluated at the closest pair of different data;
    c = 1 of equal data is exact.
    """
    power = _power(n, phi)
    if not power:
        return 1.0
    c = q_ab / n.sqrt(q_a * q_b)
    left = np.asarray(np.maximum(1 - c * c, n.epsilon), dtype=float)
    unlike = np.broadcast_to((q_ab != q_a) | (q_ab != q_b), left.shape)
    return float(np.max(left**-power, where=unlike, initial=1.0))


@lru_cache(maxsize=256)
def _power(n: Kind, phi: Function) -> float:
    """Return the power of 1/(1 - c^2) in the factor, which every layer of a network asks for."""
    return 0.5 if any(phi.pieces.jumps(n)) else max(0.5 - float(1 if phi.degree is None else phi.degree), 0.0)
