"""Where you place the norm, appendix F.1: LayerNorm in front of ReLU.

In infinite width LayerNorm divides every pre-activation of a layer by one number, the standard deviation of the layer,
and ReLU passes a positive factor on (lemma F.1). Let q = var_mu + var_chi be the second moment of a pre-activation and
c = var_mu/q the correlation of two data. ReLU and a Dense make q' = sigma_w^2 q/2 and c' = kappa_1(c): c, and with it
gamma = c/(1 - c), does not see the factor; q does, which is 1 behind each LayerNorm. Hence, L hidden layers,

    q_out = sigma_w^2/2 with LayerNorm,   q_out = sigma_w^2 (sigma_w^2/2)^L without.
"""

from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import (
    Finding,
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    normal,
    rectified,
    satisfies,
    value_of,
    worded,
)
from igbtheory.claims.formula import evaluated
from igbtheory.claims.gaussians import kappa_1, ncdf, normal_moment, npdf, relu_moment, relu_moments, variance_of
from igbtheory.claims.quantities import E_CHI, E_W, VAR_CHI, VAR_W
from igbtheory.claims.simulated import at_width, bias_ratio, mean_with_error, relu, second_moments, standardised
from igbtheory.claims.wide import forward

SECTION = Section("Where you place the norm, appendix F.1: LayerNorm in front of ReLU", "E F.1")

mu, x, y, z = sp.symbols("mu x y z", real=True)
sigma_w, sigma_w2, sigma_1, sigma_l = sp.symbols("sigma_w sigma_w2 sigma_1 sigma_l", positive=True)
sigma, alpha, sigma_z, sigma_mu, v = sp.symbols("sigma alpha sigma_z sigma_mu v", positive=True)
d, i, j, N, L = sp.symbols("d i j N L", positive=True, integer=True)
WEIGHTS, Z_1, Z_2 = sp.Function("w"), sp.Symbol("Z_i^{(1)}"), sp.Symbol("Z_i^{(2)}")
FIRST, SECOND = (sp.Function(rf"f_{{L_i^{{({layer})}}}}")(z) for layer in (1, 2))
CENTRE, LAYER = sp.Function(r"f_{\mathbb{E}_\chi(Z_i^{(2)})}")(z), sp.Function("f_{Z^{(2)}}")(z)
OUTPUT, OUTPUT_LN, MU_C, MU_C_LN = sp.symbols(r"O_c O_c^\mathrm{LN} \mu_c \mu_c^\mathrm{LN}")
FACTOR = sp.Function(r"\mathrm{factor}")
"""Of the variances with LayerNorm over those without, as a function of the number of hidden layers."""
MEAN_A, DEVIATION_A = sp.Symbol(r"\hat\mu_a"), sp.Symbol(r"\hat\sigma_a", positive=True)
GAMMA_LN, GAMMA_3 = sp.Symbol("gamma_LN", positive=True), sp.Symbol(r"\gamma^{(3)}")
Y, Y_2 = sp.Symbol("Y"), sp.Symbol("Y^{(2)}")
E_Y, E_Y2, Var_Y, gamma = sp.symbols("E_Y E_Y2 Var_Y gamma", positive=True)
"""Of the network without LayerNorm: mean of a node behind ReLU, its mean square over the weights, its variance."""
PLAIN = {E_Y: relu_moments(0, sigma_w)[0], E_Y2: relu_moments(0, sigma_w)[0] ** 2}
PLAIN[Var_Y] = relu_moments(0, sigma_w)[1] - PLAIN[E_Y2]
FIRST_MOMENT, SECOND_MOMENT = (relu_moment(k, sigma_w / sigma_1) for k in (1, 2))
"""Of a node behind LayerNorm and ReLU in layer 1."""
OVERLAP = sp.Lt(sp.Abs(GAMMA_LN / gamma - 1), sp.Rational(1, 10))
"""What an overlap of the curves of figure F.1 is taken to mean."""
SUM_OF_SQUARES = N * normal_moment(2, sigma_w**2 / N)
"""Of the weights of a node: its mean, not yet integrated."""


