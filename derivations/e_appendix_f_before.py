"""Where you place the norm, appendix F.1: LayerNorm in front of ReLU.

In infinite width LayerNorm divides every pre-activation of a layer by one number, the standard deviation of the layer,
and ReLU passes a positive factor on (lemma F.1). Let q = var_mu + var_chi be the second moment of a pre-activation and
c = var_mu/q the correlation of two data. ReLU and a Dense make q' = sigma_w^2 q/2 and c' = kappa_1(c): c, and with it
gamma = c/(1 - c), does not see the factor; q does, which is 1 behind each LayerNorm. Hence, L hidden layers,

    q_out = sigma_w^2/2 with LayerNorm,   q_out = sigma_w^2 (sigma_w^2/2)^L without.
"""

from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Findings, Section, Trial, agree, equation, identity, normal, rectified, satisfies
from igbtheory.claims.evidence import measured
from igbtheory.claims.gaussians import kappa_1, ncdf, normal_moment, npdf, relu_moment, relu_moments, variance_of
from igbtheory.claims.simulated import bias_ratio, extrapolated, relu, standardised
from igbtheory.claims.wide import forward

SECTION = Section("Where you place the norm, appendix F.1: LayerNorm in front of ReLU", "E F.1")

mu, x, y, z = sp.symbols("mu x y z", real=True)
sigma_w, sigma_w2, sigma_1, sigma_l = sp.symbols("sigma_w sigma_w2 sigma_1 sigma_l", positive=True)
sigma, alpha, sigma_z, sigma_mu, v = sp.symbols("sigma alpha sigma_z sigma_mu v", positive=True)
d, i, j, N, L = sp.symbols("d i j N L", positive=True, integer=True)
WEIGHTS, Z_1 = sp.Function("w"), r"\mathrm{Var}_\chi(Z_i^{(1)})"
FIRST, SECOND = "f_{L_i^{(1)}}(z)", "f_{L_i^{(2)}}(z)"
E_Y, E_Y2, Var_Y, gamma = sp.symbols("E_Y E_Y2 Var_Y gamma", positive=True)
"""Of the network without LayerNorm: mean of a node behind ReLU, its mean square over the weights, its variance."""
PLAIN = {E_Y: relu_moments(0, sigma_w)[0], E_Y2: relu_moments(0, sigma_w)[0] ** 2}
PLAIN[Var_Y] = relu_moments(0, sigma_w)[1] - PLAIN[E_Y2]
FIRST_MOMENT, SECOND_MOMENT = (relu_moment(k, sigma_w / sigma_1) for k in (1, 2))
"""Of a node behind LayerNorm and ReLU in layer 1."""
OVERLAP = sp.Lt(sp.Abs(sp.Symbol("gamma_LN") / gamma - 1), sp.Rational(1, 10))
"""What an overlap of the curves of figure F.1 is taken to mean."""
SUM_OF_SQUARES = N * normal_moment(2, sigma_w**2 / N)
"""Of the weights of a node: its mean, not yet integrated."""
RATIO = (
    r"\frac{\mathrm{Var}_\chi^{\mathrm{LN}}(O_c)}{\mathrm{Var}_\chi(O_c)} = "
    r"\frac{\mathrm{Var}_{\mathcal W}^{\mathrm{LN}}(\mu_c)}{\mathrm{Var}_{\mathcal W}(\mu_c)}"
)


def curve(rng: np.random.Generator, networks: int, width: int, depth: int, *, norm: bool) -> list[tuple[float, float]]:
    """Ratios gamma behind every layer of finite networks, with their errors, exact over the weights of the next one."""
    h, found = rng.standard_normal((networks, width, 30)), []
    for _ in range(depth):
        h = forward(rng, h, 2.0)
        h = relu(standardised(h, 1) if norm else h)
        found.append(bias_ratio(h.transpose(0, 2, 1)))
    return found


