r"""Where you place the norm, appendix E.1.2: mini-batches through the network (Eqs. 51-61 and deep networks).

Inputs, Dense, BatchNorm over batches of n, ReLU, ..., Dense. The law of the normalised node B depends on n alone: it
is taken to be that of B~ (Eq. 49, each point normalised by the n - 1 others), which approximates that of the canonical
estimator (each point in its own batch) for n >> 1. From there Y = relu(B~) and

    O_c ~ N(mu_c, sw2 Var Y),  mu_c ~ N(0, sw2 E(Y)^2),

the same behind every layer. Approximations are made precise as: the relative error is at most of order 1/n.
"""

from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown
from igbtheory.simulation.rows import Row

SECTION = Section(
    "Where you place the norm, appendix E.1: BatchNorm in front of ReLU, mini-batches through the network"
)

n = sp.Symbol("n", positive=True, integer=True)
y = sp.Symbol("y", positive=True)
SW2 = sp.Symbol("sigma_w^2", positive=True)
FACTOR = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt(n * sp.pi)
"""Prefactor of the density of B~."""
PRINTED_MEAN = FACTOR * n / (n - 3)
"""E relu(B~), Eq. 57."""
PRINTED_VARIANCE = n / (2 * (n - 4)) - PRINTED_MEAN**2
"""Var relu(B~), Eq. 59."""
SIZES = (64, 256, 1024)
"""Batch sizes at which an error of order 1/n must fall by 4."""


def proxy_density(size: int, at: Any) -> Any:
    """The density of B~ at a number."""
    d = mpmath.mpf(size)
    factor = mpmath.gammaprod([(d - 1) / 2], [(d - 2) / 2]) / mpmath.sqrt(d * mpmath.pi)
    return factor * (1 + mpmath.mpf(at) ** 2 / d) ** (-(d - 1) / 2)


def canonical_density(size: int, at: Any) -> Any:
    """The density of the canonical B, B^2/(n-1) ~ Beta(1/2, (n-2)/2)."""
    d = mpmath.mpf(size)
    factor = mpmath.gammaprod([(d - 1) / 2], [(d - 2) / 2]) / mpmath.sqrt((d - 1) * mpmath.pi)
    return factor * (1 - mpmath.mpf(at) ** 2 / (d - 1)) ** ((d - 4) / 2)


def half_moment(size: int, power: int) -> Any:
    """The integral of b^power times the density of B~ over b > 0; b = sqrt(n) tan u leaves powers of sin and cos."""
    root = mpmath.sqrt(size)

    def integrand(u: Any) -> Any:
        b = root * mpmath.tan(u)
        return b**power * proxy_density(size, b) * root / mpmath.cos(u) ** 2

    return mpmath.quad(integrand, [0, mpmath.pi / 2], method="gauss-legendre")


def at_size(expression: sp.Expr, size: int) -> Any:
    """The number that an expression in n is, at the working precision."""
    return sp.lambdify(n, expression, "mpmath")(mpmath.mpf(size))


def network(depth: int, size: int, law: str) -> igb.Network:
    """The network with batches of n = size, canonical ("exact") or modified ("proxy") estimators, sw2 = 2."""
    hidden = (igb.Dense(2.0), igb.BatchNorm(size, law=law), igb.Activation("relu"))
    return igb.Network(*hidden * depth, igb.Dense(2.0))


def rows(trial: Trial, net: igb.Network, samples: int) -> dict[str, Row]:
    """Simulated moments of 160 networks of the widths 64, 128 and 256, extrapolated to infinite width, by name."""
    s = net.simulate(networks=trial.draws(160), width=64, samples=samples, seed=trial.seed, workers=1)
    return {row.name: row for row in s.compare(workers=1).rows}


def of_order(label: str, errors: list[Any]) -> Finding:
    """Finding that errors at the sizes fall by 4 each time: they are of order 1/n."""
    first, second, third = (float(abs(error)) for error in errors)
    text = f"{first:.3g}, {second:.3g}, {third:.3g} at n = {', '.join(map(str, SIZES))}"
    return shown(f"{label}, order 1/n", abs(first / second - 4) < 0.6 and abs(second / third - 4) < 0.2, text)


