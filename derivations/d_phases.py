"""Bias meets trainability, section 4: the phases, the edge of chaos and the bias.

Where q has reached its fixed point q*, c' = F(c) = (sigma_w^2 sum_k a_k^2 c^k + sigma_b^2)/q*, a_k the Hermite
coefficients of phi(sqrt(q*) z): convex and increasing on [0, 1], F(1) = 1, and F'(1) = chi_1 = sigma_w^2 E phi'^2 is
the factor of the squared gradient from layer to layer. gamma = c/(1 - c). For tanh, with q* as the parameter,

    edge of chaos:   sigma_w^2 = 1/E tanh'^2,                           sigma_b^2 = q* - sigma_w^2 E tanh^2,
    neutrality line: sigma_w^2 = (q*/2)/(E tanh^2 - E tanh tanh|_1/2),  sigma_b^2 = q* - sigma_w^2 E tanh^2,

the latter from c* = F(c*) = 1/2.
"""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from scipy.optimize import brentq

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Bias meets trainability, section 4: phases, edge of chaos and bias")

g, c, t, depth = sp.symbols("gamma c t l", positive=True)
# trapezoidal rule for N(0, 1): exact to rounding for functions that are analytic near the real line, such as tanh
NODES = np.arange(-9, 9.001, 0.05)
WEIGHTS = 0.05 * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)


def _variance(q: float) -> float:
    """E tanh^2."""
    return float(WEIGHTS @ np.tanh(np.sqrt(q) * NODES) ** 2)


def _slope(q: float) -> float:
    """E tanh'^2."""
    return float(WEIGHTS @ np.cosh(np.sqrt(q) * NODES) ** -4.0)


def _product(q: float, correlation: float) -> float:
    """E tanh(h_a) tanh(h_b), as the mean square of the mean over what the two do not share."""
    shared, own = np.sqrt(q * correlation) * NODES[:, None], np.sqrt(q * (1 - correlation)) * NODES
    return float(WEIGHTS @ (np.tanh(shared + own) @ WEIGHTS) ** 2)


def _root(sb2: float, sw2: Callable[[float], float]) -> tuple[float, float]:
    """The q* and sigma_w^2 of a curve sigma_w^2(q*) where its sigma_b^2 = q* - sigma_w^2 E tanh^2 is the one given."""
    q = float(brentq(lambda q: q - sw2(q) * _variance(q) - sb2, 1e-3, 30, xtol=1e-14, rtol=1e-14))
    return q, sw2(q)


def _critical(q: float) -> float:
    return 1 / _slope(q)


def _neutral(q: float) -> float:
    return q / 2 / (_variance(q) - _product(q, 0.5))


def _fixed_point(sw2: float, sb2: float) -> float:
    """The q* of tanh."""
    return float(brentq(lambda q: sw2 * _variance(q) + sb2 - q, 1e-9, sw2 + sb2, xtol=1e-14, rtol=1e-14))


def _tanh(layers: int, sw2: Any, sb2: Any = 0.1) -> Any:
    """Values of gamma of tanh after every Dense."""
    return igb.mlp(layers, "tanh", sigma_w2=sw2, sigma_b2=sb2).predict().per_layer.gamma


