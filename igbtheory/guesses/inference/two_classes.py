"""Counts of class 0 among D data for two classes: maximum likelihood of the mixture of binomials."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import chdtri

from igbtheory.guesses.bias_of_guesses import gamma_of_variance
from igbtheory.guesses.finite import FiniteGuessLaw
from igbtheory.guesses.inference.observed import Observed, Test, end_of_interval
from igbtheory.guesses.inference.unbiased import unbiased

Array = NDArray[np.float64]
POINTS = 61
"""Number of values of gamma at which the likelihood is scanned before it is maximised."""
FLAT = 1e-3
"""Factor by which the scan extends beyond the gammas that counts can tell from 0 and from inf."""
DRAWS = 499
"""Number of draws of the distance under the hypothesis: p-values are multiples of 1/500."""
THRESHOLDS = 20
"""Number of counts at which the distance is evaluated."""


@final
@dataclass(frozen=True, eq=False)
class Counts(Observed):
    """Counts k of class 0 and numbers of data D, shape (networks,), for every network."""

    k: Array
    D: Array
    kind: ClassVar = "two classes with D"

    @property
    def networks(self) -> int:
        return len(self.k)

    def shares(self) -> Array:
        return self.k / self.D

    def estimate(self) -> float:
        """Return the maximum-likelihood estimate over all gamma from 0 to inf."""
        return self._maximum[0]

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval of gammas that the likelihood-ratio test does not reject.

        The limit law of the statistic is scaled by 1 + 1/(3 networks), its mean for a normal variance, which is the
        limit of large D.
        """
        best, highest = self._maximum
        allowed = highest - 0.5 * float(chdtri(1, 1 - level)) * (1 + 1 / (3 * self.networks))
        inside = float(np.log(np.clip(best, *self.range)))
        low, high = (
            end_of_interval(lambda x: self._at(x) - allowed, inside, float(np.log(far)), limit)
            for far, limit in zip(self.range, (0.0, np.inf), strict=True)
        )
        return low, high

    def log_likelihood(self, gamma: Array) -> Array:
        """Return the logarithm of the probability of the counts at every gamma, of its shape (m,)."""
        total = np.zeros(len(gamma))
        for size, k, repeats in self._distinct:
            total += FiniteGuessLaw(gamma[:, None], size).logpmf(k) @ repeats
        return total

    def unbiased(self) -> Test:
        return unbiased(self.k, self.D)

    def fit(self, seed: int) -> Test:
        """Test the distance of the shares from the law at the moment estimate against draws from that law."""
        rng = np.random.default_rng(seed)
        gamma = float(self.moment_estimate(self.k))
        marks = FiniteGuessLaw(gamma, 2**20).ppf((np.arange(THRESHOLDS) + 0.5) / THRESHOLDS) / 2**20
        drawn = np.stack([FiniteGuessLaw(gamma, int(size)).rvs(DRAWS, rng) for size in self.D], axis=1)
        distances = self._distance(np.concatenate([self.k[None], drawn]), np.unique(marks))
        return Test.ranked(distances[0], distances[1:])

    def moment_estimate(self, k: Array) -> Array:
        """Return the gamma at which sum (k - D/2)^2 has the observed mean, for counts k, shape (..., networks)."""
        excess = np.sum((k - self.D / 2) ** 2 - self.D / 4, axis=-1)
        return np.asarray(gamma_of_variance(excess / np.sum(self.D * (self.D - 1))))

    @cached_property
    def _distinct(self) -> list[tuple[int, Array, Array]]:
        """Every D > 1 with the distinct counts min(k, D - k) and the number of networks that have them."""
        groups = []
        for size in np.unique(self.D[self.D > 1]):
            lower = np.minimum(self.k, self.D - self.k)[np.equal(self.D, size)]
            k, repeats = np.unique(lower, return_counts=True)
            groups.append((int(size), k, repeats.astype(float)))
        return groups

    @property
    def range(self) -> tuple[float, float]:
        """Values of gamma outside which the likelihood is constant."""
        n = self.networks
        return FLAT / float(np.max(self.D) * np.sqrt(n)), n**2 / FLAT

    @cached_property
    def _maximum(self) -> tuple[float, float]:
        """The gamma with the largest likelihood, and the logarithm of this likelihood."""
        places = np.concatenate([[0.0], np.geomspace(*self.range, POINTS), [np.inf]])
        values = self.log_likelihood(places)
        best = int(np.argmax(values))
        # at the ends of the grid the likelihood is that of gamma = 0 and inf
        if not 1 < best < len(places) - 2:
            limit = 0 if best <= 1 else -1
            return float(places[limit]), float(values[limit])
        bounds = tuple(np.log(places[[best - 1, best + 1]]))
        optimum = minimize_scalar(lambda x: -self._at(x), bounds=bounds, method="bounded", options={"xatol": 1e-9})
        return float(np.exp(optimum.x)), -float(optimum.fun)

    def _at(self, log_gamma: float) -> float:
        return float(self.log_likelihood(np.exp([log_gamma]))[0])

    def _distance(self, k: Array, marks: Array) -> Array:
        """Return the largest distance of the empirical cdf from that of the law at the marks, for every row of k."""
        gamma = self.moment_estimate(k)[:, None]
        sizes, repeats = np.unique(self.D, return_counts=True)
        expected = sum(
            repeat * FiniteGuessLaw(gamma, int(size)).cdf(np.floor(marks * size))
            for size, repeat in zip(sizes, repeats, strict=True)
        )
        empirical = np.stack([(k <= np.floor(mark * self.D)).sum(axis=1) for mark in marks], axis=1)
        return np.asarray(np.abs(empirical - expected).max(axis=1) / self.networks)
