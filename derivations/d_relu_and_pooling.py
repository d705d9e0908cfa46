"""Bias meets trainability: ReLU, pooled ReLU and pooled tanh in the phase diagram.

For a positively homogeneous f of m nodes of variance q: E f^2 = A q, E |grad f|^2 = B. A layer multiplies the variance
by sigma_w^2 A (and adds sigma_b^2), the squared gradient by sigma_w^2 B, which is chi~_1. Two thresholds, 1/A and 1/B:

    f                    A                 B      forward 1/A                  backward 1/B
    ReLU                 1/2               1/2    2                            2
    ReLU + MaxPool(2)    3/4 + 1/(2 pi)    3/4    4 pi/(3 pi + 2) = 1.09992    4/3
    ReLU + AvgPool(2)    1/4 + 1/(4 pi)    1/4    4 pi/(pi + 1) = 3.03419      4
"""

from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from scipy.special import ndtr

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    satisfies,
    settings,
    shown,
    tanh,
    value_of,
    worded,
)
from igbtheory.claims.formula import evaluated, relations_of
from igbtheory.claims.gaussians import NODES, WEIGHTS, kappa_1, ncdf, npdf, relu_moment
from igbtheory.claims.quantities import E
from igbtheory.claims.simulated import mean_with_error
from igbtheory.claims.wide import forward, growth, relu_maximum, relu_mean, tanh_mean

SECTION = Section("Bias meets trainability: ReLU and pooling in the phase diagram", "D 5")
CODE = "authors' plotting code"
DIAGRAM = "plot/plot_phase_diagram.py"

q, c, x, t, s, sigma_w2, sigma_b2, gamma = sp.symbols("q c x t s sigma_w2 sigma_b2 gamma", positive=True)
depth, width, s_l, sigma_y = sp.symbols(r"l N s_l \sigma_y", positive=True)
AFTER, GAMMA_AFTER, CHI, g_r, f_r = sp.symbols(r"q' \gamma' \tilde\chi_1 g_r f_r", positive=True)
C, GAMMA, GAMMA_ORDERED, GAMMA_CHAOTIC = map(
    sp.Function, ("c", r"\gamma", r"\gamma_\mathrm{ordered}", r"\gamma_\mathrm{chaotic}")
)  # of the depth
KEPT, TANH, MAX_EDGE, TANH_EDGE = (
    sp.Symbol(rf"\sigma_{{w,\mathrm{{{name}}}}}", positive=True) for name in ("kept", "tanh", "EOC,MaxPool", "EOC,tanh")
)
AVERAGE = ((2 * relu_moment(2) + 2 * relu_moment(1) ** 2) / 4, 2 * relu_moment(0) / 4)
APPROACH = 2 * sp.sqrt(2) / (3 * sp.pi)
"""k of 1 - kappa_1(1 - x) = x - k x^(3/2) + ..."""


@SECTION.holds(
    "D-ReLU-c1",
    "For ReLU c converges to 1 across the entire phase diagram",
    printed=equation(sp.Limit(C(depth), depth, sp.oo), 1),
    at="Key Designs 3",
    where="sigma_w^2 is positive",
)
def relu_aligns_everywhere(stated: Any, says: str) -> Findings:
    """As c' >= kappa_1(c) > c in every layer, c rises to a limit with kappa_1(c) = c, which is only 1 (A-depthIGB), at
    least as fast as without biases, where 1/sqrt(1 - c) grows by k/2 a layer (see `relu_without_biases`).
    """
    a = sp.Symbol("a", positive=True)  # sigma_w^2 q/2
    kernel = kappa_1(c)
    after = (a * kernel + sigma_b2) / (a + sigma_b2)
    yield identity("c' - kappa_1(c), not below 0", after - kernel, sigma_b2 * (1 - kernel) / (a + sigma_b2))
    yield identity("where kappa_1(c) = c", sp.Subs(kernel, c, stated.rhs), stated.rhs)
    slowest = stated.lhs.replace(C, lambda layers: 1 - (APPROACH * layers / 2) ** -2)
    yield identity("the slowest approach", slowest, stated.rhs)
    weights, biases = np.array([0.5, 1.0, 2.0, 3.0, 6.0])[:, None], np.array([0.0, 0.01, 0.1, 1.0])
    found = igb.mlp(150, sigma_w2=weights, sigma_b2=biases).predict().per_layer.c[-1]
    yield agree("20 points of the diagram: the least c at depth 150", found.min(), stated.rhs, 2.5)
    yield worded(says, "c converges to {:.0f} across", found.min())


