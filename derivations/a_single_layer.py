"""Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias.

Every pre-activation is h ~ N(0, q), q = sigma_w^2. Let rho(h) be what the output layer reads (an activation, or the
maximum of one over a group), with <rho> = m_1 and <rho^2> = m_2. Then mu = sum_j w_j <rho_j> and

    Var_W(mu) = sigma_w^2 m_1^2,   Var_chi(O) = sigma_w^2 (m_2 - m_1^2),   gamma = m_1^2/(m_2 - m_1^2),

and the density of f_0 = Phi(sqrt(gamma) U) = Phi(y) is exp(y^2 (1 - 1/gamma)/2)/sqrt(gamma).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath as mp
import numpy as np
import scipy
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, rises, satisfies, shown
from igbtheory.claims.gaussians import g0_cdf, g0_density, g0_variance, mean_over, ncdf, npdf, relu_maximum, relu_moment
from igbtheory.claims.simulated import bias_ratio, drawn_limit, fractions, mean_with_error, relu, variance_of_guesses

SECTION = Section("Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias", "A 5.1")

x, y = sp.symbols("x y", real=True)
f, g, k, s, D, K = sp.symbols("f gamma k s D K", positive=True)
RELU = 1 / (sp.pi - 1)
"""Gamma of one ReLU layer, which A-ReLU derives."""
NORMAL = np.linspace(-9, 9, 3601)
COINS = sp.binomial(D, k) * ncdf(sp.sqrt(g) * x) ** k * (1 - ncdf(sp.sqrt(g) * x)) ** (D - k)
"""Probability of k guesses of D where f_0 = Phi(sqrt(gamma) x)."""
NETWORKS = (("Linear", lambda h: h, 1), ("ReLU", relu, 1), ("ReLU + MaxPool(4)", relu, 4))
"""Networks of figure 4: name, activation, units of a maximum."""
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda z: max(z, mp.mpf(0)),
    "tanh": mp.tanh,
    "gelu": lambda z: z * mp.ncdf(z),
    "elu": lambda z: z if z > 0 else mp.expm1(z),
    "softplus": lambda z: mp.log1p(mp.exp(z)),
    "x**2-2": lambda z: z**2 - 2,
}


def _pooled_gamma(m: int) -> Any:
    """Return gamma of ReLU and MaxPool(m) by quadrature."""
    mean, variance = relu_maximum(m)
    return mean**2 / variance


def _law_of_y(density: Any) -> Any:
    """Return the logarithm of the density of f_0 as a function of y = Phi^-1(f_0)."""
    return sp.expand_log(sp.log(density.subs(sp.erfinv(2 * f - 1), y / sp.sqrt(2))), force=True)


@SECTION.holds(
    "A-fn5",
    "Linear: for infinitely many data f_0(W) is its mean over the networks, 1/2",
    printed=equation(r"\lim_{D \to \infty} f_0(W)", sp.Rational(1, 2)),
    assumes="two classes",
)
@SECTION.holds(
    "A-Lin",
    "Linear, one layer: the law of f_0 over the networks goes to a point mass at 1/2 for infinitely many data",
    printed=equation(r"\lim_{D \to \infty} f_0(W)", sp.Rational(1, 2)),
    assumes="two classes, or infinite width",
)
def linear_network_is_neutral(stated: Any) -> Findings:
    """Delta_O = a . xi is N(0, |a|^2) at every width and every W, so that f_0 = 1/2, and D data are D fair coins."""
    yield identity("P(Delta_O > 0), |a| = s", sp.Integral(npdf(x, 0, s), (x, 0, sp.oo)), stated.rhs)
    chance = igb.mlp(1, "linear").predict().G0.finite(50).pmf(20)
    coins = sp.binomial(50, 20) * stated.rhs**20 * (1 - stated.rhs) ** 30
    yield agree("probability of 20 guesses of 50, by the toolkit", chance, coins, 12)


@SECTION.holds(
    "A-ReLU",
    "ReLU, one layer: the law of f_0 stays wide for infinitely many data, with its mode at 1/2",
    printed=equation(r"p_{f_0}(\Phi(y))", sp.sqrt(sp.pi - 1) * sp.exp(-(sp.pi - 2) * y**2 / 2)),
    assumes="width and number of data to infinity",
)
def relu_is_wide(stated: Any) -> Findings:
    """m_1 = sqrt(q/(2 pi)) and m_2 = q/2 give gamma = 1/(pi - 1) < 1 for every q, and f_0 = Phi(sqrt(gamma) U)."""
    first, second = (relu_moment(power, s) for power in (1, 2))
    yield identity("gamma", first**2 / (second - first**2), RELU)
    density = sp.Derivative(g0_cdf(f, g), f)
    yield identity("density of f_0", density, g0_density(f, g))
    logarithm = _law_of_y(g0_density(f, RELU))
    yield identity("its logarithm at gamma = 1/(pi - 1)", logarithm, sp.log(stated.rhs), of=r"\ln p_{f_0}(\Phi(y))")
    slope = sp.Derivative(sp.log(stated.rhs), y)
    yield identity("it falls on both sides of y = 0, f_0 = 1/2", slope, -(sp.pi - 2) * y)
    value = stated.rhs.subs(y, sp.sqrt(2) * sp.erfinv(sp.Rational(4, 5)))
    yield agree("density at 0.9 by the toolkit", igb.mlp(1).predict().G0.pdf(0.9), value, 10)


@SECTION.holds(
    "A-ReLU-whp",
    "ReLU, one layer: f_0 is with high probability away from 1/2",
    printed=equation(r"\forall K: \lim_{D \to \infty} P(|f_0 - 1/2| \le K / \sqrt{D})", 0),
    assumes="read as: farther from 1/2 than by any multiple of the fluctuation 1/(2 sqrt(D)) of fair coins",
)
def relu_is_away_from_a_half(stated: Any) -> Findings:
    """The density of f_0 is at most its value at 1/2. But f_0 is within 0.1 of 1/2 with the probability 0.29."""
    bound = 2 * K / sp.sqrt(D) * g0_density(sp.Rational(1, 2), RELU)
    yield identity("bound of the probability", sp.Limit(bound, D, sp.oo), stated.rhs)
    law = igb.mlp(1).predict().G0
    inside = g0_cdf(f, RELU).subs(f, sp.Rational(3, 5)) - g0_cdf(f, RELU).subs(f, sp.Rational(2, 5))
    yield agree("P(|f_0 - 1/2| <= 0.1) by the toolkit", law.cdf(0.6) - law.cdf(0.4), inside, 10)


SECTION.untested("a definition", ("A-Eq7", "", "Max pooling", r"\rho^{(m)}_l = \max_{j \in S_l^m} \max(0, g_j)"))


@SECTION.holds(
    "A-MaxPool-U",
    "ReLU + MaxPool, one layer: the law of f_0 is peaked at the extremes",
    printed=sp.Gt(sp.Symbol(r"\forall m \ge 2: \gamma"), 1),
    assumes="groups of m >= 2 nodes; width and number of data to infinity",
)
def pooled_relu_peaks_at_the_extremes(stated: Any) -> Findings:
    """At m = 2 the maximum has the mean phi(0) + 1/(2 sqrt(pi)), the mean square 3/4 + 1/(2 pi). gamma grows with m."""
    mean, square = 1 / sp.sqrt(2 * sp.pi) + 1 / (2 * sp.sqrt(sp.pi)), sp.Rational(3, 4) + 1 / (2 * sp.pi)
    gamma = mean**2 / (square - mean**2)
    slope = sp.Derivative(_law_of_y(g0_density(f, g)), y)
    yield identity("at gamma > 1 the density grows towards 0 and 1", slope, y * (1 - 1 / g))
    yield satisfies("m = 2", stated, {stated.lhs: gamma})
    with mp.workdps(30):
        yield agree("gamma by quadrature, m = 2", _pooled_gamma(2), gamma, 20)
        yield agree("gamma of the toolkit, m = 2", igb.mlp(1, pool=2).predict(digits=25).gamma, gamma, 20)
    gammas = [_pooled_gamma(m) for m in (2, 3, 4, 8, 32)]
    yield rises("gamma for m = 2, 3, 4, 8, 32", gammas)
    yield agree("gamma of the toolkit, m = 8", igb.mlp(1, pool=8).predict().gamma, gammas[3], 11)


@SECTION.holds(
    "A-f0mean",
    "The mean over the networks of f_0 is 1/2 for Linear, ReLU and ReLU + MaxPool",
    printed=equation(r"\overline{f_0(W)}", sp.Rational(1, 2)),
    assumes="no ties between the outputs",
)
def mean_of_the_fraction(stated: Any) -> Findings:
    """Exchanging the weights of the two outputs turns f_0 into 1 - f_0 and changes no probability, at every width."""
    mean = sp.Integral(npdf(x) * ncdf(sp.sqrt(g) * x), (x, -sp.oo, sp.oo))
    yield identity("mean of Phi(sqrt(gamma) U)", mean, stated.rhs)
    for net, name in ((igb.mlp(1, "linear"), "Linear"), (igb.mlp(1), "ReLU"), (igb.mlp(1, pool=4), "ReLU + MaxPool")):
        yield agree(f"{name}, 20 data, by the toolkit", net.predict().G0.finite(20).mean() / 20, stated.rhs, 12)


@SECTION.holds(
    "A-selfav",
    "Where there is IGB, f_0 is not self-averaging: in a single network it differs from its mean over the networks, "
    "however many data and nodes there are",
    printed=equation(r"\mathrm{Var}_W(f_0)", g0_variance(g)),
    assumes="gamma > 0",
)
def fraction_is_not_self_averaging(trial: Trial, stated: Any) -> Findings:
    """Var(f_0) is 0 at gamma = 0. Its slope in gamma is A/sqrt(gamma) with A = E U Phi phi at sqrt(gamma) U. Stein's
    lemma gives A = sqrt(gamma) E phi^2 - gamma A, so that the slope is E phi^2/(1 + gamma). In the finite networks the
    average over the output weights is exact, and the number of data is infinite.
    """
    square = sp.Integral(sp.powsimp(sp.expand(npdf(x) * npdf(sp.sqrt(g) * x) ** 2)), (x, -sp.oo, sp.oo))
    yield identity("slope of the variance, by Stein's lemma", square / (1 + g), sp.diff(stated.rhs, g))
    yield identity("variance without IGB", sp.Limit(stated.rhs, g, 0), 0)
    for gamma in (RELU, sp.Integer(3)):
        root = mp.sqrt(gamma.evalf(30))
        variance = mp.quad(lambda z, root=root: mp.npdf(z) * (mp.ncdf(root * z) - 0.5) ** 2, [-12, -4, 0, 4, 12])
        yield agree(f"gamma = {gamma}: by quadrature", variance, stated.rhs.subs(g, gamma), 12)
    expected, shape = stated.rhs.subs(g, RELU), (4000, 16, (16, 32))
    yield drawn_limit(trial, "ReLU", variance_of_guesses, expected, 0, shape=shape)


@SECTION.holds(
    "A-exact",
    "The theoretical laws of f_0 (figure 4) are asymptotically exact in the size of the network",
    printed=equation(r"\lim_{N \to \infty} P_W(f_0 \le f)", g0_cdf(f, g)),
    assumes="width and input dimension to infinity, the number of data as simulated",
)
def theory_is_asymptotically_exact(trial: Trial, stated: Any) -> Findings:
    """At a finite width the law differs, as the spread over the data varies from network to network (A-Thm4.1b). 64
    guesses are compared with 64 coins of the probability f_0, which has the law as printed.
    """

    def rare(units: Any) -> tuple[float, float]:
        return mean_with_error(np.abs(fractions(trial.rng, units, 64) - 0.5) > 0.18)

    for name, _, pool in NETWORKS[1:]:
        gamma = RELU if pool == 1 else _pooled_gamma(pool)
        shape = 3000, 64, (12, 24, 48)
        yield drawn_limit(trial, f"{name}: gamma", bias_ratio, gamma, shape=shape, pool=pool)
        law = sp.lambdify(f, stated.rhs.subs(g, gamma), ["scipy", "numpy"])
        predicted = igb.mlp(1, pool=pool if pool > 1 else None).predict().G0.cdf(0.3)
        yield agree(f"{name}: P(f_0 <= 0.3) by the toolkit", predicted, law(0.3), 10)
        edges = scipy.special.ndtr(NORMAL)
        shares, masses = (edges[1:] + edges[:-1]) / 2, np.diff(law(edges))
        expected = 2 * float(scipy.stats.binom.cdf(20, 64, shares) @ masses)
        label = f"{name}: P(at most 20 of 64 guesses for one class)"
        yield drawn_limit(trial, label, rare, expected, shape=(3000, 64, (24, 48)), pool=pool)


@SECTION.holds(
    "A-Thm5.1 / Eq8-9",
    "One hidden layer: there is no IGB if and only if <rho(g_i)> = m_1 = 0 for a generic node",
    printed=sp.Eq(g, sp.Symbol("m_1") ** 2 / (sp.Symbol("m_2") - sp.Symbol("m_1") ** 2)),
    assumes="infinite width, centred Gaussian data, zero biases; rho not constant, so that outputs do not tie",
)
def condition_on_the_activation(trial: Trial, stated: Any) -> Findings:
    """Var_W(mu) = sigma_w^2 m_1^2 and Var_chi = sigma_w^2 (m_2 - m_1^2) > 0. f_0 = Phi(sqrt(gamma) U) is 1/2 for almost
    every network if and only if gamma = 0, that is m_1 = 0. It depends on sigma_w^2: x^2 - 2 has m_1 = 0 at 2 only.
    """
    m_1, m_2 = sp.symbols("m_1 m_2")
    weights, units = sp.symbols("w_1:4"), sp.symbols("rho_1:4")
    output = sum(w * rho for w, rho in zip(weights, units, strict=True))  # of three units, alike and independent
    var_mu = output.subs(dict.fromkeys(units, m_1)) ** 2
    second = sp.expand(output**2).subs({rho**2: m_2 for rho in units}).subs(dict.fromkeys(units, m_1))
    for w in weights:
        var_mu, second = mean_over(w, var_mu, s**2), mean_over(w, second, s**2)
    yield identity("gamma of three units", var_mu / (second - var_mu), stated.rhs, of=r"\gamma")
    yield identity("no IGB if m_1 = 0", sp.Limit(stated.rhs, m_1, 0), 0)
    mean = sp.Integral((x**2 - 2) * npdf(x, 0, s), (x, -sp.oo, sp.oo))
    yield identity("<h^2 - 2>, sigma_w^2 = s^2", mean, s**2 - 2)
    for name, of in ACTIVATIONS.items():
        expected = stated.rhs.subs(dict(zip((m_1, m_2), _moments(of), strict=True)))
        predicted = igb.mlp(1, name).predict().gamma  # it may be 0, hence 1 + gamma
        yield agree(f"1 + gamma by the toolkit, {name}", 1 + predicted, 1 + expected, 11)
        if name == "softplus":
            shape = 4000, 16, (16, 32)
            phi = partial(np.logaddexp, 0)
            yield drawn_limit(trial, "softplus: gamma", bias_ratio, expected, shape=shape, phi=phi)


def _moments(of: Callable[[Any], Any]) -> list[Any]:
    """Return E of(h) and E of(h)^2, h ~ N(0, 2), by quadrature; kinks at 0 only."""
    with mp.workdps(25):
        root, cuts = mp.sqrt(2), [-14, -7, -3, -1, 0, 1, 3, 7, 14]
        return [mp.quad(lambda z, k=k: mp.npdf(z) * of(root * z) ** k, cuts) for k in (1, 2)]


@SECTION.fails(
    "A-act-class",
    "The results apply to any activation: those without IGB align with linear ones, those with IGB qualitatively "
    "resemble ReLU, whose f_0 has its mode at 1/2",
    printed=sp.Lt(g, 1),
    assumes="at any depth, which the text implies; resemble: the mode stays at 1/2, depth takes gamma to infinity; the "
    "formula is for one layer",
    counter_example="""
