"""Bias meets trainability: the phases, the edge of chaos and the bias.

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
from igbtheory.claims import (
    Findings,
    Section,
    agree,
    equation,
    identity,
    satisfies,
    settings,
    shown,
    tanh,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import mean_of, mean_of_polynomial

SECTION = Section("Bias meets trainability: phases, edge of chaos and bias", "D 4")

c, q, chi_1, gamma, sigma_w2 = sp.symbols("c q chi_1 gamma sigma_w2")
C_EDGE, GAMMA_EDGE = sp.symbols(r"c_\mathrm{EOC} \gamma_\mathrm{EOC}")
EDGE, GRID = (sp.Symbol(rf"\sigma_{{w,\mathrm{{{name}}}}}", positive=True) for name in ("EOC", "grid"))
depth, cosine = sp.symbols("l c", positive=True)
GAMMA, GAMMA_RELU = sp.Function(r"\gamma"), sp.Function(r"\gamma_\mathrm{ReLU}")  # of the depth
C_MAP = sp.Function("c'")  # of a layer without biases, as a function of c and q in front of it
FACTOR = (1 - C_MAP(cosine, q)) / (1 - cosine)  # by which it multiplies 1 - c
SLOPE, CURVE = sp.symbols(r"\phi_1 \phi_2", positive=True)  # phi'(0) and phi''(0)
HALF = sp.Rational(1, 2)
CURVED = sp.Symbol("F''(1)", positive=True)
BIASES = 0.1
"""sigma_b^2 of the networks of the poster."""
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
    return _states("tanh", 300, points) | _states("gelu", 80, vanishing)


def _relu() -> dict[str, dict[Any, Any]]:
    """States of ReLU, where q' = sigma_w^2 q/2 + sigma_b^2 and chi~_1 = sigma_w^2/2."""
    stars = {(1.0, 0.1): 0.2, (1.0, 0.0): 0.0, (2.0, 0.0): 2.0, (2.1, 0.1): np.inf, (3.0, 0.1): np.inf}
    return _states("relu", 200, [(w, b, star, w / 2) for (w, b), star in stars.items()])


def _with_a_variance() -> dict[str, dict[Any, Any]]:
    """States of smooth activations with q* > 0, and all of ReLU."""
    return {label: state for label, state in _tanh_and_gelu().items() if state[q] > 0} | _relu()


def _without_a_variance() -> dict[str, dict[Any, Any]]:
    """States of smooth activations with q* = 0."""
    return {label: state for label, state in _tanh_and_gelu().items() if state[q] == 0}


def _text(state: dict[Any, Any]) -> str:
    return ", ".join(f"{symbol} = {float(value):.5g}" for symbol, value in state.items())


