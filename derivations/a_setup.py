"""Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias.

One hidden layer of N units reads d components of a datum: h_j = sum_b w_jb xi_b, g_j = phi(h_j), O = sum_j w_j g_j. The
weights are centred, their variance is sigma_w^2 over the number of units read. Over the data (the weights W fixed) a
wide layer is Gaussian, O ~ N(mu, Var_chi); over the weights its centre mu = <O> is N(0, Var_W(mu)). Hence

    f_0(W) = P(O_0 > O_1) = Phi(Delta_mu / sqrt(2 Var_chi)) = Phi(sqrt(gamma) U),   gamma = Var_W(mu) / Var_chi,

with U ~ N(0, 1) over W, since Delta_mu = mu_0 - mu_1 has the variance 2 Var_W(mu).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import ndtr

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    rises,
    satisfies,
    settings,
    shown,
    value_of,
    worded,
)
from igbtheory.claims import simulated as nets
from igbtheory.claims.formula import evaluated
from igbtheory.claims.gaussians import g0_variance, kappa_1, mean_of, mean_of_pair, ncdf, npdf, relu_moment
from igbtheory.claims.quantities import E_W, VAR_CHI, VAR_W
from igbtheory.claims.simulated import Array, drawn_limit, mean_with_error, ratio_with_error, relu

SECTION = Section("Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias", "A 4")

x, z = sp.symbols("x z", real=True)
c, g, n, s, t, u, D, N = sp.symbols("c gamma n s t u D N", positive=True)
N_C = sp.Symbol("N_C", integer=True, positive=True)
p = sp.Function(r"p_\Delta")
"""Density over the data of a difference of outputs."""
F_C, F_ALL = sp.Function("f_c"), sp.Symbol("f_c")
"""Fraction of guesses for class c, of D data and of infinitely many."""
F_0, F_GIVEN = sp.Symbol("f_0"), sp.Function("f_0")
"""The same of infinitely many for class 0, and given gamma and Delta_mu."""
OUTPUT, CENTRE = sp.Function("O_c")(N), sp.Function(r"\mu_c")(N)
"""An output, and its mean over the data, in a network of width N."""
GAP, SPREAD = sp.symbols(r"\Delta_\mu \mathrm{Var}_\chi")
"""Distance of the centres of the two outputs; variance of an output over the data."""
NEAR = sp.Function("P")
"""Share of the data so near to the boundary, as a function of the distance and of gamma."""
OF_FIRST = sp.Symbol(r"\gamma^{(1)}")
"""Gamma of the pre-activations of the first layer."""
FIRST, SECOND, LAYER, NEXT = sp.symbols(r"\gamma_1 \gamma_2 \gamma_l \gamma_{l+1}")
"""Gamma behind so many layers."""
KURTOSIS_CHI, KURTOSIS_W = sp.Function(r"\mathrm{kurt}_\chi"), sp.Function(r"\mathrm{kurt}_W")
"""Excess kurtosis, over the data and over the weights; 0 of a Gaussian."""
SQUARE = u ** (n / 2 - 1) * sp.exp(-u / 2) / (2 ** (n / 2) * sp.gamma(n / 2))
"""Density of chi^2 with n degrees of freedom."""
RELU = 1 / (np.pi - 1)
"""Gamma of one ReLU layer, see A-ReLU."""


def _relu_average(of: Any) -> Any:
    """Return the mean of a polynomial `of(z, ReLU(z))`, z ~ N(0, 1)."""
    terms = sp.Poly(of(u, u) + of(-u, 0), u).terms()
    return sum(value * evaluated(relu_moment(power)) for (power,), value in terms)


SECTION.definitions(
    "a definition of the setting; every claim that needs it says so",
    (
        "A-setup-data",
        "section 4, Setting and Main Notation",
        "The components of the data are N(0, 1)",
        r"\xi_b^{(a)} \sim \mathcal{N}(0, 1)",
    ),
    (
        "A-setup-w",
        "section 4, Setting and Main Notation",
        "The weights are normal, by Kaiming's scheme, and all biases are 0",
        r"w_{ij}^{(l)} \sim \mathcal{N}(0, \sigma_w^2 / N_{l-1})",
    ),
    (
        "A-avg",
        "section 4, Two Kinds of Averages",
        "Averages are over the data, and over the weights",
        r"\langle x \rangle = E_\chi(x \mid W), \quad \bar x = E_W(x)",
    ),
    (
        "A-Dmu",
        "section 4, below Eq. 2",
        "The difference of the centres of the two outputs",
        r"\Delta_\mu = \langle O^{(0)} \rangle - \langle O^{(1)} \rangle",
    ),
)
SECTION.definitions(
    "a convention; see A-Thm4.1a / Eq3",
    ("A-Thm4.1-range", "Theorem 4.1", "The number N_l of neurons goes to infinity for every l from 0 to L"),
)
SECTION.definitions(
    "see A-Def4.2 / Eq6",
    ("A-IGBdef2", "Definition 4.2", "There is IGB if the f_c are disproportionate even for D -> infinity"),
)


@SECTION.holds(
    "A-Eq2",
    "The fraction f_0 of guesses, as an integral of the density of Delta_O = O_0 - O_1",
    at="Eq. 2",
    printed=equation(F_0, sp.Integral(p(x), (x, 0, sp.oo))),
    assumes="“in the limit of infinite datapoints” (section 4, above Eq. 1)",
)
@SECTION.holds(
    "A-Eq1",
    "The fraction f_c of guesses is in the limit the probability that O_c is the output that wins, an integral of the "
    "density of the difference of the outputs",
    at="Eq. 1",
    printed=equation(sp.Limit(F_C(D), D, sp.oo), sp.Integral(p(x), (x, 0, sp.oo))),
    assumes="“a set of two nodes (one for each class)” (section 4, Setting and Main Notation)",
    where="p_Delta is the density of the difference of the outputs, which leaves no ties",
)
def fraction_is_a_probability(stated: Any) -> Findings:
    """Given W the guesses on independent data are independent coins of one probability P, so that f_c = P + sqrt(P (1 -
    P)/D) z with z of mean 0 and variance 1. P and the integral are compared for exponential outputs of the rates a, b.
    """
    chance = sp.Symbol("P", positive=True)
    k = sp.Symbol("k", integer=True)
    law = sp.binomial(6, k) * chance**k * (1 - chance) ** (6 - k)
    square = sp.Sum(law * (sp.Rational(1, 6) * k - chance) ** 2, (k, 0, 6))
    yield identity("mean square of f_c - P, six data", square, chance * (1 - chance) / 6)
    a, b, first, second = sp.symbols("a b o_0 o_1", positive=True)
    joint = a * b * sp.exp(-a * first - b * second)
    density = sp.Lambda(x, sp.exp(-a * x) * a * b / (a + b))
    apart = sp.Integral(joint.subs(first, second + u), (second, 0, sp.oo))
    yield identity("density of O_0 - O_1", apart, density(u))
    wins = sp.Integral(joint, (first, second, sp.oo), (second, 0, sp.oo)).doit()
    share = stated.lhs.subs({F_0: wins, F_C(D): _of_coins(wins)})
    yield identity("f_0 for infinitely many data", share, stated.rhs.replace(p, density), of=stated.lhs)
    gap = sp.Symbol("Delta_mu", real=True)
    gaussian = stated.rhs.replace(p, sp.Lambda(x, npdf(x, gap, sp.sqrt(2) * s)))
    yield identity("f_0 = Phi(Delta_mu/sqrt(2 Var_chi))", gaussian, sp.erfc(-gap / (2 * s)) / 2)


def _of_coins(chance: Any) -> Any:
    """Return the fraction of D coins of this chance, z standard deviations from its mean."""
    return chance + z * sp.sqrt(chance * (1 - chance) / D)


@SECTION.holds(
    "A-Thm4.1a / Eq3",
    "At fixed weights an output is Gaussian over the data: P_chi(O_c given W) -> N(<O_c>, Var_chi(O_c))",
    at="Theorem 4.1, Eq. 3",
    printed=equation(sp.Limit(KURTOSIS_CHI(OUTPUT), N, sp.oo), 0),
    assumes="“in the limit of infinite width” (Theorem 4.1); “a centred Gaussian blob” (footnote 2)",
    where="kurt is the excess kurtosis; N stands for all widths and the input dimension, version 4 has l = 0, ..., L",
)
def outputs_are_gaussian(trial: Trial, stated: Any) -> Findings:
    """Let y_j = g_j - <g_j>, of variance v, and C = Cov_chi(y). Over the
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
    at_large_n = stated.lhs.subs(KURTOSIS_CHI(OUTPUT), coefficient / N)
    yield identity("excess kurtosis at large N", at_large_n, stated.rhs)
    yield from _of_order_one_over_n(trial, "excess kurtosis", coefficient, stated.rhs, 0)


