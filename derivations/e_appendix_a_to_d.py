"""Where you place the norm, appendices A to D: notation, the law of the guesses, and conditions for Gaussian limits.

A formula whose letters do not agree, as it is printed, fails with its correction, here and in appendix E; slips in
lines between, whose result is right, are named where the result is derived.
"""

from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, agree, equation, identity, normal, shown
from igbtheory.claims.gaussians import NODES, WEIGHTS, mean_of, ncdf, npdf

SECTION = Section("Where you place the norm: appendices A to D", "E A")

x, t, z, o, m = sp.symbols("x t z o m", real=True)
n = sp.Symbol("n", positive=True, integer=True)
sigma, epsilon, sigma_w2, v, y, u = sp.symbols("sigma epsilon sigma_w2 v y u", positive=True)
mean, square, index, s_n = sp.symbols("m s i s_n", positive=True)
GAMMA, MU = sp.Symbol("gamma"), sp.Symbol("mu_i", real=True)
F, DIFFERENCE, C = sp.Function("F_X"), sp.Function(r"f_\Delta"), sp.Function("C")
ERF = 2 / sp.sqrt(sp.pi) * sp.Integral(sp.exp(-(t**2)), (t, 0, sp.Symbol("x", positive=True)))
"""The integral that defines erf, as printed."""
Z_LAW = equation("f_Z(z)", npdf(z))

SECTION.untested(
    "a definition",
    ("E-Eq1", "", "Z_i^(l+1) = sum_j w_ij^(l+1) X_j^(l)"),
    ("E-Eq2", "", "X = X({Z_a}) = composition of norm and activation"),
    ("E-Eq3", "", "Z_c^(L+1) = O_c"),
    ("E-Eq4", "", "BN operator with batch mean and 1/n variance, eps, alpha, beta"),
    ("E-Eq5", "", "LN operator"),
    ("E-4set", "", "four settings B.phi, phi.B, L.phi, phi.L"),
    ("E-cdf", "", "F_X(x) = P(X < x)"),
    ("E-Wl", "", "index ranges j in [0..N_l], i in [0..N_{l+1}]"),
    ("E-AppB-w", "", "w_ij^(l) ~ N(0, sw2/N_l), N_l = width of layer l"),
    ("E-Eq9 / 82", "", "gamma(A, psi(chi)) = Var_W(mu_c)/Var_chi(O_c)"),
)
theta, rho = sp.symbols("theta rho", positive=True)
RATES = equation(r"\lambda_1", theta + (n - 1) * rho), equation(r"\lambda_2", theta - rho)


@SECTION.holds(
    "E-C.1",
    "Training from a prejudiced start has two timescales: first the boundary moves, then it turns; from a neutral one "
    "the second is left",
    printed=RATES,
    assumes="infinite width, gradient flow of squared loss, two balanced classes, data that are all alike: n "
    "orthogonal ones, of which the tangent kernel has theta on the diagonal and rho beside it",
)
def two_timescales(stated: Any) -> Findings:
    """The outputs follow df/dt = -Theta (f - y). The mean output, which is the bias, is the first eigenvector of
    Theta and decays at the rate lambda_1, some n times that of the data: labels that add up to 0 are another one.
    """
    fast, slow = (one.rhs.subs(n, 4) for one in stated)
    kernel = (theta - rho) * sp.eye(4) + rho * sp.ones(4)
    for name, vector, rate in (("equal outputs", (1, 1, 1, 1), fast), ("balanced labels", (1, 1, -1, -1), slow)):
        for i in (0, 3):
            yield identity(
                f"{name}, datum {i}", (kernel * sp.Matrix(vector))[i] / vector[i], rate, of=sp.Symbol("lambda")
            )
    data, y = 6 * np.eye(36), np.repeat([1.0, -1.0], 18)
    net = igb.mlp(3, "relu")
    found = igb.training.kernels(net.layers, data)[1]
    values = {theta: found[0, 0], rho: found[0, 1], n: 36}
    rates = [float(one.rhs.subs(values)) for one in stated]
    run = net.train(data, y, times=[0.0, 2 / rates[0], 5 / rates[1]], draws=500)
    yield agree("the largest eigenvalue, by the toolkit", run.rate, rates[0], 10)
    bias = np.abs(run.G0.draws - 0.5).mean(axis=0)
    right = run.accuracy.mean().value
    text = f"bias {bias[0]:.3f} and {bias[1]:.3f}, accuracy {right[0]:.3f} and {right[1]:.3f} at 0 and 2/lambda_1"
    yield shown("most of the bias goes before the data are learned", bias[1] < 0.5 * bias[0] and right[1] < 0.75, text)
    yield shown("... which takes 5/lambda_2", right[-1] > 0.99, f"accuracy {right[-1]:.3f}")