@SECTION.fails(
    "D-Prop4.1",
    "In the ordered phase and at the edge of chaos c = 1 is a stable fixed point and gamma goes to infinity: the "
    "optimal initialisation, the edge of chaos, is no neutral state but one of transient deep prejudice",
    printed=r"\tilde\chi_1 \le 1 \Rightarrow \gamma \to \infty",
    counter_example="""
import igbtheory as igb
# tanh without biases: at sigma_w^2 = 1 (edge of chaos: q -> 0, phi' -> 1) and below (ordered), gamma = 0 for ever
assert (igb.mlp(100, 'tanh', sigma_w2=1.0).predict().per_layer.gamma == 0).all()
assert (igb.mlp(100, 'tanh', sigma_w2=0.9).predict().per_layer.gamma == 0).all()
# that is not a matter of odd functions only: GELU, sigma_w^2 = 1, phi'(0)^2 sigma_w^2 = 1/4 < 1, has a finite limit
gamma = igb.mlp(60, 'gelu', sigma_w2=1.0).predict().per_layer.gamma
assert abs(gamma[60] - 0.43281) < 1e-4 and abs(gamma[60] - gamma[40]) < 1e-9
""",
)
def every_edge_is_prejudiced(trial: Trial) -> Iterator[Finding]:
    """Where q* = 0 (no biases, phi(0) = 0) the layers become linear before c has moved to 1: c stays where it is.

    tanh without biases on orthogonal data has c = 0 in every layer, at the edge (0, 1) of its diagram as well: the
    optimal initialisation is then neutral, G_0 = 1/2. GELU is ordered for sigma_w^2 < 4 and keeps a finite gamma.
    """
    for sw2, place in ((1.0, "edge"), (0.9, "ordered")):
        gamma = _tanh(100, sw2, 0.0)
        yield shown(f"tanh, sigma_b^2 = 0, sigma_w^2 = {sw2}, {place}: gamma grows", gamma[-1] > 0, f"{gamma[-1]:g}")
    gamma = igb.mlp(60, "gelu", sigma_w2=1.0).predict().per_layer.gamma
    text = ", ".join(f"{value:.9f}" for value in gamma[[1, 20, 40, 60]])
    yield shown("GELU, ordered: gamma at depths 1, 20, 40, 60 goes to infinity", gamma[60] > 2 * gamma[40], text)
    drawn = igb.mlp(4, "tanh", sigma_w2=1.0).simulate(
        networks=trial.draws(300), width=16, samples=120, seed=trial.seed, workers=1
    )
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[4]")
    yield measured(trial, "tanh at (0, 1), four layers: gamma is that of (0.1, 1.986)", row.value, row.error, 0.568)


@SECTION.corrects(
    "D-Prop4.1",
    "Where q has a fixed point 0 < q* < infinity and phi is not linear (tanh: sigma_b^2 > 0), c = 1 attracts every "
    "start in the ordered phase and at the edge: gamma grows as chi_1^-l, and at the edge as F''(1) l/2; for ReLU at "
    "(0, 2) as 2 l^2/(9 pi^2). Where q* = 0 (tanh without biases) gamma may stay 0 or finite",
    right=r"\gamma_l \sim \chi_1^{-l}, \quad \gamma_l \sim F''(1)\, l/2 \text{ at } \chi_1 = 1",
    assumes="infinite width, then data, then depth",
)
def edges_with_a_variance_are_prejudiced(trial: Trial) -> Iterator[Finding]:
    """A convex F with F(1) = 1, F'(1) <= 1 that is no straight line lies above the diagonal on [0, 1): c rises to 1.

    Near it x = 1 - c does x' = chi_1 x - F''(1) x^2/2 + ... At chi_1 = 1 that is x ~ 2/(F''(1) l).
    """
    rate = sp.Symbol("F2", positive=True)
    a, b, w, s = sp.symbols("a b sigma_w2 sigma_b2", positive=True)
    q = w * (a**2 + b**2) + s
    f = (w * (a**2 * c + b**2 * c**3) + s) / q  # Hermite coefficients a_1 = a, a_3 = b
    # above the diagonal: F(c) - c = (1 - c) (1 - chi_1 + a positive multiple of 1 - c)
    rest = (1 - c) * (1 - sp.diff(f, c).subs(c, 1) + w * b**2 / q * (1 - c) * (c + 2))
    yield identity("F(c) - c > 0 if chi_1 <= 1", f - c, rest)
    course = 2 / (rate * depth)
    yield identity("x = 2/(F'' l) solves dx/dl = -F'' x^2/2", sp.diff(course, depth), -rate * course**2 / 2)
    ordered = _tanh(200, 1.59)
    chi = 1.59 * _slope(_fixed_point(1.59, 0.1))
    yield agree("tanh, ordered: the factor of gamma, 1/chi_1", ordered[200] / ordered[199], 1 / chi, 5)
    q_star, sw2 = _root(0.1, _critical)
    root = np.sqrt(q_star) * NODES
    second = sw2 * q_star * float(WEIGHTS @ (2 * np.tanh(root) * np.cosh(root) ** -2.0) ** 2)  # sigma_w^2 q E phi''^2
    edge = _tanh(2000, sw2)
    yield agree("tanh, edge: gamma a layer, F''(1)/2", edge[2000] - edge[1999], second / 2, 2.3)
    yield agree("ReLU at (0, 2), depth 10,000", igb.mlp(10_000).predict().gamma, 2 * 10**8 / (9 * mp.pi**2), 2.3)
    drawn = igb.mlp(4, "tanh", sigma_w2=sw2, sigma_b2=0.1).simulate(
        networks=trial.draws(400), width=16, samples=120, seed=trial.seed, workers=1
    )
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[4]")
    yield measured(trial, "tanh, edge, four layers: gamma, width to infinity", row.value, row.error, row.theory, 0.0)