def _of_order_one_over_n(trial: Trial, name: str, coefficient: Any, limit: Any, power: int) -> Findings:
    """Findings that kappa_4 (power 0) or Var Var_chi (power 1) of an output, over (E Var_chi)^2, is coefficient/N for
    one ReLU layer and has the limit for two. The output weights w are averaged over exactly, and the number of data
    does not matter: of differences s, t of two data, (w . s)^2 (w . t)^2 has over w the mean (|s|^2 |t|^2 + 2 (s .
    t)^2)/N^2.
    """

    def ratio(units: Array, scale: int = 1) -> tuple[float, float]:
        differences = units[:, ::2] - units[:, 1::2]
        products = (differences @ differences.transpose(0, 2, 1)).astype(np.float64) / units.shape[2]
        squares = np.einsum("naa->na", products)
        own, pairs = (squares**2).mean(axis=1), squares.shape[1]
        totals = squares.sum(axis=1) ** 2, (products**2).sum(axis=(1, 2))
        apart, across = ((total - pairs * own) / (pairs * (pairs - 1)) for total in totals)
        moment = (apart + 2 * across) / 4 if power else (3 * own - 3 * apart - 6 * across) / 2
        value, error = ratio_with_error(moment, squares.mean(axis=1) / 2, 2)
        return scale * (value - power), scale * error

    def scaled(units: Array) -> tuple[float, float]:
        return ratio(units, units.shape[2])

    one, two = (4000, 32, (32, 64)), (3500, 16, (16, 32, 64))
    yield drawn_limit(trial, f"N times the {name}, one ReLU layer", scaled, coefficient, 2 * power, shape=one)
    yield drawn_limit(trial, f"{name}, two layers", ratio, limit, shape=two, depth=2)


