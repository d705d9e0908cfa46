"""Where you place the norm, main text: what BatchNorm, LayerNorm and RMSNorm do to the bias, by placement.

In networks of ReLU without biases the correlation c of two data follows one rule a layer: kappa_1(c) without a norm and
with a norm that divides all nodes of a datum by one number, 1/pi with BatchNorm in front, 0 with BatchNorm behind, and
(kappa_1(c) - 1/pi)/(1 - 1/pi) with LayerNorm behind. gamma = c/(1 - c); 1/(pi - 1) is that of A-ReLU.
"""

from itertools import product
from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, satisfies, shown
from igbtheory.claims.gaussians import batch_density, batch_relu_mean, kappa_1, mean_of, mean_of_pair, relu_moment
from igbtheory.claims.simulated import bias_ratio, drawn_limit, extrapolated, mean_with_error, relu, standardised

SECTION = Section("Where you place the norm: main text", "E 0")

GAMMA, BATCH, LAYER, AFTER = sp.symbols(r"gamma gamma_BN gamma_LN gamma_after")
WEAK = 1 / (sp.pi - 1)
z = sp.Symbol("z", real=True)
c, s, q = sp.symbols("c s q", positive=True)
angle = sp.lambdify(c, kappa_1(c))
NEUTRAL = sp.Eq(GAMMA, 0, evaluate=False)
LOWER = sp.Le(sp.Symbol("gamma_norm"), GAMMA)
GROUPS = sp.Symbol(r"\gamma_s")


def gammas(depth: int, activation: str = "relu", inputs: Any = None, **norm: Any) -> Any:
    """Bias ratio after every Dense but the first, in infinite width."""
    return igb.mlp(depth, activation, **norm).predict(inputs).per_layer.gamma[1:]


def layer_norm(h: Any) -> Any:
    """LayerNorm and ReLU."""
    return relu(standardised(h, -1))


def relu_gamma(depth: int, sigma_b2: float = 0.0, *, normed: bool = False) -> float:
    """Bias ratio of ReLU, sw2 = 2, from kappa_1; normed: with LayerNorm in front of ReLU."""
    variance, covariance = 2 + sigma_b2, sigma_b2
    for _ in range(depth):
        size = 1 if normed else variance
        covariance = size * angle(covariance / variance) + sigma_b2
        variance = size + sigma_b2
    return float(covariance / (variance - covariance))


@SECTION.holds(
    "E-s1-full",
    "even in the full-batch limit BN does not reduce to LN: behind two hidden layers gamma differs",
    printed=sp.Gt(LAYER, BATCH),
    assumes="ReLU behind the norm",
)
def full_batch_is_not_layernorm(trial: Trial, stated: Any) -> Findings:
    """BN forgets the centres in front of every layer: gamma = 1/(pi - 1). LN keeps them, c = kappa_1(kappa_1(0))."""
    layer = relu_gamma(2)
    yield satisfies("two hidden layers", stated, {LAYER: layer, BATCH: WEAK})
    for norm, value in (("layer", layer), ("batch", WEAK)):
        yield agree(f"{norm} norm, predicted", gammas(2, norm=norm)[-1], value, 12)
    shape = 6000, 16, (24, 48)
    yield drawn_limit(trial, "gamma of LN", bias_ratio, layer, WEAK, shape=shape, depth=2, phi=layer_norm)


@SECTION.fails(
    "E-s1-RMS",
    "the layer-wise mean vanishes at initialisation, so LN is equivalent to RMSNorm and all LN results extend to it",
    printed=equation(r"\hat\mu_a", 0),
    assumes="N -> infinity",
    counter_example="""
ln, rms = (igb.mlp(1, "relu", norm=norm, placement="after").predict().gamma for norm in ("layer", "rms"))
assert ln == 0 and abs(rms - 0.46694) < 1e-4
""",
)
def rmsnorm_everywhere(stated: Any) -> Findings:
    """Behind ReLU the mean over the nodes is E ReLU: LN removes it, RMSNorm keeps it. In front it is 0 (E-4.1.3)."""
    yield identity("mean over the nodes behind ReLU", relu_moment(1), stated.rhs)
    layer, rms = (gammas(1, norm=norm, placement="after")[-1] for norm in ("layer", "rms"))
    yield agree("gamma of ReLU + LN and of ReLU + RMSNorm", layer, rms, 6)


