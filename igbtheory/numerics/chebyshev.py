"""Chebyshev polynomials of one variable on an interval."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
        """Values of the variable at the nodes."""
        return np.asarray(self.at(chebyshev.chebpts1(self.length)))

    def basis(self, value: Any) -> Array:
        """Polynomials at values of the variable, shape (*values, length)."""
        return np.asarray(chebyshev.chebvander(self.position(value), self.length - 1))

    def coefficients(self, values: Array) -> Array:
        """Coefficients along the first axis, of values at the nodes."""
        found = np.linalg.solve(self.basis(self.nodes()), values.reshape(self.length, -1))
        return np.asarray(found.reshape(values.shape))