@SECTION.holds(
    "A-Thm4.1b",
    "The variance over the data of an output “converges with high probability (w.h.p.) to a deterministic value”",
    at="Theorem 4.1",
    printed=equation(sp.Limit(VAR_W(VAR_CHI(OUTPUT) / E_W(VAR_CHI(OUTPUT))), N, sp.oo), 0),
    assumes="“in the limit of infinite width” (Theorem 4.1)",
)
def variance_over_the_data_concentrates(trial: Trial, stated: Any) -> Findings:
    """Var_chi = w^T C w. Over the output weights its variance is 2 sigma_w^4 tr C^2/N^2, of the order 1/N; the rest,
    that of its mean over the hidden weights, is of the order 1/(N d) in the first layer. So N Var_W(Var_chi)/(E
    Var_chi)^2 -> 2 (1 + a_1^4/v^2) for one ReLU layer, a_1 = 1/2, v = (1 - 1/pi)/2; then Chebyshev.
    """
    v, a_1 = (1 - 1 / sp.pi) / 2, sp.Rational(1, 2)
    coefficient = 2 * (1 + a_1**4 / v**2)
    relative = VAR_CHI(OUTPUT) / E_W(VAR_CHI(OUTPUT))
    yield identity("relative variance at large N", stated.lhs.subs(VAR_W(relative), coefficient / N), stated.rhs)
    yield from _of_order_one_over_n(trial, "relative variance", coefficient, stated.rhs, 1)


@SECTION.holds(
    "A-Thm4.1c / Eq4",
    "The centre mu_c = <O_c> is N(0, Var_W(mu_c)) over the weights",
    at="Theorem 4.1, Eq. 4",
    printed=equation(sp.Limit(KURTOSIS_W(CENTRE), N, sp.oo), 0),
    assumes="“in the limit of infinite width” (Theorem 4.1)",
    where="kurt is the excess kurtosis",
)
def centres_are_gaussian(trial: Trial, stated: Any) -> Findings:
    """Given the hidden weights <O> = sum_j w_j <g_j> is Gaussian with the variance S = sigma_w^2 sum <g_j>^2/N. So its
    excess kurtosis is 3 Var(S)/(E S)^2. In one ReLU layer S is a chi-squared variable of n = N d degrees, which gives
    6/(N d); in two it is of the order 1/N. The moments of S are products over quarters of the data, without bias.
    """
    first, second = (sp.Integral(u**k * SQUARE, (u, 0, sp.oo)) for k in (1, 2))
    yield identity("one ReLU layer: excess kurtosis of the centre", 3 * second / first**2 - 3, 6 / n)
    yield identity("the same at large N = d", stated.lhs.subs(KURTOSIS_W(CENTRE), 6 / N**2), stated.rhs)

    def kurtosis(units: Array) -> tuple[float, float]:
        means = units.reshape(len(units), 4, 4, -1).mean(axis=2, dtype=np.float64)
        once, again = (means[:, i] * means[:, i + 1] for i in (0, 2))
        product = 3 * once.mean(axis=1) * again.mean(axis=1)
        value, error = ratio_with_error(product, (once + again).mean(axis=1) / 2, 2)
        return value - 3, error

    shape = 3000, 16, (16, 32, 64)
    yield drawn_limit(trial, "excess kurtosis, two layers", kurtosis, stated.rhs, shape=shape, depth=2)


