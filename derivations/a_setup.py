"""Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias.

One hidden layer of N units reads d components of a datum: h_j = sum_b w_jb xi_b, g_j = phi(h_j), O = sum_j w_j g_j. The
weights are centred, their variance is sigma_w^2 over the number of units read. Over the data (the weights W fixed) a
wide layer is Gaussian, O ~ N(mu, Var_chi); over the weights its centre mu = <O> is N(0, Var_W(mu)). Hence

    f_0(W) = P(O_0 > O_1) = Phi(Delta_mu / sqrt(2 Var_chi)) = Phi(sqrt(gamma) U),   gamma = Var_W(mu) / Var_chi,

with U ~ N(0, 1) over W, since Delta_mu = mu_0 - mu_1 has the variance 2 Var_W(mu).
"""

from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, rises, satisfies, shown
from igbtheory.claims import simulated as nets
from igbtheory.claims.gaussians import course, kappa_1, ncdf, npdf
from igbtheory.claims.simulated import Array, drawn_limit, mean_with_error, ratio_with_error, relu

SECTION = Section("Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias", "A 4")

x = sp.Symbol("x", real=True)
c, g, n, s, t, u = sp.symbols("c gamma n s t u", positive=True)
p = sp.Function("p")
SQUARE = u ** (n / 2 - 1) * sp.exp(-u / 2) / (2 ** (n / 2) * sp.gamma(n / 2))
"""Density of chi^2 with n degrees of freedom."""
RELU = 1 / (np.pi - 1)
"""Gamma of one ReLU layer, see A-ReLU."""


def _relu_average(of: Any) -> Any:
    """Return the mean of a polynomial `of(z, ReLU(z))`, z ~ N(0, 1)."""
    return sp.integrate(sp.expand(of(u, u) + of(-u, 0)) * npdf(u), (u, 0, sp.oo))


SECTION.untested(
    "a definition of the setting; every claim that needs it says so",
    ("A-setup-data", "", "The components of the data are independent N(0, 1)", r"\xi_b^{(a)} \sim \mathcal{N}(0, 1)"),
    (
        "A-setup-w",
        "",
        "Biases are 0; Kaiming: sigma_w^2 = 2",
        r"w_{ij}^{(l)} \sim \mathcal{N}(0, \sigma_w^2 / N_{l-1})",
    ),
    ("A-avg", "", "Over data first, then weights", r"\langle x \rangle = E_\chi(x \mid W), \quad \bar x = E_W(x)"),
    ("A-Dmu", "", "Difference of centres", r"\Delta_\mu = \langle O^{(0)} \rangle - \langle O^{(1)} \rangle"),
)
SECTION.untested(
    "a convention; see A-Thm4.1a / Eq3", ("A-Thm4.1-range", "", "N_l goes to infinity for every l, 0 included")
)
SECTION.untested(
    "see A-Def4.2 / Eq6", ("A-IGBdef2", "", "There is IGB if the f_c are disproportionate for D -> infinity")
)


@SECTION.holds(
    "A-Eq2",
    "f_0(W) is the integral of the density of Delta_O = O_0 - O_1 over the positive half line",
    printed=equation(r"f_0(\mathcal{W})", sp.Integral(p(x), (x, 0, sp.oo))),
    assumes="infinitely many data",
)
@SECTION.holds(
    "A-Eq1",
    "For infinitely many data f_c(W) is the probability that O_c exceeds O_{1-c}, the integral of the density of the "
    "difference over the positive half line",
    printed=equation(
        r"\lim_{D \to \infty} f_c(W) = P_\chi(O^{(c)} > O^{(1-c)} \mid W)", sp.Integral(p(x), (x, 0, sp.oo))
    ),
    assumes="two classes; the difference of the outputs has a density, so that there are no ties",
)
def fraction_is_a_probability(stated: Any) -> Findings:
    """Given W the guesses on independent data are independent coins of one probability P, so the mean square of f_c - P
    is P (1 - P)/D. The two forms of P are compared for exponential outputs of the rates a and b.
    """
    chance, data = sp.symbols("P D", positive=True)
    k = sp.Symbol("k", integer=True)
    law = sp.binomial(6, k) * chance**k * (1 - chance) ** (6 - k)
    square = sp.Sum(law * (sp.Rational(1, 6) * k - chance) ** 2, (k, 0, 6))
    yield identity("mean square of f_c - P, six data", square, chance * (1 - chance) / 6)
    yield identity("the same, infinitely many data", sp.Limit(chance * (1 - chance) / data, data, sp.oo), 0)
    a, b, first, second = sp.symbols("a b o_0 o_1", positive=True)
    joint = a * sp.exp(-a * first) * b * sp.exp(-b * second)
    density = sp.Lambda(x, sp.exp(-a * x) * a * b / (a + b))
    apart = sp.Integral(joint.subs(first, second + u), (second, 0, sp.oo))
    yield identity("density of O_0 - O_1", apart, density(u))
    beyond = sp.Integral(joint, (first, second, sp.oo), (second, 0, sp.oo))
    yield identity("P(O_0 > O_1)", beyond, stated.rhs.replace(p, density))
    gap = sp.Symbol("Delta_mu", real=True)
    gaussian = stated.rhs.replace(p, sp.Lambda(x, npdf(x, gap, sp.sqrt(2) * s)))
    yield identity("f_0 = Phi(Delta_mu/sqrt(2 Var_chi))", gaussian, sp.erfc(-gap / (2 * s)) / 2)


