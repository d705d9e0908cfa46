"""Bias meets trainability, section 3: mean-field theory and the theory of the bias have the same two numbers.

Mean field: over the weights, at fixed data, pre-activations are Gaussian of variance q_aa and covariance q_ab, and

    q_aa' = sigma_w^2 E phi(h_a)^2 + sigma_b^2,    q_ab' = sigma_w^2 E phi(h_a) phi(h_b) + sigma_b^2.

Bias: over the data, at fixed weights, node i is N(mu_i, sigma_y^2), mu_i of variance sigma_mu^2 over the nodes, and
gamma = sigma_mu^2/sigma_y^2. Price's theorem, used below, is d/dq_ab E phi(h_a) phi(h_b) = E phi'(h_a) phi'(h_b).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Bias meets trainability, section 3: the equivalence with mean-field theory, and its extensions")

Array = NDArray[np.float64]
g, q, c, sw2, sb2 = sp.symbols("gamma q c sigma_w2 sigma_b2", positive=True)
x, y, z = sp.symbols("x y z", real=True)
KAPPA = (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi
# trapezoidal rule for N(0, 1): exact to rounding for functions that are analytic near the real line, such as tanh
NODES = np.arange(-9, 9.001, 0.05)
WEIGHTS = 0.05 * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)


def _mean(polynomial: Any, variable: Any) -> Any:
    """Mean over a standard normal variable of a polynomial in it."""
    terms = sp.Poly(sp.expand(polynomial), variable).terms()
    return sum(value * (sp.factorial2(k - 1) if k else 1) for (k,), value in terms if k % 2 == 0)


def _product(q_aa: float, q_ab: float) -> float:
    """E tanh(h_a) tanh(h_b), as the mean square of the mean over what the two do not share."""
    shared, own = np.sqrt(q_ab) * NODES[:, None], np.sqrt(q_aa - q_ab) * NODES
    return float(WEIGHTS @ (np.tanh(shared + own) @ WEIGHTS) ** 2)


def _courses(weights: float, biases: float, depth: int) -> Array:
    """Mean-field q_aa and q_ab of tanh for orthogonal data of q_aa^(0) = 1, rows from the first layer on."""
    found = [(weights + biases, biases)]
    for _ in range(depth):
        q_aa, q_ab = found[-1]
        found.append((weights * _product(q_aa, q_aa) + biases, weights * _product(q_aa, q_ab) + biases))
    return np.array(found)


def _average(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


def _limit(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Value in infinite width, on the straight line in 1/width through values (with errors) at the widths N and 2N."""
    (first, e1), (second, e2) = values
    return 2 * second - first, float(np.hypot(e1, 2 * e2))


def _row(drawn: Any, name: str) -> Any:
    """Row of a comparison with the theory, extrapolated to infinite width."""
    return next(row for row in drawn.compare(workers=1).rows if row.name == name)