@SECTION.holds(
    "A-PSB",
    "Where the centres differ between the output nodes, the symmetry under permutations of the nodes is broken in each "
    "network and kept on average over the networks",
    at="section 4, below Theorem 4.1",
    printed=(equation(E_W(GAP**2) / (2 * SPREAD), g), equation(E_W(GAP), 0)),
    assumes="“any set of independent weights drawn from a centered distribution” (section 4, Setting and Main "
    "Notation)",
)
def symmetry_is_broken_in_each_network(trial: Trial, stated: Any) -> Findings:
    """Two nodes of one law over the data have one centre; so different centres break the symmetry of a network. Their
    distance in units of the spread over the data is gamma: 1/(pi - 1) for ReLU at every width (A-ReLU), 0 for a linear
    network. Over the weights the difference has the mean 0. Networks of 8 units are drawn, with two halves of the data.
    """
    # Var_chi = sigma_w^2 (m_2 - m_1^2), with sigma_w^2 = 2
    cases = ("ReLU", relu, 2 * (1 - 1 / np.pi), RELU, 0), ("linear", lambda h: h, 4, 0, RELU)
    for name, phi, spread, gamma, against in cases:
        units = nets.hidden_units(trial.rng, (trial.draws(20_000), 32, 8), phi=phi)
        weights = trial.rng.standard_normal((len(units), 8, 16)) / 2  # sigma_w^2 = 2
        halves = units.reshape(len(units), 2, 16, 8).mean(axis=2, dtype=np.float64) @ weights
        gaps = halves[..., ::2] - halves[..., 1::2]
        square = value_of(E_W(GAP**2), stated).subs(SPREAD, spread)
        expected, other = (square.subs(g, value) for value in (gamma, against))
        squares = mean_with_error(gaps.prod(axis=1))
        yield measured(trial, f"{name}: squared distance of two centres", *squares, expected, other)
        yield measured(trial, f"{name}: their mean distance", *mean_with_error(gaps), value_of(E_W(GAP), stated))


@SECTION.holds(
    "A-deep",
    "Where the fluctuations of the centres dominate those over the data, the class of the upper centre wins",
    at="section 4, Deep IGB",
    printed=(
        equation(sp.Limit(F_GIVEN(g, u), g, sp.oo), 1),
        equation(sp.Limit(F_GIVEN(g, -u), g, sp.oo), 0),
    ),
    where="f_0(gamma, u) is P(O_0 > O_1 given W) in a network whose Delta_mu is u standard deviations",
)
@SECTION.holds(
    "A-Eq5",
    "Where the fluctuations over the data dominate those of the centres, “the probability of both classes is equal "
    "to 1/2”",
    at="section 4, Absence of IGB, Eq. 5",
    printed=equation(sp.Limit(F_GIVEN(g, u), g, 0), sp.Rational(1, 2)),
    where="f_0(gamma, u) is P(Delta_O > 0 given W) in a network whose Delta_mu is u standard deviations",
)
def limits_of_the_bias(stated: Any, says: str) -> Findings:
    """f_0 = Phi(sqrt(gamma) U), for U = u > 0 and U = -u; U = 0 has the probability 0."""
    given = {F_GIVEN(g, sign * u): ncdf(sign * sp.sqrt(g) * u) for sign in (1, -1)}
    for part in stated if isinstance(stated, tuple) else (stated,):
        yield identity("limit of f_0", part.lhs.subs(given), part.rhs)
    if isinstance(stated, tuple):
        upper = stated[0].lhs.subs(given).doit()
        yield worded(says, "the class of the {} centre wins", "upper" if upper == 1 else "lower")


