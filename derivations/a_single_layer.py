"""Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias.

With one hidden layer, centred Gaussian data and many units every pre-activation is h ~ N(0, q), q = sigma_w^2. Let
rho(h) be what the output layer reads (an activation, or the maximum of one over a group), with <rho> = m_1 and
<rho^2> = m_2. Then mu = sum_j w_j <rho_j> and

    Var_W(mu) = sigma_w^2 m_1^2,   Var_chi(O) = sigma_w^2 (m_2 - m_1^2),   gamma = m_1^2/(m_2 - m_1^2),

and f_0 = Phi(sqrt(gamma) U). With y = Phi^-1(f_0) the density of f_0 is p = exp(y^2 (1 - 1/gamma)/2)/sqrt(gamma): one
peak at 1/2 for gamma < 1, uniform at gamma = 1, two peaks at 0 and 1 for gamma > 1.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias")

Array = NDArray[np.float64]
x, y = sp.symbols("x y", real=True)
g, s, u = sp.symbols("gamma s u", positive=True)
RELU_GAMMA = 1 / (np.pi - 1)
RELU_VARIANCE = np.arcsin(1 / np.pi) / (2 * np.pi)


def _density(point: Any) -> Any:
    """phi, the standard Gaussian density."""
    return sp.exp(-(point**2) / 2) / sp.sqrt(2 * sp.pi)


def _cdf(point: Any) -> Any:
    """Phi."""
    return (1 + sp.erf(point / sp.sqrt(2))) / 2


def _law() -> Any:
    """Logarithm of the density of f_0 as a function of y = Phi^-1(f_0), by the change of variables from U."""
    return sp.log(_density(y / sp.sqrt(g)) / sp.sqrt(g) / _density(y))


def _gauss(of: Callable[[Any], Any], q: Any, power: int) -> Any:
    """E of(h)^power, h ~ N(0, q), by quadrature; kinks at 0 only."""
    root = mp.sqrt(q)
    return mp.quad(lambda z: mp.npdf(z) * of(root * z) ** power, [-14, -7, -3, -1, 0, 1, 3, 7, 14])


def _fractions(rng: np.random.Generator, networks: int, width: int, samples: int, pool: int = 1) -> Array:
    """f_0 of ReLU networks with one hidden layer, for eight pairs of outputs each, (networks, 8).

    pool: units of one maximum (the output reads `width` of them); 0: no activation at all.
    """
    found = []
    for count in [min(250, networks - i) for i in range(0, networks, 250)]:
        data = rng.standard_normal((count, samples, width), dtype=np.float32)
        hidden = data @ rng.standard_normal((count, width, width * max(pool, 1)), dtype=np.float32)
        if pool:
            hidden = np.maximum(hidden, 0).reshape(count, samples, width, pool).max(axis=-1)
        difference = hidden @ rng.standard_normal((count, width, 8), dtype=np.float32)
        found.append((difference > 0).mean(axis=1))
    return np.concatenate(found).astype(np.float64)


def _average(numbers: Array) -> tuple[float, float]:
    """Mean and its standard error, one number a network."""
    means = numbers.reshape(len(numbers), -1).mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def _line(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Value at infinite width of a straight line in 1/width through the values at N and 2N, and its error."""
    (first, e1), (second, e2) = values
    return 2 * second - first, float(np.hypot(2 * e2, e1))


def _finite_variance(gamma: float, samples: int) -> float:
    """Variance of f_0 with D data: that of Phi(sqrt(gamma) U), and the average p (1 - p)/D of the coins."""
    variance = float(np.arcsin(gamma / (1 + gamma)) / (2 * np.pi))
    return variance + (0.25 - variance) / samples


def _kolmogorov_smirnov(trial: Trial, label: str, comparison: Any) -> Finding:
    """Finding that the law of f_0, extrapolated to infinite width, passes the test of Kolmogorov and Smirnov."""
    test = comparison.ks
    detail = f"distance {test.statistic:.4f} at an effective size of {test.effective:.0f}: p >= {test.pvalue:.3g}"
    return Finding("simulation", label, "fails" if test.pvalue < trial.level else "holds", detail)


@SECTION.holds(
    "A-Lin",
    "Linear, one layer: the law of f_0 over the networks goes to a point mass at 1/2 for infinitely many data",
    printed=r"P_W(f_0) \to \delta(f_0 - 1/2)",
    assumes="two classes, or infinite width",
)
def linear_network_is_neutral(trial: Trial) -> Iterator[Finding]:
    """Delta_O = a . xi is, at every width and every W, N(0, |a|^2): f_0 = 1/2, and D data are D fair coins.

    So the variance of f_0 is 1/(4 D) exactly, also in small networks.
    """
    half = sp.integrate(_density(x / s) / s, (x, 0, sp.oo))
    yield identity("P(Delta_O > 0)", half, sp.Rational(1, 2))
    yield agree("gamma of the linear network", igb.mlp(1, "linear").predict().gamma, 0.0)
    for samples in (50, 400):
        fractions = _fractions(trial.rng, trial.draws(1500), 10, samples, pool=0)
        value, error = _average(4 * samples * (fractions - 0.5) ** 2)
        against = 4 * samples * _finite_variance(RELU_GAMMA, samples)
        yield measured(trial, f"4 D Var(f_0), {samples} data, 10 units", value, error, 1.0, against)


