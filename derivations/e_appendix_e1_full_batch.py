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
from igbtheory.claims import Findings, Section, Trial, agree, equation, gaussians, identity, measured, normal
from igbtheory.claims.gaussians import batch_relu_mean, kappa_1, normal_moment, npdf, relu_moment, variance_of
from igbtheory.claims.simulated import drawn_limit, extrapolated, hidden_units, mean_with_error, relu, standardised

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, full batch", "E E.1.1")

sigma_w2, q, sigma, e = sp.symbols("sigma_w2 q sigma e", positive=True)
N = sp.Symbol("N", positive=True, integer=True)
o, m, b, z, t, mu, mu_c, S_w = sp.symbols("o m b z t mu mu_c S_w", real=True)
E_Y, Var_Y = sp.symbols("E_Y Var_Y", positive=True)
"""Mean and variance over the data of a node Y of the first layer, behind phi."""
LIMITS = "full batch, D -> infinity, N -> infinity at fixed depth"
DATA = 200
"""Data of the simulations."""
PAIR = kappa_1(sp.Rational(-1, DATA - 1)) / 2
"""E Y_a Y_b of two of them, normalised by the same batch: their B have the correlation -1/(DATA - 1)."""
WEIGHT = sigma_w2 / N
"""The variance of a weight."""
RELU = {E_Y: 1 / sp.sqrt(2 * sp.pi), Var_Y: (1 - 1 / sp.pi) / 2, sigma_w2: 2}


def predicted(stated: Any, name: str) -> Findings:
    """Findings that variances of the outputs are those stated, for ReLU and for softplus, whose moments are summed."""
    found = getattr(igb.mlp(7, norm="batch").predict(digits=30), name)
    yield agree(f"{name} of ReLU, depth 7, predicted", found, stated.subs(RELU), 25)
    first, second = (gaussians.mean_of(lambda h, p=p: np.log1p(np.exp(h)) ** p, 1.0) for p in (1, 2))  # type: ignore[misc]
    found = getattr(igb.mlp(3, "softplus", norm="batch").predict(), name)
    own = {E_Y: first, Var_Y: second - first**2, sigma_w2: 2}
    yield agree(f"{name} of softplus, predicted", found, stated.subs(own), 11)


def normed(h: Any) -> Any:
    """Batch norm and ReLU."""
    return relu(standardised(h, -2))