@SECTION.holds(
    "A-Thm4.1a / Eq3",
    "At fixed weights an output is Gaussian over the data: P_chi(O_c given W) -> N(<O_c>, Var_chi(O_c))",
    printed=equation(r"\lim_{N \to \infty} \kappa_4^\chi(O^{(c)}) / \mathrm{Var}_\chi(O^{(c)})^2", 0),
    assumes="all widths and the input dimension go to infinity (the paper's l = 0, ..., L); centred Gaussian data",
)
def outputs_are_gaussian(trial: Trial, stated: Any) -> Findings:
    """The formula is about the fourth cumulant. Let y_j = g_j - <g_j>, of variance v, and C = Cov_chi(y). Over the
    output weights E_w kappa_4(O) = 3 sigma_w^4 [Var_chi(sum_j y_j^2/N) - 2 tr C^2/N^2]. A unit with itself adds
    Var(y^2)/N and v^2/N. Two units, whose weights overlap by rho with E rho = 0 and E rho^2 = 1/d, have Cov(y_j^2,
    y_k^2) = sum_k b_k^2 rho^k and C_jk = a_1^2 rho + ..., with a_k and b_k the Hermite coefficients of y and y^2. So at
    d = N the excess kurtosis times N is 3 [Var(y^2) + b_2^2 - 2 v^2 - 2 a_1^4]/v^2.
    """
    m = 1 / sp.sqrt(2 * sp.pi)
    v, fourth = (_relu_average(lambda _, y, k=k: (y - m) ** k) for k in (2, 4))
    a_1 = _relu_average(lambda z, y: y * z)
    b_2 = _relu_average(lambda z, y: (y - m) ** 2 * (z**2 - 1)) / sp.sqrt(2)
    coefficient = sp.factor(3 * (fourth - 3 * v**2 + b_2**2 - 2 * a_1**4) / v**2)
    yield from _of_order_one_over_n(trial, "excess kurtosis", coefficient, stated.rhs, 0)


def _of_order_one_over_n(trial: Trial, name: str, coefficient: Any, limit: Any, power: int) -> Findings:
    """Findings that kappa_4 (power 0) or Var Var_chi (power 1) of an output, over (E Var_chi)^2, is coefficient/N for
    one ReLU layer and vanishes for two. The output weights w are averaged over exactly, and the number of data does not
    matter: of differences s, t of two data, (w . s)^2 (w . t)^2 has the mean (|s|^2 |t|^2 + 2 (s . t)^2)/N^2 over w.
    """

    def ratio(units: Array, scale: int = 1) -> tuple[float, float]:
        differences = units[:, ::2] - units[:, 1::2]
        products = (differences @ differences.transpose(0, 2, 1)).astype(np.float64) / units.shape[2]
        squares = np.einsum("naa->na", products)
        own = (squares**2).mean(axis=1)
        totals = squares.sum(axis=1) ** 2, (products**2).sum(axis=(1, 2))
        apart, across = ((total - 16 * own) / (16 * 15) for total in totals)
        moment = (apart + 2 * across) / 4 if power else (3 * own - 3 * apart - 6 * across) / 2
        value, error = ratio_with_error(moment, squares.mean(axis=1) / 2, 2)
        return scale * (value - power), scale * error

    def scaled(units: Array) -> tuple[float, float]:
        return ratio(units, units.shape[2])

    yield identity(f"{name} at large N", sp.Limit(coefficient / n, n, sp.oo), limit)
    one, two = (7000, 32, (32, 64)), (3500, 32, (16, 32, 64))
    yield drawn_limit(trial, f"N times the {name}, one ReLU layer", scaled, coefficient, 2 * power, shape=one)
    yield drawn_limit(trial, f"{name}, two layers", ratio, limit, shape=two, depth=2)


