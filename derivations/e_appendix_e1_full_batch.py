"""Where you place the norm, appendix E.1.1: BatchNorm in front of the activation, full batch (Theorem E.1, Eqs. 16-26).

The network is Dense, BatchNorm, phi, ..., Dense with weights w ~ N(0, sw2/N) and Gaussian inputs. The proof goes
round a circle of four laws over the data, the weights fixed,

    B^(l) ~ N(0, 1)  ->  Y^(l) = phi(B^(l))  ->  Z^(l+1) = sum_j w_j Y_j^(l)  ->  B^(l+1) ~ N(0, 1),

so that the law of Y, hence that of the output O_c, is the same at every depth. Width N and number of data D go to
infinity at a fixed depth; at finite width what is left is of order L/N.
"""

from typing import Any

import mpmath
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    gaussians,
    identity,
    measured,
    normal,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import batch_relu_mean, kappa_1, normal_moment, npdf, relu_moment, variance_of
from igbtheory.claims.quantities import E_CHI, VAR_CHI, VAR_W
from igbtheory.claims.simulated import (
    drawn_limit,
    hidden_units,
    mean_with_error,
    ratio_with_error,
    relu,
    second_moments,
    standardised,
    wide_limit,
)

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, full batch", "E E.1.1")

sigma_w2, q, sigma, e = sp.symbols("sigma_w2 q sigma e", positive=True)
D, L, N = sp.symbols("D L N", positive=True, integer=True)
o, m, b, z, t, mu, mu_c, S_w = sp.symbols("o m b z t mu mu_c S_w", real=True)
E_Y, Var_Y = sp.symbols("E_Y Var_Y", positive=True)
"""Mean and variance over the data of a node Y of the first layer, behind phi."""
INPUT, NODE, Z = sp.Symbol("Y_1^{(0)}"), sp.Symbol("Y_0^{(1)}"), sp.Symbol("Z_i^{(l+1)}")
OUTPUT, CENTRE = sp.Function("f_{O_c}")(o), sp.Function(r"f_{\mu_c}")(m)
ON_DATA = sp.Function(r"f_{\mu_c}")(m, D)
"""The law of the centre of a network that normalises over D data."""
LAW_OF_B, LAW_OF_Z1, LAW_OF_Z = (
    sp.Function(f"f_{{{node}}}")(x) for node, x in (("B_i^{(1)}", b), ("Z_i^{(1)}", z), (Z.name, z))
)
SPREAD, CENTRES = VAR_CHI(sp.Symbol("O_c")), VAR_W(sp.Symbol(r"\mu_c"))
GAMMA_L = sp.Function(r"\gamma")(L)
"""The ratio gamma of a network of L hidden layers."""
LIMITS = (
    "“all datapoints are used to compute the shift and scale estimators for the BN” (section E.1.1); “in the limit of "
    "infinite input size and infinite width” (Theorem E.1)"
)
DATA = 200
"""Data of the simulations."""
PAIR = kappa_1(sp.Rational(-1, DATA - 1)) / 2
"""E Y_a Y_b of two of them, normalised by the same batch: their B have the correlation -1/(DATA - 1)."""
WEIGHT = sigma_w2 / N
"""The variance of a weight."""
RELU = {E_Y: 1 / sp.sqrt(2 * sp.pi), Var_Y: (1 - 1 / sp.pi) / 2, sigma_w2: 2}


def predicted(variance: Any, name: str) -> Findings:
    """Findings that variances of the outputs are those stated, for ReLU and for softplus, whose moments are summed."""
    found = getattr(igb.mlp(7, norm="batch").predict(digits=30), name)
    yield agree(f"{name} of ReLU, depth 7, predicted", found, variance.subs(RELU), 25)
    first, second = (gaussians.mean_of(lambda h, p=p: np.log1p(np.exp(h)) ** p, 1.0) for p in (1, 2))  # type: ignore[misc]
    found = getattr(igb.mlp(3, "softplus", norm="batch").predict(), name)
    own = {E_Y: first, Var_Y: second - first**2, sigma_w2: 2}
    yield agree(f"{name} of softplus, predicted", found, variance.subs(own), 11)