@SECTION.holds(
    "E-ThmE.1 / Eq16",
    "O_c is Gaussian over the data, of the same variance at any depth",
    printed=equation("f_{O_c}(o)", npdf(o, mu_c, sp.sqrt(sigma_w2 * Var_Y))),
    assumes=f"{LIMITS}, phi with finite fourth moments",
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
    yield from normal("O_c", stated.rhs, o, mu_c, (N * normal_moment(2, WEIGHT) * Var_Y).doit())
    yield from predicted(variance_of(stated.rhs, o), "var_chi")


@SECTION.holds(
    "E-Eq19",
    "else f_mu -> N(0, sw2 e^2), e the limit of E_chi(Y_0^(1)) as D grows",
    printed=equation(r"f_{\mu_c}(m)", npdf(m, 0, sp.sqrt(sigma_w2) * e)),
    assumes="E_chi(Y_0^(1)) converges as D -> infinity",
)
@SECTION.holds(
    "E-Eq17",
    "mu_c ~ N(0, sw2 E_chi(Y_0^(1))^2)",
    printed=equation(r"f_{\mu_c}(m)", npdf(m, 0, sp.sqrt(sigma_w2) * E_Y)),
    assumes=LIMITS,
)
def centres(stated: Any) -> Findings:
    """mu_c = sum_j w_j E(Y_j) = E(Y) sum_j w_j has the variance N E w^2 E(Y)^2. A full batch of D data has E(Y) =
    E|B|/2 with B^2/(D - 1) ~ Beta(1/2, (D - 2)/2), which tends to 1/sqrt(2 pi). E-noamp draws networks.
    """
    mean = e if stated.rhs.has(e) else E_Y
    yield from normal("mu_c", stated.rhs, m, 0, (N * normal_moment(2, WEIGHT) * mean**2).doit())
    said = variance_of(stated.rhs, m).subs({e: E_Y, sigma_w2: 2})
    yield from predicted(said, "var_mu")
    for data in (10, 1000):
        found = igb.mlp(1, norm="batch", batch_size=data).predict(digits=25).var_mu
        yield agree(f"var_mu with D = {data}, predicted", found, said.subs(E_Y, batch_relu_mean(sp.Integer(data))), 20)
    yield agree("E(Y), D = 1e9", batch_relu_mean(sp.Float(10**9, 30)), relu_moment(1).doit(), 9)


@SECTION.fails(
    "E-Eq18",
    "f_mu -> delta if the mean of Y_1^(0), a node of the inputs, tends to 0",
    printed=equation(r"\mathrm{Var}\,\mu_c", sigma_w2 * sp.Symbol("E_X") ** 2),
    counter_example="assert printed.subs(E_X, 0) == 0 and igb.mlp(1, norm='batch').predict().var_mu > 0.3  # centred",
    correction="f_mu -> delta if the mean of Y_0^(1), a node behind phi, tends to 0; the inputs do not matter",
    right=equation(r"\mathrm{Var}\,\mu_c", sigma_w2 * E_Y**2),
)
def no_bias(stated: Any) -> Findings:
    """Two indices are exchanged: Y_1^(0) is node 1 of layer 0, an input by appendix A. E-Eq17 has the variance."""
    for shift in (0.0, 1.0):
        for activation, mean in (("relu", RELU[E_Y]), ("tanh", 0)):
            found = igb.mlp(2, activation, norm="batch").predict(igb.GaussianInputs(shift=shift)).var_mu
            expected = stated.rhs.subs({sp.Symbol("E_X"): shift, E_Y: mean, sigma_w2: 2})
            yield agree(f"{activation}, inputs of mean {shift:g}, predicted", found, expected, 12)


@SECTION.holds(
    "E-noamp", "bias does not grow with depth", printed=equation(r"\gamma^{(L)}", E_Y**2 / Var_Y), assumes=LIMITS
)
def no_amplification(trial: Trial, stated: Any) -> Findings:
    """The variances of E-Eq17 and E-ThmE.1 do not depend on the depth. A full batch of 200 data has the moment PAIR."""
    per_layer = igb.mlp(50, norm="batch").predict(digits=30).per_layer.gamma
    for layer in (1, 50):
        yield agree(f"gamma after layer {layer}, predicted", per_layer[layer], stated.rhs.subs(RELU), 25)
    finite = {E_Y: sp.sqrt(PAIR), Var_Y: sp.Rational(1, 2) - PAIR}
    rows = {"var_mu[3]": 2 * PAIR, "var_chi[3]": 1 - 2 * PAIR, "gamma[3]": stated.rhs.subs(finite)}
    plain = {"gamma[3]": igb.mlp(3).predict().gamma}
    yield from extrapolated(trial, igb.mlp(3, norm="batch"), rows, samples=DATA, against=plain)


@SECTION.holds(
    "E-Eq20,22", "B_i^(1) ~ N(0, 1)", printed=equation("f_{B_i}(b)", npdf(b)), assumes="infinite batch, Gaussian inputs"
)
def normalised_node(stated: Any) -> Findings:
    """The density of B is that of Z at mu + sigma b, times sigma. The density in finite batches tends to it."""
    changed = sp.Subs(npdf(z, mu, sigma) * sigma, z, mu + sigma * b)
    yield identity("change of variable", changed, stated.rhs)
    for at in (0, 1, 2):
        finite = gaussians.batch_density(sp.Float(at, 30), sp.Float(10**8, 30))
        yield agree(f"density at b = {at}, n = 1e8", finite, stated.rhs.subs(b, at), 7)


@SECTION.holds(
    "E-Eq21",
    "Z_i^(1) = sum_j w_ij X_j is normal over the data",
    printed=equation("f_Z(z)", npdf(z, mu * S_w, sigma * sp.sqrt(q))),
    assumes="inputs jointly Gaussian, independent, N(mu, sigma^2); S_w = sum_j w_ij, q = sum_j w_ij^2",
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
    two = stated.rhs.subs({S_w: sum(weights), q: sum(w**2 for w in weights)})
    yield from normal("two inputs", two, z, mean, sp.factor(variance))
    first = igb.mlp(1, norm="batch").predict(igb.GaussianInputs(shift=0.5, variance=2.0), digits=30).per_layer
    yield agree("var_mu of Z, predicted, E S_w^2 = sw2 = 2", first.var_mu[0], mpmath.mpf("0.5"), 25)
    yield agree("var_chi of Z, predicted", first.var_chi[0], 4, 25)


SECTION.untested("it defines the Dense layer; Eq. 1 has w^(l+1)", ("E-Eq23", "", "Z_i^(l+1) = sum_j w_ij^(l) Y_j^(l)"))


@SECTION.holds(
    "E-Eq24",
    "E_chi Z_i^(l+1) = E_chi(Y_0) S_w, S_w = sum_j w_ij",
    printed=equation(r"\mathbb E_\chi Z_i", E_Y * S_w),
    assumes="the nodes are identically distributed over the data",
)
def mean_of_a_node(trial: Trial, stated: Any) -> Findings:
    """The mean is linear: sum_j w_ij E(Y_j), and all E(Y_j) are E(Y_0). The slope on S_w is drawn for 200 data."""
    y = hidden_units(trial.rng, (trial.draws(60), DATA, 64), phi=normed)
    weights = trial.rng.standard_normal((len(y), 64, 256))
    sums = weights.sum(axis=1)
    slopes = ((y @ weights).mean(axis=1) * sums).sum(axis=1) / (sums**2).sum(axis=1)
    expected = sp.diff(stated.rhs, S_w).subs(E_Y, batch_relu_mean(sp.Integer(DATA)))
    yield measured(trial, "slope of E Z on S_w", *mean_with_error(slopes), expected)


@SECTION.holds(
    "E-Eq25",
    "Var_chi(Z) = Var(Y) sum w^2 -> Var(Y) sw2",
    printed=equation(r"\mathrm{Var}_\chi(Z)", Var_Y * sigma_w2),
    assumes="nodes uncorrelated over the data, N -> infinity",
)
def variance_of_a_node(trial: Trial, stated: Any) -> Findings:
    """Var(sum w_j Y_j) = sum_jk w_j w_k C_jk, of which the diagonal is left where the nodes are uncorrelated: its mean
    over the weights is N E w^2 Var Y, its variance N (E w^4 - (E w^2)^2) Var(Y)^2, which vanishes. In a network C_jk^2
    is of order 1/N: it is drawn, by products of two halves of the data, which carry no bias.
    """
    second, fourth = (normal_moment(power, WEIGHT) for power in (2, 4))
    yield identity("mean over the weights", N * second * Var_Y, stated.rhs)
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
    "Z is Gaussian over the data, behind every layer alike",
    printed=equation("f_Z(z)", npdf(z, E_Y * S_w, sp.sqrt(Var_Y * sigma_w2))),
    assumes="full batch, N, D -> infinity, nodes independent over the data",
)
def node_law(stated: Any) -> Findings:
    """The cumulants of order r >= 3 are kappa_r(Y) sum_j w_j^r, whose size N E|w|^r is of order N^(1 - r/2)."""
    for order in (3, 4, 5):
        size = N * 2 * relu_moment(order, sp.sqrt(WEIGHT))
        yield identity(f"size of cumulant {order} over kappa_{order}(Y)", sp.Limit(size.doit(), N, sp.oo), 0)
    yield from normal("Z", stated.rhs, z, E_Y * S_w, (N * normal_moment(2, WEIGHT) * Var_Y).doit())


def one_hidden_layer(factor: Any) -> tuple[sp.Eq, ...]:
    """Variances of Eq. 26 times a factor."""
    return (
        equation(r"\mathrm{Var}_\chi(O_c)", factor * sigma_w2 * (1 - 1 / sp.pi) / 2),
        equation(r"\mathrm{Var}_{\mathcal W}(\mu_c)", factor * sigma_w2 / (2 * sp.pi)),
    )


@SECTION.fails(
    "E-rem26",
    "the law of Eq. 26 is identical to the output of a one-hidden-layer ReLU net without normalisation",
    printed=one_hidden_layer(1),
    counter_example="assert igb.mlp(1).predict().var_chi > 1.9 * printed[0].subs(sigma_w2, 2)  # inputs N(0, 1)",
    correction="it is so up to a factor q = sw2 E X^2 of both variances, which gamma and the law of G0 do not see",
    right=one_hidden_layer(q),
    right_assumes="inputs of mean 0, no biases",
)
def remark(stated: Any) -> Findings:
    """Without normalisation ReLU sees Z ~ N(0, q), q = sw2 E X^2, which is 2 in the paper, instead of N(0, 1)."""
    mean, square = (relu_moment(power, sp.sqrt(q)) for power in (1, 2))
    yield identity("variance over the data", sigma_w2 * (square - mean**2), stated[0].rhs)
    yield identity("variance of the centres", sigma_w2 * mean**2, stated[1].rhs)
    for size in (1, 2):
        found = igb.mlp(1, sigma_w2=float(size)).predict()
        for name, part in zip(("var_chi", "var_mu"), stated, strict=True):
            value = part.rhs.subs({sigma_w2: size, q: size})
            yield agree(f"{name}, sw2 = {size}, predicted", getattr(found, name), value, 13)