def with_norm(depth: int) -> Any:
    """Second moment of an output of the network with LayerNorm over that of the network without, layer by layer."""
    q = sigma_w2
    for _ in range(depth):
        q = sigma_w2 * relu_moment(2, sp.sqrt(q)).doit()
    return sigma_w2 * relu_moment(2) / q


SECTION.untested(
    "a definition",
    ("E-Eq91", "", "the input", r"X_i^{(0)} \sim \mathcal{N}(0, 1)"),
    ("E-Eq97", "", "LayerNorm", r"L_{i;a} = \frac{Z_{i;a} - \hat\mu_a}{\hat\sigma_a}"),
)


@SECTION.fails(
    "E-ThmF.2 / Eq92-93",
    "LayerNorm, then ReLU: both variances, of an output over the data and of its centre, are those of the net without "
    "norm multiplied by the variance (sigma^(1))^2 = sigma_w^2 of the first layer's pre-activations",
    printed=equation(RATIO, sigma_w2),
    assumes="widths and number of data to infinity",
    counter_example="""
plain, normed = (igb.mlp(4, norm=norm).predict() for norm in (None, "layer"))  # sigma_w^2 = 2
assert printed.subs(sigma_w2, 2) == 2 and abs(normed.var_chi / plain.var_chi - 0.5) < 1e-9  # halved, not doubled
""",
    correction="both are divided by the variance of the pre-activations of the last hidden layer; that is "
    "(sigma^(1))^2 at every depth L for sigma_w^2 = 2",
    right=equation(RATIO, 1 / (sigma_w2 * (sigma_w2 / 2) ** (L - 1))),
    right_assumes="widths and number of data to infinity, no biases",
)
def divided_by_the_variance(stated: Any) -> Findings:
    """Eqs. 104 to 113 divide, the theorem multiplies. c is the same (E-F2gamma), so both variances have one factor."""
    for depth in (1, 2, 5):
        factor = stated.rhs.subs(L, depth)
        yield identity(f"second moments, L = {depth}", with_norm(depth), factor, of=sp.Symbol(r"q^{\mathrm{LN}}/q"))
        normed, plain = (igb.mlp(depth, norm=norm, sigma_w2=1.5).predict(digits=25) for norm in ("layer", None))
        for name in ("var_chi", "var_mu"):
            value = getattr(normed, name) / getattr(plain, name)
            yield agree(f"{name}, L = {depth}, predicted", value, factor.subs(sigma_w2, sp.Rational(3, 2)), 22)


@SECTION.fails(
    "E-F2const",
    "the factor between the variances with and without LayerNorm is constant: the same at L + 1 as at L hidden layers",
    printed=equation(r"\mathrm{factor}(L + 1)/\mathrm{factor}(L)", 1),
    assumes="any sigma_w^2: the theorem's own factor is kept general",
    counter_example="""
chi = lambda depth, norm: igb.mlp(depth, norm=norm, sigma_w2=1.0).predict().var_chi
assert abs(chi(2, "layer") / chi(2, None) / (chi(1, "layer") / chi(1, None)) - 2) < 1e-9  # at sigma_w^2 = 1
""",
    correction="it is constant if and only if sigma_w^2 = 2 (Kaiming), as in the experiments of the paper",
    right=equation(r"\mathrm{factor}(L + 1)/\mathrm{factor}(L)", 2 / sigma_w2),
    right_assumes="no biases",
)
def factor_varies(stated: Any) -> Findings:
    """From the second moments above. In infinite width the factor is one number for all draws of the weights."""
    yield identity("from L = 1 to 2", with_norm(2) / with_norm(1), stated.rhs, of=stated.lhs)
    for size in (1, 2):
        nets = [[igb.mlp(i, norm=norm, sigma_w2=float(size)).predict() for norm in ("layer", None)] for i in (5, 6)]
        first, second = (normed.var_mu / plain.var_mu for normed, plain in nets)
        yield agree(f"L = 5 to 6, sigma_w^2 = {size}", second / first, stated.rhs.subs(sigma_w2, size), 9)


