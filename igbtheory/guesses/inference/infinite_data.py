"""Shares among infinitely many data, which determine the centres of the outputs exactly.

For two classes Phi^-1(G0) ~ N(0, gamma). For M classes the M - 1 contrasts of the centres, in units of the spread over
the data, are independent and N(0, gamma) too. So gamma is the variance of a normal law, and its estimate and interval
are exact for any number of networks.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert
from scipy.special import chdtri, ndtr, ndtri

from igbtheory.guesses.centred import fractions
from igbtheory.guesses.inference.centres import centres
from igbtheory.guesses.inference.observed import Observed, Test

Array = NDArray[np.float64]
DRAWS = 4999
"""Number of draws of the distance under the hypothesis: p-values are multiples of 1/5000."""


@final
@dataclass(frozen=True, eq=False)
class Scores(Observed):
    """Independent scores N(0, gamma), shape (networks, M - 1)."""

    values: Array
    kind: ClassVar = "shares without D"

    @classmethod
    def of_shares(cls, shares: Array) -> "Scores":
        """Return the scores of shares of class 0, (networks,), or of all classes, (networks, M)."""
        if shares.ndim == 1:
            return cls(ndtri(shares)[:, None])
        return cls(centres(shares) @ helmert(shares.shape[1]).T)

    @property
    def networks(self) -> int:
        return len(self.values)

    def shares(self) -> Array:
        if self.values.shape[1] == 1:
            return np.asarray(ndtr(self.values[:, 0]))
        return fractions(self.values @ helmert(self.values.shape[1] + 1))

    def estimate(self) -> float:
        """Return the maximum-likelihood estimate, the mean square."""
        return float(np.mean(self.values**2))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the exact interval with equal tails, from a chi-squared law of networks (M - 1) degrees of freedom."""
        degrees, tail = self.values.size, (1 - level) / 2
        total = degrees * self.estimate()
        return float(total / chdtri(degrees, tail)), float(total / chdtri(degrees, 1 - tail))

    def unbiased(self) -> Test:
        raise ValueError(
            "expected the number of data D for a test of gamma = 0, got None: among infinitely many data any unequal "
            "shares prove a bias; pass the number of data that were counted"
        )

    def fit(self, seed: int) -> Test:
        """Test the distance of the scores from N(0, estimate), whose law does not depend on gamma, against draws."""
        if not self.estimate():
            raise ValueError("expected unequal shares to compare with a law, got equal ones in every network; pass D")
        rng = np.random.default_rng(seed)
        drawn = [_distance(rng.standard_normal(self.values.size)) for _ in range(DRAWS)]
        return Test.ranked(_distance(self.values.ravel()), drawn)


def _distance(scores: Array) -> float:
    """Return the Kolmogorov-Smirnov distance of the scores from N(0, mean square)."""
    expected = ndtr(np.sort(scores) / np.sqrt(np.mean(scores**2)))
    below = np.arange(len(scores)) / len(scores)
    return float(np.max(np.maximum(expected - below, below + 1 / len(scores) - expected)))