@SECTION.fails(
    "D-neutral",
    "Neutral states appear only in the chaotic phase, with exploding gradients",
    printed=r"\gamma < 1 \Rightarrow \tilde\chi_1 > 1",
    counter_example="""
import numpy as np
import igbtheory as igb
assert igb.mlp(100, 'tanh', sigma_w2=1.0).predict().gamma == 0        # neutral at every depth
rng = np.random.default_rng(0)
for sigma_w2, low, high in ((1.0, 0.01, 1.0), (0.5, 0.0, 1e-4)):      # squared gradient of such a network, 20 layers
    h, layers = rng.standard_normal(500) * sigma_w2**0.5, []
    for _ in range(20):
        W = rng.standard_normal((500, 500)) * (sigma_w2 / 500) ** 0.5
        layers.append((W, np.cosh(h) ** -2.0))
        h = W @ np.tanh(h)
    delta = rng.standard_normal(500)
    for W, slope in layers[::-1]:
        delta = slope * (W.T @ delta)
    assert low < (delta**2).mean() < high                              # it does not explode
""",
)
def neutral_and_not_chaotic() -> Iterator[Finding]:
    """Without biases tanh has gamma = 0 and, at sigma_w^2 <= 1, chi_1 <= 1. GELU is ordered with gamma < 1.

    A linear network without biases at sigma_w^2 = 1 has gamma = 0 and keeps the gradient exactly. All are neutral.
    """
    for name, sw2, chi in (("tanh", 1.0, 1.0), ("tanh", 0.5, 0.5), ("gelu", 0.5, 0.5 / 4), ("linear", 1.0, 1.0)):
        gamma = float(igb.mlp(60, name, sigma_w2=sw2).predict().gamma)
        label = f"{name}, sigma_w^2 = {sw2}, chi_1 -> {chi:g}: not neutral"
        yield shown(label, gamma >= 1, f"gamma = {gamma:.6f} at depth 60")


@SECTION.corrects(
    "D-neutral",
    "Where q has a fixed point q* > 0 and phi is not linear, a state that is neutral at infinite depth is chaotic; "
    "states with q* = 0, such as tanh without biases at sigma_w^2 <= 1, are neutral with gradients that do not explode",
    right=r"c^* < 1 \Rightarrow \chi_1 = F'(1) > \frac{1 - F(c^*)}{1 - c^*} = 1",
    assumes="infinite width and depth",
)
def neutral_states_with_a_variance() -> Iterator[Finding]:
    """From c* = F(c*) to F(1) = 1 the mean slope of F is 1; F is convex and not straight, so it ends with a larger one.

    At finite depth any phase may still be neutral: gamma begins at sigma_b^2/sigma_w^2.
    """
    a, b = sp.symbols("a b", positive=True)
    w = sp.Symbol("sigma_w2", positive=True)
    # a_1 = a, a_3 = b, F(t) = t: q t = w (a^2 t + b^2 t^3) + s and q = w (a^2 + b^2) + s give q, s and chi_1
    q = w * (a**2 + b**2 * (1 - t**3) / (1 - t))
    s = q - w * (a**2 + b**2)
    yield identity("t is fixed", (w * (a**2 * t + b**2 * t**3) + s) / q, t)
    chi = w * (a**2 + 3 * b**2) / q
    excess = w * b**2 * (1 - t) * (2 + t) / q
    yield identity("chi_1 - 1 at a fixed point t < 1, positive", chi - 1, excess)
    for sb2 in (0.01, 0.05, 0.1, 0.2, 0.5):
        q_star, sw2 = _root(sb2, _neutral)
        chi_1 = sw2 * _slope(q_star)
        text = f"sigma_w^2 = {sw2:.4f}, chi_1 = {chi_1:.4f}"
        yield shown(f"tanh, neutrality line at sigma_b^2 = {sb2}", chi_1 > 1, text)
    first = _tanh(1, 1.59)[0]
    yield shown("tanh, ordered, first layer: neutral at finite depth", first < 1, f"gamma = {first:.4f}")


