"""Initial guessing bias, sections 5.2 to 7: amplification by pooling, depth and inputs off centre; consequences.

All quantities are those of a_setup.py and a_single_layer.py: f_0 = Phi(sqrt(gamma) U) with gamma = Var_W(mu)/Var_chi,
and c = gamma/(1 + gamma) the correlation of an output at two data. A layer takes c to K(c), with

    K(t) = E rho(u) rho(v) / E rho(u)^2 = sum_k a_k^2 t^k,   (u, v) normal with correlation t:

for ReLU kappa_1(c) = (sqrt(1 - c^2) + c (pi - arccos c))/pi, at every variance.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown
from igbtheory.inputs import digits

SECTION = Section("Initial guessing bias, sections 5.2 to 7: amplification of the bias, and what follows from it")

Array = NDArray[np.float64]
g, a = sp.symbols("gamma a", positive=True)
c = sp.Symbol("c", positive=True)
KAPPA = (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi
RELU_GAMMA = 1 / (np.pi - 1)
RELU_VARIANCE = float(np.arcsin(1 / np.pi) / (2 * np.pi))


def _cdf(point: Any) -> Any:
    """Phi."""
    return (1 + sp.erf(point / sp.sqrt(2))) / 2


def _maximum(m: Any) -> tuple[Any, Any]:
    """Mean and variance of the maximum of 0 and m normal variables, for m up to 1e100, by quadrature.

    Its distribution is Phi(t)^m = exp(m log(1 - Q(t))), t >= 0, concentrated near Q(t) = 1/m.
    """
    m = mp.mpf(m)
    middle = mp.sqrt(2 * mp.log(m))
    ends = sorted({mp.mpf(0), *(max(middle + step, mp.mpf(0)) for step in (-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 9))})

    def above(t: Any) -> Any:
        return -mp.expm1(m * mp.log1p(-mp.erfc(t / mp.sqrt(2)) / 2))

    mean = mp.quad(above, ends)
    second = mp.quad(lambda t: 2 * t * above(t), ends)
    return mean, second - mean**2  # five of the digits cancel at m = 1e64


def _row(drawn: Any, name: str) -> Any:
    """Row of a comparison with the theory, extrapolated to infinite width."""
    return next(row for row in drawn.compare(workers=1).rows if row.name == name)


@SECTION.holds(
    "A-Eq10",
    "Where Var_W/Var_chi is infinite, f_0 is 0 or 1 with probability 1/2 each",
    printed=r"P_W(f_0 = x) = \tfrac{1}{2} \delta(x) + \tfrac{1}{2} \delta(x - 1)",
    assumes="two classes",
)
def all_or_nothing() -> Iterator[Finding]:
    """P(f_0 <= x) = Phi(Phi^-1(x)/sqrt(gamma)) -> Phi(0) = 1/2 for every x in (0, 1): half the mass at either end."""
    for name, value in (("x > 1/2", a), ("x < 1/2", -a)):
        yield identity(f"limit of P(f_0 <= x), {name}", sp.limit(_cdf(value / sp.sqrt(g)), g, sp.oo), sp.Rational(1, 2))
    variance = sp.asin(g / (1 + g)) / (2 * sp.pi)
    yield identity("variance: that of two atoms", sp.limit(variance, g, sp.oo), sp.Rational(1, 4))
    with mp.workdps(30):
        gamma = mp.mpf(10) ** 12
        inside = mp.erf(mp.erfinv(mp.mpf("0.98")) / mp.sqrt(gamma))
        yield shown("gamma = 1e12", inside < 1e-5, f"f_0 is in [0.01, 0.99] with probability {mp.nstr(inside, 5)}")


@SECTION.holds(
    "A-Thm5.2-i / Eq11",
    "One hidden layer of ReLU and MaxPool(m): Var_W/Var_chi goes to infinity with m",
    printed=r"\lim_{m \to \infty} \gamma(m) = \infty",
    assumes="width to infinity first",
)
def pooling_amplifies(trial: Trial) -> Iterator[Finding]:
    """M = max(0, h_1, ..., h_m) is a function of m normal variables with a gradient of length at most 1.

    By Poincaré's inequality Var M <= 1. For every t >= 0, E M >= t P(M > t) = t (1 - Phi(t)^m) -> t, so E M -> infinity
    and gamma = (E M)^2/Var M >= (E M)^2 -> infinity. In fact E M ~ sqrt(2 ln m) and Var M ~ pi^2/(12 ln m).
    """
    t, m = sp.symbols("t m", positive=True)
    below = sp.exp(-a)  # Phi(t) < 1
    yield identity("t (1 - Phi(t)^m) -> t", sp.limit(t * (1 - below**m), m, sp.oo), t)
    with mp.workdps(20):
        rows = [(m, *_maximum(mp.mpf(m))) for m in ("2", "1e2", "1e4", "1e16", "1e64")]
        gammas = [mean**2 / variance for _, mean, variance in rows]
        text = ", ".join(f"{name}: {mp.nstr(value, 6)}" for (name, _, _), value in zip(rows, gammas, strict=True))
        yield shown("gamma grows with m", all(low < high for low, high in pairwise(gammas)), text)
        yield shown(
            "gamma >= (E M)^2, as Var M <= 1",
            all(variance < 1 for _, _, variance in rows),
            ", ".join(f"{name}: {mp.nstr(variance, 6)}" for name, _, variance in rows),
        )
        ratio = gammas[-1] / (24 * mp.log(mp.mpf("1e64")) ** 2 / mp.pi**2)
        text = f"{mp.nstr(ratio, 6)} at m = 1e64"
        yield shown("gamma/(24 (ln m)^2/pi^2) nears 1", 0.9 < ratio < 1.1, text)
        mean, variance = _maximum(1000)
        yield agree("m = 1000: the package", igb.mlp(1, pool=1000).predict().gamma, mean**2 / variance, 10)
    smaller = igb.mlp(1, pool=4).predict().gamma
    drawn = igb.mlp(1, pool=8).simulate(networks=trial.draws(400), width=8, samples=150, seed=trial.seed, workers=1)
    row = _row(drawn, "gamma[1]")
    yield measured(trial, "m = 8: gamma, width to infinity", row.value, row.error, row.theory, against=smaller)


@SECTION.holds(
    "A-Thm5.2-ii / Eq12",
    "Many hidden layers: Var_W/Var_chi goes to infinity with depth",
    printed=r"\lim_{L \to \infty} \gamma = \infty",
    assumes="ReLU, with or without MaxPool, zero biases; width to infinity first",
)
def depth_amplifies(trial: Trial) -> Iterator[Finding]:
    """Both are homogeneous: c_{l+1} = K(c_l) with one convex K for all layers, K(0) > 0 and K(1) = 1.

    K'(1) = E rho'^2/E rho^2 is 1 for ReLU, and (1 - 2^-m)/E M^2 < 1 with MaxPool(m). A convex K that ends at 1 with a
    slope of at most 1 lies above c before: c_l rises, and the only fixed point it can rise to is 1. So gamma goes to
    infinity: for ReLU, as K(1 - x) = 1 - x + (2 sqrt 2/(3 pi)) x^(3/2) + ..., as gamma ~ 2 l^2/(9 pi^2); with
    MaxPool(2) by the factor E M^2/(3/4) = 1 + 2/(3 pi) a layer. sigma_w^2 does not enter.
    """
    x = sp.Symbol("x", positive=True)
    yield identity("ReLU: K''", sp.diff(KAPPA, c, 2), 1 / (sp.pi * sp.sqrt(1 - c**2)))
    yield identity("ReLU: K(0)", KAPPA.subs(c, 0), 1 / sp.pi)
    yield identity("ReLU: K'(1)", sp.diff(KAPPA, c).subs(c, 1), 1)
    # x = 1 - c, c = cos s: x^(3/2) = s^3/(2 sqrt 2) + ..., K(c) - c = (sin s - s cos s)/pi = s^3/(3 pi) + ...
    s = sp.Symbol("s", positive=True)
    excess = sp.limit((sp.sin(s) - s * sp.cos(s)) / sp.pi / s**3, s, 0) / (1 / (2 * sp.sqrt(2)))
    yield identity("ReLU: K(1 - x) - (1 - x) at small x, over x^(3/2)", excess, 2 * sp.sqrt(2) / (3 * sp.pi))
    solution = sp.Rational(9, 2) * sp.pi**2 / x**2  # of dx/dl = -excess x^(3/2), with x for l
    yield identity("its course", sp.diff(solution, x), -excess * solution ** sp.Rational(3, 2))
    gamma = igb.mlp(10_000).predict().gamma
    yield agree("ReLU: gamma at depth 10,000", gamma, 2 * 10**8 / (9 * mp.pi**2), 2.3)
    for net, name in ((igb.mlp(60, sigma_w2=1.0), "ReLU, sigma_w^2 = 1"), (igb.mlp(60, pool=2), "ReLU + MaxPool(2)")):
        course = net.predict().per_layer.gamma
        text = ", ".join(f"{value:.6g}" for value in course[::12])
        yield shown(f"{name}: gamma at depths 0, 12, ..., 60 rises", bool(np.all(np.diff(course) > 0)), text)
    pooled = igb.mlp(60, pool=2).predict().per_layer.gamma
    yield agree("MaxPool(2): factor of the last layer", pooled[60] / pooled[59], 1 + 2 / (3 * mp.pi), 2.5)
    drawn = igb.mlp(4).simulate(networks=trial.draws(600), width=24, samples=150, seed=trial.seed, workers=1)
    row = _row(drawn, "gamma[4]")
    label = "ReLU, four layers: gamma, width to infinity"
    yield measured(trial, label, row.value, row.error, row.theory, against=RELU_GAMMA)


@SECTION.holds(
    "A-Thm5.2-iii / Eq13",
    "Shifting the centre of the inputs by a vector of norm k: Var_W/Var_chi goes to infinity with k",
    printed=r"\lim_{k \to \infty} \gamma = \infty",
    assumes="k to infinity at a fixed input dimension d: the first layer has gamma = k^2/d; ReLU, with or without "
    "MaxPool",
)
def inputs_off_centre_amplify(trial: Trial) -> Iterator[Finding]:
    """In the first layer Var_W(mu) = sigma_w^2 k^2/d and Var_chi = sigma_w^2: c = k^2/(k^2 + d) -> 1.

    Every layer's K is continuous and K(1) = 1, so c -> 1 at the output too; for ReLU K'(1) = 1, and gamma itself is
    k^2/d at leading order behind any number of layers. (At a fixed norm k a growing d undoes the shift: it is the shift
    k/sqrt(d) of a component that counts.) The data sets below have d = 4, where h is not Gaussian.
    """
    k, d = sp.symbols("k d", positive=True)
    first = k**2 / (k**2 + d)
    yield identity("c of the first layer", sp.limit(first, k, sp.oo), 1)
    yield identity("K(1)", KAPPA.subs(c, 1), 1)
    yield identity("K'(1): gamma/k^2 is kept at leading order", sp.diff(KAPPA, c).subs(c, 1), 1)
    yield identity("at fixed k and growing d", sp.limit(first, d, sp.oo), 0)
    for net, name in ((igb.mlp(1), "ReLU"), (igb.mlp(3), "ReLU, three layers"), (igb.mlp(2, pool=2), "ReLU + MaxPool")):
        gammas = [float(net.predict(igb.GaussianInputs(shift=shift)).gamma) for shift in (0.0, 1.0, 10.0, 100.0)]
        text = ", ".join(f"{value:.6g}" for value in gammas)
        rising = all(low < high for low, high in pairwise(gammas))
        yield shown(f"{name}: gamma at shifts 0, 1, 10, 100", rising and gammas[-1] > 1e4, text)
    with mp.workdps(30):
        q = mp.mpf(100) / 101  # one layer, shift 10
        kappa = (mp.sqrt(1 - q**2) + q * (mp.pi - mp.acos(q))) / mp.pi
        predicted = igb.mlp(1).predict(igb.GaussianInputs(shift=10.0)).gamma
        yield agree("ReLU, shift 10", predicted, kappa / (1 - kappa), 11)
    cloud = trial.rng.standard_normal((300, 4))
    shifted = [cloud + np.array([norm, 0, 0, 0]) for norm in (0.0, 20.0, 200.0)]
    gammas = [float(igb.mlp(2).predict(data).gamma) for data in shifted]
    text = ", ".join(f"{value:.6g}" for value in gammas)
    yield shown("four input components, two ReLU layers: gamma at norms 0, 20, 200", gammas[2] > 3000 > gammas[0], text)
    drawn = igb.mlp(1).simulate(
        networks=trial.draws(400),
        width=16,
        samples=150,
        seed=trial.seed,
        workers=1,
        inputs=igb.GaussianInputs(shift=2.0),
    )
    row = _row(drawn, "gamma[1]")
    label = "ReLU, shift 2: gamma, width to infinity"
    yield measured(trial, label, row.value, row.error, row.theory, against=RELU_GAMMA)


@SECTION.holds(
    "A-Eq14",
    "On balanced classes the accuracy is at most 1 - (max f_i - 1/N_C)",
    printed=r"\mathrm{Accuracy} \le 1 - (\max_i f_i - 1/N_C)",
    assumes="balanced labels",
)
def bound_on_the_accuracy(trial: Trial) -> Iterator[Finding]:
    """Of the share f_i of guesses i at most 1/N_C are right: at least f_i - 1/N_C of all guesses are wrong.

    With n_ij the share of data of class j that are guessed i, three classes: what the bound leaves is a sum of terms
    that are not negative. For two classes it is reached.
    """
    n = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"n{i}{j}", nonnegative=True))
    share, accuracy = sum(n[0, :]), n.trace()
    label_0 = sum(n[:, 0])  # = 1/3 on balanced labels, and the sum of all n is 1
    rest = 2 * n[1, 0] + 2 * n[2, 0] + n[1, 2] + n[2, 1]
    yield identity("1 - (f_0 - 1/3) - accuracy, three classes", sum(n) - (share - label_0) - accuracy, rest)
    f = sp.Symbol("f", positive=True)  # two classes, f >= 1/2: guess 0 for all of class 0 and f - 1/2 of class 1
    yield identity("reached with two classes", sp.Rational(1, 2) + 1 - f, 1 - (f - sp.Rational(1, 2)))
    worst = np.inf
    for classes in (2, 3, 10):
        counts = trial.rng.dirichlet(np.full(classes, 0.3), size=(trial.draws(4000), classes)) / classes  # [., j, i]
        right = np.trace(counts, axis1=1, axis2=2)
        worst = min(worst, float((1 - (counts.sum(axis=1).max(axis=1) - 1 / classes) - right).min()))
    yield shown("random confusion matrices of 2, 3 and 10 classes", worst > -1e-12, f"the smallest gap is {worst:.3g}")


SECTION.undecided(
    "A-Fig5R",
    "The time that the absorption of IGB takes in training increases with the IGB at the start (MLP-Mixer)",
    "it needs training runs of an MLP-Mixer on CIFAR-10, and no theory of the package covers training",
)


def _relu_fractions(rng: np.random.Generator, networks: int, width: int, samples: int, power: float) -> Array:
    """f_0 of ReLU networks whose weights have the standard deviation width^-power, eight pairs of outputs each."""
    scale = np.float32(width**-power)
    found = []
    for count in [min(250, networks - i) for i in range(0, networks, 250)]:
        data = rng.standard_normal((count, samples, width), dtype=np.float32)
        hidden = np.maximum(data @ (scale * rng.standard_normal((count, width, width), dtype=np.float32)), 0)
        difference = hidden @ (scale * rng.standard_normal((count, width, 8), dtype=np.float32))
        found.append((difference > 0).mean(axis=1))
    return np.concatenate(found).astype(np.float64)


def _variance(trial: Trial, samples: int, power: float) -> tuple[float, float]:
    """Variance of f_0 in infinite width, a straight line in 1/width through two widths, with its error."""
    values = []
    for width in (20, 40):
        means = ((_relu_fractions(trial.rng, trial.draws(1500), width, samples, power) - 0.5) ** 2).mean(axis=1)
        values.append((float(means.mean()), float(means.std() / np.sqrt(len(means)))))
    (first, e1), (second, e2) = values
    return 2 * second - first, float(np.hypot(2 * e2, e1))


@SECTION.fails(
    "A-disc-1/N",
    "With initial weights of the order 1/N_l, as in other mean-field limits, there is no IGB",
    printed=r"w_{ij} = O(1/N_l) \Rightarrow \gamma = 0",
    counter_example="""
