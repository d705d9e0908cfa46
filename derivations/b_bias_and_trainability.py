"""Bias and trainability (slides): outputs and centres, what causes the bias, the phases, and their link to the bias.

Over the weights two data have the covariances q_aa, q_ab, c = q_ab/q_aa. With a_k the Hermite coefficients of
phi(sqrt(q) z), z ~ N(0, 1), a layer makes q' = sigma_w^2 sum_k a_k^2 + sigma_b^2 and q_ab' = sigma_w^2 sum_k a_k^2 c^k
+ sigma_b^2. Where q has reached its fixed point q*, c' = F(c) is a power series without negative coefficients: convex,
F(1) = 1, and F'(1) = chi_1 = sigma_w^2 E phi'(sqrt(q*) z)^2 is also the factor of the squared gradient of a layer.
"""

from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, rises, satisfies, shown, tanh
from igbtheory.claims.gaussians import kappa_1, mean_of_pair, mean_over, ncdf, npdf
from igbtheory.claims.simulated import extrapolated, mean_with_error, ratio_with_error, second_moments, wide_limit
from igbtheory.claims.wide import forward, growth
from igbtheory.claims.wide import tanh as layer_of_tanh

SECTION = Section("Bias and trainability: the slides", "B")

c, g, m, t, v, D, N = sp.symbols("c gamma m t v D N", positive=True)
k, x, y = sp.symbols("k x y", real=True)
sigma_w2, sigma_b2, chi_1 = sp.symbols("sigma_w2 sigma_b2 chi_1", positive=True)
i, j = sp.symbols("i j", integer=True)
W, Y, B = sp.IndexedBase("W"), sp.IndexedBase("Y"), sp.IndexedBase("B")
phi = sp.Function("phi")


def _next(sw2: float, sb2: float, star: float, value: float) -> float:
    """Return F(c) of tanh at c = `value`."""
    return (sw2 * mean_of_pair(np.tanh, star, value) + sb2) / star


@SECTION.holds(
    "B-proc",
    "Over the data an output is N(mu_c, Var_chi(O)); over the weights its centre mu_c is N(0, Var_W(mu))",
    printed=(
        equation(r"\lim_{N \to \infty} E_\chi e^{i k (O - \mu_c)}", sp.exp(-v * k**2 / 2)),
        equation(r"\lim_{N \to \infty} E_W e^{i k \mu_c}", sp.exp(-m * k**2 / 2)),
    ),
    assumes="all widths and the dimension of the Gaussian data go to infinity; v = Var_chi(O), m = Var_W(mu)",
)
def outputs_and_centres(stated: Any) -> Findings:
    """The formula is about characteristic functions. O - mu_c is a sum of N terms w_j (phi_j - <phi_j>). For N
    independent terms +-sqrt(v/N) the mean of exp(i k O) is cos(k sqrt(v/N))^N. The centre sum_j w_j <phi_j> is Gaussian
    with a variance that for one ReLU layer is chi^2_N m/N, which gives (1 + k^2 m/N)^{-N/2}. A-Thm4.1a / Eq3 and
    A-Thm4.1c / Eq4 draw finite networks, whose units are not quite independent.
    """
    terms = sp.exp(N * sp.log(sp.cos(k * sp.sqrt(v / N))))
    yield identity("N independent terms", sp.Limit(terms, N, sp.oo), stated[0].rhs)
    square = x ** (N / 2 - 1) * sp.exp(-x / 2) / (2 ** (N / 2) * sp.gamma(N / 2))
    mixture = sp.Integral((square * sp.exp(-(k**2) * m * x / (2 * N))).subs(x, t), (t, 0, sp.oo))
    yield identity("a chi^2_N mixture of Gaussian centres", mixture, (1 + k**2 * m / N) ** (-N / 2))
    yield identity("in infinite width", sp.Limit((1 + k**2 * m / N) ** (-N / 2), N, sp.oo), stated[1].rhs)


