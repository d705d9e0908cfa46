"""The share of class 0: the law of G0, the fraction of the data that an untrained network gives to class 0."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.arguments import Numbers, fitting, one_number
from igbtheory.guesses.latent import average, fraction
from igbtheory.guesses.sampled import DRAWS, estimate, linear
from igbtheory.guesses.source import Formula, GaussianOutputs, IndependentData, OutputsAtData
from igbtheory.guesses.univariate import UnivariateLaw, Weight, between
from igbtheory.mathematics.numbers.float64 import FLOAT64, of_scipy

if TYPE_CHECKING:
    from igbtheory.guesses.finite import FiniteGuessLaw

_ndtri = of_scipy("ndtri")


@final
@dataclass(frozen=True, eq=False, repr=False)
class GuessLaw(UnivariateLaw):
    """Law of G0, the share of the data that class 0 gets, over the random weights.

    source: the outputs. A number or an array (a sweep) is gamma = var_mu / var_chi of `GaussianOutputs`, from 0 to inf:
    then G0 = Phi(sqrt(gamma) U), U ~ N(0, 1), all methods are formulas, and every argument broadcasts against gamma.
    Scalars give a scalar, arrays give an array, and NaN gives NaN. The density has one peak at 1/2 if gamma < 1, is
    uniform if gamma = 1, and has two peaks, at 0 and 1, if gamma > 1. Where outputs are drawn at data, `mean` and `var`
    are known, there is no density, and other methods are estimates.

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

    source: Any

    outputs = 1
    """One output, the difference of those of two classes, which has the law of an output."""

    def of_outputs(self, outputs: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        return np.asarray((outputs[..., 0] >= 0).mean(axis=0))

    def of_gammas(self, gamma: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        return fraction(gamma, rng.standard_normal(gamma.shape))

    @property
    def gamma(self) -> Numbers:
        """The bias ratio of Gaussian outputs, whose law it is."""
        return self.source.gamma  # type: ignore[no-any-return]

    def logpdf(self, g: Any) -> Any:
        """Return the logarithm of the density, (y^2 - z^2 - log gamma)/2 with y = Phi^-1(g), z = y/sqrt(gamma).

        At g = 0 and 1 it is the limit: -inf if gamma < 1, 0 if gamma = 1, inf if gamma > 1. Outside [0, 1] it is -inf.
        """
        return self._exactly("pdf", _log_density, g, logarithms=True)

    def pdf(self, g: Any) -> Any:
        """Return the density exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma), y = Phi^-1(g). Outside [0, 1] it is 0.

        At g = 0 and 1 it is the limit: 0 if gamma < 1, 1 if gamma = 1, inf if gamma > 1.
        """
        with np.errstate(all="ignore"):
            return np.exp(self.logpdf(g))

    def cdf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the probability Phi(Phi^-1(g)/sqrt(gamma)) that G0 <= g."""
        if self._drawn_at_data:
            return self.drawn(draws, random_state).cdf(g)
        return self._exactly("cdf", partial(_tail, 1.0), g)

    def sf(self, g: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the probability Phi(-Phi^-1(g)/sqrt(gamma)) that G0 > g."""
        if self._drawn_at_data:
            return linear(self.cdf(g, draws, random_state), -1.0, 1.0)
        return self._exactly("sf", partial(_tail, -1.0), g)

    def ppf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the quantile Phi(sqrt(gamma) Phi^-1(p)), the inverse of `cdf`, or NaN for p outside [0, 1].

        Of an estimate, p is one number with 0 < p < 1.
        """
        if self._drawn_at_data:
            return self.drawn(draws, random_state).ppf(p)
        with np.errstate(all="ignore"):
            return self.source.share(_ndtri(fitting("p", p, self._swept)))[()]

    def isf(self, p: Any, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return Phi(-sqrt(gamma) Phi^-1(p)), the inverse of `sf`, or NaN for p outside [0, 1]."""
        if self._drawn_at_data:
            return self.ppf(1.0 - one_number("p", p), draws, random_state)
        with np.errstate(all="ignore"):
            return self.source.share(-_ndtri(fitting("p", p, self._swept)))[()]

    def support(self) -> tuple[float, float]:
        """Return the ends of the support, 0 and 1."""
        return 0.0, 1.0

    def mean(self) -> Any:
        """Return the mean: 1/2 by the symmetry of the classes, and half of the share of ties, which class 0 gets."""
        if not self.source.symmetric:
            return super().mean()
        return np.full(self._swept, (1.0 + self.source.ties) / 2)[()]

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance, E arcsin(c)/(2 pi), c the correlation of an output at two data.

        For Gaussian outputs, c = gamma/(1 + gamma): it is 0 at gamma = 0 and 1/4 at gamma = inf.
        """
        return self.source.variance if self.source.symmetric else super().var(draws, random_state)

    def majority(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the expected share of the favoured class, E max(G0, 1 - G0) = 1/2 + arctan(sqrt(gamma))/pi."""
        if self._drawn_at_data:
            return self._sampled(lambda g: np.maximum(g, 1.0 - g), draws, random_state).mean()
        return self.source.mean(lambda gamma: np.add(0.5, np.arctan(np.sqrt(gamma)) / np.pi)[()])

    def moment(self, order: int) -> Any:
        """Return E G0**order, the probability that `order` data are all given to class 0."""
        if self._drawn_at_data:
            return self.expect(lambda g: g**order)
        return self.finite(order).pmf(order)

    def entropy(self) -> Any:
        """Return the differential entropy (log gamma + 1 - gamma)/2: 0 at gamma = 1, and -inf for point masses."""
        if not isinstance(self.source, GaussianOutputs):
            return self.source.mean(lambda gamma: average(gamma, lambda y: -self.logpdf(FLOAT64.ncdf(y))))
        gamma = np.asarray(self.gamma)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.isposinf(gamma), -np.inf, 0.5 * (np.log(gamma) + 1.0 - gamma))[()]

    def expect(self, func: Weight | None = None, lb: Any = None, ub: Any = None, *, conditional: bool = False) -> Any:
        """Return the mean of func(G0), by default of G0, over lb <= G0 <= ub, by quadrature.

        func takes a number. Relative errors are below 1e-12 if func is analytic, and larger if it has kinks.
        conditional: divide by the probability that lb <= G0 <= ub.
        """
        low, high = between(*self.support(), lb, ub)
        of = np.vectorize(func or (lambda g: g), otypes=[float])
        if self._drawn_at_data:
            law = self.drawn()
            inside = (law.draws >= low) & (law.draws <= high)
            share = inside.mean() if conditional else 1.0
            return estimate(of(law.draws) * inside / share, law.networks)
        if conditional:
            return self.expect(func, lb, ub) / self.expect(lambda _: 1.0, lb, ub)
        ends = _ndtri(np.clip([low, high], 0.0, 1.0)) if low <= 1.0 and high >= 0.0 else (1.0, 0.0)
        return self.source.mean(lambda gamma: average(gamma, lambda y: of(FLOAT64.ncdf(y)), *ends))

    def finite(self, D: Any) -> "FiniteGuessLaw":  # noqa: N803 - the papers' letter
        """Return the law of the number k of the D data that are given to class 0. The fraction is k/D."""
        from igbtheory.guesses.finite import FiniteGuessLaw  # noqa: PLC0415 - most predictions count no data

        return FiniteGuessLaw(self.source, D)

    @property
    def _drawn_at_data(self) -> bool:
        return not isinstance(self.source, IndependentData)

    def _exactly(self, method: str, formula: Formula, g: Any, *, logarithms: bool = False) -> Any:
        if isinstance(self.source, OutputsAtData):
            self.source.no_formula(method)
        return self.source.mean(formula, fitting("g", g, self._swept), logarithms=logarithms)

    def _fourth(self) -> Any:
        # G0 - 1/2 = erf(y/sqrt(2))/2 has all of its digits if gamma is small
        return self.source.mean(lambda gamma: average(gamma, lambda y: (0.5 * FLOAT64.erf(y * np.sqrt(0.5))) ** 4))


def _log_density(gamma: Numbers, g: Any) -> Any:
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


def _tail(sign: float, gamma: Numbers, g: Any) -> Any:
    """Return Phi(sign Phi^-1(g)/sqrt(gamma)), P(G0 <= g) or P(G0 > g); a step at each point mass."""
    with np.errstate(all="ignore"):
        inside = FLOAT64.ncdf(sign * _ndtri(np.clip(g, 0.0, 1.0)) / np.sqrt(gamma))
    if sign > 0:
        one_atom, two_atoms = 1.0 * (g >= 0.5), 0.5 * (g >= 0.0) + 0.5 * (g >= 1.0)
    else:
        one_atom, two_atoms = 1.0 * (g < 0.5), 0.5 * (g < 0.0) + 0.5 * (g < 1.0)
    atoms = [np.equal(gamma, 0.0), np.isposinf(gamma)]
    return np.select([np.isnan(g), *atoms], [np.nan, one_atom, two_atoms], inside)[()]
