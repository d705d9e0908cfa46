"""Bias meets trainability: mean-field theory and the theory of the bias have the same two numbers.

Mean field: over the weights, at fixed data, pre-activations are Gaussian of variance q_aa and covariance q_ab, and

    q_aa' = sigma_w^2 E phi(h_a)^2 + sigma_b^2,    q_ab' = sigma_w^2 E phi(h_a) phi(h_b) + sigma_b^2.

Bias: over the data, at fixed weights, node i is N(mu_i, sigma_y^2), mu_i of variance sigma_mu^2 over the nodes, and
gamma = sigma_mu^2/sigma_y^2. Price's theorem, used below, is d/dq_ab E phi(h_a) phi(h_b) = E phi'(h_a) phi'(h_b).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import ndtr

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
    satisfies,
    shown,
    tanh,
    value_of,
    worded,
)
from igbtheory.claims.formula import evaluated, relations_of
from igbtheory.claims.gaussians import course, kappa_1, mean_of_polynomial, ncdf, npdf, relu_moment
from igbtheory.claims.quantities import PHI_SLOPE, E
from igbtheory.claims.simulated import Array, mean_with_error
from igbtheory.claims.wide import forward, growth, relu

SECTION = Section("Bias meets trainability: equivalence with mean-field theory, and extensions", "D 3")

gamma, q, c, sigma_w2, sigma_b2 = sp.symbols("gamma q c sigma_w2 sigma_b2", positive=True)
sigma_mu, sigma_y, q_ab = sp.symbols("sigma_mu sigma_y q_ab", positive=True)
x, y, z, t, mu = sp.symbols("x y z t mu", real=True)
Y_I, Y_J, h_a, h_b = sp.symbols("y_i y_j h_a h_b", real=True)
Q_AA, Q_AB, C_AB, CHI, CHI_TILDE = sp.symbols(r"q_{aa} q_{ab} c_{ab} \chi_1 \tilde\chi_1", positive=True)
AFTER, Q_AB_AFTER, MU_AFTER, Y_AFTER = sp.symbols(r"q' q_{ab}' \sigma_\mu' \sigma_y'", positive=True)
E_W, E_MU, VAR_Z = (sp.Function(name) for name in ("E_W", r"E_\mu", r"\mathrm{Var}_z"))
P, PHI_CDF, PHI, M, F = (sp.Function(name) for name in ("p", r"\Phi", r"\phi", "m", "f"))
C_MAP, Q_MAP = sp.Function("c'"), sp.Function("q_{ab}'")  # of a layer, as functions of c and q_ab in front of it
SLOPE = E(PHI_SLOPE(sp.sqrt(q) * z) ** 2)
PRODUCT = E(F(h_a) * F(h_b))
CENTRE, SPREAD = E_MU(M(mu) ** 2), E_MU(VAR_Z(PHI(mu + sigma_y * z)))
C_SLOPE = sp.Subs(sp.Derivative(C_MAP(c), c), c, 1)
Q_SLOPE = sp.Subs(sp.Derivative(Q_MAP(q_ab), q_ab), q_ab, q)


def _averages(label: str, polynomial: Any, variables: tuple[Any, ...], right: Any) -> Finding:
    """Finding that the mean of a polynomial over standard normal variables is `right`."""
    density = sp.Mul(*map(npdf, variables))
    integral = sp.Integral(polynomial * density, *((variable, -sp.oo, sp.oo) for variable in variables))
    return identity(label, mean_of_polynomial(polynomial, *variables), right, of=integral)


def _kernels() -> Iterator[tuple[str, Any, Any]]:
    """Names of activations, E phi(h_a) phi(h_b) of two units N(0, q) of correlation c, and E phi'^2."""
    a, b = sp.symbols("a b", positive=True)
    u, v = sp.sqrt(q) * x, sp.sqrt(q) * (c * x + sp.sqrt(1 - c**2) * y)
    product = mean_of_polynomial((a * u + b * u**3) * (a * v + b * v**3), x, y)
    yield "a h + b h^3", product, mean_of_polynomial((a + 3 * b * u**2) ** 2, x)
    steep = sp.Integral(4 / sp.pi * sp.exp(-2 * q * x**2) * npdf(x), (x, -sp.oo, sp.oo))  # E erf'(h)^2
    yield "erf", 2 / sp.pi * sp.asin(2 * q * c / (1 + 2 * q)), evaluated(steep)
    yield "ReLU", q * kappa_1(c) / 2, sp.Rational(1, 2)