@SECTION.holds(
    "B-g0",
    "For infinitely many data g_0(W) is P(O_0 > O_1 given W)",
    printed=equation(r"\lim_{D \to \infty} E_\chi (g_0(W) - P(O_0 > O_1 \mid W))^2", 0),
    assumes="independent data; no ties",
)
def fraction_in_the_limit(stated: Any) -> Findings:
    """By A-Eq1 the mean square is P (1 - P)/D. Over the networks Var g_0 exceeds Var P by (1/4 - Var P)/D."""
    chance = sp.Symbol("P", positive=True)
    yield identity("mean square, infinitely many data", sp.Limit(chance * (1 - chance) / D, D, sp.oo), stated.rhs)
    law = igb.mlp(1).predict().G0
    for size in (10, 1000):
        excess = law.finite(size).var() / size**2 - law.var()
        yield agree(f"Var g_0 - Var P by the toolkit, ReLU, D = {size}", excess, (0.25 - law.var()) / size, 8)


@SECTION.holds(
    "B-rule",
    "An activation has no IGB if and only if the average over the data of its output is 0",
    printed=equation(r"\mathrm{Var}_W(\mu)", sigma_w2 * m**2 + sigma_b2),
    assumes="centred Gaussian data, infinite width, phi not constant; the average is over the data alone, at fixed "
    "weights (and biases), and for the units of every hidden layer; in the formula m^2 is its mean square over them",
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
    yield identity("Var_W(mu)", square, stated.rhs, of=r"\overline{(\sum_{j=1}^3 w_j m + b)^2}")
    for name, mean in (("tanh", 0), ("x**2-2", 0), ("relu", 1 / sp.sqrt(sp.pi)), ("sigmoid", sp.Rational(1, 2))):
        values = {sigma_w2: 2, sigma_b2: 0, m: mean}  # E phi of N(0, 2)
        predicted = igb.mlp(1, name).predict().var_mu  # it may be 0, hence 1 + Var_W(mu)
        yield agree(f"{name}: 1 + Var_W(mu) by the toolkit", 1 + predicted, 1 + stated.rhs.subs(values), 11)
    over_data = mean_of_pair(np.tanh, 2.1, 0.1 / 2.1)  # c = sigma_b^2/(sigma_w^2 + sigma_b^2) in the first layer
    predicted = igb.mlp(1, "tanh", sigma_b2=0.1).predict().var_mu
    values = {sigma_w2: 2, sigma_b2: sp.Rational(1, 10), m: sp.sqrt(over_data)}
    yield agree("tanh with biases: Var_W(mu) by the toolkit", predicted, stated.rhs.subs(values), 9)


@SECTION.fails(
    "B-pool/depth",
    "Max pooling causes and exacerbates IGB; depth increases IGB",
    printed=(
        sp.Gt(sp.Symbol(r"\gamma_{\mathrm{MaxPool}}"), g),
        sp.Gt(sp.Symbol(r"\gamma_{L+1}"), sp.Symbol("gamma_L")),
    ),
    counter_example="""
phi = np.minimum(np.random.default_rng(0).standard_normal((10**6, 2)), 0)  # = -ReLU(-x), of the same gamma as ReLU
gamma = lambda x: x.mean() ** 2 / x.var()  # behind one hidden layer
assert gamma(phi.max(axis=1)) < 0.2 < gamma(phi[:, 0])  # max pooling lowers it
assert (igb.mlp(20, 'tanh').predict().per_layer.gamma == 0).all()  # depth adds nothing
chaos = igb.mlp(20, 'tanh', sigma_w2=4).predict(igb.GaussianInputs(shift=2.0)).per_layer.gamma
assert chaos[0] > chaos[5] > chaos[-1]     # and here it takes away
""",
)
def pooling_and_depth(stated: Any) -> Findings:
    """MaxPool of min(x, 0) makes the mean shrink faster than the spread. Depth moves c to the stable point of F."""
    density = 2 * npdf(t) * (1 - ncdf(t))  # of t = -max(min(h_1, 0), min(h_2, 0)) > 0
    mean = sp.Integral(t * density, (t, 0, sp.oo))
    yield identity("min(x, 0): minus E of the maximum of two", mean, (sp.sqrt(2) - 1) / (2 * sp.sqrt(sp.pi)))
    pooled = igb.mlp(1, "min(x,0)", pool=2).predict().gamma
    gamma = _gamma_of_maximum(lambda h: min(h, mp.mpf(0)), 2)
    yield agree("min(x, 0) and MaxPool(2): gamma by the toolkit", pooled, gamma, 10)
    yield satisfies("min(x, 0)", stated[0], {stated[0].lhs: pooled, g: 1 / (sp.pi - 1)})
    star = tanh.fixed_point(4.0, 0.0)
    after = _next(4.0, 0.0, star, 0.5)  # at q*, from c = 1/2
    values = {stated[1].lhs: after / (1 - after), stated[1].rhs: 1}
    yield satisfies("tanh, sigma_w^2 = 4, at the fixed variance", stated[1], values)


@SECTION.corrects(
    "B-pool/depth",
    "Max pooling gives an odd increasing activation a bias and raises that of ReLU; depth raises the bias of ReLU "
    "without biases at every layer, as it takes c to kappa_1(c) > c. Of any activation whose variance is at a fixed "
    "point q* > 0, depth brings c to the stable fixed point of its map, be it up or down",
    right=(
        sp.Gt(sp.Symbol(r"\gamma_{\mathrm{MaxPool}(m+1)}"), sp.Symbol(r"\gamma_{\mathrm{MaxPool}(m)}")),
        kappa_1(c) > c,
    ),
    assumes="Gaussian data, infinite width, c < 1; growth in m of tanh and ReLU checked from 1 to 8",
)
def pooling_and_depth_of_relu(stated: Any) -> Findings:
    """The maximum of m units of an odd increasing phi has the mean E phi(M) > 0, as M > 0 is likelier than M < 0. ReLU:
    A-depthIGB. The last part needs q* > 0: tanh at sigma_w^2 < 1 without biases keeps some c < 1 (B-phases).
    """
    larger, smaller = stated[0].lhs, stated[0].rhs
    for name, of in (("relu", lambda h: max(h, mp.mpf(0))), ("tanh", mp.tanh)):
        gammas = [_gamma_of_maximum(of, size) for size in (1, 2, 3, 4, 8)]
        for low, high in pairwise(gammas):
            yield satisfies(f"{name}, a larger MaxPool, up to 8", stated[0], {larger: high, smaller: low})
        yield agree(f"{name}, MaxPool(8) by the toolkit", igb.mlp(1, name, pool=8).predict().gamma, gammas[-1], 10)
    yield satisfies("ReLU, c = 0.9", stated[1], {c: 0.9})
    star, course = tanh.fixed_point(4.0, 0.0), [0.9]  # tanh, sigma_w^2 = 4: c* = 0 attracts every c < 1
    for _ in range(40):
        course.append(_next(4.0, 0.0, star, course[-1]))
    yield rises("tanh, sigma_w^2 = 4: 1 - c rises to 1 - c* = 1", [1 - value for value in course], 0.9)


def _gamma_of_maximum(of: Any, size: int) -> Any:
    """Return gamma behind the maximum of so many units of an increasing phi, at variance 2."""
    ends, root = [-12, -4, -1, 0, 1, 4, 12], mp.sqrt(2)
    first, second = (
        mp.quad(lambda z, r=r: size * mp.npdf(z) * mp.ncdf(z) ** (size - 1) * of(root * z) ** r, ends) for r in (1, 2)
    )
    return first**2 / (second - first**2)


@SECTION.fails(
    "B-Y",
    "Y_i^(l)(a) = sum_{j=1}^{N_l} W_ij^(l) phi(Y_i^(l-1)(a)) + B_i^(l), of which the limit is Gaussian (B-proc)",
    printed=equation(r"Y_i^{(l)}(a)", sp.Sum(W[i, j] * phi(Y[i]), (j, 1, N)) + B[i]),
    assumes="on the right-hand side Y is that of the layer l - 1 at the datum a",
    counter_example="""
# a linear network without biases, two layers of 100 units, one datum; the weights W of one unit i
Y, W = np.random.default_rng(0).standard_normal((2, 4000, 100)) * [[[1]], [[0.1]]]
unmixed, mended = W.sum(axis=1) * Y[:, 0], (W * Y).sum(axis=1)
kurtosis = lambda y: (y**4).mean() / (y**2).mean() ** 2
assert kurtosis(unmixed) > 6 and abs(kurtosis(mended) - 3) < 0.5  # 9, and 3 of a Gaussian
""",
    correction="The index of the unit that is read is the index of the sum, phi(Y_j^(l-1)(a))",
    right=equation(r"Y_i^{(l)}(a)", sp.Sum(W[i, j] * phi(Y[j]), (j, 1, N)) + B[i]),
    right_assumes="on the right-hand side Y is that of the layer l - 1 at the datum a",
)
def propagation(stated: Any) -> Findings:
    """As printed a unit reads no other unit, and Y_i has no Gaussian limit: with phi(x) = x, i = 1 and Gaussian Y of
    variance 1 its excess kurtosis is 6 at every width. With the index j it is 6/N, here for N = 2 and 3.
    """
    for width in (2, 3):
        output = stated.rhs.replace(phi, lambda h: h).subs({N: width, B[i]: 0}).doit().subs(i, 1)
        fourth, square = output**4, output**2
        for symbol in sorted(output.atoms(sp.Indexed), key=str):
            variance = sp.Rational(1, width) if symbol.base == W else 1
            fourth, square = (mean_over(symbol, power, variance) for power in (fourth, square))
        ratio = r"\overline{Y^4} / \overline{Y^2}^2 - 3"
        yield identity(f"{width} linear units", fourth / square**2 - 3, sp.Rational(6, width), of=ratio)


SECTION.untested(
    "a definition",
    ("B-gamma", "", "gamma = Var_W(mu)/Var_chi(O) quantifies the level of IGB"),
    ("B-init", "", "W_ij^(l) ~ N(0, sigma_w^2/N_l), B_i ~ N(0, sigma_b^2)"),
    ("B-cab", "", "c_ab = E_W Y(a) Y(b)/sqrt(E_W Y(a)^2 E_W Y(b)^2), order parameter c = lim c_ab"),
    ("B-scale", "", "gamma >> 1: deep prejudice, gamma << 1: neutrality"),
)


@SECTION.holds(
    "B-dyn",
    "Neutral and prejudiced starts train differently, and averages mix them",
    assumes="infinite width, gradient flow of squared loss; finite networks: igb study --preset blobs",
)
def starts_train_differently() -> Findings:
    """Even and odd digits, ReLU: a prejudiced start keeps its bias for some 1/lambda_1, the largest eigenvalue of the
    tangent kernel, and leaves a class behind for as long. The time in which the data are learned is the same.
    """
    x, labels = igb.standardised(igb.digits())[:60], igb.digit_labels()[:60] % 2
    at = np.append(0.0, np.geomspace(0.1, 200, 34))
    net = igb.mlp(1, "relu")
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
    "Ordered phase: c = 1 is stable; chaotic phase: c = 1 is unstable and c_ab converges to some c < 1",
    printed=sp.Equivalent(sp.Symbol(r"(c_{ab} \to 1)"), sp.Le(chi_1, 1)),
    assumes="the variance has a fixed point 0 < q* < infinity, at which it is, and phi is not linear",
)
def ordered_and_chaotic(stated: Any) -> Findings:
    """F is convex and increasing on [0, 1], F(1) = 1, F'(1) = chi_1 (D-Prop4.1 has the algebra). With a slope of at
    most 1 it lies above the diagonal before 1, and every start goes to 1. With a slope above 1 it dips below the
    diagonal next to 1, begins at F(0) >= 0 and crosses once, at c* < 1, where every start but 1 goes. Without q* > 0
    neither follows: tanh without biases and sigma_w^2 < 1 is linear in the end; ReLU at sigma_w^2 > 2 has c -> 1.
    """
    limit = sp.Symbol(r"(c_{ab} \to 1)")
    for sw2 in (1.59, 1.9, 2.15, 4.97):
        fixed = tanh.fixed_point(sw2, 0.1)
        ends = np.array([0.0, 0.999])
        for _ in range(600):
            ends = np.array([_next(sw2, 0.1, fixed, end) for end in ends])
            if np.ptp(ends) < 1e-5:
                break
        slope = sw2 * tanh.slope(fixed)
        text = f"chi_1 = {slope:.4f}; from c = 0 to {ends[0]:.5f}, from 0.999 to {ends[1]:.5f}"
        right = bool(stated.subs({limit: bool(ends.min() > 0.999), chi_1: slope}))
        yield shown(f"tanh, sigma_b^2 = 0.1, sigma_w^2 = {sw2}", right and np.ptp(ends) < 1e-3, text)
    predicted = igb.mlp(300, "tanh", sigma_w2=4.97, sigma_b2=0.1).predict().c
    yield agree("c* by the toolkit, depth 300, sigma_w^2 = 4.97", predicted, ends[0], 3)