@SECTION.fails(
    "E-erf",
    "the definition of erf(y) integrates up to x",
    printed=equation(r"\mathrm{erf}(y)", ERF),
    counter_example="assert abs(printed.subs(x, 2).evalf() - erf(1)) > 0.1  # y = 1, and the right side has no y",
    correction="it integrates up to y",
    right=equation(r"\mathrm{erf}(y)", ERF.subs(sp.Symbol("x", positive=True), y)),
)
def error_function(stated: Any) -> Findings:
    """The variable on the left and the limit on the right are two different letters in print."""
    yield identity("by integration", stated.rhs, sp.erf(y))


@SECTION.fails(
    "E-pdf",
    "the density of X given the weights equals the distribution function",
    printed=equation("f_X(x)", F(x)),
    counter_example="from statistics import NormalDist\nX = NormalDist()\nassert X.pdf(0) < 0.4 and X.cdf(0) == 0.5",
    correction="it equals the derivative of the distribution function",
    right=equation("f_X(x)", sp.Derivative(F(x), x)),
)
def density(stated: Any) -> Findings:
    """A distribution function tends to 1, a density to 0; the definition one sentence before has the derivative."""
    yield identity("standard normal law", stated.rhs.replace(F, ncdf), npdf(x))


@SECTION.fails(
    "E-AppB-gen",
    "results hold broadly across generic activation functions, such as: gamma of LN + phi is that of phi",
    printed=equation(r"\gamma_\mathrm{LN}", GAMMA),
    counter_example="""
normed, plain = (igb.mlp(3, "gelu", norm=norm).predict().gamma for norm in ("layer", None))
assert abs(normed / plain - 1) > 0.1
""",
)
def generic_activations(stated: Any) -> Findings:
    """Theorem F.2 uses phi(a x) = a phi(x), which GELU does not have."""
    normed, plain = (igb.mlp(3, "gelu", norm=norm).predict().gamma for norm in ("layer", None))
    yield agree("GELU, depth 3", normed, stated.rhs.subs(GAMMA, plain), 2)


@SECTION.corrects(
    "E-AppB-gen",
    "Theorem F.2 holds for phi homogeneous of degree 1; E.1 for any phi, with m = E phi and s = E phi^2 over N(0, 1)",
    right=sp.Eq(GAMMA, mean**2 / (square - mean**2), evaluate=False),
)
def homogeneous_activations(stated: Any) -> Findings:
    """With phi(a x) = a phi(x) a norm in front of phi is a factor behind it; BN makes every node N(0, 1)."""
    for activation in ("leaky_relu", "abs"):
        normed, plain = (igb.mlp(5, activation, norm=norm).predict().gamma for norm in ("layer", None))
        yield agree(f"LN + {activation}, depth 5", normed, plain, 12)
    for activation, phi in (("sigmoid", lambda h: 1 / (1 + np.exp(-h))), ("softplus", lambda h: np.log1p(np.exp(h)))):
        moments = {mean: mean_of(phi, 1.0), square: mean_of(lambda h, phi=phi: phi(h) ** 2, 1.0)}  # type: ignore[misc]
        found = igb.mlp(4, activation, norm="batch").predict().gamma
        yield agree(f"BN + {activation}, depth 4", found, stated.rhs.subs(moments), 11)