@SECTION.limited(
    "D-ReLU-rate",
    "For ReLU, “in the ordered phase, gamma^(l) diverges exponentially, whereas in the chaotic phase, it diverges by "
    "power-law”",
    printed=(
        sp.Gt(sp.Limit(GAMMA_ORDERED(depth + 1) / GAMMA_ORDERED(depth), depth, sp.oo), 1),
        equation(sp.Limit(depth * (GAMMA_CHAOTIC(depth + 1) / GAMMA_CHAOTIC(depth) - 1), depth, sp.oo), 2),
    ),
    assumes="“at infinite width” (Overall Architecture); networks with biases",
    at="Key Designs 3",
    counter_example="""
from math import acos, pi, sqrt
c, gamma = 0.0, []
for _ in range(400):                      # ReLU without biases: c' = kappa_1(c) whatever sigma_w^2
    c = (sqrt(1 - c * c) + c * (pi - acos(c))) / pi
    gamma.append(c / (1 - c))
assert 3.7 < gamma[399] / gamma[199] < 4.0    # a power law, l^2, in the ordered phase as well
""",
    where="sigma_w^2 is below 2 in the ordered phase and above 2 in the chaotic phase; the power law is l^2",
)
def rates_of_relu(stated: Any, says: str) -> Findings:
    """1 - kappa_1(1 - x) = x - k x^(3/2) + ..., k = 2 sqrt(2)/(3 pi), and x' = (a/(a + sigma_b^2)) (1 - kappa_1), a =
    sigma_w^2 q/2. sigma_w^2 < 2: q* = sigma_b^2/(1 - sigma_w^2/2), the factor is sigma_w^2/2, x falls by it. At 2, q =
    q_0 + sigma_b^2 l and the factor is 1 - 1/l: dx/dl = -k x^(3/2) - x/l, gamma ~ 8 l^2/(9 pi^2). Above, q grows
    exponentially, the factor is 1 up to terms that can be summed: dx/dl = -k x^(3/2). gamma ~ 1/x.
    """
    exponential, power = stated
    fixed = sigma_b2 / (1 - sigma_w2 / 2)
    factor = sp.Subs(sp.Derivative((sigma_w2 * fixed * kappa_1(c) / 2 + sigma_b2) / fixed, c), c, 1)
    yield identity("sigma_w^2 < 2: the factor of x at q*", factor, sigma_w2 / 2)
    for weights in (sp.Rational(8, 5), sp.Rational(49, 25)):
        left = exponential.lhs.replace(GAMMA_ORDERED, sp.Lambda(depth, (2 / weights) ** depth)).doit()
        yield satisfies(f"sigma_w^2 = {weights}", exponential.func(left, exponential.rhs, evaluate=False), {})
    # c = cos s, x = 1 - c, kappa_1(c) - c = (sin s - s cos s)/pi
    fall = (sp.sin(s) - s * sp.cos(s)) / sp.pi * (1 - sp.cos(s)) ** sp.Rational(-3, 2)
    yield identity("k", sp.Limit(fall, s, 0), APPROACH)
    critical, chaotic = 8 / (9 * sp.pi**2), 2 / (9 * sp.pi**2)  # gamma/l^2
    for name, constant, lost in (("sigma_w^2 = 2", critical, x / depth), ("sigma_w^2 > 2", chaotic, 0)):
        apart = 1 / (constant * depth**2)
        right = (-APPROACH * x ** sp.Rational(3, 2) - lost).subs(x, apart)
        yield identity(f"{name}: dx/dl", sp.Derivative(apart, depth), right)
    left = power.lhs.replace(GAMMA_CHAOTIC, sp.Lambda(depth, chaotic * depth**2))
    yield identity("sigma_w^2 > 2", left, power.rhs)
    gammas, label = _relu_course(220, 1.6, 0.1), "sigma_w^2 = 1.6: the factor of gamma of the package"
    yield agree(label, gammas[220] / gammas[219], 2 / 1.6, 6)
    roots, label = np.sqrt(_relu_course(600, 3.0, 0.1)), "sigma_w^2 = 3: the slope of sqrt(gamma) of the package"
    yield agree(label, (roots[600] - roots[300]) / 300, sp.sqrt(chaotic), 2)
    # at sigma_w^2 = 2, 1/sqrt(x) = k l + C sqrt(l): of the values at l and 4l, one less twice the other is 2 k l
    roots = np.sqrt(_relu_course(2000, 2.0, 1.0))
    yield worded(says, "networks with {}", settings.biases(igb.mlp(1, sigma_b2=0.1)))
    yield agree("sigma_w^2 = 2: the same", (roots[2000] - 2 * roots[500]) / 1000, sp.sqrt(critical), 2)


