"""Base class of observed guesses: the shares of the data that networks gave to the classes."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq


@final
@dataclass(frozen=True)
class Test:
    """Result of a test: its statistic, and the probability of a value at least as large if the hypothesis is true.

    statistic, pvalue: the two numbers.

    >>> test = igb.infer([0.31, 0.72, 0.55, 0.08, 0.64, 0.47]).fit()
    >>> print(f"{test.pvalue:.2f}")
    0.94
    """

    __test__ = False  # pytest does not collect it
    statistic: float
    pvalue: float

    @classmethod
    def ranked(cls, statistic: float, drawn: Any) -> "Test":
        """Return the test whose p-value is the rank of the statistic among draws. Ties, up to rounding, are larger."""
        larger = np.count_nonzero(np.asarray(drawn) >= statistic * (1 - 1e-12))
        return cls(float(statistic), float((1 + larger) / (1 + len(drawn))))


class Observed(ABC):
    """Guesses of independent networks of one architecture."""

    @property
    @abstractmethod
    def networks(self) -> int:
        """Number of networks."""

    @abstractmethod
    def shares(self) -> NDArray[np.float64]:
        """Return the shares of class 0, (networks,), or for more than two classes those of all, (networks, M)."""

    kind: ClassVar[str]
    """Name of the kind of observation. Only estimates of one kind can be compared."""

    @abstractmethod
    def estimate(self) -> float:
        """Return the estimate of gamma, from 0 to inf."""

    @abstractmethod
    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval that contains gamma with the probability `level` over the networks."""

    @abstractmethod
    def unbiased(self) -> Test:
        """Test the hypothesis gamma = 0."""

    @abstractmethod
    def fit(self, seed: int) -> Test:
        """Test whether the shares have the law of the guesses at some gamma."""


def end_of_interval(excess: Callable[[float], float], inside: float, far: float, limit: float) -> float:
    """Return exp(x) at the root x of `excess` between `inside` and `far`, or `limit` if it is not negative at `far`.

    excess: a log-likelihood at the logarithm x, less the smallest value that the level of the interval allows.
    """
    if excess(far) >= 0.0:
        return limit
    return float(np.exp(brentq(excess, inside, far, xtol=1e-9)))
