"""Global properties of a formula: its growth and its monotonicity."""

import numpy as np

from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.numbers import FLOAT64

GRID = np.concatenate([np.linspace(-40, 40, 8001), *(s * np.geomspace(40, 2**13, 200) for s in (-1, 1))])
"""Points at which a property is checked when it is not proven."""

LARGEST_LOG = float(np.log(np.finfo(float).max))
"""Logarithm of the largest finite number."""


def growth(values: Pieces) -> str:
    """Return the growth of |phi|: "bounded", "polynomial", "exponential", "gaussian" (like exp(a x^2)) or "faster".

    The first three are square-integrable under every Gaussian, "gaussian" under narrow Gaussians only, "faster" never.
    """
    x = 2.0 ** np.arange(10)
    with np.errstate(all="ignore"):
        logs = np.maximum(*(np.log(np.abs(values(FLOAT64, sign * x))) for sign in (1, -1)))
        far = [np.max(np.abs(values(FLOAT64, scale * np.linspace(-1, 1, 65)))) for scale in (1e3, 1e4)]
    last = np.flatnonzero(np.isfinite(logs))[-1:]
    # exp(x^4) soon overflows, while x^64 never reaches e^30 with a doubling exponent
    order = np.log2(logs[last] / logs[last - 1]) if last.size and last and logs[last] > 30 else 0.0
    if last.size and last + 1 < x.size and logs[last + 1] == np.inf:
        order = max(order, np.log2(LARGEST_LOG / max(logs[last], 1.0)))
    if order > 2.1:
        return "faster"
    if order > 1.6:
        return "gaussian"
    if order > 0.6 or not np.isfinite(far).all():
        return "exponential"
    return "bounded" if far[1] <= 1.5 * far[0] else "polynomial"


def monotonicity(slope: Pieces, jumps: list[float]) -> int:
    """Return 1 if slope and jumps are never negative on a grid, -1 if they are never positive, else 0."""
    with np.errstate(all="ignore"):
        slopes = np.concatenate([slope(FLOAT64, GRID), jumps])
    if np.all(slopes >= 0):
        return 1
    return -1 if np.all(slopes <= 0) else 0