def _relu_course(layers: int, weights: float, biases: float) -> Any:
    """Gamma of the package in every layer."""
    return igb.mlp(layers, sigma_w2=weights, sigma_b2=biases).predict().per_layer.gamma


@SECTION.corrects(
    "D-ReLU-rate",
    "With no biases gamma is the same at every sigma_w^2, and grows as a power of the depth in the ordered phase too",
    right=equation(sp.Limit(GAMMA(depth) / depth**2, depth, sp.oo), 2 / (9 * sp.pi**2)),
)
def relu_without_biases(stated: Any, says: str) -> Findings:
    """The map c' = kappa_1(c) has no sigma_w^2: with x = 1 - c = 1 - cos s, 1/sqrt(x) grows by k/2 a layer."""
    rise = (sp.sin(s) - s * sp.cos(s)) / sp.pi * (1 - sp.cos(s)) ** sp.Rational(-3, 2) / 2
    slope = sp.limit(rise, s, 0)
    left = stated.lhs.replace(GAMMA, sp.Lambda(depth, (slope * depth) ** 2 - 1))
    yield identity("gamma/l^2 from the growth of 1/sqrt(1 - c)", left, stated.rhs)
    ordered, chaotic = (_relu_course(400, weights, 0.0) for weights in (1.0, 3.0))
    yield agree("gamma at depth 400, sigma_w^2 = 1 and 3", ordered[400], chaotic[400], 9)
    every = "every" if abs(ordered[400] / chaotic[400] - 1) < 1e-9 else "no"
    yield worded(says, "With {} gamma is the same at {} sigma_w^2", settings.biases(igb.mlp(1, sigma_b2=0.0)), every)
    doubled = ordered[400] / ordered[200]  # 4 for l^2
    yield worded(says, "{} as a power of the depth", "grows" if 3.7 < doubled < 4 else "shrinks")
    phase, *_ = igb.phases.classify("relu", 1.0, 0.1).name.split()
    yield worded(says, "in the {} phase too", phase)


