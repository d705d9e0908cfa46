"""The law of the number of data, out of D, that an untrained binary network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.count import CountLaw
from igbtheory.guesses.latent import draw_fraction, fraction_variance
from igbtheory.guesses.law import Numbers, checked_data_count, checked_gamma
from igbtheory.guesses.mixture import log_cumulative, log_mass

Array = NDArray[np.float64]
Rule = Callable[[int, Array, Array], Array]

BLOCK = 2048
"""Values computed at a time: with 40 nodes each, all arrays stay within 100 MB."""
WIDE = 1e7
"""Square root of gamma from which on pmf inside and 1/2 - cdf fall as 1/sqrt(gamma), to a relative error of 4e-13."""


@final
@dataclass(frozen=True, eq=False)
class FiniteGuessLaw(CountLaw):
    """Law of the count k in 0, ..., D of independent data that are given to class 0, over weights and data.

    Given the latent U of the network every datum goes to class 0 with probability Phi(sqrt(gamma) U):

        pmf(k) = C(D, k) E Phi(sqrt(gamma) U)^k Phi(-sqrt(gamma) U)^(D-k),    U ~ N(0, 1)

    It is the law of the count, as in `scipy.stats.binom`, `mean` and `var` included; the fraction is k/D.
    gamma = 0: binomial with p = 1/2. gamma = 1: uniform on the D + 1 counts. gamma = inf: 1/2 at 0, 1/2 at D.

    `gamma` from 0 to inf is a float or an array (a sweep) against which every argument broadcasts; D >= 1 is
    one whole number. Scalars give a scalar, arrays an array; NaN gives NaN. Relative errors of pmf and cdf
    are below 1e-12 where these are above 1e-100, below 1e-11 where they are above 1e-290, both for D <= 1,000,000;
    beyond, they grow as sqrt(D). pmf is symmetric in k and D - k to the last digit.

    ValueError: gamma negative or NaN, D < 1 or not whole. TypeError: no real numbers.

    Source: initial-guessing-bias, Eqs. 1-4, before the limit D -> infinity of its Eq. 1 is taken.
    """

    gamma: Numbers
    D: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "D", checked_data_count(self.D))

    def logpmf(self, k: Any) -> Any:
        """Return the logarithm of `pmf`, also where pmf is below the smallest float."""
        return self._of_counts(k, self._log_mass, -np.inf)

    def _mass(self, k: Array) -> Array:
        return np.exp(self._log_mass(k))

    def _cumulative(self, k: Array) -> Array:
        return np.exp(self._log_cumulative(k))

    def _log_cumulative(self, k: Array) -> Array:
        inside, beyond = self._scales()
        found = self._of_distinct(log_cumulative, k, inside)
        with np.errstate(divide="ignore"):
            return np.where(beyond == 1.0, found, np.log(0.5 - (0.5 - np.exp(found)) / beyond))

    def _log_mass(self, k: Array) -> Array:
        inside, beyond = self._scales()
        with np.errstate(divide="ignore"):
            inner = self._of_distinct(log_mass, np.maximum(k, 1.0), inside) - np.log(beyond)
            return np.where(k == 0, self._log_cumulative(np.zeros(())), inner)

    def _scales(self) -> tuple[Array, Array]:
        """Return the square root of gamma up to WIDE, and what is left of it as a factor."""
        # a smaller gamma moves no digit
        s = np.sqrt(np.maximum(self.gamma, 1e-20 / float(self.D) ** 2))
        inside = np.minimum(s, WIDE)
        return inside, s / inside

    def _of_distinct(self, rule: Rule, k: Array, s: Array) -> Array:
        """Return rule(D, k, s) of the broadcast shape, once for equal pairs: data and their mirror have one value."""
        k, s = np.broadcast_arrays(k, s)
        pairs, places = np.unique([k.ravel(), s.ravel()], axis=1, return_inverse=True)
        parts = np.array_split(pairs, 1 + pairs.shape[1] // BLOCK, axis=1)
        with np.errstate(all="ignore"):
            values = np.concatenate([rule(self.D, *part) for part in parts])
        return np.asarray(values[places].reshape(k.shape))

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