@SECTION.holds(
    "E-Eq51-54",
    "propagation of N(mu_i, sigma_i^2) inputs: Z_i = sum_j w_ij X_j, w_ij ~ N(0, sw2/N), "
    "Z_i ~ N(sum_j w_ij mu_j, sum_j (w_ij sigma_j)^2)",
    printed=r"Z_i = \sum_j w_{ij} X_j \sim \mathcal N\left(\sum_j w_{ij}\mu_j, \sum_j (w_{ij}\sigma_j)^2\right)",
    assumes="independent inputs (Eq. 52 prints X_i for X_j; Eq. 21 prints the same layer rightly)",
)
def propagation(trial: Trial) -> Iterator[Finding]:
    """The logarithms of the generating functions of independent w_j X_j add.

    BatchNorm then takes mean and variance of Z away: the same law of B at any inputs. Simulated with mu_j = j/N and
    sigma_j = 1 + j/N: mean and variance of Z given one row of weights, then the variance of B~, n/(n-4) at n = 12.
    """
    t = sp.Symbol("t", real=True)
    w, mu, sigma = (sp.symbols(f"{name}1:4", real=True) for name in ("w", "mu", "sigma"))
    log = sum(mj * (t * wj) + sj**2 * (t * wj) ** 2 / 2 for wj, mj, sj in zip(w, mu, sigma, strict=True))
    mean = sum(a * b for a, b in zip(w, mu, strict=True))
    variance = sum((a * b) ** 2 for a, b in zip(w, sigma, strict=True))
    yield identity("log of the generating function of Z", log, t * mean + t**2 * variance / 2)
    rng, width = trial.rng, 20
    place = np.arange(width) / width
    weights = rng.normal(0, np.sqrt(2 / width), width)
    x = place + (1 + place) * rng.standard_normal((trial.draws(48_000), width))
    z = x @ weights
    centre, spread = float(weights @ place), float(weights**2 @ (1 + place) ** 2)
    error = float(np.sqrt(spread / len(z)))
    yield measured(trial, "mean of Z", float(z.mean()), error, centre, against=centre + 0.2)
    deviations = (z - centre) ** 2
    error = float(deviations.std() / np.sqrt(len(z)))
    yield measured(trial, "variance of Z", float(deviations.mean()), error, spread, against=spread * 1.2)
    batches = z.reshape(-1, 12)
    sums = batches.sum(axis=1, keepdims=True)
    others = (sums - batches) / 11
    squares = (np.square(batches).sum(axis=1, keepdims=True) - batches**2) / 11 - others**2
    second = ((batches - others) ** 2 / squares).mean(axis=1)  # one independent value a batch
    error = float(second.std(ddof=1) / np.sqrt(len(second)))
    yield measured(trial, "Var B~, n = 12", float(second.mean()), error, 12 / 8, against=1.0)


@SECTION.holds(
    "E-Eq55",
    "f_B ~ f_B~ for n>>1",
    printed=r"f_B(b) \approx f_{\tilde B}(b)",
    assumes="n >> 1: at fixed b the relative error is of order 1/n",
)
def proxy_for_the_canonical() -> Iterator[Finding]:
    """Near b the ratio is 1 + (b^4/2 - b^2 + const)/n: the two agree on any interval that does not grow with n.

    Not so beyond b = sqrt(n-1), where the canonical B cannot be at all, nor in relative terms for b of order n^(1/4).
    """
    u = sp.Symbol("u", positive=True)  # 1/n
    b = sp.Symbol("b", real=True)
    canonical = sp.log(1 - u * b**2 / (1 - u)) * (1 / u - 4) / 2 - sp.log(1 - u) / 2  # factor sqrt(n/(n-1))
    proxy = -sp.log(1 + u * b**2) * (1 / u - 1) / 2
    difference = sp.expand(sp.series(proxy - canonical, u, 0, 2).removeO())
    yield identity("log f_B~ - log f_B, first order in 1/n", difference, u * (b**4 / 2 - b**2 - sp.Rational(1, 2)))
    with mpmath.workdps(30):
        for at in (0, 1, 3):
            gaps = [proxy_density(size, at) / canonical_density(size, at) - 1 for size in (10**4, 10**6)]
            expected = mpmath.mpf(at) ** 4 / 2 - at**2 - mpmath.mpf(1) / 2
            yield agree(f"n (f_B~/f_B - 1) at b = {at}, n = 1e6", gaps[1] * 10**6, expected, 4)
        grid = [mpmath.mpf(k) / 8 for k in range(41)]
        errors = [max(abs(proxy_density(size, at) - canonical_density(size, at)) for at in grid) for size in SIZES]
        yield of_order("largest difference on [-5, 5]", errors)


