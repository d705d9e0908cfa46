"""Variances that are nothing but rounding: those of numbers that would be equal without it."""

from typing import Any

import numpy as np

ROUNDED = 8
"""Numbers that differ by so many roundings may be equal: the layers of a network round one after the other."""


def resolved(variance: Any, square: Any, kind: Any) -> Any:
    """Return a variance, or 0 where it is at most that which rounding makes; NaN stays NaN.

    square: the mean square of the numbers that vary. kind: their kind, as NumPy names it.
    """
    return np.where(variance <= (ROUNDED * np.finfo(kind).eps) ** 2 * square, 0.0, variance)