@SECTION.holds(
    "D-MF1",
    "Over the weights the pre-activations of a layer are independent and identically N(0, q_aa)",
    printed=r"y_i^{(l)}(a) \sim \mathcal{N}(0, q_{aa}^{(l)}) \text{ iid over } W, \quad "
    r"q_{ab} = E_W\, y_i(a) y_i(b)",
    assumes="infinite width",
)
def preactivations_are_iid(trial: Trial) -> Iterator[Finding]:
    """Given the layer before, y_i = sum_j W_ij phi_j + B_i are independent and N(0, s), the same s for all i.

    s = (sigma_w^2/N) sum_j phi_j^2 + sigma_b^2 varies over the weights before with a variance of order 1/N. So y_i has
    the excess kurtosis 3 Var(s)/(E s)^2, and y_i^2, y_j^2 the covariance Var(s): both are gone in infinite width, and
    at finite width the units are uncorrelated but not independent.
    """
    n, mean, spread = sp.symbols("N s V", positive=True)  # of s
    y_i, y_j = sp.sqrt(z) * x, sp.sqrt(z) * y
    given = _mean(_mean(sp.expand(y_i**2 * y_j**2), y), x)  # z stands for s
    yield identity("E y_i^2 y_j^2 given s", given, z**2)
    covariance = (spread + mean**2) - mean**2
    yield identity("covariance of y_i^2 and y_j^2", covariance, spread)
    fourth = _mean(x**4, x) * (spread + mean**2)
    yield identity("excess kurtosis of y_i", fourth / mean**2 - 3, 3 * spread / mean**2)
    # ReLU, sigma_b^2 = 0: E phi^2 = q/2, E phi^4 = 3 q^2/2
    relu = (sw2**2 / n) * (3 * q**2 / 2 - q**2 / 4) / (sw2 * q / 2) ** 2
    yield identity("ReLU: Var(s)/(E s)^2", relu, 5 / n)
    yield identity("in infinite width", sp.limit(relu, n, sp.oo), 0)
    values = []
    for width in (20, 40):
        # two units of the second layer of ReLU networks at one datum
        h = np.sqrt(2) * trial.rng.standard_normal((trial.draws(40_000), width))
        s = 2 * (np.maximum(h, 0) ** 2).mean(axis=1)
        pair = np.sqrt(s)[:, None] * trial.rng.standard_normal((len(s), 2))
        product = (pair[:, 0] * pair[:, 1]) ** 2 / 4 - 1  # E s = 2
        values.append(_average(product))
        label = f"ReLU, width {width}: covariance of y_i^2 and y_j^2 over q^2, of 5/N"
        yield measured(trial, label, *values[-1], 5 / width)
    yield measured(trial, "and in infinite width", *_limit(values), 0.0, against=1.0)


@SECTION.holds(
    "D-MF2",
    "The slope chi_1 is the derivative of c^(l+1) by c^(l) at c = 1",
    printed=r"\chi_1 = \frac{\partial c^{(l+1)}}{\partial c^{(l)}} \Big|_{c=1} = \sigma_w^2 E \phi'(\sqrt{q} z)^2 "
    r"\frac{q}{q'}",
    assumes="phi continuous",
)
def slope_of_the_correlation() -> Iterator[Finding]:
    """With c = q_ab/q and Price's theorem, dc'/dc = (q/q') dq_ab'/dq_ab = (q/q') sigma_w^2 E phi'(h_a) phi'(h_b).

    At the fixed point q' = q it is the sigma_w^2 E phi'^2 of mean-field theory, the factor of squared gradients. Off it
    the two differ: for ReLU without biases the slope of c is 1 whatever sigma_w^2.
    """
    a, b = sp.symbols("a b", positive=True)
    u, v = sp.sqrt(q) * x, sp.sqrt(q) * (c * x + sp.sqrt(1 - c**2) * y)
    kernel = _mean(_mean((a * u + b * u**3) * (a * v + b * v**3), y), x)
    slope = _mean((a + 3 * b * u**2) ** 2, x)
    after = sw2 * kernel.subs(c, 1) + sb2
    left = sp.diff((sw2 * kernel + sb2) / after, c).subs(c, 1)
    yield identity("phi = a x + b x^3", left, sw2 * slope * q / after)
    erf = 2 / sp.pi * sp.asin(2 * q * c / (1 + 2 * q))  # E erf(h_a) erf(h_b)
    squared = 4 / sp.pi / sp.sqrt(1 + 4 * q)  # E erf'(h)^2 = (4/pi) E exp(-2 h^2)
    yield identity("erf", sp.diff(erf, c).subs(c, 1), q * squared)
    relu = (sw2 * q * KAPPA / 2 + sb2) / (sw2 * q / 2 + sb2)
    yield identity("ReLU", sp.diff(relu, c).subs(c, 1), sw2 * q / 2 / (sw2 * q / 2 + sb2))
    yield identity("ReLU, no biases: the slope of c", sp.diff(relu, c).subs({c: 1, sb2: 0}), 1)
    # 1 - c of a layer of the package, of a pair at 1 - c = 1e-8 in front of it: inputs of shift m have q_ab = m^2
    inputs = igb.GaussianInputs(shift=np.sqrt(1 - 1e-8), variance=1e-8)
    course = igb.mlp(1, "tanh", sigma_w2=1.5, sigma_b2=0.1).predict(inputs).per_layer
    before, behind = ((course.var_chi / (course.var_mu + course.var_chi))[i] for i in (0, 1))
    with mp.workdps(20):
        q_1 = mp.mpf("1.6")
        ends = [-9, -3, 0, 3, 9]
        square = mp.quad(lambda t: mp.tanh(mp.sqrt(q_1) * t) ** 2 * mp.npdf(t), ends)
        steep = mp.quad(lambda t: mp.sech(mp.sqrt(q_1) * t) ** 4 * mp.npdf(t), ends)
        expected = 1.5 * steep * q_1 / (1.5 * square + 0.1)
    yield agree("tanh: (1 - c')/(1 - c) at 1 - c = 1e-8", behind / before, expected, 6)