@SECTION.holds(
    "E-F2gamma",
    "gamma of LayerNorm + ReLU equals gamma of ReLU alone, at every depth",
    printed=equation(r"\gamma_{\mathrm{LN+ReLU}}", gamma),
    assumes="ReLU (or any homogeneous activation), no biases, widths to infinity",
)
def gamma_is_the_same(trial: Trial, stated: Any) -> Findings:
    """Mean and deviation of a node are divided by one alpha, which does not change the ratio of its moments behind
    ReLU. With biases it does not hold: sigma_b^2 is added to q, which is another number behind LayerNorm.
    """
    (first, second), (one, two) = relu_moments(mu / alpha, sigma / alpha), relu_moments(mu, sigma)
    yield identity("squared mean over second moment", first**2 / second, one**2 / two)
    c = sp.Float(0, 40)
    for depth in range(1, 21):
        c = kappa_1(c).evalf(40)
        if depth in (1, 3, 20):
            for norm, size in (("layer", 1.5), (None, 0.7)):
                found = igb.mlp(depth, norm=norm, sigma_w2=size).predict(digits=25).gamma
                label = f"depth {depth}, {norm or 'no'} norm, sigma_w^2 = {size}, predicted"
                yield agree(label, found, stated.rhs.subs(gamma, c / (1 - c)), 22)
    normed, plain = (igb.mlp(3, norm=norm, sigma_b2=0.5).predict().gamma for norm in ("layer", None))
    differ = sp.Gt(sp.Abs(sp.Symbol("gamma_LN") / gamma - 1), sp.Rational(1, 20))
    yield satisfies("with biases, L = 3", differ, {sp.Symbol("gamma_LN"): normed, gamma: plain})
    one, three = (stated.rhs.subs(gamma, igb.mlp(depth).predict().gamma) for depth in (1, 3))
    value, error = curve(trial.rng, trial.draws(80), 4000, 3, norm=True)[-1]
    yield measured(trial, "gamma, depth 3, N = 4000", value, error, three, against=one)


@SECTION.fails(
    "E-Eq94-96",
    "Z^(1) is N(0, sigma_w^2) over the data, with a variance that sums w_ij^2 over i",
    printed=equation(Z_1, sp.Sum(WEIGHTS(i, j) ** 2, (i, 1, d))),
    counter_example="assert 1 + 9 not in (1 + 1, 9 + 16)  # nodes of weights (1, 1) and (3, 4): the sum over i, j = 1",
    correction="the sum is over j, as in Eq. 67 for the same layer",
    right=equation(Z_1, sp.Sum(WEIGHTS(i, j) ** 2, (j, 1, d))),
    right_assumes="the input dimension d (D in Eqs. 94-95) goes to infinity: the variance is then sigma_w^2, E-Eq65-68",
)
def first_layer(stated: Any) -> Findings:
    """A misprint of an index. Node i = 1 of three inputs, which are independent and N(0, 1)."""
    names = {WEIGHTS(k, n): sp.Symbol(f"w_{k}{n}", real=True) for k in (1, 2, 3) for n in (1, 2, 3)}
    inputs = sp.symbols("X_1:4", real=True)
    total = sp.Add(*(WEIGHTS(1, k) * value for k, value in enumerate(inputs, 1))).subs(names)
    slopes = sp.Add(*(sp.Derivative(total, value) ** 2 for value in inputs))
    yield identity("variance of node 1", slopes, stated.rhs.subs({d: 3, i: 1, j: 1}).doit().subs(names))