@SECTION.holds(
    "E-Eq6",
    "for many data G0 tends to P(O_0 > O_1 given W), an integral over the difference of the outputs",
    printed=equation("G_0", sp.Integral(DIFFERENCE(x), (x, 0, sp.oo))),
)
def share_of_class_zero(stated: Any) -> Findings:
    """The law of large numbers over independent data gives P(Delta > 0), Delta = O_0 - O_1, here for N(m, sigma^2)."""
    integral = stated.rhs.replace(DIFFERENCE, lambda at: npdf(at, m, sigma))
    yield identity("Gaussian difference", integral, 1 - sp.erfc(m / (sp.sqrt(2) * sigma)) / 2)


@SECTION.holds(
    "E-ThmC.1 / Eq7-8",
    "over the data an output is Gaussian, over the weights so is its centre; v is Var_chi(Y), m the mean of a node Y",
    printed=(
        equation("f_{O_c}(o)", npdf(o, sp.Symbol("mu_c", real=True), sp.sqrt(sigma_w2 * v))),
        equation(r"f_{\mu_c}(x)", npdf(x, 0, sp.sqrt(sigma_w2) * mean)),
    ),
    assumes="N -> infinity",
)
def gaussian_outputs(stated: Any) -> Findings:
    """O - mu_c = sum_j w_j (Y_j - m). With weights +-sqrt(sw2) u, u^2 = 1/N, the logarithm of its characteristic
    function is the sum of N terms log(1 - v w^2 t^2/2 + O(w^3 t^3)). The centre, m sum_j w_j, is Gaussian at any N.
    """
    third = sp.Symbol("kappa_3", real=True)
    one = sp.log(1 - sigma_w2 * v * (t * u) ** 2 / 2 - sp.I * third * (sp.sqrt(sigma_w2) * t * u) ** 3 / 6)
    yield identity("log characteristic function of O", sp.Limit(one / u**2, u, 0), -sigma_w2 * v * t**2 / 2)
    yield from normal("output", stated[0].rhs, o, sp.Symbol("mu_c", real=True), sigma_w2 * v)
    centre = sp.Sum(mean**2 * sigma_w2 / n, (sp.Symbol("i", integer=True), 1, n))
    yield from normal("centre", stated[1].rhs, x, 0, centre.doit())


@SECTION.fails(
    "E-Lind",
    "Lindeberg's condition: (1/s_n^2) sum_i int (x - mu_i)^2 dF_i tends to 0, the integral over large values",
    printed=sp.Ge(sp.Abs(x), epsilon * s_n),
    counter_example="""
# X_i = i + N(0, 1): the standardised sum is exactly N(0, 1) at every n, yet the printed sum tends to 1
from statistics import NormalDist
inside = sum(NormalDist(i).cdf(0.1 * 10_000**0.5) for i in range(1, 10_001))
assert inside / 10_000 < 0.01  # nearly all of the variance lies where |x| >= eps s_n, eps = 1/10
""",
    correction="the integral is over large deviations |x - mu_i|, not over large |x|",
    right=sp.Ge(sp.Abs(x - MU), epsilon * s_n),
)
def lindeberg(stated: Any) -> Findings:
    """With X_i = i + N(0, 1) the sum is Gaussian, and the true condition holds. But nearly all |X_i| exceed eps s_n."""
    count, eps = 2500, 0.1
    i = np.arange(1, count + 1.0)[:, None]
    beyond = sp.lambdify((x, MU, epsilon, s_n), stated, "numpy")
    share = float((beyond(i + NODES, i, eps, np.sqrt(count)) * NODES**2 @ WEIGHTS).mean())
    yield shown("the sum for X_i = i + N(0, 1), n = 2500, is small", share < 0.01, f"{share:.3g} of the variance")


