"""Bias meets trainability, section 4: the phases, the edge of chaos and the bias.

At the fixed point q* of the variance c' = F(c) = (sigma_w^2 sum_k a_k^2 c^k + sigma_b^2)/q*, a_k the Hermite
coefficients of phi(sqrt(q*) z): convex and increasing on [0, 1], F(1) = 1, F'(1) = chi_1 = sigma_w^2 E phi'^2, as in
B-phases. For tanh both the edge of chaos, chi_1 = 1, and the neutrality line, F(1/2) = 1/2, are curves with q* as the
parameter. In the formulas q, c and gamma = c/(1 - c) are those of infinite depth.
"""

from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, agree, equation, identity, satisfies, shown, tanh
from igbtheory.claims.gaussians import mean_of

SECTION = Section("Bias meets trainability, section 4: phases, edge of chaos and bias", "D 4")

c, q, chi_1, gamma, largest = sp.symbols("c q chi_1 gamma gamma_EOC")
HALF = sp.Rational(1, 2)
CURVED = sp.Symbol("F''(1)", positive=True)
POSTER = {"ordered": (0.8, 1.59), "edge of chaos": (1, 1.99), "prejudice": (1.25, 2.48), "neutrality": (2.5, 4.97)}
TABLE = (
    *(sp.And(sp.Eq(c, 1), sign(chi_1, 1)) for sign in (sp.Lt, sp.Eq, sp.Gt)),
    sp.And(sp.Gt(c, HALF), sp.Lt(c, 1), sp.Gt(chi_1, 1)),
    sp.And(sp.Lt(c, HALF), sp.Gt(chi_1, 1)),
)


def _exact(value: float) -> Any:
    """A number to nine decimals, so that what is 1 but for rounding is 1."""
    return sp.oo if np.isinf(value) else sp.Rational(f"{value:.9f}")


