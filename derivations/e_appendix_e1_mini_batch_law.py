r"""Where you place the norm, appendix E.1.2: the law of the modified normalised node B~ (Eqs. 46-50, Figs. E.1, E.2).

For a batch of n independent N(m, s^2) values, the others' mean mu~ ~ N(m, s^2/(n-1)) and deviation sigma~, and Z_a
itself, are independent (see the file on the estimators). Hence

    B~ = (Z_a - mu~)/sigma~ = sqrt(n) G/sqrt(S),    G ~ N(0, 1),  S ~ chi^2(n-2) independent,

which is sqrt(n/(n-2)) times Student's t with n - 2 degrees of freedom: m and s drop out. The canonical B, a point
normalised in its own batch, has B^2/(n-1) ~ Beta(1/2, (n-2)/2). Both tend to N(0, 1), from the two sides.

One integral does the work, Eq. 48: int_0^inf x^p exp(-a x^q) dx = Gamma((p+1)/q)/(q a^((p+1)/q)), a, q > 0, p > -1.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import scipy
import sympy as sp
from numpy.typing import NDArray
from sympy.stats import StudentT, density

from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, law of the modified estimator")

Array = NDArray[np.float64]
n = sp.Symbol("n", positive=True, integer=True)
v = sp.Symbol("nu", positive=True)
"""Degrees of freedom n - 2; positive, so that SymPy knows that integrals converge."""
b = sp.Symbol("b", real=True)
s, y = sp.symbols("s y", positive=True)


def power_integral(p: Any, a: Any, q: Any = 2) -> sp.Expr:
    """Eq. 48: the integral of x^p exp(-a x^q) over x > 0 (shown in E-Eq48)."""
    return sp.gamma((p + 1) / q) / (q * a ** ((p + 1) / q))


def deviation_factor() -> sp.Expr:
    """What stands before y^(n-3) exp(-y^2 (n-1)/(2 s^2)) in the density of sigma~, Eq. 45."""
    return ((n - 1) / s**2) ** (n / 2 - 1) / (2 ** (n / 2 - 2) * sp.gamma((n - 2) / 2))


def printed_49() -> sp.Expr:
    """The density of B~ at b, as printed."""
    factor = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt(n * sp.pi)
    return factor * (1 + b**2 / n) ** (-(n - 1) / 2)


def proxy_density(size: Any, at: Any) -> Any:
    """The density of B~ at a number, Eq. 49."""
    size = mpmath.mpf(size)
    factor = mpmath.gammaprod([(size - 1) / 2], [(size - 2) / 2]) / mpmath.sqrt(size * mpmath.pi)
    return factor * (1 + at * at / size) ** (-(size - 1) / 2)


def proxy_cdf(size: int, at: Array) -> Array:
    """P(B~ < at)."""
    return np.asarray(scipy.stats.t(size - 2, scale=np.sqrt(size / (size - 2))).cdf(at))


def canonical_cdf(size: int, at: Array) -> Array:
    """P(B < at) of the canonical estimator."""
    inside = np.clip(at**2 / (size - 1), 0, 1)
    return np.asarray((1 + np.sign(at) * scipy.stats.beta(0.5, (size - 2) / 2).cdf(inside)) / 2)


def modified(trial: Trial, size: int, number: int) -> Array:
    """Draws of B~ from batches of values of mean 1 and variance 4."""
    batches = 1 + 2 * trial.rng.standard_normal((trial.draws(number), size))
    return np.asarray((batches[:, 0] - batches[:, 1:].mean(axis=1)) / batches[:, 1:].std(axis=1))


def canonical(trial: Trial, size: int, number: int) -> Array:
    """Draws of B from batches of values of mean 1 and variance 4."""
    batches = 1 + 2 * trial.rng.standard_normal((trial.draws(number), size))
    return np.asarray((batches[:, 0] - batches.mean(axis=1)) / batches.std(axis=1))


def average(trial: Trial, label: str, values: Array, expected: float, against: float) -> Finding:
    """Finding that the mean of independent values is as expected."""
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return measured(trial, label, float(values.mean()), error, expected, against=against)


def same(label: str, left: sp.Expr, right: sp.Expr) -> Finding:
    """Finding that two positive expressions in n, s, b are equal: their ratio simplifies to 1, where n - 2 = nu."""
    ratio = sp.powsimp(sp.expand_power_base((left / right).subs(n, v + 2), force=True), force=True)
    return identity(label, sp.simplify(sp.gammasimp(ratio)), 1)


@SECTION.holds("E-Eq46", "E B~ = 0", printed=r"\mathbb E \tilde B = 0", assumes="Gaussian iid batch, n > 3")
def mean_of_the_proxy(trial: Trial) -> Iterator[Finding]:
    """E(Z_a - mu~) E(1/sigma~) = 0, as the factors are independent, where E(1/sigma~) is finite.

    E(1/sigma~) is an integral of y^(n-4): finite for n > 3 only. At n = 3, B~ is a Cauchy variable and has no mean; the
    paper does not say so, but needs n > 4 in the next equation. (The third line of Eq. 46 prints w - mu for mu - x.)
    """
    inverse = deviation_factor() * power_integral(n - 4, (n - 1) / (2 * s**2))
    expected = sp.sqrt((n - 1) / 2) / s * sp.gamma((n - 3) / 2) / sp.gamma((n - 2) / 2)
    yield same("E 1/sigma~", inverse, expected)
    m = sp.Symbol("m", real=True)
    yield identity("E (Z_a - mu~)", m - (n - 1) * m / (n - 1), 0)
    yield identity("density is even", printed_49(), printed_49().subs(b, -b))
    with mpmath.workdps(30):
        for size in (4, 8):
            absolute = 2 * mpmath.quad(lambda x, size=size: x * proxy_density(size, x), [0, 1, 10, mpmath.inf])
            factor = mpmath.gammaprod([mpmath.mpf(size - 1) / 2], [mpmath.mpf(size - 2) / 2])
            finite = 2 * factor / mpmath.sqrt(size * mpmath.pi) * size / (size - 3)
            yield agree(f"E|B~| is finite, n = {size}", absolute, finite, 12)
    yield average(trial, "E B~, n = 8, data of mean 1", modified(trial, 8, 200_000), 0.0, against=0.05)


@SECTION.holds(
    "E-Eq47",
    "Var B~ = n/(n-4)",
    printed=r"\mathrm{Var}\,\tilde B = \frac{n}{n-4}",
    assumes="Gaussian iid batch, n > 4",
)
def variance_of_the_proxy(trial: Trial) -> Iterator[Finding]:
    """E (Z_a - mu~)^2 = s^2 n/(n-1), times E sigma~^-2, an integral of y^(n-5): finite for n > 4.

    Numbers: the second moment of the density by quadrature. Simulation: n = 12, where B~^2 has a finite variance.
    """
    second = s**2 * n / (n - 1) * deviation_factor() * power_integral(n - 5, (n - 1) / (2 * s**2))
    shifted = sp.Symbol("k", positive=True)  # n - 4
    total = sp.gammasimp(sp.powsimp(sp.expand_power_base(second.subs(n, shifted + 4), force=True), force=True))
    yield identity("s^2 n/(n-1) E sigma~^-2", sp.simplify(total), (shifted + 4) / shifted)
    with mpmath.workdps(30):
        for size in (7, 12, 40):  # b = tan: the tails end at a finite point
            moment = mpmath.quad(
                lambda u, size=size: mpmath.tan(u) ** 2 * proxy_density(size, mpmath.tan(u)) / mpmath.cos(u) ** 2,
                [-mpmath.pi / 2, 0, mpmath.pi / 2],
            )
            yield agree(f"by quadrature, n = {size}", moment, mpmath.mpf(size) / (size - 4), 12)
    yield average(trial, "Var B~, n = 12", modified(trial, 12, 200_000) ** 2, 12 / 8, against=10 / 8)


@SECTION.holds(
    "E-Eq48",
    "int_0^inf x^n e^{-a x^b} dx = Gamma((n+1)/b)/(b a^{(n+1)/b})",
    printed=r"\int_0^\infty x^n e^{-a x^b} dx = \frac{\Gamma(\frac{n+1}{b})}{b\, a^{(n+1)/b}}",
    assumes="a, b > 0, n > -1",
)
def a_gamma_integral() -> Iterator[Finding]:
    """Substitute t = a x^b: x = (t/a)^(1/b), and t^((n+1)/b - 1) e^-t is left, the integrand of Gamma((n+1)/b)."""
    t, a, q, p = sp.symbols("t a q p", positive=True)
    x = (t / a) ** (1 / q)
    left = sp.powsimp(sp.expand_power_base(x**p * sp.diff(x, t), force=True), force=True)
    right = sp.expand_power_base(t ** ((p + 1) / q - 1) / (q * a ** ((p + 1) / q)), force=True)
    yield identity("x^n dx in terms of t", sp.simplify(sp.powsimp(left / right, force=True)), 1)
    yield identity("the exponent", sp.powdenest(a * x**q, force=True), t)
    yield identity("Euler's integral", sp.integrate(t ** (p - 1) * sp.exp(-t), (t, 0, sp.oo)), sp.gamma(p))
    with mpmath.workdps(40):
        for power, factor, exponent in ((5, 1.5, 2), (0.5, 2, 3), (2, 0.25, 1)):
            found = mpmath.quad(
                lambda w, p=power, a=factor, q=exponent: (w * w) ** p * mpmath.exp(-a * (w * w) ** q) * 2 * w,
                [0, 1, 3, 6, 20],
            )
            right = power_integral(*map(sp.nsimplify, (power, factor, exponent)))
            yield agree(f"n = {power}, a = {factor}, b = {exponent}", found, sp.N(right, 45), 30)


@SECTION.holds(
    "E-Eq49",
    "f_B~(b) = (n pi)^(-1/2) Gamma((n-1)/2)/Gamma((n-2)/2) (1+b^2/n)^(-(n-1)/2)",
    printed=r"f_{\tilde B}(b) = \frac{1}{\sqrt{n\pi}} \frac{\Gamma(\frac{n-1}{2})}{\Gamma(\frac{n-2}{2})} "
    r"\left(1+\frac{b^2}{n}\right)^{-\frac{n-1}{2}}",
    assumes="Gaussian iid batch, n > 2",
)
def density_of_the_proxy(trial: Trial) -> Iterator[Finding]:
    """Given sigma~ = y, B~ is N(0, s^2 n/((n-1) y^2)); average that density over sigma~ with Eq. 48.

    Three ways: that average, the density of Student's t scaled by sqrt(n/(n-2)), and the average by quadrature. Then
    draws of B~ from batches. (The typed intermediate lines write y for x in one exponent; the result is right.)
    """
    spread = s**2 * n / (n - 1)  # Var(Z_a - mu~)
    exponent = (n - 1) / (2 * s**2) + b**2 / (2 * spread)
    averaged = deviation_factor() / sp.sqrt(2 * sp.pi * spread) * power_integral(n - 2, exponent)
    # 1 + b^2/n = w keeps the powers simple
    w = sp.Symbol("w", positive=True)
    squared = {b: sp.sqrt(n * (w - 1))}
    yield same("average over sigma~", sp.factor(averaged.subs(squared)), printed_49().subs(squared))
    x = sp.Symbol("x", positive=True)
    scale = sp.sqrt((v + 2) / v)
    student = density(StudentT("T", v))(x / scale) / scale
    printed = printed_49().subs(n, v + 2).subs(b, x)
    ratio = sp.expand_func((student / printed).rewrite(sp.gamma))
    yield identity("scaled Student t", sp.simplify(sp.gammasimp(sp.powsimp(sp.simplify(ratio), force=True))), 1)
    with mpmath.workdps(30):
        for size in (3, 8, 33):
            for at in (0, 1, 4):
                yield agree(f"n = {size}, b = {at}, by quadrature", _averaged(size, at), proxy_density(size, at), 15)
    draws = modified(trial, 8, 100_000)
    for bound in (1.0, 2.0):
        expected, other = (float(cdf(8, np.array(bound))) for cdf in (proxy_cdf, canonical_cdf))
        yield average(trial, f"P(B~ < {bound:g}), n = 8", (draws < bound).astype(float), expected, against=other)


def _averaged(size: int, at: float) -> Any:
    """The density of B~, s = 1, averaged over the density of sigma~ by quadrature."""
    d = mpmath.mpf(size)
    root = mpmath.sqrt(d / (d - 1))
    chi = 2 ** (2 - d / 2) / mpmath.gamma((d - 2) / 2) * (d - 1) ** (d / 2 - 1)
    return mpmath.quad(
        lambda u: u * mpmath.npdf(at * u, 0, root) * chi * u ** (d - 3) * mpmath.exp(-u * u * (d - 1) / 2),
        [0, 0.5, 1, 2, 6, 20],
    )


@SECTION.holds(
    "E-Eq50",
    "constants C, C'",
    printed=r"C = \frac{\sqrt{n-1}}{2\pi\sigma^2} \frac{1}{2^{n/2-2}\Gamma(\frac{n-2}{2})} "
    r"\left(\frac{n-1}{\sigma^2}\right)^{n/2-1}, \quad C' = C \sqrt{2\pi\sigma^2/n}",
)
def constants() -> Iterator[Finding]:
    """C is the product of the factors of the three densities, C' adds the Gaussian integral over x.

    The exponent b^2 y^2 + x^2 + 2 x y b + (n-1) x^2 is completed to (sqrt(n) x + y b/sqrt(n))^2 + b^2 y^2 (1 - 1/n).
    At the end C' times the integral over y (Eq. 48) must give Eq. 49.
    """
    x = sp.Symbol("x", real=True)
    printed_c = sp.sqrt(n - 1) / (2 * sp.pi * s**2) * deviation_factor()
    printed_prime = printed_c * sp.sqrt(2 * sp.pi * s**2 / n)
    product = sp.sqrt(1 / (2 * sp.pi * s**2)) * sp.sqrt((n - 1) / (2 * sp.pi * s**2)) * deviation_factor()
    yield same("C", product, printed_c)
    left = b**2 * y**2 + x**2 + 2 * x * y * b + (n - 1) * x**2
    right = b**2 * y**2 * (1 - 1 / n) + (sp.sqrt(n) * x + y * b / sp.sqrt(n)) ** 2
    yield identity("the completed square", sp.expand(left), sp.expand(right))
    gaussian = sp.integrate(sp.exp(-n * x**2 / (2 * s**2)), (x, -sp.oo, sp.oo))
    yield identity("C'/C", gaussian, sp.sqrt(2 * sp.pi * s**2 / n))
    exponents = (n - 1) / s**2 + b**2 / s**2 * (1 - 1 / n)
    yield identity("exponent of y^2/2", exponents, (n - 1) / s**2 * (1 + b**2 / n))
    w = sp.Symbol("w", positive=True)  # 1 + b^2/n
    last = printed_prime * power_integral(n - 2, (n - 1) / (2 * s**2) * w)
    yield same("C' int y^(n-2) exp(...) dy", last, printed_49().subs(b, sp.sqrt(n * (w - 1))))


@SECTION.holds(
    "E-gauss-lim",
    "f_B~ -> N(0,1) as n->inf (binomial series, Stirling)",
    printed=r"f_{\tilde B}(b) \to \frac{1}{\sqrt{2\pi}} e^{-b^2/2}",
    assumes="Gaussian iid batch",
)
def gaussian_limit(trial: Trial) -> Iterator[Finding]:
    """The logarithm of (1 + b^2/n)^(-(n-1)/2) tends to -b^2/2, Gamma((n-1)/2)/Gamma((n-2)/2) ~ sqrt(n/2).

    The paper's way: every term of the binomial series tends to that of the exponential. The series converges for
    n > b^2, and its terms are dominated, so the sum follows. (One line of it divides by n^k once too often, and the
    next is right again.) Cumulants: skewness 0, excess kurtosis 6/(n-6), and both densities differ by O(1/n).
    """
    at = sp.Symbol("b", positive=True)
    limit = sp.limit(-(n - 1) / 2 * sp.log(1 + at**2 / n), n, sp.oo)
    yield identity("limit of the logarithm", limit, -(at**2) / 2)
    for k in range(1, 6):
        term = sp.prod([-(n - 1) / 2 - j for j in range(k)]) / sp.factorial(k) / n**k
        yield identity(f"term {k} of the series", sp.limit(term, n, sp.oo), (-sp.Rational(1, 2)) ** k / sp.factorial(k))

    def stirling(z: sp.Expr) -> sp.Expr:
        return sp.log(2 * sp.pi) / 2 + (z - sp.Rational(1, 2)) * sp.log(z) - z

    ratio = stirling((n - 1) / 2) - stirling((n - 2) / 2) - sp.log(n / 2) / 2
    u = sp.Symbol("u", positive=True)  # 1/n
    expanded = sp.series(sp.expand_log(sp.simplify(ratio.subs(n, 1 / u)), force=True), u, 0, 2)
    yield identity("log of the ratio of Gamma over sqrt(n/2), by Stirling", expanded.removeO().subs(u, 0), 0)
    fourth = 3 * v**2 / ((v - 2) * (v - 4)) * ((v + 2) / v) ** 2  # E t^4 of Student's t, scaled
    variance = (v + 2) / (v - 2)
    excess = sp.simplify((fourth / variance**2 - 3).subs(v, n - 2))
    yield identity("excess kurtosis", excess, 6 / (n - 6))
    yield identity("its limit", sp.limit(excess, n, sp.oo), 0)
    with mpmath.workdps(30):
        sizes = (100, 10_000, 1_000_000)
        gaps = [max(abs(proxy_density(size, x / 4) - mpmath.npdf(x / 4)) for x in range(33)) * size for size in sizes]
        text = ", ".join(mpmath.nstr(gap, 5) for gap in gaps)
        yield shown("n times the largest difference, n = 1e2, 1e4, 1e6", abs(gaps[2] / gaps[1] - 1) < 1e-3, text)
        d = mpmath.mpf(13)
        moments = [
            mpmath.quad(lambda x, k=k: 2 * x**k * proxy_density(13, x), [0, 1, 10, 100, mpmath.inf]) for k in (2, 4)
        ]
        yield agree("excess kurtosis, n = 13, by quadrature", moments[1] / moments[0] ** 2 - 3, 6 / (d - 6), 8)
    draws = modified(trial, 256, 10_000)
    below = (np.abs(draws) < 1).astype(float)
    heavy = float(2 * proxy_cdf(5, np.array(1.0)) - 1)
    yield average(trial, "P(|B~| < 1), n = 256", below, float(2 * proxy_cdf(256, np.array(1.0)) - 1), against=heavy)


@SECTION.holds(
    "E-FigE.1-2",
    "canonical empirical vs modified theory, several n",
    printed=r"f_B \approx f_{\tilde B}, \quad \text{closer as } n \text{ grows, the tails last}",
    assumes="Gaussian iid batch",
)
def figures(trial: Trial) -> Iterator[Finding]:
    """What the figures show: B, normalised as usual, against the density of B~, at increasing n.

    (i) The difference shrinks, by 4 when n grows by 4; (ii) it grows from the centre to the tails, where
    log f_B~ - log f_B is about b^4/(2n); (iii) what draws can reach of it vanishes. At n = 8 the two are far apart:
    draws of B follow its own law, the Beta law, not that of B~.
    """
    grid = np.linspace(-5, 5, 2001)
    sizes = (8, 32, 128, 512, 2048)
    gaps = [float(np.abs(proxy_cdf(size, grid) - canonical_cdf(size, grid)).max()) for size in sizes]
    text = ", ".join(f"{gap:.2g}" for gap in gaps)
    closer = all(3 < a / c < 6 for a, c in pairwise(gaps))
    yield shown("largest difference of the distribution functions, n = 8, 32, ..., 2048", closer, text)
    u = sp.Symbol("u", positive=True)  # 1/n
    exact = sp.series(sp.log(1 - u * b**2 / (1 - u)) * (1 / u - 4) / 2, u, 0, 2)
    proxy = sp.series(-sp.log(1 + u * b**2) * (1 / u - 1) / 2, u, 0, 2)
    difference = sp.expand((proxy - exact).removeO())
    yield identity("log f_B~ - log f_B up to a constant, order 1/n", difference, u * (b**4 / 2 - b**2))
    with mpmath.workdps(30):
        logs = [mpmath.log(proxy_density(512, x) / _canonical_density(512, x)) for x in (2, 3, 4, 5)]
        text = ", ".join(mpmath.nstr(log, 3) for log in logs)
        yield shown("log ratio at b = 2, 3, 4, 5, n = 512", all(np.diff([float(log) for log in logs]) > 0), text)
        mass = 2 * mpmath.quad(lambda x: _canonical_density(9, x), [0, mpmath.sqrt(8)])
        yield agree("mass of the canonical density, n = 9", mass, 1, 15)
    for size, number in ((8, 100_000), (256, 10_000)):
        below = (canonical(trial, size, number) < 1).astype(float)
        own, other = (float(cdf(size, np.array(1.0))) for cdf in (canonical_cdf, proxy_cdf))
        if size == 8:
            yield average(trial, "P(B < 1), n = 8, told from B~", below, own, against=other)
        else:
            yield average(trial, "P(B < 1), n = 256, against the theory of B~", below, other, against=0.8)


def _canonical_density(size: int, at: Any) -> Any:
    """The density of B, from B^2/(n-1) ~ Beta(1/2, (n-2)/2)."""
    d = mpmath.mpf(size)
    factor = mpmath.gammaprod([(d - 1) / 2], [(d - 2) / 2]) / mpmath.sqrt(mpmath.pi * (d - 1))
    return factor * (1 - mpmath.mpf(at) ** 2 / (d - 1)) ** ((d - 4) / 2)
