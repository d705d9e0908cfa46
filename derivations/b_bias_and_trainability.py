"""Bias and trainability (slides): outputs and centres, what causes the bias, the phases, and their link to the bias.

Over the weights two data have the covariances q_aa, q_ab, c = q_ab/q_aa. With a_k the Hermite coefficients of
phi(sqrt(q) z), z ~ N(0, 1), a layer makes q' = sigma_w^2 sum_k a_k^2 + sigma_b^2 and q_ab' = sigma_w^2 sum_k a_k^2 c^k
+ sigma_b^2. Where q has reached its fixed point q*, c' = F(c) is a power series without negative coefficients: convex,
F(1) = 1, and F'(1) = chi_1 = sigma_w^2 E phi'(sqrt(q*) z)^2 is also the factor of the squared gradient of a layer.
"""

from itertools import pairwise
from typing import Any

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
    rises,
    satisfies,
    settings,
    shown,
    tanh,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import kappa_1, mean_of_pair, mean_over, ncdf, npdf
from igbtheory.claims.quantities import E_CHI, E_W, GAMMA_AT, VAR_W
from igbtheory.claims.simulated import mean_with_error, ratio_with_error
from igbtheory.claims.wide import forward, growth
from igbtheory.claims.wide import tanh as layer_of_tanh

SECTION = Section("Bias and trainability: the slides", "B")

a, c, g, m, t, v, D, N = sp.symbols("a c gamma m t v D N", positive=True)
k, x, y = sp.symbols("k x y", real=True)
sigma_w2, sigma_b2, chi_1 = sp.symbols("sigma_w2 sigma_b2 chi_1", positive=True)
i, j, layer = sp.symbols("i j l", integer=True)
W, B = sp.IndexedBase("W^{(l)}"), sp.IndexedBase("B^{(l)}")
Y, BEFORE = sp.IndexedBase("Y^{(l)}"), sp.IndexedBase("Y^{(l-1)}")
"""Pre-activations of a layer, and of the one before."""
phi = sp.Function("phi")
MU, FROM_CENTRE = sp.symbols(r"\mu Y_\chi")
"""Centre of an output over the data, and its deviation from the centre."""
G_0, CHANCE = sp.Function("g_0")(D), sp.Symbol("P")
"""Fraction of guesses for class 0 of D data, and P(O_0 > O_1 given W)."""
NEXT, LAYER = sp.Symbol(r"\gamma_{l+1}"), sp.Symbol(r"\gamma_l")
"""Gamma of a layer, and of the one before."""
WIDER, POOLED = (sp.Symbol(rf"\gamma_{{\mathrm{{MaxPool}}({units})}}") for units in ("m+1", "m"))
PAIR, SINGLE = sp.Symbol(r"\gamma_{\mathrm{MaxPool}(2)}"), sp.Symbol(r"\gamma_\mathrm{none}")
"""Gamma of one layer with max pooling of so many units, and without."""
C_STAR, DEPTH = sp.Symbol("c"), sp.Function("xi")
"""Limit of the correlation with depth; depth over which gradients keep their size."""
GRADIENT, SLOPE = sp.Function(r"\nabla"), sp.Symbol(r"\phi'")
"""Gradient with respect to a layer; slope of the activation."""


def _next(sw2: float, sb2: float, star: float, value: float) -> float:
    """Return F(c) of tanh at c = `value`."""
    return (sw2 * mean_of_pair(np.tanh, star, value) + sb2) / star