@SECTION.holds(
    "A-ReLU",
    "ReLU, one layer: the law of f_0 stays wide for infinitely many data, with its mode at 1/2",
    printed=r"p(f_0) = \sqrt{\pi - 1}\, e^{-(\pi - 2) y^2 / 2}, \quad y = \Phi^{-1}(f_0)",
    assumes="width and number of data to infinity",
)
def relu_is_wide(trial: Trial) -> Iterator[Finding]:
    """m_1 = sqrt(q/(2 pi)), m_2 = q/2: gamma = 1/(pi - 1) < 1 for every sigma_w^2, and Var(f_0) = 0.0515."""
    q = sp.Symbol("q", positive=True)
    m_1 = sp.integrate(sp.sqrt(q) * x * _density(x), (x, 0, sp.oo))
    m_2 = sp.integrate(q * x**2 * _density(x), (x, 0, sp.oo))
    yield identity("gamma", m_1**2 / (m_2 - m_1**2), 1 / (sp.pi - 1))
    exponent = y**2 * (1 - 1 / g) / 2 - sp.log(g) / 2
    yield identity("logarithm of the density of f_0", sp.expand_log(_law(), force=True), exponent)
    slope = sp.diff(exponent, y).subs(g, 1 / (sp.pi - 1))
    yield identity("it falls on both sides of y = 0, f_0 = 1/2", slope, -(sp.pi - 2) * y)
    with mp.workdps(30):
        root = 1 / mp.sqrt(mp.pi - 1)
        variance = mp.quad(lambda z: mp.npdf(z) * (mp.ncdf(root * z) - 0.5) ** 2, [-14, -7, -3, 0, 3, 7, 14])
        yield agree("variance of f_0", variance, mp.asin(1 / mp.pi) / (2 * mp.pi), 20)
        yield agree("the density of the package at 0.9", *_densities(0.9), 10)
    values = [_average((_fractions(trial.rng, trial.draws(2000), n, 300) - 0.5) ** 2) for n in (20, 40)]
    value, error = _line(values)
    expected = _finite_variance(RELU_GAMMA, 300)
    yield measured(trial, "Var(f_0) with 300 data, width to infinity", value, error, expected, against=1 / 1200)


def _densities(share: float) -> tuple[Any, Any]:
    y_ = mp.sqrt(2) * mp.erfinv(2 * mp.mpf(share) - 1)
    return igb.mlp(1).predict().G0.pdf(share), mp.sqrt(mp.pi - 1) * mp.exp(-(mp.pi - 2) * y_**2 / 2)


@SECTION.holds(
    "A-ReLU-whp",
    "ReLU, one layer: f_0 is with high probability away from 1/2",
    printed=r"P(|f_0 - 1/2| > K / \sqrt{D}) \to 1 \quad \forall K",
    assumes="read as: farther from 1/2 than by any multiple of the fluctuation 1/(2 sqrt(D)) of fair coins",
)
def relu_is_away_from_a_half(trial: Trial) -> Iterator[Finding]:
    """With high probability is a statement of a limit. Here D -> infinity, and away is in units of 1/sqrt(D).

    The density of f_0 is at most its value 1/sqrt(gamma) at 1/2, so P(|f_0 - 1/2| <= e) <= 2 e/sqrt(gamma) -> 0.
    At a fixed distance it does not hold: f_0 is within 0.1 of 1/2 with probability 0.29, as 1/2 is the mode.
    """
    e = sp.Symbol("e", positive=True)
    largest = sp.exp(_law().subs(y, 0))
    yield identity("the largest density of f_0, at 1/2", largest, 1 / sp.sqrt(g))
    yield identity("P(|f_0 - 1/2| <= e) <= 2 e/sqrt(gamma) -> 0", sp.limit(2 * e * largest, e, 0), 0)
    with mp.workdps(30):
        root = mp.sqrt(mp.pi - 1)
        exact = mp.erf(mp.erfinv(mp.mpf("0.2")) * root)
        density = mp.quad(lambda f: root * mp.exp(-(mp.pi - 2) * mp.erfinv(2 * f - 1) ** 2), [0.4, 0.5, 0.6])
        yield agree("P(|f_0 - 1/2| <= 0.1)", density, exact, 15)
    chances = []
    for samples in (10**2, 10**4, 10**6):
        width = 3 / (2 * np.sqrt(samples))
        law = igb.mlp(1).predict().G0
        chances.append(float(law.cdf(0.5 + width) - law.cdf(0.5 - width)))
    text = ", ".join(f"{chance:.2g}" for chance in chances)
    yield shown("within three standard deviations of fair coins, D = 1e2, 1e4, 1e6", chances[-1] < 0.005, text)
    found = [_fractions(trial.rng, trial.draws(800), n, 900) for n in (20, 40)]
    value, error = _line([_average((np.abs(f - 0.5) > 0.0501).astype(float)) for f in found])
    finite = igb.mlp(1).predict().G0.finite(900)
    expected = float(finite.cdf(404) + 1 - finite.cdf(495))
    label = "900 data: share of networks beyond three standard deviations of fair coins"
    yield measured(trial, label, value, error, expected, against=0.0027)