@SECTION.fails(
    "D-EOCmax",
    "The edge of chaos is the state of maximum initial classification bias",
    printed=r"\gamma(\text{EOC}) = \max \gamma",
    counter_example="""
import igbtheory as igb
at = lambda sigma_w2: igb.mlp(30, 'tanh', sigma_w2=sigma_w2, sigma_b2=0.1).predict().gamma
edge = 1.98607                                 # of tanh at sigma_b^2 = 0.1
assert at(1.59) > 7 * at(edge)                 # the ordered phase is more biased: 44.4 against 5.96
assert at(1.0) > at(1.59)
""",
)
def edge_is_the_maximum() -> Iterator[Finding]:
    """At every depth gamma is larger in the ordered phase, where it grows exponentially; at the edge it grows as l.

    At infinite depth both have gamma = infinity: the edge is not distinguished either.
    """
    _, edge = _root(0.1, _critical)
    for layers in (10, 30, 100):
        gammas = _tanh(layers, np.array([1.0, 1.59, edge]))[layers]
        text = ", ".join(f"{value:.5g}" for value in gammas)
        label = f"tanh, depth {layers}: gamma at the edge (the last) is the largest of sigma_w^2 = 1, 1.59, {edge:.4f}"
        yield shown(label, gammas[2] >= gammas.max(), text)


@SECTION.corrects(
    "D-EOCmax",
    "At a given depth and sigma_b^2 > 0 the gamma of tanh falls with sigma_w^2: the edge of chaos is the most biased "
    "of the states whose gradients do not vanish, and less biased than the ordered phase",
    right=r"\gamma(\text{EOC}) = \max_{\chi_1 \ge 1} \gamma",
    assumes="tanh, infinite width; sigma_b^2 = 0.05, 0.1, 0.2 and depths up to 100",
)
def edge_is_the_maximum_of_the_others(trial: Trial) -> Iterator[Finding]:
    """It does so from the first layer on, where gamma = sigma_b^2/sigma_w^2.

    At infinite depth the limit is infinite up to the edge and finite behind it.
    """
    for sb2 in (0.05, 0.1, 0.2):
        _, edge = _root(sb2, _critical)
        sweep = edge * np.array([0.5, 0.8, 0.95, 1.0, 1.05, 1.25, 2.0, 3.0])
        course = _tanh(100, sweep, sb2)
        falling = all(np.all(np.diff(course[layers]) < 0) for layers in (1, 3, 10, 30, 100))
        text = ", ".join(f"{value:.4g}" for value in course[30])
        yield shown(f"sigma_b^2 = {sb2}: gamma falls with sigma_w^2, at depth 30 so", falling, text)
    _, edge = _root(0.1, _critical)
    values = []
    for sw2 in (1.0, edge):
        net = igb.mlp(4, "tanh", sigma_w2=sw2, sigma_b2=0.1)
        drawn = net.simulate(networks=trial.draws(400), width=16, samples=120, seed=trial.seed, workers=1)
        row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[4]")
        values.append(row.theory)
        against = 0.6 if sw2 == 1 else values[0]
        label = f"four layers, sigma_w^2 = {sw2:.4g}: gamma, width to infinity"
        yield measured(trial, label, row.value, row.error, row.theory, against)


