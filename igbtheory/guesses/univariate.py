"""Laws of one number: the methods of a frozen distribution of scipy.stats that follow from a few others."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from igbtheory.guesses.law import Law, one_number

Weight = Callable[[Any], Any]
"""A function of one number, whose mean is wanted."""


class UnivariateLaw(Law):
    """Law of one number X that has the law of s - X as well: s = 1 of a fraction, s = D of a count.

    The methods are named, and their arguments meant, as those of a frozen distribution of scipy.stats.
    """

    @abstractmethod
    def cdf(self, x: Any) -> Any:
        """Return the probability of at most x."""

    @abstractmethod
    def sf(self, x: Any) -> Any:
        """Return the probability of more than x, to its own relative error."""

    @abstractmethod
    def ppf(self, p: Any) -> Any:
        """Return the quantile, the inverse of `cdf`."""

    @abstractmethod
    def isf(self, p: Any) -> Any:
        """Return the inverse of `sf`."""

    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Return the ends of the support."""

    @abstractmethod
    def moment(self, order: int) -> Any:
        """Return the mean of X**order, order a whole number from 1 on."""

    @abstractmethod
    def entropy(self) -> Any:
        """Return the entropy, in natural units."""

    @abstractmethod
    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the mean of func(X), by default of X, over lb <= X <= ub.

        conditional: divide by the probability of lb <= X <= ub.
        """

    def logcdf(self, x: Any) -> Any:
        """Return the logarithm of `cdf`."""
        return _logarithm(self.cdf(x), self.sf(x))

    def logsf(self, x: Any) -> Any:
        """Return the logarithm of `sf`."""
        return _logarithm(self.sf(x), self.cdf(x))

    def median(self) -> Any:
        """Return the median `ppf(1/2)`, the smallest where there are several."""
        return self.ppf(np.full(np.shape(self.mean()), 0.5))

    def interval(self, confidence: float) -> tuple[Any, Any]:
        """Return the ends of the central interval that has the probability `confidence`."""
        confidence = one_number("confidence", confidence)
        if not 0 <= confidence <= 1:
            raise ValueError(f"expected 0 <= confidence <= 1, got {confidence}; pass for instance 0.95")
        tail = np.full(np.shape(self.mean()), (1 - confidence) / 2)
        return self.ppf(tail), self.isf(tail)

    def stats(self, moments: str = "mv") -> Any:
        """Return the mean "m", variance "v", skewness "s" and excess kurtosis "k", those that are asked for."""
        known: dict[str, Callable[[], Any]] = {
            "m": self.mean,
            "v": self.var,
            "s": lambda: 0.0 * self.var(),
            "k": lambda: self._fourth() / self.var() ** 2 - 3,
        }
        if not moments or set(moments) - set(known):
            raise ValueError(f'expected letters of "mvsk", got {moments!r}; pass for instance "mv"')
        with np.errstate(invalid="ignore", divide="ignore"):  # what does not vary has no kurtosis
            found = tuple(known[letter]() for letter in moments)
        return found if len(found) > 1 else found[0]

    @abstractmethod
    def _fourth(self) -> Any:
        """Return the fourth central moment, without cancellation."""


def _logarithm(p: Any, rest: Any) -> Any:
    """Return log p, where rest = 1 - p has digits that p has lost."""
    with np.errstate(divide="ignore"):
        return np.where(np.less(p, 0.5), np.log(p), np.log1p(-np.minimum(rest, 0.5)))[()]


def between(low: Any, high: Any, lb: Any, ub: Any) -> tuple[float, float]:
    """Return the bounds of an expectation, by default the ends (low, high) of the support."""
    return (
        low if lb is None else one_number("lb", lb),
        high if ub is None else one_number("ub", ub),
    )
