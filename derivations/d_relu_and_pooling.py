"""Bias meets trainability, section 5 and poster: ReLU, pooled ReLU and pooled tanh in the phase diagram.

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
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, satisfies, shown, tanh
from igbtheory.claims.formula import parts, sides
from igbtheory.claims.gaussians import NODES, WEIGHTS, kappa_1, ncdf, npdf, relu_moment
from igbtheory.claims.simulated import mean_with_error
from igbtheory.claims.wide import forward, growth, relu_maximum, relu_mean, tanh_mean

SECTION = Section("Bias meets trainability, section 5 and poster: ReLU and pooling in the phase diagram", "D 5")

q, c, x, t, s, sigma_w2, sigma_b2, gamma = sp.symbols("q c x t s sigma_w2 sigma_b2 gamma", positive=True)
depth, width = sp.symbols("L N", positive=True)
g_r, f_r, sigma_y2 = sp.symbols(r"g_r f_r \sigma_{y}^2", positive=True)
AVERAGE = ((2 * relu_moment(2) + 2 * relu_moment(1) ** 2) / 4, 2 * relu_moment(0) / 4)
KEPT, GROWN = (sp.Symbol(name) for name in (r"{\sigma_w^2}(q' = q)", r"q'/q \text{ at the EOC}"))
MAX_EDGE, TANH_EDGE = sp.symbols(r"\mathrm{EOC}(\tanh+\mathrm{MaxPool}) \mathrm{EOC}(\tanh)")
PREJUDICE = sp.Gt(c, sp.Rational(1, 2))


@SECTION.holds(
    "D-ReLU-c1",
    "ReLU: c goes to 1 on the whole (sigma_b^2, sigma_w^2) diagram",
    printed=equation(r"\lim_{l \to \infty} c^{(l)}", 1),
    assumes="sigma_w^2 > 0",
)
def relu_aligns_everywhere(stated: Any) -> Findings:
    """As c' >= kappa_1(c) > c in every layer, c rises to a limit with kappa_1(c) = c, which is only 1 (A-depthIGB)."""
    a = sp.Symbol("a", positive=True)  # sigma_w^2 q/2
    kernel = kappa_1(c)
    after = (a * kernel + sigma_b2) / (a + sigma_b2)
    yield identity("c' - kappa_1(c), not below 0", after - kernel, sigma_b2 * (1 - kernel) / (a + sigma_b2))
    yield identity("where kappa_1(c) = c", sp.Subs(kernel, c, stated.rhs), stated.rhs)
    weights, biases = np.array([0.5, 1.0, 2.0, 3.0, 6.0])[:, None], np.array([0.0, 0.01, 0.1, 1.0])
    found = igb.mlp(150, sigma_w2=weights, sigma_b2=biases).predict().c
    yield agree("20 points of the diagram: the least c at depth 150", found.min(), stated.rhs, 2.5)


@SECTION.fails(
    "D-ReLU-rate",
    "ReLU: gamma diverges exponentially in the ordered phase and by a power law in the chaotic phase",
    printed=sp.Gt(sp.Symbol(r"\text{for } \sigma_w^2 < 2\text{: } \lim_{l \to \infty} \gamma_{l+1}/\gamma_l"), 1),
    counter_example="""
from math import acos, pi, sqrt
c, gamma = 0.0, []
for _ in range(400):                      # ReLU without biases: c' = kappa_1(c) whatever sigma_w^2
    c = (sqrt(1 - c * c) + c * (pi - acos(c))) / pi
    gamma.append(c / (1 - c))
assert 3.7 < gamma[399] / gamma[199] < 4.0    # a power law, l^2, in the ordered phase as well
""",
)
def ordered_relu_is_exponential(stated: Any) -> Findings:
    """Without biases c' = kappa_1(c) does not depend on sigma_w^2: gamma goes as 2 l^2/(9 pi^2) in all phases."""
    cosine = sp.cos(s)  # c = cos s, 1 - c' = 1 - c - (sin s - s cos s)/pi
    ratio = sp.limit((1 - cosine) / (1 - cosine - (sp.sin(s) - s * cosine) / sp.pi), s, 0)
    yield satisfies("without biases, gamma = 1/(1 - c) for c near 1", stated, {stated.lhs: ratio})


