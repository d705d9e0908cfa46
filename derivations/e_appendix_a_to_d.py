"""Where you place the norm, appendices A to D: notation, the law of the guesses, and conditions for Gaussian limits.

A formula whose letters do not agree, as it is printed, is a misprint, here and in appendix E; slips in lines between,
whose result is right, are named where the result is derived.
"""

from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, agree, equation, identity, normal, satisfies, shown, value_of, worded
from igbtheory.claims.formula import evaluated
from igbtheory.claims.gaussians import NODES, WEIGHTS, ncdf, npdf
from igbtheory.claims.quantities import VAR

SECTION = Section("Where you place the norm: appendices A to D", "E A")

x, t, z, o, m = sp.symbols("x t z o m", real=True)
n = sp.Symbol("n", positive=True, integer=True)
sigma, epsilon, sigma_w2, v, y, u = sp.symbols("sigma epsilon sigma_w2 v y u", positive=True)
mean, index, s_n = sp.symbols("m i s_n", positive=True)
GAMMA, GAMMA_LN, G_0 = sp.symbols("gamma gamma_LN G_0", positive=True)
MU, MU_C = sp.symbols(r"mu_i \mu_c", real=True)
F, DIFFERENCE = sp.Function("F_X"), sp.Function(r"f_\Delta")
ERROR_FUNCTION, DENSITY = sp.Function(r"\mathrm{erf}")(y), sp.Function("f_X")(x)
OUTPUT, CENTRE = sp.Function("f_{O_c}")(o), sp.Function(r"f_{\mu_c}")(x)
STANDARD, SUM = sp.Function("f_Z")(z), sp.Function("f_S")(x)
TAIL, CONSTANT = sp.Function("f_{X_i}")(x), sp.Symbol("C", positive=True)
TERM, CHANCE = sp.Symbol("X_i"), sp.Function("P")
LAMBDA_1, LAMBDA_2 = sp.symbols(r"\lambda_1 \lambda_2", positive=True)
ERF = 2 / sp.sqrt(sp.pi) * sp.Integral(sp.exp(-(t**2)), (t, 0, sp.Symbol("x", positive=True)))
"""The integral that defines erf, as printed."""
Z_LAW = equation(STANDARD, npdf(z))

SECTION.definitions(
    "a definition",
    ("E-Eq1", "Eq. 1", "A Dense layer is Z_i^(l+1) = sum_j w_ij^(l+1) X_j^(l)"),
    ("E-Eq2", "Eq. 2", "The operator X({Z_a}) is the composition of norm and activation"),
    ("E-Eq3", "Eq. 3", "The outputs are Z_c^(L+1) = O_c"),
    ("E-Eq4", "Eq. 4", "The BatchNorm operator has the mean and the variance of the batch, eps, alpha and beta"),
    ("E-Eq5", "Eq. 5", "The LayerNorm operator has the mean and the variance of the layer"),
    ("E-4set", "appendix A, list behind Eq. 3", "The four settings are B.phi, phi.B, L.phi and phi.L"),
    ("E-cdf", "appendix A, list of notation, F_X(x)", "The distribution function is F_X(x) = P(X < x)"),
    ("E-Wl", "appendix A, list of notation, W_t", "The weights w_ij^(l) have j in [0..N_l] and i in [0..N_{l+1}]"),
    ("E-AppB-w", "appendix B, fourth paragraph", "Weights w_ij^(l) are N(0, sigma_w^2/N_l), N_l = width of layer l"),
    ("E-Eq9 / 82", "Definition C.2, Eq. 9; Eq. 82", "The ratio gamma(A, psi(chi)) is Var_W(mu_c)/Var_chi(O_c)"),
)
theta, rho = sp.symbols("theta rho", positive=True)
RATES = equation(LAMBDA_1, theta + (n - 1) * rho), equation(LAMBDA_2, theta - rho)