@SECTION.holds(
    "E-Eq98-99",
    "in infinite width mu_a -> 0 and sigma_a^2 -> (sigma^(1))^2 = sigma_w^2, the same for every datum a",
    printed=(equation(r"\lim {\hat\mu}_a", 0), equation(r"\lim {\hat\sigma_a}^2", sigma_w2)),
    assumes="N_1 and the input dimension go to infinity; what is used is the law of large numbers, not the CLT",
)
def layer_statistics(stated: Any) -> Findings:
    """Given a datum the nodes are independent N(0, v), v = sigma_w^2 |x|^2/d; N sigma_a^2/v is chi^2 of N - 1 degrees.
    v itself varies over the data like a chi^2 of d degrees, so that d -> infinity is needed too.
    """

    def chi(degrees: Any, power: int) -> Any:
        return sp.gammasimp(2**power * sp.gamma(degrees / 2 + power) / sp.gamma(degrees / 2))

    n = sp.Symbol("n", positive=True)
    mean, square = (chi(n, k).subs(n, N - 1) * (v / N) ** k for k in (1, 2))
    yield identity("limit of E mu_a^2", sp.Limit(N * v / N**2, N, sp.oo), stated[0].rhs ** 2)
    yield identity("limit of Var sigma_a^2 given the datum", sp.Limit(square - mean**2, N, sp.oo), 0)
    first, second = (chi(d, k) * (sigma_w2 / d) ** k for k in (1, 2))
    whole = sp.Limit(sp.limit(mean, N, sp.oo).subs(v, first), d, sp.oo)
    yield identity("limit of E sigma_a^2", whole, stated[1].rhs)
    yield identity("limit of its variance over the data", sp.Limit(second - first**2, d, sp.oo), 0)


@SECTION.holds(
    "E-Eq117-119",
    "L^(2) = Z^(2)/alpha is Gaussian, alpha^2 = sigma_z^2 + sigma_mu^2, Z^(2) that of the net without norm",
    printed=equation(SECOND, npdf(z, mu / alpha, sigma / alpha)),
    assumes="widths to infinity",
)
@SECTION.holds(
    "E-Eq100-101",
    "L_i = Z_i/sigma^(1) over the data",
    printed=equation(FIRST, npdf(z, 0, sigma_w / sigma_1)),
    assumes="widths to infinity; the variance is then 1, as (sigma^(1))^2 = sigma_w^2",
)
def divided(stated: Any) -> Findings:
    """Change of variable: the density of Z at the divisor times z, times the divisor."""
    mean, deviation, by = {FIRST: (0, sigma_w, sigma_1), SECOND: (mu, sigma, alpha)}[stated.lhs.name]
    yield identity("density", sp.Subs(by * npdf(x, mean, deviation), x, by * z), stated.rhs)


@SECTION.holds(
    "E-Eq102-105",
    "behind ReLU mean and variance are those without LayerNorm divided by sigma^(1) and its square",
    printed=(equation(r"\mathbb{E}_\chi(Y)", E_Y / sigma_1), equation(r"\mathrm{Var}_\chi(Y)", Var_Y / sigma_1**2)),
)
def scaled_moments(stated: Any) -> Findings:
    """Lemma F.1 at the factor 1/sigma^(1) > 0; here by integration over the positive half line."""
    yield identity("mean", FIRST_MOMENT, stated[0].rhs.subs(PLAIN))
    yield identity("variance", SECOND_MOMENT - FIRST_MOMENT**2, stated[1].rhs.subs(PLAIN))