@SECTION.limited(
    "D-neutral",
    "“Contrary to intuition, neutral states only appear in the chaotic phase with exploding gradients”",
    printed=sp.Implies(sp.Lt(gamma, 1), sp.Gt(chi_1, 1)),
    counter_example="""
for sigma_w2 in (1.0, 0.5):    # neutral at every depth; chi_1 = sigma_w^2 E tanh'^2 -> sigma_w^2: nothing explodes
    gamma_ = igb.mlp(100, 'tanh', sigma_w2=sigma_w2).predict().gamma
    assert printed.subs({gamma: gamma_, chi_1: sigma_w2}) == False
""",
    assumes="“infinite-width, then infinite-data, then infinite-depth” (Limitations & Future Work); phi is not "
    "linear, and the variance q of pre-activations goes to a limit above 0",
    at="Key Findings",
)
@SECTION.limited(
    "D-Prop4.1",
    "“In both the ordered phase and EOC, c=1 is a stable fixed point”, so that “the optimal initialization (EOC) is "
    "not a neutral state but a transient-deep prejudice state”",
    printed=sp.Implies(sp.Le(chi_1, 1), sp.Eq(c, 1)),
    counter_example="""
# tanh without biases: at sigma_w^2 = 1 (edge of chaos: q -> 0, phi' -> 1) and below (ordered), gamma = 0 for ever
for sigma_w2 in (1.0, 0.9):
    assert igb.mlp(100, 'tanh', sigma_w2=sigma_w2).predict().gamma == 0 and not printed.subs({chi_1: sigma_w2, c: 0})
# nor is it a matter of odd functions: GELU, sigma_w^2 = 1, phi'(0)^2 sigma_w^2 = 1/4 < 1, has a finite limit
gamma = igb.mlp(60, 'gelu', sigma_w2=1.0).predict().per_layer.gamma
assert abs(gamma[60] - 0.43281) < 1e-4 and abs(gamma[60] - gamma[40]) < 1e-9
""",
    assumes="“infinite-width, then infinite-data, then infinite-depth” (Limitations & Future Work); phi is not "
    "linear, and the variance q of pre-activations goes to a limit above 0",
    at="Prop 4.1",
    where="gamma is infinite where c = 1 (D-Tab-5a)",
)
def states_with_a_variance(stated: Any, says: str) -> Findings:
    """A convex F with F(1) = 1 and F'(1) <= 1 that is no straight line lies above the diagonal on [0, 1): c rises to 1.
    From c* = F(c*) < 1 to F(1) = 1 its mean slope is 1, so that it ends with a larger one. Here F has the Hermite
    coefficients a_1 and a_3. ReLU, whose q may also grow or vanish, has c = 1 everywhere (D-ReLU-c1).
    """
    a, b, w, s, t = sp.symbols("a_1 a_3 sigma_w2 sigma_b2 t", positive=True)
    whole = w * (a**2 + b**2) + s
    f, rest = (w * (a**2 * t + b**2 * t**3) + s) / whole, w * b**2 / whole * (1 - t) * (t + 2)
    last = sp.Subs(sp.Derivative(f, t), t, 1)
    yield identity("F(t) - t, above 0 if chi_1 <= 1", f - t, (1 - t) * (1 - last + rest))
    yield identity("chi_1 less the mean slope from t to 1, above 0", last - (1 - f) / (1 - t), rest)
    for label, state in _with_a_variance().items():
        yield shown(label, stated.subs(state) == sp.true, _text(state))
    least = min(state[q] for label, state in _with_a_variance().items() if not label.startswith("relu"))
    name = "linear"  # its states, and that of tanh where q goes to 0, are none of the statement
    needed = any(stated.subs(state) == sp.false for state in _states(name, 200, [(1.0, 0.0, 1.0, 1.0)]).values())
    phrase = "phi is {} {}, and the variance q of pre-activations goes to a limit {} {}"
    yield worded(says, phrase, "not" if needed else "indeed", name, "above" if needed and least > 0 else "at", 0)


