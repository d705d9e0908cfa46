"""Test of no bias for counts of two classes: if gamma = 0, every guess is the toss of a fair coin.

Near gamma = 0 the likelihood of k among D data is linear in (2k - D)^2 - D for every D, so that the sum of (2k - D)^2
over the networks is the locally most powerful statistic. Its law for gamma = 0 is the convolution of the laws of the
networks, which is computed by a fast Fourier transform.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from igbtheory.guesses.finite import FiniteGuessLaw
from igbtheory.guesses.inference.observed import Test

Array = NDArray[np.float64]
LONGEST = 2**22
"""Largest number of points of the lattice. If it needs more, squares are shared between neighbours of a wider one."""
RESOLUTION = 1e-12
"""Smallest p-value. Rounding errors of the transform are 1e-15, and the probability beyond the lattice is less."""
BEYOND = 80.0
"""Excess over the mean, in units of the largest D, above which the probability is less than exp(-BEYOND/2.5)."""


def unbiased(counts: Array, data: Array) -> Test:
    """Test whether `counts` among `data` are binomial with p = 1/2, by the sum of (2k - D)^2.

    The p-value is exact to 1e-12 and at least 1e-12. If the lattice would have more than 2^22 points (about 100
    networks of 50,000 data), squares are rounded to within 1e-6 of the width of their law.
    """
    statistic = float(np.sum((2 * counts - data) ** 2))
    sizes, repeats = np.unique(data, return_counts=True)
    mean, largest = float(repeats @ sizes), float(sizes[-1])
    # the sum is sub-exponential: D times a chi-squared variable with one degree for each network bounds its tail
    reach = min(mean + largest * (BEYOND + 9 * np.sqrt(2 * len(data))), float(repeats @ sizes**2))
    if statistic > reach:
        return Test(statistic, RESOLUTION)
    # (2k - D)^2 - D mod 2 is a multiple of 4
    step = max(4.0, reach / LONGEST)
    points = next_fast_len(int(reach / step) + 3, real=True)
    transform = np.ones(points // 2 + 1, dtype=complex)
    for size, repeat in zip(sizes, repeats, strict=True):
        transform *= rfft(_squares(int(size), step, points)) ** int(repeat)
    law = irfft(transform, points)
    offset = float(repeats @ (sizes % 2))
    tail = float(np.sum(law[int(np.ceil((statistic - offset) / step - 1e-9)) :]))
    return Test(statistic, min(max(tail, RESOLUTION), 1.0))


def _squares(size: int, step: float, points: int) -> Array:
    """Return the probabilities of (2k - D)^2 - D mod 2 on the lattice, without those beyond its end."""
    last = (size + np.sqrt(step * (points - 2) + size % 2)) // 2
    k = np.arange((size + 1) // 2, min(size, last) + 1)
    mass = FiniteGuessLaw(0.0, size).pmf(k) * np.where(2 * k == size, 1.0, 2.0)
    place = ((2.0 * k - size) ** 2 - size % 2) / step
    low = np.floor(place).astype(np.int64)
    upper = (place - low) * mass
    return np.asarray(np.bincount(low, mass - upper, points) + np.bincount(low + 1, upper, points), dtype=float)