def _states(name: str, depth: int, points: Any) -> dict[str, dict[Any, Any]]:
    """q, chi_1, c and gamma of deep networks, by a label, for rows (sigma_w^2, sigma_b^2, q, chi_1). gamma of the
    package at a depth and at half of it decides whether it diverges: linear growth doubles it.
    """
    weights, biases, *_ = np.transpose(points)
    course = igb.mlp(depth, name, sigma_w2=weights, sigma_b2=biases).predict().per_layer.gamma
    found = {}
    for (w, b, star, chi), half, ratio in zip(points, course[depth // 2], course[depth], strict=True):
        infinite = ratio > 1.5 * half
        found[f"{name}, sigma_w^2 = {w:.5g}, sigma_b^2 = {b:g}"] = {
            q: _exact(star),
            chi_1: _exact(chi),
            c: sp.Integer(1) if infinite else _exact(ratio / (1 + ratio)),
            gamma: sp.oo if infinite else _exact(ratio),
        }
    return found


@cache
def _tanh_and_gelu() -> dict[str, dict[Any, Any]]:
    """States of smooth activations, ordered by their phase: q* > 0 first, then q* = 0."""
    edge, line = tanh.on(tanh.edge, 0.1)[1], tanh.on(tanh.neutrality, 0.1)[1]
    places = [(1.59, 0.1), (0.5, 0.01), (edge, 0.1), (1.02 * edge, 0.1), (2.48, 0.1), (0.98 * line, 0.1), (4.97, 0.1)]
    places += [(1.01 * tanh.on(tanh.neutrality, 0.001)[1], 0.001), (1.05, 0.0), (0.9, 0.0), (1.0, 0.0)]
    stars = [tanh.fixed_point(*place) for place in places]
    points = [(w, b, star, w * tanh.slope(star)) for (w, b), star in zip(places, stars, strict=True)]
    vanishing = [(w, 0.0, 0.0, w / 4) for w in (1.0, 2.0)]  # phi'(0) = 1/2
    return _states("tanh", 600, points) | _states("gelu", 80, vanishing)


def _relu() -> dict[str, dict[Any, Any]]:
    """States of ReLU, where q' = sigma_w^2 q/2 + sigma_b^2 and chi~_1 = sigma_w^2/2."""
    stars = {(1.0, 0.1): 0.2, (1.0, 0.0): 0.0, (2.0, 0.0): 2.0, (2.1, 0.1): np.inf, (3.0, 0.1): np.inf}
    return _states("relu", 200, [(w, b, star, w / 2) for (w, b), star in stars.items()])


def _text(state: dict[Any, Any]) -> str:
    return ", ".join(f"{symbol} = {float(value):.5g}" for symbol, value in state.items())


@SECTION.fails(
    "D-neutral",
    "Neutral states appear only in the chaotic phase, with exploding gradients",
    printed=sp.Implies(sp.Lt(gamma, 1), sp.Gt(chi_1, 1)),
    counter_example="""
for sigma_w2 in (1.0, 0.5):    # neutral at every depth; chi_1 = sigma_w^2 E tanh'^2 -> sigma_w^2: nothing explodes
    gamma_ = igb.mlp(100, 'tanh', sigma_w2=sigma_w2).predict().gamma
    assert printed.subs({gamma: gamma_, chi_1: sigma_w2}) == False
""",
    assumes="infinite width and depth (at finite depth gamma begins at sigma_b^2/sigma_w^2 in any phase)",
    correction="Among states with q > 0 those with c < 1, the neutral ones included, are the chaotic ones. States with "
    "q = 0, such as tanh without biases at sigma_w^2 <= 1, are neutral with gradients that do not explode",
    right=sp.Equivalent(sp.And(sp.Lt(c, 1), sp.Gt(q, 0)), sp.Gt(chi_1, 1)),
    right_assumes="infinite width and depth; phi smooth and not linear, q settles",
)
@SECTION.fails(
    "D-Prop4.1",
    "In the ordered phase and at the edge of chaos c = 1 is a stable fixed point and gamma goes to infinity: the "
    "optimal initialisation, the edge of chaos, is no neutral state but one of transient deep prejudice",
    printed=sp.Implies(sp.Le(chi_1, 1), sp.Eq(c, 1)),
    counter_example="""
# tanh without biases: at sigma_w^2 = 1 (edge of chaos: q -> 0, phi' -> 1) and below (ordered), gamma = 0 for ever
for sigma_w2 in (1.0, 0.9):
    assert igb.mlp(100, 'tanh', sigma_w2=sigma_w2).predict().gamma == 0 and not printed.subs({chi_1: sigma_w2, c: 0})
# nor is it a matter of odd functions: GELU, sigma_w^2 = 1, phi'(0)^2 sigma_w^2 = 1/4 < 1, has a finite limit
gamma = igb.mlp(60, 'gelu', sigma_w2=1.0).predict().per_layer.gamma
assert abs(gamma[60] - 0.43281) < 1e-4 and abs(gamma[60] - gamma[40]) < 1e-9
""",
    assumes="infinite width, then data, then depth; gamma is infinite where c = 1 (D-Tab-5a)",
    correction="Where q goes to a fixed point q > 0, c = 1 attracts every start in the ordered phase and at the edge, "
    "and nowhere else. Where q goes to 0 (tanh and GELU without biases) gamma stays 0 or finite",
    right=sp.Equivalent(sp.And(sp.Le(chi_1, 1), sp.Gt(q, 0)), sp.Eq(c, 1)),
    right_assumes="the same; phi smooth and not linear, q settles",
)
def states_with_a_variance(stated: Any) -> Findings:
    """A convex F with F(1) = 1 and F'(1) <= 1 that is no straight line lies above the diagonal on [0, 1): c rises to 1.
    From c* = F(c*) < 1 to F(1) = 1 its mean slope is 1, so that it ends with a larger one. Here F has the Hermite
    coefficients a_1 and a_3. Where q* = 0 the layers become linear before c has moved to 1.
    """
    a, b, w, s, t = sp.symbols("a_1 a_3 sigma_w2 sigma_b2 t", positive=True)
    whole = w * (a**2 + b**2) + s
    f, rest = (w * (a**2 * t + b**2 * t**3) + s) / whole, w * b**2 / whole * (1 - t) * (t + 2)
    last = sp.Subs(sp.Derivative(f, t), t, 1)
    yield identity("F(t) - t, above 0 if chi_1 <= 1", f - t, (1 - t) * (1 - last + rest))
    yield identity("chi_1 less the mean slope from t to 1, above 0", last - (1 - f) / (1 - t), rest)
    for label, state in _tanh_and_gelu().items():
        yield shown(label, stated.subs(state) == sp.true, _text(state))


@SECTION.fails(
    "D-EOCmax",
    "The edge of chaos is the state of maximum initial classification bias",
    printed=sp.Le(gamma, largest),
    counter_example="""
at = lambda sigma_w2: igb.mlp(30, 'tanh', sigma_w2=sigma_w2, sigma_b2=0.1).predict().gamma
assert at(1.0) > at(1.59) > 7 * at(1.98607)    # the ordered phase is more biased than the edge: 44.4 against 5.96
""",
    assumes="tanh, infinite width, the same depth and sigma_b^2 > 0",
    correction="At a given depth and sigma_b^2 > 0 the edge of chaos of tanh is the most biased of the states whose "
    "gradients do not vanish, and less biased than every state of the ordered phase",
    right=sp.Equivalent(sp.Ge(chi_1, 1), sp.Le(gamma, largest)),
    right_assumes="tanh, infinite width; sigma_b^2 = 0.05, 0.1, 0.2 and depths up to 100",
)
def edge_is_the_maximum(stated: Any) -> Findings:
    """At every depth gamma falls with sigma_w^2, from the first layer on, where gamma = sigma_b^2/sigma_w^2."""
    for sigma_b2 in (0.05, 0.1, 0.2):
        weights = tanh.on(tanh.edge, sigma_b2)[1] * np.array([1.0, 0.5, 0.8, 0.95, 1.02, 1.25, 2.0, 3.0])
        chis = [_exact(w * tanh.slope(tanh.fixed_point(w, sigma_b2))) for w in weights]
        course = igb.mlp(100, "tanh", sigma_w2=weights, sigma_b2=sigma_b2).predict().per_layer.gamma
        for at in course[[1, 10, 100]]:
            right = [stated.subs({chi_1: chi, gamma: g, largest: at[0]}) for chi, g in zip(chis, at, strict=True)]
            text = ", ".join(f"{g:.4g} at {w:.3g}" for g, w in zip(at, weights, strict=True))
            label = f"tanh, sigma_b^2 = {sigma_b2}, depths 1, 10 and 100: gamma at the edge (first) and elsewhere"
            yield shown(label, all(part == sp.true for part in right), text)


@SECTION.holds(
    "D-deepname",
    "At the edge of chaos gamma is infinite: deep prejudice",
    printed=(
        equation(r"\lim_{l \to \infty} \gamma_l/l", CURVED / 2),
        equation(r"\text{ReLU: } \lim_{l \to \infty} \gamma_l/l^2", 2 / (9 * sp.pi**2)),
    ),
    assumes="depth to infinity; an edge of chaos with q* > 0 (tanh: sigma_b^2 > 0), or that of ReLU: see D-Prop4.1 for "
    "the others; read as these rates at which gamma diverges",
)
def deep_prejudice(stated: Any) -> Findings:
    """For x = 1 - c near 0, 1/x grows by F''(1)/2 a layer for smooth phi, and 1/sqrt(x) by sqrt(2)/(3 pi) for ReLU.
    Corrections are of order log(l)/l. In practice the bias is moderate: tanh passes gamma = 1 at depth 7.
    """
    smooth, kinked = (part.rhs for part in stated)
    x, s = sp.symbols("x s", positive=True)
    after = x - CURVED * x**2 / 2  # F at 1 - x with chi_1 = 1
    yield identity("smooth phi: growth of 1/x a layer", sp.Limit(1 / after - 1 / x, x, 0), smooth)
    # c = cos s: kappa_1(c) - c = (sin s - s cos s)/pi is what x falls by, and d x^(-1/2) = -x^(-3/2)/2 dx
    rise = (sp.sin(s) - s * sp.cos(s)) / sp.pi * (1 - sp.cos(s)) ** sp.Rational(-3, 2) / 2
    yield identity("ReLU: growth of 1/sqrt(x) a layer", sp.Limit(rise, s, 0), sp.sqrt(kinked))
    for sigma_b2 in (0.05, 0.1, 0.2):
        star, edge = tanh.on(tanh.edge, sigma_b2)
        second = edge * star * mean_of(lambda h: (2 * np.tanh(h) * np.cosh(h) ** -2.0) ** 2, star)
        course = igb.mlp(2000, "tanh", sigma_w2=edge, sigma_b2=sigma_b2).predict().per_layer.gamma
        growth = _rate(course, 2000)
        yield agree(f"tanh, sigma_b^2 = {sigma_b2}: gamma over l", growth, smooth.subs(CURVED, second), 3)
    roots = np.sqrt(igb.mlp(8000).predict().per_layer.gamma)
    yield agree("ReLU at (0, 2): sqrt(gamma) over l", _rate(roots, 8000), sp.sqrt(kinked), 3)


def _rate(course: Any, depth: int) -> float:
    """The slope of a linear growth, without its correction of order log(l)/l."""
    half, quarter = depth // 2, depth // 4
    return float(2 * (course[depth] - course[half]) / half - (course[half] - course[quarter]) / quarter)


SECTION.untested(
    "that prejudice persists needs training: igb study --preset phases; that gradients vanish as chi_1^l is B-grad",
    ("D-ordered", "", "Ordered phase: gradients vanish exponentially, the prejudice is persistent"),
)


@SECTION.holds(
    "D-chaotic",
    "Chaotic phase: gradients explode; the network may look biased or neutral",
    printed=sp.Gt(chi_1, 1),
    assumes="infinite width and depth; gradients explode where chi_1 > 1, see B-grad",
)
def chaotic_states(stated: Any) -> Findings:
    """Both occur: tanh has a gamma above 1 between the edge and the neutrality line, and one below 1 beyond."""
    found = {**_tanh_and_gelu(), **_relu()}
    chaotic = {label: state for label, state in found.items() if state[q] == sp.oo or (state[c] < 1 and state[q] > 0)}
    for label, state in chaotic.items():
        yield satisfies(f"{label}: {'biased' if state[gamma] > 1 else 'neutral'}", stated, state)
    sides = {state[gamma] > 1 for state in chaotic.values()}
    yield shown("biased and neutral states are among them", sides == {sp.true, sp.false}, f"{len(chaotic)} states")


@SECTION.holds(
    "D-tanhEOC",
    "tanh, sigma_b^2 = 0.1: "
    + ", ".join(f"sigma_w^2 = {value} is {factor} times the edge ({name})" for name, (factor, value) in POSTER.items()),
    printed=tuple(
        equation(rf"{factor}\,\sigma_w^2(\mathrm{{EOC}})", sp.Float(value)) for factor, value in POSTER.values()
    ),
    assumes="values to the digits printed",
)
def edge_of_tanh(stated: Any) -> Findings:
    """The edge is where sigma_w^2 E tanh'(sqrt(q*) z)^2 = 1 at q* = sigma_w^2 E tanh(sqrt(q*) z)^2 + sigma_b^2."""
    for sigma_b2 in (0.05, 0.1, 0.2):
        toolkit = igb.phases.edge_of_chaos("tanh", sigma_b2)
        yield agree(f"sigma_b^2 = {sigma_b2}: the edge of the package", toolkit, tanh.on(tanh.edge, sigma_b2)[1], 10)
    edge, line = (tanh.on(curve, 0.1)[1] for curve in (tanh.edge, tanh.neutrality))
    sides = (0, edge), (0, line), (edge, line), (line, 9)
    for (name, (factor, _)), part, (low, high) in zip(POSTER.items(), stated, sides, strict=True):
        text = f"{factor} x {edge:.5f} = {factor * edge:.4f}; edge {edge:.4f}, neutrality line {line:.4f}"
        right = low < factor * edge < high and abs(factor * edge - part.rhs) <= 0.005
        yield shown(f"{part.rhs:.3g}: {name}", right, text)


@SECTION.holds(
    "D-neutline",
    "tanh has a neutrality line, c* = 1/2, in the chaotic phase; on a grid of step 0.1 it shows at sigma_w^2 = 3 for "
    "sigma_b^2 = 0.1",
    printed=(sp.Eq(c, HALF), equation(r"\sigma_w^2 \text{ on the grid}", 3)),
    assumes="sigma_b^2 > 0; the grid begins at sigma_w^2 = 1 and shows its first point behind the line, which is at "
    "2.9248 for sigma_b^2 = 0.1: the printed line is up to a step too high",
)
def neutrality_line(stated: Any) -> Findings:
    """For given q* the equations for q* and c* = 1/2 are linear in sigma_w^2 and sigma_b^2."""
    correlation, grid = (part.rhs for part in stated)
    for sigma_b2 in (0.05, 0.1, 0.2):
        edge, line = (tanh.on(curve, sigma_b2)[1] for curve in (tanh.edge, tanh.neutrality))
        net = igb.mlp(350, "tanh", sigma_w2=line * np.array([0.99, 1, 1.01]), sigma_b2=sigma_b2)
        below, on, above = net.predict().gamma
        yield agree(f"sigma_b^2 = {sigma_b2}: c of the package at depth 350", on / (1 + on), correlation, 9)
        text = f"gamma = {below:.5f}, {above:.5f}, edge {edge:.4f}, line {line:.4f}"
        yield shown(f"sigma_b^2 = {sigma_b2}: gamma on either side", below > 1 > above and edge < line, text)
    steps = 1 + np.arange(31) / 10
    neutral = igb.mlp(350, "tanh", sigma_w2=steps, sigma_b2=0.1).predict().c <= float(correlation)
    yield agree("first point of the grid that is neutral", steps[neutral].min(), grid, 12)


@SECTION.fails(
    "D-Tab1",
    "Each phase is one of the five rows of table 1: ordered, transient and chaotic deep prejudice, prejudice, and "
    "neutrality",
    printed=TABLE,
    counter_example="""
# tanh, no biases, sigma_w^2 = 1/2: chi~_1 = sigma_w^2 E phi'^2 -> 1/2 < 1 (first row), gamma = 0 (last row)
assert igb.mlp(100, 'tanh', sigma_w2=0.5).predict().gamma == 0
assert not any(row.subs({c: 0, chi_1: 0.5}) for row in printed)
# GELU, no biases, sigma_w^2 = 2: chi~_1 -> 2 phi'(0)^2 = 1/2 < 1 (first row), 1 < gamma < infinity (fourth row)
gamma = igb.mlp(40, 'gelu', sigma_w2=2.0).predict().per_layer.gamma
assert 1.6 < gamma[40] < 1.7 and abs(gamma[40] - gamma[30]) < 1e-3
assert not any(row.subs({c: gamma[40] / (1 + gamma[40]), chi_1: 0.5}) for row in printed)
""",
    assumes="infinite width, then data, then depth; read as: every state is in exactly one row",
    correction="The table needs a sixth row: q goes to 0 and c stays below 1, as for tanh and GELU without biases. "
    "All six rows occur",
    right=(*TABLE, sp.And(sp.Eq(q, 0), sp.Lt(c, 1))),
    right_assumes="the same; but for the border c = 1/2, and for networks whose variance has no limit",
)
def table_of_phases(stated: Any) -> Findings:
    """At q* > 0, chi_1 <= 1 leads to c = 1 (D-Prop4.1), and chi_1 > 1 to c* < 1, gamma* finite (B-phases). Without
    fixed point, ReLU has c -> 1 everywhere (D-ReLU-c1), and chi~_1 = sigma_w^2/2 on either side of 1.
    """
    states = {**_tanh_and_gelu(), **_relu()}
    rows = [[row.subs(state) == sp.true for row in stated] for state in states.values()]
    for (label, state), held in zip(states.items(), rows, strict=True):
        yield shown(f"{label}: in one row", sum(held) == 1, f"rows {np.flatnonzero(held) + 1}; {_text(state)}")
    yield shown("every row occurs", np.any(rows, axis=0).all(), f"{len(states)} states")
