"""Where you place the norm, appendix F.2: LayerNorm behind ReLU.

Over the nodes of a wide layer Y = max(Z, 0) has, for each datum, mean a = sigma_w/sqrt(2 pi) and standard deviation
alpha; LayerNorm makes L = (Y - a)/alpha. Two data of correlation c have c' = (kappa_1(c) - 1/pi)/(1 - 1/pi) behind it,
0 at c = 0: data that are not correlated stay so, gamma = c/(1 - c) = 0 at every depth. The slope there is
pi/(2(pi - 1)) = 0.73: data that are correlated at the input lose it with the depth.
"""

from typing import Any

import sympy as sp

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    normal,
    rectified,
    shown,
    simulated,
    value_of,
)
from igbtheory.claims.gaussians import g0_variance, kappa_1, normal_moment, npdf, relu_moment, variance_of
from igbtheory.claims.quantities import E_CHI, VAR_CHI, VAR_W
from igbtheory.claims.simulated import excess_kurtosis, hidden_units, mean_with_error, relu, standardised

SECTION = Section("Where you place the norm, appendix F.2: LayerNorm behind ReLU", "E F.2")

sigma_w = sp.Symbol("sigma_w", positive=True)
N, N_0, N_1, d, i, j = sp.symbols("N N_0 N_1 d i j", positive=True, integer=True)
c, o, y, z = sp.symbols("c o y z", real=True)
Y, E_Y = sp.symbols("Y E_Y", real=True)
Var_Y = sp.Symbol("Var_Y", positive=True)
MOMENTS = {E_Y: sigma_w / sp.sqrt(2 * sp.pi), Var_Y: sigma_w**2 / 2 * (1 - 1 / sp.pi)}
"""Mean and variance of Y: E-Eq71 and E-Eq73."""
LIMITS = (
    "“unstructured Gaussian inputs, where each component is independently sampled” (appendix B); “in the limit of "
    "infinite width and dataset size” (Theorem F.3)"
)
VARIANCE = VAR_CHI(sp.Symbol("Z_i^{(1)}"))
VALUE, CENTRE = sp.IndexedBase("Y"), sp.Symbol("mu_a")
LAYER_DEVIATION = sp.Symbol(r"\hat\sigma_a^{(1)}", positive=True)
FIRST, SECOND = (sp.Function(rf"f_{{Z_i^{{({layer})}}}}")(z) for layer in (1, 2))
OUTPUT, RECTIFIED = sp.Function("f_{O_c}")(o), sp.Function("f_{Y_i^{(1)}}")(y)
CENTRES = VAR_W(sp.Symbol(r"\mu_c"))
NODE, NODE_OF_DATUM = sp.Symbol("L_i"), sp.Symbol("L_{i;a}")
LAW = equation(RECTIFIED, sp.DiracDelta(y) / 2 + sp.Heaviside(y) * npdf(y, 0, sigma_w))
INNER, OUTER = sp.symbols("S_0 S_1", positive=True)


def network(depth: int) -> igb.Network:
    """The network of Theorem F.3 at sigma_w^2 = 3/2."""
    return igb.mlp(depth, norm="layer", placement="after", sigma_w2=1.5)