@SECTION.holds(
    "B-grad",
    "Gradients vanish in the ordered phase, explode in the chaotic phase and are stable at the edge of chaos",
    printed=equation(r"\overline{|\nabla_l O|^2} / \overline{|\nabla_{l+1} O|^2}", sigma_w2 * sp.Symbol(r"slope") ** 2),
    assumes="infinite width; the variance at its fixed point 0 < q* < infinity; slope^2 = E phi'(sqrt(q*) z)^2, so "
    "that the ratio is chi_1: below 1 in the ordered phase, 1 at the edge, above 1 in the chaotic phase",
)
def gradients_in_the_phases(trial: Trial, stated: Any) -> Findings:
    """The mean square of delta_j = sum_i W_ij phi'(h_i) delta_i is sigma_w^2 E phi'^2 E delta^2, layer by layer, as in
    infinite width W^T may be taken as independent of the way forward. By Price's theorem (D-MF2) it is also F'(1).
    """
    slope = sp.Symbol("slope")
    for sw2, side in ((1.59, "ordered"), (tanh.on(tanh.edge, 0.1)[1], "edge"), (4.97, "chaotic")):
        star = tanh.fixed_point(sw2, 0.1)
        expected = stated.rhs.subs({sigma_w2: sw2, slope: np.sqrt(tanh.slope(star))})
        right = {"ordered": expected < 0.99, "edge": abs(expected - 1) < 1e-9, "chaotic": expected > 1.01}[side]
        yield shown(f"{side}: the ratio of squared gradients", right, f"{float(expected):.8f}")
        units = (np.sqrt(star) * trial.rng.standard_normal((trial.draws(8000), width, 1)) for width in (250, 500))
        found = (mean_with_error(growth(trial.rng, h, layer_of_tanh, sw2, 0.1)[0]) for h in units)
        yield wide_limit(trial, f"{side}: through three layers", found, expected**3)