from math import exp, pi
# 1. with IGB, and not like ReLU, whose gamma is 1/(pi - 1) < 1: sigmoid has two peaks, at f_0 = 0 and 1
sigmoid = 1 / (1 + np.exp(-(2**0.5) * np.random.default_rng(0).standard_normal(10**5)))
assert 1 / (pi - 1) < printed < sigmoid.mean() ** 2 / sigmoid.var()
# 2. with IGB, and depth does not amplify it: phi = sin 3x + 1/2, E sin 3a sin 3b = exp(-9 q_aa) sinh(9 q_ab)
q_aa, q_ab, gammas = 2.0, 0.0, []
for _ in range(30):
    e = exp(-9 * (q_aa - q_ab)) - exp(-9 * (q_aa + q_ab))
    q_aa, q_ab = 2 * (1 / 4 + (1 - exp(-18 * q_aa)) / 2), 2 * (1 / 4 + e / 2)
    gammas.append(q_ab / (q_aa - q_ab))
assert max(gammas) < 0.51
""",
)
def two_classes_of_activations(stated: Any) -> Findings:
    """In one layer the condition of theorem 5.1 sorts the activations, but those with IGB are not alike: sigmoid has
    peaks at 0 and 1, unlike ReLU. ReLU - 1/sqrt(pi) has IGB from two layers on (A-depthIGB). For sin 3x + 1/2 gamma
    stays bounded, while that of ReLU grows without end.
    """
    yield satisfies("ReLU", stated, {g: RELU})
    first, second = _moments(lambda h: 1 / (1 + mp.exp(-h)))
    yield satisfies("sigmoid", stated, {g: first**2 / (second - first**2)})


@SECTION.corrects(
    "A-act-class",
    "In one layer activations without IGB give f_0 = 1/2 as linear ones do; those with IGB give the law of "
    "Phi(sqrt(gamma) U), with one peak at 1/2 if gamma < 1 (ReLU) and two at 0 and 1 if gamma > 1 (sigmoid); deeper, "
    "gamma may go to infinity, to a limit or to 0",
    right=equation(r"\frac{d}{dy} \ln p_{f_0}(\Phi(y))", y * (1 - 1 / g)),
    assumes="infinite width; the formula is for any depth",
)
def classes_of_activations(stated: Any) -> Findings:
    """The law of f_0 depends on gamma alone. With depth gamma of ReLU goes to infinity (A-Thm5.2-ii / Eq12). For sin 3x
    + 1/2 the two sines are nearly independent, and q_aa = 3/2, q_ab = 1/2 up to exp(-9). For erf on inputs off centre c
    goes to 0: c' = arcsin(t c)/arcsin(t), t = 2 q/(1 + 2 q), has the slope t/arcsin(t) < 1 at 0.
    """
    yield identity("slope of the density", sp.Derivative(_law_of_y(g0_density(f, g)), y), stated.rhs)
    t = sp.Symbol("t", positive=True)
    slope = sp.Limit(sp.Derivative(sp.asin(t * x) / sp.asin(t), x), x, 0)
    yield identity("erf: slope of c' at c = 0", slope, t / sp.asin(t))
    bounded = igb.mlp(60, "sin(3*x)+1/2").predict().gamma
    yield agree("sin 3x + 1/2 by the toolkit, 60 layers: gamma", bounded, sp.Rational(1, 2), 3)
    erf = igb.mlp(300, "erf").predict(igb.GaussianInputs(shift=1.0)).per_layer.gamma
    yield shown("erf off centre by the toolkit, 300 layers", 0 < erf[300] < 1e-4, f"{erf[300]:.3g}, from {erf[0]:g}")


@SECTION.holds(
    "A-anti",
    "Antisymmetric activations show no IGB for centred data",
    printed=equation(r"\langle \phi(h) \rangle", 0),
    assumes="zero biases; data symmetric about 0; two classes, or infinite width",
)
def antisymmetric_activations(trial: Trial, stated: Any) -> Findings:
    """Without biases every layer is odd: a datum and its opposite get opposite guesses, so f_0 = 1/2 at every width."""
    for name, of in (("x^3", x**3), ("sin x", sp.sin(x)), ("erf x", sp.erf(x))):
        yield identity(name, sp.Integral(of * npdf(x, 0, s), (x, -sp.oo, sp.oo)), stated.rhs)
    for name in ("tanh", "softsign", "x**3/9", "hardtanh"):
        yield agree(f"{name}, five layers by the toolkit: gamma", igb.mlp(5, name).predict().gamma, stated.rhs)
    layer = np.concatenate([data := trial.rng.standard_normal((500, 6)), -data])
    for _ in range(3):
        layer = np.tanh(layer @ trial.rng.standard_normal((6, 6)))
    guesses = (layer @ trial.rng.standard_normal(6) > 0).reshape(2, 500)
    differ = (guesses[0] ^ guesses[1]).all()
    yield shown("tanh, three layers of 6 units: data and their opposites", differ, f"{guesses.sum()} of 1000")


@SECTION.holds(
    "A-std",
    "Standardising the inputs to [0, 1], so that their mean is not 0, induces IGB, with tanh as well",
    printed=sp.Gt(sp.Symbol(r"\langle \xi \rangle \ne 0: \gamma"), 0),
    assumes="phi not zero; infinite width",
)
def inputs_off_centre(stated: Any) -> Findings:
    """Inputs of mean k and variance v have gamma = k^2/v before any activation: 3 for uniform ones on [0, 1]. So two
    data have a correlation c > 0, and Var_W(mu) = sigma_w^2 sum_j a_j^2 c^j > 0 for any phi but 0. For erf the sum is
    (2/pi) arcsin(2 q_ab/(1 + 2 q_aa)) with q_ab = 2 k^2 and q_aa = 2 (k^2 + v).
    """
    mean, square = (sp.Integral(x**power, (x, 0, 1)) for power in (1, 2))
    yield identity("gamma of uniform inputs", mean**2 / (square - mean**2), 3)
    own = 2 * (k**2 + sp.Rational(1, 12))
    both, own = (sp.asin(2 * q / (1 + 2 * own)) for q in (2 * k**2, own))
    gamma = both / (own - both)
    expected = gamma.subs(k, sp.Rational(1, 2))
    yield satisfies("erf, uniform inputs", stated, {stated.lhs: expected})
    yield identity("the bound is sharp: erf, inputs of mean k", sp.Limit(gamma, k, 0), stated.rhs)
    inputs = igb.GaussianInputs(shift=0.5, variance=1 / 12)
    predicted = igb.mlp(1, "erf").predict(inputs).gamma
    yield agree("erf by the toolkit, inputs of that mean and variance", predicted, expected, 12)
    for name in ("tanh", "sin(x)", "x**2", "relu"):
        predicted = float(igb.mlp(1, name).predict(inputs).gamma)
        yield satisfies(f"{name} by the toolkit", stated, {stated.lhs: predicted})


@SECTION.holds(
    "A-shift",
    "A suitably shifted ReLU has no IGB: max(x, 0) - 1/sqrt(pi)",
    printed=equation(r"\langle \max(h, 0) \rangle", 1 / sp.sqrt(sp.pi)),
    assumes="one hidden layer, sigma_w^2 = 2, centred Gaussian data, infinite width",
)
def shifted_relu(stated: Any) -> Findings:
    """The shift is the mean at sigma_w^2 = 2. Elsewhere, and behind a second layer, a bias remains (A-depthIGB)."""
    yield identity("<max(h, 0)>", relu_moment(1, sp.sqrt(2)), stated.rhs)
    formula = f"max(x,0)-{stated.rhs}"
    yield agree("1 + gamma of the toolkit", 1 + igb.mlp(1, formula).predict().gamma, 1, 15)
    first, second = (relu_moment(power).doit() for power in (1, 2))
    expected = (first - stated.rhs) ** 2 / (second - first**2)
    other = igb.mlp(1, formula, sigma_w2=1.0).predict().gamma
    yield agree("gamma of the toolkit at sigma_w^2 = 1", other, expected, 11)


@SECTION.holds(
    "A-Fig4",
    "The histograms of f_0 for Linear, ReLU and ReLU + MaxPool follow the theory with its correction for finitely "
    "many data",
    printed=equation(r"P_{\mathcal{W}}(f_0 = k/D)", sp.Integral(COINS * npdf(x), (x, -sp.oo, sp.oo))),
    assumes="groups of 4 in the maximum (the paper does not print the size)",
)
def figure_4(trial: Trial, stated: Any) -> Findings:
    """With D data f_0 is k/D, k binomial given the network. The bars of k and D - k are drawn together, for D = 4."""

    def bar(number: int, units: Any) -> tuple[float, float]:
        guesses = np.rint(4 * fractions(trial.rng, units.reshape(-1, 4, units.shape[2]), 16))
        return mean_with_error(np.minimum(guesses, 4 - guesses).reshape(len(units), -1) == number)

    for (name, phi, pool), gamma in zip(NETWORKS, (0, RELU, _pooled_gamma(4)), strict=True):
        for number in range(3):
            expected = (1 if number == 2 else 2) * _bar(stated, {g: gamma, D: 4, k: number})
            label, shape = f"{name}: {number} of 4 data are the rarer guess", (1600, 64, (16, 32))
            yield drawn_limit(trial, label, partial(bar, number), expected, shape=shape, phi=phi, pool=pool)
    law = igb.mlp(1).predict().G0.finite(20)
    yield agree("ReLU, 7 of 20 data by the toolkit", law.pmf(7), _bar(stated, {g: RELU, D: 20, k: 7}), 10)


def _bar(stated: Any, values: dict[Any, Any]) -> float:
    """Return the integral of the statement, by the trapezoidal rule."""
    mass = sp.lambdify(x, stated.rhs.function.subs(values), ["scipy", "numpy"])
    return float(np.trapezoid(mass(NORMAL), NORMAL))