@SECTION.holds(
    "D-ReLU-EOC",
    "The edge of chaos of ReLU is the single point of sigma_b^2 = 0 and sigma_w^2 = 2",
    printed=(equation(AFTER, sigma_w2 * q / 2 + sigma_b2), equation(CHI, sigma_w2 / 2)),
    document=CODE,
    at=f"{DIAGRAM}, ReLU",
    where="the edge of chaos is where gradients are stable (chi~_1 = 1) and the variance stays finite and above 0",
)
def edge_of_relu(stated: Any, says: str) -> Findings:
    """Gradients are stable on all of the line sigma_w^2 = 2: by chi~_1 = 1 alone (D-MF3) it would be the edge. With
    biases q grows there by sigma_b^2 a layer without bound. The package calls the line the backward threshold.
    """
    variance, slope = (value_of(quantity, stated) for quantity in (AFTER, CHI))
    yield identity("q'", sigma_w2 * q * relu_moment(2) + sigma_b2, variance)
    yield identity("chi~_1", sigma_w2 * relu_moment(0), slope)
    line = sp.solve(slope - 1, sigma_w2)[0]
    yield identity("q' - q where chi~_1 = 1", line * q * relu_moment(2) + sigma_b2 - q, sigma_b2)
    for biases, edge in ((0.0, True), (0.1, False)):
        meaning = igb.phases.classify("relu", float(line), biases).meaning
        yield shown(f"sigma_b^2 = {biases}: the package's phase", ("no edge of chaos" not in meaning) == edge, meaning)
        if edge:
            yield worded(says, "sigma_b^2 = {:g} and sigma_w^2 = {:g}", biases, float(line))


@SECTION.holds(
    "D-fg",
    "Gamma of the next layer of ReLU follows from the functions g_r and f_r of gamma",
    printed=(
        equation(g_r, 2 / sp.pi * gamma * sp.atan(sp.sqrt(2 * gamma + 1)) + sp.sqrt(2 * gamma + 1) / sp.pi),
        equation(f_r, 1 + gamma - g_r),
        equation(GAMMA_AFTER, (g_r + 2 * sigma_b2 / (sigma_w2 * sigma_y**2)) / f_r),
    ),
    document=CODE,
    at="plot/plot_forward.py, g_relu and f_relu",
    where="widths are infinite; sigma_y^2 is of the same layer as gamma",
)
def recursion_of_relu(stated: Any) -> Findings:
    """With q = sigma_y^2 (1 + gamma): sigma_mu'^2 = sigma_w^2 sigma_y^2 (1 + gamma) kappa_1(c)/2 + sigma_b^2. (1 +
    gamma) kappa_1(c) = g_r, as pi - arccos c = 2 arctan sqrt((1 + c)/(1 - c)) = 2 arctan sqrt(2 gamma + 1).
    """
    shared, spread, ratio = (value_of(quantity, stated) for quantity in (g_r, f_r, GAMMA_AFTER))
    cosine = (t**2 - 1) / (t**2 + 1)  # of t = sqrt((1 + c)/(1 - c)), from c = -1 at t = 0
    yield identity("d(pi - arccos c)/dt, 2 arctan t", -sp.Derivative(sp.acos(cosine), t), 2 / (1 + t**2))
    kernel = (1 + gamma) * kappa_1(gamma / (1 + gamma))
    for value in (0, sp.Rational(1, 3), 2, 50):
        yield agree(f"(1 + gamma) kappa_1 at gamma = {value}", kernel.subs(gamma, value), shared.subs(gamma, value), 25)
    centre = sigma_w2 * sigma_y**2 * g_r / 2 + sigma_b2
    whole = sigma_w2 * sigma_y**2 * (1 + gamma) / 2 + sigma_b2
    yield identity("gamma'", centre / (whole - centre), ratio.subs(f_r, spread))
    step = sp.lambdify((gamma, sigma_y, sigma_w2, sigma_b2), ratio.subs(f_r, spread).subs(g_r, shared))
    for weights, biases in ((2.0, 0.0), (1.0, 0.2), (3.0, 0.2)):
        layers = igb.mlp(12, sigma_w2=weights, sigma_b2=biases).predict().per_layer
        after = step(layers.gamma[:-1], np.sqrt(layers.var_chi[:-1]), weights, biases)
        gap = np.abs(after / layers.gamma[1:] - 1).max()
        yield shown(
            f"sigma_w^2 = {weights}, sigma_b^2 = {biases}: twelve layers of the package", gap < 1e-10, f"{gap:.1g}"
        )


