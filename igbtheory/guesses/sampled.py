"""A law that is known from independent draws, with the standard errors of what they say."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.arguments import float64_array
from igbtheory.guesses.estimate import Estimate, checked_draws, estimate

DRAWS = 2000
"""Draws of an estimate unless named: it errs by a few per cent."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class SampledLaw:
    """Law of a number, or of each number of an array, known from independent `draws`, shape (number of draws, ...).

    What its methods give has the shape of one draw, and a standard error. At least two draws.
    """

    draws: NDArray[np.float64]

    def mean(self) -> Estimate:
        """Return the mean."""
        return estimate(self.draws)

    def std(self) -> Estimate:
        """Return the standard deviation s; its error is that of the variance over 2 s."""
        variance = estimate((self.draws - self.draws.mean(axis=0)) ** 2)
        value = self.draws.std(axis=0, ddof=1)
        error = np.divide(variance.error, 2.0 * value, out=np.zeros_like(value), where=value > 0.0)
        return Estimate(value[()], error[()])

    def cdf(self, x: Any) -> Estimate:
        """Probability of at most x, one number; its error is that of k + 1 in n + 2 draws, and so never 0."""
        n, count = len(self.draws), np.sum(self.draws <= _one("x", x), axis=0)
        p = (count + 1.0) / (n + 2.0)
        return Estimate((count / n)[()], np.sqrt(p * (1.0 - p) / n)[()])

    def ppf(self, p: Any) -> Estimate:
        """Quantile at p, one number inside (0, 1); error: half the gap of the quantiles one deviation of p away."""
        p = _one("p", p)
        if not 0.0 < p < 1.0:
            raise ValueError(f"expected a probability 0 < p < 1, got {p}; draws know no end of their law")
        off = max(np.sqrt(p * (1.0 - p) / len(self.draws)), 1.0 / len(self.draws))
        low, value, high = np.quantile(self.draws, np.clip([p - off, p, p + off], 0.0, 1.0), axis=0)
        return Estimate(value[()], (0.5 * (high - low))[()])

    def __repr__(self) -> str:
        return f"SampledLaw({len(self.draws)} draws of shape {self.draws.shape[1:]})"


class DrawnClasses(ABC):
    """Law of one number for every class that can be drawn, and what draws say of the numbers in order."""

    @abstractmethod
    def rvs(self, size: Any = None, random_state: Any = None) -> NDArray[np.float64]:
        """Return independent draws of the numbers of all classes, shape (*size, M)."""

    def largest(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the largest number, that of the favoured class, from so many draws."""
        return SampledLaw(self._draws(draws, random_state).max(axis=1))

    def ranked(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the numbers in order, arrays (M,), the favoured class first, from so many draws."""
        return ordered(self._draws(draws, random_state))

    def _draws(self, draws: int, random_state: Any) -> NDArray[np.float64]:
        return self.rvs(checked_draws(draws), random_state)


def ordered(numbers: NDArray[np.float64]) -> SampledLaw:
    """Return the law of the numbers of a row in order, the largest first, from draws of rows."""
    return SampledLaw(-np.sort(-numbers, axis=1))


def _one(name: str, value: Any) -> float:
    number = float64_array(name, value)
    if number.ndim:
        raise ValueError(f"{name}: expected one number, got an array of shape {number.shape}; loop over its values")
    return float(number)
