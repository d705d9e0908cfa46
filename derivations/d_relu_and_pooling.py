"""Bias meets trainability, section 5 and poster: ReLU, pooled ReLU and pooled tanh in the phase diagram.

For a positively homogeneous f of m nodes of variance q: E f^2 = A q, E |grad f|^2 = B. A layer multiplies the variance
by sigma_w^2 A (and adds sigma_b^2) and the squared gradient by sigma_w^2 B, which is also chi~_1 = dq_ab'/dq_ab at c =
1 by Price's theorem: d/dq_ab E f(h_a) f(h_b) = E grad f(h_a) . grad f(h_b). Two thresholds, 1/A and 1/B:

    f                    A                 B      forward 1/A                  backward 1/B
    ReLU                 1/2               1/2    2                            2
    ReLU + MaxPool(2)    3/4 + 1/(2 pi)    3/4    4 pi/(3 pi + 2) = 1.09992    4/3
    ReLU + AvgPool(2)    1/4 + 1/(4 pi)    1/4    4 pi/(pi + 1) = 3.03419      4
"""

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Bias meets trainability, section 5 and poster: ReLU and pooling in the phase diagram")

Array = NDArray[np.float64]
q, c, sw2, sb2, t = sp.symbols("q c sigma_w2 sigma_b2 t", positive=True)
KAPPA = (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi
PDF, CDF = sp.exp(-(t**2) / 2) / sp.sqrt(2 * sp.pi), (1 + sp.erf(t / sp.sqrt(2))) / 2
MAX_A, AVERAGE_A = sp.Rational(3, 4) + 1 / (2 * sp.pi), sp.Rational(1, 4) + 1 / (4 * sp.pi)
L_2 = 2 / (9 * np.pi**2)
"""gamma/l^2 of ReLU without biases."""
STEP = 0.05
# trapezoidal rule for N(0, 1): exact to rounding for functions that are analytic near the real line, such as tanh
NODES = np.arange(-9, 9.001, STEP)
WEIGHTS = STEP * np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)


def _relu(layers: int, weights: float, biases: float) -> Any:
    """Values of gamma of ReLU after every Dense."""
    return igb.mlp(layers, sigma_w2=weights, sigma_b2=biases).predict().per_layer.gamma


