"""Scrambled Sobol points as quasi-random normal numbers: means over them err less than over independent draws."""

from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Bits = NDArray[np.uint32]
DIMENSIONS = 2**10
"""Dimensions of one Sobol sequence; more dimensions are several sequences, paired at random."""
WORD = 32
"""Bits of a point."""


def normal_points(rng: Generator, points: int, dimensions: int) -> NDArray[np.float64]:
    """Return normal numbers of shape (points, dimensions), a power of two of points in random order."""
    from scipy.special import ndtri  # noqa: PLC0415 - loaded where something is drawn

    found = np.empty((points, dimensions), dtype=np.uint32)
    for start in range(0, dimensions, DIMENSIONS):
        part = found[:, start : start + DIMENSIONS]
        part[:] = rng.permutation(_scrambled(rng, _directions(points.bit_length() - 1)[:, : part.shape[1]]))
    # half a step keeps them away from 0 and 1
    return np.asarray(ndtri((found + 0.5) * 2.0**-WORD))


def _scrambled(rng: Generator, directions: Bits) -> Bits:
    """Return Sobol points of these directions, scrambled by random lower triangular matrices and shifts.

    So Matousek (1998) does it. The first points need no more than the first bits of the matrices' rows.
    """
    bits, dimensions = directions.shape
    turned = np.zeros_like(directions)
    for j, column in enumerate(rng.integers(0, 2**WORD, directions.shape, dtype=np.uint32)):
        below = column >> np.uint32(j + 1) | np.uint32(1 << WORD - 1 - j)
        turned ^= below * (directions >> np.uint32(WORD - 1 - j) & np.uint32(1))
    found = np.empty((2**bits, dimensions), dtype=np.uint32)
    found[0] = rng.integers(0, 2**WORD, dimensions, dtype=np.uint32)
    for k, direction in enumerate(turned):
        found[2**k : 2 ** (k + 1)] = found[: 2**k] ^ direction
    return found


@cache
def _directions(bits: int) -> Bits:
    """Return the first directions of Sobol's sequence, (bits, DIMENSIONS)."""
    from scipy.stats.qmc import Sobol  # noqa: PLC0415 - loaded where something is drawn

    found = np.empty((bits, DIMENSIONS), dtype=np.uint32)
    for k in range(bits):
        sequence = Sobol(DIMENSIONS, scramble=False)
        if k:
            sequence.fast_forward(2**k - 1)
        # neighbours in the order of Gray's code differ by one direction
        before, after = (sequence.random(2) * 2.0**WORD).astype(np.uint32)
        found[k] = before ^ after
    return found
