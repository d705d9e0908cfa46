"""Where you place the norm, appendix F.2: LayerNorm behind ReLU.

Over the nodes of a wide layer Y = max(Z, 0) has, for each datum, mean a = sigma_w/sqrt(2 pi) and standard deviation
alpha; LayerNorm makes L = (Y - a)/alpha. For two data of correlation c, q the second moment of Z,

    E_W L_a L_b = (kappa_1(c)/2 - 1/(2 pi))/(1/2 - 1/(2 pi)),   kappa_1(c) = (sqrt(1 - c^2) + c (pi - arccos c))/pi.

It vanishes at c = 0: data that are not correlated stay so, gamma = c/(1 - c) = 0 at every depth. The slope there is
pi/(2(pi - 1)) = 0.73: data that are correlated at the input lose it with the depth.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, equation, identity, measured, normal, rectified, shown
from igbtheory.claims.gaussians import g0_variance, kappa_1, npdf
from igbtheory.claims.simulated import (
    at_infinite_width,
    excess_kurtosis,
    hidden_units,
    mean_with_error,
    relu,
    standardised,
    variance_of_guesses,
)

SECTION = Section("Where you place the norm, appendix F.2: LayerNorm behind ReLU", "E F.2")

sigma_w, up = sp.symbols("sigma_w y_+", positive=True)
N, N_0, N_1, d, i, j = sp.symbols("N N_0 N_1 d i j", positive=True, integer=True)
c, g, o, y, z = sp.symbols("c g o y z", real=True)
Y, E_Y = sp.symbols("Y E_Y", real=True)
Var_Y = sp.Symbol("Var_Y", positive=True)
MOMENTS = {E_Y: sigma_w / sp.sqrt(2 * sp.pi), Var_Y: sigma_w**2 / 2 * (1 - 1 / sp.pi)}
"""Mean and variance of Y: E-Eq71 and E-Eq73."""
LIMITS = "isotropic data (uncorrelated: no common mean), widths and input dimension to infinity"


def network(depth: int) -> igb.Network:
    """The network of Theorem F.3 at sigma_w^2 = 3/2."""
    return igb.mlp(depth, norm="layer", placement="after", sigma_w2=1.5)


def next_correlation(correlation: Any) -> Any:
    """The correlation behind ReLU and LayerNorm."""
    return (kappa_1(correlation) / 2 - 1 / (2 * sp.pi)) / (sp.Rational(1, 2) - 1 / (2 * sp.pi))


def behind_relu(function: Any) -> Any:
    """The mean of a polynomial in y behind ReLU: half of its value at 0, and an integral."""
    above = sp.expand(function.subs(y, up)) * npdf(up, 0, sigma_w)
    return function.subs(y, 0) / 2 + sp.Integral(above, (up, 0, sp.oo))


def squared_weight(power: int) -> Any:
    """The moment E w^power of a weight of N, not yet integrated."""
    return (sigma_w / sp.sqrt(N)) ** power * sp.Integral(g**power * npdf(g), (g, -sp.oo, sp.oo))


@SECTION.holds(
    "E-ThmF.3 / Eq125-126",
    "ReLU, then LayerNorm: an output is N(0, sigma_w^2) over the data, and the law of its centre collapses to a delta "
    "function at 0",
    printed=(equation("f_{O_c}(o)", npdf(o, 0, sigma_w)), equation(r"\mathrm{Var}_{\mathcal W}(\mu_c)", 0)),
    assumes=LIMITS,
)
def balanced_outputs(trial: Trial, stated: Any) -> Iterator[Finding]:
    """The correlation 0 is a fixed point of the map above, and the second moment behind LayerNorm is 1. So var_mu = 0
    and var_chi = sigma_w^2 at every depth; in finite networks excess kurtosis and Var(G0) are of order 1/N.

    Unlike with BatchNorm this hangs on the data: at an input shift of 1 (c = 1/2) the outputs have gamma > 0 at any
    finite depth, which falls by pi/(2(pi - 1)) a layer.
    """
    yield identity("correlation behind a layer, c = 0", sp.Limit(next_correlation(c), c, 0), stated[1].rhs)
    yield identity("second moment behind LayerNorm", sp.Limit(next_correlation(c), c, 1), 1)
    slope = sp.Derivative(next_correlation(c), c).doit().subs(c, 0)
    yield identity("slope at c = 0", slope, sp.pi / (2 * (sp.pi - 1)), of=sp.Symbol(r"dc'/dc"))
    yield shown("the fixed point attracts", slope < 1, f"the slope is {float(slope):.4f}")
    yield from normal("O_c", stated[0].rhs, o, 0, sigma_w**2)
    variance = sp.simplify(-1 / sp.diff(sp.log(stated[0].rhs), o, 2)).subs(sigma_w, sp.sqrt(sp.Rational(3, 2)))
    for depth in (1, 8):
        found = network(depth).predict(digits=30)
        yield agree(f"1 + Var_W(mu), depth {depth}, predicted", 1 + found.var_mu, 1 + stated[1].rhs, 28)
        yield agree(f"Var_chi(O), depth {depth}, predicted", found.var_chi, variance, 28)
    shifted = network(3).predict(igb.GaussianInputs(shift=1.0)).gamma
    yield shown("with a common mean of the data", shifted > 0.01, f"gamma = {shifted:.4f} at shift 1, L = 3")
    kurtosis, guesses = [], []
    for width in (64, 128):
        shape = trial.draws(100), 100, width
        units = hidden_units(trial.rng, shape, depth=3, phi=lambda h: standardised(relu(h), -1))
        kurtosis.append(mean_with_error(excess_kurtosis(units)))
        guesses.append(mean_with_error(variance_of_guesses(units)))
    label = "of outputs, depth 3, width to infinity"
    yield measured(trial, f"excess kurtosis {label}", *at_infinite_width(*kurtosis), 0, against=kurtosis[0][0])
    plain = g0_variance(igb.mlp(3).predict().gamma)
    yield measured(trial, f"Var(G0) {label}", *at_infinite_width(*guesses), 0, against=plain)


VARIANCE = r"\mathrm{Var}_\chi(Z_i^{(1)})"
LAW = equation("f_{Y_i^{(1)}}(y)", sp.DiracDelta(y) / 2 + sp.Heaviside(y) * npdf(y, 0, sigma_w))


@SECTION.fails(
    "E-Eq127-133",
    "first layer: the variance of Z_i is a sum over the N_1 nodes, and Y_i has the same law for all nodes",
    printed=(equation(VARIANCE, sp.Sum(sigma_w**2 / N_0, (i, 1, N_1))), LAW),
    counter_example="assert printed[0].doit().subs({N_0: 1000, N_1: 100}) == sigma_w**2 / 10  # not sigma_w^2",
    correction="the variance is a sum over the N_0 inputs, as in Eq. 127",
    right=(equation(VARIANCE, sp.Sum(sigma_w**2 / N_0, (j, 1, N_0))), LAW),
    right_assumes="the input dimension N_0 goes to infinity, and with it the variance to sigma_w^2 (E-Eq65-68)",
)
def first_layer(stated: Any) -> Iterator[Finding]:
    """Misprints of an index and of a number, as in E-Eq94-96: Z_i has N_0 weights, of variance sigma_w^2/N_0. Eq. 130
    writes sigma_w_i^2 for their sum of squares.
    """
    yield identity("sum over the inputs", (N * squared_weight(2)).subs(N, N_0), stated[0].rhs)
    yield from rectified("Y", stated[1].rhs, y, 0, sigma_w)


VALUE, CENTRE = sp.IndexedBase("Y"), sp.Symbol("mu_a")
LAYER_VARIANCE = r"(\hat\sigma_a^{(1)})^2"


@SECTION.fails(
    "E-var-line",
    "the variance along the layer",
    printed=equation(LAYER_VARIANCE, sp.Sum(VALUE[i] - CENTRE, (i, 1, N)) / N),
    counter_example="""
