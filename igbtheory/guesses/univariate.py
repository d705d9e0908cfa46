"""Base class of laws of one number: the methods of a frozen distribution of scipy.stats that follow from others."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from igbtheory.guesses.arguments import one_number
from igbtheory.guesses.law import Law

Weight = Callable[[Any], Any]
"""A function of one number, whose mean is wanted."""


class UnivariateLaw(Law):
    """Law of a number X that is distributed as s - X: a fraction (s = 1) or a count (s = D).

    The methods and their arguments have the names and the meaning that scipy.stats gives them.
    """

    @abstractmethod
    def cdf(self, x: Any) -> Any:
        """Return the probability that X <= x."""

    @abstractmethod
    def sf(self, x: Any) -> Any:
        """Return the probability that X > x, with a small relative error."""

    @abstractmethod
    def ppf(self, p: Any) -> Any:
        """Return the quantile at p, the inverse of `cdf`."""

    @abstractmethod
    def isf(self, p: Any) -> Any:
        """Return the inverse of `sf`."""

    def logcdf(self, x: Any) -> Any:
        """Return the logarithm of `cdf`."""
        return _logarithm(self.cdf(x), self.sf(x))

    def logsf(self, x: Any) -> Any:
        """Return the logarithm of `sf`."""
        return _logarithm(self.sf(x), self.cdf(x))

    def median(self) -> Any:
        """Return the median `ppf(1/2)`, the smallest one if there are several."""
        return self.ppf(np.full(np.shape(self.mean()), 0.5))

    def interval(self, confidence: float) -> tuple[Any, Any]:
        """Return the ends of the central interval that has the probability `confidence`."""
        confidence = one_number("confidence", confidence)
        if not 0 <= confidence <= 1:
            raise ValueError(f"expected 0 <= confidence <= 1, got {confidence}; pass for instance 0.95")
        tail = np.full(np.shape(self.mean()), (1 - confidence) / 2)
        return self.ppf(tail), self.isf(tail)

    def stats(self, moments: str = "mv") -> Any:
        """Return the requested ones of the mean "m", variance "v", skewness "s" and excess kurtosis "k"."""
        methods: dict[str, Callable[[], Any]] = {
            "m": self.mean,
            "v": self.var,
            "s": lambda: 0.0 * self.var(),
            "k": lambda: self._fourth() / self.var() ** 2 - 3,
        }
        if not moments or set(moments) - set(methods):
            raise ValueError(f'expected letters of "mvsk", got {moments!r}; pass for instance "mv"')
        with np.errstate(invalid="ignore", divide="ignore"):  # a point mass has no kurtosis
            values = tuple(methods[letter]() for letter in moments)
        return values if len(values) > 1 else values[0]

    @abstractmethod
    def _fourth(self) -> Any:
        """Return the fourth central moment, computed without cancellation."""


def _logarithm(p: Any, complement: Any) -> Any:
    """Return log p. Near p = 1 it is computed from the complement 1 - p, which has digits that p has lost."""
    with np.errstate(divide="ignore"):
        return np.where(np.less(p, 0.5), np.log(p), np.log1p(-np.minimum(complement, 0.5)))[()]


def between(low: Any, high: Any, lb: Any, ub: Any) -> tuple[float, float]:
    """Return the bounds lb, ub of an expectation, by default the ends (low, high) of the support."""
    return (
        low if lb is None else one_number("lb", lb),
        high if ub is None else one_number("ub", ub),
    )