@SECTION.limited(
    "A-Def4.2 / Eq6",
    "“We have an absence of IGB if and only if” the fractions of guesses for the classes are alike in the limit of "
    "many data",
    at="Definition 4.2, Eq. 6",
    printed=equation(sp.Limit(F_C(D), D, sp.oo), 1 / N_C),
    assumes="“in the limit of infinite width” (Theorem 4.1) almost surely over W, or N_C = 2 and a linear network",
    counter_example="""
# a linear network has gamma = 0; with three classes and 20 inputs f_c is not 1/3 for infinitely many data
W = np.random.default_rng(0).standard_normal((3, 20))
a, b = W[0] - W[1], W[0] - W[2]
r = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
f = 0.25 + np.arcsin(r) / (2 * np.pi)  # P(O_0 > O_1, O_0 > O_2) of Gaussian outputs, exact
assert abs(f - printed.subs(N_C, 3)) > 0.01
""",
    where="the formula is for a network with gamma = 0, and for each class c",
)
def definition_of_the_bias(stated: Any, says: str) -> Findings:
    """In infinite width the outputs are Gaussian of one variance and not correlated over the data. At gamma = 0 they
    have one centre, and the class whose output is x gets the guess with the probability Phi(x)^(N_C - 1). At gamma > 0
    the centres differ with probability 1 (A-selfav). For two classes Delta_O of a linear network is centred at every W.
    """
    below = ncdf(x) ** N_C / N_C
    yield identity("share of class c at O_c = x", sp.Derivative(below, x), npdf(x) * ncdf(x) ** (N_C - 1))
    share = sp.Limit(below, x, sp.oo).doit() - sp.Limit(below.subs(N_C, 3), x, -sp.oo).doit()
    yield identity("f_c at gamma = 0", stated.lhs.subs(F_C(D), _of_coins(share)), stated.rhs)
    linear = sp.Integral(npdf(x, 0, s), (x, 0, sp.oo))
    pair, activation = 2, "linear"
    yield identity("two classes, linear, |w_0 - w_1| = s", linear, stated.rhs.subs(N_C, pair))
    yield agree("a linear network by the toolkit: Var(f_0)", igb.mlp(1, activation).predict().G0.var(), 0)
    yield worded(says, "N_C = {} and a {} network", pair, activation)
    law = igb.mlp(1).predict().G0
    yield agree("ReLU by the toolkit: Var(f_0) > 0", law.var(), g0_variance(RELU), 10)


@SECTION.corrects(
    "A-Def4.2 / Eq6",
    "In a linear network of N inputs, which has gamma = 0, the fractions of guesses for three classes differ: the "
    "mean square of their distance from a third is in inverse proportion to N",
    right=equation(sp.Limit(N * E_W((F_ALL - sp.Rational(1, 3)) ** 2), N, sp.oo), 3 / (16 * sp.pi**2)),
    where="f_c is the fraction for infinitely many data",
)
def fractions_of_three_classes(trial: Trial, stated: Any, says: str) -> Findings:
    """f_0 = 1/4 + arcsin(r)/(2 pi) with r = corr(O_0 - O_1, O_0 - O_2), which is 1/3 for r = 1/2 only. N Var(r) -> (1 -
    r^2)^2. So Definition 4.2 calls almost every linear network of finite width biased.
    """
    activation, classes = "linear", 3
    yield worded(says, "In a {} network", activation)
    yield worded(says, "gamma = {:g}", igb.mlp(1, activation).predict().gamma)
    yield worded(says, "for {} classes", settings.COUNTED[classes])
    r = sp.Symbol("r", real=True)
    square = E_W((F_ALL - sp.Rational(1, 3)) ** 2)
    slope = sp.diff(sp.Rational(1, 4) + sp.asin(r) / (2 * sp.pi), r).subs(r, sp.Rational(1, 2))
    at_large_n = slope**2 * (1 - sp.Rational(1, 4)) ** 2 / N
    yield identity("N (df_0/dr)^2 Var(r)", stated.lhs.subs(square, at_large_n), stated.rhs)
    values = []
    for width in (40, 80):
        # Bartlett: the products of two rows of `width` normal numbers are those of the rows of a triangle
        triangle = np.zeros((trial.draws(400_000), 2, 2))
        triangle[:, 0, 0], triangle[:, 1, 1] = (np.sqrt(trial.rng.chisquare(width - k, len(triangle))) for k in (0, 1))
        triangle[:, 1, 0] = trial.rng.standard_normal(len(triangle))
        first, second = (np.linalg.cholesky(np.eye(classes - 1) + 1) @ triangle).transpose(1, 0, 2)
        cosine = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
        values.append(mean_with_error(width * (np.arcsin(cosine) / (2 * np.pi) - 1 / 12) ** 2))
    yield nets.wide_limit(trial, "the same, linear networks", values, stated.rhs)