@SECTION.corrects(
    "D-ReLU-rate",
    "With biases gamma grows as (2/sigma_w^2)^l for sigma_w^2 < 2 and as powers of l from 2 on; without biases as the "
    "last power for every sigma_w^2",
    right=(
        equation(r"\text{for } \sigma_w^2 < 2\text{: } \lim \gamma_{l+1}/\gamma_l", 2 / sigma_w2),
        equation(r"\text{at } \sigma_w^2 = 2\text{: } \lim \gamma_l/l^2", 8 / (9 * sp.pi**2)),
        equation(r"\text{for } \sigma_w^2 > 2\text{: } \lim \gamma_l/l^2", 2 / (9 * sp.pi**2)),
    ),
    assumes="infinite width",
)
def rates_of_relu(stated: Any) -> Findings:
    """1 - kappa_1(1 - x) = x - k x^(3/2) + ..., k = 2 sqrt(2)/(3 pi), and x' = (a/(a + sigma_b^2)) (1 - kappa_1).
    sigma_w^2 < 2: q* = sigma_b^2/(1 - sigma_w^2/2), the factor is sigma_w^2/2, x falls by it. At 2, q = q_0 + sigma_b^2
    l and the factor is 1 - 1/l: dx/dl = -k x^(3/2) - x/l. Above, q grows exponentially, the factor is 1 up to terms
    that can be summed: dx/dl = -k x^(3/2). gamma ~ 1/x.
    """
    ordered, critical, chaotic = (part.rhs for part in stated)
    k = 2 * sp.sqrt(2) / (3 * sp.pi)
    # c = cos s, x = 1 - c, kappa_1(c) - c = (sin s - s cos s)/pi
    fall = (sp.sin(s) - s * sp.cos(s)) / sp.pi * (1 - sp.cos(s)) ** sp.Rational(-3, 2)
    yield identity("k", sp.Limit(fall, s, 0), k)
    for name, constant, factor in (("sigma_w^2 = 2", critical, x / depth), ("sigma_w^2 > 2", chaotic, 0)):
        apart = 1 / (constant * depth**2)
        right = (-k * x ** sp.Rational(3, 2) - factor).subs(x, apart)
        yield identity(f"{name}: dx/dl", sp.Derivative(apart, depth), right)
    fixed = sigma_b2 / (1 - sigma_w2 / 2)
    slope = sp.Subs(sp.Derivative((sigma_w2 * fixed * kappa_1(c) / 2 + sigma_b2) / fixed, c), c, 1)
    yield identity("sigma_w^2 < 2: the factor of x at q*", slope, 1 / ordered)

    def course(depth: int, weights: float, biases: float) -> Any:
        return igb.mlp(depth, sigma_w2=weights, sigma_b2=biases).predict().per_layer.gamma

    gammas, label = course(220, 1.6, 0.1), "sigma_w^2 = 1.6: the factor of gamma of the package"
    yield agree(label, gammas[220] / gammas[219], ordered.subs(sigma_w2, 1.6), 6)
    roots, label = np.sqrt(course(600, 3.0, 0.1)), "sigma_w^2 = 3: the slope of sqrt(gamma) of the package"
    yield agree(label, (roots[600] - roots[300]) / 300, sp.sqrt(chaotic), 2)
    # at sigma_w^2 = 2, 1/sqrt(x) = k l + C sqrt(l): of the values at l and 4l, one less twice the other is 2 k l
    roots = np.sqrt(course(8000, 2.0, 1.0))
    yield agree("sigma_w^2 = 2: the same", (roots[8000] - 2 * roots[2000]) / 4000, sp.sqrt(critical), 2)