def _average(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


@SECTION.holds(
    "D-ReLU-c1",
    "ReLU: c goes to 1 on the whole (sigma_b^2, sigma_w^2) diagram",
    printed=r"c^{(l)} \to 1 \quad \forall \sigma_b^2 \ge 0, \sigma_w^2 > 0",
)
def relu_aligns_everywhere() -> Iterator[Finding]:
    """With a = sigma_w^2 q/2, c' = (a kappa_1(c) + sigma_b^2)/(a + sigma_b^2) >= kappa_1(c) > c for every q.

    So c rises in every layer, to a limit with c >= kappa_1(c): only 1.
    """
    a = sp.Symbol("a", positive=True)
    after = (a * KAPPA + sb2) / (a + sb2)
    yield identity("c' - kappa_1(c)", after - KAPPA, sb2 * (1 - KAPPA) / (a + sb2))
    yield identity("slope of kappa_1(c) - c, below 0", sp.diff(KAPPA - c, c), -sp.acos(c) / sp.pi)
    yield identity("kappa_1(1)", KAPPA.subs(c, 1), 1)
    weights, biases = np.array([0.5, 1.0, 2.0, 3.0, 6.0])[:, None], np.array([0.0, 0.01, 0.1, 1.0])
    gamma = igb.mlp(150, sigma_w2=weights, sigma_b2=biases).predict().per_layer.gamma  # c = gamma/(1 + gamma)
    least = gamma.min(axis=(1, 2))
    text = f"1 - c is at most {1 / (1 + least[50]):.5f} at depth 50, {1 / (1 + least[150]):.5f} at 150"
    yield shown("20 points of the diagram: c rises", np.all(np.diff(gamma, axis=0) > 0), text)
    yield shown("to 1", least[150] > 500, text)


@SECTION.fails(
    "D-ReLU-rate",
    "ReLU: gamma diverges exponentially in the ordered phase and by a power law in the chaotic phase",
    printed=r"\sigma_w^2 < 2: \gamma \sim e^{l/\xi}; \quad \sigma_w^2 > 2: \gamma \sim l^\alpha",
    counter_example="""
from math import acos, pi, sqrt
def gamma(sigma_w2, depth):  # ReLU without biases: c' = kappa_1(c) whatever sigma_w^2
    c = 0.0
    q = 1.0
    for _ in range(depth):
        cov = sigma_w2 * q / (2 * pi) * (sqrt(1 - c * c) + c * (pi - acos(c)))
        q = sigma_w2 * q / 2
        c = cov / q
    return c / (1 - c)
assert abs(gamma(1.0, 300) / gamma(3.0, 300) - 1) < 1e-9      # ordered and chaotic: the same gamma
assert 3.7 < gamma(1.0, 400) / gamma(1.0, 200) < 4.0          # a power law, l^2, in the ordered phase
""",
)
def ordered_relu_is_exponential() -> Iterator[Finding]:
    """Without biases, a point of the ordered phase for sigma_w^2 < 2, c' = kappa_1(c) does not know sigma_w^2.

    gamma is the same in all phases, 2 l^2/(9 pi^2). (Gradients vanish or explode as (sigma_w^2/2)^l.)
    """
    for weights in (0.5, 1.0, 1.9):
        gamma = _relu(200, weights, 0.0)
        ratio = gamma[200] / gamma[100]
        text = f"gamma = {gamma[100]:.5g}, {gamma[200]:.5g} at depths 100, 200: it quadruples"
        yield shown(f"sigma_b^2 = 0, sigma_w^2 = {weights}: gamma is exponential", ratio > 100, text)


@SECTION.corrects(
    "D-ReLU-rate",
    "With biases gamma grows as (2/sigma_w^2)^l for sigma_w^2 < 2, as 8 l^2/(9 pi^2) at 2 and as 2 l^2/(9 pi^2) above; "
    "without biases as 2 l^2/(9 pi^2) for every sigma_w^2",
    right=r"\sigma_b^2 > 0: \gamma \propto (2/\sigma_w^2)^l; \frac{8 l^2}{9 \pi^2}; \frac{2 l^2}{9 \pi^2} \quad "
    r"(\sigma_w^2 <, =, > 2)",
    assumes="infinite width",
)
def rates_of_relu(trial: Trial) -> Iterator[Finding]:
    """1 - kappa_1(1 - x) = x - k x^(3/2) + ..., k = 2 sqrt(2)/(3 pi), and x' = (a/(a + sigma_b^2)) (1 - kappa_1).

    sigma_w^2 < 2: q* = sigma_b^2/(1 - sigma_w^2/2), the factor is sigma_w^2/2, x falls by it. At 2, q = q_0 + sigma_b^2
    l and the factor is 1 - 1/l: dx/dl = -k x^(3/2) - x/l has x = 1/(k l)^2. Above, q grows exponentially, the factor
    is 1 up to terms that can be summed: dx/dl = -k x^(3/2) has x = 4/(k l)^2. gamma ~ 1/x.
    """
    s, k, depth = sp.symbols("s k l", positive=True)
    # c = cos s, x = 1 - c = s^2/2 - ..., kappa_1(c) - c = (sin s - s cos s)/pi = s^3/(3 pi) - ...
    found = sp.limit((sp.sin(s) - s * sp.cos(s)) / (sp.pi * s**3), s, 0) * 2 * sp.sqrt(2)
    yield identity("k", found, 2 * sp.sqrt(2) / (3 * sp.pi))
    rise = -k * t ** sp.Rational(3, 2)
    for name, course, slope in (
        ("sigma_w^2 > 2, or no biases", 4 / (k * depth) ** 2, rise),
        ("sigma_w^2 = 2 with biases", 1 / (k * depth) ** 2, rise - t / depth),
    ):
        left = sp.diff(course, depth)
        yield identity(f"{name}: dx/dl", sp.simplify(left), sp.simplify(slope.subs(t, course)))
    square = sp.Rational(8, 9) / sp.pi**2
    yield identity("k^2", (2 * sp.sqrt(2) / (3 * sp.pi)) ** 2, square)
    fixed = sb2 / (1 - sw2 / 2)
    yield identity("q*", sw2 * fixed / 2 + sb2, fixed)
    factor = sp.diff((sw2 * fixed * KAPPA / 2 + sb2) / fixed, c).subs(c, 1)
    yield identity("the slope of F at q*", factor, sw2 / 2)
    for weights in (1.0, 1.6):
        gamma = _relu(220, weights, 0.1)
        label = f"biases, sigma_w^2 = {weights}: factor of gamma"
        yield agree(label, gamma[220] / gamma[219], 2 / weights, 6)
    for weights, biases in ((3.0, 0.1), (1.5, 0.0), (3.0, 0.0)):
        first, second = ((np.sqrt(_relu(600, weights, biases)[layers]), layers) for layers in (300, 600))
        slope = (second[0] - first[0]) / (second[1] - first[1])  # of sqrt(gamma): what is constant in it drops out
        label = f"sigma_b^2 = {biases}, sigma_w^2 = {weights}: slope of sqrt(gamma)"
        yield agree(label, slope, np.sqrt(L_2), 2)
    # at sigma_w^2 = 2, 1/sqrt(x) = k l + C sqrt(l): of the values at l and 4l, one less twice the other is 2 k l
    gamma = _relu(8000, 2.0, 1.0)
    slope = (np.sqrt(gamma[8000]) - 2 * np.sqrt(gamma[2000])) / 4000
    yield agree("sigma_b^2 = 1, sigma_w^2 = 2: slope of sqrt(gamma)", slope, 2 * np.sqrt(L_2), 2)
    for weights, other in ((1.0, 3.0), (3.0, 1.0)):
        net = igb.mlp(3, sigma_w2=weights, sigma_b2=0.2)
        drawn = net.simulate(networks=trial.draws(500), width=24, samples=120, seed=trial.seed, workers=1)
        row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[3]")
        label = f"three layers, sigma_b^2 = 0.2, sigma_w^2 = {weights}: gamma, width to infinity"
        yield measured(trial, label, row.value, row.error, row.theory, against=_relu(3, other, 0.2)[3])


@SECTION.holds(
    "D-ReLU-EOC",
    "The edge of chaos of ReLU is the single point (sigma_b^2, sigma_w^2) = (0, 2); the line sigma_w^2 = 2 with "
    "sigma_b^2 > 0 is none",
    printed=r"q' = \frac{\sigma_w^2}{2} q + \sigma_b^2, \quad \tilde\chi_1 = \frac{\sigma_w^2}{2}",
    assumes="edge of chaos: gradients are stable (chi~_1 = 1) and the variance stays finite and above 0",
)
def edge_of_relu() -> Iterator[Finding]:
    """Gradients are stable on all of the line sigma_w^2 = 2: by chi~_1 = 1 alone (D-MF3) it would be the edge.

    With biases q grows there by sigma_b^2 a layer without bound. Only at sigma_b^2 = 0 both are kept.
    """
    layer = sw2 * sp.integrate(q * t**2 * PDF, (t, 0, sp.oo)) + sb2
    yield identity("q'", layer, sw2 * q / 2 + sb2)
    yield identity("chi~_1", sw2 * sp.integrate(PDF, (t, 0, sp.oo)), sw2 / 2)
    yield identity("q' - q on the line", layer.subs(sw2, 2) - q, sb2)
    for biases in (0.0, 0.1):
        p = igb.mlp(100, sigma_b2=biases).predict().per_layer
        grown = (p.var_mu + p.var_chi)[[0, 100]]
        yield agree(
            f"sigma_b^2 = {biases}: growth of q over 100 layers, plus 1", 1 + grown[1] - grown[0], 1 + 100 * biases, 9
        )


@SECTION.holds(
    "D-fg",
    "ReLU: gamma' = (g_r(gamma) + 2 sigma_b^2/(sigma_w^2 sigma_y^2))/f_r(gamma), "
    "g_r(x) = (2/pi) x arctan(sqrt(2x + 1)) + sqrt(2x + 1)/pi, f_r(x) = 1 + x - g_r(x)",
    printed=r"\gamma' = \frac{g_r(\gamma) + 2 \sigma_b^2/(\sigma_w^2 \sigma_y^2)}{f_r(\gamma)}",
    assumes="infinite width; sigma_y^2 of the same layer as gamma",
)
def recursion_of_relu() -> Iterator[Finding]:
    """With q = sigma_y^2 (1 + x), c = x/(1 + x): sigma_mu'^2 = sigma_w^2 sigma_y^2 (1 + x) kappa_1(c)/2 + sigma_b^2.

    (1 + x) kappa_1(c) = g_r(x), as pi - arccos c = 2 arctan sqrt((1 + c)/(1 - c)) = 2 arctan sqrt(2x + 1).
    """
    x, v = sp.symbols("x sigma_y2", positive=True)
    g_r = 2 / sp.pi * x * sp.atan(sp.sqrt(2 * x + 1)) + sp.sqrt(2 * x + 1) / sp.pi
    ours = (1 + x) * KAPPA.subs(c, x / (1 + x))
    yield identity("(1 + x) kappa_1 at x = 0", ours.subs(x, 0), g_r.subs(x, 0))
    cosine = (t**2 - 1) / (t**2 + 1)  # of t = sqrt((1 + c)/(1 - c)), from c = -1 at t = 0
    yield identity("pi - arccos c = 2 arctan t: the derivative by t", -sp.diff(sp.acos(cosine), t), 2 / (1 + t**2))
    yield identity("and the value at t = 0", sp.pi - sp.acos(cosine.subs(t, 0)), 0)
    yield identity("(1 + c)/(1 - c)", ((1 + c) / (1 - c)).subs(c, x / (1 + x)), 2 * x + 1)
    yield identity("(1 + x) sqrt(1 - c^2)", ((1 + x) * sp.sqrt(1 - c**2)).subs(c, x / (1 + x)), sp.sqrt(2 * x + 1))
    centre, whole = sw2 * v * g_r / 2 + sb2, sw2 * v * (1 + x) / 2 + sb2
    ratio = (g_r + 2 * sb2 / (sw2 * v)) / (1 + x - g_r)
    yield identity("gamma'", sp.simplify(centre / (whole - centre) - ratio), 0)
    with mp.workdps(30):
        for weights, biases in (("2", "0"), ("1.5", "0.1"), ("3", "0.2")):
            w, b = mp.mpf(weights), mp.mpf(biases)
            spread, ratio_ = w, b / w
            for _ in range(12):
                root = mp.sqrt(2 * ratio_ + 1)
                value = 2 / mp.pi * ratio_ * mp.atan(root) + root / mp.pi
                rest = 1 + ratio_ - value
                spread, ratio_ = w * spread * rest / 2, (value + 2 * b / (w * spread)) / rest
            p = igb.mlp(12, sigma_w2=float(weights), sigma_b2=float(biases)).predict()
            yield agree(f"twelve layers, sigma_w^2 = {weights}, sigma_b^2 = {biases}", p.gamma, ratio_, 11)


def _factors(rng: np.random.Generator, networks: int, width: int, weights: float, pool: str) -> tuple[Array, Array]:
    """Factors of the squared gradient and of the variance in networks of three layers of pooled ReLU, two a group."""
    backward, forward = [], []
    for _ in range(networks):
        h = np.sqrt(weights) * rng.standard_normal((width, 2))
        start, layers = (h**2).mean(), []
        for _ in range(3):
            w = np.sqrt(weights / width) * rng.standard_normal((2 * width, width))
            positive = h > 0
            slope = positive & (h == h.max(axis=1, keepdims=True)) if pool == "max" else positive / 2
            unit = np.maximum(h, 0).max(axis=1) if pool == "max" else np.maximum(h, 0).mean(axis=1)
            layers.append((w, slope))
            h = (w @ unit).reshape(width, 2)
        delta = rng.standard_normal((width, 2))
        for w, slope in layers[::-1]:
            delta = slope * (w.T @ delta.ravel())[:, None]
        backward.append((delta**2).mean())
        forward.append((h**2).mean() / start)
    return np.array(backward), np.array(forward)


def _thresholds(trial: Trial, pool: str, a: float, b: float, at: float) -> Iterator[Finding]:
    """Findings of a simulation: a layer has the factor sigma_w^2 A of the variance, sigma_w^2 B of the gradient."""
    narrow, wide = (_factors(trial.rng, trial.draws(1200), width, at, pool) for width in (16, 32))
    (first, e1), (second, e2) = _average(narrow[0]), _average(wide[0])
    error = float(np.hypot(e1, 2 * e2))
    back, forth = (at * b) ** 3, (at * a) ** 3
    name = f"sigma_w^2 = {at:.4f}, three layers"
    yield measured(trial, f"{name}: squared gradient, width to infinity", 2 * second - first, error, back, forth)
    # the variance has its factor at every width
    yield measured(trial, f"{name}: variance", *_average(wide[1]), forth, back)


@SECTION.fails(
    "D-pool-relu",
    "ReLU + MaxPool(2), sigma_b^2 = 0: the edge of chaos is at sigma_w^2 = 4 pi/(3 pi + 2) = 1.09992",
    printed=r"\sigma_w^2 = \frac{4 \pi}{3 \pi + 2}: \tilde\chi_1 = 1",
    counter_example="""
import numpy as np
rng = np.random.default_rng(0)
h = rng.standard_normal((10**6, 2))
f = np.maximum(h, 0).max(axis=1)                       # ReLU + MaxPool(2)
step = np.maximum(h + [1e-4, 0], 0).max(axis=1) - f    # its gradient by h_1, which has as much of it as h_2
gradient = 2 * ((step / 1e-4) ** 2).mean()
sigma_w2 = 4 * np.pi / (3 * np.pi + 2)
assert abs(sigma_w2 * (f**2).mean() - 1) < 0.01        # the variance is kept
assert abs(sigma_w2 * gradient - 0.825) < 0.01         # squared gradients vanish as 0.825^l
assert abs(4 / 3 * gradient - 1) < 0.01                # they are kept at 4/3
""",
)
def edge_of_max_pooled_relu() -> Iterator[Finding]:
    """The paper's own criterion is chi~_1 = sigma_w^2 E |grad f|^2 = 1. The maximum has one active node where it is
    positive, with probability 3/4: at the printed value chi~_1 = 3 pi/(3 pi + 2) = 0.825, the ordered phase.
    """
    printed = 4 * sp.pi / (3 * sp.pi + 2)
    yield identity("chi~_1 at the printed value", printed * sp.Rational(3, 4), 1)


@SECTION.corrects(
    "D-pool-relu",
    "There are two thresholds: the variance is kept at 1/E f^2 = 4 pi/(3 pi + 2) = 1.09992, gradients are kept "
    "(chi~_1 = 1, the edge of chaos) at 1/E |grad f|^2 = 4/3, where the variance grows by 1 + 2/(3 pi) a layer",
    right=r"\frac{1}{E f^2} = \frac{4 \pi}{3 \pi + 2}, \quad \frac{1}{E |\nabla f|^2} = \frac{4}{3}",
    assumes="infinite width; the fan-in counts pooled units",
)
def thresholds_of_max_pooled_relu(trial: Trial) -> Iterator[Finding]:
    """E f^2 = int_0^inf t^2 2 phi(t) Phi(t) dt. For a convex homogeneous f > 0, E f^2 = E |grad f|^2 + E f Lap f by
    partial integration; Lap f = 2 delta(h_1 - h_2) where f > 0 is what ReLU lacks.
    """
    half = sp.integrate(t**2 * PDF, (t, 0, sp.oo))
    # int t^2 phi erf(t/sqrt 2) by parts: int phi erf + int t phi (2 phi)
    rest = sp.integrate(2 * t * PDF**2, (t, 0, sp.oo)) + sp.Rational(1, 4)
    yield identity("E f^2", half + rest, MAX_A)
    with mp.workdps(25):
        quadrature = mp.quad(lambda s: 2 * s**2 * mp.npdf(s) * mp.ncdf(s), [0, 1, 3, 12])
        yield agree("E f^2 by quadrature", quadrature, sp.N(MAX_A, 25), 20)
        active = mp.quad(lambda s: 2 * mp.npdf(s) * mp.ncdf(s), [0, 1, 3, 12])
        yield agree("E |grad f|^2 = P(f > 0)", active, 0.75, 15)
    diagonal = sp.integrate(2 * t * PDF**2, (t, 0, sp.oo))
    yield identity("E f^2 = E |grad f|^2 + E f Lap f", MAX_A, sp.Rational(3, 4) + diagonal)
    yield identity("forward threshold", 1 / MAX_A, 4 * sp.pi / (3 * sp.pi + 2))
    yield identity("growth of the variance at 4/3", sp.Rational(4, 3) * MAX_A, 1 + 2 / (3 * sp.pi))
    # q_ab as a function of c: Hoeffding's formula and Price's theorem by the package, at c near 1
    inputs = igb.GaussianInputs(shift=np.sqrt(1 - 1e-8), variance=1e-8)
    net = igb.Network(igb.Dense(1.0), igb.Activation("relu"), igb.MaxPool(2), igb.Dense(1.0))
    spread = net.predict(inputs).var_chi / 1e-8
    yield agree("dq_ab'/dq_ab of the package at 1 - c = 1e-8", spread, 0.75, 3)
    for at in (4 * np.pi / (3 * np.pi + 2), 4 / 3):
        yield from _thresholds(trial, "max", float(MAX_A), 0.75, at)


@SECTION.fails(
    "D-pool-relu-avg",
    "ReLU + AveragePool(2), sigma_b^2 = 0: the edge of chaos is at sigma_w^2 = 4 pi/(pi + 1) = 3.03419",
    printed=r"\sigma_w^2 = \frac{4 \pi}{\pi + 1}: \tilde\chi_1 = 1",
    counter_example="""
import numpy as np
rng = np.random.default_rng(0)
h = rng.standard_normal((10**6, 2))
f = np.maximum(h, 0).mean(axis=1)                      # ReLU + AveragePool(2)
gradient = ((h > 0) / 4).sum(axis=1).mean()            # |grad f|^2 = (1_{h_1 > 0} + 1_{h_2 > 0})/4
sigma_w2 = 4 * np.pi / (np.pi + 1)
assert abs(sigma_w2 * (f**2).mean() - 1) < 0.01        # the variance is kept
assert abs(sigma_w2 * gradient - 0.759) < 0.01         # squared gradients vanish as 0.759^l
assert abs(4 * gradient - 1) < 0.01                    # they are kept at 4
""",
)
def edge_of_average_pooled_relu() -> Iterator[Finding]:
    """E |grad f|^2 = 2 (1/2)^2 P(h > 0) = 1/4: at the printed value chi~_1 = pi/(pi + 1) = 0.759, the ordered phase."""
    printed = 4 * sp.pi / (sp.pi + 1)
    yield identity("chi~_1 at the printed value", printed * sp.Rational(1, 4), 1)


@SECTION.corrects(
    "D-pool-relu-avg",
    "There are two thresholds: the variance is kept at 1/E f^2 = 4 pi/(pi + 1) = 3.03419, gradients are kept "
    "(chi~_1 = 1, the edge of chaos) at 1/E |grad f|^2 = 4, where the variance grows by 1 + 1/pi a layer",
    right=r"\frac{1}{E f^2} = \frac{4 \pi}{\pi + 1}, \quad \frac{1}{E |\nabla f|^2} = 4",
    assumes="infinite width; the fan-in counts pooled units",
)
def thresholds_of_average_pooled_relu(trial: Trial) -> Iterator[Finding]:
    """E f^2 = (2 E r^2 + 2 (E r)^2)/4 with E r^2 = 1/2, E r = 1/sqrt(2 pi) of a single ReLU."""
    square, mean = sp.integrate(t**2 * PDF, (t, 0, sp.oo)), sp.integrate(t * PDF, (t, 0, sp.oo))
    yield identity("E f^2", (2 * square + 2 * mean**2) / 4, AVERAGE_A)
    yield identity("E |grad f|^2", 2 * sp.integrate(PDF, (t, 0, sp.oo)) / 4, sp.Rational(1, 4))
    yield identity("forward threshold", 1 / AVERAGE_A, 4 * sp.pi / (sp.pi + 1))
    yield identity("growth of the variance at 4", 4 * AVERAGE_A, 1 + 1 / sp.pi)
    inputs = igb.GaussianInputs(shift=np.sqrt(1 - 1e-8), variance=1e-8)
    spread = igb.mlp(1, pool=igb.AvgPool(2), sigma_w2=1.0).predict(inputs).var_chi / 1e-8
    yield agree("dq_ab'/dq_ab of the package at 1 - c = 1e-8", spread, 0.25, 3)
    for at in (4 * np.pi / (np.pi + 1), 4.0):
        yield from _thresholds(trial, "average", float(AVERAGE_A), 0.25, at)


@SECTION.holds(
    "D-pool-rates",
    "Pooled ReLU without biases: gamma diverges for every sigma_w^2",
    printed=r"\gamma_{l+1}/\gamma_l \to E f^2 / E |\nabla f|^2 > 1",
    assumes="infinite width before depth",
)
def pooled_relu_diverges(trial: Trial) -> Iterator[Finding]:
    """Homogeneity makes c' = K(c)/K(1) the same for every sigma_w^2; its slope at c = 1 is E |grad f|^2/E f^2.

    That is below 1: c = 1 attracts everything, and gamma grows by the inverse: by 1 + 2/(3 pi) for MaxPool(2), and by
    1 + 1/pi for AvgPool(2), which is faster than ReLU's l^2.
    """
    maximum, average = MAX_A / sp.Rational(3, 4), AVERAGE_A / sp.Rational(1, 4)
    yield identity("MaxPool(2): the factor", maximum, 1 + 2 / (3 * sp.pi))
    yield identity("AvgPool(2): the factor", average, 1 + 1 / sp.pi)
    for pool, name, factor in ((2, "MaxPool(2)", maximum), (igb.AvgPool(2), "AvgPool(2)", average)):
        gamma = igb.mlp(40, pool=pool, sigma_w2=1.0).predict().per_layer.gamma
        yield agree(f"{name}: the factor at depth 40", gamma[40] / gamma[39], sp.N(factor, 20), 1.8)
        other = float(igb.mlp(40, pool=pool, sigma_w2=3.0).predict().gamma)
        yield agree(f"{name}: gamma at depth 40, sigma_w^2 = 1 and 3", gamma[40], other, 9)
        drawn = igb.mlp(3, pool=pool, sigma_w2=1.0).simulate(
            networks=trial.draws(400), width=16, samples=100, seed=trial.seed, workers=1
        )
        row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[3]")
        label = f"{name}, three layers: gamma, width to infinity"
        yield measured(trial, label, row.value, row.error, row.theory, against=float(gamma[2]))


@SECTION.holds(
    "D-pool-order",
    "The limits are taken in this order: width to infinity before depth",
    printed=r"\lim_{L \to \infty} \lim_{N \to \infty} \ne \lim_{N \to \infty} \lim_{L \to \infty}",
    assumes="read as: the results need that order",
)
def width_before_depth(trial: Trial) -> Iterator[Finding]:
    """At width N the variance s of a layer is random: E s'^2/(E s')^2 = (1 + k/N) E s^2/(E s)^2.

    k = E f^4/(E f^2)^2 - 1, 5 for ReLU, since the N units are independent given s and f is homogeneous. After L layers
    the factor is (1 + k/N)^L: 1 for N to infinity first, infinite for L to infinity first, e^(k r) at L = r N.
    """
    n, k, depth, ratio = sp.symbols("N k L r", positive=True)
    moment = sp.integrate(t**4 * PDF, (t, 0, sp.oo)) / sp.integrate(t**2 * PDF, (t, 0, sp.oo)) ** 2
    yield identity("ReLU: k", moment - 1, 5)
    fluctuation = (1 + k / n) ** depth
    yield identity("width first", sp.limit(fluctuation, n, sp.oo), 1)
    yield identity("depth first: the inverse", sp.limit(1 / fluctuation.subs({n: 10, k: 5}), depth, sp.oo), 0)
    yield identity("together", sp.limit(((1 + k / n) ** (ratio * n)), n, sp.oo), sp.exp(k * ratio))
    with mp.workdps(20):
        fourth = mp.quad(lambda s: 2 * s**4 * mp.npdf(s) * mp.ncdf(s), [0, 1, 3, 12])
        pooled = fourth / mp.quad(lambda s: 2 * s**2 * mp.npdf(s) * mp.ncdf(s), [0, 1, 3, 12]) ** 2 - 1
    for layers in (2, 6):
        # the variance of a layer given the one before is a mean of N independent squares
        s = np.ones(trial.draws(200_000))
        for _ in range(layers):
            h = trial.rng.standard_normal((len(s), 20, 2), dtype=np.float32)
            s *= (np.maximum(h.max(axis=2), 0) ** 2).mean(axis=1) / float(MAX_A)
        value, error = _average(s**2)
        expected = float((1 + pooled / 20) ** layers)
        label = f"ReLU + MaxPool(2), width 20, {layers} layers: E s^2/(E s)^2"
        yield measured(trial, label, value, error, expected, against=1.0)


def _square(variance: float) -> float:
    """E tanh^2."""
    return float(WEIGHTS @ np.tanh(np.sqrt(variance) * NODES) ** 2)


def _steep(variance: float) -> float:
    """E tanh'^2."""
    return float(WEIGHTS @ np.cosh(np.sqrt(variance) * NODES) ** -4.0)


def _largest(variance: float) -> float:
    """E f(h_a) f(h_b) of tanh and MaxPool(2) at correlation 1/2.

    Hoeffding: the covariance is the double integral of f'(x) f'(y) (P(M_a < x, M_b < y) - P(M_a < x) P(M_b < y)), and
    P(M_a < x, M_b < y) is the square of the joint distribution function of a pair, a mean over what a and b share.
    """
    given = ndtr(np.sqrt(2) * NODES[:, None] - NODES)  # Phi((x - u sqrt(c))/sqrt(1 - c)), c = 1/2
    joint = (given * WEIGHTS) @ given.T
    single = ndtr(NODES) ** 2
    slope = STEP * np.sqrt(variance) * np.cosh(np.sqrt(variance) * NODES) ** -2.0
    mean = float((2 * ndtr(NODES) * WEIGHTS) @ np.tanh(np.sqrt(variance) * NODES))
    return float(slope @ (joint**2 - np.outer(single, single)) @ slope) + mean**2


def _edge(biases: float) -> tuple[float, float]:
    """q* and sigma_w^2 of the edge of chaos of tanh."""
    star = float(brentq(lambda v: v - _square(v) / _steep(v) - biases, 1e-9, 9, xtol=1e-14, rtol=1e-14))
    return star, 1 / _steep(star)


@SECTION.fails(
    "D-pool-tanhmax",
    "tanh + MaxPool(2): the edge of chaos is a separate curve, and the chaotic side shows prejudice only",
    printed=r"\text{EOC}(\tanh + \mathrm{MaxPool}(2)) \ne \text{EOC}(\tanh)",
    assumes="sigma_w^2 <= 4, sigma_b^2 <= 0.2",
    counter_example="""
import numpy as np
h = np.random.default_rng(0).standard_normal((10**6, 2)) * 0.9
M = h.max(axis=1)
# |M| has the law of |h_1|, so that E tanh^2 and E tanh'^2, and with them q*, chi_1 and the edge, are those of tanh
assert abs((np.tanh(M) ** 2).mean() - (np.tanh(h[:, 0]) ** 2).mean()) < 0.002
assert abs((np.cosh(M) ** -4.0).mean() - (np.cosh(h[:, 0]) ** -4.0).mean()) < 0.002
""",
)
def separate_edge_of_max_pooled_tanh() -> Iterator[Finding]:
    """The maximum of two has the density 2 phi(t) Phi(t), whose even part is phi(t): |M| is distributed as |h|.

    tanh^2 and tanh'^2 are even, so the variance map, q* and chi_1 do not notice the pooling. (The paper's table of the
    curve is not at hand; the fan-in counts pooled units, as in its value for ReLU.)
    """
    yield identity("even part of the density of M", PDF * (CDF + CDF.subs(t, -t)), PDF)
    for biases in (0.05, 0.1, 0.2):
        star, weights = _edge(biases)
        chi = weights * float((2 * ndtr(NODES) * WEIGHTS) @ np.cosh(np.sqrt(star) * NODES) ** -4.0)
        text = f"chi_1 = {chi:.12f} with MaxPool(2) on the edge of tanh, sigma_w^2 = {weights:.4f}"
        yield shown(f"sigma_b^2 = {biases}: the curves differ", abs(chi - 1) > 1e-6, text)


@SECTION.corrects(
    "D-pool-tanhmax",
    "tanh + MaxPool(2) has the edge of chaos of tanh; its chaotic side shows prejudice only for sigma_w^2 <= 4, "
    "sigma_b^2 <= 0.2",
    right=r"\text{EOC}(\tanh + \mathrm{MaxPool}(2)) = \text{EOC}(\tanh)",
    assumes="independent nodes; the fan-in counts pooled units",
)
def edge_of_max_pooled_tanh(trial: Trial) -> Iterator[Finding]:
    """Neutral states need c* = F(c*) <= 1/2, that is F(1/2) <= 1/2 as F is convex and F(1) = 1.

    On the line F(1/2) = 1/2, sigma_w^2 = (q*/2)/(E f^2 - E f f|_1/2) and sigma_b^2 = q* - sigma_w^2 E f^2: it has
    sigma_b^2 < 0 for all q* up to 30. E f > 0 is why: even without biases the centres spread.
    """
    yield identity("even part of the density of M", PDF * (CDF + CDF.subs(t, -t)), PDF)
    for weights, biases in ((1.5, 0.1), (3.0, 0.1)):
        p = igb.mlp(5, "tanh", pool=2, sigma_w2=weights, sigma_b2=biases).predict().per_layer
        plain = igb.mlp(5, "tanh", sigma_w2=weights, sigma_b2=biases).predict().per_layer
        label = f"({biases}, {weights}): q_aa of the package with and without MaxPool(2)"
        yield agree(label, p.var_mu[5] + p.var_chi[5], plain.var_mu[5] + plain.var_chi[5], 9)
    pair = igb.Network(igb.Dense(1.0), igb.Activation("tanh"), igb.MaxPool(2), igb.Dense(1.0))
    yield agree(
        "E f f at c = 1/2, q = 2: the package", pair.predict(igb.GaussianInputs(shift=1.0)).var_mu, _largest(2), 9
    )
    line = []
    for star in (0.01, 0.1, 0.5, 1, 2, 3, 4, 6, 10, 20, 30):
        weights = star / 2 / (_square(star) - _largest(star))
        line.append(star - weights * _square(star))
    text = ", ".join(f"{value:.3f}" for value in line)
    yield shown("sigma_b^2 of the neutrality line at q* from 0.01 to 30 is negative", max(line) < 0, text)
    least = np.inf
    for weights in (1.5, 2.0, 3.0, 4.0):
        for biases in (0.0, 0.05, 0.1, 0.2):
            star = float(brentq(lambda v, w=weights, b=biases: w * _square(v) + b - v, 1e-6, weights + biases))
            least = min(least, (weights * _largest(star) + biases) / star)
    yield shown("F(1/2) > 1/2 at 16 points of the diagram", least > 0.5, f"the least is {least:.5f}")
    net = igb.mlp(3, "tanh", pool=2, sigma_w2=3.0, sigma_b2=0.1)
    drawn = net.simulate(networks=trial.draws(300), width=12, samples=100, seed=trial.seed, workers=1)
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[3]")
    plain = float(igb.mlp(3, "tanh", sigma_w2=3.0, sigma_b2=0.1).predict().gamma)
    label = "three layers, sigma_w^2 = 3: gamma, width to infinity, against tanh"
    yield measured(trial, label, row.value, row.error, row.theory, against=plain)


@SECTION.holds(
    "D-pool-tanhavg",
    "tanh + AveragePool(2) has a phase diagram with an edge of chaos, prejudice and neutrality",
    printed=r"\text{phase}(\sigma_b^2, \sigma_w^2) = \text{phase of tanh at } (\sigma_b^2, \sigma_w^2/2)",
    assumes="independent nodes; the fan-in counts pooled units",
)
def phases_of_average_pooled_tanh(trial: Trial) -> Iterator[Finding]:
    """As tanh has the mean 0 and the nodes are independent: E f f = E tanh tanh/2 and E |grad f|^2 = E tanh'^2/2.

    So both maps are those of tanh with sigma_w^2/2: the edge is at 3.972 and the neutrality line at 5.850 for
    sigma_b^2 = 0.1.
    """
    a, b, d, e = sp.symbols("A B D E", real=True)  # E of products of single nodes, equal and different ones
    mean_square = sp.expand((a + b + d + e) / 4).subs({d: 0, e: 0, b: a})
    yield identity("E f f: two nodes with themselves, and 0 for each with the other", mean_square, a / 2)
    for weights, biases in ((3.0, 0.1), (8.0, 0.05)):
        pooled = igb.mlp(20, "tanh", pool=igb.AvgPool(2), sigma_w2=weights, sigma_b2=biases).predict()
        # the first layer reads inputs that are not pooled: twice their variance makes up for half of sigma_w^2
        plain = igb.mlp(20, "tanh", sigma_w2=weights / 2, sigma_b2=biases).predict(igb.GaussianInputs(variance=2.0))
        label = f"({biases}, {weights}): gamma at depth 20, and that of tanh at half of sigma_w^2"
        yield agree(label, pooled.gamma, plain.gamma, 10)
    _, edge = _edge(0.1)
    for factor, place in ((0.8, "ordered"), (1.25, "prejudice"), (2.5, "neutrality")):
        net = igb.mlp(200, "tanh", pool=igb.AvgPool(2), sigma_w2=2 * factor * edge, sigma_b2=0.1)
        plain = igb.mlp(200, "tanh", sigma_w2=factor * edge, sigma_b2=0.1)
        pooled_c, plain_c = float(net.predict().c), float(plain.predict().c)
        right = {"ordered": pooled_c > 0.999, "prejudice": 0.5 < pooled_c < 0.9, "neutrality": pooled_c < 0.5}[place]
        text = f"c = {pooled_c:.8f}, tanh {plain_c:.8f}"
        yield shown(f"{factor} times the edge {2 * edge:.4f}: {place}", right and abs(pooled_c - plain_c) < 1e-5, text)
    net = igb.mlp(2, "tanh", pool=igb.AvgPool(2), sigma_w2=5.0, sigma_b2=0.1)
    drawn = net.simulate(networks=trial.draws(300), width=12, samples=100, seed=trial.seed, workers=1)
    row = next(row for row in drawn.compare(workers=1).rows if row.name == "gamma[2]")
    plain_gamma = float(igb.mlp(2, "tanh", sigma_w2=5.0, sigma_b2=0.1).predict().gamma)
    yield measured(trial, "two layers: gamma, width to infinity", row.value, row.error, row.theory, against=plain_gamma)