SECTION.undecided(
    "A-Eq7",
    "The pooling layer takes the maximum of ReLU over disjoint groups of m nodes",
    "a definition",
    printed=r"\rho^{(m)}_l = \max_{j \in S_l^m} \max(0, g_j)",
)


@SECTION.holds(
    "A-MaxPool-U",
    "ReLU + MaxPool, one layer: the law of f_0 is peaked at the extremes",
    printed=r"\gamma(m) > 1 \quad \forall m \ge 2",
    assumes="groups of m >= 2 nodes; width and number of data to infinity",
)
def pooled_relu_peaks_at_the_extremes(trial: Trial) -> Iterator[Finding]:
    """The maximum M of m pre-activations and 0 has the distribution Phi(t)^m, t >= 0.

    m = 2: E M = phi(0) + 1/(2 sqrt(pi)), E M^2 = 3/4 + 1/(2 pi), so gamma = 1.0415: just above 1. It grows with m.
    """
    mass = 2 * _density(x) * _cdf(x)
    first = _cdf(sp.sqrt(2) * x) / sp.sqrt(sp.pi) - mass
    second = _cdf(x) ** 2 - _density(x) ** 2 - x * mass
    yield identity("primitive of x p(x), m = 2", sp.diff(first, x), x * mass)
    yield identity("primitive of x^2 p(x), m = 2", sp.diff(second, x), x**2 * mass)
    m_1, m_2 = (sp.limit(of.subs(x, u), u, sp.oo) - of.subs(x, 0) for of in (first, second))
    yield identity("E M, m = 2", m_1, 1 / sp.sqrt(2 * sp.pi) + 1 / (2 * sp.sqrt(sp.pi)))
    yield identity("E M^2, m = 2", m_2, sp.Rational(3, 4) + 1 / (2 * sp.pi))
    gamma = m_1**2 / (m_2 - m_1**2)
    exact = sp.N(gamma, 25)
    yield shown("gamma > 1, m = 2", exact > 1, f"gamma = {exact}")
    with mp.workdps(30):
        yield agree("gamma of the package, m = 2", igb.mlp(1, pool=2).predict(digits=25).gamma, mp.mpf(str(exact)), 20)
    yield identity("at gamma > 1 the density grows towards 0 and 1", sp.diff(_law(), y), y * (1 - 1 / g))
    gammas = [_pooled(m) for m in (2, 3, 4, 8, 32)]
    text = ", ".join(mp.nstr(value, 8) for value in gammas)
    rising = all(low < high for low, high in pairwise(gammas))
    yield shown("gamma for m = 2, 3, 4, 8, 32 by quadrature: above 1, growing", rising and gammas[0] > 1, text)
    yield agree("gamma of the package, m = 8", igb.mlp(1, pool=8).predict().gamma, gammas[3], 11)
    expected = igb.mlp(1, pool=4).predict().G0
    values = [
        _average(((f < 0.0999) | (f > 0.9001)).astype(float))
        for f in (_fractions(trial.rng, trial.draws(1200), n, 150, pool=4) for n in (12, 24))
    ]
    value, error = _line(values)
    law = expected.finite(150)
    share = float(law.cdf(14) + 1 - law.cdf(135))
    yield measured(trial, "m = 4: share of networks below 0.1 or above 0.9", value, error, share, against=0.2)


def _pooled(m: int) -> Any:
    """Gamma of one layer of ReLU and MaxPool(m) by quadrature."""
    ends = [0, 1, 2, 3, 4, 6, 9]
    mean, square = (mp.quad(lambda t, k=k: t**k * m * mp.npdf(t) * mp.ncdf(t) ** (m - 1), ends) for k in (1, 2))
    return mean**2 / (square - mean**2)