@SECTION.holds(
    "D-deepname",
    "At the edge of chaos gamma is infinite: deep prejudice",
    printed=r"\lim_{l \to \infty} \gamma_l = \infty",
    assumes="depth to infinity; an edge of chaos with q* > 0 (tanh: sigma_b^2 > 0), or that of ReLU: see D-Prop4.1 for "
    "the others",
)
def deep_prejudice() -> Iterator[Finding]:
    """Like l grows gamma for tanh, like l^2 for ReLU; G_0 is then 0 or 1 but in a share 1/sqrt(gamma) of the networks.

    At the depths of practice it is moderate: tanh at (0.1, 1.986) passes gamma = 1 at depth 7 and 22.5 at depth 100.
    """
    y = sp.Symbol("y", real=True)
    inside = sp.erf(y / sp.sqrt(2 * g))
    yield identity("P(Phi(-y) < G_0 < Phi(y)) for gamma to infinity", sp.limit(inside.subs(y, 3), g, sp.oo), 0)
    share = sp.limit(inside.subs(y, 3) * sp.sqrt(g), g, sp.oo)
    yield identity("times sqrt(gamma)", share, 3 * sp.sqrt(2 / sp.pi))
    for sb2 in (0.05, 0.1, 0.2):
        _, edge = _root(sb2, _critical)
        gamma = _tanh(1000, edge, sb2)
        text = ", ".join(f"{gamma[layers]:.4g}" for layers in (10, 100, 1000))
        growing = bool(np.all(np.diff(gamma) > 0))
        yield shown(f"tanh, sigma_b^2 = {sb2}: gamma at depths 10, 100, 1000", growing and gamma[1000] > 90, text)
    gamma = igb.mlp(1000).predict().per_layer.gamma
    text = ", ".join(f"{gamma[layers]:.4g}" for layers in (10, 100, 1000))
    growing = bool(np.all(np.diff(gamma) > 0))
    yield shown("ReLU at (0, 2): gamma at depths 10, 100, 1000", growing and gamma[1000] > 2e4, text)


SECTION.undecided(
    "D-ordered",
    "Ordered phase: gradients vanish exponentially, the prejudice is persistent",
    "that prejudice persists needs training runs; that gradients vanish as chi_1^l is B-grad",
)


@SECTION.holds(
    "D-chaotic",
    "Chaotic phase: gradients explode; the network may look biased or neutral",
    printed=r"\chi_1 > 1: \quad 0 \le \gamma^* \le \infty",
    assumes="infinite width and depth",
)
def chaotic_states() -> Iterator[Finding]:
    """Both occur with chi_1 > 1: tanh has gamma* > 1 between the edge and the neutrality line, and gamma* < 1 beyond.

    ReLU with sigma_w^2 > 2 has exploding gradients and gamma -> infinity.
    """
    for sw2, biased in ((2.48, True), (4.97, False)):
        chi = sw2 * _slope(_fixed_point(sw2, 0.1))
        gamma = float(_tanh(300, sw2)[-1])
        text = f"chi_1 = {chi:.4f}, gamma = {gamma:.4f}"
        label = f"tanh, sigma_w^2 = {sw2}: {'biased' if biased else 'neutral'}"
        yield shown(label, chi > 1 and (gamma > 1) == biased, text)
    gamma = float(igb.mlp(100, sigma_w2=3.0, sigma_b2=0.1).predict().gamma)
    yield shown("ReLU, sigma_w^2 = 3: biased", gamma > 100, f"chi~_1 = 1.5, gamma = {gamma:.4g} at depth 100")


@SECTION.holds(
    "D-tanhEOC",
    "tanh, sigma_b^2 = 0.1: sigma_w^2 = 1.59 is ordered, 1.99 the edge of chaos, 2.48 prejudice, 4.97 neutrality: "
    "0.8, 1, 1.25 and 2.5 times the edge",
    printed=r"\sigma_w^2(\text{EOC}) = 1.9861",
    assumes="values to the digits printed",
)
def edge_of_tanh() -> Iterator[Finding]:
    """The edge is where sigma_w^2 E tanh'(sqrt(q*) z)^2 = 1 at q* = sigma_w^2 E tanh(sqrt(q*) z)^2 + sigma_b^2."""
    for sb2, known in ((0.05, "1.7610"), (0.1, "1.9861"), (0.2, "2.2852")):
        q, sw2 = _root(sb2, _critical)
        yield agree(f"edge at sigma_b^2 = {sb2}", sw2, mp.mpf(known), 4.5)
        if sb2 == 0.1:
            yield agree("the same with 25 digits", sw2, _precise_edge(sb2, q), 12)
    _, edge = _root(0.1, _critical)
    _, line = _root(0.1, _neutral)
    for factor, printed, place in (
        (0.8, 1.59, "ordered"),
        (1, 1.99, "edge"),
        (1.25, 2.48, "prejudice"),
        (2.5, 4.97, ""),
    ):
        sw2 = factor * edge
        right = {"ordered": sw2 < edge, "edge": True, "prejudice": edge < sw2 < line}.get(place, sw2 > line)
        text = f"{factor} x edge = {sw2:.4f}, neutrality line {line:.4f}"
        yield shown(f"{printed}: {place or 'neutrality'}", right and abs(sw2 - printed) <= 0.005, text)
    for sw2, least, most in ((1.59, 1e3, np.inf), (1.99, 10, 1e3), (2.48, 1, 10), (4.97, 0, 1)):
        gamma = float(_tanh(100, sw2)[-1])
        yield shown(f"gamma at depth 100, sigma_w^2 = {sw2}", least < gamma < most, f"{gamma:.5g}")