@SECTION.holds(
    "E-C.1",
    "“training unfolds in two steps” from a prejudiced start, and “neutral initializations involve only a single "
    "training phase”: the rates",
    printed=RATES,
    at="section C.1",
    stand_in="orthogonal data of balanced classes, by the tangent kernel, for squared loss",
    where="the tangent kernel of the n data has theta on the diagonal and rho beside it",
)
def two_timescales(stated: Any) -> Findings:
    """The outputs follow df/dt = -Theta (f - y). The mean output, which is the bias, is the first eigenvector of
    Theta and decays at the rate lambda_1, some n times that of the data: labels that add up to 0 are another one.
    """
    said = [value_of(symbol, stated) for symbol in (LAMBDA_1, LAMBDA_2)]
    fast, slow = (rate.subs(n, 4) for rate in said)
    kernel = (theta - rho) * sp.eye(4) + rho * sp.ones(4)
    for name, vector, rate in (("equal outputs", (1, 1, 1, 1), fast), ("balanced labels", (1, 1, -1, -1), slow)):
        for i in (0, 3):
            yield identity(
                f"{name}, datum {i}", (kernel * sp.Matrix(vector))[i] / vector[i], rate, of=sp.Symbol("lambda")
            )
    data, y = 6 * np.eye(36), np.repeat([1.0, -1.0], 18)
    net = igb.mlp(3, "relu")
    kernel = igb.training.kernels(net, data)[1]
    rates = [float(rate.subs({theta: kernel[0, 0], rho: kernel[0, 1], n: 36})) for rate in said]
    run = net.train(data, y, times=[0.0, 2 / rates[0], 5 / rates[1]], draws=500)
    yield agree("the largest eigenvalue, by the toolkit", run.rate, rates[0], 10)
    bias = np.abs(run.G0.draws - 0.5).mean(axis=0)
    right = run.accuracy.mean().value
    text = f"bias {bias[0]:.3f} and {bias[1]:.3f}, accuracy {right[0]:.3f} and {right[1]:.3f} at 0 and 2/lambda_1"
    yield shown("most of the bias goes before the data are learned", bias[1] < 0.5 * bias[0] and right[1] < 0.75, text)
    yield shown("... which takes 5/lambda_2", right[-1] > 0.99, f"accuracy {right[-1]:.3f}")


@SECTION.fails(
    "E-erf",
    "The integral that defines erf(y) is printed with the limit x",
    printed=equation(ERROR_FUNCTION, ERF),
    counter_example="assert abs(printed.subs(x, 2).evalf() - erf(1)) > 0.1  # y = 1, and the right side has no y",
    correction="Its limit is y",
    right=equation(ERROR_FUNCTION, ERF.subs(sp.Symbol("x", positive=True), y)),
    misprint=True,
    at="appendix A, list of notation, erf",
)
def error_function(stated: Any) -> Findings:
    """The variable on the left and the limit on the right are two different letters in print."""
    yield identity("by integration", value_of(ERROR_FUNCTION, stated), sp.erf(y))


@SECTION.fails(
    "E-pdf",
    "The density of X at fixed weights is printed as the distribution function itself",
    printed=equation(DENSITY, F(x)),
    counter_example="from statistics import NormalDist\nX = NormalDist()\nassert X.pdf(0) < 0.4 and X.cdf(0) == 0.5",
    correction="It is the derivative of the distribution function, as the definition before it says",
    right=equation(DENSITY, sp.Derivative(F(x), x)),
    misprint=True,
    at="appendix A, list of notation, f_X(x')",
)
def density(stated: Any) -> Findings:
    """A distribution function tends to 1, a density to 0; the definition two sentences before has the derivative."""
    yield identity("standard normal law", value_of(DENSITY, stated).replace(F, ncdf), npdf(x))


@SECTION.limited(
    "E-AppB-gen",
    "“our theoretical results hold broadly across generic activation functions”, such as: gamma of LayerNorm, then "
    "phi, is that of phi",
    printed=equation(GAMMA_LN, GAMMA),
    assumes="phi(a x) = a phi(x) for positive a, as leaky ReLU and |x| have; “biases are set to zero” (appendix B)",
    counter_example="""
normed, plain = (igb.mlp(3, "gelu", norm=norm).predict().gamma for norm in ("layer", None))
assert abs(normed / plain - 1) > 0.1
""",
    at="appendix B, fifth paragraph",
    where="Theorem F.2 is meant; the other theorems need nothing of phi: see E-ext-act",
)
def homogeneous_activations(stated: Any, says: str) -> Findings:
    """With phi(a x) = a phi(x) a norm in front of phi is a factor behind it."""
    factors = [a for a in (-2, 2) if abs(a * NODES) @ WEIGHTS == a * (abs(NODES) @ WEIGHTS)]
    yield worded(says, "for {} a, as leaky ReLU", "positive" if factors == [2] else "negative")
    for activation in ("leaky_relu", "abs"):
        normed, plain = (igb.mlp(5, activation, norm=norm).predict().gamma for norm in ("layer", None))
        yield agree(f"LN + {activation}, depth 5", normed, value_of(GAMMA_LN, stated).subs(GAMMA, plain), 12)