@SECTION.holds(
    "A-f0mean",
    "The mean over the networks of f_0 is 1/2 for Linear, ReLU and ReLU + MaxPool",
    printed=r"\overline{f_0(W)} = 1/2",
    assumes="no ties between the outputs",
)
def mean_of_the_fraction(trial: Trial) -> Iterator[Finding]:
    """Exchanging the weights of the two outputs turns f_0 into 1 - f_0 and changes no probability: at every width."""
    odd = _density(u) * (_cdf(sp.sqrt(g) * u) + _cdf(-sp.sqrt(g) * u))
    yield identity("Phi(sqrt(gamma) U) at U and -U", sp.integrate(sp.simplify(odd), (u, 0, sp.oo)), sp.Rational(1, 2))
    for name, pool in (("linear", 0), ("ReLU", 1), ("ReLU + MaxPool(4)", 4)):
        value, error = _average(_fractions(trial.rng, trial.draws(1500), 20, 100, pool=pool))
        yield measured(trial, f"{name}: mean of f_0", value, error, 0.5, against=0.55)


@SECTION.holds(
    "A-selfav",
    "Where there is IGB, f_0 is not self-averaging: in a single network it differs from its mean over the networks, "
    "however many data and nodes there are",
    printed=r"\mathrm{Var}_W(f_0) = \frac{1}{2 \pi} \arcsin \frac{\gamma}{1 + \gamma}",
    assumes="gamma > 0",
)
def fraction_is_not_self_averaging(trial: Trial) -> Iterator[Finding]:
    """Var(f_0) is 0 at gamma = 0; its slope in gamma, by Stein's lemma E U h(U) = E h'(U), is that of the arcsine.

    d/dgamma E Phi(sqrt(gamma) U)^2 = A/sqrt(gamma) with A = E U Phi phi at sqrt(gamma) U, and the lemma gives
    A = sqrt(gamma) E phi^2 - gamma A. So the slope is E phi^2/(1 + gamma), where E phi(sqrt(gamma) U)^2 is
    1/(2 pi sqrt(1 + 2 gamma)).
    """
    squares = sp.integrate(
        sp.powsimp(sp.expand(_density(x) * _density(sp.sqrt(g) * x) ** 2)), (x, -sp.oo, sp.oo), conds="none"
    )
    yield identity("E phi(sqrt(gamma) U)^2", squares, 1 / (2 * sp.pi * sp.sqrt(1 + 2 * g)))
    h = _cdf(sp.sqrt(g) * x) * _density(sp.sqrt(g) * x)
    stein = sp.sqrt(g) * _density(sp.sqrt(g) * x) ** 2 - g * x * h
    yield identity("h' in Stein's lemma", sp.diff(h, x), stein)
    variance = sp.asin(g / (1 + g)) / (2 * sp.pi)
    yield identity("slope of the variance", sp.diff(variance, g), 1 / (2 * sp.pi * sp.sqrt(1 + 2 * g)) / (1 + g))
    yield identity("variance without IGB", variance.subs(g, 0), 0)
    yield identity("variance at gamma -> infinity", sp.limit(variance, g, sp.oo), sp.Rational(1, 4))
    for samples in (200, 800):
        values = [_average((_fractions(trial.rng, trial.draws(600), n, samples) - 0.5) ** 2) for n in (20, 40)]
        value, error = _line(values)
        expected = _finite_variance(RELU_GAMMA, samples)
        label = f"ReLU, {samples} data: variance of f_0, width to infinity"
        yield measured(trial, label, value, error, expected, against=1 / (4 * samples))


@SECTION.holds(
    "A-fn5",
    "Linear: for infinitely many data f_0(W) is its mean over the networks, 1/2",
    printed=r"\lim_{D \to \infty} f_0(W) = \overline{f_0(W)} = 1/2",
    assumes="two classes",
)
def linear_network_is_self_averaging(trial: Trial) -> Iterator[Finding]:
    """For every W, as in A-Lin: Delta_O = a . xi is odd in xi. Two data sets of one network tell f_0(W) from 1/2.

    The product of the two deviations has the mean (f_0(W) - 1/2)^2, averaged over the networks: 0.
    """
    yield identity("P(a . xi > 0), |a| = s", sp.integrate(_density(x / s) / s, (x, 0, sp.oo)), sp.Rational(1, 2))
    products = []
    for _ in range(trial.draws(2000)):
        data = trial.rng.standard_normal((2, 200, 5))
        outputs = data @ trial.rng.standard_normal((5, 5)) @ trial.rng.standard_normal((5, 2))
        deviations = (outputs[..., 0] > outputs[..., 1]).mean(axis=1) - 0.5
        products.append(deviations[0] * deviations[1])
    value, error = _average(np.array(products))
    yield measured(trial, "5 units: mean of (f_0(W) - 1/2)^2", value, error, 0.0, against=RELU_VARIANCE)