@SECTION.holds(
    "D-ReLU-EOC",
    "The edge of chaos of ReLU is the single point (sigma_b^2, sigma_w^2) = (0, 2); the line sigma_w^2 = 2 with "
    "sigma_b^2 > 0 is none",
    printed=(equation("q'", sigma_w2 * q / 2 + sigma_b2), equation(r"\tilde\chi_1", sigma_w2 / 2)),
    assumes="edge of chaos: gradients are stable (chi~_1 = 1) and the variance stays finite and above 0",
)
def edge_of_relu(stated: Any) -> Findings:
    """Gradients are stable on all of the line sigma_w^2 = 2: by chi~_1 = 1 alone (D-MF3) it would be the edge. With
    biases q grows there by sigma_b^2 a layer without bound. The package calls the line the backward threshold.
    """
    variance, slope = (part.rhs for part in stated)
    yield identity("q'", sigma_w2 * q * relu_moment(2) + sigma_b2, variance)
    yield identity("chi~_1", sigma_w2 * relu_moment(0), slope)
    line = sp.solve(slope - 1, sigma_w2)[0]
    yield identity("q' - q where chi~_1 = 1", line * q * relu_moment(2) + sigma_b2 - q, sigma_b2)
    for biases, edge in ((0.0, True), (0.1, False)):
        meaning = igb.phases.classify("relu", float(line), biases).meaning
        yield shown(f"sigma_b^2 = {biases}: the package's phase", ("no edge of chaos" not in meaning) == edge, meaning)


@SECTION.holds(
    "D-fg",
    "ReLU: gamma' is a function of gamma and of sigma_y^2, by two functions g_r and f_r of gamma",
    printed=(
        sp.Eq(g_r, 2 / sp.pi * gamma * sp.atan(sp.sqrt(2 * gamma + 1)) + sp.sqrt(2 * gamma + 1) / sp.pi),
        sp.Eq(f_r, 1 + gamma - g_r),
        equation(r"{\gamma'}", (g_r + 2 * sigma_b2 / (sigma_w2 * sigma_y2)) / f_r),
    ),
    assumes="infinite width; sigma_y^2 of the same layer as gamma",
)
def recursion_of_relu(stated: Any) -> Findings:
    """With q = sigma_y^2 (1 + gamma): sigma_mu'^2 = sigma_w^2 sigma_y^2 (1 + gamma) kappa_1(c)/2 + sigma_b^2. (1 +
    gamma) kappa_1(c) = g_r, as pi - arccos c = 2 arctan sqrt((1 + c)/(1 - c)) = 2 arctan sqrt(2 gamma + 1).
    """
    shared, spread, ratio = (part.rhs for part in stated)
    cosine = (t**2 - 1) / (t**2 + 1)  # of t = sqrt((1 + c)/(1 - c)), from c = -1 at t = 0
    yield identity("d(pi - arccos c)/dt, 2 arctan t", -sp.Derivative(sp.acos(cosine), t), 2 / (1 + t**2))
    kernel = (1 + gamma) * kappa_1(gamma / (1 + gamma))
    for value in (0, sp.Rational(1, 3), 2, 50):
        yield agree(f"(1 + gamma) kappa_1 at gamma = {value}", kernel.subs(gamma, value), shared.subs(gamma, value), 25)
    centre = sigma_w2 * sigma_y2 * g_r / 2 + sigma_b2
    whole = sigma_w2 * sigma_y2 * (1 + gamma) / 2 + sigma_b2
    yield identity("gamma'", centre / (whole - centre), ratio.subs(f_r, spread))
    step = sp.lambdify((gamma, sigma_y2, sigma_w2, sigma_b2), ratio.subs(f_r, spread).subs(g_r, shared))
    for weights, biases in ((2.0, 0.0), (1.0, 0.2), (3.0, 0.2)):
        layers = igb.mlp(12, sigma_w2=weights, sigma_b2=biases).predict().per_layer
        after = step(layers.gamma[:-1], layers.var_chi[:-1], weights, biases)
        gap = np.abs(after / layers.gamma[1:] - 1).max()
        yield shown(
            f"sigma_w^2 = {weights}, sigma_b^2 = {biases}: twelve layers of the package", gap < 1e-10, f"{gap:.1g}"
        )