@SECTION.holds(
    "A-Thm4.1b",
    "The variance over the data of an output goes, with high probability, to a value that does not depend on the "
    "weights",
    printed=equation(
        r"\lim_{N \to \infty} \mathrm{Var}_W(\mathrm{Var}_\chi O^{(c)}) / (E_W \mathrm{Var}_\chi O^{(c)})^2", 0
    ),
    assumes="width to infinity at fixed depth",
)
def variance_over_the_data_concentrates(trial: Trial, stated: Any) -> Findings:
    """Var_chi = w^T C w. Over the output weights its variance is 2 sigma_w^4 tr C^2/N^2, of the order 1/N; the rest,
    that of its mean over the hidden weights, is of the order 1/(N d) in the first layer. So N Var_W(Var_chi)/(E
    Var_chi)^2 -> 2 (1 + a_1^4/v^2) for one ReLU layer, a_1 = 1/2, v = (1 - 1/pi)/2; then Chebyshev.
    """
    v, a_1 = (1 - 1 / sp.pi) / 2, sp.Rational(1, 2)
    yield from _of_order_one_over_n(trial, "relative variance", 2 * (1 + a_1**4 / v**2), stated.rhs, 1)


@SECTION.holds(
    "A-Thm4.1c / Eq4",
    "The centre <O_c> is N(0, Var_W(<O_c>)) over the weights",
    printed=equation(
        r"\lim_{N \to \infty} \kappa_4^W(\langle O^{(c)} \rangle) / \mathrm{Var}_W(\langle O^{(c)} \rangle)^2", 0
    ),
    assumes="width to infinity",
)
def centres_are_gaussian(trial: Trial, stated: Any) -> Findings:
    """Given the hidden weights <O> = sum_j w_j <g_j> is Gaussian with the variance S = sigma_w^2 sum <g_j>^2/N. So its
    excess kurtosis is 3 Var(S)/(E S)^2. In one ReLU layer S is a chi-squared variable of n = N d degrees, which gives
    6/(N d); in two it is of the order 1/N. The moments of S are products over quarters of the data, without bias.
    """
    first, second = (sp.Integral(u**k * SQUARE, (u, 0, sp.oo)) for k in (1, 2))
    yield identity("one ReLU layer: excess kurtosis of the centre", 3 * second / first**2 - 3, 6 / n)
    yield identity("in infinite width", sp.Limit(6 / n, n, sp.oo), stated.rhs)

    def kurtosis(units: Array) -> tuple[float, float]:
        means = units.reshape(len(units), 4, 25, -1).mean(axis=2, dtype=np.float64)
        once, again = (means[:, i] * means[:, i + 1] for i in (0, 2))
        product = 3 * once.mean(axis=1) * again.mean(axis=1)
        value, error = ratio_with_error(product, (once + again).mean(axis=1) / 2, 2)
        return value - 3, error

    shape = 5000, 100, (8, 16, 32)
    yield drawn_limit(trial, "excess kurtosis, two layers", kurtosis, stated.rhs, shape=shape, depth=2)


@SECTION.holds(
    "A-PSB",
    "Where the centres differ between the output nodes, the symmetry under permutations of the nodes is broken in each "
    "network and kept on average over the networks",
    printed=(
        equation(r"\overline{(\mu_0 - \mu_1)^2} / (2 \mathrm{Var}_\chi)", g),
        equation(r"\overline{\mu_0 - \mu_1}", 0),
    ),
    assumes="the weights of the nodes are independent and alike",
)
def symmetry_is_broken_in_each_network(trial: Trial, stated: Any) -> Findings:
    """Two nodes of one law over the data have one centre; so different centres break the symmetry of a network. Their
    distance in units of the spread over the data is gamma: 1/(pi - 1) for ReLU at every width (A-ReLU), 0 for a linear
    network. Over the weights the difference has the mean 0. Networks of 8 units are drawn, with two halves of the data.
    """
    for name, phi, gamma, against in (("ReLU", relu, RELU, 0), ("linear", lambda h: h, 0, RELU)):
        units = nets.hidden_units(trial.rng, (trial.draws(20_000), 32, 8), phi=phi)
        weights = trial.rng.standard_normal((len(units), 8, 16)) / 2  # sigma_w^2 = 2
        halves = units.reshape(len(units), 2, 16, 8).mean(axis=2, dtype=np.float64) @ weights
        gaps = halves[..., ::2] - halves[..., 1::2]
        both, own = nets.second_moments(units)
        found = ratio_with_error(gaps.prod(axis=1).mean(axis=1), 2 * 2 * (own - both))
        yield measured(trial, f"{name}: squared distance of two centres", *found, stated[0].rhs.subs(g, gamma), against)
        yield measured(trial, f"{name}: their mean distance", *mean_with_error(gaps), stated[1].rhs)


