"""The law of G0, the share of the data that an untrained, infinitely wide network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import scipy

from igbtheory.guesses.latent import average, draw_fraction, fraction, fraction_variance
from igbtheory.guesses.law import Numbers, checked_gamma, fitting
from igbtheory.guesses.univariate import UnivariateLaw, Weight, between


@final
@dataclass(frozen=True, eq=False)
class GuessLaw(UnivariateLaw):
    """Law of G0 = Phi(sqrt(gamma) U), U ~ N(0, 1), over the random weights.

    `gamma` = var_mu / var_chi of the output layer, from 0 to inf: a float, or an array (a sweep) against
    which every argument broadcasts. Scalars give a scalar, arrays an array; NaN gives NaN. One peak at 1/2
    below gamma = 1, uniform at 1, two peaks at 0 and 1 above.

    The two ends are no densities. gamma = 0 is a point mass at 1/2; gamma = inf is two, 1/2 at 0 and 1/2
    at 1. There `pdf` is inf at an atom and 0 elsewhere, `cdf` the right-continuous step, `ppf` its
    generalised inverse, the smallest g in [0, 1] that may occur and has cdf(g) >= p.

    ValueError: gamma negative or NaN. TypeError: gamma no real number. Computed in double precision: relative
    errors below 1e-12, for g and p taken as the exact numbers that the floats are.
    counts: the law of the number of guesses among D data where they are not independent given the network, as batch
    normalisation makes them; None where they are.

    Source: initial-guessing-bias, Eqs. 1-4 (gamma = inf: Eq. 10); where-you-place-the-norm, Eqs. 6-9.
    """

    gamma: Numbers
    counts: Callable[[int], Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))

    def logpdf(self, g: Any) -> Any:
        """Return the logarithm of the density, (y^2 - z^2 - log gamma)/2 with y = Phi^-1(g), z = y/sqrt(gamma).

        At g = 0 and 1 the limit: -inf below gamma = 1, 0 at 1, inf above. -inf outside [0, 1].
        """
        g, gamma = fitting("g", g, self.gamma), self.gamma
        with np.errstate(all="ignore"):
            z = scipy.special.ndtri(g) / np.sqrt(gamma)
            # y^2 - z^2 as (gamma - 1) z^2, without cancellation at gamma = 1; z last, lest z^2 underflow
            inside = 0.5 * ((gamma - 1.0) * z * z - np.log(gamma))
        edge = (g == 0.0) | (g == 1.0)
        return np.select(
            [
                np.isnan(g),
                (g < 0.0) | (g > 1.0),
                np.equal(gamma, 0.0),
                np.isposinf(gamma),
                np.equal(gamma, 1.0),
            ],
            [np.nan, -np.inf, np.where(g == 0.5, np.inf, -np.inf), np.where(edge, np.inf, -np.inf), 0.0],
            inside,
        )[()]

    def pdf(self, g: Any) -> Any:
        """Return the density exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma), y = Phi^-1(g); 0 outside [0, 1].

        At g = 0 and 1 the limit: 0 below gamma = 1, 1 at 1, inf above.
        """
        with np.errstate(all="ignore"):
            return np.exp(self.logpdf(g))

    def cdf(self, g: Any) -> Any:
        """Return the probability Phi(Phi^-1(g)/sqrt(gamma)) that G0 <= g."""
        g = fitting("g", g, self.gamma)
        one_atom, two_atoms = 1.0 * (g >= 0.5), 0.5 * (g >= 0.0) + 0.5 * (g >= 1.0)
        return self._tail(g, 1.0, one_atom, two_atoms)

    def sf(self, g: Any) -> Any:
        """Return the probability Phi(-Phi^-1(g)/sqrt(gamma)) that G0 > g."""
        g = fitting("g", g, self.gamma)
        one_atom, two_atoms = 1.0 * (g < 0.5), 0.5 * (g < 0.0) + 0.5 * (g < 1.0)
        return self._tail(g, -1.0, one_atom, two_atoms)

    def _tail(self, g: Any, sign: float, one_atom: Any, two_atoms: Any) -> Any:
        """Return Phi(sign Phi^-1(g)/sqrt(gamma)), and what is given for the laws of one atom and of two."""
        with np.errstate(all="ignore"):
            inside = scipy.special.ndtr(sign * scipy.special.ndtri(np.clip(g, 0.0, 1.0)) / np.sqrt(self.gamma))
        atoms = [np.equal(self.gamma, 0.0), np.isposinf(self.gamma)]
        return np.select([np.isnan(g), *atoms], [np.nan, one_atom, two_atoms], inside)[()]

    def ppf(self, p: Any) -> Any:
        """Return the quantile Phi(sqrt(gamma) Phi^-1(p)), the inverse of `cdf`; NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(self.gamma, scipy.special.ndtri(fitting("p", p, self.gamma)))[()]

    def isf(self, p: Any) -> Any:
        """Return Phi(-sqrt(gamma) Phi^-1(p)), the inverse of `sf`; NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(self.gamma, -scipy.special.ndtri(fitting("p", p, self.gamma)))[()]

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and 1."""
        return 0.0, 1.0

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of G0, of shape `size` (None: the shape of gamma), to which gamma must broadcast.

        `random_state`: None (fresh), an int (a seed) or a `numpy.random.Generator`.
        """
        return draw_fraction(self.gamma, size, np.random.default_rng(random_state))[()]

    def mean(self) -> Any:
        """Return the mean 1/2, of the shape of gamma: no class is favoured on average over the weights."""
        return np.full(np.shape(self.gamma), 0.5)[()]

    def var(self) -> Any:
        """Return the variance arcsin(gamma/(1 + gamma))/(2 pi), from 0 at gamma = 0 to 1/4 at inf."""
        return fraction_variance(self.gamma)[()]

    def majority(self) -> Any:
        """Return the expected share of the favoured class, E max(G0, 1 - G0) = 1/2 + arctan(sqrt(gamma))/pi."""
        return np.add(0.5, np.arctan(np.sqrt(self.gamma)) / np.pi)[()]

    def moment(self, order: int) -> Any:
        """Return E G0**order: the probability that `order` data are all given to class 0."""
        from igbtheory.guesses.finite import FiniteGuessLaw  # noqa: PLC0415 - most predictions count no data

        return FiniteGuessLaw(self.gamma, order).pmf(order)

    def entropy(self) -> Any:
        """Return the differential entropy (log gamma + 1 - gamma)/2: 0 at gamma = 1, -inf at the point masses."""
        gamma = np.asarray(self.gamma)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.isposinf(gamma), -np.inf, 0.5 * (np.log(gamma) + 1.0 - gamma))[()]

    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the mean of func(G0), by default of G0, over lb <= G0 <= ub, by quadrature.

        func takes a number. Relative errors are below 1e-12 for analytic functions, and larger where func has kinks.
        conditional: divide by the probability of lb <= G0 <= ub.
        """
        low, high = between(*self.support(), lb, ub)
        if conditional:
            return self.expect(func, lb, ub) / self.expect(lambda _: 1.0, lb, ub)
        of = np.vectorize(func or (lambda g: g), otypes=[float])
        ends = scipy.special.ndtri(np.clip([low, high], 0.0, 1.0)) if low <= 1.0 and high >= 0.0 else (1.0, 0.0)
        return average(self.gamma, lambda y: of(scipy.special.ndtr(y)), *ends)

    def _fourth(self) -> Any:
        # the centred fraction erf(sqrt(gamma) u/sqrt(2))/2 loses no digits at small gamma
        return average(self.gamma, lambda y: (0.5 * scipy.special.erf(y * np.sqrt(0.5))) ** 4)

    def finite(self, D: Any) -> Any:  # noqa: N803 - the papers' letter
        """Return the law of the number k of D data that are given to class 0; the fraction is k/D."""
        if self.counts is not None:
            return self.counts(D)
        from igbtheory.guesses.finite import FiniteGuessLaw  # noqa: PLC0415 - most predictions count no data

        return FiniteGuessLaw(self.gamma, D)