# E f^2 and E |grad f|^2; the maximum has the density 2 phi Phi, E f^2 = int (t^2 phi + phi erf + 2 t phi^2) by parts
MAXIMUM = (
    sp.Integral((t**2 + sp.erf(t / sp.sqrt(2))) * npdf(t) + 2 * t * npdf(t) ** 2, (t, 0, sp.oo)),
    sp.Integral(2 * npdf(t) * ncdf(t), (t, 0, sp.oo)),
)
POOLS: dict[str, Any] = {
    "MaxPool": (2, relu_maximum, MAXIMUM, "max"),
    "AveragePool": (igb.AvgPool(2), relu_mean, AVERAGE, "mean"),
}
"""Of two nodes: the pooling of the package, of `wide`, the two integrals, and NumPy's."""
EDGES = {name: sp.Symbol(rf"\sigma_{{w,\mathrm{{{name}}}}}", positive=True) for name in POOLS}
for claim, name, constant, kept, edge, grown in (
    (
        "D-pool-relu",
        "MaxPool",
        "4 pi/(3 pi + 2)",
        4 * sp.pi / (3 * sp.pi + 2),
        sp.Rational(4, 3),
        1 + 2 / (3 * sp.pi),
    ),
    ("D-pool-relu-avg", "AveragePool", "4 pi/(pi + 1)", 4 * sp.pi / (sp.pi + 1), sp.Integer(4), 1 + 1 / sp.pi),
):

    @SECTION.limited(
        claim,
        f"The edge of chaos of ReLU + {name}(2) is drawn at sigma_w^2 = {constant}",
        printed=equation(EDGES[name] ** 2, kept),
        counter_example=f"""
f = lambda h: np.maximum(h, 0).{POOLS[name][-1]}(axis=1)
h = np.random.default_rng(0).standard_normal((10**6, 2))
gradient = 2 * (((f(h + [1e-4, 0]) - f(h)) / 1e-4) ** 2).mean()  # by h_1, and as much by h_2
assert abs(printed * (f(h) ** 2).mean() - 1) < 0.01              # the variance is kept
assert abs(printed * gradient - {float(kept / edge):.3f}) < 0.01 # squared gradients vanish by this factor a layer
""",
        assumes="the variance of the units keeps its size",
        where="this is the forward condition, under which chi~_1 is 1, too, if it is read as the derivative of q_ab' "
        "by q_ab where q_aa = q_ab varies as well; there are no biases, nodes are independent, the fan-in counts "
        "pooled units, and q'/q is that at the backward edge",
        document=CODE,
        at=f"{DIAGRAM} and plot/plot_dip.py, ReLU+{name}",
        outside=f"Squared gradients keep their size, the backward condition, at sigma_w^2 = {float(edge):.4g}, where "
        f"the variance grows by the factor {float(grown):.3f} a layer; at the drawn value they shrink by the factor "
        f"{float(kept / edge):.3f} a layer. So no sigma_w^2 meets the forward and the backward condition",
        beyond=(equation(EDGES[name] ** 2, edge), equation(KEPT**2, kept), equation(AFTER / q, grown)),
    )
    def edge_of_pooled_relu(trial: Trial, stated: Any, says: str) -> Findings:
        """Forward, sigma_w^2 E f^2 = q; backward, chi~_1 = sigma_w^2 E |grad f|^2 = 1 at a fixed q_aa, the criterion of
        the authors' compute_eoc.py for tanh + AveragePool. The maximum has one active node where it is positive, with
        probability 3/4; the mean has E |grad f|^2 = 2 (1/2)^2 P(h > 0) = 1/4. At width N the mean of the gradient's
        factor differs from that of infinite width by less than 1/N a layer. For ReLU alone both conditions are met at
        sigma_w^2 = 2 without biases (D-ReLU-EOC).
        """
        name = next(name for name, symbol in EDGES.items() if relations_of(stated)[0].has(symbol))
        pool, block, (square, slope), _ = POOLS[name]
        edge = value_of(EDGES[name] ** 2, stated)
        found, thresholds = igb.phases.edge_of_chaos("relu", pool=pool), igb.phases.thresholds("relu", pool=pool)
        h = trial.rng.standard_normal((trial.draws(2500), 250, 2))
        back, forth = growth(trial.rng, h, block, float(edge))
        label = f"width 250, sigma_w^2 = {float(edge):.4f}, three layers"
        if not relations_of(stated)[1:]:  # the drawn value
            yield identity("forward: sigma_w^2 E f^2 = q", edge * square, 1)
            yield agree("the package's forward threshold", thresholds.forward, edge, 12)
            yield measured(trial, f"{label}: variance", *mean_with_error(forth), 1)
            kept = abs(float(edge * evaluated(square)) - 1) < 1e-12
            yield worded(says, "the variance of the units {} its size", "keeps" if kept else "changes")
            return
        yield identity("backward: chi~_1 = sigma_w^2 E |grad f|^2", edge * slope, 1)
        yield agree("the package's backward threshold", thresholds.backward, edge, 12)
        yield measured(trial, f"{label}: squared gradient", *mean_with_error(back), 1)
        kept, grown = value_of(KEPT**2, stated), value_of(AFTER, stated) / q
        yield identity("sigma_w^2 E f^2 where q is kept", kept * square, 1)
        yield identity("sigma_w^2 E f^2 at the backward edge", edge * square, grown)
        yield measured(trial, f"{label}: variance", *mean_with_error(forth), grown**3)
        factor, wide = float(kept * evaluated(slope)), float(edge * evaluated(square))
        phrase = (
            "{} their size, the backward condition, at sigma_w^2 = {:.4g}, where the variance {} by the factor {:.3f}"
        )
        size = "keep" if abs(float(edge * evaluated(slope)) - 1) < 1e-12 else "lose"
        yield worded(says, phrase, size, float(edge), "grows" if wide > 1 else "shrinks", wide)
        yield worded(
            says, "at the drawn value they {} by the factor {:.3f}", "shrink" if factor < 1 else "grow", factor
        )
        yield worded(says, "So {} sigma_w^2 meets the forward", "no" if np.isnan(found) else "one")