def normed(h: Any) -> Any:
    """Batch norm and ReLU."""
    return relu(standardised(h, -2))


@SECTION.holds(
    "E-ThmE.1 / Eq16",
    "BatchNorm over the whole data set, then the activation: the law of an output over the data, Y an activated "
    "node of the first layer",
    printed=equation(OUTPUT, npdf(o, mu_c, sp.sqrt(sigma_w2 * Var_Y))),
    assumes=f"{LIMITS}; “satisfy the conditions of Thm. D.3” (Theorem E.1)",
    at="Theorem E.1, Eq. 16",
)
def theorem_e1(stated: Any) -> Findings:
    """Given the weights, O_c = sum_j w_j Y_j with Y_j independent over the data (E-Eq25), and the first B is N(0, 1).
    Cumulants add: over Gaussian weights the squared skewness has the factor N E w^6, the excess kurtosis N E w^4 in
    units of the variance. Both vanish, so that O_c is Gaussian, as is the next Z, which BN makes N(0, 1) again.
    """
    third, fourth = sp.symbols("kappa_3 kappa_4", real=True)
    skewness = N * normal_moment(6, WEIGHT).doit() * third**2 / (sigma_w2 * Var_Y) ** 3
    yield identity("squared skewness of O_c", sp.Limit(skewness, N, sp.oo), 0)
    excess = N * normal_moment(4, WEIGHT).doit() * fourth / (sigma_w2 * Var_Y) ** 2
    yield identity("excess kurtosis of O_c", sp.Limit(excess, N, sp.oo), 0)
    law = value_of(OUTPUT, stated)
    yield from normal("O_c", law, o, mu_c, (N * normal_moment(2, WEIGHT) * Var_Y).doit())
    yield from predicted(variance_of(law, o), "var_chi")


@SECTION.holds(
    "E-Eq17,19",
    "The law of the centres over the weights, and its limit if the mean E_Y over D data converges to e",
    printed=(
        equation(CENTRE, npdf(m, 0, sp.sqrt(sigma_w2) * E_Y)),
        equation(sp.Limit(ON_DATA, D, sp.oo), npdf(m, 0, sp.sqrt(sigma_w2) * e)),
    ),
    assumes=LIMITS,
    at="Theorem E.1, Eq. 17, and Eq. 19",
)
def centres(stated: Any) -> Findings:
    """mu_c = sum_j w_j E(Y_j) = E(Y) sum_j w_j has the variance N E w^2 E(Y)^2. A full batch of D data has E(Y) =
    E|B|/2 with B^2/(D - 1) ~ Beta(1/2, (D - 2)/2), which tends to 1/sqrt(2 pi). E-noamp draws networks.
    """
    law = value_of(CENTRE, stated)
    yield from normal("mu_c", law, m, 0, (N * normal_moment(2, WEIGHT) * E_Y**2).doit())
    variance = variance_of(law, m)
    yield from predicted(variance, "var_mu")
    for data in (10, 1000):
        found = igb.mlp(1, norm="batch", batch_size=data).predict(digits=25).var_mu
        said = variance.subs({sigma_w2: 2, E_Y: batch_relu_mean(sp.Integer(data))})
        yield agree(f"var_mu with D = {data}, predicted", found, said, 20)
    with_data = stated[1].lhs.subs(ON_DATA, law.subs(E_Y, e + t / D))
    yield identity("if E(Y) differs from its limit e by t/D", with_data, stated[1].rhs)
    yield agree("E(Y), D = 1e9", batch_relu_mean(sp.Float(10**9, 30)), relu_moment(1).doit(), 9)