@SECTION.holds(
    "A-exact",
    "The theoretical laws of f_0 (figure 4) are asymptotically exact in the size of the network",
    assumes="width and input dimension to infinity, the number of data as simulated",
)
def theory_is_asymptotically_exact(trial: Trial) -> Iterator[Finding]:
    """Networks of the widths N, 2N and 4N, extrapolated to infinite width, against gamma and the law of f_0.

    At a finite width the theory is not exact: Var_W(mu) is 2/pi at every width, yet the law of f_0 still changes,
    because the spread over the data differs from network to network (A-Thm4.1b).
    """
    for name, pool in (("ReLU", 1), ("ReLU + MaxPool(4)", 4)):
        net = igb.mlp(1, "relu", pool=pool if pool > 1 else None)
        drawn = net.simulate(networks=trial.draws(800), width=16, samples=100, seed=trial.seed, workers=1)
        comparison = drawn.compare(workers=1)
        row = next(row for row in comparison.rows if row.name == "gamma[1]")
        near = 0.9 * row.theory
        yield measured(trial, f"{name}: gamma, width to infinity", row.value, row.error, row.theory, against=near)
        values = [_average((_fractions(trial.rng, trial.draws(1500), n, 100, pool) - 0.5) ** 2) for n in (16, 32)]
        value, error = _line(values)
        expected = _finite_variance(row.theory, 100)
        yield measured(trial, f"{name}: Var(f_0), width to infinity", value, error, expected, against=0.7 * expected)
        yield _kolmogorov_smirnov(trial, f"{name}: law of f_0, width to infinity", comparison)


@SECTION.holds(
    "A-Thm5.1 / Eq8-9",
    "One hidden layer: there is no IGB if and only if <rho(g_i)> = 0 for a generic node",
    printed=r"\text{no IGB} \iff \langle \rho^{(m)}(g_i^{(1)}) \rangle = 0",
    assumes="infinite width, centred Gaussian data, zero biases; rho not constant, so that outputs do not tie",
)
def condition_on_the_activation(trial: Trial) -> Iterator[Finding]:
    """Var_W(mu) = sum_j E w_j^2 <rho>^2 = sigma_w^2 m_1^2, Var_chi = sigma_w^2 (m_2 - m_1^2) > 0.

    f_0 = Phi(sqrt(gamma) U) is 1/2 for almost every network if and only if gamma = 0, that is m_1 = 0. Nothing but the
    two moments of rho enters. The condition is about the law of h ~ N(0, sigma_w^2): x^2 - 2 meets it at
    sigma_w^2 = 2 and not elsewhere.
    """
    m_1, m_2 = sp.symbols("m_1 m_2", real=True)
    n, sw2 = sp.symbols("N sigma_w2", positive=True)
    weights = sp.Symbol("w", real=True)
    variance = sp.integrate(
        weights**2 * _density(weights / sp.sqrt(sw2 / n)) / sp.sqrt(sw2 / n), (weights, -sp.oo, sp.oo)
    )
    var_mu, var_chi = n * variance * m_1**2, n * variance * (m_2 - m_1**2)
    yield identity("Var_W(mu)", var_mu, sw2 * m_1**2)
    yield identity("gamma", var_mu / var_chi, m_1**2 / (m_2 - m_1**2))
    yield identity("no IGB if <rho> = 0", (var_mu / var_chi).subs(m_1, 0), 0)
    share = _cdf(m_1 / sp.sqrt(m_2 - m_1**2) * y)
    slope = m_1 / sp.sqrt(m_2 - m_1**2) / sp.sqrt(2 * sp.pi)
    yield identity("IGB if not: the slope of f_0 in U at f_0 = 1/2", sp.diff(share, y).subs(y, 0), slope)
    h = sp.Symbol("h", real=True)
    mean = sp.integrate((h**2 - 2) * _density(h / sp.sqrt(sw2)) / sp.sqrt(sw2), (h, -sp.oo, sp.oo))
    yield identity("<h^2 - 2>", mean, sw2 - 2)
    with mp.workdps(25):
        for name, of in _activations().items():
            first, second = _gauss(of, 2, 1), _gauss(of, 2, 2)
            predicted = igb.mlp(1, name).predict().gamma  # it may be 0, hence 1 + gamma
            yield agree(f"1 + gamma, {name}", 1 + predicted, 1 + first**2 / (second - first**2), 11)
    for name, against in (("x**2-2", 2 / np.pi), ("tanh", 2 / np.pi)):
        drawn = igb.mlp(1, name).simulate(networks=trial.draws(200), width=20, samples=150, seed=trial.seed, workers=1)
        row = next(row for row in drawn.compare(workers=1).rows if row.name == "var_mu[1]")
        yield measured(trial, f"{name}: Var_W(mu), width to infinity", row.value, row.error, 0.0, against)


def _activations() -> dict[str, Callable[[Any], Any]]:
    return {
        "relu": lambda z: max(z, mp.mpf(0)),
        "tanh": mp.tanh,
        "sigmoid": lambda z: 1 / (1 + mp.exp(-z)),
        "gelu": lambda z: z * mp.ncdf(z),
        "elu": lambda z: z if z > 0 else mp.expm1(z),
        "softplus": lambda z: mp.log1p(mp.exp(z)),
        "x**2-2": lambda z: z**2 - 2,
        "sin(x)": mp.sin,
    }