@SECTION.holds(
    "B-proc",
    "Over the data an output is N(mu_c, Var_chi(O)); over the weights its centre mu_c is N(0, Var_W(mu))",
    at="“Procedure”",
    printed=(
        equation(sp.Limit(E_CHI(sp.exp(sp.I * k * FROM_CENTRE)), N, sp.oo), sp.exp(-v * k**2 / 2)),
        equation(sp.Limit(E_W(sp.exp(sp.I * k * MU)), N, sp.oo), sp.exp(-m * k**2 / 2)),
    ),
    assumes="“random uncorrelated data” (slide IGB: Setting & Methods)",
    where="N stands for all widths and the dimension of the data; Y_chi is O - mu_c; v = Var_chi(O), m = Var_W(mu)",
)
def outputs_and_centres(stated: Any) -> Findings:
    """The formula is about characteristic functions. O - mu_c is a sum of N terms w_j (phi_j - <phi_j>). For N
    independent terms +-sqrt(v/N) the mean of exp(i k O) is cos(k sqrt(v/N))^N. The centre sum_j w_j <phi_j> is Gaussian
    with a variance that for one ReLU layer is chi^2_N m/N, which gives (2 a)^{-N/2} at a = (1 + k^2 m/N)/2. A-Thm4.1a
    / Eq3 and A-Thm4.1c / Eq4 draw finite networks, whose units are not quite independent.
    """
    terms = sp.exp(N * sp.log(sp.cos(k * sp.sqrt(v / N))))
    over_data, over_weights = E_CHI(sp.exp(sp.I * k * FROM_CENTRE)), E_W(sp.exp(sp.I * k * MU))
    yield identity("N independent terms", stated[0].lhs.subs(over_data, terms), stated[0].rhs)
    square = t ** (N / 2 - 1) / (2 ** (N / 2) * sp.gamma(N / 2))  # the density of chi^2_N at t, times exp(t/2)
    mixture = sp.Integral(square * sp.exp(-a * t), (t, 0, sp.oo))
    yield identity("a chi^2_N mixture of Gaussian centres", mixture, (2 * a) ** (-N / 2))
    at_width = stated[1].lhs.subs(over_weights, ((2 * a) ** (-N / 2)).subs(a, (1 + k**2 * m / N) / 2))
    yield identity("in infinite width", at_width, stated[1].rhs)


@SECTION.holds(
    "B-g0",
    "The limit of g_0(W), the frequency of guesses, with the number D of data is P(O_0 > O_1 given W)",
    at="“IGB: Setting & Methods”",
    printed=equation(sp.Limit(G_0, D, sp.oo), CHANCE),
    assumes="“random uncorrelated data” (slide IGB: Setting & Methods)",
    where="P = P(O_0 > O_1 given W), and ties have the probability 0",
)
def fraction_in_the_limit(stated: Any) -> Findings:
    """By A-Eq1 the mean square of g_0 - P is P (1 - P)/D, so that g_0 = P + sqrt(P (1 - P)/D) z with z of variance 1.
    Over the networks Var g_0 exceeds Var P by (1/4 - Var P)/D.
    """
    coins = CHANCE + sp.sqrt(CHANCE * (1 - CHANCE) / D) * x
    yield identity("limit of D coins", stated.lhs.subs(G_0, coins), stated.rhs)
    law = igb.mlp(1).predict().G0
    for data in (10, 1000):
        excess = law.finite(data).var() / data**2 - law.var()
        yield agree(f"Var g_0 - Var P by the toolkit, ReLU, D = {data}", excess, (0.25 - law.var()) / data, 8)