@SECTION.holds(
    "A-dist",
    "Points move away from the decision boundaries with increasing IGB",
    at="section 4, below Definition 4.2",
    printed=sp.Lt(sp.Derivative(NEAR(t, g), g), 0),
    assumes="“asymptotically Gaussian distribution of output” (section 4, below Definition 4.2)",
    where="P(t, gamma) is the share of points within t > 0 of the boundary, where distances are in units of the "
    "spread of Delta_O over the data",
)
def points_move_away(stated: Any, says: str) -> Findings:
    """Read as: for every distance t, fewer points lie within t of the boundary Delta_O = 0. In units of its spread,
    Delta_O = a + z with a = sqrt(gamma) U and z ~ N(0, 1) over the data; over the networks a + z is N(0, 1 + gamma).
    """
    a = sp.Symbol("a", positive=True)
    slope = -sp.sqrt(2 / sp.pi) * sp.exp(-(t**2 + a**2) / 2) * sp.sinh(t * a)
    inside = sp.Derivative(ncdf(t - a) - ncdf(-t - a), a)
    yield identity("share within t of the boundary, one network", inside, sp.expand(slope.rewrite(sp.exp)))
    mixed = ncdf(t / sp.sqrt(1 + g)) - ncdf(-t / sp.sqrt(1 + g))
    slope = stated.lhs.subs(NEAR(t, g), mixed)
    yield identity("and over the networks", slope, -t * npdf(t, 0, sp.sqrt(1 + g)) / (1 + g))
    values = {NEAR(t, g): mixed, g: sp.Rational(7, 10), t: sp.Rational(2, 5)}
    yield satisfies("gamma = 0.7, t = 0.4", stated, values)
    yield identity("the bound is sharp: t to 0", sp.Limit(slope.doit(), t, 0), stated.rhs)
    less, more = (mixed.subs({g: gamma, t: 1}).evalf() for gamma in (0.1, 0.2))
    yield worded(says, "with {} IGB", "increasing" if more < less else "decreasing")


@SECTION.holds(
    "A-1stlayer",
    "“Regardless of the activation function in the first hidden layer, PSB doesn't occur”: gamma of the "
    "pre-activations of that layer",
    at="section 4, below Definition 4.2",
    printed=equation(OF_FIRST, 0),
    assumes="“a centred Gaussian blob” (footnote 2); “in the limit of infinite width” (Theorem 4.1), with the inputs "
    "as the lowest of the layers",
)
def first_layer_is_symmetric(stated: Any) -> Findings:
    """h_i = sum_b w_ib xi_b is N(0, sum_b w_ib^2) at fixed weights: no centre differs. The variances vary by 2/d."""
    centre = sp.Integral(x * npdf(x, 0, s), (x, -sp.oo, sp.oo))
    yield identity(
        "gamma of the first layer: squared centre of h_i over its variance",
        centre**2 / s**2,
        value_of(OF_FIRST, stated),
    )
    spread = sp.Integral(u**2 * SQUARE, (u, 0, sp.oo)) / n**2 - 1
    yield identity("relative variance of Var_chi(h_i), d = n", spread, 2 / n)
    yield identity("the same at large d", sp.Limit(2 / n, n, sp.oo), 0)
    for name in ("relu", "sigmoid", "x**2", "exp(x/4)"):
        gamma = float(igb.mlp(1, name).predict().per_layer.gamma[0])
        yield agree(f"gamma of the first layer by the toolkit, {name}", gamma, value_of(OF_FIRST, stated))


KAIMING = 2
"""The variance sigma_w^2 of Kaiming's scheme."""
SHALLOW, DEEP = 10, 20
"""Depths between which the bias of GELU falls."""
C_NEXT = sp.Symbol("c'")
"""Correlation of two data in the layer behind the one where it is c."""


