"""Moments of the units of one finite network over the data."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 2**16
"""Number of entries that are converted to double precision at once, so that they stay in the cache: for 1,000 data of
100 units 2^15 take 1.7 times as long."""


def pair_moments(x: NDArray[Any], ddof: int, batch: int = 1) -> tuple[float, float]:
    """Return the moments q_ab and q_aa - q_ab of units x, (n_samples, units), averaged over the units.

    Let m_ik be the mean of unit i over batch k of B, m_i their mean, s_i^2 = sum_k (m_ik - m_i)^2/(B - 1), and
    v_i = sum_a (x_ia - m_i)^2/D over all D data. Then q_ab = <m_i^2 - s_i^2/B> and q_aa - q_ab = <v_i + s_i^2/B>.
    ddof = 1: averages over pairs of data from different batches, unbiased if the batches are independent; a single
    batch counts as D batches of one datum. ddof = 0: averages over all D^2 pairs, including a = b, with s_i = 0: the
    moments of a given data set.
    """
    size, units = x.shape
    batches = size // batch if batch < size else size
    # the first datum is the origin, so that v_i keeps its digits if it is much smaller than m_i^2
    origin = x[0].astype(np.float64)
    sums, squares, between = np.zeros(units), 0.0, 0.0
    for part in np.array_split(x.reshape(batches, -1, units), max(1, x.size // BLOCK)):
        shifted = part - origin
        totals = shifted.sum(axis=1) if batches < size else shifted[:, 0]
        sums += np.ones(len(totals)) @ totals  # faster than `sum`, which adds row by row
        squares += float(np.vdot(shifted, shifted))
        between += float(np.vdot(totals, totals)) if batches < size else 0.0
    between = between if batches < size else squares
    means, centre = origin + sums / size, float(sums @ sums) / size
    variance = max(squares - centre, 0.0) / (size * units)
    # the variance of the mean of a batch, over the number of batches
    error = ddof * max(between * batches / size - centre, 0.0) / (max(batches - 1, 1) * size * units)
    return float(means @ means) / units - error, variance + error
