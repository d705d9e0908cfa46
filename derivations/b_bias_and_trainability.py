"""Bias and trainability (slides): outputs and centres, what causes the bias, the phases, and their link to the bias.

An MLP Y^(l) = W^(l) phi(Y^(l-1)) + B^(l), weights of variance sigma_w^2/fan-in, biases of variance sigma_b^2. Over the
weights two data have the covariances q_aa, q_ab, c = q_ab/q_aa; over the data (weights fixed) an output is
N(mu, Var_chi), mu ~ N(0, Var_W(mu)) over the weights, gamma = Var_W(mu)/Var_chi. With a_k the Hermite coefficients of
phi(sqrt(q) z), z ~ N(0, 1), a layer does

    q' = sigma_w^2 sum_k a_k^2 + sigma_b^2,    q_ab' = sigma_w^2 sum_k a_k^2 c^k + sigma_b^2.

Where q has reached its fixed point q*, c' = F(c) is a power series without negative coefficients: convex, F(1) = 1, and
F'(1) = chi_1 = sigma_w^2 E phi'(sqrt(q*) z)^2, which is also the factor of the squared gradient from layer to layer.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import brentq

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Bias and trainability: the slides")

Array = NDArray[np.float64]
g = sp.Symbol("gamma", positive=True)
# trapezoidal rule for N(0, 1): exact to rounding for functions that are analytic near the real line, such as tanh
NODES = np.arange(-9, 9.001, 0.05)
WEIGHTS = 0.05 * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)


def _variance(q: float) -> float:
    """E tanh^2."""
    return float(WEIGHTS @ np.tanh(np.sqrt(q) * NODES) ** 2)


def _slope(q: float) -> float:
    """E tanh'^2."""
    return float(WEIGHTS @ np.cosh(np.sqrt(q) * NODES) ** -4.0)


def _product(q: float, c: float) -> float:
    """E tanh(h_a) tanh(h_b), of correlation c, as the mean square of the mean over what the two do not share."""
    shared, own = np.sqrt(q * c) * NODES[:, None], np.sqrt(q * (1 - c)) * NODES
    return float(WEIGHTS @ (np.tanh(shared + own) @ WEIGHTS) ** 2)


def _fixed_point(sw2: float, sb2: float) -> float:
    """The q* of tanh."""
    return float(brentq(lambda q: sw2 * _variance(q) + sb2 - q, 1e-9, sw2 + sb2, xtol=1e-14, rtol=1e-14))


def _edge(sb2: float) -> float:
    """The sigma_w^2 of the edge of chaos of tanh: sigma_w^2 E tanh'^2 = 1 at q*, which is the unknown solved for."""
    return 1 / _slope(float(brentq(lambda q: q - _variance(q) / _slope(q) - sb2, 1e-9, 9, xtol=1e-14, rtol=1e-14)))


