"""For each of many classes, an integral whose integrand is a product over all classes.

Class c lies at the distance d_c >= 0 behind the first one. The integrals are sums over nodes t,

    I_c = sum_t g(t, d_c) prod_e f(t, d_e).

log f and log I are smooth in d: between two ends of cells they are polynomials in the distance. log f then needs only
the sums of powers of the distances in each cell, so that M classes take M ORDER steps rather than M times the nodes.
"""

from collections.abc import Callable
from typing import final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from igbtheory.mathematics.numerics.limits import BLOCK, TINY

ORDER = 12
"""Coefficients of a polynomial: of log Phi in cells of one standard deviation, the last one is 1e-13 of the first.

The zeros of Phi nearest to the real axis are 2.8 above it, and every coefficient is 1/11 of the one before.
"""

Array = NDArray[np.float64]
Logarithm = Callable[[Array], Array]
"""Return the logarithm of f or g at distances (distances, 1), shape (distances, nodes)."""


@final
class ManyFactors:
    """The integrals for distances up to `reach`, in cells of a width; larger distances count as the largest one."""

    def __init__(self, log_f: Logarithm, log_g: Logarithm, reach: float, width: float) -> None:
        self.width, self.cells = width, int(np.ceil(reach / width))
        points = chebyshev.chebpts1(ORDER)
        self._powers = np.linalg.inv(np.vander(points, ORDER, increasing=True))
        """From values at the points of a cell to coefficients of powers."""
        d = width * (np.arange(self.cells)[:, None] + (points + 1) / 2).reshape(-1, 1)
        values = log_f(d).reshape(self.cells, ORDER, -1)
        self._log_f = (self._powers @ values).reshape(len(d), -1)
        with np.errstate(under="ignore"):
            self._g = np.exp(log_g(d)).T

    def __call__(self, distances: Array) -> Array:
        """Return the integrals for rows of distances, in the shape of the distances (rows, classes)."""
        held = max(distances.shape[1], *self._log_f.shape)
        blocks = np.array_split(distances, 1 + len(distances) * held // BLOCK)
        return np.concatenate([self._of_block(block) for block in blocks])

    def _of_block(self, distances: Array) -> Array:
        rows = len(distances)
        d = np.minimum(distances / self.width, self.cells)
        cell = np.minimum(d.astype(np.intp), self.cells - 1)
        x = 2 * (d - cell) - 1
        cell += self.cells * np.arange(rows)[:, None]
        sums, power = np.empty((rows * self.cells, ORDER)), np.ones_like(x)
        for k in range(ORDER):
            sums[:, k] = np.bincount(cell.ravel(), power.ravel(), len(sums))
            power *= x
        with np.errstate(under="ignore"):
            integrals = np.exp(sums.reshape(rows, -1) @ self._log_f) @ self._g
            logs = np.log(np.maximum(integrals, TINY)).reshape(-1, ORDER) @ self._powers.T
            log_integrals = logs[:, -1][cell]
            for coefficients in logs.T[-2::-1]:
                log_integrals *= x
                log_integrals += coefficients[cell]
            return np.asarray(np.exp(log_integrals))