@SECTION.corrects(
    "E-AppB-gen",
    "For GELU, which is inhomogeneous, LayerNorm in front lowers gamma from 0.81 to 0.63 at depth 3, where "
    "sigma_w^2 = 2",
)
def generic_activations(says: str) -> Findings:
    """Theorem F.2 uses phi(a x) = a phi(x), which GELU does not have."""
    depth, size = 3, 2
    normed, plain = (igb.mlp(depth, "gelu", sigma_w2=size, norm=norm).predict().gamma for norm in ("layer", None))
    lowers = "lowers" if normed < plain else "raises"
    phrase = "{} gamma from {:.2f} to {:.2f} at depth {}, where sigma_w^2 = {}"
    yield worded(says, phrase, lowers, plain, normed, depth, size)
    one, two = (value * ncdf(value).evalf() for value in (1, 2))
    yield worded(says, "which is {}", "homogeneous" if two == 2 * one else "inhomogeneous")


@SECTION.holds(
    "E-Eq6",
    "For infinitely many data G0 is the probability that O_0 exceeds O_1 at given weights, an integral over the law of "
    "their difference",
    at="Eq. 6",
    printed=equation(G_0, sp.Integral(DIFFERENCE(x), (x, 0, sp.oo))),
)
def share_of_class_zero(stated: Any, says: str) -> Findings:
    """The law of large numbers over independent data gives P(Delta > 0), Delta = O_0 - O_1, here for N(m, sigma^2)."""
    integral = value_of(G_0, stated).replace(DIFFERENCE, lambda at: npdf(at, m, sigma))
    yield identity("Gaussian difference", integral, 1 - sp.erfc(m / (sp.sqrt(2) * sigma)) / 2)
    positive = evaluated(integral).subs({m: 3, sigma: 1}) > sp.Rational(1, 2)  # O_0 has the larger mean
    yield worded(says, "that O_0 {} O_1", "exceeds" if positive else "stays below")


@SECTION.holds(
    "E-ThmC.1 / Eq7-8",
    "Over the data an output is Gaussian, and over the weights so is its centre",
    printed=(
        equation(OUTPUT, npdf(o, MU_C, sp.sqrt(sigma_w2 * v))),
        equation(CENTRE, npdf(x, 0, sp.sqrt(sigma_w2) * mean)),
    ),
    assumes="“In the limit of infinite width” (Theorem C.1)",
    at="Theorem C.1, Eqs. 7 and 8",
    where="Var_chi(O_c) = sigma_w^2 v and Var_W(mu_c) = sigma_w^2 m^2, where a node Y of the last hidden layer has "
    "the mean m and the variance v over the data",
)
def gaussian_outputs(stated: Any) -> Findings:
    """O - mu_c = sum_j w_j (Y_j - m). With weights +-sqrt(sw2) u, u^2 = 1/N, the logarithm of its characteristic
    function is the sum of N terms log(1 - v w^2 t^2/2 + O(w^3 t^3)). The centre, m sum_j w_j, is Gaussian at any N.
    """
    third = sp.Symbol("kappa_3", real=True)
    one = sp.log(1 - sigma_w2 * v * (t * u) ** 2 / 2 - sp.I * third * (sp.sqrt(sigma_w2) * t * u) ** 3 / 6)
    yield identity("log characteristic function of O", sp.Limit(one / u**2, u, 0), -sigma_w2 * v * t**2 / 2)
    yield from normal("output", value_of(OUTPUT, stated), o, MU_C, sigma_w2 * v)
    centre = sp.Sum(mean**2 * sigma_w2 / n, (sp.Symbol("i", integer=True), 1, n))
    yield from normal("centre", value_of(CENTRE, stated), x, 0, centre.doit())