@SECTION.fails(
    "A-act-class",
    "The results apply to any activation: those without IGB align with linear ones, those with IGB qualitatively "
    "resemble ReLU",
    assumes="at any depth, which the text implies; resemble: the mode stays at 1/2, depth takes gamma to infinity",
    counter_example="""
from math import asin, exp, pi, sin, sqrt
def mean(f, q, n=4001, end=10.0):  # E f(h), h ~ N(0, q): the trapezoidal rule is exact to rounding
    step = 2 * end / (n - 1)
    zs = [-end + i * step for i in range(n)]
    return sum(f(sqrt(q) * z) * exp(-z * z / 2) for z in zs) * step / sqrt(2 * pi)
# 1. with IGB, and not like ReLU, whose gamma is 1/(pi - 1) < 1: sigmoid has two peaks, at f_0 = 0 and 1
sigmoid = lambda h: 1 / (1 + exp(-h))
m1, m2 = mean(sigmoid, 2), mean(lambda h: sigmoid(h) ** 2, 2)
assert 1 / (pi - 1) < 1 < m1**2 / (m2 - m1**2)
# 2. without IGB in one layer, and not like linear in two: max(x, 0) - 1/sqrt(pi)
centre = lambda q: sqrt(q / (2 * pi)) - 1 / sqrt(pi)
assert abs(centre(2)) < 1e-15 and abs(centre(2 - 2 / pi)) > 0.09
# 3. with IGB, and depth does not amplify it: phi = sin 3x + 1/2, E sin 3a sin 3b = exp(-9 q_aa) sinh(9 q_ab)
q_aa, q_ab, gammas = 2.0, 0.0, []
for _ in range(30):
    e = exp(-9 * (q_aa - q_ab)) - exp(-9 * (q_aa + q_ab))
    q_aa, q_ab = 2 * (1 / 4 + (1 - exp(-18 * q_aa)) / 2), 2 * (1 / 4 + e / 2)
    gammas.append(q_ab / (q_aa - q_ab))
assert max(gammas) < 0.51
""",
)
def two_classes_of_activations() -> Iterator[Finding]:
    """The condition of theorem 5.1 does sort the activations in one layer. The likeness does not go further.

    Sigmoid has IGB with gamma > 1 in one layer: two peaks at 0 and 1, as the paper finds for max pooling and not for
    ReLU. ReLU - 1/sqrt(pi) has no IGB with one layer and has it with two, where a linear network has none. For
    sin 3x + 1/2 gamma stays bounded, where that of ReLU grows without end.
    """
    sigmoid = float(igb.mlp(1, "sigmoid").predict().gamma)
    yield shown("sigmoid: the mode of f_0 is 1/2, as for ReLU", sigmoid < 1, f"gamma = {sigmoid:.6f}")
    shifted = float(igb.mlp(2, "max(x,0)-1/sqrt(pi)").predict().gamma)
    yield shown("shifted ReLU, two layers: no IGB, as for linear", shifted < 1e-9, f"gamma = {shifted:.6f}")
    bounded = igb.mlp(30, "sin(3*x)+1/2").predict().per_layer.gamma
    text = f"gamma = {bounded[1]:.6f} with one layer, {bounded[30]:.6f} with thirty"
    yield shown("sin 3x + 1/2: gamma grows with depth, as for ReLU", bounded[30] > 2 * bounded[1], text)


@SECTION.corrects(
    "A-act-class",
    "In one layer activations without IGB give f_0 = 1/2 as linear ones do; those with IGB give the law of "
    "Phi(sqrt(gamma) U), with one peak at 1/2 if gamma < 1 (ReLU) and two at 0 and 1 if gamma > 1 (sigmoid); deeper, "
    "gamma may go to infinity, to a limit or to 0",
    assumes="infinite width",
)
def classes_of_activations() -> Iterator[Finding]:
    """One layer: gamma is all that the law of f_0 depends on. Depth: gamma_l for the map q, c -> q', c'.

    ReLU: to infinity. sin 3x + 1/2: to a limit. erf on inputs off centre, sigma_w^2 = 2: to 0, since its correlation
    c' = arcsin(2 q c/(1 + 2 q))/arcsin(2 q/(1 + 2 q)) has the slope 2 q/((1 + 2 q) arcsin(2 q/(1 + 2 q))) < 1 at 0.
    """
    yield identity("logarithmic slope of the density", sp.diff(_law(), y), y * (1 - 1 / g))
    t = sp.Symbol("t", positive=True)
    yield identity("erf: slope of c' at c = 0", sp.diff(sp.asin(t * x) / sp.asin(t), x).subs(x, 0), t / sp.asin(t))
    relu = igb.mlp(300, "relu").predict().per_layer.gamma
    yield shown("ReLU, 300 layers", relu[300] > 2000, f"gamma = {relu[300]:.6g}")
    bounded = igb.mlp(60, "sin(3*x)+1/2").predict().per_layer.gamma
    # far from c = 1 the two sines decorrelate: q_ab = 1/2, q_aa = 3/2 up to exp(-9)
    yield shown("sin 3x + 1/2, 30 and 60 layers", abs(bounded[60] - bounded[30]) < 1e-9, f"gamma = {bounded[60]:.9f}")
    erf = igb.mlp(300, "erf").predict(igb.GaussianInputs(shift=1.0)).per_layer.gamma
    yield shown("erf off centre, 300 layers", 0 < erf[300] < 1e-4, f"gamma = {erf[300]:.3g}, from {erf[0]:g}")