GAMMAS = {name: sp.Function(rf"\gamma_\mathrm{{{name}}}") for name in POOLS}  # of the depth


@SECTION.holds(
    "D-pool-rates",
    "For pooled ReLU with no biases gamma diverges at every sigma_w^2: deep prejudice",
    printed=tuple(
        equation(sp.Limit(GAMMAS[name](depth + 1) / GAMMAS[name](depth), depth, sp.oo), 1 + factor / sp.pi)
        for name, factor in (("MaxPool", sp.Rational(2, 3)), ("AveragePool", 1))
    ),
    document=CODE,
    at=f"{DIAGRAM}, ReLU+MaxPool and ReLU+AveragePool",
    where="width goes to infinity before depth; the code draws deep prejudice only, the rates are ours",
)
def pooled_relu_diverges(stated: Any, says: str) -> Findings:
    """The map c' = K(c)/K(1) has the slope E |grad f|^2/E f^2 < 1 at c = 1. gamma grows by the inverse of it."""
    with mp.workdps(25):
        exact = mp.quad(lambda u: 2 * u**2 * mp.npdf(u) * mp.ncdf(u), [0, 1, 3, 12])
    yield agree("MaxPool(2): E f^2 by quadrature", exact, evaluated(MAXIMUM[0]), 20)
    for part, (name, (pool, _, (square, slope), _)) in zip(stated, POOLS.items(), strict=True):
        factor = sp.simplify(evaluated(square / slope))
        left = part.lhs.replace(GAMMAS[name], sp.Lambda(depth, factor**depth))
        yield identity(f"{name}: E f^2/E |grad f|^2", left, part.rhs)
        course = igb.mlp(60, pool=pool, sigma_w2=1.0).predict().per_layer.gamma
        yield agree(f"{name}: the factor of gamma at depth 60", course[60] / course[59], part.rhs, 2.5)
        other = igb.mlp(20, pool=pool, sigma_w2=3.0).predict().gamma
        yield agree(f"{name}: gamma at depth 20, sigma_w^2 = 1 and 3", course[20], other, 9)
        fate, where = "diverges" if factor > 1 else "vanishes", "every" if abs(course[20] / other - 1) < 1e-9 else "no"
        state = "prejudice" if course[60] > 1 else "neutrality"
        bare = settings.biases(igb.mlp(1, pool=pool))
        yield worded(says, "with {} gamma {} at {} sigma_w^2: deep {}", bare, fate, where, state)


