r"""Where you place the norm, appendix E.1.2: estimators of mean and variance in a mini-batch (Eqs. 27-45).

Datum a is one of a batch of n values Z_b, independent, of mean m and variance s^2. The canonical estimators mu^, sigma^
use all n of them; the modified ones leave a out:

    mu~ = (1/(n-1)) sum_(b != a) Z_b,    sigma~^2 = (1/(n-1)) sum_(b != a) (Z_b - mu~)^2,    B~ = (Z_a - mu~)/sigma~.

Expectations of polynomials in the Z_b are computed exactly, by replacing every power Z_b^k by the moment E Z^k. This is
done for several n; the general n follows from the pairs b = c and b != c, counted.
"""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from numpy.typing import NDArray

from igbtheory.claims import Finding, Section, Trial, agree, identity, measured

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, estimators of a mini-batch")

Array = NDArray[np.float64]
Density = Callable[[int, Any], Any]
n = sp.Symbol("n", positive=True, integer=True)
m, h = sp.symbols("m h", real=True)
s, y = sp.symbols("s y", positive=True)


def gaussian_moment(power: int) -> sp.Expr:
    """The moment E Z^power of Z ~ N(m, s^2)."""
    even = range(0, power + 1, 2)
    return sp.expand(sum(sp.binomial(power, k) * m ** (power - k) * s**k * sp.factorial2(k - 1) for k in even))


