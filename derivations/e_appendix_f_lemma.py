"""Where you place the norm, appendix F, lemma F.1: mean and variance of a rectified Gaussian under scaling.

X ~ N(mu, sigma^2); M and V stand for the mean and the variance behind ReLU. ReLU(alpha x) = alpha ReLU(x) for
alpha >= 0 only; for alpha < 0 it is |alpha| ReLU(-x), a function of the other half of the law.
"""

from functools import cache
from typing import Any

import mpmath as mp
import sympy as sp

from igbtheory.claims import Findings, Section, agree, equation, identity, value_of, worded
from igbtheory.claims.formula import relations_of
from igbtheory.claims.gaussians import ncdf, npdf, relu_moments

SECTION = Section("Where you place the norm, appendix F: lemma F.1, rectified Gaussians under scaling", "E F")

mu, alpha, y = sp.symbols("mu alpha y", real=True)
sigma, size = sp.symbols("sigma a", positive=True)
M, V = sp.Function("M"), sp.Function("V")
X = sp.Symbol("X")
NUMBERS = {mu: sp.Rational(6, 10), sigma: sp.Rational(11, 10)}
BRACKET = mu * (1 - ncdf(-mu / sigma)) + sigma / sp.sqrt(2 * sp.pi) * sp.exp(-(mu**2) / (2 * sigma**2))
"""The right-hand side of Eq. 85."""


def rectified_moments(factor: Any, mean: Any, deviation: Any) -> tuple[Any, Any]:
    """M and V of factor X, by Eqs. 85 and 86; the factor is a number or of a known sign."""
    first, second = relu_moments(factor * mean, abs(factor) * deviation)
    return first, second - first**2


@cache
def by_quadrature(factor: int) -> tuple[Any, Any]:
    """M and V of factor X at the numbers, integrated over X between its kink and its tails, in 40 digits."""
    with mp.workdps(40):
        mean, deviation = (mp.mpf(value.p) / value.q for value in NUMBERS.values())
        cuts = sorted({*(mean + k * deviation for k in (-14, -5, 0, 5, 14)), mp.mpf(0)})
        first, second = (
            mp.quad(lambda x, k=k: max(factor * x, 0) ** k * mp.npdf(x, mean, deviation), cuts) for k in (1, 2)
        )
        return first, second - first**2


def antiderivative(power: int) -> Any:
    """The antiderivative of y^power N(y; mu, sigma^2) in y, for power 1 and 2."""
    below = (mu if power == 1 else mu**2 + sigma**2) * ncdf((y - mu) / sigma)
    return below - sigma**2 * (1 if power == 1 else y + mu) * npdf(y, mu, sigma)


@SECTION.holds(
    "E-Eq85-86",
    "Mean and variance of an output of ReLU",
    printed=(
        equation(M(X), BRACKET),
        equation(
            V(X),
            (mu**2 + sigma**2) * (1 - ncdf(-mu / sigma))
            + mu * sigma / sp.sqrt(2 * sp.pi) * sp.exp(-(mu**2) / (2 * sigma**2))
            - M(X) ** 2,
        ),
    ),
    at="Eqs. 85 and 86",
    where="X ~ N(mu, sigma^2)",
)
def rectified_gaussian(stated: Any) -> Findings:
    """The antiderivatives between 0 and infinity, and numbers by quadrature."""
    powers = []
    for power in (1, 2):
        primitive = antiderivative(power)
        yield identity(f"antiderivative, power {power}", sp.Derivative(primitive, y), y**power * npdf(y, mu, sigma))
        powers.append(sp.Limit(primitive, y, sp.oo) - primitive.subs(y, 0))
    derived = (powers[0], powers[1] - powers[0] ** 2)
    for kind, function in enumerate((M, V)):
        said = value_of(function(X), stated).subs(M(X), BRACKET)
        yield identity(f"{function(X)}: between 0 and infinity", derived[kind], said)
        with mp.workdps(40):
            number = by_quadrature(1)[kind]
            yield agree(f"{function(X)}: mu = 0.6, sigma = 1.1 by quadrature", number, said.subs(NUMBERS), 30)


def printed_mean(factor: Any) -> Any:
    """Eq. 87 with a factor of sigma inside the brackets."""
    sign = alpha / sp.Abs(alpha)
    gauss = sp.exp(-(alpha**2) * mu**2 / sp.Mul(2, alpha**2, sigma**2))
    return sp.Abs(alpha) * (sign * mu * (1 - ncdf(-sign * mu / sigma)) + factor * sigma / sp.sqrt(2 * sp.pi) * gauss)


