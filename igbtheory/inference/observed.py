"""What was observed of some networks: the shares of the data that each gave to its classes."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy.optimize import brentq


@final
@dataclass(frozen=True)
class Test:
    """Result of a test: its statistic, and the probability of one at least as large if the hypothesis holds."""

    __test__ = False  # no test of pytest
    statistic: float
    pvalue: float

    @classmethod
    def ranked(cls, statistic: float, drawn: Any) -> "Test":
        """Return the test by the rank of the statistic among draws of it; equal up to rounding counts as larger."""
        larger = np.count_nonzero(np.asarray(drawn) >= statistic * (1 - 1e-12))
        return cls(float(statistic), float((1 + larger) / (1 + len(drawn))))


class Observed(ABC):
    """Guesses of independent networks of one architecture."""

    @property
    @abstractmethod
    def networks(self) -> int:
        """Number of networks."""

    kind: ClassVar[str]
    """What was counted, in words: only estimates of one kind are compared."""

    @abstractmethod
    def estimate(self) -> float:
        """Estimate of gamma, from 0 to inf."""

    @abstractmethod
    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval that contains gamma with the probability `level` over the networks."""

    @abstractmethod
    def unbiased(self) -> Test:
        """Test gamma = 0."""

    @abstractmethod
    def fit(self, seed: int) -> Test:
        """Test the law of the shares, whatever gamma is."""


def end_of_interval(excess: Callable[[float], float], inside: float, far: float, limit: float) -> float:
    """Return exp(x) where `excess` falls to 0 between inside, where it is positive, and far; else the limit.

    excess: what a likelihood has beyond the least one that the level allows, a function of the logarithm x.
    """
    if excess(far) >= 0.0:
        return limit
    return float(np.exp(brentq(excess, inside, far, xtol=1e-9)))
