"""Gauss rules of discrete measures: few nodes that stand for many."""

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gauss(nodes: Array, weights: Array, order: int) -> tuple[Array, Array]:
    """Return nodes and weights, `order` of them, that integrate polynomials of degree < 2 order as the given ones do.

    weights: positive. Lanczos's recursion with all vectors kept orthogonal gives the Jacobi matrix of the measure.
    """
    total = weights.sum()
    basis = [np.sqrt(weights / total)]
    diagonal, beside = [], []
    for _ in range(order):
        moved = nodes * basis[-1]
        diagonal.append(moved @ basis[-1])
        for vector in basis * 2:  # twice, since once leaves what rounding makes of large parts
            moved = moved - (moved @ vector) * vector
        beside.append(np.linalg.norm(moved))
        basis.append(moved / beside[-1])
    found, vectors = scipy.linalg.eigh_tridiagonal(diagonal, beside[:-1])
    return np.asarray(found, dtype=float), np.asarray(total * vectors[0] ** 2, dtype=float)