def factors(right: Any) -> tuple[Any, Any]:
    """The statement that both variances with LayerNorm, over those without, are `right`."""
    variances = (VAR_CHI(OUTPUT_LN) / VAR_CHI(OUTPUT), VAR_W(MU_C_LN) / VAR_W(MU_C))
    return equation(variances[0], right), equation(variances[1], right)


def layer_norm(h: Any) -> Any:
    """LayerNorm and ReLU."""
    return relu(standardised(h, -1))


def curve(rng: np.random.Generator, networks: int, width: int, depth: int, *, norm: bool) -> list[tuple[float, float]]:
    """Ratios gamma behind every layer of finite networks, with their errors, exact over the weights of the next one."""
    h, gammas = rng.standard_normal((networks, width, 8)), []
    for _ in range(depth):
        h = forward(rng, h, 2.0)
        h = relu(standardised(h, 1) if norm else h)
        gammas.append(bias_ratio(h.transpose(0, 2, 1)))
    return gammas


@cache
def square_behind(depth: int) -> Any:
    """Second moment of a pre-activation behind so many layers of ReLU without a norm, layer by layer."""
    return sigma_w2 * evaluated(relu_moment(2, sp.sqrt(square_behind(depth - 1)))) if depth else sigma_w2


def with_norm(depth: int) -> Any:
    """Second moment of an output of the network with LayerNorm over that of the network without."""
    return sigma_w2 * relu_moment(2) / square_behind(depth)


SECTION.definitions(
    "a definition",
    ("E-Eq91", "Eq. 91", "The input", r"X_i^{(0)} \sim \mathcal{N}(0, 1)"),
    ("E-Eq97", "Eq. 97", "LayerNorm", r"L_{i;a} = \frac{Z_{i;a} - \hat\mu_a}{\hat\sigma_a}"),
)


@SECTION.fails(
    "E-ThmF.2",
    "LayerNorm, then ReLU: the variance of an output over the data and that of its centre over the weights are "
    "printed as those of ReLU alone times the variance (sigma^(1))^2 of the pre-activations of the first layer",
    printed=factors(sigma_w2),
    assumes="“in the limit of infinite width and dataset size” (Theorem F.2)",
    counter_example="""
plain, normed = (igb.mlp(4, norm=norm).predict() for norm in (None, "layer"))  # sigma_w^2 = 2
assert printed[0].subs(sigma_w2, 2) == 2 and abs(normed.var_chi / plain.var_chi - 0.5) < 1e-9  # halved, not doubled
""",
    correction="They are divided, as in the proof of the theorem, by the variance of the pre-activations of the last "
    "hidden layer, which is (sigma^(1))^2 at each depth for sigma_w^2 = 2, where the theorem as printed doubles what "
    "LayerNorm halves",
    right=factors(1 / (sigma_w2 * (sigma_w2 / 2) ** (L - 1))),
    right_assumes="“biases are set to zero” (appendix B)",
    misprint=True,
    at="Theorem F.2, Eqs. 92 and 93; the proof divides, in Eqs. 105, 110, 111, 122 and 123",
    where="(sigma^(1))^2 = sigma_w^2",
)
def divided_by_the_variance(stated: Any, says: str) -> Findings:
    """Eqs. 104 to 113 divide, the theorem multiplies. c is the same (E-F2gamma), so both variances have one factor."""
    quantities = {"var_chi": (VAR_CHI(OUTPUT_LN), VAR_CHI(OUTPUT)), "var_mu": (VAR_W(MU_C_LN), VAR_W(MU_C))}
    for name, (with_ln, without) in quantities.items():
        factor = value_of(with_ln, stated) / without
        for depth in (1, 2, 5):
            at = factor.subs(L, depth)
            yield identity(f"second moments, L = {depth}", with_norm(depth), at, of=sp.Symbol(r"q^{\mathrm{LN}}/q"))
            normed, plain = (igb.mlp(depth, norm=norm, sigma_w2=1.5).predict(digits=25) for norm in ("layer", None))
            value = getattr(normed, name) / getattr(plain, name)
            yield agree(f"{name}, L = {depth}, predicted", value, at.subs(sigma_w2, sp.Rational(3, 2)), 22)
    (kaiming,) = {size for size in (1, 2, 3) if len({with_norm(i).subs(sigma_w2, size) for i in (1, 2, 3)}) == 1}
    yield worded(says, "at each depth for sigma_w^2 = {}", kaiming)
    halved = evaluated(with_norm(3).subs(sigma_w2, 2)) == sp.Rational(1, 2)
    doubled = "doubles" if sigma_w2.subs(sigma_w2, kaiming) == kaiming == 2 else "changes"
    yield worded(says, "the theorem as printed {} what LayerNorm {}", doubled, "halves" if halved else "keeps")
    yield worded(
        says, "They are {}", "divided" if sp.simplify(evaluated(with_norm(1)) * sigma_w2) == 1 else "multiplied"
    )


