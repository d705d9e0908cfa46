"""Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias.

Every pre-activation is h ~ N(0, q), q = sigma_w^2. Let rho(h) be what the output layer reads (an activation, or the
maximum of one over a group), with <rho> = m_1 and <rho^2> = m_2. Then mu = sum_j w_j <rho_j> and

    Var_W(mu) = sigma_w^2 m_1^2,   Var_chi(O) = sigma_w^2 (m_2 - m_1^2),   gamma = m_1^2/(m_2 - m_1^2),

and the density of f_0 = Phi(sqrt(gamma) U) = Phi(y) is exp(y^2 (1 - 1/gamma)/2)/sqrt(gamma).
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import mpmath as mp
import numpy as np
import scipy
import sympy as sp

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    rises,
    satisfies,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import g0_cdf, g0_density, g0_variance, mean_over, ncdf, npdf, relu_maximum, relu_moment
from igbtheory.claims.quantities import E_CHI, E_W, GAMMA, GAMMA_AT, VAR_W
from igbtheory.claims.settings import COUNTED
from igbtheory.claims.simulated import at_width, bias_ratio, fractions, mean_with_error, relu, variance_of_guesses

SECTION = Section("Initial guessing bias, section 5.1: one hidden layer, and which activations cause the bias", "A 5.1")

x, y, z = sp.symbols("x y z", real=True)
f, g, k, m, s, D, K, N = sp.symbols("f gamma k m s D K N", positive=True)
m_1, m_2 = sp.symbols("m_1 m_2")
H = sp.Symbol("h", real=True)
PHI = sp.Function("phi")
"""Activation."""
F_0 = sp.Symbol("f_0")
"""Fraction of guesses for class 0 of infinitely many data."""
FRACTION = sp.Function("f_0")(D)
"""The same of D data."""
DENSITY = sp.Function("p_{f_0}")(sp.Function("Phi")(y))
"""Density of f_0 at Phi(y)."""
NEAR = sp.Function("P")(K / sp.sqrt(D))
"""Probability that f_0 is so near to 1/2."""
LAW = sp.Function("P")(f, N)
"""Probability that f_0 is at most f in networks of width N."""
BAR = sp.Function("P")(k)
"""Probability of k guesses for class 0."""
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
    "sigmoid": lambda z: 1 / (1 + mp.exp(-z)),
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
    "In the linear case the fraction f_0 of guesses goes, with the number of data, to its mean over the networks",
    at="footnote 5",
    printed=equation(sp.Limit(FRACTION, D, sp.oo), sp.Rational(1, 2)),
    assumes="“a set of two nodes (one for each class)” (section 4, Setting and Main Notation)",
)
@SECTION.holds(
    "A-Lin",
    "Linear: the law of f_0 over the networks “asymptotically converges to a delta distribution” in the middle",
    at="section 5.1, Linear",
    printed=equation(sp.Limit(FRACTION, D, sp.oo), sp.Rational(1, 2)),
    assumes="“a set of two nodes (one for each class)” (section 4, Setting and Main Notation)",
)
def linear_network_is_neutral(stated: Any) -> Findings:
    """Delta_O = a . xi is N(0, |a|^2) at every width and every W, so that D data are D fair coins: f_0 is 1/2 and the
    deviation z/(2 sqrt(D)), with z of mean 0 and variance 1.
    """
    chance = sp.Integral(npdf(x, 0, s), (x, 0, sp.oo)).doit()
    limit = stated.lhs.subs(FRACTION, chance + z * sp.sqrt(chance * (1 - chance) / D))
    yield identity("limit of P(Delta_O > 0), |a| = s, and its deviation", limit, stated.rhs)
    predicted = igb.mlp(1, "linear").predict().G0.finite(50).pmf(20)
    coins = sp.binomial(50, 20) * stated.rhs**20 * (1 - stated.rhs) ** 30
    yield agree("probability of 20 guesses of 50, by the toolkit", predicted, coins, 12)


@SECTION.holds(
    "A-ReLU",
    "The law of f_0 of ReLU, which “stays asymptotically wide” and has its mode in the middle",
    at="section 5.1, ReLU",
    printed=equation(DENSITY, sp.sqrt(sp.pi - 1) * sp.exp(-(sp.pi - 2) * y**2 / 2)),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6); “in the "
    "limit of infinite data points” (section 5.1, ReLU)",
    where="the formula, which version 4 does not print, is for the density of f_0 = Phi(y)",
)
def relu_is_wide(stated: Any) -> Findings:
    """m_1 = sqrt(q/(2 pi)) and m_2 = q/2 give gamma = 1/(pi - 1) < 1 for every q, and f_0 = Phi(sqrt(gamma) U)."""
    first, second = (relu_moment(power, s) for power in (1, 2))
    yield identity("gamma", first**2 / (second - first**2), RELU)
    density = sp.Derivative(g0_cdf(f, g), f)
    yield identity("density of f_0", density, g0_density(f, g))
    at_y = value_of(DENSITY, stated)
    logarithm = _law_of_y(g0_density(f, RELU))
    yield identity("its logarithm at gamma = 1/(pi - 1)", logarithm, sp.log(at_y), of=sp.log(DENSITY))
    slope = sp.Derivative(sp.log(at_y), y)
    yield identity("it falls on both sides of y = 0, f_0 = 1/2", slope, -(sp.pi - 2) * y)
    value = at_y.subs(y, sp.sqrt(2) * sp.erfinv(sp.Rational(4, 5)))
    yield agree("density at 0.9 by the toolkit", igb.mlp(1).predict().G0.pdf(0.9), value, 10)


@SECTION.holds(
    "A-ReLU-whp",
    "ReLU: f_0 will, “with high probability (w.h.p.), be away from 1/2”",
    at="section 5.1, ReLU",
    printed=equation(sp.Limit(NEAR, D, sp.oo), 0),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6)",
    where="P(x) is the probability that f_0 is within x of 1/2; “away” is read as: farther than by any multiple, here "
    "2 K, of the fluctuation 1/(2 sqrt(D)) of fair coins",
)
def relu_is_away_from_a_half(stated: Any) -> Findings:
    """The density of f_0 is at most its value at 1/2. But f_0 is within 0.1 of 1/2 with the probability 0.29."""
    bound = 2 * K / sp.sqrt(D) * g0_density(sp.Rational(1, 2), RELU)
    yield identity("bound of the probability", stated.lhs.subs(NEAR, bound), stated.rhs)
    law = igb.mlp(1).predict().G0
    inside = g0_cdf(f, RELU).subs(f, sp.Rational(3, 5)) - g0_cdf(f, RELU).subs(f, sp.Rational(2, 5))
    yield agree("P(|f_0 - 1/2| <= 0.1) by the toolkit", law.cdf(0.6) - law.cdf(0.4), inside, 10)


SECTION.definitions(
    "a definition",
    ("A-Eq7", "Eq. 7", "Max pooling of a group of m nodes", r"\rho^{(m)}_l = \max_{j \in S_l^m} \max(0, g_j)"),
)


@SECTION.holds(
    "A-MaxPool-U",
    "ReLU + MaxPool: the law of f_0 is peaked at the extremes",
    at="section 5.1, ReLU + MaxPool",
    printed=sp.Gt(GAMMA_AT(m), 1),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6); “in the "
    "limit of infinite data” (section 5.1, ReLU + MaxPool); groups from 2 nodes on",
)
def pooled_relu_peaks_at_the_extremes(stated: Any, says: str) -> Findings:
    """At m = 2 the maximum has the mean phi(0) + 1/(2 sqrt(pi)), the mean square 3/4 + 1/(2 pi). gamma grows with m."""
    mean, square = 1 / sp.sqrt(2 * sp.pi) + 1 / (2 * sp.sqrt(sp.pi)), sp.Rational(3, 4) + 1 / (2 * sp.pi)
    gamma = mean**2 / (square - mean**2)
    slope = sp.Derivative(_law_of_y(g0_density(f, g)), y)
    yield identity("at gamma > 1 the density grows towards 0 and 1", slope, y * (1 - 1 / g))
    yield identity("it is flat at the bound", slope.doit().subs(g, stated.rhs), 0, of=slope)
    yield satisfies("m = 2", stated, {GAMMA_AT(m): gamma})
    with mp.workdps(30):
        yield agree("gamma by quadrature, m = 2", _pooled_gamma(2), gamma, 20)
        yield agree("gamma of the toolkit, m = 2", igb.mlp(1, pool=2).predict(digits=25).gamma, gamma, 20)
    gammas = [_pooled_gamma(size) for size in (2, 3, 4, 8, 32)]
    yield rises("gamma for m = 2, 3, 4, 8, 32", gammas)
    predicted = igb.mlp(1, pool=8).predict()
    yield agree("gamma of the toolkit, m = 8", predicted.gamma, gammas[3], 11)
    least = next(size for size in (1, 2, 3) if _pooled_gamma(size) > stated.rhs)
    yield worded(says, "groups from {} nodes on", least)
    ends = predicted.G0.pdf(0.01) > predicted.G0.pdf(0.5)
    yield worded(says, "the law of f_0 is {} at the extremes", "peaked" if ends else "uniform")


@SECTION.holds(
    "A-f0mean",
    "The mean over the networks of f_0 “in all three cases”: Linear, ReLU and ReLU + MaxPool",
    at="section 5.1, below Fig. 4",
    printed=equation(E_W(F_0), sp.Rational(1, 2)),
    where="a tie between the outputs has the probability 0",
)
def mean_of_the_fraction(stated: Any, says: str) -> Findings:
    """Exchanging the weights of the two outputs turns f_0 into 1 - f_0 and changes no probability, at every width."""
    mean = sp.Integral(npdf(x) * ncdf(sp.sqrt(g) * x), (x, -sp.oo, sp.oo))
    expected = value_of(E_W(F_0), stated)
    yield identity("mean of Phi(sqrt(gamma) U)", mean, expected)
    nets = {"Linear": igb.mlp(1, "linear"), "ReLU": igb.mlp(1), "ReLU + MaxPool": igb.mlp(1, pool=4)}
    for name, net in nets.items():
        yield agree(f"{name}, 20 data, by the toolkit", net.predict().G0.finite(20).mean() / 20, expected, 12)
    yield worded(says, "cases”: {}, {} and {}", *nets)


@SECTION.holds(
    "A-selfav",
    "Where there is IGB, f_0 “does not respect the self-averaging property”: in a single network it differs from "
    "its mean over the networks, however many data and nodes there are",
    at="section 3.2, Breaking of self-averageness",
    printed=equation(VAR_W(F_0), g0_variance(g)),
    where="there is IGB where gamma > 0; version 4 has no formula",
)
def fraction_is_not_self_averaging(trial: Trial, stated: Any) -> Findings:
    """Var(f_0) is 0 at gamma = 0. Its slope in gamma is A/sqrt(gamma) with A = E U Phi phi at sqrt(gamma) U. Stein's
    lemma gives A = sqrt(gamma) E phi^2 - gamma A, so that the slope is E phi^2/(1 + gamma). In the finite networks the
    average over the output weights is exact, and the number of data is infinite.
    """
    formula = value_of(VAR_W(F_0), stated)
    square = sp.Integral(sp.powsimp(sp.expand(npdf(x) * npdf(sp.sqrt(g) * x) ** 2)), (x, -sp.oo, sp.oo))
    yield identity("slope of the variance, by Stein's lemma", square / (1 + g), sp.diff(formula, g))
    yield identity("variance without IGB", sp.Limit(formula, g, 0), 0)
    for gamma in (RELU, sp.Integer(3)):
        root = mp.sqrt(gamma.evalf(30))
        variance = mp.quad(lambda z, root=root: mp.npdf(z) * (mp.ncdf(root * z) - 0.5) ** 2, [-12, -4, 0, 4, 12])
        yield agree(f"gamma = {gamma}: by quadrature", variance, formula.subs(g, gamma), 12)
    yield at_width(trial, "ReLU", variance_of_guesses, formula.subs(g, RELU), 0, shape=(100, 4, 4000))


@SECTION.holds(
    "A-exact",
    "The theoretical laws of f_0 are asymptotically exact in the size of the network",
    at="section 5.1, below Fig. 4",
    printed=equation(sp.Limit(LAW, N, sp.oo), g0_cdf(f, g)),
    assumes="“in the limit of infinite width” (Theorem 4.1), with the inputs as the lowest of the layers",
    where="N is the width and the input dimension; the number of data is the one that is simulated; P(f, N) is the "
    "probability that f_0 is at most f; version 4 has no formula",
)
def theory_is_asymptotically_exact(trial: Trial, stated: Any) -> Findings:
    """At a finite width the law differs, as the spread over the data varies from network to network (A-Thm4.1b). 64
    guesses are compared with 64 coins of the probability f_0, which has the law as printed.
    """

    def rare(units: Any) -> tuple[float, float]:
        return mean_with_error(np.abs(fractions(trial.rng, units, 1000) - 0.5) > 0.18)

    for name, _, pool in NETWORKS[1:]:
        gamma = RELU if pool == 1 else _pooled_gamma(pool)
        yield at_width(trial, f"{name}: gamma", bias_ratio, gamma, shape=(100, 4, 4000), pool=pool)
        law = sp.lambdify(f, value_of(sp.Limit(LAW, N, sp.oo), stated).subs(g, gamma), ["scipy", "numpy"])
        predicted = igb.mlp(1, pool=pool if pool > 1 else None).predict().G0.cdf(0.3)
        yield agree(f"{name}: P(f_0 <= 0.3) by the toolkit", predicted, law(0.3), 10)
        edges = scipy.special.ndtr(NORMAL)
        shares, masses = (edges[1:] + edges[:-1]) / 2, np.diff(law(edges))
        expected = 2 * float(scipy.stats.binom.cdf(20, 64, shares) @ masses)
        label = f"{name}: P(at most 20 of 64 guesses for one class)"
        yield at_width(trial, label, rare, expected, shape=(60, 64, 500), pool=pool)


@SECTION.holds(
    "A-Thm5.1 / Eq8-9",
    "The mean m_1 = <rho(g_i)> of a node of the hidden layer decides whether there is IGB",
    at="Theorem 5.1, Eqs. 8 and 9",
    printed=equation(GAMMA, m_1**2 / (m_2 - m_1**2)),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6); “a centred "
    "Gaussian blob” (footnote 2); “with null bias weights” (footnote 6)",
    where="m_2 = <rho(g_i)^2>; rho is not constant, so that outputs do not tie; version 4 has the condition m_1 = 0 "
    "alone",
)
def condition_on_the_activation(trial: Trial, stated: Any) -> Findings:
    """Var_W(mu) = sigma_w^2 m_1^2 and Var_chi = sigma_w^2 (m_2 - m_1^2) > 0. f_0 = Phi(sqrt(gamma) U) is 1/2 for almost
    every network if and only if gamma = 0, that is m_1 = 0. It depends on sigma_w^2: x^2 - 2 has m_1 = 0 at 2 only.
    """
    formula = value_of(GAMMA, stated)
    weights, units = sp.symbols("w_1:4"), sp.symbols("rho_1:4")
    output = sum(w * rho for w, rho in zip(weights, units, strict=True))  # of three units, alike and independent
    var_mu = output.subs(dict.fromkeys(units, m_1)) ** 2
    second = sp.expand(output**2).subs({rho**2: m_2 for rho in units}).subs(dict.fromkeys(units, m_1))
    for w in weights:
        var_mu, second = mean_over(w, var_mu, s**2), mean_over(w, second, s**2)
    yield identity("gamma of three units", var_mu / (second - var_mu), formula, of=r"\gamma")
    yield identity("no IGB if m_1 = 0", sp.Limit(formula, m_1, 0), 0)
    mean = sp.Integral((x**2 - 2) * npdf(x, 0, s), (x, -sp.oo, sp.oo))
    yield identity("<h^2 - 2>, sigma_w^2 = s^2", mean, s**2 - 2)
    for name, of in ACTIVATIONS.items():
        expected = formula.subs(dict(zip((m_1, m_2), _moments(of), strict=True)))
        predicted = igb.mlp(1, name).predict().gamma  # it may be 0, hence 1 + gamma
        yield agree(f"1 + gamma by the toolkit, {name}", 1 + predicted, 1 + expected, 11)
        if name == "softplus":
            phi = partial(np.logaddexp, 0)
            yield at_width(trial, "softplus: gamma", bias_ratio, expected, shape=(100, 4, 4000), phi=phi)


@cache
def _moments(of: Callable[[Any], Any]) -> list[Any]:
    """Return E of(h) and E of(h)^2, h ~ N(0, 2), by quadrature; kinks at 0 only."""
    root, cuts = mp.sqrt(2), [-14, -7, -3, -1, 0, 1, 3, 7, 14]
    return [mp.quad(lambda z, k=k: mp.npdf(z) * of(root * z) ** k, cuts) for k in (1, 2)]


@SECTION.holds(
    "A-act-class",
    "“activations without IGB align with the description for linear activations, while those with IGB qualitatively "
    "resemble ReLU”: the variance of f_0",
    at="section 5.1, below Theorem 5.1",
    printed=equation(VAR_W(F_0), g0_variance(g)),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6)",
    where="“qualitatively resemble ReLU” is read as: the law of f_0 does not concentrate; version 4 has no formula",
)
def two_classes_of_activations(stated: Any) -> Findings:
    """The law of f_0 depends on the activation through gamma alone. Its density as a function of y = Phi^-1(f_0) has
    the logarithmic slope y (1 - 1/gamma). So not all laws have the same number of peaks: ReLU has one at 1/2, and
    sigmoid, whose gamma is above 1, two at 0 and 1.
    """
    formula = value_of(VAR_W(F_0), stated)
    yield identity("slope of the density", sp.Derivative(_law_of_y(g0_density(f, g)), y), y * (1 - 1 / g))
    yield identity("linear: the variance at gamma = 0", sp.Limit(formula, g, 0), 0)
    gammas = {}
    for name, of in ACTIVATIONS.items():
        first, second = _moments(of)
        gammas[name] = first**2 / (second - first**2)
        predicted = igb.mlp(1, name).predict().G0.var()  # it may be 0, hence 1 + Var(f_0)
        yield agree(f"{name}: 1 + Var(f_0) by the toolkit", 1 + predicted, 1 + formula.subs(g, gammas[name]), 11)
    peaks = gammas["relu"] < 1 < gammas["sigmoid"]
    yield shown(
        "gamma of ReLU and of sigmoid", peaks, f"{float(gammas['relu']):.4f} and {float(gammas['sigmoid']):.4f}"
    )


@SECTION.holds(
    "A-anti",
    "“antisymmetric activations exhibit no IGB when the data is centered around zero inputs”: the mean of the "
    "activation",
    at="section 5.1, last paragraph",
    printed=equation(E_CHI(PHI(H)), 0),
    assumes="“with null bias weights” (footnote 6); “a set of two nodes (one for each class)” (section 4, Setting and "
    "Main Notation)",
)
def antisymmetric_activations(trial: Trial, stated: Any) -> Findings:
    """Without biases every layer is odd: a datum and its opposite get opposite guesses, so f_0 = 1/2 at every width."""
    for name, of in (("x^3", x**3), ("sin x", sp.sin(x)), ("erf x", sp.erf(x))):
        mean = sp.Integral(of * npdf(x, 0, s), (x, -sp.oo, sp.oo))
        yield identity(name, mean, value_of(E_CHI(PHI(H)), stated))
    for name in ("tanh", "softsign", "x**3/9", "hardtanh"):
        yield agree(f"{name}, five layers by the toolkit: gamma", igb.mlp(5, name).predict().gamma, 0)
    layer = np.concatenate([data := trial.rng.standard_normal((500, 6)), -data])
    for _ in range(3):
        layer = np.tanh(layer @ trial.rng.standard_normal((6, 6)))
    guesses = (layer @ trial.rng.standard_normal(6) > 0).reshape(2, 500)
    differ = (guesses[0] ^ guesses[1]).all()
    yield shown("tanh, three layers of 6 units: data and their opposites", differ, f"{guesses.sum()} of 1000")


@SECTION.holds(
    "A-std",
    "Inputs that are standardised to [0, 1] induce IGB",
    at="section 5.1, below Theorem 5.1",
    printed=sp.Gt(GAMMA, 0),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6)",
    where="phi and the mean of the inputs are not 0",
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
    yield satisfies("erf, uniform inputs", stated, {GAMMA: expected})
    yield identity("the bound is sharp: erf, inputs of mean k", sp.Limit(gamma, k, 0), stated.rhs)
    inputs = igb.GaussianInputs(shift=0.5, variance=1 / 12)
    predicted = igb.mlp(1, "erf").predict(inputs).gamma
    yield agree("erf by the toolkit, inputs of that mean and variance", predicted, expected, 12)
    for name in ("tanh", "sin(x)", "x**2", "relu"):
        predicted = float(igb.mlp(1, name).predict(inputs).gamma)
        yield satisfies(f"{name} by the toolkit", stated, {GAMMA: predicted})


@SECTION.holds(
    "A-shift",
    "“shifting ReLU functions appropriately can eliminate IGB”: the mean of ReLU, which is the shift",
    at="section 5.1, last paragraph",
    printed=equation(E_CHI(sp.Max(H, 0)), 1 / sp.sqrt(sp.pi)),
    assumes="“a single hidden layer perceptron, in the limit of infinite width hidden layer” (footnote 6); “a centred "
    "Gaussian blob” (footnote 2); sigma_w^2 = 2",
    where="version 4 has no formula",
)
def shifted_relu(stated: Any, says: str) -> Findings:
    """The shift is the mean at sigma_w^2 = 2. Elsewhere, and behind a second layer, a bias remains (A-depthIGB)."""
    shift = value_of(E_CHI(sp.Max(H, 0)), stated)
    size = 2
    yield identity("<max(h, 0)>", relu_moment(1, sp.sqrt(size)), shift)
    yield worded(says, "sigma_w^2 = {}", size)
    formula = f"max(x,0)-{shift}"
    yield agree("1 + gamma of the toolkit", 1 + igb.mlp(1, formula).predict().gamma, 1, 15)
    first, second = (relu_moment(power).doit() for power in (1, 2))
    expected = (first - shift) ** 2 / (second - first**2)
    other = igb.mlp(1, formula, sigma_w2=1.0).predict().gamma
    yield agree("gamma of the toolkit at sigma_w^2 = 1", other, expected, 11)


@SECTION.holds(
    "A-Fig4",
    "The histograms of f_0 for the three networks follow the theory with its correction for “finite-dataset-size "
    "effects”",
    at="Fig. 4",
    printed=equation(BAR, sp.Integral(COINS * npdf(x), (x, -sp.oo, sp.oo))),
    assumes="groups of 4 in the maximum",
    where="version 4 does not print the size of the groups; P(k) is the probability that k of D guesses are for class "
    "0; version 4 has no formula",
)
def figure_4(trial: Trial, stated: Any, says: str) -> Findings:
    """With D data f_0 is k/D, k binomial given the network. The bars of k and D - k are drawn together, for D = 4."""

    def bar(number: int, units: Any) -> tuple[float, float]:
        guesses = np.rint(4 * fractions(trial.rng, units, 500))
        return mean_with_error(np.minimum(guesses, 4 - guesses) == number)

    for (name, phi, pool), gamma in zip(NETWORKS, (0, RELU, _pooled_gamma(4)), strict=True):
        for number in range(3):
            expected = (1 if number == 2 else 2) * _bar(stated, {g: gamma, D: 4, k: number})
            label = f"{name}: {number} of 4 data are the rarer guess"
            yield at_width(trial, label, partial(bar, number), expected, shape=(200, 4, 1000), phi=phi, pool=pool)
    yield worded(says, "for the {} networks", COUNTED[len(NETWORKS)])
    yield worded(says, "groups of {} in the maximum", max(pool for *_, pool in NETWORKS))
    law = igb.mlp(1).predict().G0.finite(20)
    yield agree("ReLU, 7 of 20 data by the toolkit", law.pmf(7), _bar(stated, {g: RELU, D: 20, k: 7}), 10)


def _bar(stated: Any, values: dict[Any, Any]) -> float:
    """Return the integral of the statement, by the trapezoidal rule."""
    mass = sp.lambdify(x, value_of(BAR, stated).function.subs(values), ["scipy", "numpy"])
    return float(np.trapezoid(mass(NORMAL), NORMAL))