@SECTION.holds(
    "E-ThmF.3 / Eq125-126",
    "ReLU, then LayerNorm: the law of an output over the data, and the collapse of the law of its centre",
    printed=(equation(OUTPUT, npdf(o, 0, sigma_w)), equation(CENTRES, 0)),
    assumes=LIMITS,
    at="Theorem F.3, Eqs. 125 and 126",
)
def balanced_outputs(trial: Trial, stated: Any) -> Findings:
    """The correlation 0 is a fixed point of the map above, and the second moment behind LayerNorm is 1. So var_mu = 0
    and var_chi = sigma_w^2 at every depth. Unlike with BatchNorm this depends on the data: gamma > 0 on shifted inputs.
    """
    behind = (kappa_1(c) - 1 / sp.pi) / (1 - 1 / sp.pi)
    yield identity("correlation behind a layer, c = 0", sp.Limit(behind, c, 0), value_of(CENTRES, stated))
    yield identity("second moment behind LayerNorm", sp.Limit(behind, c, 1), 1)
    yield identity("slope at c = 0, below 1", sp.Subs(sp.Derivative(behind, c), c, 0), sp.pi / (2 * (sp.pi - 1)))
    law = value_of(OUTPUT, stated)
    yield from normal("O_c", law, o, 0, sigma_w**2)
    variance = variance_of(law, o).subs(sigma_w, sp.sqrt(sp.Rational(3, 2)))
    for depth in (1, 8):
        predicted = network(depth).predict(digits=30)
        centres = 1 + value_of(CENTRES, stated)
        yield agree(f"1 + Var_W(mu), depth {depth}, predicted", 1 + predicted.var_mu, centres, 28)
        yield agree(f"Var_chi(O), depth {depth}, predicted", predicted.var_chi, variance, 28)
    plain, shifted = igb.mlp(3).predict().gamma, network(3).predict(igb.GaussianInputs(shift=1.0)).gamma
    yield shown("with a common mean of the data", shifted > 0.01, f"gamma = {shifted:.4f} at shift 1, L = 3")
    measures = (
        ("excess kurtosis", excess_kurtosis, None),
        ("Var(G0)", simulated.variance_of_guesses, g0_variance(plain)),
    )
    for name, measure, other in measures:
        label, shape = f"{name} of outputs, depth 3", (300, 16, (64, 128))
        yield simulated.drawn_limit(
            trial, label, measure, 0, other, shape=shape, depth=3, phi=lambda h: standardised(relu(h), -1)
        )


@SECTION.fails(
    "E-Eq127-133",
    "In the first layer the variance of Z_i is printed as a sum over the N_1 nodes",
    printed=(equation(VARIANCE, sp.Sum(sigma_w**2 / N_0, (i, 1, N_1))), LAW),
    counter_example="assert printed[0].doit().subs({N_0: 1000, N_1: 100}) == sigma_w**2 / 10  # not sigma_w^2",
    correction="It is a sum over the N_0 inputs, as the definition of Z_i says",
    misprint=True,
    at="Eqs. 127 to 133; the sum is in Eq. 129",
    right=(equation(VARIANCE, sp.Sum(sigma_w**2 / N_0, (j, 1, N_0))), LAW),
    where="the input dimension N_0 goes to infinity, and with it the variance to sigma_w^2 (E-Eq65-68)",
)
def first_layer(stated: Any) -> Findings:
    """Misprints of an index and of a number, as in E-Eq94-96: Z_i has N_0 weights, of variance sigma_w^2/N_0."""
    yield identity("sum over the inputs", N_0 * normal_moment(2, sigma_w**2 / N_0), value_of(VARIANCE, stated))
    yield from rectified("Y", value_of(RECTIFIED, stated), y, 0, sigma_w)


@SECTION.fails(
    "E-var-line",
    "The variance along the layer is printed as the mean of the differences from mu_a",
    printed=equation(LAYER_DEVIATION**2, sp.Sum(VALUE[i] - CENTRE, (i, 1, N)) / N),
    counter_example="assert sum(value - 2.0 for value in (0.0, 1.0, 5.0)) == 0  # so it is 0 for any values",
    correction="It is the mean of their squares, as in F.1",
    misprint=True,
    at="section F.2, definition of the variance along the layer, in front of Eq. 134",
    right=equation(LAYER_DEVIATION**2, sp.Sum((VALUE[i] - CENTRE) ** 2, (i, 1, N)) / N),
)
def layer_variance(stated: Any) -> Findings:
    """Three nodes: mean square less squared mean."""
    values = sp.symbols("y_1:4", real=True)
    mean = sum(values) / sp.Integer(3)
    said = value_of(LAYER_DEVIATION, stated) ** 2
    said = said.subs(N, 3).doit().subs({VALUE[k]: values[k - 1] for k in (1, 2, 3)}).subs(CENTRE, mean)
    yield identity("three nodes", sum(value**2 for value in values) / 3 - mean**2, said)