@SECTION.holds(
    "E-Eq56",
    "ReLU law 1/2 delta + Theta f_B~",
    printed=r"f_Y(y) = \tfrac12 \delta(y) + \Theta(y) f_{\tilde B}(y)",
    assumes="B is B~",
)
def rectified_law() -> Iterator[Finding]:
    """Y = 0 where B~ <= 0, which has the probability 1/2 as the density is even; Y = B~ elsewhere.

    The mass on y > 0 is 1/2 by quadrature and by Eq. 48's neighbour, a Beta integral: with x = y^2/n it is
    FACTOR sqrt(n)/2 int x^(-1/2) (1+x)^(-(n-1)/2) dx = FACTOR sqrt(n)/2 Gamma(1/2) Gamma((n-2)/2)/Gamma((n-1)/2).
    """
    beta = sp.gamma(sp.Rational(1, 2)) * sp.gamma((n - 2) / 2) / sp.gamma((n - 1) / 2)
    yield identity("mass on y > 0", FACTOR * sp.sqrt(n) / 2 * beta, sp.Rational(1, 2))
    for size in (4, 5, 8):
        mass = sp.integrate((1 + y**2 / size) ** sp.Rational(1 - size, 2), (y, 0, sp.oo)) * FACTOR.subs(n, size)
        yield identity(f"the same, n = {size}, integrated", sp.simplify(mass), sp.Rational(1, 2))
    with mpmath.workdps(30):
        for size in (3, 8, 33):
            yield agree(f"by quadrature, n = {size}", half_moment(size, 0), mpmath.mpf(1) / 2, 12)


@SECTION.holds(
    "E-Eq57",
    "E Y = (n pi)^(-1/2) Gamma((n-1)/2)/Gamma((n-2)/2) n/(n-3)",
    printed=r"\mathbb E Y = \frac{1}{\sqrt{n\pi}} \frac{\Gamma(\frac{n-1}{2})}{\Gamma(\frac{n-2}{2})} \frac{n}{n-3}",
    assumes="B is B~, n > 3",
)
def mean_of_an_activation(trial: Trial) -> Iterator[Finding]:
    """The integrand y (1 + y^2/n)^(-(n-1)/2) is the derivative of n/(3-n) (1 + y^2/n)^(-(n-3)/2).

    That vanishes at infinity. As n grows the mean tends to 1/sqrt(2 pi), that of the full batch.
    """
    antiderivative = n / (3 - n) * (1 + y**2 / n) ** (-(n - 3) / 2)
    derivative = sp.diff(antiderivative, y) / (y * (1 + y**2 / n) ** (-(n - 1) / 2))
    yield identity("derivative of the antiderivative", sp.simplify(derivative), 1)
    yield identity("its value at 0", -antiderivative.subs(y, 0), n / (n - 3))
    with mpmath.workdps(30):
        for size in (5, 8, 33):
            yield agree(f"by quadrature, n = {size}", half_moment(size, 1), at_size(PRINTED_MEAN, size), 12)
        p = network(1, 12, "proxy").predict()
        yield agree("predicted, n = 12", mpmath.sqrt(p.var_mu / 2), at_size(PRINTED_MEAN, 12), 11)
        limit = at_size(PRINTED_MEAN, 10**8)
        yield agree("n = 1e8 and the full batch", limit, 1 / mpmath.sqrt(2 * mpmath.pi), 7)
    row = rows(trial, network(1, 12, "proxy"), 240)["var_mu[1]"]
    canonical = float(network(1, 12, "exact").predict().var_mu)
    expected = 2 * float(at_size(PRINTED_MEAN, 12)) ** 2
    yield measured(trial, "sw2 E(Y)^2, n = 12", row.value, row.error, expected, against=canonical)


