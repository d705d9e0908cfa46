"""The law of G0 where gamma differs from network to network, as it does at finite width."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.latent import fraction, fraction_variance
from igbtheory.guesses.law import fitting
from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.guesses.univariate import UnivariateLaw

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
"""Gauss-Hermite quadrature over the normal logarithm of gamma: its smooth means need fewer nodes."""
LOWEST, HIGHEST = -60.0, 60.0
"""Logarithms of gamma between which the variance of G0 rises from 0 to 1/4 in double precision."""
WIDEST = 64.0
"""Largest variance of log gamma: then nearly all networks guess at random or one class."""
HALVINGS = 60
"""Number of bisections of a quantile, after which its interval is a rounding error."""


@final
@dataclass(frozen=True, eq=False)
class VariedGuessLaw(UnivariateLaw):
    """Law of G0 = Phi(sqrt(gamma) U), U ~ N(0, 1), where log gamma is normal over the networks.

    variance: Var(G0), from 0 to 1/4, which determines the mean of log gamma. spread: the variance of log gamma; 0 gives
    `GuessLaw`. Means over log gamma are quadratures, with errors below 1e-6 for spreads up to 4.

    >>> law = igb.guesses.VariedGuessLaw(variance=0.1, spread=0.2)
    >>> print(f"{law.std():.4f}")
    0.3162
    """

    variance: float
    spread: float

    def cdf(self, g: Any) -> Any:
        """Return the probability that G0 <= g."""
        return self._mean("cdf", g)

    def sf(self, g: Any) -> Any:
        """Return the probability that G0 > g."""
        return self._mean("sf", g)

    def pdf(self, g: Any) -> Any:
        """Return the density. Outside [0, 1] it is 0."""
        return self._mean("pdf", g)

    def ppf(self, p: Any) -> Any:
        """Return the quantile at p, the inverse of `cdf`, or NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(1.0, self._latent(scipy.special.ndtri(fitting("p", p, 0.0))))[()]

    def isf(self, p: Any) -> Any:
        """Return the inverse of `sf`, or NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(1.0, -self._latent(scipy.special.ndtri(fitting("p", p, 0.0))))[()]

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of G0, of shape `size` (None: one number)."""
        rng, shape = checks.generator(random_state), checks.shape_of(size)
        gamma = np.exp(self._centre + np.sqrt(self.spread) * rng.standard_normal(shape))
        return fraction(gamma, rng.standard_normal(shape))[()]

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and 1."""
        return 0.0, 1.0

    def mean(self) -> float:
        """Return the mean 1/2: no class is favoured on average over the weights."""
        return 0.5

    def var(self) -> float:
        """Return the variance over initialisations."""
        return self.variance

    def majority(self) -> float:
        """Return the expected share of the favoured class, E max(G0, 1 - G0)."""
        return float(WEIGHTS @ self._laws.majority())

    def _fourth(self) -> float:
        return float(WEIGHTS @ fourth_moment(self._gammas))

    @cached_property
    def _centre(self) -> float:
        """The mean of log gamma."""
        return mean_log_gamma(self.variance, self.spread)

    @property
    def _gammas(self) -> NDArray[np.float64]:
        return np.asarray(np.exp(self._centre + np.sqrt(self.spread) * NODES))

    @cached_property
    def _laws(self) -> GuessLaw:
        return GuessLaw(self._gammas)

    def _mean(self, method: str, g: Any) -> Any:
        """Return the mean of a method of `GuessLaw` over the networks."""
        return (getattr(self._laws, method)(fitting("g", g, 0.0)[..., None]) @ WEIGHTS)[()]

    def _latent(self, z: Any) -> Any:
        """Return y such that the probability of Phi^-1(G0) <= y is Phi(z), by bisection."""
        roots = np.sqrt(self._gammas)
        low, high = np.minimum(z * roots.min(), z * roots.max()), np.maximum(z * roots.min(), z * roots.max())
        for _ in range(HALVINGS):
            y = (low + high) / 2
            # in the lower half, so that small probabilities keep their digits
            below = scipy.special.ndtr(-np.abs(y)[..., None] / roots) @ WEIGHTS < scipy.special.ndtr(-np.abs(z))
            low, high = np.where(below == (z < 0), y, low), np.where(below == (z < 0), high, y)
        return (low + high) / 2


def mean_log_gamma(variance: float, spread: float) -> float:
    """Return the mean of a normal log gamma of the variance `spread` at which G0 has this variance."""
    shifts = np.sqrt(spread) * NODES

    def excess(centre: float) -> float:
        return float(WEIGHTS @ fraction_variance(np.exp(centre + shifts))) - variance

    if not excess(LOWEST) < 0:
        return LOWEST
    return float(scipy.optimize.brentq(excess, LOWEST, HIGHEST)) if excess(HIGHEST) > 0 else HIGHEST


def spread_of(variance: float, fourth: float) -> float:
    """Return the variance of log gamma at which G0 has this variance and fourth central moment, at least 0."""

    def excess(spread: float) -> float:
        return VariedGuessLaw(variance, spread)._fourth() - fourth  # noqa: SLF001 - of this module

    if not excess(0.0) < 0:
        return 0.0
    return float(scipy.optimize.brentq(excess, 0.0, WIDEST)) if excess(WIDEST) > 0 else WIDEST


def fourth_moment(gamma: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return E (G0 - 1/2)^4 = E erf(y/sqrt(2))^4/16 at each gamma of an array, y = sqrt(gamma) U.

    If gamma > 1, it is 1/16 less the mean of the rest, which is 0 from y = 9 on; else the density is 0 from U = 9 on.
    """
    nodes, weights = np.polynomial.legendre.leggauss(80)
    far = 9.0 / np.maximum(1.0, np.sqrt(gamma))[:, None]
    u = far * (1 + nodes) / 2
    power = scipy.special.erf(np.sqrt(gamma / 2)[:, None] * u) ** 4
    density = np.sqrt(2 / np.pi) * np.exp(-(u**2) / 2) * far / 2
    return np.asarray(np.where(gamma > 1, 1 - (density * (1 - power)) @ weights, (density * power) @ weights) / 16)
