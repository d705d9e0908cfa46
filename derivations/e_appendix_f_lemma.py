"""Where you place the norm, appendix F, lemma F.1: mean and variance of a rectified Gaussian under scaling.

X ~ N(mu, sigma^2); M and V stand for the mean and the variance behind ReLU. ReLU(alpha x) = alpha ReLU(x) for
alpha >= 0 only; for alpha < 0 it is |alpha| ReLU(-x), a function of the other half of the law.
"""

from typing import Any

import mpmath as mp
import sympy as sp

from igbtheory.claims import Findings, Section, agree, equation, identity
from igbtheory.claims.formula import parts
from igbtheory.claims.gaussians import ncdf, npdf, relu_moments

SECTION = Section("Where you place the norm, appendix F: lemma F.1, rectified Gaussians under scaling", "E F")

mu, alpha, y = sp.symbols("mu alpha y", real=True)
sigma, size = sp.symbols("sigma a", positive=True)
POSITIVE = sp.Symbol("alpha", positive=True)
M, V = sp.Function("M"), sp.Function("V")
X = sp.Symbol("X")
NUMBERS = {mu: sp.Rational(6, 10), sigma: sp.Rational(11, 10)}
BRACKET = mu * (1 - ncdf(-mu / sigma)) + sigma / sp.sqrt(2 * sp.pi) * sp.exp(-(mu**2) / (2 * sigma**2))
"""The right-hand side of Eq. 85."""


def rectified_moments(factor: Any, mean: Any, deviation: Any) -> tuple[Any, Any]:
    """M and V of factor X, by Eqs. 85 and 86; the factor is a number or of a known sign."""
    first, second = relu_moments(factor * mean, abs(factor) * deviation)
    return first, second - first**2


def by_quadrature(factor: int) -> tuple[Any, Any]:
    """M and V of factor X at the numbers, integrated over X between its kink and its tails."""
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
    "E-Eq86",
    "the variance behind ReLU",
    printed=equation(
        "V(X)",
        (mu**2 + sigma**2) * (1 - ncdf(-mu / sigma))
        + mu * sigma / sp.sqrt(2 * sp.pi) * sp.exp(-(mu**2) / (2 * sigma**2))
        - M(X) ** 2,
    ),
    assumes="X ~ N(mu, sigma^2)",
)
@SECTION.holds("E-Eq85", "the mean behind ReLU", printed=equation("M(X)", BRACKET), assumes="X ~ N(mu, sigma^2)")
def rectified_gaussian(stated: Any) -> Findings:
    """The antiderivatives between 0 and infinity, and numbers by quadrature."""
    definite = []
    for power in (1, 2):
        found = antiderivative(power)
        yield identity(f"antiderivative, power {power}", sp.Derivative(found, y), y**power * npdf(y, mu, sigma))
        definite.append(sp.Limit(found, y, sp.oo) - found.subs(y, 0))
    kind = 0 if stated.lhs.name[0] == "M" else 1
    said = stated.rhs.subs(M(X), BRACKET)
    yield identity("between 0 and infinity", definite[1] - definite[0] ** 2 if kind else definite[0], said)
    with mp.workdps(40):
        yield agree("mu = 0.6, sigma = 1.1 by quadrature", by_quadrature(1)[kind], said.subs(NUMBERS), 30)


def printed_mean(factor: Any) -> Any:
    """Eq. 87 with a factor of sigma inside the brackets."""
    sign = alpha / sp.Abs(alpha)
    gauss = sp.exp(-(alpha**2) * mu**2 / sp.Mul(2, alpha**2, sigma**2))
    return sp.Abs(alpha) * (sign * mu * (1 - ncdf(-sign * mu / sigma)) + factor * sigma / sp.sqrt(2 * sp.pi) * gauss)