@SECTION.holds(
    "D-MF1",
    "Over the weights the pre-activations of a layer at a datum are i.i.d. Gaussian",
    printed=(equation(E_W(Y_I**4), 3 * Q_AA**2), equation(E_W(Y_I**2 * Y_J**2), Q_AA**2)),
    assumes="“at infinite width” (Overall Architecture)",
    at="Overall Architecture",
    where="read as: these moments of the nodes i and j are those of independent N(0, q_aa)",
)
def preactivations_are_iid(trial: Trial, stated: Any) -> Findings:
    """Given the layer before, the y_i are independent N(0, s). At finite width s varies: E s^2/(E s)^2 = 1 + k/N."""
    s, n = sp.symbols("s N", positive=True)
    fourth, mixed = (value_of(moment, stated) for moment in (E_W(Y_I**4), E_W(Y_I**2 * Y_J**2)))
    yield _averages("one unit given the layer before", s**2 * x**4, (x,), fourth.subs(Q_AA, s))
    yield _averages("two units given the layer before", s**2 * x**2 * y**2, (x, y), mixed.subs(Q_AA, s))
    first, second = (relu_moment(power) for power in (2, 4))
    yield identity("ReLU without biases: k + 1", second / first**2, 6)
    yield identity("E s^2/(E s)^2 in infinite width", sp.Limit(1 + 5 / n, n, sp.oo), 1)
    h = trial.rng.standard_normal((trial.draws(60_000), 20, 1))
    squares = forward(trial.rng, np.maximum(h, 0), 2.0)[..., 0] ** 2  # of the 20 units of the second layer, q_aa = 1
    pairs = (squares.sum(axis=1) ** 2 - (squares**2).sum(axis=1)) / (20 * 19)
    fourth, mixed, factor = fourth.subs(Q_AA, 1), mixed.subs(Q_AA, 1), 1 + 5 / 20
    label = "second layer of ReLU networks of width 20, times 1 + k/N"
    yield measured(trial, f"E y_i^2 y_j^2, {label}", *mean_with_error(pairs), mixed * factor, against=mixed)
    yield measured(trial, f"E y_i^4, {label}", *mean_with_error(squares**2), fourth * factor, against=fourth)


@SECTION.holds(
    "D-MF2",
    "The slope chi_1 of the map from c^(l) to c^(l+1), where the data coincide",
    printed=(equation(CHI, C_SLOPE), equation(C_SLOPE, sigma_w2 * SLOPE * q / AFTER)),
    at="Overall Architecture",
    where="phi is continuous",
)
def slope_of_the_correlation(stated: Any) -> Findings:
    """With c = q_ab/q and Price's theorem, dc'/dc = (q/q') dq_ab'/dq_ab = (q/q') sigma_w^2 E phi'(h_a) phi'(h_b). Only
    at the fixed point q' = q it is the factor of squared gradients; ReLU without biases has the slope 1 everywhere.
    """
    for name, kernel, square in _kernels():
        after = sigma_w2 * kernel + sigma_b2
        right = stated[1].rhs.subs({SLOPE: square, AFTER: after.subs(c, 1)})
        layer = sp.Lambda(c, after / after.subs(c, 1))
        yield identity(f"phi = {name}: chi_1", value_of(CHI, stated).replace(C_MAP, layer), right)
        if name == "ReLU":
            yield identity("phi = ReLU: dc'/dc", stated[1].lhs.replace(C_MAP, layer), right)
    # 1 - c of a layer of the package, of a pair at 1 - c = 1e-8 in front of it: inputs of shift m have q_ab = m^2
    inputs = igb.GaussianInputs(shift=np.sqrt(1 - 1e-8), variance=1e-8)
    layers = igb.mlp(1, "tanh", sigma_w2=1.5, sigma_b2=0.1).predict(inputs).per_layer
    before, behind = ((layers.var_chi / (layers.var_mu + layers.var_chi))[i] for i in (0, 1))
    at = {SLOPE: tanh.slope(1.6), sigma_w2: 1.5, q: 1.6, AFTER: 1.5 * tanh.square(1.6) + 0.1}
    yield agree("tanh: (1 - c')/(1 - c) at 1 - c = 1e-8", behind / before, stated[1].rhs.subs(at), 6)