def _relu_gradient(trial: Trial, weights: float, width: int) -> tuple[float, float]:
    """Factor of the squared gradient of ReLU networks through three layers, sigma_b^2 = 0.1."""
    found = []
    for _ in range(trial.draws(40)):
        h = np.sqrt(weights + 0.1) * trial.rng.standard_normal((100, width, 1))
        passed = []
        for _ in range(3):
            w = np.sqrt(weights / width) * trial.rng.standard_normal((100, width, width))
            passed.append((w, h > 0))
            h = w @ np.maximum(h, 0) + np.sqrt(0.1) * trial.rng.standard_normal((100, width, 1))
        delta = trial.rng.standard_normal((100, width, 1))
        for w, active in passed[::-1]:
            delta = active * (w.transpose(0, 2, 1) @ delta)
        found.append((delta**2).mean(axis=(1, 2)))
    return _average(np.concatenate(found))


@SECTION.holds(
    "D-MF3",
    "For unbounded activations chi~_1 = dq_ab'/dq_ab at c = 1 decides: gradients vanish below 1 (ordered), explode "
    "above (chaotic), and are stable at 1 (edge of chaos)",
    printed=r"\tilde\chi_1 = \frac{\partial q_{ab}^{(l+1)}}{\partial q_{ab}^{(l)}} \Big|_{c=1} = "
    r"\sigma_w^2 E \phi'(\sqrt{q} z)^2",
    assumes="infinite width, phi continuous; the derivative at fixed q_aa",
)
def slope_of_the_covariance(trial: Trial) -> Iterator[Finding]:
    """By Price's theorem it is sigma_w^2 E phi'^2 at every q, the factor of the squared gradient, see B-grad.

    No fixed point is needed: for ReLU it is sigma_w^2/2 in every layer, with biases or not. (Whether sigma_w^2 = 2 with
    biases deserves the name of an edge, where gradients are stable and q_aa is not, is D-ReLU-EOC.)
    """
    a, b = sp.symbols("a b", positive=True)
    u, v = sp.sqrt(q) * x, sp.sqrt(q) * (c * x + sp.sqrt(1 - c**2) * y)
    kernel = _mean(_mean((a * u + b * u**3) * (a * v + b * v**3), y), x)
    yield identity(
        "phi = a x + b x^3",
        sp.expand(sp.diff(sw2 * kernel + sb2, c).subs(c, 1) / q),
        sp.expand(sw2 * _mean((a + 3 * b * u**2) ** 2, x)),
    )
    relu = sw2 * q * KAPPA / 2 + sb2
    yield identity("ReLU", sp.diff(relu, c).subs(c, 1) / q, sw2 / 2)
    for weights, side in ((1.0, "ordered"), (2.0, "edge"), (3.0, "chaotic")):
        value, error = _limit([_relu_gradient(trial, weights, width) for width in (16, 32)])
        expected = (weights / 2) ** 3
        label = f"ReLU, sigma_w^2 = {weights:g} ({side}): squared gradient through three layers"
        yield measured(trial, label, value, error, expected, against=1.0 if weights != 2 else 1.5**3)


SECTION.undecided("D-gamma", "gamma^(l) = sigma_mu^2/sigma_y^2 at any layer l", "a definition")