@SECTION.holds("E-ThmD.1", "the Lindeberg condition implies that Z_n tends to N(0, 1)", printed=Z_LAW)
@SECTION.holds(
    "E-CLT", "(xbar_n - mu)/(sigma/sqrt n) -> N(0, 1)", printed=Z_LAW, assumes="iid values of finite variance"
)
def central_limits(stated: Any) -> Findings:
    """The characteristic function of a standardised value is 1 - t^2/2 + o(t^2), and of the mean (1 - t^2/(2 n))^n in
    the limit. Lindeberg's theorem is shown on variables that are not alike, uniform between +-i^(1/4): none exceeds eps
    s_n for large n, and the product of the characteristic functions sin(a t)/(a t) tends to that of N(0, 1).
    """
    transform = sp.Integral(sp.cos(t * z) * stated.rhs, (z, -sp.oo, sp.oo))
    yield identity("characteristic function", sp.Limit((1 - t**2 / (2 * n)) ** n, n, sp.oo), transform)
    largest = n ** sp.Rational(1, 4) / sp.sqrt(sp.Integral(sp.sqrt(y) / 3, (y, 0, n)))
    yield identity("largest value over s_n", sp.Limit(largest, n, sp.oo), 0)
    ends = np.arange(1, 10**6 + 1.0) ** 0.25
    for at in (1.0, 2.0):
        scaled = at * ends / np.sqrt(np.sum(ends**2) / 3)
        found = np.exp(np.sum(np.log(np.sinc(scaled / np.pi))))
        yield agree(f"characteristic function at {at:g}, a million terms", found, transform.subs(t, at).evalf(12), 5)


@SECTION.holds(
    "E-ThmD.2 / Eq10-13",
    "concentration, truncated mean and truncated variance conditions are necessary and sufficient for a Gaussian limit",
    printed=equation(r"f_{\sum X_i}(x)", npdf(x, 0, sigma)),
    assumes="independent terms, every one negligible: max_i P(|X_i| >= eps) -> 0",
)
def gaussian_convergence(stated: Any) -> Findings:
    """The theorem is Petrov's, who states it for negligible terms; otherwise X_1 = N(0, 1) with all others 0 would show
    that the conditions are not necessary. X_i = +-sigma/sqrt(n) meets them and has the limit. X_i = +-1 with
    probability r/(2 n) each, else 0, is negligible and does not meet them: the limit has a fourth cumulant.
    """
    limit = sp.Limit(sp.log(sp.cos(sigma * t * u)) / u**2, u, 0)
    yield identity("log characteristic function, terms +-sigma/sqrt(n)", limit, -(sigma**2) * t**2 / 2)
    yield from normal("sum", stated.rhs, x, 0, (-2 * limit / t**2).doit())
    rate = sp.Symbol("r", positive=True)
    jumps = sp.Limit(n * sp.log(1 + rate * (sp.cos(t) - 1) / n), n, sp.oo)
    yield identity("log characteristic function, rare jumps", jumps, rate * (sp.cos(t) - 1))
    yield identity("its fourth cumulant", sp.Subs(sp.Derivative(jumps.doit(), (t, 4)), t, 0), rate)


@SECTION.fails(
    "E-ThmD.3 / Eq14-15",
    "sum E X_i^2 -> n v and tails of order x^-4 for all i imply a Gaussian limit of the normalised sum",
    printed=sp.Le(sp.Symbol("f_{X_i}(x)"), C(index) / x**4, evaluate=False),
    assumes="independent, zero mean",
    counter_example="""
# X_i = +-i with probability 1/(2 i^2) each (smeared a little), else 0: variance 1, compact support
# the number of terms i > 100 that are not 0 has mean sum 1/i^2 < 0.01: the sum over sqrt(n) tends to 0
assert sum(1 / i**2 for i in range(101, 10**6)) < 0.01
""",
    correction="they do if one constant C serves all i; the limit is then N(0, v), where the paper has two letters",
    right=sp.Le(sp.Symbol("f_{X_i}(x)"), sp.Symbol("C", positive=True) / x**4, evaluate=False),
)
def tails(stated: Any) -> Findings:
    """Lindeberg's sum is at most the mean over i of int_{|x| >= eps s_n} x^2 f_i dx/v, s_n = sqrt(n v). With one C that
    is 2 C/(eps s_n v), which vanishes. The X_i of the counter-example have C(i) of order i^2; only finitely many are
    not 0 (Borel-Cantelli), and the sum over sqrt(n) tends to 0. Not noticed: faster tails suffice too.
    """
    far = sp.Symbol("x", positive=True)
    bound = stated.rhs.replace(C, lambda at: at**2).subs(x, far)
    tail = sp.integrate(2 * far**2 * bound, (far, epsilon * sp.sqrt(n * v), sp.oo))
    yield identity("bound of Lindeberg's sum", sp.Limit(sp.integrate(tail, (index, 0, n)) / (n * v), n, sp.oo), 0)