import numpy as np
rng = np.random.default_rng(0)
N, D = 400, 2000
data, W, w = rng.standard_normal((D, N)), rng.standard_normal((N, N)), rng.standard_normal((N, 2))
relu = lambda h: np.maximum(h, 0)
root = relu(data @ W / N**0.5) @ w / N**0.5  # standard deviation N^(-1/2): the paper's own
whole = relu(data @ W / N) @ w / N           # standard deviation 1/N
guess, same = root[:, 0] > root[:, 1], whole[:, 0] > whole[:, 1]
assert (guess == same).all()                 # not one guess differs
assert abs(same.mean() - 0.5) > 0.1          # 0.011 is the standard deviation of fair coins
""",
)
def small_weights_have_no_bias(trial: Trial) -> Iterator[Finding]:
    """The guess compares two outputs: a common positive factor of their weights changes none.

    ReLU passes a factor on, so weights of the standard deviation N^-1 instead of N^-1/2, in one layer or in all, give
    the very same f_0. Here the variance of f_0 over such networks is held against that of fair coins, 1/(4 D).
    """
    value, error = _variance(trial, 200, 1.0)
    yield measured(trial, "ReLU, weights of standard deviation 1/N: Var(f_0) without IGB", value, error, 1 / 800)


@SECTION.corrects(
    "A-disc-1/N",
    "The guesses do not depend on a common factor of the output weights, nor for ReLU on one of any layer: with "
    "centred independent weights of the order 1/N the law of f_0 is the same, and the outputs, centres and spread "
    "alike, vanish",
    right=r"\mathrm{Var}_W(\mu), \mathrm{Var}_\chi \propto \sigma_w^2, \quad \gamma = \text{const}",
    assumes="independent centred weights",
)
def small_weights_have_the_same_bias(trial: Trial) -> Iterator[Finding]:
    """Var_W(mu) and Var_chi both have the factor sigma_w^2 of the output layer; gamma is their ratio.

    Small hidden weights do more: phi becomes phi(0) + phi'(0) h. Where phi(0) = 0 that is a linear network on centred
    data; where it is not, as for sigmoid, gamma = phi(0)^2/(phi'(0)^2 q) grows without bound as q ~ 1/N -> 0.
    """
    m_1, v, sw2 = sp.symbols("m_1 v sigma_w2", positive=True)
    yield identity("gamma, the same factor in both variances", (sw2 * m_1**2) / (sw2 * v), m_1**2 / v)
    q = sp.Symbol("q", positive=True)
    relu = (q / (2 * sp.pi)) / (q / 2 - q / (2 * sp.pi))
    yield identity("ReLU: gamma for hidden weights of any size", relu, 1 / (sp.pi - 1))
    for sigma_w2 in (2.0, 2e-3, 2e-6):
        gamma = igb.mlp(1, "relu", sigma_w2=sigma_w2).predict().gamma
        yield agree(f"ReLU, sigma_w^2 = {sigma_w2:g}", gamma, 1 / (mp.pi - 1), 12)
    gamma = igb.mlp(1, "sigmoid", sigma_w2=1e-8).predict().gamma
    yield agree("sigmoid, sigma_w^2 = 1e-8: gamma is 4/sigma_w^2", gamma, 4e8, 6)
    value, error = _variance(trial, 200, 1.0)
    expected = RELU_VARIANCE + (0.25 - RELU_VARIANCE) / 200
    yield measured(trial, "ReLU, weights of standard deviation 1/N: Var(f_0)", value, error, expected, against=1 / 800)


@SECTION.holds(
    "A-disc-real",
    "Correlated (real) data increase IGB",
    printed=r"\mathrm{Var}(f_0) = E_{ab} \frac{\arcsin K(c_{ab})}{2 \pi} \ge \frac{\arcsin K(0)}{2 \pi}",
    assumes="infinite width; data of equal length, or a positively homogeneous activation such as ReLU",
)
def correlated_data_increase_the_bias(trial: Trial) -> Iterator[Finding]:
    """On a given data set with the correlations c_ab of its data, Var(f_0) is the mean of arcsin(K(c_ab))/(2 pi).

    (P(O_0 > O_1 at a and at b) = 1/4 + arcsin(corr)/(2 pi).) arcsin K(c) is a power series in c with coefficients that
    are not negative. The mean over a, b of c_ab^k is |E x^(tensor k)|^2 >= 0, x a datum over its length: even where
    correlations are of both signs. So its first term, K(0), which is all that uncorrelated data have, is a lower
    bound, reached only without correlations. For ReLU, Jensen's inequality says the same: K is convex and rising.
    """
    xs = sp.symbols("x1:7", real=True)
    data = sp.Matrix(3, 2, xs)
    squares = sum(value**2 for value in data * data.T)
    second = sum(value**2 for value in data.T * data)
    yield identity("sum_ab c_ab^2 = |sum_a x_a x_a^T|^2, three data", sp.expand(squares), sp.expand(second))
    yield identity("ReLU: K'' > 0", sp.diff(KAPPA, c, 2), 1 / (sp.pi * sp.sqrt(1 - c**2)))
    images = digits()[trial.rng.permutation(1797)[:300]]
    centred = _unit(images - images.mean(axis=0))
    cases = (
        ("digits", _unit(images), "relu"),
        ("digits", _unit(images), "sigmoid"),
        ("digits less the mean of each pixel", centred, "relu"),
    )
    for name, data_set, activation in cases:
        prediction, random = igb.mlp(1, activation).predict(data_set), igb.mlp(1, activation).predict()
        gammas = f"gamma {prediction.gamma:.5f}, of random data {random.gamma:.5f}"
        text = f"{gammas}; Var(f_0) {prediction.G0.var():.5f}, of random data {random.G0.var():.5f}"
        # a datum with itself counts 1/4 in the mean over all pairs, which is no correlation of the data
        larger = prediction.gamma > random.gamma and prediction.G0.var() > random.G0.var() + 0.25 / len(images)
        yield shown(f"{name}, {activation}", larger, text)
    data_set = _unit(images)
    cosines = np.clip(data_set @ data_set.T / data_set.shape[1], -1, 1)
    kernel = (np.sqrt(1 - cosines**2) + cosines * (np.pi - np.arccos(cosines))) / np.pi
    by_hand = float(np.arcsin(np.clip(kernel, -1, 1)).mean() / (2 * np.pi))
    yield agree("digits, ReLU: Var(f_0) from the correlations", igb.mlp(1).predict(data_set).G0.var(), by_hand, 6)
    drawn = igb.mlp(1).simulate(
        networks=trial.draws(1500), width=16, samples=None, inputs=data_set, seed=trial.seed, workers=1
    )
    row = _row(drawn, "Var(G0)")
    against = RELU_VARIANCE + (0.25 - RELU_VARIANCE) / len(data_set)
    yield measured(trial, "digits, ReLU: Var(f_0), width to infinity", row.value, row.error, row.theory, against)


def _unit(data: Array) -> Array:
    """Data of the length of random data, sqrt(features)."""
    return np.asarray(data / np.linalg.norm(data, axis=1, keepdims=True) * np.sqrt(data.shape[1]))


SECTION.undecided(
    "A-Fig1",
    "tanh and average pooling: f_0 is mostly near 50%; ReLU and max pooling: mostly near 0% or 100% (CNN, CIFAR-10)",
    "it is an experiment with convolutional networks on CIFAR-10; the theory of the package is for independent nodes",
)