@SECTION.fails(
    "E-Eq88-90",
    "for every real alpha the last lines, and with them the lemma, follow",
    printed=(equation(r"M(\alpha X)", alpha * BRACKET), equation(r"V(\alpha X)", alpha**2 * V(X))),
    counter_example="assert printed[0].subs({alpha: -1, mu: 0.6, sigma: 1}) < 0  # a mean of what is never negative",
    correction="they do for alpha > 0; (87) to (88) turns |alpha| into alpha, loses the sign inside Phi, and drops "
    "the surplus |alpha|: errors that cancel there",
    right=(equation(r"M(\alpha X)", POSITIVE * BRACKET), equation(r"V(\alpha X)", POSITIVE**2 * V(X))),
    right_assumes="alpha > 0",
)
@SECTION.fails(
    "E-Eq87",
    "the mean of ReLU(alpha X), X of N(mu, sigma^2), has a factor |alpha| at sigma inside its brackets",
    printed=equation(r"M(\alpha X)", printed_mean(sp.Abs(alpha))),
    counter_example="assert printed.subs({alpha: 2, mu: 0, sigma: 1}).evalf() > 1.5  # of N(0, 4) it is 2/sqrt(2 pi)",
    correction="sigma has no such factor, since |alpha| stands in front of the brackets",
    right=equation(r"M(\alpha X)", printed_mean(1)),
    right_assumes="alpha is not 0",
)
@SECTION.fails(
    "E-Eq84",
    "the variance of ReLU(alpha X) is alpha^2 times that of ReLU(X) for every real alpha",
    printed=equation(r"V(\alpha X)", alpha**2 * V(X)),
    counter_example="""
x = 5 + np.random.default_rng(0).standard_normal(100000)
# alpha = -1, X ~ N(5, 1): ReLU(-X) is almost always 0, ReLU(X) is almost always X
assert np.maximum(-x, 0).var() < 1e-3 and np.maximum(x, 0).var() > 0.9
""",
    correction="it is so for alpha > 0; for alpha < 0 it is alpha^2 V(-X), the same at mu = 0 alone",
    right=equation(r"V(\alpha X)", alpha**2 * V(sp.sign(alpha) * X)),
    right_assumes="alpha is not 0",
)
@SECTION.fails(
    "E-LemF.1 / Eq83",
    "the mean of ReLU(alpha X) is alpha times that of ReLU(X) for every real alpha",
    printed=equation(r"M(\alpha X)", alpha * M(X)),
    counter_example="assert printed.subs({alpha: -1, M(X): 1}) < 0  # a rectified variable has no negative mean",
    correction="it is so for alpha > 0; for alpha < 0 it is |alpha| M(-X), with M(X) the mean of ReLU(X)",
    right=equation(r"M(\alpha X)", sp.Abs(alpha) * M(sp.sign(alpha) * X)),
    right_assumes="alpha is not 0; LayerNorm divides by a standard deviation, so alpha > 0 is all that is used",
)
def scaled(stated: Any) -> Findings:
    """max(alpha x, 0) = alpha max(x, 0) for alpha >= 0, by no property of the Gaussian. M or V of alpha X by Eqs. 85,
    86 for N(alpha mu, alpha^2 sigma^2), whose standard deviation is |alpha| sigma, for each sign that alpha may have.
    """
    for part in parts(stated):
        kind = 0 if part.lhs.name[0] == "M" else 1
        symbol = POSITIVE if part.rhs.has(POSITIVE) else alpha

        def at(factor: Any, part: Any = part, symbol: Any = symbol) -> Any:
            of_x = part.rhs.subs(symbol, factor)
            for k, function in enumerate((M, V)):
                of_x = of_x.replace(function, lambda x, k=k: rectified_moments(x / X, mu, sigma)[k])
            return of_x

        for sign in (1, -1) if symbol is alpha else (1,):
            derived = rectified_moments(sign * size, mu, sigma)[kind]
            yield identity(f"alpha = {'' if sign > 0 else '-'}a", derived, at(sign * size), of=part.lhs)
            with mp.workdps(30):
                label = f"alpha = {2 * sign}, mu = 0.6, sigma = 1.1 by quadrature"
                yield agree(label, by_quadrature(2 * sign)[kind], at(sp.Integer(2 * sign)).subs(NUMBERS), 20)