@SECTION.holds(
    "B-rule",
    "Whether an activation has IGB is decided by the average over the data of its output",
    at="“When Does IGB Appear?”",
    printed=equation(VAR_W(MU), sigma_w2 * m**2 + sigma_b2),
    assumes="“random uncorrelated data” (slide IGB: Setting & Methods)",
    where="the average is over the data alone, at fixed weights (and biases), and for the units of every hidden "
    "layer; m^2 is its mean square over them; widths are infinite, and phi is not constant; the slides have the rule "
    "in words: no IGB if and only if this average is 0",
)
def rule_of_the_average(stated: Any) -> Findings:
    """The centre of an output is mu = sum_j w_j <phi_j> + B, so that Var_W(mu) = sigma_w^2 E <phi_j>^2 + sigma_b^2 with
    E <phi_j>^2 = sum_k a_k^2 c^k. In the first layer without biases c = 0 and this is (E phi)^2; behind a layer with c
    > 0 it is 0 only for phi = 0. So gamma = 0 at the output if and only if the averages are 0 in every hidden layer.
    The average over the data *and* the weights would not do: it is 0 for tanh with biases, which has IGB.
    """
    a_0, a_1, a_2 = sp.symbols("a_0 a_1 a_2", real=True)
    # phi = a_0 + a_1 He_1 + a_2 He_2/sqrt(2) at sqrt(c) x + sqrt(1 - c) y: its mean over y, squared, averaged over x
    argument = sp.sqrt(c) * x + sp.sqrt(1 - c) * y
    given = mean_over(y, a_0 + a_1 * argument + a_2 * (argument**2 - 1) / sp.sqrt(2))
    series = a_0**2 + a_1**2 * c + a_2**2 * c**2
    yield identity("E <phi>^2", mean_over(x, given**2), series, of=r"\overline{\langle \phi \rangle^2}")
    weights, bias = sp.symbols("w_1:4", real=True), sp.Symbol("b", real=True)
    square = (sum(weights) * m + bias) ** 2  # three units of one average
    for w in weights:
        square = mean_over(w, square, sigma_w2 / 3)
    square = mean_over(bias, square, sigma_b2)
    formula = value_of(VAR_W(MU), stated)
    yield identity("Var_W(mu)", square, formula, of=r"\overline{(\sum_{j=1}^3 w_j m + b)^2}")
    for name, mean in (("tanh", 0), ("x**2-2", 0), ("relu", 1 / sp.sqrt(sp.pi)), ("sigmoid", sp.Rational(1, 2))):
        values = {sigma_w2: 2, sigma_b2: 0, m: mean}  # E phi of N(0, 2)
        predicted = igb.mlp(1, name).predict().var_mu  # it may be 0, hence 1 + Var_W(mu)
        yield agree(f"{name}: 1 + Var_W(mu) by the toolkit", 1 + predicted, 1 + formula.subs(values), 11)
    over_data = mean_of_pair(np.tanh, 2.1, 0.1 / 2.1)  # c = sigma_b^2/(sigma_w^2 + sigma_b^2) in the first layer
    predicted = igb.mlp(1, "tanh", sigma_b2=0.1).predict().var_mu
    values = {sigma_w2: 2, sigma_b2: sp.Rational(1, 10), m: sp.sqrt(over_data)}
    yield agree("tanh with biases: Var_W(mu) by the toolkit", predicted, formula.subs(values), 9)


@SECTION.limited(
    "B-pool/depth",
    "“Max pooling causes and exacerbates IGB” and “Depth increases IGB”",
    at="“When Does IGB Appear?”",
    printed=(
        sp.Gt(WIDER, POOLED),
        sp.Gt(NEXT, LAYER),
    ),
    assumes="“random uncorrelated data” (slide IGB: Setting & Methods); infinite width and no biases; ReLU, and tanh "
    "for MaxPool(m), up to m = 8",
    counter_example="""
phi = np.minimum(np.random.default_rng(0).standard_normal((10**6, 2)), 0)  # = -ReLU(-x), of the same gamma as ReLU
gamma = lambda x: x.mean() ** 2 / x.var()  # behind one hidden layer
assert gamma(phi.max(axis=1)) < 0.2 < gamma(phi[:, 0])  # max pooling lowers it
assert (igb.mlp(20, 'tanh').predict().per_layer.gamma == 0).all()  # depth adds nothing
chaos = igb.mlp(20, 'tanh', sigma_w2=4).predict(igb.GaussianInputs(shift=2.0)).per_layer.gamma
assert chaos[0] > chaos[5] > chaos[-1]     # and here it takes away
""",
    where="the slides state no further assumptions",
)
def pooling_and_depth_of_relu(stated: Any, says: str) -> Findings:
    """The maximum of m units of an odd increasing phi has the mean E phi(M) > 0, as M > 0 is likelier than M < 0: for
    tanh pooling causes the bias. Depth takes c to kappa_1(c) > c for ReLU (A-depthIGB). Not noticed: that the square of
    the larger gamma is above the smaller one is true as well.
    """
    laws = {"ReLU": lambda h: np.maximum(h, 0), "tanh": np.tanh}
    for name, of in laws.items():
        gammas = [_gamma_of_maximum(of, units) for units in range(1, LARGEST_POOL + 1)]
        for low, high in pairwise(gammas):
            values = {WIDER: high, POOLED: low}
            yield satisfies(f"{name}, a larger MaxPool, up to 8", stated[0], values)
        net = igb.mlp(1, name.lower(), pool=LARGEST_POOL)
        yield agree(f"{name}, MaxPool({LARGEST_POOL}) by the toolkit", net.predict().gamma, gammas[-1], 10)
        yield worded(says, "{} width and {}", settings.width(net.predict()), settings.biases(net))
    yield worded(says, "{}, and {} for MaxPool(m), up to m = {}", *laws, LARGEST_POOL)
    layers = [float(value / (1 - value)) for value in (sp.Rational(9, 10), kappa_1(sp.Rational(9, 10)))]
    values = {NEXT: layers[1], LAYER: layers[0]}
    yield satisfies("ReLU, c = 0.9", stated[1], values)
    deep = igb.mlp(20).predict().per_layer.gamma
    yield rises("ReLU by the toolkit, 20 layers: gamma", deep)
    yield worded(says, "Depth {} IGB", "increases" if deep[-1] > deep[0] else "decreases")