@SECTION.holds(
    "D-MF3",
    "For unbounded activations the slope chi~_1 of the map from q_ab^(l) to q_ab^(l+1) decides: gradients vanish below "
    "1 (ordered), explode above 1 (chaotic) and keep their size at 1, the edge of chaos",
    printed=(equation(CHI_TILDE, Q_SLOPE), equation(Q_SLOPE, sigma_w2 * SLOPE)),
    assumes="“at infinite width” (Overall Architecture)",
    at="Overall Architecture",
    where="phi is continuous; the derivative is that where two data coincide, at fixed q_aa = q",
)
def slope_of_the_covariance(trial: Trial, stated: Any, says: str) -> Findings:
    """By Price's theorem it is sigma_w^2 E phi'^2 at every q, the factor of the squared gradient (B-grad)."""
    for name, kernel, square in _kernels():
        after = sp.Lambda(q_ab, sigma_w2 * kernel.subs(c, q_ab / q) + sigma_b2)
        right = stated[1].rhs.subs(SLOPE, square)
        yield identity(f"phi = {name}: chi~_1", value_of(CHI_TILDE, stated).replace(Q_MAP, after), right)
        if name == "ReLU":
            yield identity("phi = ReLU: dq_ab'/dq_ab", stated[1].lhs.replace(Q_MAP, after), right)
    relu_slope = stated[1].rhs.subs(SLOPE, sp.Rational(1, 2))
    edge = float(relu_slope.subs(sigma_w2, 2))
    for weights in (1.0, 2.0, 3.0):
        h = np.sqrt(weights + 0.1) * trial.rng.standard_normal((trial.draws(1500), 400, 1))
        found = mean_with_error(growth(trial.rng, h, relu, weights, 0.1)[0])
        factor = float(relu_slope.subs(sigma_w2, weights))
        other = edge if weights != 2 else 1.5**3
        label = f"ReLU, width 400, sigma_w^2 = {weights:g}: squared gradient, three layers"
        yield measured(trial, label, *found, factor**3, other)
        if factor == edge:
            yield worded(says, "{} their size at {:g}", "keep" if abs(found[0] - 1) < 6 * found[1] else "lose", edge)
        else:
            fate, side = "vanish" if found[0] < 1 else "explode", "below" if factor < edge else "above"
            phase, *_ = igb.phases.classify("relu", weights, 0.1).name.split()
            yield worded(says, "{} {} {:g} ({})", fate, side, edge, phase)


RATIO = r"\gamma^{(l)} = \sigma_{\mu^{(l)}}^2/\sigma_{y^{(l)}}^2"
SECTION.definitions(
    "a definition",
    ("D-gamma", "Overall Architecture", "The ratio gamma^(l) = sigma_mu^2/sigma_y^2 at any layer l", RATIO),
)
SECTION.definitions(
    "a convention; see D-pool-order",
    ("D-limits", "Limitations & Future Work", "The order of limits: width, then data, then depth"),
)


@SECTION.holds(
    "D-crit",
    "The value gamma = 1 separates neutrality (gamma < 1) from prejudice (gamma > 1)",
    printed=(
        sp.Equivalent(sp.Gt(gamma, 1), sp.Gt(P(PHI_CDF(2)), P(PHI_CDF(0)))),
        equation(P(PHI_CDF(y)), sp.exp((1 - 1 / gamma) * y**2 / 2) / sp.sqrt(gamma)),
    ),
    assumes="“in the infinite-data limit” (Key Designs 1)",
    at="Overall Architecture",
    where="p is the density of G_0, of two classes; neutral is read as: G_0 is likeliest at 1/2, prejudiced: at 0 and "
    "1",
)
def uniform_at_one(stated: Any, says: str) -> Findings:
    """G_0 = Phi(Y), Y ~ N(0, gamma): its density p at Phi(y) is that of Y at y over Phi'(y), and flat at gamma = 1."""
    law, ours = value_of(P(PHI_CDF(y)), stated), npdf(y, 0, sp.sqrt(gamma)) / sp.Derivative(ncdf(y), y)
    yield identity("p at Phi(y)", ours, law)
    turn = sp.Derivative(sp.log(law), y) / y
    yield identity("ln p has its only turning point at y = 0", turn, 1 - 1 / gamma)
    (flat,) = sp.solve(turn.doit(), gamma)
    names = []
    for value in (0.95, 1.05, 3.0):
        density = igb.mlp(1, "linear").predict(igb.GaussianInputs(shift=np.sqrt(value))).G0.pdf
        away, middle = float(density(float(ndtr(2)))), float(density(0.5))
        yield agree("the package's density at Phi(2)", away, law.subs({y: 2, gamma: value}), 12)
        right = stated[0].subs({gamma: value, P(PHI_CDF(2)): away, P(PHI_CDF(0)): middle})
        yield shown(f"gamma = {value}: the first statement", right == sp.true, f"p = {away:.5f}, {middle:.5f} at 1/2")
        side = "<" if value < flat else ">"
        names.append(("prejudice" if away > middle else "neutrality", side, float(flat)))
    phrase = "gamma = {:g} separates {} (gamma {} {:g}) from {} (gamma {} {:g})"
    yield worded(says, phrase, float(flat), *names[0], *names[1])


