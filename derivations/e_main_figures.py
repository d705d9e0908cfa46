"""Where you place the norm, main text: gradients, histograms, residual networks and labels."""

from typing import Any

import numpy as np
import scipy
import sympy as sp
from numpy.lib.stride_tricks import sliding_window_view

import igbtheory as igb
from igbtheory.claims import (
    Finding,
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    satisfies,
    settings,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.gaussians import g0_density, g0_variance, kappa_1, mean_of, mean_of_pair, ncdf, npdf, relu_moment
from igbtheory.claims.simulated import Array, mean_with_error, relu, second_moments, standardised, wide_limit

SECTION = Section("Where you place the norm: main text, gradients and figures", "E 0")

GAMMA, AFTER, BEHIND_BATCH = sp.symbols("gamma gamma_after gamma_BN", real=True)
"""With the norm in front of the activation and behind it, and with BatchNorm behind it."""
CHI, CHI_BN = sp.symbols(r"\chi \chi_\mathrm{BN}", positive=True)
F_G0, F_MAXIMUM = sp.Function("f_{G_0}"), sp.Function(r"f_\mathrm{max}")
POST, PRE, KAPPA = sp.Function(r"c^\mathrm{post}"), sp.Function(r"c^\mathrm{pre}"), sp.Function(r"\kappa_1")
"""Correlations of two data behind a residual block; that behind ReLU as a function of that in front."""
y = sp.Symbol("y", real=True)
c, g, sigma_w2 = sp.symbols("c g sigma_w2", positive=True)
b = sp.Symbol("b", positive=True, integer=True)
angle = sp.lambdify(c, kappa_1(c))
NORMS = ("batch", "layer")
NODES, INPUTS, FEW, MANY, DEEP = 100, 1000, 200, 2000, 20
"""Nodes and hidden layers of the networks of figure 3, and the numbers of data on which they are simulated."""
PAIRS = 4000
"""Pairs of data whose error is below that of the few networks, also where all cosines are small."""
SPREAD, OF_THEORY = sp.symbols("sd sd_theory", positive=True)
CLOSE = sp.Lt(sp.Abs(SPREAD / OF_THEORY - 1), sp.Rational(1, 10))
"""What "closely match" is taken to mean for the standard deviation of G0."""
LOWER = sp.Lt(AFTER, GAMMA)


@SECTION.holds(
    "E-EOCcoexist",
    "Factors of squared gradients in a layer: without normalisation, where the edge of chaos and a bias “can "
    "coexist”, and with BatchNorm, then ReLU, where sigma_w^2 “alone does not suffice to reach the EOC”",
    printed=(equation(CHI, sigma_w2 / 2), equation(CHI_BN, sp.pi / (sp.pi - 1))),
    at="section 2, Initial State: Trainability and Fairness, last paragraph",
)
def edge_of_chaos_and_batchnorm(trial: Trial, stated: Any) -> Findings:
    """Squared gradients change by sw2 E phi'^2 a layer; BN in front divides by sw2 Var(ReLU) too (Yang et al. 2019)."""
    active, mean, square = (relu_moment(k) for k in (0, 1, 2))
    active *= sigma_w2
    chi, with_batchnorm = value_of(CHI, stated), value_of(CHI_BN, stated)
    yield identity("factor without a norm", active, chi)
    yield identity("factor with BN", active / (sigma_w2 * (square - mean**2)), with_batchnorm)
    yield identity("without a norm the gradient is stable at sw2 = 2", chi.subs(sigma_w2, 2), 1, of=active)
    gamma = igb.mlp(300, "relu").predict().gamma
    yield shown("where gamma grows without bound", gamma > 1000, f"{gamma:.5g} at depth 300")
    sizes = [mean_with_error(np.array([_gradient_growth(trial, n) for _ in range(trial.draws(60))])) for n in (64, 128)]
    yield wide_limit(trial, "factor by backpropagation, as many data as nodes", sizes, with_batchnorm)


def _gradient_growth(trial: Trial, size: int) -> float:
    """Factor a layer by which the squared gradient grows through layers of BN + ReLU, with as many data as nodes."""
    rng, depth, kept = trial.rng, 12, []
    x = rng.standard_normal((size, size))
    for _ in range(depth):
        weights = np.sqrt(2 / size) * rng.standard_normal((size, size))
        before = x @ weights
        normed = standardised(before, 0)
        x = np.maximum(normed, 0)
        kept.append((weights, before.std(axis=0), normed))
    gradient, sizes = rng.standard_normal((size, size)), []
    for weights, scale, normed in reversed(kept):
        inside = gradient * (normed > 0)
        inside = inside - inside.mean(axis=0) - normed * (inside * normed).mean(axis=0)
        gradient = (inside / scale) @ weights.T
        sizes.append(np.mean(gradient**2))
    return float((sizes[-2] / sizes[0]) ** (1 / (depth - 2)))  # the first layer has other inputs


SECTION.definitions(
    "a definition",
    ("E-s3", "section 3.1", "Low IGB: G0 is about 0.5; high IGB: G0 is about 1; weak prejudice: broad on [0.5, 1]"),
)
SECTION.untested(
    "it needs training runs: igb study --preset blobs, and --preset resnet with a small ResNet; docs/training.rst has "
    "their p-values",
    ("E-Fig2", "Fig. 2", "Neutral and prejudiced starts have different convergence, and gaps between the classes"),
    ("E-Fig4", "Fig. 4", "Dynamics by the placement of the norm"),
    ("E-Fig5, training", "Fig. 5", "ResNet-9: BatchNorm behind the activation trains faster"),
    (
        "E-Gzero, training",
        "section G.3, Normalization placement and training dynamics",
        "“Moving normalization after the nonlinearity ... accelerates convergence”",
    ),
)
SECTION.untested(
    "neither data set is at hand: `igb predict --data FILE`",
    ("E-5.1", "section 5.1", "CIFAR-10 is close to the theory for random inputs, MNIST departs more from it"),
)


def spreads(trial: Trial, norm: Any, placement: Any, depth: int, data: int, networks: int) -> tuple[float, ...]:
    """Standard deviation of G0 of networks of 100 nodes on 1000 inputs, its error, and that of the theory. Over the
    output weights it is exact: the mean of asin(c)/(2 pi) over all pairs of data, c their cosine. That of c is known,
    and that of asin(c) - c, which is small, is taken over some of the pairs of different data.
    """
    axis, squares = {"batch": 0, "layer": 1}[norm], []
    for _ in range(networks):
        x: Array = trial.rng.standard_normal((data, NODES), dtype=np.float32)
        first = trial.rng.standard_normal((INPUTS, NODES), dtype=np.float32)
        weights = np.linalg.cholesky(first.T @ first).T  # for 100 inputs N(0, 1), what `first` is for 1000
        for _ in range(depth):
            x = x @ (weights / np.float32(np.sqrt(NODES)))
            weights = trial.rng.standard_normal((NODES, NODES), dtype=np.float32)
            x = relu(standardised(x, axis)) if placement == "before" else standardised(relu(x), axis)
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        cosines = np.array([(x * np.roll(x, k, axis=0)).sum(axis=1, dtype=float) for k in range(1, PAIRS // data + 1)])
        bent = np.mean(np.arcsin(np.clip(cosines, -1, 1)) - cosines)
        mean = np.sum(x.mean(axis=0, dtype=float) ** 2) + (1 - 1 / data) * bent + (np.pi / 2 - 1) / data
        squares.append(mean / (2 * np.pi))
    square, error = mean_with_error(np.array(squares))
    behind_batch = norm == "batch" and placement == "after"
    gamma = -1 / data if behind_batch else igb.mlp(depth, norm=norm, placement=placement).predict().gamma
    theory = 1 / (4 * data) + (1 - 1 / data) * float(g0_variance(gamma))
    return float(np.sqrt(square)), float(error / np.sqrt(square) / 2), float(np.sqrt(theory))


@SECTION.limited(
    "E-Fig3",
    "“the theoretical curves closely match the empirical distributions across synthetic inputs and real data”",
    printed=CLOSE,
    assumes=f"networks of {NODES} nodes; norms in front of ReLU with 1 and {DEEP} hidden layers on {FEW} and {MANY} "
    f"data; norms behind ReLU with 1 hidden layer on {FEW} data",
    counter_example="""
rng = np.random.default_rng(0)
deviations = []
for _ in range(5):  # ReLU + LN, L = 20, N = 100, 400 data: G0 would have the deviation sqrt(1/1600)
    x = rng.standard_normal((400, 100))
    for _ in range(20):
        x = np.maximum(x @ rng.normal(0, 0.02**0.5, (100, 100)), 0)
        x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    o = x @ rng.standard_normal((100, 400))
    deviations.append(((o[:, ::2] > o[:, 1::2]).mean(0) - 0.5).std())
assert np.mean(deviations) > 1.5 * 400**-0.5 / 2
""",
    at="section 4.1.4, last paragraph",
    where="inputs are N(0, 1); the real data of the figure are not tested",
)
def matching_histograms(trial: Trial, stated: Any, says: str) -> Findings:
    """Networks in front of which the theory matches. On D data it has the variance 1/(4 D) + (1 - 1/D) asin(c)/(2 pi)
    of G0, c = gamma/(1 + gamma), or -1/(D - 1) behind BN. Not noticed: "closely" has no number in the preprint.
    """
    depths, sizes, front, behind = (1, DEEP), (FEW, MANY), "before", "after"
    cases = [(norm, front, depth, data) for norm in NORMS for depth in depths for data in sizes]
    for case in [*cases, *((norm, behind, depths[0], FEW) for norm in NORMS)]:
        yield _histogram(stated, case, *spreads(trial, *case, networks=24 if case[3] == FEW else 4))
    yield worded(says, "networks of {} nodes", NODES)
    phrase = "norms {} ReLU with {} and {} hidden layers on {} and {} data"
    yield worded(says, phrase, settings.PLACES[front], *depths, *sizes)
    yield worded(says, "norms {} ReLU with {} hidden layer on {} data", settings.PLACES[behind], depths[0], FEW)


def _histogram(stated: Any, case: tuple[str, str, int, int], value: float, error: float, theory: float) -> Finding:
    norm, placement, depth, data = case
    label = f"{norm} norm {placement} ReLU, L = {depth}, {data} data, relative error {error / value:.1%}"
    return satisfies(label, stated, {SPREAD: value, OF_THEORY: theory})


@SECTION.corrects(
    "E-Fig3",
    "Networks of 100 nodes with norms behind ReLU have a bias which grows with the depth, where the theory has "
    "none: the standard deviation of G0 on 2000 data is more than 1.1 times that of the theory with 1 hidden layer, "
    "and with 20 it is more than 1.3 times on 200 data and more than 3 times on 2000",
    right=sp.Gt(SPREAD, OF_THEORY),
    where="inputs are N(0, 1)",
)
def wider_histograms(trial: Trial, stated: Any, says: str) -> Findings:
    """The bias is of order L/N, and G0 would have the variance 1/(4 D) without it: more data show more of it."""
    cases = [(1, MANY), (DEEP, FEW), (DEEP, MANY)]
    least = []
    for depth, data in cases:
        both = [spreads(trial, norm, "after", depth, data, networks=8) for norm in NORMS]
        for norm, numbers in zip(NORMS, both, strict=True):
            yield _histogram(stated, (norm, "after", depth, data), *numbers)
        least.append(min(value / theory for value, _, theory in both))
    beyond = ["more" if ratio > bound else "less" for ratio, bound in zip(least, (1.1, 1.3, 3), strict=True)]
    yield worded(says, "{} with the depth", "grows" if least[2] > least[0] else "shrinks")
    yield worded(says, "on {} data is {} than {} times that of the theory with {} hidden", MANY, beyond[0], 1.1, 1)
    phrase = "with {} it is {} than {} times on {} data and {} than {} times on {}"
    yield worded(says, phrase, DEEP, beyond[1], 1.3, FEW, beyond[2], 3, MANY)
    yield worded(says, "of {} nodes with norms {} ReLU", NODES, settings.PLACES["after"])


@SECTION.holds(
    "E-Fig5",
    "ResNet-9: “the post-activation configuration yields a lower” gamma than the standard configuration",
    printed=LOWER,
    at="Fig. 5",
    stand_in="a ResNet-9 with 8 to 64 channels, an eighth of them, on random images with the spectrum of natural "
    "ones, in place of CIFAR-10",
)
def residual_network(trial: Trial, stated: Any, says: str) -> Findings:
    """The ratio is exact over the weights of the last layer. Maxima over pixels behind BN bring some centres back."""
    values = {}
    for symbol in (GAMMA, AFTER):
        pairs, own = second_moments(np.array([_features(trial.rng, after=symbol == AFTER) for _ in range(3)]))
        values[symbol], error = mean_with_error(pairs / (own - pairs))
        yield shown(f"error of {symbol}", error < values[symbol] / 5, f"{error:.2g}")
    yield satisfies("24 images of 32 x 32 pixels a network", stated, values)
    yield worded(says, "yields a {}", "lower" if values[AFTER] < values[GAMMA] else "higher")
    yield worded(says, "a ResNet-9 with {} to {} channels", CHANNELS[0], CHANNELS[-1])


CHANNELS = 8, 16, 32, 64
"""Channels of the small ResNet-9; the original has eight times as many."""


def _features(rng: np.random.Generator, *, after: bool) -> Array:
    """Features of ResNet-9 (images, 64) on 24 random images; after: with BN behind ReLU."""
    frequency = np.fft.fftfreq(32)
    size = np.hypot(frequency[:, None], frequency)
    size[0, 0] = np.inf
    images = np.fft.ifft2(np.fft.fft2(rng.standard_normal((24, 3, 32, 32))) / size).real
    images /= images.std(axis=(0, 2, 3), keepdims=True)

    def block(x: Array, channels: int, pooled: int = 1) -> Array:
        n, before, side, _ = x.shape
        windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3))
        flat = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, 9 * before)
        flat = flat @ rng.normal(0, np.sqrt(2 / flat.shape[1]), (flat.shape[1], channels))
        flat = standardised(relu(flat), 0) if after else relu(standardised(flat, 0))
        return maximum(flat.reshape(n, side, side, channels).transpose(0, 3, 1, 2), pooled)

    def maximum(x: Array, by: int) -> Array:
        n, channels, side, _ = x.shape
        return np.asarray(x.reshape(n, channels, side // by, by, side // by, by).max(axis=(3, 5)))

    few, more, many, most = CHANNELS
    x = block(block(images, few), more, 2)
    x = x + block(block(x, more), more)
    x = block(block(x, many, 2), most, 2)
    x = x + block(block(x, most), most)
    return maximum(x, 4).reshape(24, most)


@SECTION.holds(
    "E-label",
    "The law of G0 “is symmetric across random initializations”; if the first label is given to the favoured class, it "
    "is the law of a maximum",
    printed=(equation(F_G0(g), F_G0(1 - g)), equation(F_MAXIMUM(g), 2 * F_G0(g))),
    assumes="“primarily focus on binary classification” (section 2)",
    at="section 2, last two paragraphs",
    where="g is from 1/2 to 1 in the second equation",
)
def labels(stated: Any) -> Findings:
    """With g = Phi(y), 1 - g is at -y. On [1/2, 1] max(G0, 1 - G0) has the density 2 f_G0, here at gamma = 3."""
    gamma = sp.Symbol("gamma", positive=True)
    mirrored = value_of(F_G0(g), stated[0]).replace(F_G0, lambda at: g0_density(at, gamma))
    ratio = sp.log(mirrored.subs(g, ncdf(y))) - sp.log(g0_density(ncdf(-y), gamma))
    yield identity("symmetry, by the slope of f(1 - g)/f(g)", sp.Derivative(ratio, y), 0)
    density = value_of(F_MAXIMUM(g), stated).replace(F_G0, lambda at: g0_density(at, sp.Integer(3))).subs(g, ncdf(y))
    yield identity("mass on [1/2, 1]", sp.Integral(density * npdf(y), (y, 0, sp.oo)), 1)


def behind_and_in_front(norm: Any, activation: str, depth: int, shift: float = 0.0) -> tuple[float, float]:
    """Predicted gamma with the norm behind the activation, and in front of it."""
    places: tuple[Any, ...] = "after", "before"
    nets = (igb.mlp(depth, activation, norm=norm, placement=place) for place in places)
    after, before = (float(net.predict(igb.GaussianInputs(shift)).gamma) for net in nets)
    return after, before


@SECTION.limited(
    "E-prepost",
    "“Post-Norm shifts DNNs toward neutral regimes, while Pre-Norm preserves prejudice”",
    printed=(equation(AFTER, 0), sp.Ge(GAMMA, 1 / (sp.pi - 1))),
    assumes="“both pre-activation (Pre-Norm) and post-activation (Post-Norm) configurations” (section 2); “all "
    "datapoints are used to compute the shift and scale estimators for the BN” (section E.1.1); “unstructured "
    "Gaussian inputs, where each component is independently sampled” (appendix B)",
    counter_example="""
from igbtheory import Activation, Dense, LayerNorm, Network, Residual
branch = Dense(2.0), Activation("relu"), Dense(2.0)
pre = Network(Dense(2.0), *[Residual(LayerNorm(), *branch)] * 12, Dense(2.0)).predict().gamma
post = Network(Dense(2.0), *[Residual(*branch), LayerNorm()] * 12, Dense(2.0)).predict().gamma
assert post > 5 * pre
""",
    at="section 6, first paragraph",
    where="networks are chains of layers with ReLU: they have no skips",
)
def post_norm_is_neutral(stated: Any, says: str) -> Findings:
    """E-Thm4.1 to E-Thm4.4: norms behind the activation take the mean away, and norms in front of it leave at least the
    bias of one layer of ReLU. Not noticed: a pi that is larger, as the bound is then lower.
    """
    cases = [(norm, "relu", depth) for norm in NORMS for depth in (1, 8)]
    pairs = [behind_and_in_front(*case) for case in cases]
    for (norm, _, depth), (after, before) in zip(cases, pairs, strict=True):
        yield agree(f"{norm} norm behind ReLU, depth {depth}, predicted", after, value_of(AFTER, stated))
        label = f"{norm} norm in front of ReLU, depth {depth}, predicted"
        yield satisfies(label, stated[1], {GAMMA: before * (1 + 1e-12)})
    regimes = "neutral" if max(after for after, _ in pairs) < 1e-12 else "prejudiced"
    preserved = "prejudice" if min(before for _, before in pairs) > 0.4 else "neutrality"
    yield worded(says, "toward {} regimes, while Pre-Norm preserves {}", regimes, preserved)


@SECTION.corrects(
    "E-prepost",
    "For transformers the same words name residual blocks, of which the preprint proves nothing: after 12 blocks "
    "LN(x + branch(x)), Post-Norm, gamma is 4.62, and after 12 blocks x + branch(LN(x)), Pre-Norm, it is 0.86, as the "
    "skip dilutes the bias",
    right=(
        equation(POST(b + 1), (POST(b) + 2 * KAPPA(POST(b))) / 3),
        equation(PRE(b + 1), (b * PRE(b) + KAPPA(PRE(b))) / (b + 1)),
    ),
    where="a branch is Dense, ReLU, Dense with sigma_w^2 = 2 and no biases; c(b) is the correlation of two data in "
    "front of block b, 0 at b = 1, gamma = c/(1 - c), and kappa_1 the correlation behind ReLU",
)
def residual_blocks(stated: Any, says: str) -> Findings:
    """The branch adds the variance 2, of correlation kappa_1(c), to that of the skip, which is 1 in Post-Norm, and 2 b
    in Pre-Norm, where it dilutes the bias. This is a finding beside the preprint and not against it.
    """
    blocks, gammas = 12, {}
    branch = igb.Dense(2.0), igb.Activation("relu"), igb.Dense(2.0)
    inside, outside = igb.Residual(igb.LayerNorm(), *branch), (igb.Residual(*branch), igb.LayerNorm())
    for label, function, layers in (("Post", POST, outside), ("Pre", PRE, (inside,))):
        said = value_of(function(b + 1), stated).replace(KAPPA, kappa_1).subs(function(b), c)
        rule, value = sp.lambdify((c, b), said), 0.0
        for block in range(1, blocks + 1):
            value = rule(value, block)
        gammas[label] = value / (1 - value)
        predicted = igb.Network(igb.Dense(2.0), *layers * blocks, igb.Dense(2.0)).predict().gamma
        yield agree(f"{label}-Norm, predicted", predicted, gammas[label], 10)
    yield worded(says, "after {} blocks LN(x + branch(x)), Post-Norm, gamma is {:.2f}", blocks, gammas["Post"])
    yield worded(says, "after {} blocks x + branch(LN(x)), Pre-Norm, it is {:.2f}", blocks, gammas["Pre"])


@SECTION.holds(
    "E-Gzero",
    "“Moving normalization after the nonlinearity reduces IGB”",
    printed=LOWER,
    at="section G.3, Normalization placement and training dynamics",
    stand_in="chains of layers of ReLU and of GELU, in place of the ResNet and of the MLP-Mixer of the figures",
    where="E-Fig5 has BN, ReLU and skips",
)
def behind_the_nonlinearity(stated: Any, says: str) -> Findings:
    """E-Thm4.1 to E-Thm4.4 for ReLU. LN in front of GELU makes every node N(0, 1), of which gamma is (E phi)^2/Var phi
    at depth 1; LN behind takes the mean away. On data with a common mean some bias is left. For residual LN blocks see
    E-prepost, for ResNet101 and Swin-L E-G9.
    """

    def gelu(h: Array) -> Array:
        return np.asarray(h * scipy.special.ndtr(h))

    mean = mean_of(gelu, 1.0)
    spread = mean_of(lambda h: (gelu(h) - mean) ** 2, 1.0)
    behind = mean_of_pair(lambda h: gelu(h) - mean, 1.0, 0.0) / spread
    yield satisfies("LN and GELU, depth 1", stated, {AFTER: round(behind, 12), GAMMA: mean**2 / spread})
    pairs = []
    for norm, activation in (("layer", "gelu"), ("layer", "relu"), ("batch", "relu")):
        for depth, shift in ((1, 0.0), (8, 0.0), (1, 2.0)):
            pairs.append(behind_and_in_front(norm, activation, depth, shift))
            label = f"{norm} norm and {activation}, depth {depth}, input mean {shift:g}, predicted"
            yield satisfies(label, stated, dict(zip((AFTER, GAMMA), pairs[-1], strict=True)))
    yield worded(says, "nonlinearity {} IGB", "reduces" if all(after < before for after, before in pairs) else "raises")


@SECTION.holds(
    "E-MNIST-LN",
    "“LN-after-ReLU reduces IGB without completely eliminating it” on MNIST, and “BN-after-ReLU continues to exhibit "
    "near-neutral initial states”",
    printed=(sp.Gt(AFTER, 0), LOWER, equation(BEHIND_BATCH, 0)),
    at="section G.2, paragraph on MNIST",
    stand_in="the handwritten digits of the package, 8 x 8 pixels, in place of MNIST, in networks of 1 hidden layer",
)
def digits(stated: Any, says: str) -> Findings:
    """The cosines c of the data become kappa_1(c) with LN in front of ReLU and (kappa_1(c) - 1/pi)/(1 - 1/pi) with LN
    behind it; their means over all pairs are var_mu. BN behind ReLU centres every node (E-Thm4.2). Not noticed: a
    number 1/10 instead of 0, below gamma.
    """
    data = standardised(igb.digits()[:300], None)
    lengths = np.linalg.norm(data, axis=1)
    front = angle(np.clip(data @ data.T / np.outer(lengths, lengths), -1, 1))
    behind = (front - 1 / np.pi) / (1 - 1 / np.pi)
    gamma, after = (float(k.mean() / (np.diag(k).mean() - k.mean())) for k in (front, behind))
    for part in stated[:2]:
        yield satisfies("300 digits", part, {AFTER: after, GAMMA: gamma})
    depth, side = 1, int(data.shape[1] ** 0.5)
    yield agree("LN in front, predicted", igb.mlp(depth, "relu", norm="layer").predict(data).gamma, gamma, 10)
    phrase = "{} x {} pixels, in place of MNIST, in networks of {} hidden layer"
    yield worded(says, phrase, side, side, depth)
    nodes = np.maximum(data @ np.random.default_rng(0).standard_normal((64, 50)), 0)
    centre = np.abs(standardised(nodes[:, nodes.any(axis=0)], 0).mean(axis=0)).max()
    centred = abs(centre - value_of(BEHIND_BATCH, stated)) < 1e-13
    yield shown("centres of nodes behind ReLU + BN", centred, f"{centre:.1g}")
    yield worded(says, "LN-after-ReLU {} IGB", "reduces" if after < gamma else "raises")
    yield worded(says, "near-{} initial states", "neutral" if centred else "prejudiced")