@SECTION.holds(
    "A-deep",
    "Where Var_W(mu) is much larger than Var_chi(O), P(O_0 > O_1 given W) is 1 or 0, as <O_0> > <O_1> or not",
    printed=(
        equation(r"\lim_{\gamma \to \infty} P_\chi(O^{(0)} > O^{(1)} \mid \Delta_\mu > 0)", 1),
        equation(r"\lim_{\gamma \to \infty} P_\chi(O^{(0)} > O^{(1)} \mid \Delta_\mu < 0)", 0),
    ),
)
@SECTION.holds(
    "A-Eq5",
    "Where Var_W(mu) is much smaller than Var_chi(O), both classes have the probability 1/2",
    printed=equation(r"\lim_{\gamma \to 0} P_\chi(\Delta_O > 0 \mid W)", sp.Rational(1, 2)),
)
def limits_of_the_bias(stated: Any) -> Findings:
    """f_0 = Phi(sqrt(gamma) U), for U = u > 0 and U = -u; U = 0 has the probability 0."""
    for part, sign in zip(stated if isinstance(stated, tuple) else (stated, stated), (1, -1), strict=True):
        limit = sp.Limit(ncdf(sign * sp.sqrt(g) * u), g, sp.oo if "infty" in part.lhs.name else 0)
        yield identity(f"f_0 for U = {'' if sign > 0 else '-'}u", limit, part.rhs)


@SECTION.fails(
    "A-Def4.2 / Eq6",
    "IGB is absent if and only if the limit of f_c(W) is 1/N_C for all classes c (given a W; no limit of the width). "
    "A linear network, which has no IGB, should then have f_c(W) = 1/3 for three classes",
    printed=equation(r"N\, \overline{(\lim_{D \to \infty} f_c(W) - 1/3)^2}", 0),
    assumes="in the formula: a linear network of N inputs, N_C = 3, N large",
    counter_example="""
# a linear network has no IGB (theorem 5.1); with three classes and any finite width f_c is not 1/3 for infinite data
W = np.random.default_rng(0).standard_normal((3, 20))
a, b = W[0] - W[1], W[0] - W[2]
r = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
f = 0.25 + np.arcsin(r) / (2 * np.pi)  # P(O_0 > O_1, O_0 > O_2) of Gaussian outputs, exact
assert 20 * (f - 1 / 3) ** 2 > printed + 0.001
""",
    correction="In the limit of infinite width, and for almost every W, the limit of f_c(W) is 1/N_C for all c if and "
    "only if gamma = 0. In a linear network with three classes f_c(W) goes to 1/3 as N^{-1/2}",
    right=equation(r"N\, \overline{(\lim_{D \to \infty} f_c(W) - 1/3)^2}", 3 / (16 * sp.pi**2)),
    right_assumes="in the formula: a linear network of N inputs, N_C = 3, N large",
)
def definition_of_the_bias(trial: Trial, stated: Any) -> Findings:
    """A definition is not true or false; the test is whether it means by IGB what the paper means by it. For two
    classes and a linear network it does: f_0 = 1/2 for every W. For three classes f_0 = 1/4 + arcsin(r)/(2 pi) with r =
    corr(O_0 - O_1, O_0 - O_2), which is 1/3 for r = 1/2 only. As N Var(r) -> (1 - r^2)^2, almost every linear network
    would be called biased. At gamma > 0 and in infinite width the centres differ with probability 1 (A-selfav).
    """
    r = sp.Symbol("r", real=True)
    half = sp.Rational(1, 2)
    slope = sp.Derivative(sp.Rational(1, 4) + sp.asin(r) / (2 * sp.pi), r)
    yield identity("(df_0/dr)^2 N Var(r)", sp.Limit(slope**2 * (1 - r**2) ** 2, r, half), stated.rhs)
    values = []
    for width in (40, 80):
        # Bartlett: the products of two rows of `width` normal numbers are those of the rows of a triangle
        triangle = np.zeros((trial.draws(1_000_000), 2, 2))
        triangle[:, 0, 0], triangle[:, 1, 1] = (np.sqrt(trial.rng.chisquare(width - k, len(triangle))) for k in (0, 1))
        triangle[:, 1, 0] = trial.rng.standard_normal(len(triangle))
        first, second = (np.linalg.cholesky([[2, 1], [1, 2]]) @ triangle).transpose(1, 0, 2)
        cosine = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
        values.append(mean_with_error(width * (np.arcsin(cosine) / (2 * np.pi) - 1 / 12) ** 2))
    yield nets.wide_limit(trial, "the same, linear networks", values, stated.rhs)


