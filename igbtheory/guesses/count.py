"""Laws of the number of data, out of D, that are given to class 0: what follows from their lower halves."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.law import Law, float64_array

Array = NDArray[np.float64]


class CountLaw(Law):
    """Law of a count k in 0, ..., D that is symmetric in k and D - k.

    Only the lower half is computed. The upper half mirrors it, so that the law is symmetric to the last digit.
    """

    D: int

    @abstractmethod
    def _mass(self, k: Array) -> Array:
        """Return the probability of the count k, whole numbers from 0 to D/2."""

    @abstractmethod
    def _cumulative(self, k: Array) -> Array:
        """Return the probability of a count of at most k, whole numbers from 0 to (D - 1)/2."""

    def pmf(self, k: Any) -> Any:
        """Return the probability of the count k; 0 where k is no whole number from 0 to D."""
        return self._of_counts(k, self._mass, 0.0)

    def cdf(self, k: Any) -> Any:
        """Return the probability of a count of at most k."""
        k = np.floor(float64_array("k", k))
        lower = np.clip(np.minimum(k, self.D - 1 - k), 0.0, None)
        half = self._cumulative(np.where(np.isnan(k), 0.0, lower))
        inside = np.where(2 * k == self.D - 1, 0.5, np.where(k == lower, half, 1.0 - half))
        return np.select([np.isnan(k), k < 0, k >= self.D], [np.nan, 0.0, 1.0], inside)[()]

    def ppf(self, p: Any) -> Any:
        """Return the smallest count k with cdf(k) >= p, a float as in scipy.stats: -1 at p = 0, NaN outside [0, 1]."""
        # the mean has the shape of a sweep
        p, _ = np.broadcast_arrays(float64_array("p", p), self.mean())
        below, above = np.full(p.shape, -1.0), np.full(p.shape, float(self.D))
        while np.any(above - below > 1):
            middle = np.floor(0.5 * (below + above))
            reached = self.cdf(middle) >= p
            below, above = np.where(reached, below, middle), np.where(reached, middle, above)
        return np.select([p == 0, p == 1, (p > 0) & (p < 1)], [-1.0, float(self.D), above], np.nan)[()]

    def _of_counts(self, k: Any, values: Callable[[Array], Array], elsewhere: float) -> Any:
        """Return the values of min(k, D - k) where k is a count, and another one elsewhere; NaN where k is NaN."""
        k = float64_array("k", k)
        possible = (k >= 0) & (k <= self.D) & (k == np.floor(k))
        found = values(np.where(possible, np.minimum(k, self.D - k), 0.0))
        return np.where(np.isnan(k), np.nan, np.where(possible, found, elsewhere))[()]