@SECTION.holds(
    "E-Eq106-112",
    "the centre of Z^(2), sum_j w_ij E(Y_j), is Gaussian over the weights",
    printed=equation(r"f_{\mathbb{E}_\chi(Z_i^{(2)})}(z)", npdf(z, 0, sigma_w * sp.sqrt(E_Y2) / sigma_1)),
    assumes="widths to infinity, where the covariances of different nodes no longer count (E-Eq25)",
)
def second_layer(trial: Trial, stated: Any) -> Findings:
    """The centre is Gaussian over w at given Y; its variance is an average over nodes."""
    variance = variance_of(stated.rhs, z)
    yield identity("variance of the centre", SUM_OF_SQUARES * FIRST_MOMENT**2, variance.subs(PLAIN))
    yield from normal("centre", stated.rhs, z, 0, variance)
    value = variance.subs(PLAIN).subs({sigma_1: sigma_w, sigma_w: sp.sqrt(sp.Rational(3, 2))})
    plain = {"var_mu[1]": igb.mlp(1, sigma_w2=1.5).predict().var_mu}
    yield from extrapolated(trial, igb.mlp(1, norm="layer", sigma_w2=1.5), {"var_mu[1]": value}, against=plain)


@SECTION.fails(
    "E-Eq113",
    "the mean variance of Z^(2) is divided by the variance of layer l",
    printed=equation(r"\mathbb{E}_{\mathcal W}(\mathrm{Var}_\chi(Z_i^{(2)}))", sigma_w**2 * Var_Y / sigma_l**2),
    counter_example="assert diff(printed, sigma_l) != 0  # the left side has no layer l",
    correction="it is divided by the variance of layer 1, as in Eq. 110",
    right=equation(r"\mathbb{E}_{\mathcal W}(\mathrm{Var}_\chi(Z_i^{(2)}))", sigma_w**2 * Var_Y / sigma_1**2),
)
def mean_variance_of_the_second_layer(stated: Any) -> Findings:
    """A misprint of an index, which cancels in Eq. 114. E w_j w_k = 0 takes the covariances away."""
    spread = SECOND_MOMENT - FIRST_MOMENT**2
    yield identity("sum over N nodes", SUM_OF_SQUARES * spread, stated.rhs.subs(PLAIN))


@SECTION.holds(
    "E-Eq114",
    "the ratio of layer 2 does not depend on sigma^(1)",
    printed=equation(r"\mathrm{Var}_{\mathcal W}(\mathbb{E}_\chi(Z^{(2)}))/\mathrm{Var}_\chi(Z^{(2)})", E_Y2 / Var_Y),
    assumes="widths to infinity",
)
def ratio_of_the_second_layer(stated: Any) -> Findings:
    """Numerator and denominator have the factor sigma_w^2; the moments are those behind LayerNorm."""
    yield identity("gamma", FIRST_MOMENT**2 / (SECOND_MOMENT - FIRST_MOMENT**2), stated.rhs.subs(PLAIN))
    value = sp.simplify(stated.rhs.subs(PLAIN))
    yield agree("predicted", igb.mlp(1, norm="layer", sigma_w2=1.5).predict(digits=25).gamma, value, 22)


@SECTION.fails(
    "E-Eq115-116",
    "the law of a whole layer at z is the mixture of the laws of its nodes over their centres, here a function of x",
    printed=equation("f_{Z^{(2)}}(z)", npdf(x, 0, sp.sqrt(sigma_z**2 + sigma_mu**2))),
    counter_example="assert not printed.has(Symbol('z')) and printed.has(Symbol('x'))  # like erf(y) up to x, E-erf",
    correction="it is that function of z",
    right=equation("f_{Z^{(2)}}(z)", npdf(z, 0, sp.sqrt(sigma_z**2 + sigma_mu**2))),
    right_assumes="widths to infinity",
)
def layer_law(stated: Any) -> Findings:
    """The variable on the left and that on the right are two different letters in print. The convolution:"""
    mixture = sp.Integral(npdf(z, y, sigma_z) * npdf(y, 0, sigma_mu), (y, -sp.oo, sp.oo))
    yield identity("integral over the centres", mixture, stated.rhs)


