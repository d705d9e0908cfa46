r"""Where you place the norm, appendix E.1.2: estimators of a mini-batch and the law of the modified node (Eqs. 27-50).

Datum a is one of a batch of n values Z_b, independent, of mean m and variance s^2. The canonical estimators mu^, sigma^
use all n of them; the modified ones leave a out:

    mu~ = (1/(n-1)) sum_(b != a) Z_b,    sigma~^2 = (1/(n-1)) sum_(b != a) (Z_b - mu~)^2,    B~ = (Z_a - mu~)/sigma~.

Expectations of polynomials in the Z_b are exact, at several n. Laws are compared by their moments, or integrated.
"""

from typing import Any

import numpy as np
import sympy as sp

from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    normal,
    satisfies,
    value_of,
    worded,
)
from igbtheory.claims.formula import relations_of
from igbtheory.claims.gaussians import batch_density, left_out_density, mean_of_polynomial, npdf
from igbtheory.claims.quantities import E_CHI, VAR, VAR_CHI
from igbtheory.claims.simulated import mean_with_error, standardised

SECTION = Section("Where you place the norm, appendix E.1: estimators of a mini-batch, and the law of B~", "E E.1.2")

i, j, k, n = sp.symbols("i j k n", positive=True, integer=True)
m, h, w, b = sp.symbols("m h w b", real=True)
s, sigma, y, x, a, p, q = sp.symbols("s sigma y x a p q", positive=True)
GAUSSIAN = "“the variables we are transforming with the normalization are normally distributed” (section E.1.2)"
Z_a, MEAN_OF_ALL, MEAN_LEFT_OUT = sp.symbols(r"Z_a \hat\mu \tilde\mu", real=True)
DEVIATION_LEFT_OUT, EPS, B = sp.Symbol(r"\tilde\sigma", positive=True), sp.Symbol(r"\epsilon_n"), sp.Symbol(r"\tilde B")
LAW_OF_Z, LAW_OF_MEAN, LAW_OF_B = (
    sp.Function("f_Z")(w),
    sp.Function(r"f_{\tilde\mu}")(h),
    sp.Function(r"f_{\tilde B}")(b),
)
SUM, SQUARE, ROOT = sp.Function("f_S")(x), sp.Function("f_{V}")(y), sp.Function(r"f_{\tilde\sigma}")(y)
FACTOR = ((n - 1) / s**2) ** (n / 2 - 1) / sp.gamma((n - 2) / 2)
DEVIATION = FACTOR * y ** (n - 3) * sp.exp(-(y**2) / 2 * (n - 1) / s**2) / 2 ** (n / 2 - 2)
"""The density of sigma~ at y, Eq. 45."""
C, C_PRIME = sp.symbols("C C'")
GAP, RATIO = sp.Function("d"), sp.Function("r")


def expectation(polynomial: sp.Expr, size: int) -> sp.Expr:
    """Return the mean of a polynomial in the values of `batch(size)`, all of them N(m, s^2)."""
    values = {z: m + s * z for z in batch(size)}
    return mean_of_polynomial(polynomial.subs(values, simultaneous=True), *values)


def batch(size: int) -> tuple[sp.Symbol, ...]:
    """Return the values Z_1 to Z_size of a batch; datum a is the first."""
    return tuple(sp.symbols(f"z1:{size + 1}", real=True))


