"""The law of the number of data, out of D, that an untrained binary network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.latent import draw_fraction, fraction_variance
from igbtheory.guesses.law import Law, Numbers, checked_data_count, checked_gamma, float64_array
from igbtheory.guesses.mixture import log_cumulative, log_mass

Array = NDArray[np.float64]

_BLOCK = 2048  # values at a time: 40 nodes of each, some tens of times, stay within 100 MB


def _in_blocks(rule: Callable[[Array, Array], Array], k: Array, s: Array) -> Array:
    result = np.empty_like(k)
    for start in range(0, k.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        with np.errstate(all="ignore"):
            result[block] = rule(k[block], s[block])
    return result


@final
@dataclass(frozen=True, eq=False)
class FiniteGuessLaw(Law):
    """Law of the count k in 0, ..., D of independent data that are given to class 0, over weights and data.

    Given the latent U of the network every datum goes to class 0 with probability Phi(sqrt(gamma) U):

        pmf(k) = C(D, k) E Phi(sqrt(gamma) U)^k Phi(-sqrt(gamma) U)^(D-k),    U ~ N(0, 1)

    It is the law of the count, as in `scipy.stats.binom`, `mean` and `var` included; the fraction is k/D.
    gamma = 0: binomial with p = 1/2. gamma = 1: uniform on the D + 1 counts. gamma = inf: 1/2 at 0, 1/2 at D.

    `gamma` from 0 to inf is a float or an array (a sweep) against which every argument broadcasts; D >= 1 is
    one whole number. Scalars give a scalar, arrays an array; NaN gives NaN. Relative errors of pmf and cdf
    are below 1e-12 where these are above 1e-290 and D <= 1,000,000; beyond, they grow as sqrt(D).

    ValueError: gamma negative or NaN, D < 1 or not whole. TypeError: no real numbers.

    Source: initial-guessing-bias, Eqs. 1-4, before the limit D -> infinity of its Eq. 1 is taken.
    """

    gamma: Numbers
    D: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "D", checked_data_count(self.D))

    def _scale(self) -> Array:
        """Return the square root of gamma, where gamma below 1e-20/D^2 moves no digit and is that."""
        return np.asarray(np.sqrt(np.maximum(self.gamma, 1e-20 / float(self.D) ** 2)))

    def logpmf(self, k: Any) -> Any:
        """Return the logarithm of `pmf`, also where pmf is below the smallest float."""
        k, s = np.broadcast_arrays(float64_array("k", k), self._scale())
        result = np.where(np.isnan(k), np.nan, -np.inf)
        possible = (k >= 0) & (k <= self.D) & (k == np.floor(k))
        lower = np.minimum(k, self.D - k)
        edge, interior = possible & (lower == 0), possible & (lower > 0)
        result[edge] = _in_blocks(self._log_lower_half, lower[edge], s[edge])
        result[interior] = _in_blocks(lambda j, r: log_mass(self.D, j, r), lower[interior], s[interior])
        return result[()]

    def pmf(self, k: Any) -> Any:
        """Return the probability of the count k; 0 where k is no whole number from 0 to D."""
        return np.exp(self.logpmf(k))

    def cdf(self, k: Any) -> Any:
        """Return the probability of a count of at most k, to 1e-12 of itself also in the lower tail."""
        k, s = np.broadcast_arrays(float64_array("k", k), self._scale())
        k = np.floor(k)
        result = np.where(np.isnan(k), np.nan, np.where(k < 0, 0.0, 1.0))
        inside = (k >= 0) & (k < self.D)
        # the law is symmetric: the smaller of the two sums keeps the digits of both
        lower = np.minimum(k, self.D - 1 - k)
        half = np.exp(_in_blocks(self._log_lower_half, lower[inside], s[inside]))
        result[inside] = np.where(k[inside] == lower[inside], half, 1.0 - half)
        return result[()]

    def _log_lower_half(self, k: Array, s: Array) -> Array:
        """Return the logarithm of the probability of a count of at most k <= (D - 1)/2."""
        middle = np.isposinf(s) | (2 * k == self.D - 1)
        return np.where(middle, np.log(0.5), log_cumulative(self.D, k, s))

    def ppf(self, p: Any) -> Any:
        """Return the smallest count k with cdf(k) >= p, a float as in scipy.stats: -1 at p = 0, NaN outside [0, 1]."""
        p, gamma = np.broadcast_arrays(float64_array("p", p), np.asarray(self.gamma))
        law = FiniteGuessLaw(gamma, self.D)
        below, above = np.full(p.shape, -1.0), np.full(p.shape, float(self.D))
        while np.any(above - below > 1):
            middle = np.floor(0.5 * (below + above))
            reached = law.cdf(middle) >= p
            below, above = np.where(reached, below, middle), np.where(reached, middle, above)
        return np.select([p == 0, p == 1, (p > 0) & (p < 1)], [-1.0, float(self.D), above], np.nan)[()]

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of the count, int64, of shape `size` (None: the shape of gamma).

        `random_state`: None (fresh), an int (a seed) or a `numpy.random.Generator`.
        """
        rng = np.random.default_rng(random_state)
        return rng.binomial(self.D, draw_fraction(self.gamma, size, rng))

    def mean(self) -> Any:
        """Return the mean D/2 of the count, of the shape of gamma."""
        return np.full(np.shape(self.gamma), 0.5 * self.D)[()]

    def var(self) -> Any:
        """Return the variance D/4 + D (D - 1) arcsin(gamma/(1 + gamma))/(2 pi) of the count."""
        return (0.25 * self.D + float(self.D) * (self.D - 1.0) * fraction_variance(self.gamma))[()]