@SECTION.holds(
    "E-4.1.3",
    "LN + ReLU is equivalent to RMSNorm + ReLU: the layer-wise mean is small against the layer-wise deviation",
    printed=equation(r"\lim_{N\to\infty} \hat\mu_a/\hat\sigma_a", 0),
    assumes="zero biases",
)
@SECTION.corrects(
    "E-s1-RMS",
    "it vanishes in front of the activation, and LN is equivalent to RMSNorm there",
    right=equation(r"\hat\mu_a", 0),
)
def rmsnorm_before(trial: Trial, stated: Any) -> Findings:
    """Pre-activations are a Dense's outputs, sum_j w_j Y_j + b: over the nodes, that is over its weights, the mean is
    0, and the mean over N of them has the variance q/N. In finite networks mean^2/variance falls like 1/N.
    """
    i, nodes = sp.symbols("i N", positive=True, integer=True)
    yield identity("Var of the mean", sp.Limit(sp.Sum(q / nodes**2, (i, 1, nodes)).doit(), nodes, sp.oo), stated.rhs)
    for depth, activation, biases in ((20, "relu", 0.0), (6, "gelu", 0.3), (6, "sigmoid", 0.3)):
        layer, rms = (gammas(depth, activation, norm=norm, sigma_b2=biases)[-1] for norm in ("layer", "rms"))
        yield agree(f"{activation}, {depth} layers, sb2 = {biases}: gamma", layer, rms, 12)

    def ratio(units: Any) -> tuple[float, float]:
        x = units @ trial.rng.standard_normal((len(units), *units.shape[2:] * 2))
        return mean_with_error(x.mean(axis=2) ** 2 / x.var(axis=2))

    shape = 1600, 8, (64, 128)
    yield drawn_limit(trial, "mean^2/variance", ratio, stated.rhs, shape=shape, depth=3, phi=layer_norm)


@SECTION.holds(
    "E-Thm4.1",
    "BN + ReLU: weakly prejudiced, gamma < 1, stable with depth",
    printed=sp.Eq(GAMMA, WEAK, evaluate=False),
    assumes="full batch",
)
def batchnorm_before(stated: Any) -> Findings:
    """A normalised node is N(0, 1), whatever came before: gamma = (E ReLU)^2/Var ReLU. E-noamp simulates it."""
    first, second = (relu_moment(k) for k in (1, 2))
    yield identity("gamma", first**2 / (second - first**2), stated.rhs)
    yield satisfies("weakly prejudiced", sp.Lt(stated.rhs, 1, evaluate=False), {})
    for depth in (1, 50):
        yield agree(f"depth {depth}, predicted", gammas(depth, norm="batch")[-1], stated.rhs, 13)


@SECTION.holds("E-Thm4.2", "ReLU + BN: neutral", printed=NEUTRAL, assumes="full batch")
def batchnorm_after(trial: Trial, stated: Any) -> Findings:
    """Every node has the mean 0 over the data, so have the outputs, whatever the weights: at every width."""
    yield agree("depth 20, predicted", gammas(20, norm="batch", placement="after")[-1], stated.rhs)
    units, *layers, last = trial.rng.standard_normal((4, 40, 40))
    for weights in layers:
        units = standardised(relu(units @ weights), 0)
    centres = np.abs((units @ last).mean(0)).max() / (units @ last).std()
    yield shown("centres of the outputs of a network of width 40", centres < 1e-13, f"{centres:.1g} deviations")


@SECTION.holds(
    "E-Thm4.3",
    "LN + ReLU: increasingly prejudiced with depth",
    printed=sp.Gt(sp.Symbol(r"\gamma^{(l+1)}"), sp.Symbol("gamma_l")),
)
def layernorm_before(stated: Any) -> Findings:
    """A common factor of all nodes changes neither gamma of ReLU nor its growth. E-s1-full and E-Fig3 simulate it."""
    found = gammas(100, norm="layer")
    for depth in (1, 10, 99):
        values = {stated.lhs: relu_gamma(depth + 1), stated.rhs: relu_gamma(depth)}
        yield satisfies(f"l = {depth}", stated, values)
        yield agree(f"l = {depth}, predicted", found[depth - 1], relu_gamma(depth), 8)


