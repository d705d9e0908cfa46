"""Moments over the data of the units of one finite network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 2**14
"""Entries converted to double precision at once: they stay in the cache."""


def pair_moments(x: NDArray[Any], ddof: int, batch: int = 1) -> tuple[float, float]:
    """Return the moments q_ab and q_aa - q_ab of units, x: (n_samples, units), averaged over the units.

    With the means m_iB of unit i over batches B of data, their mean m_i, s_i^2 = sum_B (m_iB - m_i)^2/(B - 1) and the
    variance v_i = sum_a (x_ia - m_i)^2/D over all D data: q_ab = <m_i^2 - s_i^2/B>, q_aa - q_ab = <v_i + s_i^2/B>.
    ddof = 1: over pairs of data of different batches, unbiased where batches are independent; a single batch counts as
    D batches of one. ddof = 0: over all D^2 pairs, a = b among them, the moments of a given data set; s_i is 0 there.
    """
    size, units = x.shape
    batches = size // batch if batch < size else size
    # the first datum as the origin: v_i keeps its digits where it is small beside m_i^2
    origin = x[0].astype(np.float64)
    sums, squares, between = np.zeros(units), 0.0, 0.0
    for part in np.array_split(x.reshape(batches, -1, units), max(1, x.size // BLOCK)):
        shifted = part - origin
        totals = shifted.sum(axis=1)
        sums += totals.sum(axis=0)
        squares += float(np.vdot(shifted, shifted))
        between += float(np.vdot(totals, totals))
    means, centre = origin + sums / size, float(sums @ sums) / size
    variance = max(squares - centre, 0.0) / (size * units)
    # of the mean of a batch, over the number of batches
    error = ddof * max(between * batches / size - centre, 0.0) / (max(batches - 1, 1) * size * units)
    return float(means @ means) / units - error, variance + error
