"""Laws of the number of data, out of D, that are given to class 0. All methods follow from the lower half of a law."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.law import float64_array
from igbtheory.guesses.univariate import UnivariateLaw, Weight, between

Array = NDArray[np.float64]


class CountLaw(UnivariateLaw):
    """Law of a count k in 0, ..., D for which k and D - k have equal probabilities.

    Only the lower half is computed. The upper half is its mirror image, so that the law is symmetric to the last digit.
    """

    D: int

    @abstractmethod
    def _mass(self, k: Array) -> Array:
        """Return the probability of the count k, whole numbers from 0 to D/2."""

    @abstractmethod
    def _cumulative(self, k: Array) -> Array:
        """Return the probability of a count of at most k, whole numbers from 0 to (D - 1)/2."""

    def pmf(self, k: Any) -> Any:
        """Return the probability of the count k, or 0 if k is not a whole number from 0 to D."""
        return self._of_counts(k, self._mass, 0.0)

    def cdf(self, k: Any) -> Any:
        """Return the probability of a count of at most k."""
        k = np.floor(float64_array("k", k))
        lower = np.clip(np.minimum(k, self.D - 1 - k), 0.0, None)
        half = self._cumulative(np.where(np.isnan(k), 0.0, lower))
        inside = np.where(2 * k == self.D - 1, 0.5, np.where(k == lower, half, 1.0 - half))
        return np.select([np.isnan(k), k < 0, k >= self.D], [np.nan, 0.0, 1.0], inside)[()]

    def sf(self, k: Any) -> Any:
        """Return the probability of a count of more than k."""
        # the count and D - count have the same law
        return self.cdf(self.D - 1 - np.floor(float64_array("k", k)))

    def logpmf(self, k: Any) -> Any:
        """Return the logarithm of `pmf`."""
        with np.errstate(divide="ignore"):
            return np.log(self.pmf(k))

    def ppf(self, p: Any) -> Any:
        """Return the smallest count k with cdf(k) >= p, a float as in scipy.stats: -1 at p = 0, NaN outside [0, 1]."""
        return self._first(p, lambda k, p: self.cdf(k) >= p, (-1.0, float(self.D)))

    def isf(self, p: Any) -> Any:
        """Return the smallest count k with sf(k) <= p, a float as in scipy.stats: -1 at p = 1, NaN outside [0, 1]."""
        return self._first(p, lambda k, p: self.sf(k) <= p, (float(self.D), -1.0))

    def _first(self, p: Any, reached: Callable[[Array, Array], Any], ends: tuple[float, float]) -> Any:
        """Return, by bisection, the smallest count k for which reached(k, p) holds, or the `ends` at p = 0 and 1."""
        # the mean has the shape of gamma
        p, _ = np.broadcast_arrays(float64_array("p", p), self.mean())
        below, above = np.full(p.shape, -1.0), np.full(p.shape, float(self.D))
        while np.any(above - below > 1):
            middle = np.floor(0.5 * (below + above))
            holds = reached(middle, p)
            below, above = np.where(holds, below, middle), np.where(holds, middle, above)
        return np.select([p == 0, p == 1, (p > 0) & (p < 1)], [*ends, above], np.nan)[()]

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and D."""
        return 0.0, float(self.D)

    def moment(self, order: int) -> Any:
        """Return the mean of count**order, for a whole number `order`, as a sum over all counts."""
        return self.expect(lambda k: k**order)

    def entropy(self) -> Any:
        """Return the entropy -sum pmf log pmf, in natural units."""
        return -np.sum(scipy.special.xlogy(pmf := self._probabilities()[1], pmf), axis=0)

    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the sum of pmf(k) func(k) over the counts lb <= k <= ub. By default func(k) = k.

        func takes a number. conditional: divide the sum by the probability that lb <= k <= ub.
        """
        low, high = between(*self.support(), lb, ub)
        k, pmf = self._probabilities()
        weights = pmf * ((k >= low) & (k <= high))
        values = np.vectorize(func or (lambda k: k), otypes=[float])(k)
        total = np.sum(values * weights, axis=0)
        return total / np.sum(weights, axis=0) if conditional else total

    def _fourth(self) -> Any:
        return self.expect(lambda k: (k - 0.5 * self.D) ** 4)

    def _probabilities(self) -> tuple[Array, Array]:
        """Return all counts and their probabilities, along the first axis."""
        k = np.arange(self.D + 1.0).reshape(-1, *(1 for _ in np.shape(self.mean())))
        return k, self.pmf(k)

    def _of_counts(self, k: Any, values: Callable[[Array], Array], elsewhere: float) -> Any:
        """Return values(min(k, D - k)) if k is a count, NaN if k is NaN, and `elsewhere` for any other k."""
        k = float64_array("k", k)
        possible = (k >= 0) & (k <= self.D) & (k == np.floor(k))
        at_counts = values(np.where(possible, np.minimum(k, self.D - k), 0.0))
        return np.where(np.isnan(k), np.nan, np.where(possible, at_counts, elsewhere))[()]