@SECTION.limited(
    "E-F2const",
    "“This scaling is constant and does not vary with network depth”",
    printed=equation(FACTOR(L + 1) / FACTOR(L), 1),
    assumes="“In our experiments we adopt the standard setting” (appendix B) sigma_w^2 = 2",
    counter_example="""
chi = lambda depth, norm: igb.mlp(depth, norm=norm, sigma_w2=1.0).predict().var_chi
assert abs(chi(2, "layer") / chi(2, None) / (chi(1, "layer") / chi(1, None)) - 2) < 1e-9  # at sigma_w^2 = 1
""",
    at="section F.1, behind Theorem F.2",
)
def factor_is_constant(stated: Any, says: str) -> Findings:
    """From the second moments above, at sigma_w^2 = 2."""
    size = 2
    yield from _growth_of_the_factor(stated, size)
    yield worded(says, "sigma_w^2 = {}", size)


@SECTION.corrects(
    "E-F2const",
    "Each layer multiplies the factor between the variances with LayerNorm and those of ReLU alone by 2/sigma_w^2",
    right=equation(FACTOR(L + 1) / FACTOR(L), 2 / sigma_w2),
    assumes="“biases are set to zero” (appendix B)",
)
def factor_varies(stated: Any, says: str) -> Findings:
    """From the second moments above. In infinite width the factor is one number for all draws of the weights."""
    for size in (1, 3):
        yield from _growth_of_the_factor(stated, size)
    growth = sp.simplify(with_norm(2) / with_norm(1) * sigma_w2)
    operation = "multiplies" if growth.is_number else "divides"
    yield worded(says, "Each layer {} the factor", operation)
    yield worded(says, "by {}/sigma_w^2", growth)


def _growth_of_the_factor(stated: Any, size: int) -> Findings:
    """Findings on factor(L + 1)/factor(L), by algebra from L = 1 and predicted from L = 5, at sigma_w^2 = size."""
    said = (value_of(FACTOR(L + 1), stated) / FACTOR(L)).subs(sigma_w2, size)
    growth = (with_norm(2) / with_norm(1)).subs(sigma_w2, size)
    yield identity(f"from L = 1 to 2, sigma_w^2 = {size}", growth, said, of=FACTOR(L + 1) / FACTOR(L))
    nets = [[igb.mlp(i, norm=norm, sigma_w2=float(size)).predict() for norm in ("layer", None)] for i in (5, 6)]
    first, second = (normed.var_mu / plain.var_mu for normed, plain in nets)
    yield agree(f"L = 5 to 6, sigma_w^2 = {size}", second / first, said, 9)