def _precise_edge(sb2: float, near: float) -> Any:
    """The edge of tanh with 25 digits: the trapezoidal rule and the secant method in mpmath."""
    with mp.workdps(25):
        step = mp.mpf(1) / 10
        nodes = [(k * step, (1 if k == 0 else 2) * step * mp.npdf(k * step)) for k in range(111)]

        def edge(q: Any) -> tuple[Any, Any]:
            values = [(weight, mp.tanh(mp.sqrt(q) * node) ** 2) for node, weight in nodes]
            variance = mp.fsum(weight * value for weight, value in values)
            slope = mp.fsum(weight * (1 - value) ** 2 for weight, value in values)
            return 1 / slope, q - variance / slope

        q = mp.findroot(lambda q: edge(q)[1] - mp.mpf(str(sb2)), (mp.mpf(near), mp.mpf(near) + mp.mpf("1e-6")))
        return edge(q)[0]


@SECTION.holds(
    "D-neutline",
    "tanh has a neutrality line, c* = 1/2, in the chaotic phase",
    printed=r"c^*(\sigma_b^2, \sigma_w^2) = 1/2",
    assumes="sigma_b^2 > 0; at sigma_b^2 = 0.1 it passes sigma_w^2 = 2.9248 (a grid of step 0.1 shows 2.9)",
)
def neutrality_line() -> Iterator[Finding]:
    """For given q* the two equations for q* and c* = 1/2 are linear in sigma_w^2 and sigma_b^2.

    gamma* > 1 below the line and < 1 above; it begins, as the edge does, at (0, 1).
    """
    _, line = _root(0.1, _neutral)
    yield agree("at sigma_b^2 = 0.1", line, mp.mpf("2.9248"), 4.5)
    for sb2 in (0.05, 0.1, 0.2):
        _, sw2 = _root(sb2, _neutral)
        below, on, above = igb.mlp(350, "tanh", sigma_w2=sw2 * np.array([0.99, 1, 1.01]), sigma_b2=sb2).predict().c
        yield agree(f"sigma_b^2 = {sb2}: c of the package at depth 350", on, 0.5, 9)
        yield shown(f"sigma_b^2 = {sb2}: c on either side", below > 0.5 > above, f"{below:.5f}, {above:.5f}")
        _, edge = _root(sb2, _critical)
        yield shown(f"sigma_b^2 = {sb2}: behind the edge", edge < sw2, f"{edge:.4f} < {sw2:.4f}")
    start = _neutral(1e-3) - _critical(1e-3)
    yield shown("towards (0, 1)", abs(_neutral(1e-3) - 1) < 3e-3 > abs(start), f"{_neutral(1e-3):.6f} at q* = 0.001")


ROWS = (
    ("ordered deep prejudice", "tanh", 1.59, 0.1),
    ("transient deep prejudice", "tanh", None, 0.1),
    ("chaotic deep prejudice", "relu", 3.0, 0.1),
    ("prejudice", "tanh", 2.48, 0.1),
    ("neutrality", "tanh", 4.97, 0.1),
)