@SECTION.corrects(
    "D-Prop4.1",
    "Where q goes to 0, layers of an analytic activation become linear before the data become alike: with no biases "
    "GELU at sigma_w^2 = 1 has the finite gamma 0.433 at depth 40 and keeps it, and tanh has gamma = 0 at its edge of "
    "chaos. ReLU has a kink, and its gamma diverges there as well: at sigma_w^2 = 1 it is 1015 at depth 200",
    right=equation(sp.Limit((FACTOR - 1) / q, q, 0), CURVE**2 * (2 * cosine - 1) / (2 * SLOPE) ** 2),
    where="the limits are the same; phi(h) = phi_1 h + phi_2 h^2/2 + O(h^3) near 0; sigma_w^2 phi_1^2 < 1, so that q "
    "falls exponentially, or phi is odd and c stays 0",
)
def vanishing_variance(stated: Any, says: str) -> Findings:
    """A layer multiplies 1 - c by a factor 1 + O(q), and q falls exponentially: the product of the factors converges to
    a number above 0, so that 1 - c has a limit above 0.
    """
    x, y = sp.symbols("x y", real=True)
    root, third = sp.symbols("r phi_3", positive=True)
    h_a, h_b = root * x, root * (cosine * x + sp.sqrt(1 - cosine**2) * y)
    first, second = (SLOPE * h + CURVE * h**2 / 2 + third * h**3 / 6 for h in (h_a, h_b))
    kernel = sp.expand(mean_of_polynomial(first * second, x, y)).subs(root, sp.sqrt(q))
    after = sp.Lambda((cosine, q), kernel / kernel.subs(cosine, 1))
    yield identity("the factor of 1 - c, to first order in q", stated.lhs.replace(C_MAP, after), stated.rhs)
    kept = sp.simplify(sp.limit(after(cosine, q), q, 0) - cosine) == 0  # as behind a linear layer
    yield worded(says, "an analytic activation become {}", "linear" if kept else "curved")
    for label, state in _without_a_variance().items():
        yield shown(label, state[c] < 1, _text(state))
    net = igb.mlp(80, "gelu", sigma_w2=1.0)
    found = net.predict().per_layer
    at, end = (float(found.gamma[layers]) for layers in (40, 80))
    still = abs(end - at) < 1e-9
    yield worded(says, "q goes to {:.0f}, layers", found.var_mu[80] + found.var_chi[80])
    fates = ("finite", "keeps") if still else ("infinite", "changes")
    phrase = "with {} GELU at sigma_w^2 = {:g} has the {} gamma {:.3f} at depth {} and {} it"
    yield worded(says, phrase, settings.biases(net), 1.0, fates[0], at, 40, fates[1])
    yield worded(says, "tanh has gamma = {:.0f} at its edge", igb.mlp(80, "tanh", sigma_w2=1.0).predict().gamma)
    relu = igb.mlp(200, sigma_w2=1.0).predict().per_layer
    fate = "diverges" if relu.gamma[200] > 2 * relu.gamma[100] else "vanishes"
    left, right = (np.maximum(h, 0) / h for h in (-1e-9, 1e-9))  # the slopes of ReLU beside 0
    yield worded(says, "ReLU {}, and its gamma {} there as well", "has a kink" if left != right else "is smooth", fate)
    yield worded(says, "at sigma_w^2 = {:g} it is {:.0f} at depth {}", 1.0, relu.gamma[200], 200)
    size = float(relu.var_mu[200] + relu.var_chi[200])
    yield shown("q of ReLU at depth 200", size < 1e-60, f"{size:.2g}")


@SECTION.corrects(
    "D-neutral",
    "Neutral states need not have exploding gradients in linear networks, whose gradients keep their size at "
    "sigma_w^2 = 1, nor where q goes to 0, as in networks of tanh with no biases at sigma_w^2 <= 1",
    right=(equation(gamma, 0), equation(chi_1, sigma_w2)),
    where="the limits are the same",
)
def neutral_without_chaos(stated: Any, says: str) -> Findings:
    """A linear network multiplies q_aa, q_ab and squared gradients by sigma_w^2. That of tanh becomes linear."""
    weights = (0.5, 0.9, 1.0, 1.05)
    stars = [tanh.fixed_point(w, 0.0) for w in weights]
    points = [(w, 0.0, star, w * tanh.slope(star)) for w, star in zip(weights, stars, strict=True)]
    calm = [
        (w, state) for w, state in zip(weights, _states("tanh", 200, points).values(), strict=True) if state[q] == 0
    ]
    linear = [(1.0, state) for state in _states("linear", 200, [(1.0, 0.0, 1.0, 1.0)]).values()]
    for w, state in (*calm, *linear):
        label = f"{'tanh' if state[q] == 0 else 'linear'}, sigma_w^2 = {w:g}"
        yield agree(f"{label}: gamma", state[gamma], value_of(gamma, stated), 9)
        yield agree(f"{label}: chi_1", state[chi_1], value_of(chi_1, stated).subs(sigma_w2, w), 9)
    states = [state for _, state in (*calm, *linear)]
    below, exploding = max(state[gamma] for state in states) < 1, max(state[chi_1] for state in states) > 1
    ((weight, state),) = linear  # other sigma_w^2 let the variance grow or vanish
    kept = "keep" if state[chi_1] == 1 else "lose"
    phrase = "{} states need {} have exploding gradients in {} networks, whose gradients {} their size"
    yield worded(says, phrase, "Neutral" if below else "Prejudiced", "indeed" if exploding else "not", "linear", kept)
    yield worded(says, "at sigma_w^2 = {:g}, nor where q goes to {:g}", weight, min(stars))
    most, side = max(w for w, _ in calm), "<=" if max(w for w, _ in calm) < 1.05 else ">="
    net = igb.mlp(1, "tanh")
    yield worded(says, "tanh with {} at sigma_w^2 {} {:g}", settings.biases(net), side, most)