@SECTION.holds("E-Thm4.4", "ReLU + LN: neutral", printed=NEUTRAL, assumes="isotropic data")
def layernorm_after(trial: Trial, stated: Any) -> Findings:
    """On isotropic data LN subtracts the mean over the data of each node: c = (kappa_1(0) - 1/pi)/(1 - 1/pi)."""
    yield identity("c of the first layer", sp.Subs(kappa_1(c) - 1 / sp.pi, c, q).subs(q, 0), stated.rhs)
    yield agree("depth 20, predicted", gammas(20, norm="layer", placement="after")[-1], stated.rhs)
    net, plain = igb.mlp(2, "relu", norm="layer", placement="after"), {"gamma[2]": relu_gamma(2)}
    yield from extrapolated(trial, net, {"gamma[2]": stated.rhs}, against=plain)


@SECTION.holds(
    "E-equiv1",
    "BN and LN are equivalent for single-hidden-layer models: gamma in front of ReLU, and behind it, is that of both",
    printed=(sp.Eq(GAMMA, WEAK, evaluate=False), sp.Eq(AFTER, 0, evaluate=False)),
    assumes="X ~ N(0, 1), as in the paper's setting; infinitely many data",
)
def equivalent_for_one_layer(stated: Any) -> Findings:
    """All nodes then have the law N(0, sw2) over the data. On data of mean 1 LN differs: it keeps the centres."""
    for norm in ("batch", "layer"):
        for placement, part in zip(("before", "after"), stated, strict=True):
            found = gammas(1, norm=norm, placement=placement)[-1]
            yield agree(f"{norm} norm {placement} ReLU", found, part.rhs, 13)
    shifted = gammas(1, inputs=igb.GaussianInputs(shift=1.0), norm="layer")[-1]
    yield shown("LN on data of mean 1 differs", shifted > 2 * WEAK, f"gamma = {shifted:.6g}")


@SECTION.fails(
    "E-reduce",
    "the effect of normalisations is generally a reduction of IGB",
    printed=LOWER,
    counter_example="""
plain, normed = (igb.mlp(8, norm=norm, sigma_b2=0.1).predict().gamma for norm in (None, "layer"))
assert normed > 1.4 * plain
assert igb.mlp(1, norm="batch", batch_size=2).predict().gamma > 2 * igb.mlp(1).predict().gamma
""",
)
def reduction_in_general(stated: Any) -> Findings:
    """With biases LN in front of ReLU keeps the signal small against them. Batches of 2 leave only the signs of a node:
    gamma = (1/4)/(1/4). GELU, nearly linear at small pre-activations, has more bias at the variance 1 of LN.
    """
    plain, normed = relu_gamma(8, 0.1), relu_gamma(8, 0.1, normed=True)
    yield agree("LN + ReLU, sb2 = 0.1, depth 8, predicted", gammas(8, norm="layer", sigma_b2=0.1)[-1], normed, 12)
    gelu, of_gelu = (gammas(10, "gelu", sigma_w2=0.5, norm=norm)[-1] for norm in (None, "layer"))
    for name, pair in (("LN + ReLU", (normed, plain)), ("BN of pairs", (1, WEAK)), ("LN + GELU", (of_gelu, gelu))):
        yield satisfies(name, stated, dict(zip((stated.lhs, GAMMA), pair, strict=True)))


@SECTION.corrects(
    "E-reduce",
    "no norm in any placement increases gamma of ReLU; LN and RMSNorm in front leave it as it is",
    right=LOWER,
    assumes="no biases, BatchNorm over the full batch",
)
def reduction_for_relu(stated: Any) -> Findings:
    """No rule at the head of this file exceeds kappa_1(c), which increases with c; so c is no larger in any layer."""
    for at in (0, sp.Rational(1, 10), sp.Rational(1, 2), sp.Rational(9, 10)):
        plain = kappa_1(at)
        for name, normed in (("BN in front", 1 / sp.pi), ("LN behind", (plain - 1 / sp.pi) / (1 - 1 / sp.pi))):
            values = {stated.lhs: normed / (1 - normed), GAMMA: plain / (1 - plain)}
            yield satisfies(f"{name}, one layer from c = {at}", stated, values)
    for shift, norm, placement in product((0.0, 0.5, 2.0), ("batch", "layer", "rms"), ("before", "after")):
        data = igb.GaussianInputs(shift)
        plain, normed = gammas(20, inputs=data)[-1], gammas(20, inputs=data, norm=norm, placement=placement)[-1]
        values = {stated.lhs: normed, GAMMA: plain * (1 + 1e-12)}
        yield satisfies(f"{norm} norm {placement}, input mean {shift}, predicted", stated, values)


