"""Moments over the data of the units of one finite network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 2**14
"""Entries converted to double precision at once: they stay in the cache."""


def pair_moments(x: NDArray[Any], ddof: int) -> tuple[float, float]:
    """Moments q_ab and q_aa - q_ab of units, x: (n_samples, units), averaged over the units.

    With the mean m_i and the variance v_i = sum_a (x_ia - m_i)^2/(D - ddof) of unit i over the D data:
    q_ab = <m_i^2 - ddof v_i/D>, q_aa - q_ab = <v_i>. ddof = 1: over pairs of different data, unbiased for independent
    data; ddof = 0: over all D^2 pairs, a = b among them, the moments of a given data set.
    """
    size, units = x.shape
    # the first datum as the origin: v_i keeps its digits where it is small beside m_i^2
    origin = x[0].astype(np.float64)
    sums, squares = np.zeros(units), 0.0
    rows = max(1, BLOCK // units)
    for start in range(0, size, rows):
        shifted = x[start : start + rows] - origin
        sums += shifted.sum(axis=0)
        squares += float(np.vdot(shifted, shifted))
    variance = max(squares - float(sums @ sums) / size, 0.0) / ((size - ddof) * units)
    means = origin + sums / size
    return float(means @ means) / units - ddof * variance / size, variance