for name, unit, scale in (("E-Eq120", r"\bar Y", sp.Integer(1)), ("E-Eq121", "Y", alpha)):
    atoms = [sp.DiracDelta(y) * ncdf(sign * mu / sigma) for sign in (1, -1)]
    rest = sp.Heaviside(y) * npdf(y, mu / scale, sigma / scale)

    @SECTION.fails(
        name,
        f"the rectified N(mu, sigma^2){'' if scale == 1 else ' over alpha'} has the mass Phi(mu/sigma) at 0",
        printed=equation(f"f_{{{unit}}}(y)", atoms[0] + rest),
        counter_example="assert printed.coeff(DiracDelta(Symbol('y'))).subs({mu: 3, sigma: 1}) > 0.99  # seldom 0",
        correction="it is Phi(-mu/sigma), as in the proof of lemma F.1",
        right=equation(f"f_{{{unit}}}(y)", atoms[1] + rest),
    )
    def atom(stated: Any) -> list[Finding]:
        """A sign: P(X < 0) = Phi(-mu/sigma). Harmless for the moments, where the atom adds 0."""
        scale = 1 if "bar" in stated.lhs.name else alpha
        return rectified("node", stated.rhs, y, mu / scale, sigma / scale)


@SECTION.holds(
    "E-Eq122-124",
    "mean and variance of Y^(2) are those without LayerNorm divided by alpha and alpha^2, and the ratio of layer 3 is "
    "that without it",
    printed=(
        equation(r"\mathbb{E}_\chi(Y^{(2)})", E_Y / alpha),
        equation(r"\mathrm{Var}_\chi(Y^{(2)})", Var_Y / alpha**2),
        equation(r"\gamma^{(3)}", gamma),
    ),
    assumes="widths to infinity",
)
def third_layer(stated: Any) -> Findings:
    """Lemma F.1 at 1/alpha > 0, node by node: alpha is the same for all nodes of a wide layer."""
    (mean, square), (plain, other) = relu_moments(mu / alpha, sigma / alpha), relu_moments(mu, sigma)
    yield identity("mean of a node", mean, stated[0].rhs.subs(E_Y, plain))
    yield identity("variance of a node", square - mean**2, stated[1].rhs.subs(Var_Y, other - plain**2))
    c = kappa_1(kappa_1(sp.Integer(0)))
    found = igb.mlp(2, norm="layer").predict(digits=25).gamma
    yield agree("gamma of layer 3, predicted with LayerNorm", found, stated[2].rhs.subs(gamma, c / (1 - c)), 20)


@SECTION.fails(
    "E-FigF.1",
    "the curves gamma(l) of ReLU and of LayerNorm + ReLU overlap through 20 layers",
    printed=(OVERLAP, equation("N", 100)),
    assumes="N = 100: the figure gives no width, and the paper has no other network of 20 hidden layers (MHLP)",
    counter_example="""
normed, plain = (igb.mlp(20, norm=norm).simulate(20, 100, 50, workers=1).gamma for norm in ("layer", None))
assert normed > 1.4 * plain
""",
    correction="they overlap in wider networks: to a tenth at N = 4000, and in infinite width they are one (E-F2gamma)",
    right=(OVERLAP, equation("N", 4000)),
)
def curves(trial: Trial, stated: Any) -> Findings:
    """Without norm the lengths of two data diffuse apart, by the order l/N: at N = 100 and l = 20 gamma is about 8, and
    20 with LayerNorm. Not noticed: a tenth more or less of the width, and of what an overlap is.
    """
    width = int(stated[1].rhs)
    networks = max(trial.draws(40000) // width, 10)
    runs = (np.random.default_rng(trial.seed) for _ in range(2))  # the same numbers with and without LayerNorm
    normed, plain = (curve(rng, networks, width, 20, norm=norm) for rng, norm in zip(runs, (True, False), strict=True))
    for layer in (10, 20):
        (value, one), (other, two) = normed[layer - 1], plain[layer - 1]
        values = {sp.Symbol("gamma_LN"): value, gamma: other}
        yield satisfies(f"l = {layer}, errors {one:.1g} and {two:.1g}", stated[0], values)
