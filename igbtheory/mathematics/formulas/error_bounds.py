"""Bounds on the error of a formula that approximates a function, and their Gaussian averages."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import TINY


@final
@dataclass(frozen=True)
class Doubt:
    """Bounds on the distance between a formula and the function that it approximates.

    bounds[i] holds between ends[i - 1] and ends[i]; kinks: the kinks of the function.
    """

    ends: tuple[float, ...]
    bounds: tuple[float, ...]
    kinks: tuple[Fraction, ...]

    def between(self, low: float, high: float) -> list[float]:
        """Return the bounds that hold somewhere between two points."""
        first, last = np.searchsorted(self.ends, [low, high])
        return list(self.bounds[first : last + 1])

    def root_mean_square(self, mean: Any, scale: Any) -> Any:
        """Return the root mean square of the bounds under Gaussians of these means and standard deviations."""
        mean, scale = (np.asarray(part, dtype=float)[..., None] for part in (mean, scale))
        with np.errstate(all="ignore"):
            z = (np.array([-np.inf, *self.ends, np.inf]) - mean) / np.maximum(scale, TINY)
            low, high = z[..., :-1], z[..., 1:]
            right = low > 0  # the difference of the smaller tail probabilities keeps its digits
            mass = np.where(right, FLOAT64.ncdf(-low) - FLOAT64.ncdf(-high), FLOAT64.ncdf(high) - FLOAT64.ncdf(low))
            terms = np.array(self.bounds) * np.sqrt(np.maximum(mass, 0))
            return np.hypot.reduce(terms, axis=-1)