@SECTION.fails(
    "E-ext-act",
    "extension to other activations causing IGB is straightforward, no qualitative differences: BN in front gives a "
    "weak prejudice, LN in front changes nothing",
    printed=(sp.Lt(BATCH, 1), sp.Eq(LAYER, GAMMA, evaluate=False)),
    counter_example="""
assert igb.mlp(1, "sigmoid", norm="batch").predict().gamma > 5 * printed[0]
assert igb.mlp(5, "gelu", norm="layer").predict().gamma != igb.mlp(5, "gelu").predict().gamma
""",
)
def other_activations(stated: Any) -> Findings:
    """The first is a matter of E phi and Var phi at N(0, 1), the second of homogeneity."""
    variance = mean_of(lambda h: 1 / (1 + np.exp(-h)) ** 2, 1.0) - 0.25
    yield satisfies("sigmoid", stated[0], {BATCH: 0.25 / variance})
    yield agree("sigmoid, predicted", gammas(1, "sigmoid", norm="batch")[-1], 0.25 / variance, 12)
    normed, plain = (gammas(5, "gelu", norm=norm)[-1] for norm in ("layer", None))
    yield agree("GELU, depth 5", normed, stated[1].rhs.subs(GAMMA, plain), 3)


@SECTION.corrects(
    "E-ext-act", "BN behind any activation, and LN behind it on centred isotropic data, remove the bias", right=NEUTRAL
)
def other_activations_behind(stated: Any) -> Findings:
    """Both statements use nothing of ReLU. In the first layer LN subtracts E phi from every node, its mean over the
    data, and two data have the covariance E phi(a) phi(b) - (E phi)^2, which is 0 at c = 0.
    """
    softplus = mean_of(lambda h: np.log1p(np.exp(h)), 1.0)
    left = mean_of_pair(lambda h: np.log1p(np.exp(h)) - softplus, 1.0, 0.0)
    yield shown("softplus + LN, covariance of two data", abs(left - stated.rhs) < 1e-12, f"{left:.1g}")
    for activation in ("gelu", "sigmoid", "softplus", "abs"):
        for norm in ("batch", "layer"):
            found = gammas(5, activation, norm=norm, placement="after")[-1]
            yield agree(f"{activation} + {norm} norm, depth 5, predicted", found, stated.rhs)


@SECTION.fails(
    "E-fn2",
    "Instance and Group Norm are trivial extensions of LN: groups of s units in front of ReLU give its gamma",
    printed=sp.Eq(GROUPS, WEAK, evaluate=False),
    counter_example="""
net = igb.Network(igb.Dense(2.0), igb.GroupNorm(4), igb.Activation("relu"), igb.Dense(2.0))
assert abs(net.predict().gamma - 0.6) < 1e-12 and abs(0.6 - printed) > 0.1
""",
    correction="groups of s units change it by a term of order 1/s; it tends to that of LN",
    right=sp.Eq(GROUPS, batch_relu_mean(s) ** 2 / (sp.Rational(1, 2) - batch_relu_mean(s) ** 2), evaluate=False),
)
def groups_are_layers(trial: Trial, stated: Any) -> Findings:
    """A unit B of a group follows the law of a value in a batch of s, and gamma is (E max(0, B))^2/Var max(0, B)."""
    drawn = relu(standardised(trial.rng.standard_normal((trial.draws(60_000), 4)), 1))
    ratio = float(stated.rhs.subs(s, 4))
    yield measured(trial, "E ReLU of a unit, s = 4", *mean_with_error(drawn), np.sqrt(ratio / (1 + ratio) / 2))
    for size in (6, 8):
        mean = sp.Integral(z * batch_density(z, sp.Integer(size)), (z, 0, sp.sqrt(size - 1)))
        yield identity(f"s = {size}", mean**2 / (sp.Rational(1, 2) - mean**2), stated.rhs.subs(s, size))
    for size in (4, 80):
        net = igb.Network(igb.Dense(2.0), igb.GroupNorm(size), igb.Activation("relu"), igb.Dense(2.0))
        yield agree(f"s = {size}, predicted", net.predict().gamma, stated.rhs.subs(s, size), 8)
    yield agree("LN, s = 1e8", WEAK, stated.rhs.subs(s, sp.Float(10**8, 30)), 7)


SECTION.untested("a definition", ("E-s2-w", "", "W_ij ~ N(0, sw2/n), zero biases"))
SECTION.untested("an interpretation", ("E-RMS-practice", "", "explains why LLaMA-style RMSNorm is natural in Pre-Norm"))