LARGEST_POOL = 8
"""Units of the largest maximum of which gamma is computed."""
MAXIMUM, LAYERS, CHAOTIC, SHIFT = 2, 20, 4.0, 2.0
"""Units of a maximum that lowers gamma; depth, sigma_w^2 and mean of the inputs of a network whose gamma falls."""


@SECTION.corrects(
    "B-pool/depth",
    "MaxPool(2) lowers gamma of min(x, 0) from 0.467 to 0.177, and depth lowers gamma of tanh with no biases at "
    "sigma_w^2 = 4 from 4 to 0.083 at depth 20, for inputs of mean 2 and variance 1",
    right=(
        sp.Lt(PAIR, SINGLE),
        sp.Lt(NEXT, LAYER),
    ),
    where="the first formula is for one layer of min(x, 0); in the second the variance of tanh is at its fixed point, "
    "and c above the stable fixed point of its map, which is 0",
)
def pooling_and_depth_of_others(stated: Any, says: str) -> Findings:
    """MaxPool of min(x, 0) makes the mean shrink faster than the spread. Depth moves c to the stable point of F, be it
    up or down. This needs q* > 0: tanh at sigma_w^2 < 1 without biases keeps some c < 1 (B-phases). Not noticed: that
    the square of gamma behind MaxPool(2) is below gamma without it is true as well.
    """
    density = 2 * npdf(t) * (1 - ncdf(t))  # of t = -max(min(h_1, 0), min(h_2, 0)) > 0
    mean = sp.Integral(t * density, (t, 0, sp.oo))
    yield identity("min(x, 0): minus E of the maximum of two", mean, (sp.sqrt(2) - 1) / (2 * sp.sqrt(sp.pi)))
    one, two = (_gamma_of_maximum(lambda h: np.minimum(h, 0), units) for units in (1, MAXIMUM))
    yield agree("min(x, 0) by the toolkit: gamma", igb.mlp(1, "min(x,0)").predict().gamma, one, 10)
    pooled = igb.mlp(1, "min(x,0)", pool=MAXIMUM).predict().gamma
    yield agree("min(x, 0) and MaxPool(2) by the toolkit: gamma", pooled, two, 10)
    yield satisfies("min(x, 0)", stated[0], {PAIR: two, SINGLE: one})
    word = "lowers" if two < one else "raises"
    yield worded(says, "MaxPool({}) {} gamma of min(x, 0) from {:.3f} to {:.3f}", MAXIMUM, word, float(one), float(two))
    star, course = tanh.fixed_point(CHAOTIC, 0.0), [0.9]  # c* = 0 attracts every c < 1
    for _ in range(40):
        course.append(_next(CHAOTIC, 0.0, star, course[-1]))
    yield rises("tanh, sigma_w^2 = 4: 1 - c rises to 1 - c* = 1", [1 - value for value in course], 0.9)
    before, behind = (value / (1 - value) for value in course[:2])
    yield satisfies("tanh, c = 0.9", stated[1], {NEXT: behind, LAYER: before})
    inputs = igb.GaussianInputs(shift=SHIFT)
    net = igb.mlp(LAYERS, "tanh", sigma_w2=CHAOTIC)
    deep = net.predict(inputs).per_layer.gamma
    word = "lowers" if deep[-1] < deep[0] else "raises"
    text = "depth {} gamma of tanh with {} at sigma_w^2 = {:g} from {:.0f} to {:.3f} at depth {}"
    yield worded(says, text, word, settings.biases(net), CHAOTIC, deep[0], deep[-1], LAYERS)
    yield worded(says, "inputs of mean {:g} and variance {:g}", inputs.shift, inputs.variance)