@SECTION.holds(
    "D-Thm3.1",
    "The variance and the covariance of mean-field theory are those of the theory of the bias",
    printed=(
        equation(Q_AA, sigma_mu**2 + sigma_y**2),
        equation(Q_AB, sigma_mu**2),
        equation(C_AB, gamma / (1 + gamma)),
    ),
    assumes="“given normalized inputs” (Key Designs 1); “in the infinite-data limit” (Key Designs 1)",
    at="Theorem 3.1",
    where="inputs have q_aa^(0) = 1, and q_ab^(0) = 0 for a and b that differ",
)
def equivalence(trial: Trial, stated: Any) -> Findings:
    """By induction over the layers. In the first one mu_i = B_i and sigma_y^2 = sigma_w^2. Node i of the next has the
    centre mu_i' = sum_j W_ij m(mu_j) + B_i, m(mu) = E_z phi(mu + sigma_y z). m(mu)^2 is a mean over two independent z:
    those of a pair of variance sigma_mu^2 + sigma_y^2 = q_aa and covariance sigma_mu^2 = q_ab. So sigma_mu'^2 =
    sigma_w^2 E_mu m(mu)^2 + sigma_b^2 is q_ab', and likewise for q_aa'.
    """
    same, pair, ratio = (value_of(quantity, stated) for quantity in (Q_AA, Q_AB, C_AB))
    phi = sp.Lambda(t, sum(a * t**k for k, a in enumerate(sp.symbols("a_0 a_1 a_2", positive=True))))
    centre = mean_of_polynomial(phi(sigma_mu * x + sigma_y * z), z)  # the mean over the data at mu = sigma_mu x
    root, corr = sp.sqrt(same), pair / same
    product = phi(root * x) * phi(root * (corr * x + sp.sqrt(1 - corr**2) * y))
    yield _averages("E m(mu)^2 = E phi(h_a) phi(h_b)", centre**2, (x,), mean_of_polynomial(product, x, y))
    square = mean_of_polynomial(phi(root * x) ** 2, x)
    yield _averages("E phi^2", phi(sigma_mu * x + sigma_y * z) ** 2, (x, z), square)
    yield identity("c = q_ab/q_aa", (pair / same).subs(sigma_mu, sp.sqrt(gamma) * sigma_y), ratio)
    theory = course(np.tanh, 2.0, 0.1, 5)  # mean field: over the weights, at fixed data
    p = igb.mlp(5, "tanh", sigma_b2=0.1).predict().per_layer  # the package: over the data, at fixed weights
    yield agree("tanh, five layers: q_aa", p.var_mu[5] + p.var_chi[5], theory[5, 0], 9)
    yield agree("tanh, five layers: q_ab", p.var_mu[5], theory[5, 1], 9)
    drawn = [_over_the_data(trial.rng, 2000) for _ in range(trial.draws(200))]
    centres, spreads = np.array(drawn).T
    sizes = {sigma_mu: centres.mean() ** 0.5, sigma_y: spreads.mean() ** 0.5}
    rows = (("q_aa", same, centres + spreads), ("q_ab", pair, centres))
    for (name, formula, value), expected in zip(rows, theory[3], strict=True):
        yield measured(trial, f"width 2000: {name}", formula.subs(sizes), mean_with_error(value)[1], expected)