@SECTION.holds(
    "D-crit",
    "gamma = 1 separates neutrality (gamma < 1) from prejudice (gamma > 1)",
    printed=r"\ln p(G_0) = \left(1 - \frac{1}{\gamma}\right) \frac{y^2}{2} - \frac{\ln \gamma}{2}, \quad "
    r"y = \Phi^{-1}(G_0)",
    assumes="two classes, infinitely many data; neutral read as: G_0 is likeliest at 1/2, prejudiced: at 0 and 1",
)
def uniform_at_one() -> Iterator[Finding]:
    """G_0 = Phi(y), y ~ N(0, gamma): its density is that of y over phi(y). It is flat at gamma = 1."""
    density = sp.exp(-(y**2) / (2 * g)) / sp.sqrt(2 * sp.pi * g) / (sp.exp(-(y**2) / 2) / sp.sqrt(2 * sp.pi))
    curvature = sp.diff(sp.expand_log(sp.log(density), force=True), y, 2)
    yield identity("(ln p)'' in y: negative below 1, positive above", curvature, 1 - 1 / g)
    yield identity("gamma = 1: uniform", density.subs(g, 1), 1)
    yield identity("density at the ends, gamma = 1/2", sp.limit(density.subs(g, sp.Rational(1, 2)), y, sp.oo), 0)
    yield identity("1/density at the ends, gamma = 2", sp.limit(1 / density.subs(g, 2), y, sp.oo), 0)
    for gamma in (0.5, 1.0, 2.0):
        law = igb.mlp(1, "linear").predict(igb.GaussianInputs(shift=np.sqrt(gamma))).G0
        values = [float(law.pdf(point)) for point in (0.5, 0.75, 0.95)]
        text = ", ".join(f"{value:.5f}" for value in values)
        right = {0.5: values[0] > values[1] > values[2], 2.0: values[0] < values[1] < values[2]}
        flat = max(abs(value - 1) for value in values) < 1e-9
        yield shown(f"gamma = {gamma:g}: density at 0.5, 0.75, 0.95", right.get(gamma, flat), text)


@SECTION.holds(
    "D-Thm3.1",
    "q_aa = sigma_mu^2 + sigma_y^2 and q_ab = sigma_mu^2 for a != b, hence c_ab = gamma/(1 + gamma)",
    printed=r"q_{aa} = \sigma_\mu^2 + \sigma_y^2, \quad q_{ab} = \sigma_\mu^2, \quad c_{ab} = \gamma/(1 + \gamma)",
    assumes="q_aa^(0) = 1, q_ab^(0) = 0, infinite width, then infinitely many data",
)
def equivalence(trial: Trial) -> Iterator[Finding]:
    """Induction over the layers: they agree at the first one, where mu_i = B_i and sigma_y^2 = sigma_w^2.

    Node i of the next layer has the centre mu_i' = sum_j W_ij m(mu_j) + B_i with m(mu) = E_z phi(mu + sigma_y z), so
    sigma_mu'^2 = sigma_w^2 E_mu m(mu)^2 + sigma_b^2. The square of a mean is the mean over two independent copies:
    E_mu m^2 = E phi(mu + sigma_y z_a) phi(mu + sigma_y z_b), a pair of variance sigma_mu^2 + sigma_y^2 = q_aa and
    covariance sigma_mu^2 = q_ab. That is q_ab'. Likewise sigma_mu'^2 + sigma_y'^2 = sigma_w^2 E phi^2 + sigma_b^2.
    """
    a_0, a_1, a_2, s, m = sp.symbols("a_0 a_1 a_2 s m", positive=True)  # s = sigma_y, m = sigma_mu
    h = sp.Symbol("h", real=True)
    phi = a_0 + a_1 * h + a_2 * h**2
    centre = _mean(phi.subs(h, m * x + s * z), z)
    ours = _mean(sp.expand(centre**2), x)
    r = sp.sqrt(m**2 + s**2)
    corr = m**2 / r**2
    pair = phi.subs(h, r * x) * phi.subs(h, r * (corr * x + sp.sqrt(1 - corr**2) * y))
    yield identity(
        "phi = a_0 + a_1 h + a_2 h^2: E m(mu)^2 = E phi(h_a) phi(h_b)", ours, _mean(_mean(sp.expand(pair), y), x)
    )
    within = _mean(_mean(sp.expand((phi.subs(h, m * x + s * z) - centre) ** 2), z), x)
    yield identity("and E phi^2", ours + within, _mean(sp.expand(phi.subs(h, r * x) ** 2), x))
    yield identity("c", (m**2 / (m**2 + s**2)).subs(m, sp.sqrt(g) * s), g / (1 + g))
    course = _courses(2.0, 0.1, 5)
    p = igb.mlp(5, "tanh", sigma_b2=0.1).predict().per_layer  # it averages over the data, at fixed weights
    yield agree("tanh, five layers: q_aa", p.var_mu[5] + p.var_chi[5], course[5, 0], 9)
    yield agree("q_ab", p.var_mu[5], course[5, 1], 9)
    net = igb.mlp(3, "tanh", sigma_b2=0.1)
    drawn = net.simulate(networks=trial.draws(500), width=16, samples=150, seed=trial.seed, workers=1)
    for name, expected in (("var_mu[3]", course[3, 1]), ("var_chi[3]", course[3, 0] - course[3, 1])):
        row = _row(drawn, name)
        label = f"{name} over the data, width to infinity"
        yield measured(trial, label, row.value, row.error, float(expected), against=2 * float(expected))
    values = [_pairs(trial, width) for width in (16, 32)]
    for i, name in enumerate(("q_aa", "q_ab")):
        value, error = _limit([pair[i] for pair in values])
        label = f"{name} over the weights of a fixed pair, width to infinity"
        yield measured(trial, label, value, error, float(course[3, i]), against=0.7 * float(course[3, i]))


