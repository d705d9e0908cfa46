"""Chebyshev series on an interval, one variable of a table of a function of several, in double precision."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

SHORTEST = 9
"""Nodes of the first probe of a series; the next ones double the intervals."""

Array = NDArray[np.float64]
Line = Callable[[Array], Array]
"""Values at points of the variable, in front: of one function, or of several."""


@final
@dataclass(frozen=True)
class Axis:
    """Interval of one variable and the number of its Chebyshev polynomials."""

    low: float
    high: float
    length: int = 1

    def at(self, x: Any) -> Any:
        """Values of the variable at x in [-1, 1]."""
        return (self.low + self.high) / 2 + (self.high - self.low) / 2 * x

    def position(self, value: Any) -> Any:
        """Positions x of values of the variable; 0 where there is but one."""
        width = self.high - self.low
        return (2 * value - self.low - self.high) / width if width > 0 else 0 * value

    def nodes(self) -> Array:
        """Values of the variable at the nodes, of which every other one is a node of half the degree."""
        return np.asarray(self.at(_points(self.length)))

    def basis(self, value: Any) -> Array:
        """Polynomials at values of the variable, shape (*values, length)."""
        x = np.asarray(self.position(value))
        if np.any(np.abs(x) > 1):
            return np.asarray(chebyshev.chebvander(x, self.length - 1))
        return np.asarray(np.cos(np.arccos(x)[..., None] * np.arange(float(self.length))))

    def coefficients(self, values: Array) -> Array:
        """Coefficients along the first axis, of values at the nodes."""
        return np.asarray(np.tensordot(transform(self.length), values, axes=1))

    def sampled(self, line: Line, tolerance: float, longest: int) -> tuple[Array, int]:
        """Values of a line at as many nodes as its series takes, and the number of polynomials that count.

        A coefficient counts where it is larger than the tolerance; a series has ended where none of the last quarter
        does. longest: nodes from which on no more are tried.
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