@SECTION.limited(
    "A-depthIGB",
    "“Starting from a layer with PSB and propagating the signal to the next layer increases the difference between "
    "node distributions”, and “network depth does not initiate IGB”",
    at="section 4, below Definition 4.2, and section 2",
    printed=(
        sp.Gt(NEXT, LAYER),
        sp.Implies(equation(FIRST, 0), equation(SECOND, 0)),
    ),
    assumes="ReLU with no biases for the increase, tanh with no biases for the start; “a centred Gaussian blob” "
    "(footnote 2)",
    counter_example="""
from math import pi, sqrt
from scipy.special import ndtr
# 1. depth does not amplify: GELU, sigma_w^2 = 2, no biases, centred data; z and p are nodes and weights for N(0, 1)
z = np.linspace(-9, 9, 361)
p = np.exp(-z**2 / 2) / np.exp(-z**2 / 2).sum()
gelu = lambda h: h * ndtr(h)
q_aa, q_ab, gamma = 2.0, 0.0, [0.0]
for _ in range(20):
    h = sqrt(q_ab) * z[:, None] + sqrt(q_aa - q_ab) * z
    q_aa, q_ab = 2 * p @ gelu(h) ** 2 @ p, 2 * p @ (gelu(h) @ p) ** 2
    gamma.append(q_ab / (q_aa - q_ab))
assert gamma[20] < gamma[16] < gamma[13] and gamma[20] < gamma[10] - 0.05
# 2. depth does initiate: max(x, 0) - 1/sqrt(pi) has no bias in a network of one layer, and has it with two
mean = lambda q: sqrt(q / (2 * pi)) - 1 / sqrt(pi)  # <phi(h)>, h ~ N(0, q)
assert abs(mean(2.0)) < 1e-15             # Var_W(mu) = 2 mean^2 = 0 behind the first layer
assert mean(2 * (1 - 1 / pi)) ** 2 > 0.009  # q of the second layer: Var_W(mu) > 0 behind it
""",
    where="gamma_l is that behind l layers; Theorem 5.2 has ReLU, and Fig. 1 tanh",
)
def depth_amplifies(stated: Any, says: str) -> Findings:
    """Behind ReLU c' - c = kappa_1(c) - c falls to its value 0 at c = 1, so that it is above 0 in front of it. An odd
    activation has the mean 0 at every variance.
    """
    rise = kappa_1(c) - c
    yield identity("ReLU: slope of c' - c", sp.Derivative(rise, c), -sp.acos(c) / sp.pi)
    yield identity("its value at c = 1", sp.Subs(rise, c, 1), 0)
    nets = {"ReLU": igb.mlp(30), "tanh": igb.mlp(2, "tanh")}
    relus = nets["ReLU"].predict().per_layer.gamma
    for layer in (2, 10, 30):
        yield satisfies(f"ReLU, layer {layer}", stated[0], {NEXT: relus[layer], LAYER: relus[layer - 1]})
    first, second = nets["tanh"].predict().per_layer.gamma[1:].tolist()
    implied = stated[1].subs({FIRST: first, SECOND: second})
    yield shown("tanh: gamma of one and two layers", implied and first == 0, f"{first} and {second}")
    course = "increase" if all(np.diff(relus) > 0) else "decrease"
    bare, odd = map(settings.biases, nets.values())
    yield worded(says, "ReLU with {} for the {}, tanh with {} for the start", bare, course, odd)


def _gammas(phi: Callable[[Array], Array], q_aa: float, q_ab: float, depth: int) -> list[float]:
    """Return gamma of the layers 0 to `depth` of a network without biases, from the covariances of layer 0."""
    gammas = [q_ab / (q_aa - q_ab)]
    for _ in range(depth):
        q_aa, q_ab = (
            KAIMING * mean_of(lambda h: phi(h) ** 2, q_aa),
            KAIMING * mean_of_pair(phi, q_aa, q_ab / q_aa),
        )
        gammas.append(q_ab / (q_aa - q_ab))
    return gammas


def _gelu(h: Array) -> Array:
    return np.asarray(h * ndtr(h))


def _means_of_shifted_relu() -> list[Any]:
    """Return the means of max(h, 0) - 1/sqrt(pi) behind the first layer and behind the second one."""
    return [sp.simplify(sp.sqrt(q / (2 * sp.pi)) - 1 / sp.sqrt(sp.pi)) for q in (2, 2 - 2 / sp.pi)]