# E f^2 and E |grad f|^2; the maximum has the density 2 phi Phi, E f^2 = int (t^2 phi + phi erf + 2 t phi^2) by parts
MAXIMUM = (
    sp.Integral((t**2 + sp.erf(t / sp.sqrt(2))) * npdf(t) + 2 * t * npdf(t) ** 2, (t, 0, sp.oo)),
    sp.Integral(2 * npdf(t) * ncdf(t), (t, 0, sp.oo)),
)
POOLS = {
    "MaxPool": (2, relu_maximum, MAXIMUM, "max"),
    "AveragePool": (igb.AvgPool(2), relu_mean, AVERAGE, "mean"),
}
"""Of two nodes: the pooling of the package, of `wide`, the two integrals, and NumPy's."""
for claim, name, kept, edge, grown in (
    ("D-pool-relu", "MaxPool", 4 * sp.pi / (3 * sp.pi + 2), sp.Rational(4, 3), 1 + 2 / (3 * sp.pi)),
    ("D-pool-relu-avg", "AveragePool", 4 * sp.pi / (sp.pi + 1), sp.Integer(4), 1 + 1 / sp.pi),
):
    POINT = sp.Symbol(rf"\sigma_w^2(\mathrm{{EOC}}, \mathrm{{{name}}})")

    @SECTION.fails(
        claim,
        f"ReLU + {name}(2), sigma_b^2 = 0: the edge of chaos, where chi~_1 = 1, is at sigma_w^2 = {float(kept):.5f}",
        printed=sp.Eq(POINT, kept),
        counter_example=f"""
f = lambda h: np.maximum(h, 0).{POOLS[name][-1]}(axis=1)
h = np.random.default_rng(0).standard_normal((10**6, 2))
gradient = 2 * (((f(h + [1e-4, 0]) - f(h)) / 1e-4) ** 2).mean()  # by h_1, and as much by h_2
assert abs(printed * (f(h) ** 2).mean() - 1) < 0.01              # the variance is kept
assert abs(printed * gradient - {float(kept / edge):.3f}) < 0.01 # squared gradients vanish by this factor a layer
""",
        correction="There are two thresholds. The printed value keeps the variance; gradients are kept at a larger one",
        right=(sp.Eq(POINT, edge), sp.Eq(KEPT, kept), sp.Eq(GROWN, grown)),
        right_assumes="infinite width; the fan-in counts pooled units; the edge read as chi~_1 = 1",
    )
    def edge_of_pooled_relu(trial: Trial, stated: Any) -> Findings:
        """The paper's own criterion is chi~_1 = sigma_w^2 E |grad f|^2 = 1. The maximum has one active node where it is
        positive, with probability 3/4; the mean has E |grad f|^2 = 2 (1/2)^2 P(h > 0) = 1/4. At width N the mean of the
        gradient's factor differs from that of infinite width by less than 1/N a layer.
        """
        pool, block, (square, slope), _ = next(row for name, row in POOLS.items() if name in str(parts(stated)[0].lhs))
        edge, *more = sides(stated)
        yield identity("chi~_1 = sigma_w^2 E |grad f|^2 at the edge", edge * slope, 1)
        yield agree("the package's edge", igb.phases.edge_of_chaos("relu", pool=pool), edge, 12)
        h = trial.rng.standard_normal((trial.draws(2500), 250, 2))
        back, forth = growth(trial.rng, h, block, float(edge))
        label = f"width 250, sigma_w^2 = {float(edge):.4f}, three layers"
        yield measured(trial, f"{label}: squared gradient", *mean_with_error(back), 1)
        for kept, grown in [more] if more else ():
            yield identity("sigma_w^2 E f^2 where q is kept", kept * square, 1)
            yield identity("sigma_w^2 E f^2 at the edge", edge * square, grown)
            yield measured(trial, f"{label}: variance", *mean_with_error(forth), grown**3)