@SECTION.limited(
    "D-EOCmax",
    "The edge of chaos is the state of “maximum initial classification bias”",
    printed=sp.Le(c, C_EDGE),
    counter_example="""
at = lambda sigma_w2: igb.mlp(30, 'tanh', sigma_w2=sigma_w2, sigma_b2=0.1).predict().gamma
assert at(1.0) > at(1.59) > 7 * at(1.98607)    # the ordered phase is more biased than the edge: 44.4 against 5.96
""",
    assumes="“infinite-width, then infinite-data, then infinite-depth” (Limitations & Future Work); tanh with biases",
    at="Key Findings",
    where="c is then 1 and gamma infinite at the edge of chaos as in the ordered phase",
)
def edge_is_the_maximum(stated: Any, says: str) -> Findings:
    """F(c) of a state with q* > 0 and chi_1 = 1 leads to c = 1 (D-Prop4.1), the largest value that c can have."""
    (edge,) = [state[c] for state in _tanh_and_gelu().values() if state[chi_1] == 1 and state[q] > 0]
    for label, state in _with_a_variance().items():
        if label.startswith("tanh"):
            yield satisfies(label, stated, state | {C_EDGE: edge})
    yield worded(says, "tanh with {}", settings.biases(igb.mlp(1, "tanh", sigma_b2=BIASES)))


@SECTION.corrects(
    "D-EOCmax",
    "At a given depth the edge of chaos of tanh with biases is the most biased of the states whose gradients do not "
    "vanish, and less biased than every state of the ordered phase: with sigma_b^2 = 0.1 gamma at depth 30 is 44.36 at "
    "sigma_w^2 = 1.59 and 5.96 at the edge",
    right=sp.Equivalent(sp.Ge(chi_1, 1), sp.Le(gamma, GAMMA_EDGE)),
    assumes="tanh, infinite width; sigma_b^2 = 0.05, 0.1, 0.2 and depths up to 100",
)
def edge_at_finite_depth(stated: Any, says: str) -> Findings:
    """At every depth gamma falls with sigma_w^2, from the first layer on, where gamma = sigma_b^2/sigma_w^2."""
    ordered: list[float] = []
    others: list[float] = []  # gamma over that of the edge
    biases, deepest = (0.05, 0.1, 0.2), 100
    for sigma_b2 in biases:
        weights = tanh.on(tanh.edge, sigma_b2)[1] * np.array([1.0, 0.5, 0.8, 0.95, 1.02, 1.25, 2.0, 3.0])
        chis = [_exact(w * tanh.slope(tanh.fixed_point(w, sigma_b2))) for w in weights]
        prediction = igb.mlp(deepest, "tanh", sigma_w2=weights, sigma_b2=sigma_b2).predict()
        for at in prediction.per_layer.gamma[[1, 10, deepest]]:
            right = [stated.subs({chi_1: chi, gamma: g, GAMMA_EDGE: at[0]}) for chi, g in zip(chis, at, strict=True)]
            text = ", ".join(f"{g:.4g} at {w:.3g}" for g, w in zip(at, weights, strict=True))
            label = f"tanh, sigma_b^2 = {sigma_b2}, depths 1, 10 and 100: gamma at the edge (first) and elsewhere"
            yield shown(label, all(part == sp.true for part in right), text)
            for chi, g in zip(chis[1:], at[1:], strict=True):
                (ordered if chi < 1 else others).append(g / at[0])
    yield worded(says, "tanh, {} width", settings.width(prediction))
    yield worded(says, "sigma_b^2 = {}, {}, {} and depths up to {}", *biases, deepest)
    rank, fate = "most" if max(others) < 1 else "least", ("not", "vanish") if min(ordered) > 1 else ("not", "explode")
    yield worded(says, "the {} biased of the states whose gradients do {} {}", rank, *fate)
    than = ("less", "every") if min(ordered) > 1 else ("more", "no")
    phase, *_ = igb.phases.classify("tanh", POSTER["ordered"][1], BIASES).name.split()
    yield worded(says, "{} biased than {} state of the {} phase", *than, phase)
    below, edge = POSTER["ordered"][1], tanh.on(tanh.edge, BIASES)[1]
    gammas = igb.mlp(30, "tanh", sigma_w2=np.array([below, edge]), sigma_b2=BIASES).predict().per_layer.gamma[-1]
    phrase = "with sigma_b^2 = {:g} gamma at depth {} is {:.2f} at sigma_w^2 = {:g} and {:.2f} at the edge"
    yield worded(says, phrase, BIASES, 30, gammas[0], below, gammas[1])