@SECTION.fails(
    "E-Eq18",
    "The mean in the item “Absence of IGB”, which “converges to zero as the dataset size increases”, is printed "
    "with its indices exchanged, as that of Y_1^(0)",
    printed=equation(E_CHI(INPUT), 0),
    counter_example="assert igb.mlp(1, norm='batch').predict().var_mu > 0.3  # inputs of mean 0",
    correction="It is the mean of Y_0^(1), an activated value, as in the next item of the same list",
    right=equation(E_CHI(NODE), 0),
    misprint=True,
    at="item “Absence of IGB” below Theorem E.1, Eq. 18",
)
def no_bias(stated: Any) -> Findings:
    """Y_1^(0) would be node 1 of layer 0, which is that of the inputs by appendix A. E-Eq17,19 has the variance."""
    for shift in (0, 1):
        for activation, mean in (("relu", RELU[E_Y]), ("tanh", sp.Integer(0))):
            centres = igb.mlp(2, activation, norm="batch").predict(igb.GaussianInputs(shift=float(shift))).var_mu
            said = bool(stated.subs({E_CHI(INPUT): shift, E_CHI(NODE): mean}))
            label = f"{activation}, inputs of mean {shift}: whether the centres coincide"
            yield shown(label, said == (centres < 1e-12), f"var_mu = {centres:.3g}; by the condition: {said}")


@SECTION.holds(
    "E-noamp",
    "Gamma of every hidden layer: “the bias does not amplify with network depth”",
    printed=equation(GAMMA_L, E_Y**2 / Var_Y),
    assumes=LIMITS,
    at="below Theorem E.1, after Eq. 19",
)
def no_amplification(trial: Trial, stated: Any, says: str) -> Findings:
    """The variances of E-Eq17,19 and E-ThmE.1 do not depend on the depth. A full batch of 200 data has the moment
    PAIR.
    """
    said = value_of(GAMMA_L, stated)
    per_layer = igb.mlp(50, norm="batch").predict(digits=30).per_layer.gamma
    for layer in (1, 50):
        yield agree(f"gamma after layer {layer}, predicted", per_layer[layer], said.subs(RELU), 25)
    spread = max(abs(value / per_layer[1] - 1) for value in per_layer[1:])
    yield worded(says, "Gamma of {} hidden layer", "every" if spread < 1e-25 else "no")
    finite = {E_Y: sp.sqrt(PAIR), Var_Y: sp.Rational(1, 2) - PAIR}
    plain = igb.mlp(3).predict().gamma
    drawn = (hidden_units(trial.rng, (trial.draws(40), DATA, width), depth=3, phi=normed) for width in (64, 128))
    moments = [(2 * both, 2 * (own - both)) for both, own in map(second_moments, drawn)]
    for i, (name, expected) in enumerate((("Var_W(mu)", 2 * PAIR), ("Var_chi(O)", 1 - 2 * PAIR))):
        values = (mean_with_error(pair[i]) for pair in moments)
        yield wide_limit(trial, f"{name} behind layer 3", values, expected)
    ratios = (ratio_with_error(*pair) for pair in moments)
    yield wide_limit(trial, "gamma behind layer 3", ratios, said.subs(finite), plain)


@SECTION.holds(
    "E-Eq20,22",
    "The law of an output of BatchNorm in the first layer",
    printed=equation(LAW_OF_B, npdf(b)),
    assumes="“multivariate Gaussian-distributed inputs” (section E.1.1); “all datapoints are used to compute the "
    "shift and scale estimators for the BN” (section E.1.1)",
    at="Eqs. 20 and 22",
)
def normalised_node(stated: Any) -> Findings:
    """The density of B is that of Z at mu + sigma b, times sigma. The density in finite batches tends to it."""
    law = value_of(LAW_OF_B, stated)
    changed = sp.Subs(npdf(z, mu, sigma) * sigma, z, mu + sigma * b)
    yield identity("change of variable", changed, law)
    for at in (0, 1, 2):
        finite = gaussians.batch_density(sp.Float(at, 30), sp.Float(10**8, 30))
        yield agree(f"density at b = {at}, n = 1e8", finite, law.subs(b, at), 7)