@SECTION.holds(
    "E-Eq58",
    "E Y^2 = Var(B)/2 ~ Var(B~)/2",
    printed=r"\mathbb E Y^2 = \tfrac12 \mathrm{Var}(B) \approx \tfrac12 \mathrm{Var}(\tilde B)",
    assumes="n >> 1 for the second step, whose relative error is 4/(n-4)",
)
def mean_square_of_an_activation() -> Iterator[Finding]:
    """Y^2 is B^2 on half of a law that is even and has the mean 0; the step to B~ replaces 1 by n/(n-4).

    A canonical B has Var B = 1 exactly, since its batch has the mean square 1.
    """
    yield identity("relative error of the second step", n / (n - 4) - 1, 4 / (n - 4))
    yield identity("its limit", sp.limit(4 / (n - 4), n, sp.oo), 0)
    with mpmath.workdps(30):
        for size in (7, 12, 33):
            right = mpmath.mpf(size) / (2 * (size - 4))
            yield agree(f"E Y^2 of B~ by quadrature, n = {size}", half_moment(size, 2), right, 12)
        for size in (5, 12):
            found = mpmath.quad(
                lambda u, size=size: 2 * u * u**4 * canonical_density(size, u * u), [0, mpmath.mpf(size - 1) ** 0.25]
            )
            yield agree(f"E Y^2 of B by quadrature, n = {size}", found, mpmath.mpf(1) / 2, 8)
        for law, value in (("exact", mpmath.mpf(1) / 2), ("proxy", mpmath.mpf(12) / 16)):
            p = network(1, 12, law).predict()
            yield agree(f"predicted, n = 12, {law}", (p.var_mu + p.var_chi) / 2, value, 11)


@SECTION.holds(
    "E-Eq59",
    "Var(Y) ~ n/(2(n-4)) - (E Y)^2",
    printed=r"\mathrm{Var}(Y) \approx \frac{n}{2(n-4)} - (\mathbb E Y)^2",
    assumes="n > 4: exact where B is B~; n >> 1 for the canonical B, relative error of order 1/n",
)
def variance_of_an_activation(trial: Trial) -> Iterator[Finding]:
    """E Y^2 - (E Y)^2 with Eqs. 57 and 58. In the limit (1 - 1/pi)/2, that of the full batch.

    For the canonical estimator it is 1/2 - E|B|^2/4; at n = 12 the formula is 58 % above that, at n = 1024 0.4 %.
    """
    with mpmath.workdps(30):
        for size in (7, 12, 33):
            found = half_moment(size, 2) - half_moment(size, 1) ** 2
            yield agree(f"by quadrature, n = {size}", found, at_size(PRINTED_VARIANCE, size), 12)
        limit = at_size(PRINTED_VARIANCE, 10**8)
        yield agree("n = 1e8 and the full batch", limit, (1 - 1 / mpmath.pi) / 2, 6)
        p = network(1, 12, "proxy").predict()
        yield agree("predicted, n = 12", p.var_chi / 2, at_size(PRINTED_VARIANCE, 12), 11)
        canonical = [network(1, size, "exact").predict(digits=20).var_chi / 2 for size in SIZES]
        errors = [at_size(PRINTED_VARIANCE, size) / own - 1 for size, own in zip(SIZES, canonical, strict=True)]
        yield of_order("relative error for the canonical estimator", errors)
    row = rows(trial, network(1, 12, "proxy"), 240)["var_chi[1]"]
    expected = 2 * float(at_size(PRINTED_VARIANCE, 12))
    other = float(network(1, 12, "exact").predict().var_chi)
    yield measured(trial, "sw2 Var Y, n = 12", row.value, row.error, expected, against=other)