def _layers(rng: np.random.Generator, weights: float, width: int, data: int, depth: int) -> Iterator[Array]:
    """Pre-activations of every layer of one tanh network at orthogonal data of q_aa^(0) = 1; sigma_b^2 = 0.1."""
    h = np.sqrt(weights) * rng.standard_normal((1, width, data)) + np.sqrt(0.1) * rng.standard_normal((1, width, 1))
    yield h
    for _ in range(depth):
        yield (h := forward(rng, np.tanh(h), weights, 0.1))


def _over_the_data(rng: np.random.Generator, width: int) -> tuple[float, float]:
    """Variance of the centres of nodes, and of nodes about them, behind three layers of a tanh network of sigma_w^2 = 2
    and sigma_b^2 = 0.1, over ten orthogonal data. The product of the means over half of the data each has no bias.
    """
    *_, h = _layers(rng, 2.0, width, 10, 3)
    half, other = h[..., :5].mean(axis=2), h[..., 5:].mean(axis=2)
    return float((half * other).mean()), float(h.var(axis=2, ddof=1).mean())


@SECTION.holds(
    "D-Tab-5b",
    "The last row of the table of phases is the same states in gamma and in c",
    printed=sp.Equivalent(sp.Lt(gamma, 1), sp.Lt(c, sp.Rational(1, 2))),
    at="Table 1, fifth row",
)
@SECTION.holds(
    "D-Tab-5a",
    "The row before the last of the table of phases is the same states in gamma and in c",
    printed=(sp.Equivalent(sp.Gt(gamma, 1), sp.Gt(c, sp.Rational(1, 2))), sp.Lt(c, 1)),
    at="Table 1, fourth row",
    where="gamma is finite",
)
def sides_in_c(stated: Any) -> Findings:
    """As gamma grows over [0, infinity), c = gamma/(1 + gamma) increases from 0 to 1, through 1/2 at gamma = 1."""
    equivalent, *most = relations_of(stated)
    ratio, bounds = gamma / (1 + gamma), {part.lhs: part.rhs for part in equivalent.args}
    yield identity("c increases with gamma", sp.Derivative(ratio, gamma), 1 / (1 + gamma) ** 2)
    there = sp.Subs(ratio, gamma, bounds[gamma])
    yield identity("c at the bound of gamma", there.doit(), bounds[c], of=there)
    gammas = np.array([1e-6, 0.5, 0.999, 1.001, 2.0, 1e6])
    found = igb.mlp(1, "linear").predict(igb.GaussianInputs(shift=np.sqrt(gammas))).per_layer.c[-1]
    pairs = list(zip(gammas, found, strict=True))
    text = ", ".join(f"{value:g}: {at:.6f}" for value, at in pairs)
    right = all(equivalent.subs({gamma: value, c: at}) == sp.true for value, at in pairs)
    yield shown("gamma: c of the package", right, text)
    for part in most:
        yield identity("the least bound of c", sp.Limit(ratio, gamma, sp.oo), part.rhs)
        yield from (satisfies(f"c at gamma = {value:g}", part, {c: at}) for value, at in pairs)


@SECTION.holds(
    "D-ext-b",
    "The theory of the bias extends to networks with random biases",
    printed=(equation(MU_AFTER**2, sigma_w2 * CENTRE + sigma_b2), equation(Y_AFTER**2, sigma_w2 * SPREAD)),
    assumes="“at infinite width” (Overall Architecture)",
    at="Key Designs 3",
)
def with_biases(stated: Any) -> Findings:
    """A bias B_i is the same for all data: it moves the centre of node i, not the spread about it. See D-Thm3.1."""
    m, v = sp.symbols("m v", positive=True)
    at = {CENTRE: m, SPREAD: v}
    centre, spread = (value_of(deviation**2, stated).subs(at) for deviation in (MU_AFTER, Y_AFTER))
    o = sp.sqrt(sigma_w2 * m) * x + sp.sqrt(sigma_w2 * v) * z + sp.sqrt(sigma_b2) * y
    yield _averages("square over the data", o**2, (z,), sp.expand(spread + mean_of_polynomial(o, z) ** 2))
    yield _averages("square of the centre over the weights", mean_of_polynomial(o, z) ** 2, (x, y), centre)
    theory = course(np.tanh, 2.0, 0.3, 2)
    p = igb.mlp(2, "tanh", sigma_b2=0.3).predict().per_layer
    for layer, (q_aa, q_ab) in enumerate(theory):
        yield agree(f"tanh, layer {layer}: gamma of the package", p.gamma[layer], q_ab / (q_aa - q_ab), 9)