def _pairs(trial: Trial, width: int) -> list[tuple[float, float]]:
    """q_aa and q_ab behind three tanh layers at two orthogonal data, sigma_w^2 = 2, sigma_b^2 = 0.1."""
    networks, rng = trial.draws(240_000 // width), trial.rng
    h = np.sqrt(2) * rng.standard_normal((networks, width, 2)) + np.sqrt(0.1) * rng.standard_normal(
        (networks, width, 1)
    )
    for _ in range(2):
        w = np.sqrt(2 / width) * rng.standard_normal((networks, width, width))
        h = w @ np.tanh(h) + np.sqrt(0.1) * rng.standard_normal((networks, width, 1))
    t = np.tanh(h)
    return [_average(2 * part + 0.1) for part in ((t**2).mean(axis=(1, 2)), (t[..., 0] * t[..., 1]).mean(axis=1))]


@SECTION.holds(
    "D-Tab-5a",
    "1 < gamma < infinity if and only if 1/2 < c < 1",
    printed=r"1 < \gamma < \infty \iff 0.5 < c < 1",
)
def prejudice_in_c() -> Iterator[Finding]:
    """As gamma grows over [0, infinity), c = gamma/(1 + gamma) increases from 0 to 1, through 1/2 at gamma = 1."""
    yield from _monotone()
    yield identity("c at infinite gamma", sp.limit(g / (1 + g), g, sp.oo), 1)


@SECTION.holds("D-Tab-5b", "gamma < 1 if and only if c < 1/2", printed=r"\gamma < 1 \iff c < 0.5")
def neutrality_in_c() -> Iterator[Finding]:
    """As c = gamma/(1 + gamma) increases, c < 1/2 exactly where gamma < 1."""
    yield from _monotone()
    yield identity("c at gamma = 0", (g / (1 + g)).subs(g, 0), 0)


def _monotone() -> Iterator[Finding]:
    yield identity("dc/dgamma > 0", sp.diff(g / (1 + g), g), 1 / (1 + g) ** 2)
    yield identity("c at gamma = 1", (g / (1 + g)).subs(g, 1), sp.Rational(1, 2))
    gammas = np.array([1e-6, 0.5, 0.999, 1.001, 2.0, 1e6])
    p = igb.mlp(1, "linear").predict(igb.GaussianInputs(shift=np.sqrt(gammas)))
    text = ", ".join(f"{gamma:g}: {value:.6f}" for gamma, value in zip(gammas, p.c, strict=True))
    yield shown("gamma: c of the package", bool(np.all((gammas > 1) == (p.c > 0.5)) and np.all(p.c < 1)), text)


@SECTION.holds(
    "D-ext-b",
    "The theory of the bias extends to biases of variance sigma_b^2 > 0",
    printed=r"\sigma_\mu'^2 = \sigma_w^2 E_\mu m(\mu)^2 + \sigma_b^2, \quad \sigma_y'^2 = \sigma_w^2 E\,\mathrm{Var}_z",
    assumes="infinite width",
)
def with_biases(trial: Trial) -> Iterator[Finding]:
    """A bias B_i is the same for all data: it moves the centre of node i and not the spread about it.

    So sigma_b^2 adds to sigma_mu^2 in every layer, the output included; G_0 = Phi(sqrt(gamma) U) follows as before. An
    odd activation has gamma > 0 then, from the first layer on: sigma_b^2/sigma_w^2.
    """
    m, v, b = sp.symbols("m v b", real=True)
    # mean and variance over the data of o = s z + b, then over b
    over_data = _mean(sp.expand((v * z + m + b) ** 2), z) - (m + b) ** 2
    yield identity("variance over the data, with or without b", sp.expand(over_data), v**2)
    centre = sp.expand(_mean(sp.expand((m * x + sp.sqrt(sb2) * y) ** 2), x))
    yield identity("variance of the centre", _mean(centre, y), m**2 + sb2)
    course = _courses(2.0, 0.3, 2)
    p = igb.mlp(2, "tanh", sigma_b2=0.3).predict()
    yield agree("tanh, first layer", p.per_layer.gamma[0], 0.3 / 2, 12)
    yield agree("tanh, two layers", p.gamma, course[2, 1] / (course[2, 0] - course[2, 1]), 9)
    drawn = igb.mlp(2, "tanh", sigma_b2=0.3).simulate(
        networks=trial.draws(1600), width=12, samples=120, seed=trial.seed, workers=1
    )
    for name, against in (("gamma[2]", 0.0), ("Var(G0)", 0.0)):
        row = _row(drawn, name)
        yield measured(trial, f"{name}, width to infinity", row.value, row.error, row.theory, against)


@SECTION.holds(
    "D-ext-pool",
    "The theory of the bias extends to activations of several nodes, such as maximum and average pooling",
    printed=r"q_{ab}' = \sigma_w^2 E f(h_a) f(h_b) + \sigma_b^2, \quad f: \mathbb{R}^m \to \mathbb{R}",
    assumes="disjoint groups of nodes; the fan-in counts the pooled units; infinite width",
)
def with_several_nodes(trial: Trial) -> Iterator[Finding]:
    """The m nodes of a group are independent with the same law, and groups are disjoint: pooled units are independent.

    All that was used of phi(h) is that: E m(mu)^2 = E f(h_a) f(h_b) holds for vectors mu, h_a, h_b alike. One layer of
    ReLU and MaxPool(2): E f = (1 + sqrt 2)/(2 sqrt(pi)) sqrt q, E f^2 = (3/4 + 1/(2 pi)) q.
    """
    t = sp.Symbol("t", positive=True)
    cdf, pdf = (1 + sp.erf(t / sp.sqrt(2))) / 2, sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi)
    # E f = int (1 - Phi^2), by parts int t 2 phi Phi; E f^2 = int t^2 2 phi Phi
    first = sp.integrate(sp.expand(2 * t * pdf * cdf), (t, 0, sp.oo))
    mean = (1 + sp.sqrt(2)) / (2 * sp.sqrt(sp.pi))
    yield agree("E max(0, h_1, h_2)", sp.N(first, 30), sp.N(mean, 30), 12)
    with mp.workdps(25):
        second = mp.quad(lambda s: 2 * s**2 * mp.npdf(s) * mp.ncdf(s), [0, 1, 3, 12])
        yield agree("E max(0, h_1, h_2)^2", second, mp.mpf(3) / 4 + 1 / (2 * mp.pi), 20)
        exact = ((1 + mp.sqrt(2)) / (2 * mp.sqrt(mp.pi))) ** 2
        gamma = exact / (second - exact)
        yield agree("ReLU + MaxPool(2): gamma of the package", igb.mlp(1, pool=2).predict().gamma, gamma, 11)
        average = (1 / (2 * mp.pi)) / ((mp.mpf(1) / 2 - 1 / (2 * mp.pi)) / 2)
        found = igb.mlp(1, pool=igb.AvgPool(2)).predict().gamma
        yield agree("ReLU + AvgPool(2): gamma of the package", found, average, 11)
    for pool, against in ((2, 0.467), (igb.AvgPool(2), 0.467)):
        drawn = igb.mlp(1, pool=pool).simulate(
            networks=trial.draws(400), width=10, samples=120, seed=trial.seed, workers=1
        )
        row = _row(drawn, "gamma[1]")
        name = "MaxPool(2)" if pool == 2 else "AvgPool(2)"
        yield measured(trial, f"{name}: gamma, width to infinity", row.value, row.error, row.theory, against)


