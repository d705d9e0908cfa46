"""The law of the number of data, out of D, that an untrained binary network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.count import CountLaw
from igbtheory.guesses.latent import draw_fraction, fraction_variance
from igbtheory.guesses.law import Numbers, checked_data_count, checked_gamma
from igbtheory.guesses.mixture import log_cumulative, log_mass

Array = NDArray[np.float64]
Rule = Callable[[int, Array, Array], Array]

BLOCK = 2048
"""Number of values that are computed at a time. Each has 40 nodes, so all arrays together stay below 100 MB."""


@final
@dataclass(frozen=True, eq=False)
class FiniteGuessLaw(CountLaw):
    """Law of the number k of the D independent data that are given to class 0, over weights and data.

    Given the latent variable U of the network, every datum goes to class 0 with probability Phi(sqrt(gamma) U):

        pmf(k) = C(D, k) E Phi(sqrt(gamma) U)^k Phi(-sqrt(gamma) U)^(D-k),    U ~ N(0, 1)

    All methods, `mean` and `var` included, refer to the count, as in `scipy.stats.binom`; the fraction is k/D.
    The law is binomial with p = 1/2 if gamma = 0, and uniform on the D + 1 counts if gamma = 1. If gamma = inf, the
    counts 0 and D have the probability 1/2 each.

    `gamma` from 0 to inf is a float or an array (a sweep), and every argument broadcasts against it. D >= 1 is
    one whole number. Scalars give a scalar, arrays give an array, and NaN gives NaN. For D <= 1,000,000 the relative
    errors of pmf and cdf are below 1e-12 for values above 1e-100, and below 1e-11 for values above 1e-290; they grow as
    sqrt(D) for larger D. pmf(k) and pmf(D - k) are equal to the last digit.

    gamma, D: the bias ratio, and the number of data, as above.

    ValueError: gamma is negative or NaN, or D is below 1 or not whole. TypeError: an argument is not a real number.

    Source: initial-guessing-bias, Eqs. 1-4, before the limit D -> infinity of its Eq. 1 is taken.

    >>> law = igb.guesses.FiniteGuessLaw(1.0, D=4)
    >>> law.pmf([0, 1, 2, 3, 4])
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """

    gamma: Numbers
    D: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "D", checked_data_count(self.D))

    def logpmf(self, k: Any) -> Any:
        """Return the logarithm of `pmf`. It is finite even where pmf is below the smallest float."""
        return self._of_counts(k, self._log_mass, -np.inf)

    def _mass(self, k: Array) -> Array:
        return np.exp(self._log_mass(k))

    def _cumulative(self, k: Array) -> Array:
        return np.exp(self._of_distinct(log_cumulative, k))

    def _log_mass(self, k: Array) -> Array:
        none = self._of_distinct(log_cumulative, np.zeros(()))
        return np.where(k == 0, none, self._of_distinct(log_mass, np.maximum(k, 1.0)))

    def _of_distinct(self, rule: Rule, k: Array) -> Array:
        """Return rule(D, k, sqrt(gamma)) in the broadcast shape. It is computed once for equal pairs (k, gamma)."""
        # the rules divide by sqrt(gamma); the law at this least gamma is that of gamma = 0 to the last digit
        k, s = np.broadcast_arrays(k, np.sqrt(np.maximum(self.gamma, 1e-20 / float(self.D) ** 2)))
        pairs, places = np.unique([k.ravel(), s.ravel()], axis=1, return_inverse=True)
        blocks = np.array_split(pairs, 1 + pairs.shape[1] // BLOCK, axis=1)
        with np.errstate(all="ignore"):
            values = np.concatenate([rule(self.D, *part) for part in blocks])
        return np.asarray(values[places].reshape(k.shape))

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of the count, int64, of shape `size` (None: the shape of gamma).

        `random_state`: None (fresh entropy), an int (a seed) or a `numpy.random.Generator`.
        """
        rng = checks.generator(random_state)
        return rng.binomial(self.D, draw_fraction(self.gamma, size, rng))

    def mean(self) -> Any:
        """Return the mean D/2 of the count, in the shape of gamma."""
        return np.full(np.shape(self.gamma), 0.5 * self.D)[()]

    def var(self) -> Any:
        """Return the variance D/4 + D (D - 1) arcsin(gamma/(1 + gamma))/(2 pi) of the count."""
        return (0.25 * self.D + float(self.D) * (self.D - 1.0) * fraction_variance(self.gamma))[()]