@SECTION.holds(
    "D-pool-rates",
    "Pooled ReLU without biases: gamma diverges for every sigma_w^2",
    printed=(
        equation(r"\text{MaxPool(2): } \lim \gamma_{l+1}/\gamma_l", 1 + 2 / (3 * sp.pi)),
        equation(r"\text{AvgPool(2): } \lim \gamma_{l+1}/\gamma_l", 1 + 1 / sp.pi),
    ),
    assumes="infinite width before depth",
)
def pooled_relu_diverges(stated: Any) -> Findings:
    """The map c' = K(c)/K(1) has the slope E |grad f|^2/E f^2 < 1 at c = 1. gamma grows by the inverse of it."""
    with mp.workdps(25):
        exact = mp.quad(lambda u: 2 * u**2 * mp.npdf(u) * mp.ncdf(u), [0, 1, 3, 12])
    yield agree("MaxPool(2): E f^2 by quadrature", exact, MAXIMUM[0].doit(), 20)
    for part, (name, (pool, _, (square, slope), _)) in zip(stated, POOLS.items(), strict=True):
        yield identity(f"{name}: E f^2/E |grad f|^2", square / slope, part.rhs)
        course = igb.mlp(60, pool=pool, sigma_w2=1.0).predict().per_layer.gamma
        yield agree(f"{name}: the factor of gamma at depth 60", course[60] / course[59], part.rhs, 2.5)
        other = igb.mlp(20, pool=pool, sigma_w2=3.0).predict().gamma
        yield agree(f"{name}: gamma at depth 20, sigma_w^2 = 1 and 3", course[20], other, 9)


@SECTION.holds(
    "D-pool-order",
    "The limits are taken in this order: width to infinity before depth",
    printed=equation(r"E\,s_{L}^2/(E\,s_{L})^2", (1 + 5 / width) ** depth),
    assumes="read as: the results need that order; s_L is the variance of the units of layer L, here of ReLU",
)
def width_before_depth(trial: Trial, stated: Any) -> Findings:
    """At width N the variance s of a layer is random. Given s the N units are independent, and f is homogeneous, so
    that a layer multiplies E s^2/(E s)^2 by 1 + k/N, k = E f^4/(E f^2)^2 - 1.
    """
    moment = relu_moment(4) / relu_moment(2) ** 2
    yield identity("1 + k/N", 1 + (moment - 1) / width, stated.rhs.subs(depth, 1))
    yield identity("width first", sp.Limit(stated.rhs, width, sp.oo), 1)
    yield identity("depth first: the inverse", sp.Limit(1 / stated.rhs.subs(width, 10), depth, sp.oo), 0)
    yield identity("together", sp.Limit(stated.rhs.subs(depth, 2 * width), width, sp.oo), sp.exp(10))
    for layers in (2, 6):
        # given s, a random half of the 50 units counts, each by the square of a normal number
        found = np.ones(trial.draws(400_000))
        for _ in range(layers):
            found *= trial.rng.standard_gamma(trial.rng.binomial(50, 0.5, len(found)) / 2) * 4 / 50
        expected = stated.rhs.subs({width: 50, depth: layers})
        yield measured(trial, f"width 50, {layers} layers: E s^2/(E s)^2", *mean_with_error(found**2), expected, 1.0)


def _correlation(trial: Trial, weights: float, biases: float) -> tuple[float, float]:
    """Correlation of two orthogonal data behind ten layers of tanh + MaxPool(2), width 1000, and its error."""
    h = np.sqrt(weights) * trial.rng.standard_normal((trial.draws(40), 1000, 2, 2))
    for _ in range(10):
        h = forward(trial.rng, np.tanh(h.max(axis=2)), weights, biases, units=2000).reshape(h.shape)
    products = np.einsum("nijd,nije->nde", h, h)
    return mean_with_error(products[:, 0, 1] / np.sqrt(products[:, 0, 0] * products[:, 1, 1]))


