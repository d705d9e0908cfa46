"""Outputs whose gamma differs from network to network, as it does at finite width."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.latent import fraction, fraction_variance
from igbtheory.guesses.source import Formula, IndependentData

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
@dataclass(frozen=True, eq=False, repr=False)
class VariedOutputs(IndependentData):
    """Gaussian outputs where log gamma is normal over the networks, as at finite width.

    variance: Var(G0), from 0 to 1/4, which determines the mean of log gamma. spread: the variance of log gamma; 0 gives
    `GaussianOutputs`. Means over log gamma are quadratures, with errors below 1e-6 for spreads up to 4. var_chi: the
    variance over the data where the scale of the outputs matters, as for softmax, that of all networks; None: 1.

    >>> law = igb.GuessLaw(igb.guesses.VariedOutputs(variance=0.1, spread=0.2))
    >>> print(f"{law.std():.4f}")
    0.3162
    """

    variance: float
    spread: float
    var_chi: float | None = None

    def mean(self, formula: Formula, *arguments: Any, logarithms: bool = False) -> Any:
        values = formula(self._gammas, *(np.asarray(one)[..., None] for one in arguments))
        if logarithms:
            return scipy.special.logsumexp(values, axis=-1, b=WEIGHTS)
        return (values @ WEIGHTS)[()]

    def share(self, z: Any) -> Any:
        return fraction(1.0, self._latent(z))

    def gammas(self, size: Any, rng: np.random.Generator) -> NDArray[np.float64]:
        scatter = np.sqrt(self.spread) * rng.standard_normal(checks.shape_of(size))
        return np.asarray(np.exp(self._centre + scatter))

    def deviations(self, gamma: Any) -> tuple[Any, Any]:
        of_data = 1.0 if self.var_chi is None else np.sqrt(self.var_chi)
        return of_data * np.sqrt(gamma), of_data

    def fourth(self) -> float:
        """Return E (G0 - 1/2)^4, faster than to the last digit."""
        return float(WEIGHTS @ fourth_moment(self._gammas))

    @cached_property
    def _centre(self) -> float:
        """The mean of log gamma."""
        return mean_log_gamma(self.variance, self.spread)

    @cached_property
    def _gammas(self) -> NDArray[np.float64]:
        return np.asarray(np.exp(self._centre + np.sqrt(self.spread) * NODES))

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
        return VariedOutputs(variance, spread).fourth() - fourth

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