@SECTION.holds(
    "E-Eq60-61",
    "O_c ~ N(mu_c, sw2 Var Y), mu_c ~ N(0, sw2 E(Y)^2)",
    printed=r"O_c \sim \mathcal N(\mu_c, \sigma_w^2 \mathrm{Var} Y), \quad "
    r"\mu_c \sim \mathcal N(0, \sigma_w^2 (\mathbb E Y)^2)",
    assumes="one hidden layer, B is B~ (n >> 1 for the canonical estimator), N, D -> infinity",
)
def output_law(trial: Trial) -> Iterator[Finding]:
    """The argument of the full batch (E-ThmE.1) with the mean and variance of Y = relu(B~) put in.

    mu_c = E(Y) sum w is N(0, sw2 E(Y)^2); the cumulants of O_c of order r are kappa_r(Y) sum w^r. B~ has moments below
    the order n - 2 only, so n > 6 for the fourth; O_c is Gaussian by the central limit theorem from n > 4 on.
    Different outputs are independent given the activations, so G0 = Phi(sqrt(gamma) U), gamma = E(Y)^2/Var(Y).
    """
    big = sp.Symbol("N", positive=True, integer=True)
    k4, v = sp.symbols("kappa_4 v", positive=True)
    excess = big * 3 * (SW2 / big) ** 2 * k4 / (SW2 * v) ** 2
    yield identity("excess kurtosis of O_c, width -> infinity", sp.limit(excess, big, sp.oo), 0)
    with mpmath.workdps(30):
        for size in (8, 100):
            p = network(1, size, "proxy").predict()
            yield agree(f"var_mu predicted, n = {size}", p.var_mu, 2 * at_size(PRINTED_MEAN, size) ** 2, 11)
            yield agree(f"var_chi predicted, n = {size}", p.var_chi, 2 * at_size(PRINTED_VARIANCE, size), 11)
        exact = [network(1, size, "exact").predict(digits=20).gamma for size in SIZES]
        ratio = PRINTED_MEAN**2 / PRINTED_VARIANCE
        errors = [at_size(ratio, size) / own - 1 for size, own in zip(SIZES, exact, strict=True)]
        yield of_order("relative error of gamma for the canonical estimator", errors)
    net = network(1, 12, "proxy")
    s = net.simulate(networks=trial.draws(200), width=64, samples=240, seed=trial.seed, workers=1)
    comparison = s.compare(workers=1)
    canonical = network(1, 12, "exact").predict()
    for row in comparison.rows:
        if row.name in ("var_mu[1]", "var_chi[1]"):
            printed = PRINTED_MEAN**2 if row.name == "var_mu[1]" else PRINTED_VARIANCE
            other = float(getattr(canonical, row.name[:-3]))
            expected = 2 * float(at_size(printed, 12))
            yield measured(trial, f"{row.name}, n = 12", row.value, row.error, expected, against=other)
    pvalue = comparison.ks_widest.pvalue
    yield shown("law of G0, Kolmogorov-Smirnov", pvalue > trial.level, f"p >= {pvalue:.3g} at width 256")


@SECTION.holds(
    "E-deep-mini",
    "same law at every depth for mini-batches",
    printed=r"f_{B^{(l)}} = f_{B^{(1)}}, \quad l = 1, 2, \dots",
    assumes="Gaussian iid inputs, N -> infinity at fixed depth",
)
def every_depth(trial: Trial) -> Iterator[Finding]:
    """Behind the first layer, data of a batch are no longer independent: their B sum to zero (canonical).

    They are exchangeable, and that is enough: Gaussian values of common variance q and covariance r within a batch have
    Z_b - Z_c of the same law as independent ones of variance q - r, and B (as B~) is a function of such differences,
    unchanged by a factor. So the law of B depends on n alone at every depth, for both estimators.
    """
    q, r, m = sp.symbols("q r m", positive=True)
    size = 5
    covariance = (q - r) * sp.eye(size) + r * sp.ones(size)
    centre = sp.eye(size) - sp.ones(size) / size
    yield identity("centred covariance, n = 5", (centre * covariance * centre - (q - r) * centre).norm(), 0)
    others = sp.Matrix([[1] + [-sp.Rational(1, size - 1)] * (size - 1)])  # Z_a - mu~
    yield identity("Var(Z_a - mu~), n = 5", (others * covariance * others.T)[0], (q - r) * size / sp.Integer(size - 1))
    yield identity("B does not see mean or scale", (m * q + r - r) / (m * q), 1)
    for law in ("exact", "proxy"):
        p = network(20, 12, law).predict().per_layer
        for layer in (2, 20):
            yield agree(f"gamma after layer {layer} and 1, {law}", p.gamma[layer], p.gamma[1], 11)
    p = network(20, 12, "proxy").predict().per_layer
    yield agree("var_mu after layer 20, Eq. 61", p.var_mu[20], 2 * at_size(PRINTED_MEAN, 12) ** 2, 11)
    yield agree("var_chi after layer 20, Eq. 60", p.var_chi[20], 2 * at_size(PRINTED_VARIANCE, 12), 11)
    for law in ("exact", "proxy"):
        found = rows(trial, network(3, 12, law), 240)
        theory = network(1, 12, law).predict()
        other = network(1, 12, {"exact": "proxy", "proxy": "exact"}[law]).predict()
        for name in ("var_mu", "var_chi"):
            row = found[f"{name}[3]"]
            expected, against = float(getattr(theory, name)), float(getattr(other, name))
            yield measured(trial, f"{name} after layer 3, {law}", row.value, row.error, expected, against=against)