@SECTION.holds(
    "A-anti",
    "Antisymmetric activations show no IGB for centred data",
    printed=r"\phi(-x) = -\phi(x) \Rightarrow \lim_{D \to \infty} f_c(W) = 1/N_C",
    assumes="zero biases; data symmetric about 0; two classes, or infinite width",
)
def antisymmetric_activations(trial: Trial) -> Iterator[Finding]:
    """Without biases every layer is odd: O(-xi) = -O(xi) at every width and depth, so f_0 = 1/2 for two classes.

    In infinite width <phi(h)> = 0 for every node, and no centre ever arises. With three classes and a finite width
    f_c differs from 1/3 even for a linear network (A-Def4.2 / Eq6).
    """
    q = sp.Symbol("q", positive=True)
    for name, of in (("x^3", x**3), ("sin x", sp.sin(x)), ("erf x", sp.erf(x))):
        folded = of * _density(x / sp.sqrt(q)) + (of * _density(x / sp.sqrt(q))).subs(x, -x)
        yield identity(f"phi(h) p(h) cancels at h and -h, {name}", folded, 0)
    for name in ("tanh", "erf", "sin(x)", "softsign", "x**3/9", "hardtanh"):
        gamma = igb.mlp(5, name).predict().per_layer.gamma
        yield shown(f"{name}, five layers", not np.any(gamma), f"the largest gamma is {gamma.max():g}")
    samples = 300
    drawn = igb.mlp(3, "tanh").simulate(
        networks=trial.draws(2000), width=6, samples=samples, seed=trial.seed, workers=1
    )
    value, error = _average(4 * samples * (drawn.G0 - 0.5) ** 2)
    against = 4 * samples * _finite_variance(RELU_GAMMA, samples)
    yield measured(trial, "tanh, three layers of 6 units: 4 D Var(f_0)", value, error, 1.0, against)


@SECTION.holds(
    "A-std",
    "Standardising the inputs to [0, 1], so that their mean is not 0, induces IGB, with tanh as well",
    printed=r"\langle \xi \rangle \ne 0 \Rightarrow \gamma > 0",
    assumes="phi not zero; infinite width",
)
def inputs_off_centre(trial: Trial) -> Iterator[Finding]:
    """Inputs of mean k and variance v have gamma = k^2/v before any activation: 3 for uniform ones on [0, 1].

    So two data have the correlation c = gamma/(1 + gamma) > 0 in the first layer, and behind an activation with the
    Hermite coefficients a_j Var_W(mu) = sigma_w^2 sum_j a_j^2 c^j > 0: no activation but 0 escapes, whatever its
    symmetry. For erf the sum is known: (2/pi) arcsin(2 q c/(1 + 2 q)), its first term the linear part.
    """
    k = sp.integrate(x, (x, 0, 1))
    variance = sp.integrate((x - k) ** 2, (x, 0, 1))
    yield identity("gamma of uniform inputs", k**2 / variance, 3)
    q, c = sp.symbols("q c", positive=True)
    kernel = 2 / sp.pi * sp.asin(2 * q * c / (1 + 2 * q))
    # a_1^2 = q (E erf')^2, E erf'(h) = 2/sqrt(pi) (1 + 2 q)^(-1/2)
    yield identity("erf: first term", sp.diff(kernel, c).subs(c, 0), q * 4 / sp.pi / (1 + 2 * q))
    inputs = igb.GaussianInputs(shift=0.5, variance=1 / 12)
    off, centred = igb.mlp(1, "erf").predict(inputs), igb.mlp(1, "erf").predict()
    with mp.workdps(30):
        aa, ab = (mp.asin(2 * r / (1 + mp.mpf(4) / 3)) for r in (mp.mpf(2) / 3, mp.mpf(1) / 2))
        yield agree("erf: gamma off centre", off.gamma, ab / (aa - ab), 12)
    yield agree("erf: gamma at the centre", centred.gamma, 0.0)
    for name in ("linear", "tanh", "sin(x)", "x**2", "relu"):
        gamma = float(igb.mlp(1, name).predict(inputs).gamma)
        yield shown(f"{name}: gamma > 0 on inputs of mean 1/2, variance 1/12", gamma > 1e-3, f"gamma = {gamma:.6f}")
    data = trial.rng.uniform(size=(150, 60))
    net = igb.mlp(1, "tanh")
    drawn = net.simulate(networks=trial.draws(600), width=16, samples=None, inputs=data, seed=trial.seed, workers=1)
    rows = {row.name: row for row in drawn.compare(workers=1).rows}
    gamma, spread = rows["gamma[1]"], rows["Var(G0)"]
    yield measured(trial, "tanh, uniform data: gamma", gamma.value, gamma.error, gamma.theory, against=0)
    yield measured(trial, "tanh, uniform data: Var(f_0)", spread.value, spread.error, spread.theory, against=1 / 600)