@SECTION.holds(
    "D-Fig2",
    "Width 10,000, depth 100: the c computed from gamma matches the c_ab of Monte Carlo within their 5-95 % band",
    assumes="checked on tanh networks of width 400 and depth 4 to 12: as the figure's, wide against their depth",
)
def figure_2(trial: Trial) -> Iterator[Finding]:
    """c_ab of a network is the cosine (without centring) of the pre-activations at two data.

    Every layer of infinite width has c = gamma/(1 + gamma); networks and pairs scatter about it by 1/sqrt(N). The four
    initialisations are those of the poster, sigma_b^2 = 0.1. Another one's c is outside the band.
    """
    points = (1.59, 1.99, 2.48, 4.97)
    theories = []
    for weights in points:
        gamma = igb.mlp(12, "tanh", sigma_w2=weights, sigma_b2=0.1).predict().per_layer.gamma
        theories.append(gamma / (1 + gamma))
    for i, weights in enumerate(points):
        found = np.concatenate([_cosines(trial.rng, weights, 400, 12) for _ in range(trial.draws(16))])
        low, high = np.percentile(found, [5, 95], axis=0)
        inside = all(low[depth] <= theories[i][depth] <= high[depth] for depth in (4, 8, 12))
        other = theories[(i + 2) % 4][12]
        text = ", ".join(f"[{low[k]:.4f}, {high[k]:.4f}] has {theories[i][k]:.4f}" for k in (4, 8, 12))
        label = f"tanh, sigma_w^2 = {weights:g}: bands at depths 4, 8, 12"
        yield shown(label, inside and not low[12] <= other <= high[12], text)


def _cosines(rng: np.random.Generator, weights: float, width: int, depth: int) -> Array:
    """c_ab of all pairs of six data in a tanh network, (pairs, layers); the data are orthogonal, of q_aa^(0) = 1."""
    deviation = np.float32(np.sqrt(0.1))
    h = np.float32(np.sqrt(weights)) * rng.standard_normal((width, 6), dtype=np.float32)
    h += deviation * rng.standard_normal((width, 1), dtype=np.float32)
    layers = [h]
    for _ in range(depth):
        w = np.float32(np.sqrt(weights / width)) * rng.standard_normal((width, width), dtype=np.float32)
        layers.append(w @ np.tanh(layers[-1]) + deviation * rng.standard_normal((width, 1), dtype=np.float32))
    found = []
    for a, b in combinations(range(6), 2):
        found.append([h[:, a] @ h[:, b] / np.sqrt(h[:, a] @ h[:, a] * (h[:, b] @ h[:, b])) for h in layers])
    return np.array(found, dtype=np.float64)


SECTION.undecided("D-limits", "The order of limits: width, then data, then depth", "a convention; see D-pool-order")