@SECTION.fails(
    "E-Lind",
    "In Lindeberg's condition the integral of (x - mu_i)^2 is printed over |x| instead of |x - mu_i|",
    printed=sp.Ge(sp.Abs(x), epsilon * s_n),
    counter_example="""
# X_i = i + N(0, 1): the standardised sum is exactly N(0, 1) at every n, yet the printed sum tends to 1
from statistics import NormalDist
inside = sum(NormalDist(i).cdf(0.1 * 10_000**0.5) for i in range(1, 10_001))
assert inside / 10_000 < 0.01  # nearly all of the variance lies where |x| >= eps s_n, eps = 1/10
""",
    correction="It is over the deviations |x - mu_i| from epsilon s_n on, as s_n and the theorem after it have them",
    right=sp.Ge(sp.Abs(x - MU), epsilon * s_n),
    misprint=True,
    at="section D.1.2, in front of Theorem D.1",
)
def lindeberg(stated: Any) -> Findings:
    """With X_i = i + N(0, 1) the sum is Gaussian, and the true condition holds. But nearly all |X_i| exceed eps s_n."""
    count, eps = 2500, 0.1
    i = np.arange(1, count + 1.0)[:, None]
    beyond = sp.lambdify((x, MU, epsilon, s_n), stated, "numpy")
    share = float((beyond(i + NODES, i, eps, np.sqrt(count)) * NODES**2 @ WEIGHTS).mean())
    yield shown("the sum for X_i = i + N(0, 1), n = 2500, is small", share < 0.01, f"{share:.3g} of the variance")


@SECTION.holds(
    "E-ThmD.1",
    "Lindeberg's theorem: the limit of a normalised sum",
    printed=Z_LAW,
    assumes="“a sequence of independent random variables” (Theorem D.1), with Lindeberg's condition as corrected in "
    "E-Lind",
    at="Theorem D.1",
)
@SECTION.holds(
    "E-CLT",
    "The central limit theorem: the limit of the normalised mean (xbar_n - mu)/(sigma/sqrt n)",
    printed=Z_LAW,
    assumes="“a sequence of i.i.d. random variables” (section D.1.1)",
    at="section D.1.1",
    where="the variance sigma^2 is finite",
)
def central_limits(stated: Any) -> Findings:
    """The characteristic function of a standardised value is 1 - t^2/2 + o(t^2), and of the mean (1 - t^2/(2 n))^n in
    the limit. Lindeberg's theorem is shown on variables that are not alike, uniform between +-i^(1/4): none exceeds eps
    s_n for large n, and the product of the characteristic functions sin(a t)/(a t) tends to that of N(0, 1).
    """
    transform = sp.Integral(sp.cos(t * z) * value_of(STANDARD, stated), (z, -sp.oo, sp.oo))
    yield identity("characteristic function", sp.Limit((1 - t**2 / (2 * n)) ** n, n, sp.oo), transform)
    largest = n ** sp.Rational(1, 4) / sp.sqrt(sp.Integral(sp.sqrt(y) / 3, (y, 0, n)))
    yield identity("largest value over s_n", sp.Limit(largest, n, sp.oo), 0)
    ends, limit = np.arange(1, 10**6 + 1.0) ** 0.25, transform.doit()
    for at in (1.0, 2.0):
        scaled = at * ends / np.sqrt(np.sum(ends**2) / 3)
        product = np.exp(np.sum(np.log(np.sinc(scaled / np.pi))))
        yield agree(f"characteristic function at {at:g}, a million terms", product, limit.subs(t, at), 5)


@SECTION.holds(
    "E-ThmD.2 / Eq10-13",
    "Conditions of concentration, mean and variance are necessary and sufficient for this limit of a sum S of X_i",
    printed=equation(SUM, npdf(x, 0, sigma)),
    at="section D.2, Theorem D.2, Eqs. 10 to 13",
    assumes="“a set of independent zero-mean random variables” (Theorem D.2)",
    where="every term is negligible: max_i P(|X_i| >= eps) -> 0",
)
def gaussian_convergence(stated: Any) -> Findings:
    """The theorem is Petrov's, who states it for negligible terms; otherwise X_1 = N(0, 1) with all others 0 would show
    that the conditions are not necessary. X_i = +-sigma/sqrt(n) meets them and has the limit. X_i = +-1 with
    probability r/(2 n) each, else 0, is negligible and does not meet them: the limit has a fourth cumulant.
    """
    limit = sp.Limit(sp.log(sp.cos(sigma * t * u)) / u**2, u, 0)
    yield identity("log characteristic function, terms +-sigma/sqrt(n)", limit, -(sigma**2) * t**2 / 2)
    yield from normal("sum", value_of(SUM, stated), x, 0, (-2 * limit / t**2).doit())
    rate = sp.Symbol("r", positive=True)
    jumps = sp.Limit(n * sp.log(1 + rate * (sp.cos(t) - 1) / n), n, sp.oo)
    yield identity("log characteristic function, rare jumps", jumps, rate * (sp.cos(t) - 1))
    yield identity("its fourth cumulant", sp.Subs(sp.Derivative(jumps.doit(), (t, 4)), t, 0), rate)


