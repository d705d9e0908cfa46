"""Counts of M classes among D data: gamma from the share of pairs of data that are given to the same class."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from igbtheory.guesses.inference.observed import Observed, Test
from igbtheory.guesses.several import ClassGuessLaw

Array = NDArray[np.float64]
SMALLEST, LARGEST = 1e-8, 1e8
"""Range of gamma that is searched. Counts cannot tell smaller values from 0 and larger ones from inf."""
DRAWS = 4000
"""Number of networks drawn for the law of the coincidence at one gamma, and of means over the observed number."""
MOST = 500
"""Largest number of networks in a drawn mean. A mean over more is equally normal, and its deviation is rescaled."""
STEPS = 16
"""Number of bisections of log gamma, of whose range they leave 0.0006."""
TEST = 4999
"""Number of draws of the test of no bias: p-values are multiples of 1/5000."""
REFERENCE, FITS = 20_000, 999
"""Number of networks for the law of the largest count, and number of draws of its test: p-values are multiples of
1/1000."""
WIDE = 0.999
"""Level of the interval that a confidence distribution covers."""
POINTS = 25
"""Number of values of log gamma at which a confidence distribution is computed and then interpolated."""
QUANTILES = 400
"""Number of quantiles of a confidence distribution."""


@final
@dataclass(frozen=True, eq=False)
class Votes(Observed):
    """Counts k of every class, shape (networks, classes), with rows that sum to D."""

    k: Array
    D: int
    kind: ClassVar = "more than two classes with D"

    @property
    def networks(self) -> int:
        return len(self.k)

    @property
    def n_classes(self) -> int:
        """Number of classes M."""
        return int(self.k.shape[1])

    @cached_property
    def coincidence(self) -> float:
        """Mean over the networks of the share of pairs of data that are given to the same class."""
        return float(self._coincidences(self.k).mean())

    def shares(self) -> Array:
        return self.k / self.D

    def estimate(self) -> float:
        """Return the gamma whose collision probability, the mean of the coincidence, is the observed coincidence."""
        if self.coincidence <= self._expected(SMALLEST):
            return 0.0
        if self.coincidence >= self._expected(LARGEST):
            return np.inf
        ends = np.log(SMALLEST), np.log(LARGEST)
        return float(np.exp(brentq(lambda x: self._expected(np.exp(x)) - self.coincidence, *ends, rtol=1e-10)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the gammas for which the observed coincidence is in neither tail of its law, by simulation.

        The levels of the ends have errors of 0.003 (4000 draws from a fixed seed).
        """
        tail = (1 - level) / 2
        return _first(lambda gamma: self.tail(gamma, 1) > tail), _first(lambda gamma: self.tail(gamma, -1) <= tail)

    def unbiased(self) -> Test:
        """Test gamma = 0 by the rank of the coincidence among draws, which has an exact level."""
        rng = np.random.default_rng(0)
        even = np.full(self.n_classes, 1 / self.n_classes)
        drawn = [self._coincidences(rng.multinomial(self.D, even, self.networks)).mean() for _ in range(TEST)]
        return Test.ranked(self.coincidence, drawn)

    def fit(self, seed: int) -> Test:
        """Test the distance of the largest counts from their law at the estimate against draws from that law.

        gamma is not estimated again for the draws, so that the p-value tends to be too large.
        """
        law = ClassGuessLaw(self.estimate(), self.n_classes).finite(self.D)
        rng = np.random.default_rng(seed)
        most = np.arange(self.D + 1)

        def cdf(k: NDArray[Any]) -> Array:
            return np.asarray((k.max(axis=-1)[..., None] <= most).mean(axis=-2))

        expected = cdf(law.rvs(REFERENCE, rng))
        drawn = [np.abs(cdf(law.rvs(self.networks, rng)) - expected).max() for _ in range(FITS)]
        return Test.ranked(np.abs(cdf(self.k) - expected).max(), drawn)

    @cached_property
    def log_quantiles(self) -> Array:
        """Quantiles of the confidence distribution of log gamma; -inf and inf stand for gamma = 0 and inf.

        The confidence distribution at gamma is the probability of a coincidence at least as large as the observed one.
        It grows with gamma from 0 to 1, and its quantiles are the ends of the intervals of all levels.
        """
        low, high = np.clip(self.interval(WIDE), SMALLEST, LARGEST)
        log_gamma = np.linspace(np.log(low), np.log(high), POINTS)
        reached = np.maximum.accumulate([self.tail(float(np.exp(x)), 1) for x in log_gamma])
        p = (np.arange(QUANTILES) + 0.5) / QUANTILES
        return np.where(p < reached[0], -np.inf, np.where(p > reached[-1], np.inf, np.interp(p, reached, log_gamma)))

    def _expected(self, gamma: float) -> float:
        return float(ClassGuessLaw(gamma, self.n_classes).collision())

    def _coincidences(self, k: NDArray[Any]) -> Array:
        return np.asarray((k * (k - 1.0)).sum(axis=1) / (self.D * (self.D - 1.0)))

    def tail(self, gamma: float, side: int) -> float:
        """Return the probability, at this gamma, of a mean coincidence on that side (1: >=, -1: <=) of the observed."""
        rng = np.random.default_rng(0)
        single = self._coincidences(ClassGuessLaw(gamma, self.n_classes).finite(self.D).rvs(DRAWS, rng))
        size = min(self.networks, MOST)
        means = rng.choice(single, (DRAWS, size)).mean(axis=1)
        means = single.mean() + (means - single.mean()) * np.sqrt(size / self.networks)
        return float(np.mean(side * (means - self.coincidence) >= -1e-12))


def _first(reached: Callable[[float], bool]) -> float:
    """Return the gamma from which on a condition holds, 0 if it holds for all gammas, or inf if it holds for none."""
    if reached(SMALLEST):
        return 0.0
    if not reached(LARGEST):
        return np.inf
    low, high = np.log(SMALLEST), np.log(LARGEST)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(np.exp(middle)) else (middle, high)
    return float(np.exp(0.5 * (low + high)))
