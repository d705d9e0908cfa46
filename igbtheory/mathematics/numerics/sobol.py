"""Quasi-random normal numbers from Sobol points with random digits: means have smaller errors than those of draws."""

from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

DIMENSIONS = 2**10
"""Dimensions of one Sobol sequence, of 21,201 that SciPy has. More take several sequences, paired at random."""
BITS = 30
"""Number of binary digits of a point: half a step, 2^-31, keeps the normal numbers finite."""
KEPT = 4
"""Number of sets of points that are kept, of at most 16 MiB: a network takes few sizes in turns."""


def normal_points(rng: Generator, points: int, dimensions: int) -> NDArray[np.float64]:
    """Return normal numbers of shape (points, dimensions) in random order; points must be a power of two.

    The binary digits of all points are flipped at random, the same ones in each dimension: every point is uniform then,
    and the points stay balanced. Scrambling each set anew would take up to ten times as long.
    """
    from scipy.special import ndtri  # noqa: PLC0415 - only sampling needs it

    uniform = np.empty((points, dimensions))
    for start in range(0, dimensions, DIMENSIONS):
        part = uniform[:, start : start + DIMENSIONS]
        flips = rng.integers(2**BITS, size=part.shape[1], dtype=np.uint32)
        part[:] = _scrambled(points, part.shape[1])[rng.permutation(points)] ^ flips
    return np.asarray(ndtri((uniform + 0.5) * 2.0**-BITS))


@lru_cache(maxsize=KEPT)
def _scrambled(points: int, dimensions: int) -> NDArray[np.uint32]:
    """Return the binary digits of scrambled Sobol points as integers, shape (points, dimensions)."""
    from scipy.stats.qmc import Sobol  # noqa: PLC0415 - only sampling needs it

    return (Sobol(dimensions, bits=BITS, rng=0).random(points) * 2.0**BITS).astype(np.uint32)