@SECTION.holds(
    "D-deepname",
    "At the edge of chaos gamma is infinite: deep prejudice",
    printed=(
        equation(sp.Limit(GAMMA(depth) / depth, depth, sp.oo), CURVED / 2),
        equation(sp.Limit(GAMMA_RELU(depth) / depth**2, depth, sp.oo), 2 / (9 * sp.pi**2)),
    ),
    at="Table 1, second row",
    where="depth goes to infinity, at an edge of chaos with q* > 0 (tanh: sigma_b^2 > 0) or that of ReLU: see "
    "D-Prop4.1 for the others; read as these rates at which gamma diverges",
)
def deep_prejudice(stated: Any, says: str) -> Findings:
    """For x = 1 - c near 0, 1/x grows by F''(1)/2 a layer for smooth phi, and 1/sqrt(x) by sqrt(2)/(3 pi) for ReLU.
    Corrections are of order log(l)/l. In practice the bias is moderate: tanh passes gamma = 1 at depth 7.
    """
    smooth, kinked = (part.rhs for part in stated)
    x, s = sp.symbols("x s", positive=True)
    after = x - CURVED * x**2 / 2  # F at 1 - x with chi_1 = 1
    rate = sp.Limit(1 / after - 1 / x, x, 0).doit()
    yield identity(
        "smooth phi: growth of 1/x a layer", stated[0].lhs.replace(GAMMA, lambda layers: rate * layers - 1), smooth
    )
    # c = cos s: kappa_1(c) - c = (sin s - s cos s)/pi is what x falls by, and d x^(-1/2) = -x^(-3/2)/2 dx
    rise = (sp.sin(s) - s * sp.cos(s)) / sp.pi * (1 - sp.cos(s)) ** sp.Rational(-3, 2) / 2
    root = sp.limit(rise, s, 0)
    left = stated[1].lhs.replace(GAMMA_RELU, lambda layers: (root * layers) ** 2 - 1)
    yield identity("ReLU: growth of 1/sqrt(x) a layer", left, kinked)
    end = sp.limit(smooth * depth, depth, sp.oo)
    state = "infinite" if end == sp.oo else "finite", "prejudice" if end > 1 else "neutrality"
    yield worded(says, "gamma is {}: deep {}", *state)
    for sigma_b2 in (0.05, 0.1, 0.2):
        star, edge = tanh.on(tanh.edge, sigma_b2)
        second = edge * star * mean_of(lambda h: (2 * np.tanh(h) * np.cosh(h) ** -2.0) ** 2, star)
        course = igb.mlp(400, "tanh", sigma_w2=edge, sigma_b2=sigma_b2).predict().per_layer.gamma
        growth = _rate(course, 400)
        yield agree(f"tanh, sigma_b^2 = {sigma_b2}: gamma over l", growth, smooth.subs(CURVED, second), 3)
    roots = np.sqrt(igb.mlp(1000).predict().per_layer.gamma)
    yield agree("ReLU at (0, 2): sqrt(gamma) over l", _rate(roots, 1000), sp.sqrt(kinked), 3)