def _gamma_of_maximum(of: Any, units: int) -> Any:
    """Return gamma behind the maximum of so many units of an increasing phi, at variance 2."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    panels = [((a + b) / 2 + (b - a) / 2 * nodes, (b - a) / 2 * weights) for a, b in pairwise((-12, -4, 0, 4, 12))]
    z, weights = np.concatenate(panels, axis=1)
    law = weights * units * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * ndtr(z) ** (units - 1)
    first, second = (float(law @ of(np.sqrt(2) * z) ** power) for power in (1, 2))
    return first**2 / (second - first**2)


@SECTION.fails(
    "B-Y",
    "In the rule of propagation through an MLP the index of the unit that is read is printed as i",
    at="“Phase Diagrams”",
    printed=equation(Y[i], sp.Sum(W[i, j] * phi(BEFORE[i]), (j, 1, N)) + B[i]),
    misprint=True,
    counter_example="""
# a linear network without biases, two layers of 100 units, one datum; the weights W of one unit i
Y, W = np.random.default_rng(0).standard_normal((2, 4000, 100)) * [[[1]], [[0.1]]]
unmixed, mended = W.sum(axis=1) * Y[:, 0], (W * Y).sum(axis=1)
kurtosis = lambda y: (y**4).mean() / (y**2).mean() ** 2
assert kurtosis(unmixed) > 6 and abs(kurtosis(mended) - 3) < 0.5  # 9, and 3 of a Gaussian
""",
    correction="It is j, the index of the sum; otherwise a unit reads a single unit of the layer before, whatever the "
    "width",
    right=equation(Y[i], sp.Sum(W[i, j] * phi(BEFORE[j]), (j, 1, N)) + B[i]),
    where="N is that of the layer l, and Y that of the sample a",
)
def propagation(stated: Any) -> Findings:
    """As printed a unit reads no other unit, and Y_i has no Gaussian limit, which B-proc has: with phi(x) = x, i = 1
    and Gaussian Y of variance 1 its excess kurtosis is 6 at every width. With the index j it is 6/N, here for N = 2, 3.
    """
    for width in (2, 3):
        formula = value_of(Y[i], stated)
        output = formula.replace(phi, lambda h: h).subs({N: width, B[i]: 0}).doit().subs(i, 1)
        fourth, square = output**4, output**2
        for symbol in sorted(output.atoms(sp.Indexed), key=str):
            variance = sp.Rational(1, width) if symbol.base == W else 1
            fourth, square = (mean_over(symbol, power, variance) for power in (fourth, square))
        ratio = r"\overline{Y^4} / \overline{Y^2}^2 - 3"
        yield identity(f"{width} linear units", fourth / square**2 - 3, sp.Rational(6, width), of=ratio)


SECTION.definitions(
    "a definition",
    ("B-gamma", "“Procedure”", "The ratio gamma = Var_W(mu)/Var_chi(O) quantifies the level of IGB"),
    ("B-init", "“Phase Diagrams”", "The weights W_ij^(l) are N(0, sigma_w^2/N_l), the biases B_i are N(0, sigma_b^2)"),
    (
        "B-cab",
        "“Phase Diagrams”",
        "The correlation c_ab is E_W Y(a) Y(b)/sqrt(E_W Y(a)^2 E_W Y(b)^2), the order parameter c its limit",
    ),
    (
        "B-scale",
        "“Summary Of Key Concepts: IGB Vs. MF”",
        "There is deep prejudice where gamma >> 1, and neutrality where gamma << 1",
    ),
)


@SECTION.holds(
    "B-dyn",
    "“Grouping initializations by predictive behavior” at the start “reveals distinct training dynamics”",
    at="“Impact On Dynamics: Preliminary”",
    stand_in="ReLU networks with 1 hidden layer on the digits by parity, by their tangent kernel",
    where="finite networks: igb study --preset blobs",
)
def starts_train_differently(says: str) -> Findings:
    """Even and odd digits, ReLU: a prejudiced start keeps its bias for some 1/lambda_1, the largest eigenvalue of the
    tangent kernel, and leaves a class behind for as long. The time in which the data are learned is the same.
    """
    x, labels = igb.standardised(igb.digits())[:60], igb.digit_labels()[:60] % 2
    at = np.append(0.0, np.geomspace(0.1, 200, 34))
    depth = 1
    net = igb.mlp(depth, "relu")
    yield worded(says, "ReLU networks with {} hidden layer", depth)
    rate = net.train(x, labels, times=[0.0], draws=2).rate
    parts = net.train(x, labels, times=at / rate, draws=400).split()
    early = int(np.searchsorted(at, 1.0))
    absorbed, behind, learned = zip(*(_training(part, early) for part in parts), strict=True)
    text = f"{absorbed[0] * rate:.3g} and {absorbed[1] * rate:.3g} in units of 1/lambda_1"
    yield shown("median time until the bias is absorbed, neutral and prejudiced", 4 * absorbed[0] < absorbed[1], text)
    text = f"{behind[0]:.3f} and {behind[1]:.3f}"
    yield shown("mean recall of the worst class at 1/lambda_1", behind[0] > behind[1] + 0.05, text)
    text = f"{learned[0] * rate:.3g} and {learned[1] * rate:.3g} in units of 1/lambda_1"
    yield shown("median time to an accuracy of 90 %: the same", 0.7 < learned[0] / learned[1] < 1.4, text)


def _training(part: Any, early: int) -> tuple[float, float, float]:
    """Median time of absorption, recall of the worst class at an early time, median time to an accuracy of 90 %."""
    right = (part.accuracy.draws >= 0.9).argmax(axis=1)
    absorbed = np.median(part.absorption_time(0.1).draws)
    return float(absorbed), float(part.recall.draws[:, early].min(axis=1).mean()), float(np.median(part.times[right]))


@SECTION.holds(
    "B-phases",
    "The phases, and the limits c of the correlation c_ab with depth",
    at="“Phase Diagrams”",
    printed=sp.Equivalent(equation(C_STAR, 1), sp.Le(chi_1, 1)),
    where="the variance is at a fixed point 0 < q* < infinity, and phi is not linear; c starts below 1; the slides "
    "have in words: c = 1 is stable in the ordered phase; in the chaotic one, where chi_1 > 1, it is not, and c < 1",
)
def ordered_and_chaotic(stated: Any) -> Findings:
    """F is convex and increasing on [0, 1], F(1) = 1, F'(1) = chi_1 (D-Prop4.1 has the algebra). With a slope of at
    most 1 it lies above the diagonal before 1, and every start goes to 1. With a slope above 1 it dips below the
    diagonal next to 1, begins at F(0) >= 0 and crosses once, at c* < 1, where every start but 1 goes. Without q* > 0
    neither follows: tanh without biases and sigma_w^2 < 1 is linear in the end; ReLU at sigma_w^2 > 2 has c -> 1.
    """
    for sw2 in (1.59, 1.9, 2.15, 4.97):
        fixed = tanh.fixed_point(sw2, 0.1)
        ends = np.array([0.0, 0.999])
        for _ in range(600):
            ends = np.array([_next(sw2, 0.1, fixed, end) for end in ends])
            if np.ptp(ends) < 1e-5:
                break
        slope = sw2 * tanh.slope(fixed)
        text = f"chi_1 = {slope:.4f}; from c = 0 to {ends[0]:.5f}, from 0.999 to {ends[1]:.5f}"
        reached = 1 if ends.min() > 0.999 else ends[0]
        right = bool(stated.subs({C_STAR: reached, chi_1: slope}))
        yield shown(f"tanh, sigma_b^2 = 0.1, sigma_w^2 = {sw2}", right and np.ptp(ends) < 1e-3, text)
    predicted = igb.mlp(300, "tanh", sigma_w2=4.97, sigma_b2=0.1).predict().c
    yield agree("c* by the toolkit, depth 300, sigma_w^2 = 4.97", predicted, ends[0], 3)


@SECTION.holds(
    "B-grad",
    "Gradients vanish in the ordered phase, explode in the chaotic phase and are stable at the edge of chaos",
    at="“Gradient Behavior Across Phases”",
    printed=equation(
        E_W(GRADIENT(layer) ** 2) / E_W(GRADIENT(layer + 1) ** 2),
        sigma_w2 * E_W(SLOPE**2),
    ),
    where="widths are infinite, and the variance is at its fixed point 0 < q* < infinity, where E_W phi'^2 = E "
    "phi'(sqrt(q*) z)^2, so that the ratio is chi_1: below 1 in the ordered phase, 1 at the edge, above 1 in the "
    "chaotic phase; the slides have no formula",
)
def gradients_in_the_phases(trial: Trial, stated: Any, says: str) -> Findings:
    """The mean square of delta_j = sum_i W_ij phi'(h_i) delta_i is sigma_w^2 E phi'^2 E delta^2, layer by layer, as in
    infinite width W^T may be taken as independent of the way forward. By Price's theorem (D-MF2) it is also F'(1).
    """
    formula = value_of(E_W(GRADIENT(layer) ** 2), stated) / E_W(GRADIENT(layer + 1) ** 2)
    texts = "Gradients {1} in the {0} phase", "are {1} at the edge", "{1} in the {0} phase"
    for text, sw2 in zip(texts, (1.59, tanh.on(tanh.edge, 0.1)[1], 4.97), strict=True):
        star = tanh.fixed_point(sw2, 0.1)
        expected = formula.subs({sigma_w2: sw2, E_W(SLOPE**2): tanh.slope(star)})
        side = "chaotic" if _next(sw2, 0.1, star, 0.99) < 0.99 else "ordered"
        course = "stable" if abs(expected - 1) < 1e-9 else "vanish" if expected < 1 else "explode"
        yield worded(says, text, side, course)
        h = np.sqrt(star) * trial.rng.standard_normal((trial.draws(200), 4000, 1))
        found = mean_with_error(growth(trial.rng, h, layer_of_tanh, sw2, 0.1)[0])
        yield measured(trial, f"{side}: through three layers of width 4000", *found, expected**3)


@SECTION.holds(
    "B-link",
    "The link between the correlation c and gamma",
    at="“Connecting IGB And MF Frameworks”",
    printed=equation(c, g / (1 + g)),
    where="widths and the number of data are infinite, and all pairs of data are alike",
)
def link(trial: Trial, stated: Any) -> Findings:
    """Y(a) = mu + s z_a with mu of variance Var_W(mu) and z_a fresh for every datum: q_aa = Var_W(mu) + Var_chi and
    q_ab = Var_W(mu). In wide networks gamma is that over the data, c that of two orthogonal data over the networks.
    """
    mu, z = sp.symbols("mu z", real=True)
    first, second = sp.sqrt(g) * mu + z, sp.sqrt(g) * mu + y  # Var_chi = 1
    q_aa, q_ab = (mean_over(y, mean_over(z, mean_over(mu, first * other))) for other in (first, second))
    formula = value_of(c, stated)
    yield identity("c", q_ab / q_aa, formula, of=r"\overline{Y(a) Y(b)} / \overline{Y(a)^2}")
    predicted = igb.mlp(2, "relu", sigma_b2=0.2).predict()
    yield agree("c and gamma of the toolkit", predicted.c, formula.subs(g, predicted.gamma), 12)
    first_layer = sp.Rational(1, 11)  # sigma_b^2/(sigma_w^2 + sigma_b^2), sigma_w^2 = 2, sigma_b^2 = 0.2
    kappa = kappa_1(first_layer)
    behind = sp.N((sp.Rational(11, 10) * kappa + sp.Rational(1, 10)) / sp.Rational(12, 10))
    yield agree("c behind one layer, by the toolkit", predicted.per_layer.c[1], behind, 10)

    width, data = 2000, 20
    x = np.broadcast_to(np.sqrt(width) * np.eye(width, data), (trial.draws(100), width, data))
    h = forward(trial.rng, np.maximum(forward(trial.rng, x, 2.0, 0.2), 0), 2.0, 0.2)
    ratio, label = behind / (1 - behind), f"width {width}, {data} data"
    correlation = ratio_with_error((h[..., 0] * h[..., 1]).mean(axis=1), (h[..., 0] ** 2).mean(axis=1))
    yield measured(trial, f"{label}: c of two of them over the networks", *correlation, formula.subs(g, ratio))
    spread = h.var(axis=2, ddof=1).mean(axis=1)
    centres = h.mean(axis=2).var(axis=1) - spread / data
    yield measured(trial, f"{label}: gamma", *ratio_with_error(centres, spread), ratio, against=1)


@SECTION.holds(
    "B-EOC",
    "“Trainability peaks not at neutrality, but at deep prejudice”, at the edge of chaos",
    at="“Initial Prejudice And Trainability”",
    printed=(
        equation(sp.Limit(DEPTH(chi_1), chi_1, 1), sp.oo),
        equation(sp.Limit(GAMMA_AT(layer), layer, sp.oo), sp.oo),
    ),
    where="depth is infinite and sigma_b^2 > 0, so that there is a fixed point q*; trainability is read as the depth "
    "xi = 1/|ln chi_1| over which gradients neither vanish nor explode; gamma(l) is that of the layer l at the edge, "
    "chi_1 = 1",
)
def edge_is_deeply_prejudiced(stated: Any, says: str) -> Findings:
    """At chi_1 = 1 gamma grows as F''(1) l/2 (D-deepname). Gradients change by the factor chi_1 a layer: their depth
    1/|ln chi_1| is infinite there, and finite where the network is neutral. How it then trains is not tested.
    """
    rate = sp.Symbol("F_2", positive=True)
    xi_at = stated[0].lhs.subs(DEPTH(chi_1), 1 / sp.Abs(sp.log(chi_1)))
    yield identity("depth of the gradients", xi_at, stated[0].rhs)
    yield identity("gamma at depth l", stated[1].lhs.subs(GAMMA_AT(layer), rate * layer / 2), stated[1].rhs)
    critical = tanh.on(tanh.edge, 0.1)[1]
    gamma = igb.mlp(400, "tanh", sigma_w2=critical, sigma_b2=0.1).predict().per_layer.gamma
    yield rises("tanh at the edge: gamma by the toolkit every 40 of 400 layers", gamma[::40], 80)
    final = igb.mlp(100, "tanh", sigma_w2=4.97, sigma_b2=0.1).predict().gamma
    xi = 1 / np.log(4.97 * tanh.slope(tanh.fixed_point(4.97, 0.1)))
    text = f"xi = {xi:.3f} at gamma = {final:.4f}"
    yield shown("tanh, sigma_w^2 = 4.97: gradients explode where it is neutral", final < 1 and 0 < xi < 3, text)
    edge, neutral = "prejudice" if gamma[-1] > 1 else "neutrality", "neutrality" if final < 1 else "prejudice"
    yield worded(says, "{} at {}, but at deep {}", "not" if edge != neutral else "both", neutral, edge)