@SECTION.holds(
    "D-ext-pool",
    "The theory of the bias extends to activations of several nodes, such as maximum and average pooling",
    printed=equation(Q_AB_AFTER, sigma_w2 * PRODUCT + sigma_b2),
    assumes="“at infinite width” (Overall Architecture)",
    at="Key Designs 3",
    where="groups of nodes are disjoint, and the fan-in counts the pooled units",
)
def with_several_nodes(trial: Trial, stated: Any) -> Findings:
    """Pooled units are independent, and E m(mu)^2 = E f(h_a) f(h_b) holds for vectors mu, h_a, h_b alike."""
    s = sp.Symbol("s", positive=True)
    mean = sp.Integral(2 * s * npdf(s) * ncdf(s), (s, 0, sp.oo))
    largest = (1 + sp.sqrt(2)) / (2 * sp.sqrt(sp.pi))
    yield identity("ReLU + MaxPool(2): E f of N(0, 1) nodes", mean, largest)
    square = sp.Rational(3, 4) + 1 / (2 * sp.pi)  # E f^2, derived in D-pool-relu
    at = {sigma_w2: 2, sigma_b2: sp.Rational(1, 5)}
    q_aa, q_ab = (value_of(Q_AB_AFTER, stated).subs(at | {PRODUCT: value}) for value in (square, largest**2))
    net = igb.Network(igb.Dense(1.0), igb.Activation("relu"), igb.MaxPool(2), igb.Dense(2.0, 0.2))
    yield agree("gamma of the package", net.predict().gamma, q_ab / (q_aa - q_ab), 11)
    pooled = np.maximum(trial.rng.standard_normal((trial.draws(400), 1000, 2, 2)), 0).max(axis=2)  # orthogonal data
    h = forward(trial.rng, pooled, 2.0, 0.2)
    yield measured(trial, "width 1000: q_ab", *mean_with_error(h[..., 0] * h[..., 1]), q_ab, against=q_aa)


WIDTH, DEPTH = 10_000, 100


@SECTION.holds(
    "D-Fig2",
    "In MLPs of width 10,000 and depth 100 the c_ab of simulations are those computed from gamma",
    printed=equation(C_AB, gamma / (1 + gamma)),
    at="Theory validation (Fig. 2)",
    where="read as: tanh networks at the last three points of D-tanhEOC",
)
def figure_2(trial: Trial, stated: Any, says: str) -> Findings:
    """c_ab is the cosine of the pre-activations at two data. The band of 5 to 95 % of the networks is wide, so the mean
    is compared as well.
    """
    yield worded(says, "of width {:,} and depth {}", WIDTH, DEPTH)
    for weights in (1.99, 2.48, 4.97):
        gammas = igb.mlp(DEPTH, "tanh", sigma_w2=weights, sigma_b2=0.1).predict().per_layer.gamma
        said = sp.lambdify(gamma, value_of(C_AB, stated))(gammas)
        networks = max(trial.draws(24), 12)
        found = np.concatenate([_cosines(trial.rng, weights, WIDTH, DEPTH) for _ in range(networks)])
        low, high = np.percentile(found, [5, 95], axis=0)
        text = ", ".join(f"[{low[k]:.4f}, {high[k]:.4f}] has {said[k]:.4f}" for k in (10, 30, 100))
        inside = all(low[k] <= said[k] <= high[k] for k in (10, 30, 100))
        yield shown(f"tanh, sigma_w^2 = {weights:g}: bands at depths 10, 30, 100", inside, text)
        yield measured(trial, f"sigma_w^2 = {weights:g}: mean of all layers", *mean_with_error(found), said.mean())


def _cosines(rng: np.random.Generator, weights: float, width: int, depth: int) -> Array:
    """c_ab of two of the data of `_layers`, (networks, layers)."""
    found = []
    for h in _layers(rng, weights, width, 2, depth):
        a, b = h[..., 0], h[..., 1]
        found.append((a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))
    return np.transpose(found)