def _rate(course: Any, depth: int) -> float:
    """The slope of a linear growth, without its correction of order log(l)/l."""
    half, quarter = depth // 2, depth // 4
    return float(2 * (course[depth] - course[half]) / half - (course[half] - course[quarter]) / quarter)


SECTION.untested(
    "that prejudice persists needs training: igb study --preset phases; that gradients vanish as chi_1^l is B-grad",
    ("D-ordered", "Key Designs 2", "Ordered phase: gradients vanish exponentially, the prejudice is persistent"),
)


@SECTION.holds(
    "D-chaotic",
    "In the chaotic phase gradients explode, and the network may be biased or neutral",
    printed=sp.Gt(chi_1, 1),
    assumes="“infinite-width, then infinite-data, then infinite-depth” (Limitations & Future Work)",
    at="Key Designs 2",
    where="gradients explode where chi_1 > 1, see B-grad; chaotic is read as: c = 1 does not attract, or the variance "
    "grows without bound",
)
def chaotic_states(stated: Any, says: str) -> Findings:
    """Both occur: tanh has a gamma above 1 between the edge and the neutrality line, and one below 1 beyond."""
    found = {**_tanh_and_gelu(), **_relu()}
    chaotic = {label: state for label, state in found.items() if state[q] == sp.oo or (state[c] < 1 and state[q] > 0)}
    for label, state in chaotic.items():
        yield satisfies(f"{label}: {'biased' if state[gamma] > 1 else 'neutral'}", stated, state)
    factors, gammas = ([state[symbol] for state in chaotic.values()] for symbol in (chi_1, gamma))
    fate = "explode" if min(factors) > 1 else "vanish"
    yield worded(says, "In the {} phase gradients {}", "chaotic" if min(factors) > 1 else "ordered", fate)
    sides = ("biased" if max(gammas) > 1 else "neutral"), ("neutral" if min(gammas) < 1 else "biased")
    yield worded(says, "the network may be {} or {}", *sides)


@SECTION.holds(
    "D-tanhEOC",
    f"For tanh with sigma_b^2 = {BIASES}, "
    + ", ".join(f"sigma_w^2 = {value} is {factor} times the edge ({name})" for name, (factor, value) in POSTER.items()),
    printed=tuple(equation(sp.Rational(str(factor)) * EDGE**2, sp.Float(value)) for factor, value in POSTER.values()),
    document="poster",
    at="parameters of the tanh networks; those in the authors' repository, mlp_tanh_*.cfg, have the same factors",
    where="values are to the digits printed",
)
def edge_of_tanh(stated: Any, says: str) -> Findings:
    """The edge is where sigma_w^2 E tanh'(sqrt(q*) z)^2 = 1 at q* = sigma_w^2 E tanh(sqrt(q*) z)^2 + sigma_b^2."""
    for sigma_b2 in (0.05, 0.1, 0.2):
        toolkit = igb.phases.edge_of_chaos("tanh", sigma_b2)
        yield agree(f"sigma_b^2 = {sigma_b2}: the edge of the package", toolkit, tanh.on(tanh.edge, sigma_b2)[1], 10)
    edge, line = (tanh.on(curve, BIASES)[1] for curve in (tanh.edge, tanh.neutrality))
    yield worded(says, "For tanh with sigma_b^2 = {:g}", BIASES)
    for (factor, _), part in zip(POSTER.values(), stated, strict=True):
        weights = factor * edge
        sides = {"ordered": weights < edge, "edge of chaos": weights == edge, "prejudice": edge < weights < line}
        name = next((name for name, inside in sides.items() if inside), "neutrality")
        yield worded(says, "sigma_w^2 = {:.2f} is {:g} times the edge ({})", weights, factor, name)
        text = f"{factor} x {edge:.5f} = {weights:.4f}; neutrality line {line:.4f}"
        yield shown(name, abs(edge - value_of(EDGE**2, part)) <= 0.005 / factor, text)


