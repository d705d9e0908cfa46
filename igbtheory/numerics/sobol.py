"""Scrambled Sobol points as quasi-random normal numbers: means over them err less than over independent draws."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

DIMENSIONS = 2**10
"""Dimensions of one Sobol sequence; more dimensions are several sequences, paired at random."""


def normal_points(rng: Generator, points: int, dimensions: int) -> NDArray[np.float64]:
    """Return normal numbers of shape (points, dimensions), a power of two of points in random order."""
    from scipy.special import ndtri  # noqa: PLC0415 - loaded where something is drawn
    from scipy.stats.qmc import Sobol  # noqa: PLC0415 - as above

    found = np.empty((points, dimensions))
    for start in range(0, dimensions, DIMENSIONS):
        part = found[:, start : start + DIMENSIONS]
        part[:] = rng.permutation(Sobol(part.shape[1], rng=rng).random(points))
    # points have 30 bits: half a step keeps them away from 0 and 1
    return np.asarray(ndtri(found + 2.0**-31))