@SECTION.holds(
    "A-dist",
    "Increasing IGB leads to points uniformly moving away from decision boundaries",
    printed=sp.Lt(
        sp.Symbol(r"\forall t > 0: \frac{\partial}{\partial \gamma} P(|\Delta_O| \le t \sqrt{2 \mathrm{Var}_\chi})"), 0
    ),
    assumes="Gaussian outputs; distances in units of the spread of Delta_O over the data",
)
def points_move_away(stated: Any) -> Findings:
    """Read as: for every distance t, fewer points lie within t of the boundary Delta_O = 0. In units of its spread,
    Delta_O = a + z with a = sqrt(gamma) U and z ~ N(0, 1) over the data; over the networks a + z is N(0, 1 + gamma).
    """
    a = sp.Symbol("a", positive=True)
    slope = -sp.sqrt(2 / sp.pi) * sp.exp(-(t**2 + a**2) / 2) * sp.sinh(t * a)
    inside = sp.Derivative(ncdf(t - a) - ncdf(-t - a), a)
    yield identity("share within t of the boundary, one network", inside, sp.expand(slope.rewrite(sp.exp)))
    mixed = sp.Integral(npdf(x, 0, sp.sqrt(1 + g)), (x, -t, t))
    slope = -t * npdf(t, 0, sp.sqrt(1 + g)) / (1 + g)
    yield identity("and over the networks", sp.Derivative(mixed, g), slope)
    yield satisfies("gamma = 0.7, t = 0.4", stated, {stated.lhs: slope.subs({g: 0.7, t: 0.4})})
    yield identity("the bound is sharp: t to 0", sp.Limit(slope, t, 0), stated.rhs)


@SECTION.holds(
    "A-1stlayer",
    "Regardless of the activation, in the first hidden layer the symmetry is not broken: its pre-activations are "
    "identically distributed",
    printed=equation(r"\gamma^{(1)}", 0),
    assumes="data centred at 0; the input dimension goes to infinity",
)
def first_layer_is_symmetric(stated: Any) -> Findings:
    """h_i = sum_b w_ib xi_b is N(0, sum_b w_ib^2) at fixed weights: no centre differs. The variances vary by 2/d."""
    yield identity("centre of h_i", sp.Integral(x * npdf(x, 0, s), (x, -sp.oo, sp.oo)), stated.rhs)
    spread = sp.Integral(u**2 * SQUARE, (u, 0, sp.oo)) / n**2 - 1
    yield identity("relative variance of Var_chi(h_i), d = n", spread, 2 / n)
    yield identity("the same at large d", sp.Limit(2 / n, n, sp.oo), 0)
    for name in ("relu", "sigmoid", "x**2", "exp(x/4)"):
        gamma = float(igb.mlp(1, name).predict().per_layer.gamma[0])
        yield agree(f"gamma of the first layer by the toolkit, {name}", gamma, stated.rhs)