def expectation(polynomial: sp.Expr, data: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The mean of a polynomial in independent values, all of them N(m, s^2)."""
    terms = sp.Poly(sp.expand(polynomial), *data).terms()
    return sp.expand(sum(factor * sp.prod([gaussian_moment(k) for k in powers]) for powers, factor in terms))


def batch(size: int) -> tuple[sp.Symbol, ...]:
    """The values Z_1 to Z_size of a batch; datum a is the first."""
    return tuple(sp.symbols(f"z1:{size + 1}", real=True))


def mean_of(data: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The mean of the values."""
    return sum(data) / sp.Integer(len(data))


def variance_of(data: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The mean squared deviation of the values from their mean."""
    return sum((z - mean_of(data)) ** 2 for z in data) / sp.Integer(len(data))


def chi_squared(x: sp.Expr, degrees: sp.Expr) -> sp.Expr:
    """The density at x of the chi-squared law."""
    return x ** (degrees / 2 - 1) * sp.exp(-x / 2) / (2 ** (degrees / 2) * sp.gamma(degrees / 2))


def printed_44() -> sp.Expr:
    """The density of sigma~^2 at y, as printed."""
    factor = 1 / (2 ** ((n - 2) / 2) * sp.gamma((n - 2) / 2))
    return factor * ((n - 1) / s**2) ** (n / 2 - 1) * y ** (n / 2 - 2) * sp.exp(-y / 2 * (n - 1) / s**2)


def printed_45() -> sp.Expr:
    """The density of sigma~ at y, as printed."""
    factor = 1 / (2 ** (n / 2 - 2) * sp.gamma((n - 2) / 2))
    return factor * ((n - 1) / s**2) ** (n / 2 - 1) * y ** (n - 3) * sp.exp(-(y**2) / 2 * (n - 1) / s**2)


def drawn(trial: Trial, size: int, number: int) -> Array:
    """Batches (draws, size) of standard normal values; datum a is the first column."""
    return trial.rng.standard_normal((trial.draws(number), size))


def average(trial: Trial, label: str, values: Array, expected: float, against: float) -> Finding:
    """Finding that the mean of independent values is as expected."""
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return measured(trial, label, float(values.mean()), error, expected, against=against)


@SECTION.fails(
    "E-sameE",
    'modified estimators "have the same expectation and only the variance is slightly increased"',
    counter_example="""
from fractions import Fraction
from itertools import product

# Z = +-1 with equal chances (s^2 = 1), n = 3: both expectations of the variance, by enumeration
def variance(values):
    mean = Fraction(sum(values), len(values))
    return sum((v - mean) ** 2 for v in values) / len(values)

batches = list(product([-1, 1], repeat=3))
canonical = sum(variance(b) for b in batches) / len(batches)
modified = sum(variance(b[1:]) for b in batches) / len(batches)
assert canonical == Fraction(2, 3)  # (n - 1)/n
assert modified == Fraction(1, 2)   # (n - 2)/(n - 1), the paper's own Eq. 31
assert canonical != modified
""",
)
def same_expectation_as_printed(trial: Trial) -> Iterator[Finding]:
    """There are two modified estimators, mu~ and sigma~. E mu~ = E mu^ (Eq. 30), but not so for sigma~.

    E sigma~^2 = s^2 (n-2)/(n-1) (Eq. 31) against E sigma^^2 = s^2 (n-1)/n. The difference s^2/(n (n-1)) is small but
    not zero, at no n.
    """
    for size in (3, 4):
        z = batch(size)
        left, right = expectation(variance_of(z[1:]), z), expectation(variance_of(z), z)
        yield identity(f"E sigma~^2 = E sigma^^2, n = {size}", left, right)
    draws = drawn(trial, 5, 200_000)
    yield average(trial, "E sigma~^2, n = 5, against E sigma^^2", draws[:, 1:].var(axis=1), 4 / 5, against=3 / 4)


@SECTION.corrects(
    "E-sameE",
    "E mu~ = E mu^, but E sigma~^2 is smaller than E sigma^^2 by s^2/(n(n-1)); for n > 2 both variances increase, "
    "Var mu~ = Var mu^ n/(n-1), Var sigma~^2 = Var sigma^^2 n^2 (n-2)/(n-1)^3, by factors 1 + 1/n + O(1/n^2)",
    assumes="Gaussian iid batch for Var sigma~^2",
)
def what_the_estimators_do(trial: Trial) -> Iterator[Finding]:
    """With V(k) = the mean squared deviation of k values: E V(k) = s^2 (k-1)/k and Var V(k) = 2 s^4 (k-1)/k^2.

    Canonical k = n, modified k = n - 1. The ratio n^2 (n-2)/(n-1)^3 exceeds 1 where n^2 - 3n + 1 > 0, that is n > 2.
    """
    for k in (2, 3, 4):
        z = batch(k)
        v = variance_of(z)
        yield identity(f"E mu, {k} values", expectation(mean_of(z), z), m)
        yield identity(f"Var mu, {k} values", expectation(mean_of(z) ** 2, z) - m**2, s**2 / k)
        yield identity(f"E V({k})", expectation(v, z), s**2 * sp.Rational(k - 1, k))
        second = expectation(v**2, z) - expectation(v, z) ** 2
        yield identity(f"Var V({k})", second, 2 * s**4 * sp.Rational(k - 1, k**2))
    yield identity("difference of the expectations", (n - 1) / n - (n - 2) / (n - 1), 1 / (n * (n - 1)))
    ratio = ((n - 2) / (n - 1) ** 2) / ((n - 1) / n**2)
    yield identity("ratio of the variances less 1", ratio - 1, (n**2 - 3 * n + 1) / (n - 1) ** 3)
    yield identity("its first order in 1/n", sp.limit(n * (ratio - 1), n, sp.oo), 1)
    draws = drawn(trial, 5, 200_000)
    modified, canonical = draws[:, 1:].var(axis=1), draws.var(axis=1)
    yield average(trial, "E sigma~^2, n = 5", modified, 3 / 4, against=4 / 5)
    yield average(trial, "E sigma^^2, n = 5", canonical, 4 / 5, against=3 / 4)
    yield average(trial, "Var sigma~^2, n = 5", (modified - 3 / 4) ** 2, 3 / 8, against=8 / 25)


SECTION.undecided(
    "E-Eq27-29",
    "leave-one-out B~ = (Z_a - mu~)/sigma~ with 1/(n-1) normalisation over n-1 points",
    "it defines the modified normalisation; nothing is left to decide. Every claim below uses it.",
)


@SECTION.holds(
    "E-Eq30", "E mu~ = E mu^ = mu", printed=r"\mathbb E \tilde\mu = \mathbb E \hat\mu = \mu", assumes="a finite mean"
)
def mean_of_the_mean(trial: Trial) -> Iterator[Finding]:
    """The mean is linear: (n-1) m/(n-1) and n m/n."""
    yield identity("E mu~, any n", (n - 1) * m / (n - 1), m)
    for size in (2, 6):
        z = batch(size)
        yield identity(f"E mu~, n = {size}", expectation(mean_of(z[1:]), z), m)
        yield identity(f"E mu^, n = {size}", expectation(mean_of(z), z), m)
    draws = 1 + drawn(trial, 6, 100_000)
    yield average(trial, "E mu~, n = 6", draws[:, 1:].mean(axis=1), 1.0, against=5 / 6)


@SECTION.holds(
    "E-Eq31-37",
    "E sigma~^2 = sigma^2 (n-2)/(n-1)",
    printed=r"\mathbb E \tilde\sigma^2 = \sigma^2 \frac{n-2}{n-1}",
    assumes="independent values of finite variance",
)
def mean_of_the_variance(trial: Trial) -> Iterator[Finding]:
    """The three terms A + B - 2 C of Eqs. 34-36, with k = n - 1 values: E Z_b Z_c = m^2 + s^2 where b = c, else m^2.

    B counts k pairs b = c and k (k-1) others; C one and k - 1. Gaussian values are not needed.
    """
    k = n - 1
    equal, other = s**2 + m**2, m**2
    a = equal
    b = (k * equal + k * (k - 1) * other) / k**2
    c = (equal + (k - 1) * other) / k
    yield identity("B, Eq. 35", b, s**2 / (n - 1) + m**2)
    yield identity("C, Eq. 36", c, s**2 / (n - 1) + m**2)
    yield identity("A + B - 2 C, Eq. 37", a + b - 2 * c, s**2 * (n - 2) / (n - 1))
    for size in (2, 3, 6):
        z = batch(size)
        direct = expectation(variance_of(z[1:]), z)
        yield identity(f"by moments, n = {size}", direct, s**2 * sp.Rational(size - 2, size - 1))
    for size in (5, 8):
        values = drawn(trial, size, 200_000)[:, 1:].var(axis=1)
        expected = (size - 2) / (size - 1)
        yield average(trial, f"E sigma~^2, n = {size}", values, expected, against=(size - 1) / size)
    uniform = np.sqrt(12) * trial.rng.random((trial.draws(100_000), 4))
    yield average(trial, "E sigma~^2, n = 5, uniform values", uniform.var(axis=1), 3 / 4, against=4 / 5)


@SECTION.holds(
    "E-Eq38",
    "mu^ - mu~ = (Z_a - mu~)/n",
    printed=r"\hat\mu - \tilde\mu = \frac1n (Z_a - \tilde\mu)",
)
def difference_of_the_means() -> Iterator[Finding]:
    """mu^ = ((n-1) mu~ + Z_a)/n, since the sum of all is (n-1) mu~ + Z_a."""
    z_a, mu = sp.symbols("Z_a mu", real=True)
    yield identity("any n", ((n - 1) * mu + z_a) / n - mu, (z_a - mu) / n)
    for size in (2, 5):
        z = batch(size)
        yield identity(f"n = {size}", mean_of(z) - mean_of(z[1:]), (z[0] - mean_of(z[1:])) / size)


@SECTION.holds("E-Eq39", "E eps = 0", printed=r"\mathbb E \epsilon_n = 0", assumes="a finite mean")
def mean_of_the_difference(trial: Trial) -> Iterator[Finding]:
    """E eps = (E Z_a - E mu~)/n = (m - m)/n."""
    for size in (2, 5):
        z = batch(size)
        yield identity(f"n = {size}", expectation((z[0] - mean_of(z[1:])) / size, z), 0)
    draws = 1 + drawn(trial, 5, 100_000)
    values = (draws[:, 0] - draws[:, 1:].mean(axis=1)) / 5
    yield average(trial, "E eps, n = 5, m = 1", values, 0.0, against=1 / 25)


@SECTION.fails(
    "E-Eq40",
    "Var(eps) = (1/n^2)(1 + (n-1)/n^2) sigma^2",
    printed=r"\mathrm{Var}(\epsilon_n) = \frac1{n^2}\left(\sigma^2 + \frac{n-1}{n^2}\sigma^2\right)",
    counter_example="""
from fractions import Fraction
from itertools import product

# n = 2, Z = +-1 with equal chances (sigma^2 = 1): eps = (Z_a - Z_b)/2
values = [Fraction(a - b, 2) for a, b in product([-1, 1], repeat=2)]
variance = sum(v * v for v in values) / 4
n = 2
assert variance == Fraction(1, 2) == Fraction(1, n * (n - 1))
assert variance != Fraction(1, n**2) * (1 + Fraction(n - 1, n**2))  # 5/16
""",
)
def variance_of_the_difference_as_printed(trial: Trial) -> Iterator[Finding]:
    """The difference eps = (Z_a - mu~)/n has two independent terms, of variances s^2 and Var mu~.

    Var mu~ = s^2/(n-1), not s^2 (n-1)/n^2. The order O(1/n^2) is right, and with it that eps tends to 0.
    """
    printed = (1 + (n - 1) / n**2) * s**2 / n**2
    for size in (2, 5):
        z = batch(size)
        eps = (z[0] - mean_of(z[1:])) / size
        yield identity(f"n = {size}", expectation(eps**2, z) - expectation(eps, z) ** 2, printed.subs(n, size))
    draws = drawn(trial, 5, 400_000)
    values = ((draws[:, 0] - draws[:, 1:].mean(axis=1)) / 5) ** 2
    yield average(trial, "Var eps, n = 5, s = 1", values, (1 + 4 / 25) / 25, against=1 / 20)


@SECTION.corrects(
    "E-Eq40",
    "Var(eps) = (1/n^2)(1 + 1/(n-1)) sigma^2 = sigma^2/(n(n-1))",
    right=r"\mathrm{Var}(\epsilon_n) = \frac{\sigma^2}{n(n-1)}",
)
def variance_of_the_difference(trial: Trial) -> Iterator[Finding]:
    """(s^2 + s^2/(n-1))/n^2; the probability that |eps| exceeds any bound then vanishes (Chebyshev)."""
    right = s**2 / (n * (n - 1))
    yield identity("any n", (s**2 + s**2 / (n - 1)) / n**2, right)
    for size in (2, 5):
        z = batch(size)
        eps = (z[0] - mean_of(z[1:])) / size
        yield identity(f"n = {size}", expectation(eps**2, z) - expectation(eps, z) ** 2, right.subs(n, size))
    yield identity("n^2 Var(eps), n -> infinity", sp.limit(n**2 * right, n, sp.oo), s**2)
    draws = drawn(trial, 5, 400_000)
    values = ((draws[:, 0] - draws[:, 1:].mean(axis=1)) / 5) ** 2
    yield average(trial, "Var eps, n = 5, s = 1", values, 1 / 20, against=(1 + 4 / 25) / 25)


@SECTION.holds(
    "E-Eq41",
    "Gaussian density of Z",
    printed=r"f_Z(w) = (2\pi\sigma^2)^{-1/2} e^{-(w-\mu)^2/(2\sigma^2)}",
    assumes="Z ~ N(mu, sigma^2)",
)
def density_of_a_node() -> Iterator[Finding]:
    """The assumption of what follows, written out: the density has mass 1, mean mu and variance sigma^2."""
    w = sp.Symbol("w", real=True)
    density = sp.exp(-((w - m) ** 2) / (2 * s**2)) / sp.sqrt(2 * sp.pi * s**2)
    for label, weight, right in (("mass", 1, 1), ("mean", w, m), ("variance", (w - m) ** 2, s**2)):
        yield identity(label, sp.simplify(sp.integrate((weight * density).subs(w, w + m), (w, -sp.oo, sp.oo))), right)


@SECTION.fails(
    "E-Eq42",
    "f_mu~(h) = sqrt((n-1)/(2 pi s^2)) exp(-(-y^2)/2 (n-1)/s^2)",
    printed=r"f_{\tilde\mu}(h) = \sqrt{\frac{n-1}{2\pi s^2}} \exp\left(-\frac{-y^2}{2} \frac{n-1}{s^2}\right)",
    counter_example="""
from mpmath import exp, inf, isinf, mpf, pi, quad, sqrt

# n = 5, s = 1, with h for y: the mass within [-4, 4] is far above 1; a density cannot grow with distance
printed = lambda h: sqrt(4 / (2 * pi)) * exp(-(-h**2) / 2 * 4)
assert quad(printed, [-4, 0, 4]) > 10**10
assert printed(mpf(2)) > printed(mpf(1)) > printed(mpf(0))
""",
)
def density_of_the_mean_as_printed() -> Iterator[Finding]:
    """Two minus signs make the exponent positive, and y stands for h, without the mean: it is no density at all.

    Read with y = h (m = 0) here, which is the kindest way; a mean m is missing besides.
    """
    printed = sp.sqrt((n - 1) / (2 * sp.pi * s**2)) * sp.exp(-sp.Mul(-1, h**2) / 2 * (n - 1) / s**2)
    right = sp.sqrt((n - 1) / (2 * sp.pi * s**2)) * sp.exp(-(h**2) / 2 * (n - 1) / s**2)
    yield identity("printed and normal density, m = 0", printed, right)
    f = sp.lambdify(h, printed.subs({n: 5, s: 1}), "mpmath")
    yield agree("mass in [-2, 2], n = 5, s = 1", mpmath.quad(f, [-2, 0, 2]), mpmath.erf(4 / mpmath.sqrt(2)))


@SECTION.corrects(
    "E-Eq42",
    "f_mu~(h) = sqrt((n-1)/(2 pi s^2)) exp(-(h-mu)^2 (n-1)/(2 s^2))",
    right=r"f_{\tilde\mu}(h) = \sqrt{\frac{n-1}{2\pi s^2}} \exp\left(-\frac{(h-\mu)^2}{2} \frac{n-1}{s^2}\right)",
    assumes="Gaussian iid batch",
)
def density_of_the_mean(trial: Trial) -> Iterator[Finding]:
    """A mean of n - 1 independent N(m, s^2) is N(m, s^2/(n-1)): the logarithms of the generating functions add."""
    t = sp.Symbol("t", real=True)
    scaled = t / (n - 1)
    log = (n - 1) * (m * scaled + s**2 * scaled**2 / 2)
    yield identity("log of the generating function of mu~", log, m * t + s**2 / (n - 1) * t**2 / 2)
    density = sp.sqrt((n - 1) / (2 * sp.pi * s**2)) * sp.exp(-((h - m) ** 2) / 2 * (n - 1) / s**2)
    k = sp.Symbol("k", positive=True)  # n - 1
    centred = density.subs(h, h + m).subs(n, k + 1)
    yield identity("mass", sp.integrate(centred, (h, -sp.oo, sp.oo)), 1)
    yield identity("variance", sp.integrate(h**2 * centred, (h, -sp.oo, sp.oo)), s**2 / k)
    f = sp.lambdify(h, density.subs({n: 5, s: 1, m: 0}), "mpmath")
    below = mpmath.quad(f, [-mpmath.inf, 0, 0.5])
    yield agree("P(mu~ < 1/2), n = 5", below, mpmath.ncdf(1), 12)
    means = drawn(trial, 5, 100_000)[:, 1:].mean(axis=1)
    yield average(trial, "P(mu~ < 1/2), n = 5", (means < 0.5).astype(float), float(below), against=0.69)


@SECTION.fails(
    "E-Eq43",
    "S = sigma~^2 (n-1)/s^2 ~ chi(n-2)",
    printed=r"S = \tilde\sigma^2 (n-1)/s^2 \sim \chi(n-2)",
    counter_example="""
from mpmath import gamma, sqrt

# n = 4: E S = n - 2 = 2 by Eq. 31; the chi law with 2 degrees of freedom has the mean sqrt(pi/2)
n = 4
mean_of_S = (n - 1) * (n - 2) / (n - 1)
mean_of_chi = sqrt(2) * gamma((n - 1) / 2) / gamma((n - 2) / 2)
assert mean_of_S == 2
assert abs(mean_of_S - mean_of_chi) > 0.7
""",
)
def chi_as_printed(trial: Trial) -> Iterator[Finding]:
    """The chi law is that of the root of S. Its mean square is n - 2, which is the mean of S.

    The sentence before Eq. 43 says "chi-squared", and Eqs. 44 and 45 use the chi-squared law: the square is missing.
    """
    chi_mean = sp.sqrt(2) * sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2)
    for size in (4, 5):
        z = batch(size)
        total = expectation((size - 1) * variance_of(z[1:]) / s**2, z)
        yield identity(f"E S against the mean of chi, n = {size}", total, chi_mean.subs(n, size))
    values = 4 * drawn(trial, 5, 100_000)[:, 1:].var(axis=1)
    yield average(trial, "E S, n = 5", values, float(chi_mean.subs(n, 5)), against=3.0)


@SECTION.corrects(
    "E-Eq43",
    "S = sigma~^2 (n-1)/s^2 ~ chi^2(n-2), chi-squared",
    right=r"S = \tilde\sigma^2 (n-1)/s^2 \sim \chi^2_{n-2}",
    assumes="Gaussian iid batch, n > 2",
)
def chi_squared_law(trial: Trial) -> Iterator[Finding]:
    """A rotation (Helmert's) takes the n - 1 values to sqrt(n-1) mu~ and n - 2 others, independent and N(0, s^2).

    S s^2 is the sum of squares of the others. Its moments are (n-2), (n-2) n, (n-2) n (n+2).
    """
    for k in (2, 4):
        z, rotated = _rotated(k)
        rest = sum(value**2 for value in rotated[1:])
        yield identity(f"(n-1) sigma~^2 as {k - 1} squares", k * variance_of(z), rest)
    for size in (4, 5):
        z = batch(size)
        total = (size - 1) * variance_of(z[1:]) / s**2
        yield identity(f"E S, n = {size}", expectation(total, z), size - 2)
        yield identity(f"E S^2, n = {size}", expectation(total**2, z), (size - 2) * size)
    z = batch(4)
    yield identity("E S^3, n = 4", expectation((3 * variance_of(z[1:]) / s**2) ** 3, z), 2 * 4 * 6)
    values = 4 * drawn(trial, 5, 100_000)[:, 1:].var(axis=1)
    for bound in (1, 4):
        below = float(mpmath.gammainc(1.5, 0, mpmath.mpf(bound) / 2, regularized=True))
        other = float(mpmath.gammainc(2, 0, mpmath.mpf(bound) / 2, regularized=True))  # one degree of freedom more
        yield average(trial, f"P(S < {bound}), n = 5", (values < bound).astype(float), below, against=other)


def _rotated(k: int) -> tuple[tuple[sp.Symbol, ...], list[sp.Expr]]:
    """Values z_1 to z_k and their images under Helmert's rotation; the first is sqrt(k) times the mean."""
    z = batch(k)
    images = [sum(z) / sp.sqrt(k)]
    images += [(sum(z[:i]) - i * z[i]) / sp.sqrt(i * (i + 1)) for i in range(1, k)]
    return z, images


@SECTION.holds(
    "E-Eq44",
    "density of sigma~^2: prefactor 1/(2^((n-2)/2) Gamma((n-2)/2)) ((n-1)/s^2)^(n/2-1) y^(n/2-2) e^{...}",
    printed=r"\frac{1}{2^{(n-2)/2}\Gamma(\frac{n-2}{2})} \left(\frac{n-1}{s^2}\right)^{n/2-1} y^{n/2-2} "
    r"e^{-\frac y2 \frac{n-1}{s^2}}",
    assumes="Gaussian iid batch, n > 2",
)
def density_of_the_variance(trial: Trial) -> Iterator[Finding]:
    """S ~ chi^2(n-2) (E-Eq43, corrected) and sigma~^2 = S s^2/(n-1): the chi-squared density at y a times a.

    a = (n-1)/s^2. Numbers: mass 1 and mean (n-2)/(n-1) by quadrature, probabilities by simulation.
    """
    k = sp.Symbol("k", positive=True)  # n - 1
    changed = (chi_squared(y * k / s**2, k - 1) * k / s**2).subs(k, n - 1)
    ratio = sp.simplify(sp.powsimp(sp.expand_power_base((changed / printed_44()).subs(n, k + 1), force=True)))
    yield identity("ratio to the changed variable", ratio, 1)
    f = _numeric(printed_44())
    with mpmath.workdps(30):
        for size in (3, 8):
            yield agree(f"mass, n = {size}", _integral(f, size, 0), 1, 20)
            yield agree(f"mean, n = {size}", _integral(f, size, 1), mpmath.mpf(size - 2) / (size - 1), 20)
    values = drawn(trial, 8, 100_000)[:, 1:].var(axis=1)
    yield _below(trial, "sigma~^2", values, f, 0.5)


@SECTION.holds(
    "E-Eq45",
    "density of sigma~: 1/(2^(n/2-2) Gamma((n-2)/2)) ((n-1)/s^2)^(n/2-1) y^(n-3) e^{...}",
    printed=r"\frac{1}{2^{n/2-2}\Gamma(\frac{n-2}{2})} \left(\frac{n-1}{s^2}\right)^{n/2-1} y^{n-3} "
    r"e^{-\frac{y^2}{2} \frac{n-1}{s^2}}",
    assumes="Gaussian iid batch, n > 2",
)
def density_of_the_deviation(trial: Trial) -> Iterator[Finding]:
    """sigma~ = root of sigma~^2: twice y times the density of Eq. 44 at y^2."""
    ratio = sp.simplify(sp.powsimp(2 * y * printed_44().subs(y, y**2) / printed_45(), force=True))
    yield identity("ratio to the changed variable", ratio, 1)
    f = _numeric(printed_45())
    with mpmath.workdps(30):
        for size in (3, 8):
            yield agree(f"mass, n = {size}", _integral(f, size, 0), 1, 20)
            yield agree(f"mean square, n = {size}", _integral(f, size, 2), mpmath.mpf(size - 2) / (size - 1), 20)
    values = drawn(trial, 8, 100_000)[:, 1:].std(axis=1)
    yield _below(trial, "sigma~", values, f, 0.75)


def _numeric(density: sp.Expr) -> Density:
    """The density as a function of (size, y), with s = 1."""
    f: Density = sp.lambdify((n, y), density.subs(s, 1), "mpmath")
    return f


def _integral(f: Density, size: int, power: int, upper: float = mpmath.inf) -> mpmath.mpf:
    """The integral of x^power f(x) from 0 to `upper`; x = u^2 takes away the root at 0."""
    upper = mpmath.sqrt(upper)
    points = [0, upper] if upper < 1 else [0, 1, 2, upper]
    return mpmath.quad(lambda u: u ** (2 * power) * f(size, u * u) * 2 * u, points)


def _below(trial: Trial, name: str, values: Array, f: Density, bound: float) -> Finding:
    """Finding that the values of batches of 8 stay below a bound as often as the density says."""
    expected, other = (float(_integral(f, size, 0, bound)) for size in (8, 9))
    return average(trial, f"P({name} < {bound:g}), n = 8", (values < bound).astype(float), expected, against=other)


@SECTION.holds(
    "E-indep",
    "Z_a, mu~, sigma~ independent",
    printed=r"Z_a \perp \tilde\mu \perp \tilde\sigma",
    assumes="Gaussian iid batch",
)
def independence(trial: Trial) -> Iterator[Finding]:
    """mu~ and sigma~ do not contain Z_a. Of the others, Helmert's rotation splits mu~ from sigma~.

    The rotation is orthogonal, so independent N(m, s^2) values become independent normal ones; mu~ is a function of the
    first, sigma~ of the rest. Pairs are not all there is to the three: (mu~, sigma~) together do not contain Z_a, which
    makes the three mutually independent. Without Gaussian values it is false: mean and variance of exponential values
    are correlated.
    """
    for k in (2, 4):
        z, images = _rotated(k)
        rotation = sp.Matrix([[sp.expand(image).coeff(value) for value in z] for image in images])
        gram = (rotation * rotation.T).applyfunc(sp.simplify)
        yield identity(f"orthogonal, {k} values", (gram - sp.eye(k)).norm(), 0)
        yield identity(f"squared distance, {k} values", sum(v**2 for v in z), sp.expand(sum(v**2 for v in images)))
        yield identity(f"variance of the rest, {k} values", k * variance_of(z), sum(v**2 for v in images[1:]))
    z = batch(5)
    mean, variance = mean_of(z[1:]), variance_of(z[1:])
    for a, b in ((1, 1), (2, 1), (1, 2)):
        joint = expectation(mean**a * variance**b, z)
        yield identity(f"E mu~^{a} sigma~^{2 * b}", joint, expectation(mean**a, z) * expectation(variance**b, z))
    draws = 1 + drawn(trial, 8, 100_000)
    yield _correlation(trial, "normal values", draws, 0.0, 0.1)
    exponential = trial.rng.exponential(size=draws.shape)
    k = 7  # correlation of the mean and the variance of k exponential values
    expected = 2 / np.sqrt(9 - (k - 3) / (k - 1))
    yield _correlation(trial, "exponential values, by contrast", exponential, expected, 0.0)


def _correlation(trial: Trial, label: str, draws: Array, expected: float, against: float) -> Finding:
    """Finding on the correlation of mu~ and sigma~^2."""
    mean, variance = draws[:, 1:].mean(axis=1), draws[:, 1:].var(axis=1)
    products = (mean - mean.mean()) * (variance - variance.mean()) / (mean.std() * variance.std())
    return average(trial, f"correlation of mu~ and sigma~^2, {label}", products, expected, against)
