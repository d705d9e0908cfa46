"""Chebyshev series in one variable of a function of several variables, in double precision."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

SHORTEST = 9
"""Number of nodes of the first attempt; each further attempt doubles the number of intervals and keeps the nodes."""

Array = NDArray[np.float64]
Line = Callable[[Array], Array]
"""Return the values of one or several functions at points of the variable; the points are the first axis."""


@final
@dataclass(frozen=True)
class Axis:
    """The interval of one variable and the number of Chebyshev polynomials in it."""

    low: float
    high: float
    length: int = 1

    def at(self, x: Any) -> Any:
        """Return the values of the variable at positions x in [-1, 1]."""
        return (self.low + self.high) / 2 + (self.high - self.low) / 2 * x

    def position(self, value: Any) -> Any:
        """Return the positions x of values of the variable, or 0 if the interval is a point."""
        width = self.high - self.low
        return (2 * value - self.low - self.high) / width if width > 0 else 0 * value

    def nodes(self) -> Array:
        """Return the values of the variable at the nodes; every other one is also a node of half the degree."""
        return np.asarray(self.at(_points(self.length)))

    def polynomials(self, value: Any) -> Array:
        """Return the polynomials at values of the variable, shape (length, *values), by their recurrence."""
        x = np.asarray(self.position(value))
        rows, twice = np.empty((self.length, *x.shape)), 2 * x
        rows[0], rows[1:2] = 1, x
        for k in range(2, self.length):
            np.multiply(twice, rows[k - 1], out=rows[k])
            rows[k] -= rows[k - 2]
        return rows

    def basis(self, value: Any) -> Array:
        """Return the polynomials at values of the variable, shape (*values, length)."""
        return np.moveaxis(self.polynomials(value), 0, -1)

    def coefficients(self, values: Array) -> Array:
        """Return the Chebyshev coefficients, along the first axis, of values at the nodes."""
        return np.asarray(np.tensordot(transform(self.length), values, axes=1))

    def sampled(self, line: Line, tolerance: float, longest: int) -> tuple[Array, int]:
        """Return the values of a line at enough nodes to resolve it, and the number of polynomials that it needs.

        A coefficient counts if it is larger than the tolerance. A series is resolved if no coefficient of its last
        quarter counts. longest: number of nodes at which to stop.
        """
        if self.high <= self.low:
            return line(self.nodes()), 1
        values = line(self.at(_points(SHORTEST)))
        while True:
            size = np.abs(np.tensordot(transform(len(values)), values, axes=1))
            length = 1 + int(np.max(np.nonzero(~(size <= tolerance))[0], initial=0))
            if length <= 3 * len(values) // 4 or len(values) >= longest or not np.all(np.isfinite(size)):
                return values, length
            between = line(self.at(_points(2 * len(values) - 1)[1::2]))
            values = np.insert(values, np.arange(1, len(values)), between, axis=0)


def _points(size: int) -> Array:
    return np.asarray(chebyshev.chebpts2(size)) if size > 1 else np.zeros(1)


@lru_cache
def transform(size: int) -> Array:
    """Return the matrix from values at the nodes to Chebyshev coefficients."""
    return np.asarray(np.linalg.inv(chebyshev.chebvander(_points(size), size - 1)))