@SECTION.fails(
    "A-depthIGB",
    "Propagating from a layer with broken symmetry to the next increases the difference between the distributions of "
    "the nodes; depth does not initiate IGB but amplifies it",
    printed=(
        sp.Gt(sp.Symbol(r"\gamma_{l+1}"), sp.Symbol("gamma_l")),
        sp.Implies(equation("gamma_1", 0), equation("gamma_2", 0)),
    ),
    counter_example="""
from math import asin, pi, sqrt
# 1. depth does not amplify: phi = erf, sigma_w^2 = 2, no biases, inputs of mean 1 and variance 1
q_aa, q_ab = 4.0, 2.0  # gamma = 1; E erf(h_a) erf(h_b) = (2/pi) arcsin(2 q_ab/(1 + 2 q_aa)) (Williams)
q_aa, q_ab = (4 / pi * asin(2 * q / (1 + 2 * q_aa)) for q in (q_aa, q_ab))
assert 0 < q_ab / (q_aa - q_ab) < 0.9
# 2. depth does initiate: phi = max(x, 0) - 1/sqrt(pi) has no bias in a network of one layer, and has it with two
mean = lambda q: sqrt(q / (2 * pi)) - 1 / sqrt(pi)  # <phi(h)>, h ~ N(0, q)
assert abs(mean(2.0)) < 1e-15             # Var_W(mu) = 2 mean^2 = 0 behind the first layer
assert mean(2 * (1 - 1 / pi)) ** 2 > 0.009  # q of the second layer: Var_W(mu) > 0 behind it
""",
)
def depth_amplifies(stated: Any) -> Findings:
    """With zero biases, centred data and sigma_w^2 = 2, as in the paper, phi = sin 2x + x^2/(1 + x^2) breaks the
    symmetry behind its first layer, and gamma then falls with depth. ReLU less 1/sqrt(pi), its mean behind the first
    layer, has another mean behind the second, where the variance is 2 - 2/pi.
    """
    q_aa, q_ab = course(lambda h: np.sin(2 * h) + h**2 / (1 + h**2), 2.0, 0.0, 2).T
    gammas = (q_ab / (q_aa - q_ab))[1:]
    toolkit = igb.mlp(2, "sin(2*x)+x**2/(1+x**2)").predict().gamma
    yield agree("sin 2x + x^2/(1 + x^2): gamma_2 of the toolkit", toolkit, gammas[1], 9)
    values = dict(zip((stated[0].rhs, stated[0].lhs), gammas, strict=True))
    yield satisfies("sin 2x + x^2/(1 + x^2): gamma_2 and gamma_1", stated[0], values)
    means = [sp.sqrt(q / (2 * sp.pi)) - 1 / sp.sqrt(sp.pi) for q in (2, 2 - 2 / sp.pi)]
    first, second = (sp.simplify(2 * mean**2) for mean in means)  # Var_W(mu), which is 0 where gamma is
    held = stated[1].subs({sp.Symbol("gamma_1"): first, sp.Symbol("gamma_2"): second})
    yield shown("ReLU less its mean: Var_W(mu) of one and two layers", held, f"{first} and {sp.N(second, 6)}")


@SECTION.corrects(
    "A-depthIGB",
    "Without biases, ReLU (or any non-linear positively homogeneous activation) increases gamma at every layer, as it "
    "takes c = gamma/(1 + gamma) to kappa_1(c) > c, and an odd activation keeps gamma = 0 on centred data; for other "
    "activations depth may weaken the bias or initiate it",
    right=(sp.Gt(kappa_1(c), c), equation(r"\gamma_l^{\mathrm{odd}}", 0)),
    assumes="zero biases, infinite width, c < 1",
)
def depth_amplifies_homogeneous(stated: Any) -> Findings:
    """A homogeneous phi has one map c' = K(c) for all variances; normalised, K(c) = sum a_k^2 c^k with sum a_k^2 = 1.
    phi = p max(x, 0) - m max(-x, 0) has a part of ReLU's rise, unless p = m. For an odd phi <phi(h)> = 0.
    """
    p_, m = sp.symbols("p m", positive=True)
    rise = stated[0].lhs - stated[0].rhs
    yield identity("slope of kappa_1(c) - c", sp.Derivative(rise, c), -sp.acos(c) / sp.pi)
    yield identity("its end at c = 1", sp.Limit(rise, c, 1, "-"), 0)
    # E phi(u) phi(v): max(u, 0) max(v, 0) has kappa_1(c)/2, max(u, 0) max(-v, 0) has kappa_1(-c)/2
    homogeneous = ((p_**2 + m**2) * kappa_1(c) - 2 * p_ * m * kappa_1(-c)) / (p_**2 + m**2)
    share = (p_ - m) ** 2 / (p_**2 + m**2)
    yield identity("homogeneous phi: K(c) - c", (homogeneous - c).rewrite(sp.asin), share * rise.rewrite(sp.asin))
    odd = sp.Integral(sp.erf(x) * npdf(x, 0, s), (x, -sp.oo, sp.oo))
    yield identity("erf: <phi(h)>", odd, stated[1].rhs)
    yield rises("leaky ReLU by the toolkit, 30 layers: gamma", igb.mlp(30, "leaky_relu").predict().per_layer.gamma)
    yield agree("tanh by the toolkit, 30 layers", igb.mlp(30, "tanh").predict().gamma, stated[1].rhs)
