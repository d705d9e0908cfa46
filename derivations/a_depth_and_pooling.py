"""Initial guessing bias, sections 5.2 to 7: amplification by pooling, depth and inputs off centre; consequences.

All quantities are those of a_setup.py and a_single_layer.py; c = gamma/(1 + gamma) is the correlation of an output at
two data. A layer takes it to K(c) = E rho(u) rho(v) / E rho(u)^2 = sum_k a_k^2 c^k, u and v of correlation c: for
ReLU kappa_1(c) = (sqrt(1 - c^2) + c (pi - arccos c))/pi, at every variance.
"""

from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from scipy.optimize import linprog

import igbtheory as igb
from igbtheory.claims import (
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    rises,
    satisfies,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import g0_cdf, g0_variance, kappa_1, relu_maximum, relu_moment
from igbtheory.claims.quantities import GAMMA, VAR_CHI, VAR_W
from igbtheory.claims.simulated import at_width, bias_ratio, fractions, mean_with_error
from igbtheory.layers.inputs import digits

SECTION = Section("Initial guessing bias, section 5.2: amplification of the bias", "A 5.2")
IMPACT = Section("Initial guessing bias, sections 6 and 7: what follows from the bias", "A 6")

a, c, f, g, k, m, n, t, L, N = sp.symbols("a c f gamma k m n t L N", positive=True)
CENTRE, OUTPUT = sp.Function(r"\mu_c"), sp.Function("O_c")
"""Centre of an output, and the output, as functions of what a limit is taken of."""
LAW = sp.Function("P")(f, g)
"""Probability that f_0 is at most f at this gamma."""
ACCURACY, LARGEST, CLASSES = sp.symbols(r"\mathrm{Accuracy} f_\mathrm{max} N_C")
F_0 = sp.Symbol("f_0")
RELU = 1 / (sp.pi - 1)


def _ratio(of: Any) -> Any:
    """Return the ratio of the variances of the centre and of the output as functions of the symbol."""
    return VAR_W(CENTRE(of)) / VAR_CHI(OUTPUT(of))


def _limit_of_ratio(stated: Any, of: Any, var_mu: Any, var_chi: Any) -> Any:
    """Return the left-hand side of the statement for these variances."""
    return stated.lhs.subs({VAR_W(CENTRE(of)): var_mu, VAR_CHI(OUTPUT(of)): var_chi})


@SECTION.holds(
    "A-Eq10",
    "The law of f_0 for an endless ratio Var_W/Var_chi: a point mass at each end",
    at="section 5.2, Eq. 10",
    printed=equation(sp.Limit(LAW, g, sp.oo), sp.Rational(1, 2)),
    assumes="“a set of two nodes (one for each class)” (section 4, Setting and Main Notation)",
    where="0 < f < 1; P(f, gamma) is the probability that f_0 is at most f",
)
def all_or_nothing(stated: Any) -> Findings:
    """P(f_0 <= f) tends to one value for every f between 0 and 1: half the mass is at either end."""
    yield identity("distribution of f_0", stated.lhs.subs(LAW, g0_cdf(f, g)), stated.rhs)
    yield identity("variance: that of two atoms", sp.Limit(g0_variance(g), g, sp.oo), sp.Rational(1, 4))
    law = igb.mlp(1).predict(igb.GaussianInputs(shift=1e8)).G0
    yield agree("distribution at 0.01 by the toolkit, gamma = 1e16", law.cdf(0.01), stated.rhs, 7)


@SECTION.holds(
    "A-Thm5.2-i / Eq11",
    "“For a single hidden layer” of ReLU and MaxPool(m): the ratio Var_W/Var_chi in the limit of m",
    at="Theorem 5.2, Eq. 11",
    printed=equation(sp.Limit(_ratio(m), m, sp.oo), sp.oo),
    assumes="“in the limit of infinite width for hidden layers” (Theorem 5.2)",
)
def pooling_amplifies(stated: Any) -> Findings:
    """M = max(0, h_1, ..., h_m) has a gradient of length at most 1, so that Var M <= 1 (Poincaré's inequality). For
    every t >= 0, E M >= t P(M > t) = t (1 - Phi(t)^m) -> t. Hence gamma >= (E M)^2 -> infinity. Not noticed: that
    Var_W alone goes to infinity is true as well.
    """
    least = (t * (1 - sp.exp(-a) ** m)) ** 2  # of Var_W/sigma_w^2, with Phi(t) = exp(-a)
    bound = _limit_of_ratio(stated, m, least, 1)
    yield identity("the bound of gamma, m to infinity", bound, t**2)
    yield identity("the same, t arbitrary", sp.Limit(bound.doit(), t, sp.oo), stated.rhs)
    sizes = (2, 100, 1000, 10**16, mp.mpf(10) ** 64)
    moments = [relu_maximum(size) for size in sizes]
    gammas = [mean**2 / variance for mean, variance in moments]
    bounded = all(variance < 1 for _, variance in moments)
    yield shown("Var M < 1 for m = 2, 100, 1000, 1e16, 1e64", bounded, "")
    yield rises("gamma for these m", gammas)
    yield agree("m = 1000 by the toolkit", igb.mlp(1, pool=1000).predict().gamma, gammas[2], 10)


@SECTION.holds(
    "A-Thm5.2-ii / Eq12",
    "Many hidden layers: the ratio Var_W/Var_chi in the limit of depth",
    at="Theorem 5.2, Eq. 12",
    printed=equation(sp.Limit(_ratio(L), L, sp.oo), sp.oo),
    assumes="“in the limit of infinite width for hidden layers” (Theorem 5.2); “ReLU nonlinearities, and Max-pooling "
    "layers, with Kaiming normal initialization for weights (with zero biases)” (Theorem 5.2)",
)
def depth_amplifies(trial: Trial, stated: Any) -> Findings:
    """Both are homogeneous: c_{l+1} = K(c_l) with one convex K for all layers, K(0) > 0, K(1) = 1 and a slope K'(1) = E
    rho'^2/E rho^2 of 1 for ReLU, and of (1 - 2^-m)/E M^2 < 1 with MaxPool(m). Such a K lies above c before 1, so c_l
    rises to the only fixed point, 1. For ReLU 1 - c behaves as 9 pi^2/(2 L^2) (D-deepname); D-pool-rates has the rate
    with MaxPool(2).
    """
    kappa = kappa_1(c)
    yield identity("ReLU: K'' > 0", sp.Derivative(kappa, c, 2), 1 / (sp.pi * sp.sqrt(1 - c**2)))
    yield identity("ReLU: K(0)", sp.Limit(kappa, c, 0), 1 / sp.pi)
    yield identity("ReLU: K'(1)", sp.Limit(sp.Derivative(kappa, c), c, 1, "-"), 1)
    left = 9 * sp.pi**2 / (2 * L**2)
    yield identity("gamma at the fixed point", sp.Limit(c / (1 - c), c, 1, "-"), sp.oo)
    yield identity("gamma at depth L", _limit_of_ratio(stated, L, 1 - left, left), stated.rhs)
    gamma = igb.mlp(5000).predict().per_layer.gamma
    yield rises("gamma of ReLU by the toolkit at depths 500, 1000, ... 5000", gamma[500::500], 5e5)
    yield agree("1/gamma at depth 5000: the rate", 1 / gamma[5000], left.subs(L, 5000), 2)
    pooled = igb.mlp(60, pool=2).predict().per_layer.gamma
    factor = 1 + 2 / (3 * sp.pi)
    yield agree("MaxPool(2): factor of the last of 60 layers by the toolkit", pooled[60] / pooled[59], factor, 2.5)
    behind = (kappa / (1 - kappa)).subs(c, 1 / sp.pi).evalf()
    yield at_width(trial, "ReLU, two layers: gamma", bias_ratio, behind, RELU, shape=(100, 4, 4000), depth=2)


@SECTION.holds(
    "A-Thm5.2-iii / Eq13",
    "“Shifting the input distribution's center by a vector of” norm k: the ratio Var_W/Var_chi in the limit of k",
    at="Theorem 5.2, Eq. 13",
    printed=equation(sp.Limit(_ratio(k), k, sp.oo), sp.oo),
    assumes="“in the limit of infinite width for hidden layers” (Theorem 5.2); “ReLU nonlinearities, and Max-pooling "
    "layers” (Theorem 5.2)",
    where="n is the input dimension, which stays fixed: the first layer has gamma = k^2/n",
)
def inputs_off_centre_amplify(trial: Trial, stated: Any) -> Findings:
    """In the first layer Var_W(mu) = sigma_w^2 k^2/n and Var_chi = sigma_w^2. So c = k^2/(k^2 + n) -> 1, and K(1) = 1
    keeps it there in every layer. If n grows at a fixed norm k, the shift has no effect. The data set below has n = 4.
    Not noticed: that Var_W alone goes to infinity is true as well.
    """
    first = k**2 / (k**2 + n)
    behind = kappa_1(first)
    yield identity("gamma of the first layer", _limit_of_ratio(stated, k, k**2 / n, 1), stated.rhs)
    yield identity("and its correlation", first / (1 - first), k**2 / n)
    yield identity("K(c) of the first layer", sp.Limit(behind, k, sp.oo), 1)
    yield identity("c at fixed k and growing n", sp.Limit(first, n, sp.oo), 0)
    predicted = igb.mlp(1).predict(igb.GaussianInputs(shift=10.0)).gamma
    yield agree("ReLU, k^2 = 100 n, by the toolkit", predicted, (behind / (1 - behind)).subs({k: 10, n: 1}), 11)
    for net, name in ((igb.mlp(3), "ReLU, three layers"), (igb.mlp(2, pool=2), "ReLU + MaxPool(2), two layers")):
        gammas = [net.predict(igb.GaussianInputs(shift=shift)).gamma for shift in (0.0, 1.0, 10.0, 100.0)]
        yield rises(f"{name}: gamma at shifts 0, 1, 10, 100 by the toolkit", gammas, 1e4)
    cloud = trial.rng.standard_normal((300, 4))
    gammas = [igb.mlp(2).predict(cloud + np.array([norm, 0, 0, 0])).gamma for norm in (0.0, 20.0, 200.0)]
    yield rises("four input components, two ReLU layers: gamma at norms 0, 20, 200", gammas, 3000)


@IMPACT.holds(
    "A-Eq14",
    "The bound on the accuracy that the largest of the fractions of guesses f_i sets on a balanced data set",
    at="Eq. 14",
    printed=sp.Le(ACCURACY, 1 - (LARGEST - 1 / CLASSES)),
    assumes="“a balanced dataset” (section 6, above Eq. 14)",
    where="f_max is this fraction, N_C the number of classes",
)
def bound_on_the_accuracy(stated: Any, says: str) -> Findings:
    """Of the share f of guesses at most 1/N_C are right: at least f - 1/N_C of all guesses are wrong. With n_ij the
    share of data of class j that are guessed i, the largest accuracy that balanced labels allow is a linear program.
    A share below 1/N_C, which cannot be the largest, sets no bound that is reached.
    """
    for classes, share in ((2, 0.5), (2, 0.7), (3, 0.4), (10, 0.35), (10, 1.0)):
        best, bound = stated.lhs.subs(ACCURACY, _accuracy(classes, share, -1)), {LARGEST: share, CLASSES: classes}
        yield agree(f"{classes} classes, f = {share}: largest accuracy", best, stated.rhs.subs(bound), 9)
    values = {ACCURACY: _accuracy(3, 0.4, 1), LARGEST: 0.4, CLASSES: 3}
    yield satisfies("3 classes, f = 0.4: smallest accuracy", stated, values)
    reached = [_accuracy(3, share, -1) - stated.rhs.subs({LARGEST: share, CLASSES: 3}) for share in (0.4, 0.1)]
    which = "largest" if abs(reached[0]) < 1e-9 and reached[1] < -0.1 else "smallest"
    yield worded(says, "that the {} of the fractions of guesses", which)


def _accuracy(classes: int, share: float, sign: int) -> Any:
    """Return the smallest (sign 1) or largest (sign -1) accuracy where class 0 has this share of the guesses."""
    labels = np.kron(np.ones(classes), np.eye(classes))  # n_ij, i first: sums over the guesses i
    guess = np.kron(np.eye(classes)[0], np.ones(classes))
    sums = np.append(np.full(classes, 1 / classes), share)
    right = np.eye(classes).ravel()
    return np.asarray(linprog(sign * right, A_eq=np.vstack([labels, guess]), b_eq=sums).x) @ right


IMPACT.untested(
    "it needs CIFAR-10",
    (
        "A-Fig1",
        "Fig. 1",
        "With tanh and average pooling f_0 is most often 50%, with ReLU and max pooling 0% or 100% (CNN, CIFAR-10)",
    ),
)


@IMPACT.holds(
    "A-Fig5R",
    "The time that training takes to absorb the IGB increases with the IGB at the start, set by a shift of the inputs",
    at="Fig. 5, right, and section 6",
    stand_in="ReLU networks with 1 hidden layer on the digits, by their tangent kernel, in place of an MLP-Mixer",
    where="the loss is squared, and steps are in proportion to those that are just stable; finite networks: igb study "
    "--preset shift",
)
def absorption_takes_longer(says: str) -> Findings:
    """A shift k of the digits raises gamma and the largest eigenvalue lambda_1 of the tangent kernel, to which steps
    are bound. In units of 1/lambda_1 the bias decays as exp(-t) and takes the logarithm of its size; learning takes
    lambda_1 over the eigenvalues of the data, in neutral starts too: that time is no consequence of the bias.
    """
    x, labels = igb.standardised(igb.digits())[:60], igb.digit_labels()[:60] % 2
    depth = 1
    at, net = np.append(0.0, np.geomspace(0.1, 500, 60)), igb.mlp(depth, "relu")
    yield worded(says, "ReLU networks with {} hidden layer", depth)
    gammas, absorbed, ratios = [], [], []
    for shift in (0.0, 1.0, 2.0):
        rate = net.train(x + shift, labels, times=[0.0], draws=2).rate
        run = net.train(x + shift, labels, times=at / rate, draws=300)
        gammas.append(net.predict(x + shift).gamma)
        absorbed.append(rate * np.median(run.absorption_time(0.1).draws))
        learned = [np.median(run.times[(part.accuracy.draws >= 0.9).argmax(axis=1)]) for part in run.split()]
        ratios.append(learned[0] / learned[1])
    yield rises("gamma at k = 0, 1, 2", gammas)
    yield rises("median time of absorption in units of 1/lambda_1", absorbed)
    longer = (absorbed[-1] - absorbed[0]) * (gammas[-1] - gammas[0]) > 0
    yield worded(says, "to absorb the IGB {} with the IGB at the start", "increases" if longer else "decreases")
    text = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    same = all(0.7 < ratio < 1.4 for ratio in ratios)
    yield shown("time to an accuracy of 90 %, of neutral over that of prejudiced starts", same, text)


@IMPACT.fails(
    "A-disc-1/N",
    "With initial weights of the order of the inverse width, “as is done in other mean-field limits”, “we do not have "
    "IGB”",
    at="section 7, third paragraph",
    printed=equation(GAMMA, 0),
    assumes="“any set of independent weights drawn from a centered distribution” (section 4, Setting and Main "
    "Notation)",
    counter_example="""
rng = np.random.default_rng(0)
N, D = 400, 2000
data, W, w = rng.standard_normal((D, N)), rng.standard_normal((N, N)), rng.standard_normal((N, 2))
relu = lambda h: np.maximum(h, 0)
root = relu(data @ W / N**0.5) @ w / N**0.5  # standard deviation N^(-1/2): that of version 4
whole = relu(data @ W / N) @ w / N           # standard deviation 1/N
guess, same = root[:, 0] > root[:, 1], whole[:, 0] > whole[:, 1]
assert (guess == same).all()                 # not one guess differs
assert abs(same.mean() - 0.5) > 0.1          # 0.011 is the standard deviation of fair coins
""",
    where="the formula is for one layer of ReLU",
)
def weights_of_the_order_1_over_n(stated: Any) -> Findings:
    """The guess compares two outputs, so a common positive factor of their weights changes no guess; ReLU passes such a
    factor on. With sigma_w^2 = 1/N Var_W(mu) and Var_chi vanish alike.
    """
    yield identity("gamma, sigma_w^2 = 1/N, in infinite width", _of_small_weights(), value_of(GAMMA, stated))


def _of_small_weights() -> Any:
    """Return gamma of one layer of ReLU in infinite width where the standard deviation of the weights is 1/N."""
    first, second = (relu_moment(power, 1 / sp.sqrt(N)) for power in (1, 2))
    return sp.Limit(first.doit() ** 2 / (second - first**2).doit(), N, sp.oo)


@IMPACT.corrects(
    "A-disc-1/N",
    "A guess depends on no common factor of the output weights, nor for ReLU on a factor of the weights of a hidden "
    "layer, so that ReLU keeps its gamma under weights of that order, though the outputs vanish; GELU becomes linear "
    "and loses its bias",
    right=equation(GAMMA, RELU),
    assumes="“any set of independent weights drawn from a centered distribution” (section 4, Setting and Main "
    "Notation)",
    where="the formula is for one layer of ReLU",
)
def guesses_under_weights_of_the_order_1_over_n(trial: Trial, stated: Any, says: str) -> Findings:
    """Other activations than ReLU become phi(0) + phi'(0) h under small hidden weights: without bias on centred data if
    phi(0) = 0, as GELU; if not, as for sigmoid, gamma = phi(0)^2/(phi'(0)^2 q) grows without bound.
    """
    gamma = value_of(GAMMA, stated)
    yield identity("gamma, sigma_w^2 = 1/N, in infinite width", _of_small_weights(), gamma)
    centre = relu_moment(1, 1 / sp.sqrt(N)).doit() ** 2 / N
    yield identity("Var_W(mu), sigma_w^2 = 1/N, in infinite width", sp.Limit(centre, N, sp.oo), 0)
    relu, tiny = igb.mlp(1), igb.mlp(1, sigma_w2=1e-6)
    yield agree("gamma by the toolkit, sigma_w^2 = 1e-6", tiny.predict().gamma, gamma, 12)
    same = np.isclose(relu.predict().gamma, tiny.predict().gamma, rtol=1e-12, atol=0)
    yield worded(says, "ReLU {} its gamma", "keeps" if same else "changes")
    ratio = tiny.predict().var_chi / relu.predict().var_chi
    yield worded(says, "the outputs {}", "vanish" if ratio < 1e-5 else "explode")
    data, hidden, out = (trial.rng.standard_normal(shape) for shape in ((200, 30), (30, 30), (30, 2)))
    guesses = [(np.maximum(data @ hidden * s, 0) @ out * s).argmax(axis=1) for s in (30**-0.5, 1 / 30)]
    changed = (guesses[0] != guesses[1]).any()
    yield worded(says, "depends on {} common factor", "any" if changed else "no")
    gelu = igb.mlp(1, "gelu", sigma_w2=1e-6).predict()
    yield shown("GELU by the toolkit, sigma_w^2 = 1e-6: gamma", gelu.gamma < 1e-5, f"{gelu.gamma:.3g}")
    share = gelu.var_chi / igb.mlp(1, "linear", sigma_w2=1e-6).predict().var_chi  # the square of GELU'(0) = 1/2
    kind = "linear" if abs(4 * float(share) - 1) < 1e-5 else "curved"
    yield worded(says, "GELU becomes {} and {} its bias", kind, "loses" if gelu.gamma < 1e-5 else "keeps")
    infinite, width = g0_variance(gamma), 2000
    expected = infinite + (sp.Rational(1, 4) - infinite) / 4  # a guess and itself are one of four pairs

    def square(units: Any) -> tuple[float, float]:
        return mean_with_error((fractions(trial.rng, units, 500) - 0.5) ** 2)

    label = "weights of standard deviation 1/N, 4 data: Var(f_0)"
    yield at_width(trial, label, square, expected, shape=(200, 4, width), sigma_w2=1 / width)


@IMPACT.holds(
    "A-disc-real",
    "“we expect stronger IGB in datasets other than random data”: the variance of f_0 of ReLU, and its value on "
    "random data",
    at="section 7, fourth paragraph",
    printed=sp.Gt(VAR_W(F_0), sp.asin(1 / sp.pi) / (2 * sp.pi)),
    assumes="“in the limit of infinite width” (Theorem 4.1)",
    where="lengths of the data do not count for ReLU; version 4 has no formula",
)
def correlated_data_increase_the_bias(trial: Trial, stated: Any) -> Findings:
    """On a data set with the correlations c_ab, Var(f_0) is the mean of arcsin(K(c_ab))/(2 pi), since P(O_0 > O_1 at a
    and at b) = 1/4 + arcsin(corr)/(2 pi). arcsin K(c) is a power series without negative coefficients. The mean of
    c_ab^k over a and b is |E x^(tensor k)|^2 >= 0, x a datum over its length, also where some c_ab are negative. So the
    first term, arcsin K(0) with K(0) = 1/pi for ReLU, is a lower bound. Pairs of different data are averaged.
    """
    yield identity("K(0)", sp.Limit(kappa_1(c), c, 0), sp.sin(2 * sp.pi * stated.rhs))
    bare = igb.mlp(1).predict(np.eye(50)).G0.var()
    yield agree("the bound is sharp: 50 orthogonal data by the toolkit", (50 * bare - 0.25) / 49, stated.rhs, 8)
    images = digits()[trial.rng.permutation(1797)[:300]]
    for name, data in (("digits", images), ("digits less the mean of each pixel", images - images.mean(axis=0))):
        unit = data / np.linalg.norm(data, axis=1, keepdims=True)
        cosines = (unit @ unit.T)[np.triu_indices(300, 1)]
        kernel = np.real(sp.lambdify(c, kappa_1(c))(np.clip(cosines, -1, 1)))
        variance = float(np.arcsin(kernel).mean() / (2 * np.pi))
        yield satisfies(name, stated, {VAR_W(F_0): variance})
        predicted = igb.mlp(1).predict(data).G0.var()
        yield agree(f"{name}: the same by the toolkit", (300 * predicted - 0.25) / 299, variance, 8)