@SECTION.holds(
    "B-link",
    "c = gamma/(1 + gamma)",
    printed=sp.Eq(c, g / (1 + g)),
    assumes="infinite width, infinitely many data, all pairs of data alike",
)
def link(trial: Trial, stated: Any) -> Findings:
    """Y(a) = mu + s z_a with mu of variance Var_W(mu) and z_a fresh for every datum: q_aa = Var_W(mu) + Var_chi and
    q_ab = Var_W(mu). In finite networks gamma is that over many data, c that of two orthogonal data over the networks.
    """
    mu, z = sp.symbols("mu z", real=True)
    first, second = sp.sqrt(g) * mu + z, sp.sqrt(g) * mu + y  # Var_chi = 1
    q_aa, q_ab = (mean_over(y, mean_over(z, mean_over(mu, first * other))) for other in (first, second))
    yield identity("c", q_ab / q_aa, stated.rhs, of=r"\overline{Y(a) Y(b)} / \overline{Y(a)^2}")
    predicted = igb.mlp(2, "relu", sigma_b2=0.2).predict()
    yield agree("c and gamma of the toolkit", predicted.c, stated.rhs.subs(g, predicted.gamma), 12)
    first_layer = sp.Rational(1, 11)  # sigma_b^2/(sigma_w^2 + sigma_b^2), sigma_w^2 = 2, sigma_b^2 = 0.2
    kappa = kappa_1(first_layer)
    behind = sp.N((sp.Rational(11, 10) * kappa + sp.Rational(1, 10)) / sp.Rational(12, 10))
    yield agree("c behind one layer, by the toolkit", predicted.per_layer.c[1], behind, 10)

    def correlation(width: int) -> tuple[float, float]:
        data = np.broadcast_to(np.sqrt(width) * np.eye(width, 2), (trial.draws(40_000), width, 2))
        h = forward(trial.rng, data, 2.0, 0.2)
        both, own = second_moments(np.maximum(h, 0).transpose(0, 2, 1))
        return ratio_with_error(2 * both + 0.2, 2 * own + 0.2)

    yield wide_limit(
        trial, "c over the networks", map(correlation, (16, 32)), stated.rhs.subs(g, behind / (1 - behind))
    )
    rows, other = {"gamma[1]": behind / (1 - behind)}, {"gamma[1]": 1}
    yield from extrapolated(trial, igb.mlp(1, sigma_b2=0.2), rows, networks=2000, against=other)


