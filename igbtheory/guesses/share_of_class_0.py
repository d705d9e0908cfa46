"""The law of G0, the fraction of the data that an untrained, infinitely wide network gives to class 0."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.guesses.latent import average, draw_fraction, fraction, fraction_variance
from igbtheory.guesses.law import Numbers, checked_gamma, fitting
from igbtheory.guesses.univariate import UnivariateLaw, Weight, between
from igbtheory.mathematics.numbers.float64 import FLOAT64, of_scipy

_ndtri = of_scipy("ndtri")


@final
@dataclass(frozen=True, eq=False)
class GuessLaw(UnivariateLaw):
    """Law of G0 = Phi(sqrt(gamma) U), U ~ N(0, 1), over the random weights.

    gamma: var_mu / var_chi of the output layer, from 0 to inf: a float or an array (a sweep), and every argument
    broadcasts against it. Scalars give a scalar, arrays give an array, and NaN gives NaN. The density has one peak at
    1/2 if gamma < 1, is uniform if gamma = 1, and has two peaks, at 0 and 1, if gamma > 1.
    counts: a function that returns the law of the number of guesses among D data, if batch normalisation makes the
    data depend on one another given the network; None if they are independent.

    The limits have point masses in place of a density: at 1/2 if gamma = 0, and half each at 0 and 1 if gamma = inf.
    Then `pdf` is inf at a point mass and 0 elsewhere, `cdf` is a right-continuous step function, and `ppf` is its
    generalised inverse: the smallest possible g in [0, 1] with cdf(g) >= p.

    ValueError: gamma is negative or NaN. TypeError: gamma is not a real number. Results are in double precision, with
    relative errors below 1e-12 for the exact values of the floats g and p.

    Source: initial-guessing-bias, Eqs. 1-4 (gamma = inf: Eq. 10); where-you-place-the-norm, Eqs. 6-9.

    >>> law = igb.GuessLaw(2.0)
    >>> print(f"{law.pdf(0.5):.4f} {law.cdf(0.1):.4f} {law.majority():.4f}")
    0.7071 0.1824 0.8041
    >>> law.rvs(3, random_state=0).round(3)
    array([0.571, 0.426, 0.817])
    """

    gamma: Numbers
    counts: Callable[[int], Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))

    def logpdf(self, g: Any) -> Any:
        """Return the logarithm of the density, (y^2 - z^2 - log gamma)/2 with y = Phi^-1(g), z = y/sqrt(gamma).

        At g = 0 and 1 it is the limit: -inf if gamma < 1, 0 if gamma = 1, inf if gamma > 1. Outside [0, 1] it is -inf.
        """
        g, gamma = fitting("g", g, self.gamma), self.gamma
        with np.errstate(all="ignore"):
            z = _ndtri(g) / np.sqrt(gamma)
            # y^2 - z^2 is (gamma - 1) z^2, without cancellation at gamma = 1; z comes last, since z^2 may underflow
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
        """Return the density exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma), y = Phi^-1(g). Outside [0, 1] it is 0.

        At g = 0 and 1 it is the limit: 0 if gamma < 1, 1 if gamma = 1, inf if gamma > 1.
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
        """Return Phi(sign Phi^-1(g)/sqrt(gamma)), or `one_atom` if gamma = 0 and `two_atoms` if gamma = inf."""
        with np.errstate(all="ignore"):
            inside = FLOAT64.ncdf(sign * _ndtri(np.clip(g, 0.0, 1.0)) / np.sqrt(self.gamma))
        atoms = [np.equal(self.gamma, 0.0), np.isposinf(self.gamma)]
        return np.select([np.isnan(g), *atoms], [np.nan, one_atom, two_atoms], inside)[()]

    def ppf(self, p: Any) -> Any:
        """Return the quantile Phi(sqrt(gamma) Phi^-1(p)), the inverse of `cdf`, or NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(self.gamma, _ndtri(fitting("p", p, self.gamma)))[()]

    def isf(self, p: Any) -> Any:
        """Return Phi(-sqrt(gamma) Phi^-1(p)), the inverse of `sf`, or NaN for p outside [0, 1]."""
        with np.errstate(all="ignore"):
            return fraction(self.gamma, -_ndtri(fitting("p", p, self.gamma)))[()]

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and 1."""
        return 0.0, 1.0

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Return independent draws of G0, of shape `size` (None: the shape of gamma), to which gamma must broadcast.

        `random_state`: None (fresh entropy), an int (a seed) or a `numpy.random.Generator`.
        """
        return draw_fraction(self.gamma, size, checks.generator(random_state))[()]

    def mean(self) -> Any:
        """Return the mean 1/2, in the shape of gamma: no class is favoured on average over the weights."""
        return np.full(np.shape(self.gamma), 0.5)[()]

    def var(self) -> Any:
        """Return the variance arcsin(gamma/(1 + gamma))/(2 pi), which is 0 at gamma = 0 and 1/4 at gamma = inf."""
        return fraction_variance(self.gamma)[()]

    def majority(self) -> Any:
        """Return the expected share of the favoured class, E max(G0, 1 - G0) = 1/2 + arctan(sqrt(gamma))/pi."""
        return np.add(0.5, np.arctan(np.sqrt(self.gamma)) / np.pi)[()]

    def moment(self, order: int) -> Any:
        """Return E G0**order, the probability that `order` data are all given to class 0."""
        from igbtheory.guesses.finite import FiniteGuessLaw  # noqa: PLC0415 - most predictions count no data

        return FiniteGuessLaw(self.gamma, order).pmf(order)

    def entropy(self) -> Any:
        """Return the differential entropy (log gamma + 1 - gamma)/2: 0 at gamma = 1, and -inf for point masses."""
        gamma = np.asarray(self.gamma)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.isposinf(gamma), -np.inf, 0.5 * (np.log(gamma) + 1.0 - gamma))[()]

    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the mean of func(G0), by default of G0, over lb <= G0 <= ub, by quadrature.

        func takes a number. Relative errors are below 1e-12 if func is analytic, and larger if it has kinks.
        conditional: divide by the probability that lb <= G0 <= ub.
        """
        low, high = between(*self.support(), lb, ub)
        if conditional:
            return self.expect(func, lb, ub) / self.expect(lambda _: 1.0, lb, ub)
        of = np.vectorize(func or (lambda g: g), otypes=[float])
        ends = _ndtri(np.clip([low, high], 0.0, 1.0)) if low <= 1.0 and high >= 0.0 else (1.0, 0.0)
        return average(self.gamma, lambda y: of(FLOAT64.ncdf(y)), *ends)

    def _fourth(self) -> Any:
        # G0 - 1/2 = erf(y/sqrt(2))/2 has all of its digits if gamma is small
        return average(self.gamma, lambda y: (0.5 * FLOAT64.erf(y * np.sqrt(0.5))) ** 4)

    def finite(self, D: Any) -> Any:  # noqa: N803 - the papers' letter
        """Return the law of the number k of the D data that are given to class 0. The fraction is k/D."""
        if self.counts is not None:
            return self.counts(D)
        from igbtheory.guesses.finite import FiniteGuessLaw  # noqa: PLC0415 - most predictions count no data

        return FiniteGuessLaw(self.gamma, D)