@SECTION.fails(
    "E-Eq87",
    "The mean of ReLU(alpha X), X ~ N(mu, sigma^2), has a factor |alpha| at sigma inside the brackets",
    printed=equation(M(alpha * X), printed_mean(sp.Abs(alpha))),
    counter_example="assert printed.subs({alpha: 2, mu: 0, sigma: 1}).evalf() > 1.5  # of N(0, 4) it is 2/sqrt(2 pi)",
    correction="Sigma stands alone there, as in the next line, since |alpha| is the factor of the brackets",
    right=equation(M(alpha * X), printed_mean(1)),
    misprint=True,
    at="Eq. 87",
    where="alpha is not 0",
)
def scaled_by_any(stated: Any) -> Findings:
    """max(alpha x, 0) = alpha max(x, 0) for alpha >= 0, by no property of the Gaussian. M or V of alpha X by Eqs. 85,
    86 for N(alpha mu, alpha^2 sigma^2), whose standard deviation is |alpha| sigma, for each sign that alpha may have.
    """
    yield from _scaled(stated, (1, -1))


@SECTION.limited(
    "E-LemF.1",
    "Mean and variance of ReLU(alpha X) are said to be alpha and alpha^2 times those of ReLU(X) for alpha in R",
    printed=(equation(M(alpha * X), alpha * M(X)), equation(V(alpha * X), alpha**2 * V(X))),
    counter_example="""
x = 5 + np.random.default_rng(0).standard_normal(100000)
# alpha = -1, X ~ N(5, 1): ReLU(-X) is almost always 0, ReLU(X) is almost always X
assert np.maximum(-x, 0).mean() >= 0 > printed[0].subs({alpha: -1, M(X): 5})
assert np.maximum(-x, 0).var() < 1e-3 and np.maximum(x, 0).var() > 0.9
""",
    assumes="alpha is positive",
    at="Lemma F.1, Eqs. 83, 84 and 88 to 90",
    where="this is the only case that the preprint uses, since LayerNorm divides by a standard deviation",
)
def scaled(stated: Any, says: str) -> Findings:
    """As for Eq. 87, for positive alpha."""
    signs = (1,)
    yield from _scaled(stated, signs)
    yield worded(says, "alpha is {}", "positive" if min(signs) > 0 else "negative")


@SECTION.corrects(
    "E-LemF.1",
    "For negative alpha they are |alpha| and alpha^2 times those of ReLU(-X)",
    right=(
        equation(M(alpha * X), sp.Abs(alpha) * M(sp.sign(alpha) * X)),
        equation(V(alpha * X), alpha**2 * V(sp.sign(alpha) * X)),
    ),
    where="alpha is not 0; the formulas are for both signs",
)
def scaled_by_both_signs(stated: Any, says: str) -> Findings:
    """As for Eq. 87."""
    signs = (1, -1)
    yield from _scaled(stated, signs)
    other = abs(M(sp.sign(alpha) * X).subs(alpha, min(signs)).args[0] / X)
    yield worded(says, "For {} alpha", "negative" if min(signs) < 0 and other == 1 else "positive")


def _scaled(stated: Any, signs: tuple[int, ...]) -> Findings:
    """Findings on M or V of alpha X for alpha of these signs."""
    for kind, function in enumerate((M, V)[: len(relations_of(stated))]):
        said = value_of(function(alpha * X), stated)

        def at(factor: Any, said: Any = said) -> Any:
            of_x = said.subs(alpha, factor)
            for k, moment in enumerate((M, V)):
                of_x = of_x.replace(moment, lambda x, k=k: rectified_moments(x / X, mu, sigma)[k])
            return of_x

        for sign in signs:
            derived = rectified_moments(sign * size, mu, sigma)[kind]
            label = f"alpha = {'' if sign > 0 else '-'}a"
            yield identity(label, derived, at(sign * size), of=function(alpha * X))
            with mp.workdps(30):
                label = f"alpha = {2 * sign}, mu = 0.6, sigma = 1.1 by quadrature"
                yield agree(label, by_quadrature(2 * sign)[kind], at(sp.Integer(2 * sign)).subs(NUMBERS), 20)