def mean_of(data: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Return the mean of the values."""
    return sum(data) / sp.Integer(len(data))


def left_out_mean(z: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Return mu~ of a batch."""
    return mean_of(z[1:])


def left_out_variance(z: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Return sigma~^2 of a batch."""
    return mean_of(tuple((value - left_out_mean(z)) ** 2 for value in z[1:]))


def computed(expression: Any, size: int) -> Any:
    """Return an expression of estimators, and of means and variances of such, for batches of n = size."""
    z = batch(size)
    estimators = {
        Z_a: z[0],
        MEAN_OF_ALL: mean_of(z),
        MEAN_LEFT_OUT: left_out_mean(z),
        DEVIATION_LEFT_OUT: sp.sqrt(left_out_variance(z)),
        EPS: mean_of(z) - left_out_mean(z),
    }
    value = expression.subs({n: size, **estimators})
    for variance in (VAR, VAR_CHI):
        value = value.replace(variance, lambda arg: expectation(arg**2, size) - expectation(arg, size) ** 2)
    return value.replace(E_CHI, lambda arg: expectation(arg, size))


SECTION.definitions(
    "a definition",
    (
        "E-Eq27-29",
        "Eqs. 27 to 29",
        "BatchNorm of a datum by mean and standard deviation of the other data of its batch",
        r"\tilde B_a = \frac{Z_a - \tilde\mu}{\tilde\sigma}",
    ),
)


@SECTION.fails(
    "E-Eq40",
    "In the variance of epsilon = (Z_a - mu~)/n the variance of mu~ is printed as s^2 (n-1)/n^2",
    printed=equation(VAR(EPS), (s**2 + (n - 1) / n**2 * s**2) / n**2),
    counter_example="assert printed.subs({n: 2, s: 1}) != Rational(1, 2)  # Z = +-1 by chance: eps is -1, 0, 0 or 1",
    correction="It is s^2/(n-1), as term B of the derivation of Eq. (31) has it; the printed order of the variance of "
    "epsilon stands",
    misprint=True,
    at="Eq. 40",
    right=equation(VAR(EPS), s**2 / (n * (n - 1))),
    where="values are independent, of variance s^2",
)
@SECTION.holds(
    "E-Eq38-39",
    "The difference epsilon of the estimators mu^ and mu~ of the mean, and its mean",
    printed=(equation(MEAN_OF_ALL - MEAN_LEFT_OUT, (Z_a - MEAN_LEFT_OUT) / n), equation(E_CHI(EPS), 0)),
    at="Eqs. 38 and 39",
)
@SECTION.holds(
    "E-Eq30-37",
    "Means of the estimators of mean and variance",
    printed=(
        equation(E_CHI(MEAN_LEFT_OUT), m),
        equation(E_CHI(MEAN_OF_ALL), m),
        equation(E_CHI(DEVIATION_LEFT_OUT**2), s**2 * (n - 2) / (n - 1)),
    ),
    at="Eqs. 30 to 37",
    where="values are independent, of mean m and variance s^2; Eq. 31 prints the layer 1 for l",
)
@SECTION.holds(
    "E-sameE",
    "The estimator mu~ of the mean, which leaves datum a out, “has the same expectation and only the variance is "
    "slightly increased”",
    printed=(
        equation(E_CHI(MEAN_LEFT_OUT) - E_CHI(MEAN_OF_ALL), 0),
        equation(VAR_CHI(MEAN_LEFT_OUT) / VAR_CHI(MEAN_OF_ALL), n / (n - 1)),
    ),
    at="section E.1.2, in front of Eq. 27",
    where="values are independent, of finite variance; for the mean of sigma~^2 see Eq. (31)",
)
def estimators(stated: Any) -> Findings:
    """The moments of polynomials, at n = 3, 4 and 6. E sigma^^2 = s^2 (n-1)/n is larger than E sigma~^2 of Eq. 31 by a
    term of order 1/n^2.
    """
    for part in relations_of(stated):
        for size in (3, 4, 6):
            yield identity(f"n = {size}", computed(part.lhs, size), computed(part.rhs, size), of=part.lhs)


@SECTION.fails(
    "E-Eq41",
    "In the Gaussian density of Z the factor in front has the letter sigma, the exponent has sigma_Z",
    printed=equation(LAW_OF_Z, npdf(w, m, s) * s / sigma),
    counter_example="assert printed.subs({w: m, sigma: 2}) == printed.subs({w: m, sigma: 1}) / 2  # s is sigma_Z",
    correction="The factor and the exponent have sigma_Z, the standard deviation of Z, here s",
    misprint=True,
    at="Eq. 41",
    right=equation(LAW_OF_Z, npdf(w, m, s)),
)
def density_of_a_node(stated: Any) -> Findings:
    """An assumption of what follows. The sigma in front lacks the index that it should have, as a letter in E-erf."""
    yield from normal("Z", value_of(LAW_OF_Z, stated), w, m, s**2)


@SECTION.fails(
    "E-Eq42",
    "In the Gaussian density of mu~ at h the numerator of the exponent is printed as -y^2 after a minus sign",
    printed=equation(LAW_OF_MEAN, sp.sqrt((n - 1) / (2 * sp.pi * s**2)) * sp.exp(y**2 / 2 * (n - 1) / s**2)),
    counter_example="assert printed.subs({n: 5, s: 1, y: 4}) > 10**10  # as h = y",
    correction="It is (h - m)^2, with m the mean of Z, in agreement with the words before it: “it is also distributed "
    "normally”",
    misprint=True,
    at="Eq. 42",
    right=equation(LAW_OF_MEAN, npdf(h, m, s / sp.sqrt(n - 1))),
    right_assumes=GAUSSIAN,
)
def density_of_the_mean(stated: Any) -> Findings:
    """A mean of normal values is normal. The exponent has the wrong sign and y for h, and the mean is missing."""
    said = value_of(LAW_OF_MEAN, stated)
    for size in (2, 5):
        mean, variance = (computed(moment(MEAN_LEFT_OUT), size) for moment in (E_CHI, VAR_CHI))
        yield from normal(f"n = {size}", said.subs({n: size, y: h}), h, mean, variance)


@SECTION.holds(
    "E-Eq43-45",
    "The laws of S = (n-1) sigma~^2/s^2, “distributed according to a chi-squared distribution”, of V = sigma~^2 and "
    "of sigma~",
    printed=(
        equation(SUM, x ** (n / 2 - 2) * sp.exp(-x / 2) / (2 ** (n / 2 - 1) * sp.gamma(n / 2 - 1))),
        equation(SQUARE, FACTOR * y ** (n / 2 - 2) * sp.exp(-y / 2 * (n - 1) / s**2) / 2 ** ((n - 2) / 2)),
        equation(ROOT, DEVIATION),
    ),
    assumes=f"{GAUSSIAN}; n from 3 on",
    at="Eqs. 43 to 45",
    where="the line below Eq. 43 prints chi for chi-squared",
)
def laws_of_the_variance(stated: Any, says: str) -> Findings:
    """A rotation (Helmert's) takes the n - 1 values to sqrt(n-1) mu~ and n - 2 others, independent and N(0, s^2), whose
    squares add up to S s^2. Moments of S, of sigma~^2 = S s^2/(n-1), and the even ones of sigma~ are compared.
    """
    yield worded(says, "n from {} on", least_batch(0))
    of_s = DEVIATION_LEFT_OUT**2 * (n - 1) / s**2
    for law, at, step, power in (
        (SUM, x, 1, of_s),
        (SQUARE, y, 1, DEVIATION_LEFT_OUT**2),
        (ROOT, y, 2, DEVIATION_LEFT_OUT**2),
    ):
        said = value_of(law, stated)
        for size in (4, 5):
            for order in range(4 if size == 4 else 3):
                moment = sp.Integral(at ** (step * order) * said.subs(n, size), (at, 0, sp.oo))
                expected = computed(E_CHI(power**order), size)
                yield identity(f"{law}, n = {size}, moment {step * order}", moment, expected)


@SECTION.holds(
    "E-indep",
    "Z_a, mu~ and sigma~ “are independent”, here by their joint moments",
    printed=equation(
        E_CHI(Z_a**i * MEAN_LEFT_OUT**j * DEVIATION_LEFT_OUT ** (2 * k)),
        E_CHI(Z_a**i) * E_CHI(MEAN_LEFT_OUT**j) * E_CHI(DEVIATION_LEFT_OUT ** (2 * k)),
    ),
    assumes=GAUSSIAN,
    at="section E.1.2, below Eq. 45",
)
def independence(stated: Any, says: str) -> Findings:
    """mu~ and sigma~ do not contain Z_a, and Helmert's rotation splits mu~ from sigma~."""
    independent = True
    for powers in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)):
        left, right = (side.subs(dict(zip((i, j, k), powers, strict=True))) for side in stated.args)
        joint, product = computed(left, 5), computed(right, 5)
        independent &= sp.expand(joint - product) == 0
        yield identity(f"i, j, k = {powers}, n = 5", joint, product, of=left)
    yield worded(says, "are {}", "independent" if independent else "dependent")


@SECTION.holds(
    "E-Eq47",
    "The variance of B~",
    printed=equation(VAR_CHI(B), n / (n - 4)),
    assumes=f"{GAUSSIAN}; n from 5 on",
    at="Eq. 47",
)
@SECTION.holds(
    "E-Eq46", "The mean of B~", printed=equation(E_CHI(B), 0), assumes=f"{GAUSSIAN}; n from 4 on", at="Eq. 46"
)
def moments_of_the_proxy(trial: Trial, stated: Any, says: str) -> Findings:
    """E (Z_a - mu~)^k times E sigma~^-k, as the factors are independent; the latter is finite for n > k + 2. (The third
    line of Eq. 46 prints w - mu for mu - x.) The moment of the density of Eq. 49 as well, and draws at n = 16.
    """
    power = {E_CHI(B): 1, VAR_CHI(B): 2}[stated.lhs]
    said = value_of(stated.lhs, stated)
    yield worded(says, "n from {} on", least_batch(power))
    for size in (5, 6, 8):
        inverse = sp.Integral(DEVIATION.subs(n, size) / y**power, (y, 0, sp.oo))
        numerator = computed(E_CHI((Z_a - MEAN_LEFT_OUT) ** power), size)
        yield identity(f"n = {size}", numerator * inverse, said.subs(n, size), of=stated.lhs)
        moment = sp.Integral(b**power * left_out_density(b, sp.Integer(size)), (b, -sp.oo, sp.oo))
        yield identity(f"the density of Eq. 49, n = {size}", moment, said.subs(n, size))
    found, error = mean_with_error(modified(trial, 16, 80_000) ** power)
    yield measured(trial, "n = 16, drawn", found, error, said.subs(n, 16), against=1)


def least_batch(power: int) -> int:
    """Return the smallest batch for which E sigma~^-power is finite: its density is integrable at 0."""

    def exponent(size: int) -> Any:
        return sp.limit(y * sp.diff(sp.log(DEVIATION.subs(n, size) / y**power), y), y, 0)

    return next(size for size in range(3, 9) if exponent(size) > -1)


def modified(trial: Trial, size: int, number: int) -> Any:
    """Draws of B~ from batches of values of mean 1 and variance 4."""
    batches = 1 + 2 * trial.rng.standard_normal((trial.draws(number), size))
    return (batches[:, 0] - batches[:, 1:].mean(axis=1)) / batches[:, 1:].std(axis=1)


@SECTION.holds(
    "E-Eq48",
    "An integral; p and q stand for the n and b of the preprint",
    printed=sp.Eq(
        sp.Integral(x**p * sp.exp(-a * x**q), (x, 0, sp.oo)),
        sp.gamma((p + 1) / q) / (q * a ** ((p + 1) / q)),
        evaluate=False,
    ),
    at="Eq. 48",
    where="a and q are positive, and p exceeds -1",
)
def a_gamma_integral(stated: Any) -> Findings:
    """Substitute t = a x^q: Euler's integral is left."""
    yield identity("integrated", stated.lhs, stated.rhs)


@SECTION.holds(
    "E-Eq49",
    "The density of B~",
    printed=equation(LAW_OF_B, left_out_density(b, n)),
    assumes=f"{GAUSSIAN}; n from 3 on",
    at="Eq. 49",
)
def density_of_the_proxy(trial: Trial, stated: Any, says: str) -> Findings:
    """Given sigma~ = y, B~ is N(0, s^2 n/((n-1) y^2)); average that density over sigma~. It is sqrt(n/(n-2)) times
    Student's t with n - 2 degrees of freedom. (The intermediate lines write y for x in one exponent.)
    """
    said = value_of(LAW_OF_B, stated)
    yield worded(says, "n from {} on", least_batch(0))
    for size in (3, 5, 8):
        given = npdf(b, 0, s * sp.sqrt(sp.Rational(size, size - 1)) / y)
        averaged = sp.Integral(sp.powsimp(given * DEVIATION.subs(n, size)), (y, 0, sp.oo))
        yield identity(f"n = {size}", averaged, said.subs(n, size))
    below = sp.Integral(said.subs(n, 7), (b, -1, 1)).evalf()
    inside = np.abs(modified(trial, 7, 60_000)) < 1
    yield measured(trial, "P(|B~| < 1), n = 7, drawn", *mean_with_error(inside), below)


@SECTION.holds(
    "E-Eq50",
    "The constants of the derivation of Eq. (49)",
    printed=(
        equation(C, sp.sqrt(n - 1) / (2 * sp.pi * s**2) * FACTOR / 2 ** (n / 2 - 2)),
        equation(C_PRIME, C * sp.sqrt(2 * sp.pi * s**2 / n)),
    ),
    at="Eq. 50",
)
def constants(stated: Any) -> Findings:
    """C is the product of the factors of the densities; C' includes the integral over x. That over y gives Eq. 49."""
    for size in (4, 5):
        last = sp.Limit(DEVIATION.subs(n, size) / y ** (size - 3), y, 0)
        first = value_of(C, stated).subs(n, size)
        yield identity(f"C, n = {size}", npdf(0, 0, s) * npdf(0, 0, s / sp.sqrt(size - 1)) * last, first)
        square = sp.Integral(sp.exp(-size * h**2 / (2 * s**2)), (h, -sp.oo, sp.oo))
        second = value_of(C_PRIME, stated).subs({C: first, n: size})
        yield identity(f"C', n = {size}", first * square, second)
        rest = y ** (size - 2) * sp.exp(-(y**2) * (size - 1) * (1 + b**2 / size) / (2 * s**2))
        left = second * sp.Integral(rest, (y, 0, sp.oo))
        yield identity(f"Eq. 49, n = {size}", left, left_out_density(b, sp.Integer(size)))


@SECTION.holds(
    "E-gauss-lim",
    "The limit of the density of B~ in the size of the batch, by the binomial series and Stirling's formula",
    printed=equation(sp.Limit(LAW_OF_B, n, sp.oo), npdf(b)),
    assumes=GAUSSIAN,
    at="section E.1.2, between Eq. 50 and Fig. E.1",
)
def gaussian_limit(stated: Any) -> Findings:
    """The logarithm of (1 + b^2/n)^(-(n-1)/2) tends to -b^2/2, and so does the paper's series, term by term."""
    said = value_of(sp.Limit(LAW_OF_B, n, sp.oo), stated)
    limit = sp.Limit(-(n - 1) / 2 * sp.log(1 + x**2 / n), n, sp.oo)
    yield identity("shape", limit, sp.log(said.subs(b, x) / said.subs(b, 0)))
    for order in (1, 2, 3):
        term = sp.Limit(sp.expand_func(sp.ff(-(n - 1) / 2, order)) / sp.factorial(order) / n**order, n, sp.oo)
        expected = sp.diff(sp.exp(-x / 2), x, order).subs(x, 0) / sp.factorial(order)
        yield identity(f"term {order} of the series", term, expected)
    for at in (0, 2):
        found = left_out_density(sp.Float(at, 40), sp.Float(10**14, 40))
        yield agree(f"density at b = {at}, n = 1e14", found, said.subs(b, at), 12)


@SECTION.holds(
    "E-FigE.1-2",
    "With B and B~ “increasing the batch size progressively minimizes the differences between these distributions” "
    "and “the disparity between the distributions increases from the center toward the tails”",
    printed=(sp.Gt(GAP(n), GAP(4 * n)), sp.Gt(RATIO(4), RATIO(2))),
    assumes=GAUSSIAN,
    at="Figs. E.1 and E.2 and the text below",
    where="d is the largest difference of the densities, r(b) the logarithm of the density of B~ over that of B",
)
def figures(trial: Trial, stated: Any, says: str) -> Findings:
    """B^2/(n-1) ~ Beta(1/2, (n-2)/2) is drawn at n = 8, where B~ has another law. E-Eq55 expands the ratio."""
    grid = np.linspace(-1.9, 1.9, 77)
    laws = [sp.lambdify((b, n), law(b, n), ["scipy", "numpy"]) for law in (left_out_density, batch_density)]
    gaps = {size: float(np.abs(laws[0](grid, size) - laws[1](grid, size)).max()) for size in (5, 20, 80, 320)}
    for size in (5, 20, 80):
        yield satisfies(f"n = {size}", stated[0], {GAP(4 * n): gaps[4 * size], GAP(n): gaps[size]})
    yield worded(says, "{} the batch size", "increasing" if gaps[320] < gaps[5] else "decreasing")
    for size in (32, 10_000):
        numbers = {at: (sp.Float(at, 40), sp.Float(size, 40)) for at in (2, 4)}
        ratios = {RATIO(at): sp.log(left_out_density(*both) / batch_density(*both)) for at, both in numbers.items()}
        yield satisfies(f"n = {size}", stated[1], ratios)
        direction = "increases" if ratios[RATIO(4)] > ratios[RATIO(2)] else "decreases"
        yield worded(says, "the disparity between the distributions {} from", direction)
    batches = trial.rng.standard_normal((trial.draws(40_000), 8))
    inside = np.abs(standardised(batches, 1)[:, 0]) < 1
    own, other = (sp.Integral(law(b, sp.Integer(8)), (b, -1, 1)).evalf() for law in (batch_density, left_out_density))
    yield measured(trial, "P(|B| < 1), n = 8, drawn", *mean_with_error(inside), own, against=other)
