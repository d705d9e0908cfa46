"""Counts of M classes among finitely many data: gamma from how often two data are given to the same class."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from igbtheory.guesses.several import ClassGuessLaw
from igbtheory.inference.observed import Observed, Test

Array = NDArray[np.float64]
SMALLEST, LARGEST = 1e-8, 1e8
"""Gamma that counts tell from 0, and from infinity."""
DRAWS = 4000
"""Networks drawn for the law of the coincidence at one gamma, and means over as many as were observed."""
MOST = 500
"""Networks of which a mean is drawn; that of more is as normal, and narrower."""
STEPS = 16
"""Halvings of the logarithm of gamma."""
TEST = 4999
"""Draws of the test of no bias."""
REFERENCE, FITS = 20_000, 999
"""Networks that stand for the law of the largest count, and draws of its test."""
WIDE = 0.999
"""Level of the interval that a confidence distribution spans."""
POINTS = 25
"""Values of gamma at which it is computed; between, its logarithm is interpolated."""
QUANTILES = 400
"""Quantiles of it."""


@final
@dataclass(frozen=True, eq=False)
class Votes(Observed):
    """Counts of every class, (networks, classes), rows of the sum D."""

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

    def estimate(self) -> float:
        """Return gamma whose collision probability is the observed coincidence, which has it as its mean."""
        if self.coincidence <= self._expected(SMALLEST):
            return 0.0
        if self.coincidence >= self._expected(LARGEST):
            return np.inf
        ends = np.log(SMALLEST), np.log(LARGEST)
        return float(np.exp(brentq(lambda x: self._expected(np.exp(x)) - self.coincidence, *ends, rtol=1e-10)))

    def interval(self, level: float) -> tuple[float, float]:
        """Values of gamma with neither too many nor too few networks as coincident as the observed, by simulation.

        The levels of the ends err by 0.003 (4000 draws, from a fixed seed).
        """
        tail = (1 - level) / 2
        return _first(lambda gamma: self.tail(gamma, 1) > tail), _first(lambda gamma: self.tail(gamma, -1) <= tail)

    def unbiased(self) -> Test:
        """Test gamma = 0 by the coincidence: its rank among draws, which has an exact level."""
        rng = np.random.default_rng(0)
        even = np.full(self.n_classes, 1 / self.n_classes)
        drawn = [self._coincidences(rng.multinomial(self.D, even, self.networks)).mean() for _ in range(TEST)]
        return Test.ranked(self.coincidence, drawn)

    def fit(self, seed: int) -> Test:
        """Distance of the largest counts from their law at the estimate, held against that of networks drawn from it.

        The estimate follows the observed networks alone, so that the p-value errs to the large side.
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
        """Equally likely values of log gamma; -inf and inf where gamma may as well be 0 or infinite.

        The probability of networks at least as coincident as the observed grows with gamma from 0 to 1. Read as a law
        of gamma, its confidence distribution, it has the ends of the intervals of every level as quantiles.
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
        """Return the probability of a mean coincidence on that side of the observed one, it included, at this gamma."""
        rng = np.random.default_rng(0)
        single = self._coincidences(ClassGuessLaw(gamma, self.n_classes).finite(self.D).rvs(DRAWS, rng))
        size = min(self.networks, MOST)
        means = rng.choice(single, (DRAWS, size)).mean(axis=1)
        means = single.mean() + (means - single.mean()) * np.sqrt(size / self.networks)
        return float(np.mean(side * (means - self.coincidence) >= -1e-12))


def _first(reached: Callable[[float], bool]) -> float:
    """Return the gamma at which a condition begins to hold; 0 or inf where it holds at every gamma or at none."""
    if reached(SMALLEST):
        return 0.0
    if not reached(LARGEST):
        return np.inf
    low, high = np.log(SMALLEST), np.log(LARGEST)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(np.exp(middle)) else (middle, high)
    return float(np.exp(0.5 * (low + high)))