@SECTION.limited(
    "E-ThmD.3 / Eq14-15",
    "Tails of the order x^(-4) of the densities of the X_i are “sufficient for convergence to a Gaussian distribution” "
    "of the normalised sum",
    printed=sp.Le(TAIL, CONSTANT / x**4),
    assumes="“a sequence of independent, zero-mean random variables” (Theorem D.3); one constant C for all i, as for "
    "the nodes of a layer",
    counter_example="""
# X_i = +-i with probability 1/(2 i^2) each (smeared a little), else 0: variance 1, compact support
# the number of terms i > 100 that are not 0 has mean sum 1/i^2 < 0.01: the sum over sqrt(n) tends to 0
assert sum(1 / i**2 for i in range(101, 10**6)) < 0.01
""",
    at="Theorem D.3, Eqs. 14 and 15",
    where="the limit is N(0, sigma-tilde^2), with sigma-tilde^2 the mean of the variances: the theorem prints sigma^2",
)
def tails(stated: Any, says: str) -> Findings:
    """Lindeberg's sum is at most the mean over i of int_{|x| >= eps s_n} x^2 f_i dx/v, s_n = sqrt(n v). With one C that
    is 2 C/(eps s_n v), which vanishes. Student's law of three degrees of freedom has such tails. Not noticed: faster
    tails suffice too.
    """
    yield worded(says, "{} constant C for {} i", *(("another", "no") if stated.has(index) else ("one", "all")))
    far = sp.Symbol("x", positive=True)
    largest = value_of(TAIL, equation(*stated.args)).subs(x, far)
    tail = sp.integrate(2 * far**2 * largest, (far, epsilon * sp.sqrt(n * v), sp.oo))
    yield identity("bound of Lindeberg's sum", sp.Limit(n * tail / (n * v), n, sp.oo), 0)
    student = 6 * sp.sqrt(3) / sp.pi / (3 + x**2) ** 2
    constant = sp.Limit(x**4 * student, x, sp.oo).doit()
    yield satisfies("Student's law, x = 2", stated, {TAIL: student.subs(x, 2), CONSTANT: constant, x: 2})


@SECTION.corrects(
    "E-ThmD.3 / Eq14-15",
    "With constants that depend on i the limit may be another: of terms i and -i with the chance 1/(2 i^2) each, "
    "and else of nothing, whose variance is 1, the normalised sum vanishes",
    right=(equation(VAR(TERM), 1), equation(CHANCE(index), 1 / (2 * index**2))),
    where="P(i) is the chance of the term i, and that of -i",
)
def heavy_terms(stated: Any, says: str) -> Findings:
    """The bounds of these terms, smeared a little, have C(i) of the order i^2. The mean number of terms that are not 0
    is finite, so that a finite number of them is not 0 (Borel-Cantelli), and their sum over sqrt(n) tends to 0.
    """
    chance = value_of(CHANCE(index), stated)
    variance = 2 * chance * index**2
    yield identity("variance", variance, value_of(VAR(TERM), stated), of=VAR(TERM))
    whole = sp.Symbol("i", positive=True, integer=True)
    number = sp.Sum(2 * chance.subs(index, whole), (whole, 1, sp.oo))
    yield identity("mean number of terms that are not 0", number, sp.pi**2 / 6)
    phrase = "i and -i with the chance {} each, and else of nothing, whose variance is {}, the normalised sum {}"
    vanishes = "vanishes" if number.is_convergent() else "diverges"
    yield worded(says, phrase, f"1/({1 / (chance * index**2)} i^2)", variance, vanishes)