@SECTION.holds(
    "B-EOC",
    "The edge of chaos has c = 1, so gamma is infinite: trainability peaks not at neutrality but at deep prejudice",
    printed=(equation(r"\lim_{\chi_1 \to 1} \xi", sp.oo), equation(r"\chi_1 = 1: \lim_{l \to \infty} \gamma_l", sp.oo)),
    assumes="infinite depth, sigma_b^2 > 0, a fixed point q*; trainability read as the depth xi = 1/|ln chi_1| over "
    "which gradients neither vanish nor explode",
)
def edge_is_deeply_prejudiced(stated: Any) -> Findings:
    """At chi_1 = 1 gamma grows as F''(1) l/2 (D-deepname). Gradients change by the factor chi_1 a layer: their depth
    1/|ln chi_1| is infinite there, and finite where the network is neutral. How it then trains is not tested.
    """
    depth, rate = sp.symbols("l F_2", positive=True)
    yield identity("depth of the gradients", sp.Limit(1 / sp.Abs(sp.log(chi_1)), chi_1, 1), stated[0].rhs)
    yield identity("gamma at depth l", sp.Limit(rate * depth / 2, depth, sp.oo), stated[1].rhs)
    critical = tanh.on(tanh.edge, 0.1)[1]
    gamma = igb.mlp(1000, "tanh", sigma_w2=critical, sigma_b2=0.1).predict().per_layer.gamma
    yield rises("tanh at the edge: gamma by the toolkit every 100 of 1000 layers", gamma[::100], 200)
    final = igb.mlp(100, "tanh", sigma_w2=4.97, sigma_b2=0.1).predict().gamma
    xi = 1 / np.log(4.97 * tanh.slope(tanh.fixed_point(4.97, 0.1)))
    text = f"xi = {xi:.3f} at gamma = {final:.4f}"
    yield shown("tanh, sigma_w^2 = 4.97: gradients explode where it is neutral", final < 1 and 0 < xi < 3, text)