@SECTION.holds(
    "E-Eq134",
    "In the first layer LayerNorm is BatchNorm: mean and variance over the weights are those over the data",
    printed=equation(NODE_OF_DATUM, (Y - E_Y) / sp.sqrt(Var_Y)),
    assumes="“unstructured Gaussian inputs, where each component is independently sampled” (appendix B); “in the "
    "limit of infinite width and dataset size” (Theorem F.3)",
    at="Eq. 134",
    where="E_Y and Var_Y are over the data",
)
def layer_norm_is_batch_norm(trial: Trial, stated: Any) -> Findings:
    """Over the weights Z ~ N(0, sigma_w^2 |x|^2/d) at a given datum, and |x|^2/d has the variance 2/d, which vanishes;
    over the data Z ~ N(0, |w|^2). For N nodes and N data LayerNorm is compared with the stated formula over the data.
    """
    square, fourth = (normal_moment(k) for k in (2, 4))
    yield identity("mean of |x|^2/d", square, 1)
    yield identity("its variance", sp.Limit((fourth.doit() - square.doit() ** 2) / d, d, sp.oo), 0)
    normed = sp.lambdify((Y, E_Y, Var_Y), value_of(NODE_OF_DATUM, stated))
    gaps = []
    for width in (200, 400):
        h = hidden_units(trial.rng, (max(trial.draws(16), 8), width, width))
        over_data = normed(h, h.mean(axis=1, keepdims=True), h.var(axis=1, keepdims=True))
        gaps.append(mean_with_error((standardised(h, 2) - over_data) ** 2))
    yield simulated.wide_limit(trial, "mean square of the difference", gaps, 0)


@SECTION.holds(
    "E-Eq135-137",
    "Outputs of LayerNorm are standardised over the data",
    printed=(equation(E_CHI(NODE), 0), equation(VAR_CHI(NODE), 1)),
    assumes=LIMITS,
    at="Eqs. 135 to 137",
    where="Eq. 137 is a definition",
)
def standardised_nodes(stated: Any) -> Findings:
    """From Eq. 134: mean and variance of (Y - E Y)/sqrt(Var Y)."""
    first, second = (relu_moment(k, sigma_w) for k in (1, 2))
    yield identity("mean", first - MOMENTS[E_Y], value_of(E_CHI(NODE), stated))
    spread = second - 2 * MOMENTS[E_Y] * first + MOMENTS[E_Y] ** 2
    yield identity("variance", spread / MOMENTS[Var_Y], value_of(VAR_CHI(NODE), stated))


@SECTION.fails(
    "E-Eq138-139",
    "The Gaussian law with the variance S_1, the sum of (w_j^(1))^2 over j, is printed as that of Z^(1)",
    printed=equation(FIRST, npdf(z, 0, sp.sqrt(OUTER))),
    counter_example="assert printed.subs({S_1: 2**2, z: 0}) != 1 / sqrt(2 * pi)  # one node, w^(0) = 1, w^(1) = 2",
    correction="It is the law of Z^(2), as the equation before it says",
    misprint=True,
    at="Eqs. 138 and 139",
    right=equation(SECOND, npdf(z, 0, sp.sqrt(OUTER))),
    right_assumes=LIMITS,
)
def second_layer(stated: Any) -> Findings:
    """A misprint of an index: Z^(1) has the weights w^(0), Z^(2) sums L_j of variance 1 (E-Eq135-137) with w^(1)."""
    layer, variance = {FIRST: (FIRST, INNER), SECOND: (SECOND, OUTER)}[stated.lhs]
    yield from normal("Z", value_of(layer, stated), z, 0, variance)
    yield identity("S_1 in the limit", N * normal_moment(2, sigma_w**2 / N), sigma_w**2)