@SECTION.holds(
    "D-neutline",
    "Tanh has a neutrality line, which lies in the chaotic phase; on a grid of step 0.1 it is at sigma_w^2 = 3 for "
    "sigma_b^2 = 0.1",
    printed=(sp.Eq(c, HALF), equation(GRID**2, 3)),
    document="authors' code",
    at="compute_neutrality.py",
    where="sigma_b^2 is positive; the grid begins at sigma_w^2 = 1 and shows its first point behind the line, which "
    "is at 2.9248 for sigma_b^2 = 0.1: a line on this grid is up to a step too high",
)
def neutrality_line(stated: Any, says: str) -> Findings:
    """For given q* the equations for q* and c* = 1/2 are linear in sigma_w^2 and sigma_b^2."""
    correlation, sides = value_of(c, stated), []
    biases = np.array([0.05, 0.1, 0.2])
    edges, lines = ([tanh.on(curve, sigma_b2)[1] for sigma_b2 in biases] for curve in (tanh.edge, tanh.neutrality))
    net = igb.mlp(350, "tanh", sigma_w2=np.multiply.outer(lines, [0.99, 1, 1.01]), sigma_b2=biases[:, None])
    gammas = net.predict().per_layer.gamma[-1]
    for sigma_b2, edge, line, (below, on, above) in zip(biases, edges, lines, gammas, strict=True):
        yield agree(f"sigma_b^2 = {sigma_b2}: c of the package at depth 350", on / (1 + on), correlation, 9)
        text = f"gamma = {below:.5f}, {above:.5f}, edge {edge:.4f}, line {line:.4f}"
        yield shown(f"sigma_b^2 = {sigma_b2}: gamma on either side", below > 1 > above, text)
        sides.append(line > edge)
    yield worded(says, "lies in the {} phase", "chaotic" if all(sides) else "ordered")
    turned = all(below > 1 > above for below, _, above in gammas)
    yield worded(says, "Tanh has a {} line", "neutrality" if turned else "prejudice")
    yield worded(says, "which is at {:.4f} for sigma_b^2 = {:g}", lines[list(biases).index(BIASES)], BIASES)
    step = 0.1
    grid = 1 + step * np.arange(31)
    neutral = igb.mlp(100, "tanh", sigma_w2=grid, sigma_b2=BIASES).predict().c <= float(correlation)
    first = grid[neutral].min()
    yield agree("first point of the grid that is neutral", first, value_of(GRID**2, stated), 12)
    yield worded(says, "of step {:g} it is at sigma_w^2 = {:g} for sigma_b^2 = {:g}", step, first, BIASES)


@SECTION.holds(
    "D-Tab1",
    "Table 1 has one row for each state of deep networks",
    printed=TABLE,
    assumes="“infinite-width, then infinite-data, then infinite-depth” (Limitations & Future Work)",
    at="Table 1",
    where="read as: each state is in exactly one row; phi is ReLU, or it is not linear and the variance q of "
    "pre-activations goes to a limit above 0; the border c = 1/2 is left out",
)
def table_of_phases(stated: Any, says: str) -> Findings:
    """At q* > 0, chi_1 <= 1 leads to c = 1 (D-Prop4.1), and chi_1 > 1 to c* < 1, gamma* finite (B-phases). ReLU has
    c -> 1 everywhere (D-ReLU-c1), and chi~_1 = sigma_w^2/2 on either side of 1.
    """
    states = _with_a_variance()
    rows = [[row.subs(state) == sp.true for row in stated] for state in states.values()]
    for (label, state), held in zip(states.items(), rows, strict=True):
        yield shown(f"{label}: in one row", sum(held) == 1, f"rows {np.flatnonzero(held) + 1}; {_text(state)}")
    yield shown("every row occurs", np.any(rows, axis=0).all(), f"{len(states)} states")
    yield worded(says, "has {} row for each state", settings.COUNTED[max(map(sum, rows))])