@SECTION.holds(
    "E-Eq21",
    "The law over the data of a node of the first Dense",
    printed=equation(LAW_OF_Z1, npdf(z, mu * S_w, sigma * sp.sqrt(q))),
    assumes="“multivariate Gaussian-distributed inputs” (section E.1.1)",
    at="Eq. 21 and the sentence in front of it",
    where="inputs are independent, N(mu, sigma^2); S_w is the sum of the weights of the node, and q that of their "
    "squares",
)
def first_layer(stated: Any) -> Findings:
    """The logarithms of the generating functions of independent w_j X_j add; two of them stand for all. Jointly
    Gaussian is needed: with X_2 = +-X_1, of a random sign, X_1 + X_2 is 0 half of the time.
    """
    log = sp.log(sp.Integral(sp.exp(t * b) * npdf(b), (b, -sp.oo, sp.oo)))
    yield identity("log generating function of N(0, 1)", log, t**2 / 2)
    weights = sp.symbols("w_1 w_2", positive=True)
    both = sp.Add(*(mu * w * t + log.doit().subs(t, sigma * w * t) for w in weights))
    mean, variance = (sp.diff(sp.expand_log(both, force=True), t, order).subs(t, 0) for order in (1, 2))
    two = value_of(LAW_OF_Z1, stated).subs({S_w: sum(weights), q: sum(w**2 for w in weights)})
    yield from normal("two inputs", two, z, mean, sp.factor(variance))
    first = igb.mlp(1, norm="batch").predict(igb.GaussianInputs(shift=0.5, variance=2.0), digits=30).per_layer
    yield agree("var_mu of Z, predicted, E S_w^2 = sw2 = 2", first.var_mu[0], mpmath.mpf("0.5"), 25)
    yield agree("var_chi of Z, predicted", first.var_chi[0], 4, 25)


SECTION.definitions(
    "a definition",
    (
        "E-Eq23",
        "Eq. 23",
        "The Dense layer; Eq. 1 has w^(l+1) for w^(l)",
        r"Z_i^{(l+1)} = \sum_j w_{ij}^{(l)} Y_j^{(l)}",
    ),
)


@SECTION.holds(
    "E-Eq24",
    "The mean over the data of an output of a Dense",
    printed=equation(E_CHI(Z), E_Y * S_w),
    assumes="“are also identically distributed” (section E.1.1)",
    at="Eq. 24",
    where="S_w is the sum of the weights of the node",
)
def mean_of_a_node(trial: Trial, stated: Any) -> Findings:
    """The mean is linear: sum_j w_ij E(Y_j), and all E(Y_j) are E(Y_0). The slope on S_w is drawn for 200 data."""
    said = value_of(E_CHI(Z), stated)
    weights = sp.symbols("w_1:4", real=True)
    yield identity("three nodes", sum(w * E_Y for w in weights), said.subs(S_w, sum(weights)))
    y = hidden_units(trial.rng, (trial.draws(60), DATA, 64), phi=normed)
    drawn = trial.rng.standard_normal((len(y), 64, 256))
    sums = drawn.sum(axis=1)
    slopes = ((y @ drawn).mean(axis=1) * sums).sum(axis=1) / (sums**2).sum(axis=1)
    expected = sp.diff(said, S_w).subs(E_Y, batch_relu_mean(sp.Integer(DATA)))
    yield measured(trial, "slope of E Z on S_w", *mean_with_error(slopes), expected)