def _row(gamma: float, growing: bool, chi: float) -> str:  # noqa: FBT001 - two numbers and whether gamma diverges
    """Row of table 1 for a state of infinite depth, "" where there is none."""
    if growing:
        side = "transient" if abs(chi - 1) < 1e-9 else "ordered" if chi < 1 else "chaotic"
        return f"{side} deep prejudice"
    if chi <= 1 or gamma == 1:
        return ""
    return "prejudice" if gamma > 1 else "neutrality"


@SECTION.fails(
    "D-Tab1",
    "Each phase is one of the five rows of table 1: (gamma = infinity, c = 1) with chi~_1 < 1, = 1, > 1; "
    "(1 < gamma < infinity, 1/2 < c < 1) and (gamma < 1, c < 1/2), both with chi~_1 > 1",
    counter_example="""
import igbtheory as igb
# tanh, no biases, sigma_w^2 = 1/2: chi~_1 = sigma_w^2 E phi'^2 -> 1/2 < 1 (first row), gamma = 0 (last row)
assert igb.mlp(100, 'tanh', sigma_w2=0.5).predict().gamma == 0
# GELU, no biases, sigma_w^2 = 2: chi~_1 -> 2 phi'(0)^2 = 1/2 < 1 (first row), 1 < gamma < infinity (fourth row)
gamma = igb.mlp(40, 'gelu', sigma_w2=2.0).predict().per_layer.gamma
assert 1.6 < gamma[40] < 1.7 and abs(gamma[40] - gamma[30]) < 1e-3
""",
)
def table_of_phases() -> Iterator[Finding]:
    """States with q* = 0 have chi_1 <= 1 and a finite gamma: no row is theirs."""
    for name, sw2, chi in (("tanh", 0.5, 0.5), ("tanh", 1.0, 1.0), ("gelu", 2.0, 0.5)):
        gamma = igb.mlp(40, name, sigma_w2=sw2).predict().per_layer.gamma
        found = _row(float(gamma[40]), bool(gamma[40] > 1.01 * gamma[30]), chi)
        text = f"gamma = {gamma[40]:.5f} at depth 40, chi~_1 -> {chi}"
        yield shown(f"{name}, no biases, sigma_w^2 = {sw2}: has a row", found, text)


@SECTION.corrects(
    "D-Tab1",
    "All five rows occur, and where q has a fixed point 0 < q* < infinity (phi not linear), or for ReLU, every state "
    "of infinite depth is in one of them or has gamma = 1; one with q* = 0 may have a finite gamma with chi~_1 <= 1",
    right=r"q^* > 0: \quad \chi_1 \le 1 \iff c^* = 1",
    assumes="infinite width, then data, then depth",
)
def table_of_phases_with_a_variance() -> Iterator[Finding]:
    """At q* > 0, chi_1 <= 1 leads to c = 1 (D-Prop4.1), and chi_1 > 1 to c* < 1, gamma* finite (B-phases).

    Without fixed point, ReLU has c -> 1 everywhere (D-ReLU-c1), and chi~_1 = sigma_w^2/2 on either side of 1.
    """
    for row, name, given, sb2 in ROWS:
        sw2 = _root(sb2, _critical)[1] if given is None else given
        gamma = igb.mlp(200, name, sigma_w2=sw2, sigma_b2=sb2).predict().per_layer.gamma
        chi = sw2 / 2 if name == "relu" else sw2 * _slope(_fixed_point(sw2, sb2))
        found = _row(float(gamma[200]), bool(gamma[200] > 1.1 * gamma[150]), chi)
        text = f"gamma = {gamma[150]:.4g}, {gamma[200]:.4g} at depths 150, 200, chi~_1 = {chi:.4f}"
        yield shown(f"{row}: {name}, sigma_w^2 = {sw2:.4g}", found == row, text)
    biases, weights = np.array([0.02, 0.1, 0.3]), np.array([0.5, 1.2, 3.5, 6.0])
    course = _tanh(150, weights[:, None], biases)
    slopes = np.array([[w * _slope(_fixed_point(w, b)) for b in biases] for w in weights])
    agreeing = (course[150] > 1.1 * course[100]) == (slopes <= 1)
    text = f"{int(agreeing.sum())} of {agreeing.size} points of the plane"
    yield shown("tanh: gamma diverges if and only if chi_1 <= 1", bool(agreeing.all()), text)
