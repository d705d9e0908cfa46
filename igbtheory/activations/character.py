"""What a formula is like as a whole: how fast it grows, and whether it is monotone."""

import numpy as np

from igbtheory.activations.pieces import Pieces
from igbtheory.numbers import FLOAT64

GRID = np.concatenate([np.linspace(-40, 40, 8001), *(s * np.geomspace(40, 2**13, 200) for s in (-1, 1))])
"""Points that stand for the x axis where a property is looked for and not proven."""


def growth(values: Pieces) -> str:
    """Growth "bounded", "polynomial", "exponential", "gaussian" (like exp(a x^2)) or "faster" of |phi| at large |x|.

    All but the last two are square-integrable under every Gaussian; "gaussian" only under those narrow enough.
    """
    x = np.array([8.0, 16.0])
    with np.errstate(all="ignore"):
        logs = np.maximum(*(np.log1p(np.abs(values(FLOAT64, sign * x))) for sign in (1, -1)))
        wide = np.maximum(*(np.abs(values(FLOAT64, sign * 1e3 * x)) for sign in (1, -1)))
    order = np.log2(logs[1] / logs[0]) if np.isfinite(logs).all() and logs[0] > 0 else (np.inf if logs[1] > 0 else 0)
    if order > 2.1:
        return "faster"
    if order > 1.8:
        return "gaussian"
    if not np.isfinite(wide).all():
        return "exponential"
    return "bounded" if wide[1] <= 1.5 * wide[0] else "polynomial"


def monotonicity(slope: Pieces, jumps: list[float]) -> int:
    """Monotonicity: 1 where slope and jumps are nowhere negative, -1 nowhere positive, else 0; seen on a grid."""
    with np.errstate(all="ignore"):
        found = np.concatenate([slope(FLOAT64, GRID), jumps])
    if np.all(found >= 0):
        return 1
    return -1 if np.all(found <= 0) else 0