@SECTION.corrects(
    "A-depthIGB",
    "With no biases at sigma_w^2 = 2, GELU lowers gamma from 1.725 at depth 10 to 1.652 at depth 20, and tanh "
    "lowers it from 3 for inputs between 0 and 1 to 0.67 at depth 20; ReLU minus the mean of its first layer has no "
    "bias at depth 1 and has a bias at depth 2",
    right=sp.Lt(NEXT, LAYER),
    where="inputs between 0 and 1 have the mean 1/2 and the variance 1/12; the formula is for GELU behind 15 layers",
)
def depth_need_not_amplify(stated: Any, says: str) -> Findings:
    """A homogeneous phi has one map c' = K(c) for all variances; normalised, K(c) = sum a_k^2 c^k with sum a_k^2 = 1.
    phi = p max(x, 0) - m max(-x, 0) has a part of ReLU's rise, unless p = m. For other activations gamma may go to a
    limit, as for sin 3x + 1/2, whose sines are nearly independent: q_aa = 3/2 and q_ab = 1/2 up to exp(-9). It may go
    to 0, as for erf on inputs off centre: c' = arcsin(t c)/arcsin(t), t = 2 q/(1 + 2 q), has the slope t/arcsin(t) < 1.
    ReLU less 1/sqrt(pi), its mean behind the first layer, has another mean behind the second, where the variance is
    2 - 2/pi.
    """
    rise = kappa_1(c) - c
    p_, m = sp.symbols("p m", positive=True)
    # E phi(u) phi(v): max(u, 0) max(v, 0) has kappa_1(c)/2, max(u, 0) max(-v, 0) has kappa_1(-c)/2
    homogeneous = ((p_**2 + m**2) * kappa_1(c) - 2 * p_ * m * kappa_1(-c)) / (p_**2 + m**2)
    share = (p_ - m) ** 2 / (p_**2 + m**2)
    yield identity("homogeneous phi: K(c) - c", (homogeneous - c).rewrite(sp.asin), share * rise.rewrite(sp.asin))
    yield rises("leaky ReLU by the toolkit, 30 layers: gamma", igb.mlp(30, "leaky_relu").predict().per_layer.gamma)
    yield worded(says, "With {} at sigma_w^2 = {}", settings.biases(igb.mlp(DEEP, "gelu")), KAIMING)
    gelu = _gammas(_gelu, KAIMING, 0.0, DEEP)
    yield satisfies("GELU, layers 16 and 15", stated, {NEXT: gelu[16], LAYER: gelu[15]})
    words = "GELU {} gamma from {:.3f} at depth {} to {:.3f} at depth {}"
    yield worded(says, words, _direction(gelu, SHALLOW), gelu[SHALLOW], SHALLOW, gelu[DEEP], DEEP)
    yield agree("GELU by the toolkit, 20 layers", igb.mlp(DEEP, "gelu").predict().gamma, gelu[DEEP], 10)
    least, most = 0, 1
    mean, variance = (least + most) / 2, (most - least) ** 2 / 12
    tanh = _gammas(np.tanh, KAIMING * (mean**2 + variance), KAIMING * mean**2, DEEP)
    words = "tanh {} it from {:.0f} for inputs between {} and {} to {:.2f} at depth {}"
    yield worded(says, words, _direction(tanh, 0), tanh[0], least, most, tanh[DEEP], DEEP)
    inputs = igb.GaussianInputs(shift=mean, variance=variance)
    yield agree("tanh by the toolkit, 20 layers", igb.mlp(DEEP, "tanh").predict(inputs).gamma, tanh[DEEP], 9)
    first, second = _means_of_shifted_relu()
    has = ["a" if mean else "no" for mean in (first, second)]
    yield worded(says, "has {} bias at depth {} and has {} bias at depth {}", has[0], 1, has[1], 2)
    yield shown("Var_W(mu) of ReLU less its mean, two layers", second**2 > 0, f"{sp.N(2 * second**2, 6)}")
    bounded = igb.mlp(60, "sin(3*x)+1/2").predict().gamma
    yield agree("sin 3x + 1/2 by the toolkit, 60 layers: gamma", bounded, sp.Rational(1, 2), 3)
    slope = sp.Limit(sp.Derivative(sp.asin(t * x) / sp.asin(t), x), x, 0)
    yield identity("erf: slope of c' at c = 0", slope, t / sp.asin(t))
    erf = igb.mlp(300, "erf").predict(igb.GaussianInputs(shift=1.0)).per_layer.gamma
    yield shown("erf off centre by the toolkit, 300 layers", 0 < erf[300] < 1e-4, f"{erf[300]:.3g}, from {erf[0]:g}")


def _direction(gammas: list[float], start: int) -> str:
    """Return the word for the change of gamma from layer `start` to the last."""
    return "raises" if gammas[-1] > gammas[start] else "lowers"
