"""Scrambled Sobol points as quasi-random normal numbers, whose means have smaller errors than independent draws."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

DIMENSIONS = 2**10
"""Dimensions of one Sobol sequence, of 21,201 that SciPy has. More take several sequences, paired at random."""


def normal_points(rng: Generator, points: int, dimensions: int) -> NDArray[np.float64]:
    """Return normal numbers of shape (points, dimensions) in random order; points must be a power of two."""
    from scipy.special import ndtri  # noqa: PLC0415 - only sampling needs it
    from scipy.stats.qmc import Sobol  # noqa: PLC0415 - as above

    uniform = np.empty((points, dimensions))
    for start in range(0, dimensions, DIMENSIONS):
        part = uniform[:, start : start + DIMENSIONS]
        part[:] = rng.permutation(Sobol(part.shape[1], rng=rng).random(points))
    # the points have 30 bits; adding half a step keeps them away from 0 and 1
    return np.asarray(ndtri(uniform + 2.0**-31))