values = [0.0, 1.0, 5.0]
assert sum(v - 2.0 for v in values) == 0  # the sum in print vanishes for any values
""",
    correction="the differences are squared, as they are in F.1",
    right=equation(LAYER_VARIANCE, sp.Sum((VALUE[i] - CENTRE) ** 2, (i, 1, N)) / N),
)
def layer_variance(stated: Any) -> Iterator[Finding]:
    """Three nodes: mean square less squared mean."""
    values = sp.symbols("y_1:4", real=True)
    mean = sum(values) / sp.Integer(3)
    found = stated.rhs.subs(N, 3).doit().subs({VALUE[k]: values[k - 1] for k in (1, 2, 3)}).subs(CENTRE, mean)
    yield identity("three nodes", sum(value**2 for value in values) / 3 - mean**2, found)


@SECTION.holds(
    "E-Eq134",
    "in layer 1 LayerNorm is BatchNorm: mean and variance over the weights are those over the data",
    printed=equation("L_{i;a}", (Y - E_Y) / sp.sqrt(Var_Y)),
    assumes="data without a common mean (c = 0), width and input dimension to infinity; E_Y, Var_Y over the data",
)
def layer_norm_is_batch_norm(trial: Trial, stated: Any) -> Iterator[Finding]:
    """Over the weights Z ~ N(0, sigma_w^2 |x|^2/d) at a given datum, and |x|^2/d varies by 2/d, which vanishes; over
    the data Z ~ N(0, |w|^2). With a common mean of the data the average over them depends on the node, the one over
    the nodes does not. Drawn: L of 500 nodes at 500 data by LayerNorm, against the stated one, of the data.
    """
    square, fourth = (sp.Integral(g**k * npdf(g), (g, -sp.oo, sp.oo)) for k in (2, 4))
    yield identity("mean of |x|^2/d", square, 1)
    yield identity("its variance", sp.Limit((fourth.doit() - square.doit() ** 2) / d, d, sp.oo), 0)
    normed = sp.lambdify((Y, E_Y, Var_Y), stated.rhs)
    gaps = []
    for width in (250, 500):
        found = []
        for _ in range(max(trial.draws(16), 8)):
            weights = trial.rng.normal(0, np.sqrt(20 / width), (width, width))
            h = relu(trial.rng.standard_normal((width, width)) @ weights)
            found.append(((standardised(h, 1) - normed(h, h.mean(axis=0), h.var(axis=0))) ** 2).mean())
        gaps.append(mean_with_error(np.array(found)))
    label = "mean square of the difference, width to infinity"
    yield measured(trial, label, *at_infinite_width(*gaps), 0, against=gaps[0][0])


@SECTION.holds(
    "E-Eq135-137",
    "every node behind LayerNorm has mean 0 and variance 1 over the data",
    printed=(equation(r"\mathbb{E}_\chi(L_i)", 0), equation(r"\mathrm{Var}_\chi(L_i)", 1)),
    assumes="isotropic data, width and input dimension to infinity; Eq. 137 is a definition",
)
def standardised_nodes(stated: Any) -> Iterator[Finding]:
    """From Eq. 134: mean and variance of (Y - E Y)/sqrt(Var Y)."""
    centred = y - MOMENTS[E_Y]
    yield identity("mean", behind_relu(centred), stated[0].rhs)
    yield identity("variance", behind_relu(centred**2) / MOMENTS[Var_Y], stated[1].rhs)


FIRST, SECOND = "f_{Z_i^{(1)}}(z)", "f_{Z_i^{(2)}}(z)"
INNER, OUTER = sp.symbols("S_0 S_1", positive=True)


@SECTION.fails(
    "E-Eq138-139",
    "Z^(1) is, by its left-hand side, Gaussian with the variance S_1 = sum_j (w_j^(1))^2 -> sigma_w^2 over the data",
    printed=equation(FIRST, npdf(z, 0, sp.sqrt(OUTER))),
    counter_example="""
# Z^(1) = w^(0) X does not read w^(1): with one input and node, w^(0) = 1, w^(1) = 2, its variance is 1
assert printed.subs({S_1: 2**2, z: 0}) != 1 / sqrt(2 * pi)
""",
    correction="that is the law of Z^(2)",
    right=equation(SECOND, npdf(z, 0, sp.sqrt(OUTER))),
    right_assumes="isotropic data, widths to infinity",
)
def second_layer(stated: Any) -> Iterator[Finding]:
    """A misprint of an index: Z^(1) sums the inputs with the weights w^(0), Z^(2) the L_j, of variance 1 (E-Eq135-137),
    with the weights w^(1). Covariances of nodes add a term whose square is of order 1/N (E-Eq25).
    """
    spread = behind_relu((y - MOMENTS[E_Y]) ** 2) / MOMENTS[Var_Y]
    variance = {FIRST: INNER * sp.Integral(g**2 * npdf(g), (g, -sp.oo, sp.oo)), SECOND: OUTER * spread}
    yield from normal("Z", stated.rhs, z, 0, variance[stated.lhs.name].doit())
    yield identity("S_1 in the limit", N * squared_weight(2), sigma_w**2)