@SECTION.holds(
    "D-pool-order",
    "The limits do not commute: width comes before depth",
    printed=equation(E(s_l**2) / E(s_l) ** 2, (1 + 5 / width) ** depth),
    at="Limitations & Future Work",
    where="read as: the results need that order; s_l is the variance of the units of layer l, here of ReLU",
)
def width_before_depth(trial: Trial, stated: Any, says: str) -> Findings:
    """At width N the variance s of a layer is random. Given s the N units are independent, and f is homogeneous, so
    that a layer multiplies E s^2/(E s)^2 by 1 + k/N, k = E f^4/(E f^2)^2 - 1.
    """
    moment = relu_moment(4) / relu_moment(2) ** 2
    ratio = value_of(E(s_l**2), stated).subs(E(s_l), 1)
    yield identity("1 + k/N", 1 + (moment - 1) / width, ratio.subs(depth, 1))
    yield identity("width first", sp.Limit(ratio, width, sp.oo), 1)
    yield identity("depth first: the inverse", sp.Limit(1 / ratio.subs(width, 10), depth, sp.oo), 0)
    first, last = sp.limit(ratio, width, sp.oo), sp.limit(1 / ratio.subs(width, 10), depth, sp.oo)
    yield worded(says, "do {} commute", "not" if first != 1 / last else "indeed")
    yield identity("together", sp.Limit(ratio.subs(depth, 2 * width), width, sp.oo), sp.exp(10))
    for layers in (2, 6):
        # given s, a random half of the 50 units counts, each by the square of a normal number
        found = np.full(trial.draws(200_000), 2.0)
        for _ in range(layers):
            found *= trial.rng.standard_gamma(trial.rng.binomial(50, 0.5, len(found)) / 2) * 4 / 50
        expected = value_of(E(s_l**2), stated).subs({E(s_l): 2, width: 50, depth: layers})
        yield measured(trial, f"width 50, {layers} layers: E s^2", *mean_with_error(found**2), expected, 4.0)


def _correlation(trial: Trial, weights: float, biases: float) -> tuple[float, float]:
    """Correlation of two orthogonal data behind ten layers of tanh + MaxPool(2), width 1000, and its error."""
    h = np.sqrt(weights) * trial.rng.standard_normal((trial.draws(40), 1000, 2, 2))
    for _ in range(10):
        h = forward(trial.rng, np.tanh(h.max(axis=2)), weights, biases, units=2000).reshape(h.shape)
    products = np.einsum("nijd,nije->nde", h, h)
    return mean_with_error(products[:, 0, 1] / np.sqrt(products[:, 0, 0] * products[:, 1, 1]))