@SECTION.holds(
    "A-shift",
    "A suitably shifted ReLU has no IGB: max(x, 0) - 1/sqrt(pi)",
    printed=r"\langle \max(h, 0) \rangle = \sqrt{\sigma_w^2 / (2 \pi)} = 1/\sqrt{\pi}",
    assumes="one hidden layer, sigma_w^2 = 2, centred Gaussian data, infinite width",
)
def shifted_relu(trial: Trial) -> Iterator[Finding]:
    """<max(h, 0)> = sqrt(q/(2 pi)) with q = sigma_w^2 = 2: subtracted, no mean is left.

    The shift fits one q: behind a second layer, of q = 2 - 2/pi, the bias is back (A-depthIGB), and at another
    sigma_w^2 it is there at once.
    """
    q = sp.Symbol("q", positive=True)
    mean = sp.integrate(sp.sqrt(q) * x * _density(x), (x, 0, sp.oo))
    yield identity("<max(h, 0)>", mean, sp.sqrt(q / (2 * sp.pi)))
    yield identity("its shift at q = 2", mean.subs(q, 2) - 1 / sp.sqrt(sp.pi), 0)
    net = igb.mlp(1, "max(x,0)-1/sqrt(pi)")
    yield shown("gamma of the package", net.predict().gamma < 1e-20, f"gamma = {net.predict().gamma:.3g}")
    other = igb.mlp(1, "max(x,0)-1/sqrt(pi)", sigma_w2=1.0).predict().gamma
    yield shown("but at sigma_w^2 = 1", other > 0.05, f"gamma = {other:.6f}")
    drawn = net.simulate(networks=trial.draws(300), width=20, samples=200, seed=trial.seed, workers=1)
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "var_mu[1]")
    label = "Var_W(mu), width to infinity"
    yield measured(trial, label, row.value, row.error, 0.0, against=2 / np.pi)


@SECTION.holds(
    "A-Fig4",
    "The histograms of f_0 for Linear, ReLU and ReLU + MaxPool follow the theory with its correction for finitely "
    "many data",
    assumes="groups of 4 in the maximum (the paper does not print the size)",
)
def figure_4(trial: Trial) -> Iterator[Finding]:
    """With D data f_0 is k/D, k binomial given the network: E over U of Bin(D, Phi(sqrt(gamma) U)).

    Its variance is Var(f_0) + (1/4 - Var(f_0))/D. With D = 8 the correction is large enough to be seen.
    """
    p, d = sp.symbols("p D", positive=True)
    moment = sum(sp.binomial(5, k) * p**k * (1 - p) ** (5 - k) * (k - sp.Rational(5, 2)) ** 2 for k in range(6)) / 25
    yield identity("E (k/D - 1/2)^2 given p, D = 5", moment, (p - sp.Rational(1, 2)) ** 2 + p * (1 - p) / 5)
    v = sp.Symbol("v", positive=True)
    # E p (1 - p) = 1/4 - v where v = E (p - 1/2)^2
    yield identity("variance with D data", v + (sp.Rational(1, 4) - v) / d, v * (1 - 1 / d) + 1 / (4 * d))
    for name, pool, gamma in (
        ("Linear", 0, 0.0),
        ("ReLU", 1, RELU_GAMMA),
        ("ReLU + MaxPool(4)", 4, float(_pooled(4))),
    ):
        widths = (24, 48)
        values = [_average((_fractions(trial.rng, trial.draws(5000), n, 8, pool=pool) - 0.5) ** 2) for n in widths]
        value, error = _line(values)
        expected, infinite = _finite_variance(gamma, 8), _finite_variance(gamma, 10**12)
        yield measured(trial, f"{name}: Var(f_0), 8 data, width to infinity", value, error, expected, infinite)
        net = igb.mlp(1, "linear") if not pool else igb.mlp(1, "relu", pool=pool if pool > 1 else None)
        drawn = net.simulate(networks=trial.draws(500), width=16, samples=100, seed=trial.seed, workers=1)
        yield _kolmogorov_smirnov(trial, f"{name}: law of f_0, 100 data, width to infinity", drawn.compare(workers=1))
