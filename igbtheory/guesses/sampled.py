"""Estimates from independent draws, with standard errors: of a number, and of the law of a number."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.arguments import one_number

DRAWS = 2000
"""Default number of draws of an estimate, which then has an error of a few per cent."""


@final
@dataclass(frozen=True, eq=False)
class Estimate(Result, NDArrayOperatorsMixin):
    """Estimate `value` with its standard error `error`: two numbers, or two arrays of one shape. 0 means exact.

    In arithmetic, in order and as text with a format it is its value; two estimates are equal if their errors are, too.

    value, error: numbers or arrays of one shape.

    >>> estimate = igb.guesses.accuracy_bounds(igb.mlp(1, "relu").predict().guesses(10), draws=200).tight.mean()
    >>> print(f"{estimate:.1f}", estimate > 0.3)
    0.6 True
    """

    value: Any
    error: Any

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Return what a function of NumPy makes of the values."""
        return getattr(ufunc, method)(*(x.value if isinstance(x, Estimate) else x for x in inputs), **options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return the value as an array."""
        return np.array(self.value, dtype=dtype, copy=copy)

    def __ne__(self, other: object) -> bool:
        return not self == other  # as other results; NumPy would compare the values

    def __float__(self) -> float:
        return float(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __repr__(self) -> str:
        if np.ndim(self.value):
            return f"Estimate(value={self.value!r}, error={self.error!r})"
        return f"{self.value:.6g} ± {self.error:.2g}"


def estimate(draws: Any, networks: int = 1) -> Estimate:
    """Return the mean over the first axis, with the error (standard deviation)/sqrt(number of draws).

    networks: number of those whose features gave the draws, network by network, or 1 if all draws are independent. Of
    fewer networks than draws the means scatter, too: the error is that of their mean, if it is larger.
    """
    draws = np.asarray(draws, dtype=float)
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    if 1 < networks < len(draws):
        means = np.array([part.mean(axis=0) for part in np.array_split(draws, networks)])
        error = np.maximum(error, means.std(axis=0, ddof=1) / np.sqrt(networks))
    return Estimate(draws.mean(axis=0)[()], error[()])


def linear(number: Any, factor: float, constant: Any = 0.0) -> Any:
    """Return factor times a number plus a constant; an estimate keeps its error."""
    if isinstance(number, Estimate):
        return Estimate(factor * number.value + constant, abs(factor) * number.error)
    return factor * number + constant


def checked_draws(draws: Any) -> int:
    """Return the number of draws as an int; refuse fewer than two, which have no standard error."""
    return checks.whole("draws", draws, 2)


@final
@dataclass(frozen=True, eq=False, repr=False)
class SampledLaw(Result):
    """Law of a number, or of each number of an array, known from at least two draws.

    draws: shape (number of draws, ...). networks: as in `estimate`. The methods return estimates that have the shape of
    one draw.

    >>> largest = igb.mlp(1, "relu").predict().guesses(10).largest(draws=200)
    >>> print(f"{largest.mean():.1f}")
    0.3
    """

    draws: NDArray[np.float64]
    networks: int = 1

    def mean(self) -> Estimate:
        """Return the mean."""
        return estimate(self.draws, self.networks)

    def std(self) -> Estimate:
        """Return the standard deviation s. Its error is the error of the variance divided by 2 s."""
        variance = estimate((self.draws - self.draws.mean(axis=0)) ** 2, self.networks)
        value = self.draws.std(axis=0, ddof=1)
        error = np.divide(variance.error, 2.0 * value, out=np.zeros_like(value), where=value > 0.0)
        return Estimate(value[()], error[()])

    def cdf(self, x: Any) -> Estimate:
        """Return the probability of at most x, one number.

        If k of n draws are at most x, the error is computed for the share (k + 1)/(n + 2), so that it is never 0.
        """
        return self._probability(self.draws <= one_number("x", x))

    def pmf(self, x: Any) -> Estimate:
        """Return the probability of exactly x, one number, with an error as in `cdf`."""
        return self._probability(self.draws == one_number("x", x))

    def _probability(self, events: NDArray[np.bool_]) -> Estimate:
        n, count = len(events), events.sum(axis=0)
        p = (count + 1.0) / (n + 2.0)
        error = np.sqrt(p * (1.0 - p) / n)
        if self.networks > 1:
            error = np.maximum(error, estimate(events, self.networks).error)
        return Estimate((count / n)[()], error[()])

    def ppf(self, p: Any) -> Estimate:
        """Return the quantile at p, one number with 0 < p < 1.

        The error is half of the distance between the quantiles one standard error of p below and above.
        """
        p = one_number("p", p)
        if not 0.0 < p < 1.0:
            raise ValueError(f"expected a probability 0 < p < 1, got {p}; draws do not show where their law ends")
        off = max(np.sqrt(p * (1.0 - p) / len(self.draws)), 1.0 / len(self.draws))
        low, value, high = np.quantile(self.draws, np.clip([p - off, p, p + off], 0.0, 1.0), axis=0)
        return Estimate(value[()], (0.5 * (high - low))[()])

    def to_dict(self) -> dict[str, Any]:
        """Return the mean and the standard deviation, with their errors, and the number of draws."""
        return {"draws": len(self.draws), "mean": self.mean().to_dict(), "std": self.std().to_dict()}

    def __repr__(self) -> str:
        return f"SampledLaw({len(self.draws)} draws of shape {self.draws.shape[1:]})"


def ordered(numbers: NDArray[np.float64], networks: int = 1) -> SampledLaw:
    """Return the law of the numbers of a row in descending order, from draws of rows."""
    return SampledLaw(-np.sort(-numbers, axis=1), networks)