@SECTION.holds(
    "D-pool-tanhmax",
    "Tanh + MaxPool(2) has the edge of chaos of tanh, and shows prejudice on the chaotic side",
    printed=(equation(MAX_EDGE**2, TANH_EDGE**2), sp.Gt(gamma, 1)),
    assumes="sigma_w^2 up to 4 and sigma_b^2 up to 0.2",
    document=CODE,
    at=f"{DIAGRAM}, Tanh+MaxPool",
    where="nodes are independent, and the fan-in counts pooled units; the code draws an edge and prejudice, and "
    "compute_eoc.py names tanh and tanh + MaxPool together over one edge",
)
def edge_of_max_pooled_tanh(trial: Trial, stated: Any, says: str) -> Findings:
    """The modulus of the larger of two has the law of the modulus of one. As tanh^2 and tanh'^2 are even, q* and chi_1
    do not notice the pooling. From 0 at orthogonal data c rises to c*, and gamma is c/(1 - c). Not noticed: a bound of
    1.1, as gamma is above 2 at all of these points.
    """
    prejudice, same = stated[1], value_of(MAX_EDGE**2, stated)
    modulus = sp.Derivative(ncdf(t) ** 2 - ncdf(-t) ** 2, t)
    yield identity("density of |M|: twice that of N(0, 1)", modulus, 2 * npdf(t))
    larger = 2 * ndtr(NODES) * WEIGHTS  # weights of the nodes for the larger of two N(0, 1)
    for star in (0.3, 0.8, 1.5):
        h = np.sqrt(star) * NODES
        yield agree(f"q = {star}: E f^2 with and without MaxPool(2)", larger @ np.tanh(h) ** 2, tanh.square(star), 12)
        found = 1 / float(larger @ np.cosh(h) ** -4.0)
        yield agree(f"q = {star}: sigma_w^2 on the edge", found, same.subs(TANH_EDGE, tanh.edge(star) ** 0.5), 12)
    least, scales, offsets = 1.0, (1.5, 4.0), (0.0, 0.2)
    yield worded(says, "sigma_w^2 up to {:g} and sigma_b^2 up to {:g}", max(scales), max(offsets))
    for weights in scales:
        for biases in offsets:
            value, error = _correlation(trial, weights, biases)
            low = value - 8 * error
            label = f"sigma_w^2 = {weights}, sigma_b^2 = {biases}: gamma behind ten layers, c less eight errors"
            yield satisfies(label, prejudice, {gamma: low / (1 - low)})
            least = min(least, low)
    state = "prejudice" if least > 0.5 else "neutrality"
    yield worded(says, "shows {} on the {} side", state, "chaotic" if tanh.on(tanh.edge, 0.2)[1] < 4 else "ordered")


@SECTION.holds(
    "D-pool-tanhavg",
    "The phase diagram of tanh + AveragePool(2) is that of tanh with another scale of sigma_w^2",
    printed=equation(TANH**2, sigma_w2 / 2),
    document=CODE,
    at=f"{DIAGRAM}, Tanh+AveragePool, and compute_eoc.py",
    where="nodes are independent, and the fan-in counts pooled units",
)
def phases_of_average_pooled_tanh(trial: Trial, stated: Any) -> Findings:
    """As tanh has the mean 0 and the nodes are independent, E f f = E tanh tanh/2 and E |grad f|^2 = E tanh'^2/2. So
    both maps are those of tanh with sigma_w^2/2: at sigma_b^2 = 0.1 the edge is at 3.972, the neutrality line at 5.850.
    """
    for weights, biases in ((3.0, 0.1), (8.0, 0.05)):
        half = float(value_of(TANH**2, stated).subs(sigma_w2, weights))
        pooled = igb.mlp(20, "tanh", pool=igb.AvgPool(2), sigma_w2=weights, sigma_b2=biases).predict()
        # the first layer reads inputs that are not pooled: twice their variance makes up for half of sigma_w^2
        plain = igb.mlp(20, "tanh", sigma_w2=half, sigma_b2=biases).predict(igb.GaussianInputs(variance=2.0))
        yield agree(f"({biases}, {weights}): gamma at depth 20, and that of tanh", pooled.gamma, plain.gamma, 10)
    star, edge = tanh.on(tanh.edge, 0.1)
    weights = sp.solve(value_of(TANH**2, stated) - edge, sigma_w2)[0]
    h = np.sqrt(star) * trial.rng.standard_normal((trial.draws(1500), 400, 2))
    back, forth = growth(trial.rng, h, tanh_mean, float(weights), 0.1)
    label = f"width 400, sigma_w^2 = {float(weights):.4f}, three layers at q*"
    yield measured(trial, f"{label}: squared gradient", *mean_with_error(back), 1)
    yield measured(trial, f"{label}: variance", *mean_with_error(forth), 1)