@SECTION.fails(
    "D-pool-tanhmax",
    "tanh + MaxPool(2): the edge of chaos is a separate curve, and the chaotic side shows prejudice only",
    printed=(sp.Ne(MAX_EDGE, TANH_EDGE), PREJUDICE),
    assumes="sigma_w^2 <= 4, sigma_b^2 <= 0.2",
    counter_example="""
h = np.random.default_rng(0).standard_normal((10**6, 2)) * 0.9
M = h.max(axis=1)
# |M| has the law of |h_1|, so that E tanh^2 and E tanh'^2, and with them q*, chi_1 and the edge, are those of tanh
assert abs((np.tanh(M) ** 2).mean() - (np.tanh(h[:, 0]) ** 2).mean()) < 0.002
assert abs((np.cosh(M) ** -4.0).mean() - (np.cosh(h[:, 0]) ** -4.0).mean()) < 0.002
""",
    correction="tanh + MaxPool(2) has the edge of chaos of tanh. Its chaotic side shows prejudice only",
    right=(sp.Eq(MAX_EDGE, TANH_EDGE), PREJUDICE),
    right_assumes="sigma_w^2 <= 4, sigma_b^2 <= 0.2; independent nodes; the fan-in counts pooled units",
)
def edge_of_max_pooled_tanh(trial: Trial, stated: Any) -> Findings:
    """The modulus of the larger of two has the law of the modulus of one. As tanh^2 and tanh'^2 are even, q* and chi_1
    do not notice the pooling. From 0 at orthogonal data c rises to c*. Not noticed: a bound of 0.55, as c is above 0.7
    at all of these points.
    """
    edges, prejudice = stated
    modulus = sp.Derivative(ncdf(t) ** 2 - ncdf(-t) ** 2, t)
    yield identity("density of |M|: twice that of N(0, 1)", modulus, 2 * npdf(t))
    larger = 2 * ndtr(NODES) * WEIGHTS  # weights of the nodes for the larger of two N(0, 1)
    for star in (0.3, 0.8, 1.5):
        h = np.sqrt(star) * NODES
        yield agree(f"q = {star}: E f^2 with and without MaxPool(2)", larger @ np.tanh(h) ** 2, tanh.square(star), 12)
        found = 1 / float(larger @ np.cosh(h) ** -4.0)
        values = {MAX_EDGE: sp.Float(round(found, 9)), TANH_EDGE: sp.Float(round(tanh.edge(star), 9))}
        yield satisfies(f"q = {star}: sigma_w^2 on the edge, to nine decimals", edges, values)
    for weights in (1.5, 4.0):
        for biases in (0.0, 0.2):
            value, error = _correlation(trial, weights, biases)
            label = f"sigma_w^2 = {weights}, sigma_b^2 = {biases}: c behind ten layers, less eight errors"
            yield satisfies(label, prejudice, {c: value - 8 * error})


@SECTION.holds(
    "D-pool-tanhavg",
    "tanh + AveragePool(2) has a phase diagram with an edge of chaos, prejudice and neutrality: that of tanh at half "
    "of sigma_w^2",
    printed=equation(r"{\sigma_w^2}(\tanh)", sigma_w2 / 2),
    assumes="independent nodes; the fan-in counts pooled units",
)
def phases_of_average_pooled_tanh(trial: Trial, stated: Any) -> Findings:
    """As tanh has the mean 0 and the nodes are independent, E f f = E tanh tanh/2 and E |grad f|^2 = E tanh'^2/2. So
    both maps are those of tanh with sigma_w^2/2: at sigma_b^2 = 0.1 the edge is at 3.972, the neutrality line at 5.850.
    """
    for weights, biases in ((3.0, 0.1), (8.0, 0.05)):
        half = float(stated.rhs.subs(sigma_w2, weights))
        pooled = igb.mlp(20, "tanh", pool=igb.AvgPool(2), sigma_w2=weights, sigma_b2=biases).predict()
        # the first layer reads inputs that are not pooled: twice their variance makes up for half of sigma_w^2
        plain = igb.mlp(20, "tanh", sigma_w2=half, sigma_b2=biases).predict(igb.GaussianInputs(variance=2.0))
        yield agree(f"({biases}, {weights}): gamma at depth 20, and that of tanh", pooled.gamma, plain.gamma, 10)
    star, edge = tanh.on(tanh.edge, 0.1)
    weights = sp.solve(stated.rhs - edge, sigma_w2)[0]
    h = np.sqrt(star) * trial.rng.standard_normal((trial.draws(1500), 400, 2))
    back, forth = growth(trial.rng, h, tanh_mean, float(weights), 0.1)
    label = f"width 400, sigma_w^2 = {float(weights):.4f}, three layers at q*"
    yield measured(trial, f"{label}: squared gradient", *mean_with_error(back), 1)
    yield measured(trial, f"{label}: variance", *mean_with_error(forth), 1)