@SECTION.holds(
    "E-F2gamma",
    "“the presence of LN before ReLU leave the level of IGB unchanged”",
    printed=equation(GAMMA_LN, gamma),
    assumes="“biases are set to zero” (appendix B); “the width of each hidden layer is infinitely large” (section F.1)",
    at="section F.1, behind Theorem F.2, and Eq. 124",
    where="this holds at each depth, and for other homogeneous activations",
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
            cases: tuple[Any, ...] = ("layer", 1.5), (None, 0.7)
            for norm, size in cases:
                predicted = igb.mlp(depth, norm=norm, sigma_w2=size).predict(digits=25).gamma
                label = f"depth {depth}, {norm or 'no'} norm, sigma_w^2 = {size}, predicted"
                yield agree(label, predicted, value_of(GAMMA_LN, stated).subs(gamma, c / (1 - c)), 22)
    normed, plain = (igb.mlp(3, norm=norm, sigma_b2=0.5).predict().gamma for norm in ("layer", None))
    differ = sp.Gt(sp.Abs(GAMMA_LN / gamma - 1), sp.Rational(1, 20))
    yield satisfies("with biases, L = 3", differ, {GAMMA_LN: normed, gamma: plain})
    one, three = (value_of(GAMMA_LN, stated).subs(gamma, igb.mlp(depth).predict().gamma) for depth in (1, 3))
    value, error = curve(trial.rng, trial.draws(80), 4000, 3, norm=True)[-1]
    yield measured(trial, "gamma, depth 3, N = 4000", value, error, three, against=one)


@SECTION.fails(
    "E-Eq94-96",
    "The variance of Z_i^(1) over the data is printed as a sum of w_ij^2 over i",
    printed=equation(VAR_CHI(Z_1), sp.Sum(WEIGHTS(i, j) ** 2, (i, 1, d))),
    counter_example="assert 1 + 9 not in (1 + 1, 9 + 16)  # nodes of weights (1, 1) and (3, 4): the sum over i, j = 1",
    correction="The sum is over j, as in the first line of appendix E.2 for the same layer",
    misprint=True,
    at="Eqs. 94 and 95",
    right=equation(VAR_CHI(Z_1), sp.Sum(WEIGHTS(i, j) ** 2, (j, 1, d))),
    where="the input dimension d (D in Eqs. 94-95) goes to infinity: the variance is then sigma_w^2, E-Eq65-68",
)
def first_layer(stated: Any) -> Findings:
    """A misprint of an index. Node i = 1 of three inputs, which are independent and N(0, 1)."""
    names = {WEIGHTS(k, n): sp.Symbol(f"w_{k}{n}", real=True) for k in (1, 2, 3) for n in (1, 2, 3)}
    inputs = sp.symbols("X_1:4", real=True)
    total = sp.Add(*(WEIGHTS(1, k) * value for k, value in enumerate(inputs, 1))).subs(names)
    slopes = sp.Add(*(sp.Derivative(total, value) ** 2 for value in inputs))
    yield identity(
        "variance of node 1", slopes, value_of(VAR_CHI(Z_1), stated).subs({d: 3, i: 1, j: 1}).doit().subs(names)
    )


@SECTION.holds(
    "E-Eq98-99",
    "Mean and variance along the layer concentrate on numbers, whatever the datum",
    printed=(equation(MEAN_A, 0), equation(DEVIATION_A**2, sigma_w2)),
    at="Eqs. 98 and 99",
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    where="the input dimension is infinite as well; (sigma^(1))^2 = sigma_w^2",
)
def layer_statistics(stated: Any) -> Findings:
    """Given a datum the nodes are independent N(0, v), v = sigma_w^2 |x|^2/d; N sigma_a^2/v is chi^2 of N - 1 degrees.
    v itself varies over the data like a chi^2 of d degrees, so that d -> infinity is needed too.
    """

    def chi(degrees: Any, power: int) -> Any:
        return sp.gammasimp(2**power * sp.gamma(degrees / 2 + power) / sp.gamma(degrees / 2))

    n = sp.Symbol("n", positive=True)
    mean, square = (chi(n, k).subs(n, N - 1) * (v / N) ** k for k in (1, 2))
    yield identity("limit of E mu_a^2", sp.Limit(N * v / N**2, N, sp.oo), value_of(MEAN_A, stated) ** 2)
    yield identity("limit of Var sigma_a^2 given the datum", sp.Limit(square - mean**2, N, sp.oo), 0)
    first, second = (chi(d, k) * (sigma_w2 / d) ** k for k in (1, 2))
    whole = sp.Limit(sp.limit(mean, N, sp.oo).subs(v, first), d, sp.oo)
    yield identity("limit of E sigma_a^2", whole, value_of(DEVIATION_A, stated) ** 2)
    yield identity("limit of its variance over the data", sp.Limit(second - first**2, d, sp.oo), 0)


@SECTION.holds(
    "E-Eq117-119",
    "The law of an output of LayerNorm in the second layer, Z^(2)/alpha, given its centre",
    printed=equation(SECOND, npdf(z, mu / alpha, sigma / alpha)),
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    at="Eqs. 117 to 119",
    where="alpha^2 is the variance of the whole layer",
)
@SECTION.holds(
    "E-Eq100-101",
    "The law of an output of LayerNorm in the first layer, Z/sigma^(1)",
    printed=equation(FIRST, npdf(z, 0, sigma_w / sigma_1)),
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    at="Eqs. 100 and 101",
    where="the variance is then 1, as (sigma^(1))^2 = sigma_w^2",
)
def divided(stated: Any) -> Findings:
    """Change of variable: the density of Z at the divisor times z, times the divisor."""
    mean, deviation, by = {FIRST: (0, sigma_w, sigma_1), SECOND: (mu, sigma, alpha)}[stated.lhs]
    yield identity("density", sp.Subs(by * npdf(x, mean, deviation), x, by * z), value_of(stated.lhs, stated))


@SECTION.holds(
    "E-Eq102-105",
    "Mean and variance of what LayerNorm and ReLU make in the first layer",
    printed=(equation(E_CHI(Y), E_Y / sigma_1), equation(VAR_CHI(Y), Var_Y / sigma_1**2)),
    at="Eqs. 102 to 105",
    where="E_Y and Var_Y are those of ReLU alone",
)
def scaled_moments(stated: Any) -> Findings:
    """Lemma F.1 at the factor 1/sigma^(1) > 0; here by integration over the positive half line."""
    yield identity("mean", FIRST_MOMENT, value_of(E_CHI(Y), stated).subs(PLAIN))
    yield identity("variance", SECOND_MOMENT - FIRST_MOMENT**2, value_of(VAR_CHI(Y), stated).subs(PLAIN))


@SECTION.holds(
    "E-Eq106-112",
    "The law over the weights of the centre of Z^(2)",
    at="Eqs. 106 to 112",
    printed=equation(CENTRE, npdf(z, 0, sigma_w * sp.sqrt(E_Y2) / sigma_1)),
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    where="the covariances of different nodes no longer count (E-Eq25)",
)
def second_layer(trial: Trial, stated: Any) -> Findings:
    """The centre is Gaussian over w at given Y; its variance is an average over nodes."""
    law = value_of(CENTRE, stated)
    variance = variance_of(law, z)
    yield identity("variance of the centre", SUM_OF_SQUARES * FIRST_MOMENT**2, variance.subs(PLAIN))
    yield from normal("centre", law, z, 0, variance)
    value = variance.subs(PLAIN).subs({sigma_1: sigma_w, sigma_w: sp.sqrt(sp.Rational(3, 2))})

    def drawn(units: Any) -> tuple[float, float]:
        return mean_with_error(1.5 * second_moments(units)[0])

    plain = igb.mlp(1, sigma_w2=1.5).predict().var_mu
    yield at_width(trial, "variance of the centre", drawn, value, plain, shape=(100, 4, 4000), phi=layer_norm)


@SECTION.fails(
    "E-Eq113",
    "The mean variance of Z^(2) is printed with the variance of layer l as its divisor",
    printed=equation(E_W(VAR_CHI(Z_2)), sigma_w**2 * Var_Y / sigma_l**2),
    counter_example="assert diff(printed, sigma_l) != 0  # the left side has no layer l",
    correction="The divisor is the variance of the first layer, as for the variance of the centres before it",
    misprint=True,
    at="Eq. 113",
    right=equation(E_W(VAR_CHI(Z_2)), sigma_w**2 * Var_Y / sigma_1**2),
)
def mean_variance_of_the_second_layer(stated: Any) -> Findings:
    """A misprint of an index, which cancels in Eq. 114. E w_j w_k = 0 takes the covariances away."""
    spread = SECOND_MOMENT - FIRST_MOMENT**2
    yield identity("sum over N nodes", SUM_OF_SQUARES * spread, value_of(E_W(VAR_CHI(Z_2)), stated).subs(PLAIN))


@SECTION.holds(
    "E-Eq114",
    "The ratio of the second layer, in which sigma^(1) cancels",
    printed=equation(VAR_W(E_CHI(Z_2)) / VAR_CHI(Z_2), E_Y2 / Var_Y),
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    at="Eq. 114",
)
def ratio_of_the_second_layer(stated: Any) -> Findings:
    """Numerator and denominator have the factor sigma_w^2; the moments are those behind LayerNorm."""
    said = (value_of(VAR_W(E_CHI(Z_2)), stated) / VAR_CHI(Z_2)).subs(PLAIN)
    yield identity("gamma", FIRST_MOMENT**2 / (SECOND_MOMENT - FIRST_MOMENT**2), said)
    value = sp.simplify(said)
    yield agree("predicted", igb.mlp(1, norm="layer", sigma_w2=1.5).predict(digits=25).gamma, value, 22)


@SECTION.fails(
    "E-Eq115-116",
    "The law of a whole layer at z, the mixture of the laws of its nodes over their centres, is printed as a function "
    "of x",
    printed=equation(LAYER, npdf(x, 0, sp.sqrt(sigma_z**2 + sigma_mu**2))),
    counter_example="assert not printed.has(Symbol('z')) and printed.has(Symbol('x'))  # like erf(y) up to x, E-erf",
    correction="It is that function of z",
    misprint=True,
    at="Eqs. 115 and 116",
    right=equation(LAYER, npdf(z, 0, sp.sqrt(sigma_z**2 + sigma_mu**2))),
    right_assumes="“the width of each hidden layer is infinitely large” (section F.1)",
)
def layer_law(stated: Any) -> Findings:
    """The variable on the left and that on the right are two different letters in print. In the convolution the centre
    given z is normal, with the variance of both laws in parallel; what is left is the law of the layer.
    """
    mixed, variance = npdf(z, y, sigma_z) * npdf(y, 0, sigma_mu), sigma_z**2 + sigma_mu**2
    of_centre = npdf(y, z * sigma_mu**2 / variance, sigma_z * sigma_mu / sp.sqrt(variance))
    left = sp.exp(sp.simplify(sp.expand_log(sp.log(mixed / of_centre), force=True)))
    mixture = sp.Integral(mixed, (y, -sp.oo, sp.oo))
    yield identity("integral over the centres", left, value_of(LAYER, stated), of=mixture)


UNNORMED, NORMED = sp.Function(r"f_{\bar Y}")(y), sp.Function("f_{Y}")(y)
for name, law, scale in (("E-Eq120", UNNORMED, sp.Integer(1)), ("E-Eq121", NORMED, alpha)):
    atoms = [sp.DiracDelta(y) * ncdf(sign * mu / sigma) for sign in (1, -1)]
    rest = sp.Heaviside(y) * npdf(y, mu / scale, sigma / scale)

    @SECTION.fails(
        name,
        f"The atom of a rectified Gaussian{'' if scale == 1 else ' over alpha'} is printed as Phi(mu/sigma)",
        printed=equation(law, atoms[0] + rest),
        counter_example="assert printed.coeff(DiracDelta(Symbol('y'))).subs({mu: 3, sigma: 1}) > 0.99  # seldom 0",
        correction="It is Phi(-mu/sigma), as in the proof of Lemma F.1",
        misprint=True,
        at=f"Eq. {name[4:]}",
        right=equation(law, atoms[1] + rest),
    )
    def atom(stated: Any) -> list[Finding]:
        """A sign: P(X < 0) = Phi(-mu/sigma). Harmless for the moments, where the atom adds 0."""
        law, scale = {UNNORMED: (UNNORMED, 1), NORMED: (NORMED, alpha)}[stated.lhs]
        return rectified("node", value_of(law, stated), y, mu / scale, sigma / scale)


@SECTION.holds(
    "E-Eq122-124",
    "Mean and variance of what LayerNorm and ReLU make in the second layer, and the ratio of the third",
    printed=(equation(E_CHI(Y_2), E_Y / alpha), equation(VAR_CHI(Y_2), Var_Y / alpha**2), equation(GAMMA_3, gamma)),
    assumes="“the width of each hidden layer is infinitely large” (section F.1)",
    at="Eqs. 122 to 124",
    where="E_Y, Var_Y and gamma are those of ReLU alone",
)
def third_layer(stated: Any) -> Findings:
    """Lemma F.1 at 1/alpha > 0, node by node: alpha is the same for all nodes of a wide layer."""
    (mean, square), (plain, other) = relu_moments(mu / alpha, sigma / alpha), relu_moments(mu, sigma)
    yield identity("mean of a node", mean, value_of(E_CHI(Y_2), stated).subs(E_Y, plain))
    yield identity("variance of a node", square - mean**2, value_of(VAR_CHI(Y_2), stated).subs(Var_Y, other - plain**2))
    c = kappa_1(kappa_1(sp.Integer(0)))
    predicted = igb.mlp(2, norm="layer").predict(digits=25).gamma
    said = value_of(GAMMA_3, stated).subs(gamma, c / (1 - c))
    yield agree("gamma of layer 3, predicted with LayerNorm", predicted, said, 20)


NARROW, WIDE = 100, 4000
"""Widths at which the curves of figure F.1 lie apart, and within a tenth of each other."""


@SECTION.limited(
    "E-FigF.1",
    "“The two curves are overlapped”: gamma of ReLU and of LayerNorm + ReLU for 20 consecutive layers",
    printed=OVERLAP,
    assumes=f"{WIDE} nodes in a layer",
    counter_example="""
normed, plain = (igb.mlp(20, norm=norm).simulate(20, 100, 50, workers=1).gamma for norm in ("layer", None))
assert normed > 1.4 * plain
""",
    outside=f"With {NARROW} nodes, the width of the preprint's networks of 20 hidden layers, gamma of the last layer "
    "with LayerNorm is more than 1.4 times gamma of ReLU alone",
    beyond=sp.Gt(GAMMA_LN / gamma, sp.Rational(14, 10)),
    at="Fig. F.1",
    where="the figure gives no width, and in infinite width the curves are one (E-F2gamma)",
)
def curves(trial: Trial, stated: Any, says: str) -> Findings:
    """Without norm the lengths of two data diffuse apart, by the order l/N: at N = 100 and l = 20 gamma is about 8, and
    20 with LayerNorm. Not noticed: a tenth more or less of the ratios.
    """
    width = NARROW if isinstance(stated, sp.Gt) else WIDE
    networks = max(trial.draws(40000) // width, 10)
    runs = (np.random.default_rng(trial.seed) for _ in range(2))  # the same numbers with and without LayerNorm
    normed, plain = (curve(rng, networks, width, 20, norm=norm) for rng, norm in zip(runs, (True, False), strict=True))
    for layer in (10, 20) if width == WIDE else (20,):
        (value, one), (other, two) = normed[layer - 1], plain[layer - 1]
        yield satisfies(f"l = {layer}, errors {one:.1g} and {two:.1g}", stated, {GAMMA_LN: value, gamma: other})
    yield worded(says, "{} {}layers", len(plain), "consecutive " if width == WIDE else "hidden ")
    if width == WIDE:
        yield worded(says, "{} nodes in a layer", width)
    if width == NARROW:
        more = "more" if normed[-1][0] > 1.4 * plain[-1][0] else "less"
        yield worded(says, "With {} nodes", width)
        yield worded(says, "is {} than {} times gamma", more, float(stated.rhs))