def _limit(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Value in infinite width, on the straight line in 1/width through values (with errors) at the widths N and 2N."""
    (first, e1), (second, e2) = values
    return 2 * second - first, float(np.hypot(e1, 2 * e2))


def _mean(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


@SECTION.holds(
    "B-proc",
    "Over the data an output is N(mu_c, Var_chi(O)); over the weights its centre mu_c is N(0, Var_W(mu))",
    printed=r"f_{O_c}^{(\chi)} \to \mathcal{N}(\mu_c, \mathrm{Var}_\chi(O)), \quad "
    r"f_{\mu_c} \to \mathcal{N}(0, \mathrm{Var}_W(\mu))",
    assumes="all widths and the dimension of the Gaussian data go to infinity",
)
def outputs_and_centres(trial: Trial) -> Iterator[Finding]:
    """Cumulants. O = sum_j w_j phi_j, w_j fixed of variance sigma_w^2/N, phi_j independent over the data in wide nets.

    The fourth cumulant of O is sum_j w_j^4 kappa_4(phi), its variance sum_j w_j^2 Var(phi): excess kurtosis O(1/N).
    The centre sum_j w_j <phi_j> is exactly Gaussian given the layer before, of the variance s = (sigma_w^2/N)
    sum_j <phi_j>^2: a scale mixture, of excess kurtosis 3 Var(s)/(E s)^2, again of the order 1/N.
    """
    n, kappa, v, sw2, m_2, m_4 = sp.symbols("N kappa v sigma_w2 m_2 m_4", positive=True)
    fourth = n * 3 * (sw2 / n) ** 2 * kappa / (n * sw2 / n * v) ** 2  # E w^4 = 3 (sigma_w^2/N)^2
    yield identity("excess kurtosis over the data, times N", n * fourth, 3 * kappa / v**2)
    mean_square, spread = sw2 * m_2, sw2**2 / n * (m_4 - m_2**2)  # of s
    excess = 3 * (spread + mean_square**2) / mean_square**2 - 3
    yield identity("excess kurtosis of the centre, times N", n * excess, 3 * (m_4 / m_2**2 - 1))
    # ReLU: <phi_j> = |row j of W| sqrt(1/(2 pi)), |row|^2 = sigma_w^2 chi^2_N/N: its fourth moment is (1 + 2/N) times
    yield identity("ReLU: m_4/m_2^2 - 1", (sw2**2 * (1 + 2 / n)) / sw2**2 - 1, 2 / n)
    for label, of in (("over the data", 0), ("of the centres, over the weights", 1)):
        values = [_excess(trial, width, of) for width in (12, 24)]
        value, error = _limit(values)
        # of one uniform variable -1.2: far from Gaussian
        yield measured(trial, f"ReLU, two layers: excess kurtosis {label}, width to infinity", value, error, 0.0, -1.2)


def _excess(trial: Trial, width: int, of: int) -> tuple[float, float]:
    """Excess kurtosis of ReLU networks of two layers: of the outputs over the data (0), of the centres (1).

    Estimated in groups of networks. The weights are those of a layer each, the data fresh Gaussian ones.
    """
    groups, networks, data = 20, trial.draws(200) if of else trial.draws(20), 100 if of else 800
    found = []
    for _ in range(groups):
        x = trial.rng.standard_normal((networks, data, 8 * width), dtype=np.float32)
        for units, read in ((width, 8 * width), (width, width)):
            weights = np.sqrt(2 / read) * trial.rng.standard_normal((networks, read, units), dtype=np.float32)
            x = np.maximum(x @ weights.astype(np.float32), 0)
        if of:
            # two halves of the data have the same centre: products of their means have no noise of finitely many data
            w = trial.rng.standard_normal((networks, width, 40)) / np.sqrt(width)
            m = (x.mean(axis=1, dtype=np.float64)[:, None, :] @ w)[:, 0]
            found.append((m**4).mean() / (m**2).mean() ** 2 - 3)
        else:
            w = trial.rng.standard_normal((networks, width, 8)) / np.sqrt(width)
            o = x.astype(np.float64) @ w
            o -= o.mean(axis=1, keepdims=True)
            found.append((o**4).mean() / (o**2).mean(axis=1).__pow__(2).mean() - 3)
    return _mean(np.array(found))


@SECTION.holds(
    "B-g0",
    "For infinitely many data g_0(W) is P(O_0 > O_1 given W)",
    printed=r"\lim_{D \to \infty} g_0(W) = P(O_0 > O_1 \mid W)",
    assumes="independent data; no ties",
)
def fraction_in_the_limit(trial: Trial) -> Iterator[Finding]:
    """Given W the guesses of D data are independent coins of probability p: g_0 has the mean p, variance p(1 - p)/D."""
    p, d = sp.symbols("p D", positive=True)
    terms = [(sp.binomial(6, k) * p**k * (1 - p) ** (6 - k), sp.Rational(k, 6)) for k in range(7)]
    yield identity("mean of g_0, D = 6", sp.expand(sum(w * x for w, x in terms)), p)
    yield identity("its variance", sp.expand(sum(w * (x - p) ** 2 for w, x in terms)), sp.expand(p * (1 - p) / 6))
    yield identity("the variance for D to infinity", sp.limit(p * (1 - p) / d, d, sp.oo), 0)
    law = igb.mlp(1).predict().G0
    gaps = [law.finite(size).var() / size**2 - law.var() for size in (10, 100, 1000)]
    text = ", ".join(f"{gap:.3g}" for gap in gaps)
    yield shown("ReLU: Var of g_0 with 10, 100, 1000 data less that of P", gaps[0] > gaps[1] > gaps[2] > 0, text)
    yield agree("D = 1000: it is (1/4 - Var P)/D", gaps[2], (0.25 - law.var()) / 1000, 8)
    # one ReLU network of 20 units on fresh data: two independent halves of the data measure the same P
    w, out = trial.rng.standard_normal((20, 20)), trial.rng.standard_normal((20, 2))
    shares = []
    for size in (1000, trial.draws(200_000)):
        o = np.maximum(trial.rng.standard_normal((size, 20)) @ w, 0) @ out
        shares.append((float((o[:, 0] > o[:, 1]).mean()), size))
    (few, d_1), (many, d_2) = shares
    error = float(np.sqrt(max(many * (1 - many), 0.01) * (1 / d_1 + 1 / d_2)))
    yield measured(trial, "a network: g_0 of 1000 data, against that of many", few, error, many)


SECTION.undecided(
    "B-gamma",
    "gamma = Var_W(mu)/Var_chi(O) quantifies the level of IGB",
    "a definition; the law of g_0 depends on it alone",
)


@SECTION.holds(
    "B-rule",
    "An activation has no IGB if and only if the average over the data of its output is 0",
    printed=r"\gamma = 0 \iff \langle \phi(Y_i) \rangle = 0 \text{ for all hidden units } i",
    assumes="centred Gaussian data, infinite width, phi not constant; the average is over the data alone, at fixed "
    "weights (and biases), and for the units of every hidden layer",
)
def rule_of_the_average(trial: Trial) -> Iterator[Finding]:
    """The centre of an output is mu = sum_j w_j <phi_j> + B, so Var_W(mu) = sigma_w^2 E <phi_j>^2 + sigma_b^2.

    E <phi_j>^2 = sum_k a_k^2 c^k, c the correlation in front of phi. In the first layer without biases c = 0 and
    this is a_0^2 = (E phi)^2: bias appears behind it if and only if E phi(sqrt(q) z) is not 0. Behind a layer with
    c > 0 the sum is 0 only where all a_k are, for phi = 0: once there, the bias stays. So gamma = 0 at the output if
    and only if the averages are 0 in every hidden layer; with biases (sigma_b^2 > 0) c > 0 from the start, and both
    sides are false.

    The average over the data *and* the weights would not do: it is 0 for tanh with biases, which has IGB. And it
    depends on q: max(x, 0) - 1/sqrt(pi) averages to 0 in the first layer at sigma_w^2 = 2, but not in the second.
    """
    a_0, a_1, a_2, c, sw2, sb2 = sp.symbols("a_0 a_1 a_2 c sigma_w2 sigma_b2", real=True)
    u, z = sp.symbols("u z", real=True)
    # phi = a_0 + a_1 He_1 + a_2 He_2/sqrt(2) at sqrt(c) u + sqrt(1 - c) z: its mean over z, squared, averaged over u
    argument = sp.sqrt(c) * u + sp.sqrt(1 - c) * z
    given = _moments(a_0 + a_1 * argument + a_2 * (argument**2 - 1) / sp.sqrt(2), z)
    mean_square = _moments(sp.expand(given**2), u)
    yield identity("E <phi>^2", sp.expand(mean_square), a_0**2 + a_1**2 * c + a_2**2 * c**2)
    yield identity("at c = 0", mean_square.subs(c, 0), a_0**2)
    yield identity("Var_W(mu) at c = 0", sw2 * mean_square.subs(c, 0) + sb2, sw2 * a_0**2 + sb2)
    for name, mean in (("tanh", 0), ("sin", 0), ("x**2-2", 0), ("relu", 1 / mp.sqrt(mp.pi)), ("sigmoid", 0.5)):
        # E phi of N(0, 2), over the data in the first layer
        p = igb.mlp(1, name).predict()
        yield agree(f"{name}: Var_W(mu) = 2 (E phi)^2; plus 1", 1 + p.var_mu, 1 + 2 * mp.mpf(mean) ** 2, 11)
    shifted = [float(igb.mlp(depth, "max(x,0)-1/sqrt(pi)").predict().gamma) for depth in (1, 2)]
    text = f"gamma = {shifted[0]:.2g} and {shifted[1]:.6f}"
    yield shown("shifted ReLU, one and two layers", shifted[0] < 1e-12 and shifted[1] > 0.005, text)
    biased = float(igb.mlp(1, "tanh", sigma_b2=0.1).predict().gamma)
    over_data = _product(2.1, 0.1 / 2.1)  # c = sigma_b^2/(sigma_w^2 + sigma_b^2) in the first layer
    yield shown("tanh with biases: E <phi_j>^2 and gamma", over_data > 0.01 < biased, f"{over_data:.6f}, {biased:.6f}")
    yield agree("its Var_W(mu)", igb.mlp(1, "tanh", sigma_b2=0.1).predict().var_mu, 2 * over_data + 0.1, 9)
    for name, against in (("tanh", 2 / np.pi), ("relu", 0.0)):
        drawn = igb.mlp(1, name).simulate(networks=trial.draws(300), width=16, samples=150, seed=trial.seed, workers=1)
        row = next(row for row in drawn.compare(workers=1).rows if row.name == "var_mu[1]")
        yield measured(trial, f"{name}: Var_W(mu), width to infinity", row.value, row.error, row.theory, against)


def _moments(polynomial: Any, variable: Any) -> Any:
    """Mean over a standard normal variable of a polynomial in it."""
    terms = sp.Poly(sp.expand(polynomial), variable).terms()
    return sum(value * (sp.factorial2(k - 1) if k else 1) for (k,), value in terms if k % 2 == 0)


@SECTION.fails(
    "B-pool/depth",
    "Max pooling causes and exacerbates IGB; depth increases IGB",
    printed=r"\gamma(\text{MaxPool}) > \gamma, \quad \gamma(L + 1) > \gamma(L)",
    counter_example="""
import numpy as np
z = np.random.default_rng(0).standard_normal((10**6, 2))
gamma = lambda x: x.mean() ** 2 / x.var()  # behind one hidden layer
phi = np.minimum(z, 0)                     # = -ReLU(-x), of the same gamma as ReLU
assert abs(gamma(phi[:, 0]) - 1 / (np.pi - 1)) < 0.01
assert gamma(phi.max(axis=1)) < 0.2        # max pooling lowers it
import igbtheory as igb
deep = igb.mlp(20, 'tanh').predict().per_layer.gamma
assert (deep == 0).all()                   # depth adds nothing
chaos = igb.mlp(20, 'tanh', sigma_w2=4).predict(igb.GaussianInputs(shift=2.0)).per_layer.gamma
assert chaos[0] > chaos[5] > chaos[-1]     # and here it takes away
""",
)
def pooling_and_depth() -> Iterator[Finding]:
    """Nothing of this is general. MaxPool of phi(x) = min(x, 0) takes the units nearest to 0: its mean shrinks faster
    than its spread. And c' = F(c) moves to the stable point of F: down, where c begins above it.
    """
    x = sp.Symbol("x", positive=True)
    density, cdf = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi), (1 + sp.erf(x / sp.sqrt(2))) / 2
    # max(min(h_1, 0), min(h_2, 0)) is -y at the density 2 phi(y) (1 - Phi(y)), y > 0
    first = sp.integrate(x * density, (x, 0, sp.oo)) * 2 - sp.integrate(2 * x * density * cdf, (x, 0, sp.oo))
    mean = sp.simplify(first)
    yield agree("min(x, 0): E of the maximum of two", sp.N(mean, 30), (mp.sqrt(2) - 1) / (2 * mp.sqrt(mp.pi)), 12)
    single = float(igb.mlp(1, "min(x,0)").predict().gamma)
    pooled = [float(igb.mlp(1, "min(x,0)", pool=m).predict().gamma) for m in (2, 3)]
    text = f"{single:.5f} without, {pooled[0]:.5f} and {pooled[1]:.5f} with MaxPool(2), MaxPool(3)"
    yield shown("min(x, 0): MaxPool raises gamma", pooled[0] > single, text)
    course = igb.mlp(20, "tanh").predict().per_layer.gamma
    yield shown("tanh, no biases: depth raises gamma", bool(np.any(course > 0)), f"largest gamma {course.max():g}")
    course = igb.mlp(20, "tanh", sigma_w2=4.0).predict(igb.GaussianInputs(shift=2.0)).per_layer.gamma
    text = ", ".join(f"{value:.5f}" for value in course[::5])
    yield shown("tanh, sigma_w^2 = 4, inputs off centre: depth raises gamma", course[-1] > course[0], text)


@SECTION.corrects(
    "B-pool/depth",
    "Max pooling gives an odd increasing activation a bias and raises that of ReLU; depth raises the bias of ReLU "
    "without biases at every layer, and of any activation it brings c to the stable fixed point, be it up or down",
    right=r"\text{tanh, ReLU: } \gamma(m + 1) > \gamma(m); \quad \text{ReLU: } \gamma_{l+1} > \gamma_l",
    assumes="Gaussian data, infinite width; growth in m checked from 1 to 8",
)
def pooling_and_depth_of_relu(trial: Trial) -> Iterator[Finding]:
    """The maximum of m units of an odd increasing phi has the mean E phi(M) > 0, as M > 0 is likelier than M < 0.

    ReLU: kappa_1(c) - c falls from 1/pi to 0 at c = 1, so c' > c; MaxPool keeps K convex with a slope at c = 1 below 1.
    """
    c = sp.Symbol("c", positive=True)
    kappa = (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi
    yield identity("slope of kappa_1(c) - c, below 0", sp.diff(kappa - c, c), -sp.acos(c) / sp.pi)
    yield identity("kappa_1(1)", kappa.subs(c, 1), 1)
    for name in ("relu", "tanh"):
        gammas = [float(igb.mlp(1, name, pool=m).predict().gamma) for m in (1, 2, 3, 4, 8)]
        text = ", ".join(f"{value:.5f}" for value in gammas)
        yield shown(f"{name}: gamma at m = 1, 2, 3, 4, 8 rises", all(a < b for a, b in pairwise(gammas)), text)
    course = igb.mlp(30).predict().per_layer.gamma
    text = ", ".join(f"{value:.4f}" for value in course[::6])
    yield shown("ReLU: gamma rises from layer to layer", bool(np.all(np.diff(course) > 0)), text)
    q = _fixed_point(4.0, 0.0)  # tanh, sigma_w^2 = 4: c* = 0 attracts every c < 1
    cs = [0.9]
    for _ in range(100):
        cs.append(4 * _product(q, cs[-1]) / q)
    falling = all(a > b for a, b in pairwise(cs))
    yield shown("tanh, sigma_w^2 = 4: c falls to c* = 0", falling and cs[-1] < 0.01, f"from 0.9 to {cs[-1]:.5f}")
    drawn = igb.mlp(1, "tanh", pool=2).simulate(
        networks=trial.draws(400), width=10, samples=150, seed=trial.seed, workers=1
    )
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[1]")
    yield measured(trial, "tanh + MaxPool(2): gamma, width to infinity", row.value, row.error, row.theory, 0.0)


for name, says, reason in (
    (
        "B-Y",
        "Y_i^(l)(a) = sum_{j=1}^{N_l} W_ij^(l) phi(Y_j^(l-1)(a)) + B_i^(l)",
        "the definition of the network",
    ),
    ("B-init", "W_ij^(l) ~ N(0, sigma_w^2/N_l), B_i ~ N(0, sigma_b^2)", "the definition of the initialisation"),
    ("B-cab", "c_ab = E_W Y(a) Y(b)/sqrt(E_W Y(a)^2 E_W Y(b)^2), order parameter c = lim c_ab", "a definition"),
    ("B-scale", "gamma >> 1: deep prejudice, gamma << 1: neutrality", "a definition of two words"),
):
    SECTION.undecided(name, says, reason)


@SECTION.holds(
    "B-phases",
    "Ordered phase: c = 1 is stable; chaotic phase: c = 1 is unstable and c_ab converges to some c < 1",
    printed=r"\chi_1 \le 1: c_{ab} \to 1; \quad \chi_1 > 1: c_{ab} \to c^* < 1",
    assumes="the variance has a fixed point 0 < q* < infinity, at which it is, and phi is not linear",
)
def ordered_and_chaotic() -> Iterator[Finding]:
    """F(c) = (sigma_w^2 sum_k a_k^2 c^k + sigma_b^2)/q* is convex and increasing on [0, 1], F(1) = 1, F'(1) = chi_1.

    A convex F that ends in (1, 1) with a slope of at most 1 lies above the diagonal before: every start goes to 1. With
    a slope above 1 it dips below the diagonal next to 1, and begins at F(0) >= 0: it crosses once, at c* < 1, with a
    slope below 1, and every start but 1 goes there. Without q* > 0 neither follows: tanh without biases and
    sigma_w^2 < 1 is linear in the end and keeps some c < 1; ReLU at sigma_w^2 > 2 has exploding gradients and c -> 1.
    """
    c, a, b, sw2, sb2 = sp.symbols("c a b sigma_w2 sigma_b2", positive=True)
    q = sw2 * (a**2 + b**2) + sb2
    f = (sw2 * (a**2 * c + b**2 * c**3) + sb2) / q  # two Hermite coefficients, a_1 and a_3
    yield identity("F(1)", f.subs(c, 1), 1)
    yield identity("F'(1) = sigma_w^2 sum k a_k^2/q*", sp.diff(f, c).subs(c, 1), sw2 * (a**2 + 3 * b**2) / q)
    yield identity("F'' > 0", sp.diff(f, c, 2), 6 * sw2 * b**2 * c / q)
    for sw2_, chaotic in ((1.59, False), (2.48, True), (4.97, True)):
        star = _fixed_point(sw2_, 0.1)
        slope = sw2_ * _slope(star)
        ends = []
        for start in (0.0, 0.5, 0.999):
            value = start
            for _ in range(300):
                value = (sw2_ * _product(star, value) + 0.1) / star
            ends.append(value)
        text = f"chi_1 = {slope:.6f}; from c = 0, 0.5, 0.999 to {ends[0]:.6f}, {ends[1]:.6f}, {ends[2]:.6f}"
        right = max(ends) - min(ends) < 1e-4 and (max(ends) < 0.9 if chaotic else min(ends) > 0.999)
        yield shown(f"tanh, sigma_b^2 = 0.1, sigma_w^2 = {sw2_}", right and chaotic == (slope > 1), text)
        predicted = igb.mlp(300, "tanh", sigma_w2=sw2_, sigma_b2=0.1).predict().c
        if chaotic:
            yield agree("c* of the package, depth 300", predicted, ends[0], 8)


def _growth(trial: Trial, sw2: float, sb2: float, layers: int, width: int) -> tuple[float, float]:
    """Factor of the squared gradient of a random output of tanh networks through so many layers."""
    found = []
    for _ in range(trial.draws(28)):
        h = np.sqrt(sw2 + sb2) * trial.rng.standard_normal((100, width, 1))
        passed = []
        for _ in range(layers):
            w = np.sqrt(sw2 / width) * trial.rng.standard_normal((100, width, width))
            passed.append((w, np.cosh(h) ** -2.0))
            h = w @ np.tanh(h) + np.sqrt(sb2) * trial.rng.standard_normal((100, width, 1))
        delta = trial.rng.standard_normal((100, width, 1))
        for w, slope in passed[::-1]:
            delta = slope * (w.transpose(0, 2, 1) @ delta)
        found.append((delta**2).mean(axis=(1, 2)))
    return _mean(np.concatenate(found))


@SECTION.holds(
    "B-grad",
    "Gradients vanish in the ordered phase, explode in the chaotic phase and are stable at the edge of chaos",
    printed=r"E |\nabla_l O|^2 = \chi_1 E |\nabla_{l+1} O|^2, \quad \chi_1 = \sigma_w^2 E \phi'(\sqrt{q^*} z)^2",
    assumes="infinite width; the variance at its fixed point 0 < q* < infinity",
)
def gradients_in_the_phases(trial: Trial) -> Iterator[Finding]:
    """The mean square of delta_j = sum_i W_ij phi'(h_i) delta_i is sigma_w^2 E phi'^2 E delta^2, layer by layer.

    In infinite width W^T may be taken as independent of the way forward. By Price's theorem sigma_w^2 E phi'^2 is also
    dq_ab'/dq_ab at c = 1, the slope F'(1) that decides on the stability of c = 1.
    """
    q, t, a, b = sp.symbols("q t a b", positive=True)
    # phi = a x + b x^3: E phi(u) phi(v) for variance q and correlation t, and E phi'(u) phi'(v)
    x, y = sp.symbols("x y", real=True)
    u, v = sp.sqrt(q) * x, sp.sqrt(q) * (t * x + sp.sqrt(1 - t**2) * y)
    kernel = _moments(_moments((a * u + b * u**3) * (a * v + b * v**3), y), x)
    slopes = _moments(_moments((a + 3 * b * u**2) * (a + 3 * b * v**2), y), x)
    yield identity("Price: d/dq_ab of E phi phi", sp.expand(sp.diff(kernel, t) / q), sp.expand(slopes))
    edge = _edge(0.1)
    for sw2, side in ((1.59, "ordered"), (edge, "edge"), (4.97, "chaotic")):
        q_star = _fixed_point(sw2, 0.1)
        chi = sw2 * _slope(q_star)
        step = 1e-5
        slope = sw2 * (_product(q_star, 1 - step) - _product(q_star, 1 - 3 * step)) / (2 * step * q_star)
        yield agree(f"{side}: chi_1 is the slope of F", chi, slope, 3)
        right = {"ordered": chi < 0.99, "edge": abs(chi - 1) < 1e-12, "chaotic": chi > 1.01}[side]
        yield shown(f"{side}: chi_1", right, f"{chi:.8f}")
    for sw2, against in ((1.59, 1.0), (4.97, 1.0), (edge, 1.5)):
        q_l, expected = sw2 + 0.1, 1.0
        for _ in range(4):
            expected *= sw2 * _slope(q_l)
            q_l = sw2 * _variance(q_l) + 0.1
        value, error = _limit([_growth(trial, sw2, 0.1, 4, width) for width in (24, 48)])
        label = f"sigma_w^2 = {sw2:.4g}: squared gradient through four layers, width to infinity"
        yield measured(trial, label, value, error, expected, against)


@SECTION.holds(
    "B-link",
    "c = gamma/(1 + gamma)",
    printed=r"c = \frac{\gamma}{1 + \gamma}",
    assumes="infinite width, infinitely many data, all pairs of data alike",
)
def link(trial: Trial) -> Iterator[Finding]:
    """Y(a) = mu + s z_a with mu of variance Var_W(mu) and z_a fresh for every datum, whichever is averaged first.

    So q_aa = E Y(a)^2 = Var_W(mu) + Var_chi, q_ab = E Y(a) Y(b) = Var_W(mu), and their ratio is gamma/(1 + gamma).
    """
    m, v = sp.symbols("V_mu V_chi", positive=True)
    mu, z, y = sp.symbols("mu z y", real=True)
    a, b = sp.sqrt(m) * mu + sp.sqrt(v) * z, sp.sqrt(m) * mu + sp.sqrt(v) * y
    q_aa, q_ab = (_moments(_moments(_moments(a * other, y), z), mu) for other in (a, b))
    yield identity("q_aa", q_aa, m + v)
    yield identity("q_ab", q_ab, m)
    yield identity("c", (q_ab / q_aa).subs(m, g * v), g / (1 + g))
    yield identity("and back", sp.simplify((g / (1 + g)) / (1 - g / (1 + g))), g)
    p = igb.mlp(2, "relu", sigma_b2=0.2).predict()
    c = p.gamma / (1 + p.gamma)
    value, error = _limit([_correlation(trial, width) for width in (16, 32)])
    yield measured(trial, "ReLU, two layers: c over the weights of a fixed pair", value, error, c, against=1 / np.pi)
    drawn = igb.mlp(2, "relu", sigma_b2=0.2).simulate(
        networks=trial.draws(1200), width=16, samples=150, seed=trial.seed, workers=1
    )
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[2]")
    yield measured(trial, "gamma over the data of every network", row.value, row.error, c / (1 - c), against=1.0)


def _correlation(trial: Trial, width: int) -> tuple[float, float]:
    """Correlation at two orthogonal data of ReLU networks of two layers, sigma_w^2 = 2, sigma_b^2 = 0.2."""
    networks, rng = trial.draws(60_000 // width), trial.rng
    x = np.sqrt(2) * rng.standard_normal((networks, width, 2))
    x += np.sqrt(0.2) * rng.standard_normal((networks, width, 1))
    w = np.sqrt(2 / width) * rng.standard_normal((networks, width, width))
    x = np.maximum(w @ np.maximum(x, 0) + np.sqrt(0.2) * rng.standard_normal((networks, width, 1)), 0)
    same = 2 * (x**2).mean(axis=(1, 2)) + 0.2  # the output's weights averaged out
    cross = 2 * (x[..., 0] * x[..., 1]).mean(axis=1) + 0.2
    ratio = cross.mean() / same.mean()
    residual = (cross - ratio * same) / same.mean()
    return float(ratio), float(residual.std() / np.sqrt(networks))


@SECTION.holds(
    "B-EOC",
    "The edge of chaos has c = 1, so gamma is infinite: trainability peaks not at neutrality but at deep prejudice",
    printed=r"\chi_1 = 1 \Rightarrow c \to 1, \gamma \to \infty; \quad \xi = 1/|\ln \chi_1| = \infty",
    assumes="infinite depth, sigma_b^2 > 0, a fixed point q*; trainability read as the depth over which gradients "
    "neither vanish nor explode",
)
def edge_is_deeply_prejudiced() -> Iterator[Finding]:
    """At chi_1 = 1 the map is F(1 - x) = 1 - x + F''(1) x^2/2 + ..., so x ~ 2/(F''(1) l) and gamma ~ F''(1) l/2.

    F''(1) = sigma_w^2 q* E phi''^2. Gradients change by the factor chi_1 a layer: their depth 1/|ln chi_1| is infinite
    there, and finite where the network is neutral. How well it then trains needs training runs.
    """
    depth, rate = sp.symbols("l F2", positive=True)
    course = 2 / (rate * depth)
    yield identity("x ~ 2/(F'' l) solves dx/dl = -F'' x^2/2", sp.diff(course, depth), -rate * course**2 / 2)
    critical = _edge(0.1)
    q = _fixed_point(critical, 0.1)
    root = np.sqrt(q) * NODES
    second = critical * q * float(WEIGHTS @ (2 * np.tanh(root) * np.cosh(root) ** -2.0) ** 2)
    gamma = igb.mlp(1000, "tanh", sigma_w2=critical, sigma_b2=0.1).predict().per_layer.gamma
    text = ", ".join(f"{gamma[depth]:.4g}" for depth in (10, 30, 100, 300, 1000))
    yield shown("tanh at the edge: gamma at depths 10, 30, 100, 300, 1000", np.all(np.diff(gamma) > 0), text)
    yield agree("its slope at depth 1000", gamma[1000] - gamma[999], second / 2, 2)
    neutral = 4.97
    chi = neutral * _slope(_fixed_point(neutral, 0.1))
    final = float(igb.mlp(100, "tanh", sigma_w2=neutral, sigma_b2=0.1).predict().gamma)
    near = abs(np.log(critical * _slope(q))) < 1e-12
    text = f"1/ln chi_1 = {1 / np.log(chi):.3f} at gamma = {final:.4f}, above 1e12 at the edge"
    yield shown("depth of the gradients, neutral and at the edge", final < 1 and 1 / np.log(chi) < 3 and near, text)


SECTION.undecided(
    "B-dyn",
    "Neutral and prejudiced initialisations have distinct training dynamics; averages over initialisations mix them",
    "it needs training runs, and no theory of the package covers training",
)