@SECTION.holds(
    "E-Eq25",
    "The variance over the data of an output of a Dense",
    printed=equation(VAR_CHI(Z), Var_Y * sigma_w2),
    assumes="“infinite-width limit” (appendix B)",
    at="Eq. 25",
    where="nodes need only be nearly uncorrelated over the data",
)
def variance_of_a_node(trial: Trial, stated: Any) -> Findings:
    """Var(sum w_j Y_j) = sum_jk w_j w_k C_jk, of which the diagonal is left where the nodes are uncorrelated: its mean
    over the weights is N E w^2 Var Y, its variance N (E w^4 - (E w^2)^2) Var(Y)^2, which vanishes. In a network C_jk^2
    is of order 1/N: it is drawn, by products of two halves of the data, which carry no bias.
    """
    second, fourth = (normal_moment(power, WEIGHT) for power in (2, 4))
    yield identity("mean over the weights", N * second * Var_Y, value_of(VAR_CHI(Z), stated))
    fluctuation = N * (fourth.doit() - second.doit() ** 2) * Var_Y**2
    yield identity("variance over the weights", sp.Limit(fluctuation, N, sp.oo), 0)

    def square_correlation(units: Any) -> tuple[float, float]:
        halves = np.split(units, 2, axis=1)
        one, two = (h.transpose(0, 2, 1) @ h / (DATA // 2) for h in (standardised(half, 1) for half in halves))
        width = units.shape[2]
        return mean_with_error(((one * two).sum(axis=(1, 2)) - width) / (width * (width - 1)))

    shape = 60, DATA, (64, 128)
    yield drawn_limit(trial, "square correlation of two nodes", square_correlation, 0, shape=shape, depth=2, phi=normed)


@SECTION.holds(
    "E-Eq26",
    "The law over the data of an output of a Dense",
    printed=equation(LAW_OF_Z, npdf(z, E_Y * S_w, sp.sqrt(Var_Y * sigma_w2))),
    assumes=LIMITS,
    at="Eq. 26",
    where="nodes are nearly independent over the data; S_w is the sum of the weights of the node",
)
def node_law(stated: Any) -> Findings:
    """The cumulants of order r >= 3 are kappa_r(Y) sum_j w_j^r, whose size N E|w|^r is of order N^(1 - r/2)."""
    for order in (3, 4, 5):
        size = N * 2 * relu_moment(order, sp.sqrt(WEIGHT))
        yield identity(f"size of cumulant {order} over kappa_{order}(Y)", sp.Limit(size.doit(), N, sp.oo), 0)
    law = value_of(LAW_OF_Z, stated)
    yield from normal("Z", law, z, E_Y * S_w, (N * normal_moment(2, WEIGHT) * Var_Y).doit())


@SECTION.holds(
    "E-rem26",
    "The law of Eq. (26) “is identical to the output distribution of a network with just one ReLU and Dense layer, "
    "i.e. a ReLU single hidden layer perceptron without normalization”",
    printed=(equation(SPREAD, sigma_w2 * Var_Y), equation(CENTRES, sigma_w2 * E_Y**2)),
    assumes="“biases are set to zero” (appendix B)",
    at="remark below Eq. 26",
    where="inputs have the mean 0; Y is what ReLU makes of N(0, q), the law of a pre-activation: for q = 1 it is the "
    "Y of Eq. (26), and gamma is that of Eq. (26) for any q",
)
def remark(stated: Any, says: str) -> Findings:
    """Without normalisation ReLU sees Z ~ N(0, q), q = sigma_w^2 E X^2, instead of N(0, 1). Both variances have the
    factor q, which gamma and the law of G0 do not see.
    """
    mean, square = (relu_moment(power, sp.sqrt(q)) for power in (1, 2))
    moments = {E_Y: mean, Var_Y: square - mean**2}
    quantities = {"var_chi": SPREAD, "var_mu": CENTRES}
    said = {name: value_of(quantity, stated).subs(moments) for name, quantity in quantities.items()}
    for name, of_eq_26 in (("var_chi", sigma_w2 * RELU[Var_Y]), ("var_mu", sigma_w2 * RELU[E_Y] ** 2)):
        yield identity(f"{name} over q", said[name] / q, of_eq_26)
    numbers = {name: value.doit() for name, value in said.items()}
    for size in (1, 2):
        found = igb.mlp(1, sigma_w2=float(size)).predict()
        for name, value in numbers.items():
            yield agree(
                f"{name}, sw2 = {size}, predicted", getattr(found, name), value.subs({sigma_w2: size, q: size}), 13
            )
    one, other = (igb.mlp(1, norm=norm, sigma_w2=1.0).predict() for norm in (None, "batch"))
    gaps = [abs(getattr(one, name) - getattr(other, name)) for name in said]
    yield worded(says, "is {} to", "identical" if max(gaps) < 1e-12 else "different")
