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
    value_of,
    worded,
)
from igbtheory.claims.gaussians import batch_density, batch_relu_mean, kappa_1, mean_of, mean_of_pair, relu_moment
from igbtheory.claims.quantities import E_W
from igbtheory.claims.simulated import at_width, bias_ratio, drawn_limit, mean_with_error, relu, standardised, weighted

SECTION = Section("Where you place the norm: main text", "E 0")

GAMMA, NORMED = sp.symbols("gamma gamma_norm", positive=True)
BATCH, LAYER, RMS, AFTER = sp.symbols("gamma_BN gamma_LN gamma_RMS gamma_after", positive=True)
GROUPS = sp.Symbol("gamma_s", positive=True)
GAMMA_OF_LAYER = sp.Function(r"\gamma")
WEAK = 1 / (sp.pi - 1)
z = sp.Symbol("z", real=True)
c, s, q, slope = sp.symbols("c s q a", positive=True)
m_phi, s_phi = sp.symbols("m_phi s_phi", positive=True)
i, layer_l, N = sp.symbols("i l N", positive=True, integer=True)
angle = sp.lambdify(c, kappa_1(c))
TWICE = kappa_1(kappa_1(sp.Integer(0)))
"""Correlation of two data behind two layers of ReLU, 0 at the input."""
NEUTRAL = equation(GAMMA, 0)
REDUCED = sp.Le(NORMED, GAMMA)
MEAN = sp.Symbol(r"\hat\mu_a")
RMSNORM = (equation(sp.Limit(E_W(MEAN**2), N, sp.oo), 0), equation(LAYER, RMS))
"""The mean over the N nodes of a layer vanishes, and LayerNorm gives the gamma of RMSNorm."""


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
    "“even in the full-batch limit BN does not reduce to LN”: gamma of 2 hidden layers with the norm in front of ReLU",
    printed=(equation(BATCH, WEAK), equation(LAYER, TWICE / (1 - TWICE))),
    assumes="“Datapoints are sampled as independent Gaussian random variables” (section 2); “infinite-width limit” "
    "(appendix B)",
    at="section 2, Normalization, last paragraph",
)
def full_batch_is_not_layernorm(trial: Trial, stated: Any, says: str) -> Findings:
    """BN forgets the centres in front of every layer: gamma = 1/(pi - 1). LN keeps them, c = kappa_1(kappa_1(0))."""
    layer, batch = (value_of(symbol, stated) for symbol in (LAYER, BATCH))
    depth, place = 2, "before"
    yield worded(says, "{} hidden layers with the norm {} ReLU", depth, settings.PLACES[place])
    yield agree("LN, layer by layer", relu_gamma(depth), layer, 12)
    for norm, value in (("layer", layer), ("batch", batch)):
        yield agree(f"{norm} norm, predicted", gammas(depth, norm=norm, placement=place)[-1], value, 12)
    yield satisfies("they differ", sp.Gt(LAYER / BATCH, 2), {LAYER: layer, BATCH: batch})
    shape = 100, 4, 4000
    yield at_width(trial, "gamma of LN", bias_ratio, layer, batch, shape=shape, depth=2, phi=layer_norm)


@SECTION.fails(
    "E-s1-RMS",
    "“because the layer-wise mean estimator in LN vanishes at initialization, LN is formally equivalent to RMSNorm in "
    "this regime, so our LN results directly extend to RMSNorm as well”",
    printed=RMSNORM,
    assumes="“infinite-width limit” (appendix B)",
    counter_example="""
ln, rms = (igb.mlp(1, "relu", norm=norm, placement="after").predict().gamma for norm in ("layer", "rms"))
assert ln == 0 and abs(rms - 0.46694) < 1e-4
""",
    at="section 2, Normalization, last paragraph",
    where="the result on LN that is tested is Theorem 4.4, LN behind ReLU; sections 4.1.3 and 6 say the same of LN in "
    "front of ReLU, where it is right (E-4.1.3)",
)
def rmsnorm_everywhere(stated: Any) -> Findings:
    """Behind ReLU the mean over the nodes is E ReLU: LN removes it, RMSNorm keeps it. In front it is 0 (E-4.1.3)."""
    mean = stated[0].lhs.subs(E_W(MEAN**2), relu_moment(1) ** 2)
    yield identity("squared mean over the nodes behind ReLU", mean, stated[0].rhs)
    layer, rms = (gammas(1, norm=norm, placement="after")[-1] for norm in ("layer", "rms"))
    yield agree("gamma of ReLU + LN and of ReLU + RMSNorm", layer, value_of(LAYER, stated).subs(RMS, rms), 6)


@SECTION.holds(
    "E-4.1.3",
    "LayerNorm in front of ReLU is equivalent to RMSNorm “at initialization”",
    printed=RMSNORM,
    assumes="“infinite-width limit” (appendix B)",
    at="section 4.1.3",
    where="biases, which the preprint leaves out, change nothing",
)
def rmsnorm_before(trial: Trial, stated: Any, says: str) -> Findings:
    """Pre-activations are a Dense's outputs, sum_j w_j Y_j + b: over the nodes, that is over its weights, the mean is
    0, and the mean over N of them has the variance q/N. In finite networks mean^2/variance falls like 1/N.
    """
    of_nodes = stated[0].lhs.subs(E_W(MEAN**2), sp.Sum(q / N**2, (i, 1, N)).doit())
    yield identity("Var of the mean of N nodes", of_nodes, stated[0].rhs)
    pairs, place = [], "before"
    for depth, activation, biases in ((20, "relu", 0.0), (6, "gelu", 0.3), (6, "sigmoid", 0.3)):
        norms = ({"norm": norm, "placement": place} for norm in ("layer", "rms"))
        pairs.append([gammas(depth, activation, sigma_b2=biases, **norm)[-1] for norm in norms])
        said = value_of(LAYER, stated).subs(RMS, pairs[-1][1])
        yield agree(f"{activation}, {depth} layers, sb2 = {biases}: gamma", pairs[-1][0], said, 12)

    def ratio(units: Any) -> tuple[float, float]:
        x = weighted(trial.rng, units, units.shape[2])
        return mean_with_error(x.mean(axis=2) ** 2 / x.var(axis=2))

    shape = 1600, 8, (64, 128)
    yield drawn_limit(trial, "mean^2/variance", ratio, stated[0].rhs, shape=shape, depth=3, phi=layer_norm)
    equivalent = "equivalent" if np.allclose(*np.transpose(pairs)) else "not equivalent"
    yield worded(says, "LayerNorm {} ReLU is {} to RMSNorm", settings.PLACES[place], equivalent)


@SECTION.corrects(
    "E-s1-RMS",
    "LayerNorm in front of ReLU is equivalent to RMSNorm; behind ReLU the mean over a layer does not vanish, and "
    "gamma of 1 layer is 0 with LayerNorm and 0.467 with RMSNorm",
    right=RMSNORM,
    assumes="“infinite-width limit” (appendix B)",
    where="section 4.1.3 of the preprint derives the equivalence in front of ReLU",
)
def rmsnorm_before_but_not_behind(trial: Trial, stated: Any, says: str) -> Findings:
    """As E-4.1.3; the numbers behind ReLU are E-s1-RMS."""
    yield from rmsnorm_before(trial, stated, says)
    depth, place = 1, "after"
    layer, rms = (gammas(depth, norm=norm, placement=place)[-1] for norm in ("layer", "rms"))
    phrase = "gamma of {} layer is {:.0f} with LayerNorm and {:.3f} with RMSNorm"
    yield worded(says, phrase, depth, layer, rms)
    remains = "does not vanish" if relu_moment(1).doit() > 0 else "vanishes"
    yield worded(says, "{} ReLU the mean over a layer {}", settings.PLACES[place], remains)


@SECTION.holds(
    "E-Thm4.1",
    "BatchNorm, then ReLU: “a weakly prejudiced initialization, that remains stable with increasing depth”",
    printed=equation(GAMMA, WEAK),
    assumes="“all datapoints are used to compute the shift and scale estimators for the BN” (section E.1.1)",
    at="Theorem 4.1",
)
def batchnorm_before(stated: Any) -> Findings:
    """A normalised node is N(0, 1), whatever came before: gamma = (E ReLU)^2/Var ReLU. E-noamp simulates it."""
    first, second = (relu_moment(k) for k in (1, 2))
    said = value_of(GAMMA, stated)
    yield identity("gamma", first**2 / (second - first**2), said)
    yield satisfies("weakly prejudiced", sp.Lt(GAMMA, 1), {GAMMA: said})
    for depth in (1, 50):
        yield agree(f"depth {depth}, predicted", gammas(depth, norm="batch")[-1], said, 13)


@SECTION.holds(
    "E-Thm4.2",
    "“Placing BN after the activation promotes a neutral initialization state”: gamma of ReLU, then BatchNorm",
    printed=NEUTRAL,
    assumes="“all datapoints are used to compute the shift and scale estimators for the BN” (section E.1.1)",
    at="Theorem 4.2",
)
def batchnorm_after(trial: Trial, stated: Any) -> Findings:
    """Every node has the mean 0 over the data, so have the outputs, whatever the weights: at every width."""
    said = value_of(GAMMA, stated)
    yield agree("depth 20, predicted", gammas(20, norm="batch", placement="after")[-1], said)
    units, *layers, last = trial.rng.standard_normal((4, 40, 40))
    for weights in layers:
        units = standardised(relu(units @ weights), 0)
    centres = np.abs((units @ last).mean(0)).max() / (units @ last).std()
    yield shown("centres of the outputs of a network of width 40", centres < 1e-13, f"{centres:.1g} deviations")


@SECTION.holds(
    "E-Thm4.3",
    "LayerNorm, then ReLU: the bias amplifies with the depth l",
    printed=sp.Lt(GAMMA_OF_LAYER(layer_l), GAMMA_OF_LAYER(layer_l + 1)),
    at="Theorem 4.3",
)
def layernorm_before(stated: Any, says: str) -> Findings:
    """A common factor of all nodes changes neither gamma of ReLU nor its growth. E-s1-full and E-Fig3 simulate it."""
    predicted = gammas(100, norm="layer")
    for depth in (1, 10, 99):
        values = {GAMMA_OF_LAYER(layer_l): relu_gamma(depth), GAMMA_OF_LAYER(layer_l + 1): relu_gamma(depth + 1)}
        yield satisfies(f"l = {depth}", stated, values)
        yield agree(f"l = {depth}, predicted", predicted[depth - 1], relu_gamma(depth), 8)
    grows = "amplifies" if np.all(np.diff(predicted) > 0) else "weakens"
    yield worded(says, "the bias {} with the depth", grows)


@SECTION.holds(
    "E-Thm4.4",
    "“Placing LN after the activation promotes a neutral initialization state”: gamma of ReLU, then LayerNorm",
    printed=NEUTRAL,
    assumes="“unstructured Gaussian inputs, where each component is independently sampled” (appendix B)",
    at="Theorem 4.4",
)
def layernorm_after(trial: Trial, stated: Any) -> Findings:
    """On isotropic data LN subtracts the mean over the data of each node: c = (kappa_1(0) - 1/pi)/(1 - 1/pi)."""
    said = value_of(GAMMA, stated)
    yield identity("c of the first layer", sp.Subs(kappa_1(c) - 1 / sp.pi, c, q).subs(q, 0), said)
    yield agree("depth 20, predicted", gammas(20, norm="layer", placement="after")[-1], said)

    def behind(h: Any) -> Any:
        return standardised(relu(h), -1)

    shape = 100, 4, 4000
    yield at_width(trial, "gamma behind two layers", bias_ratio, said, relu_gamma(2), shape=shape, depth=2, phi=behind)


@SECTION.holds(
    "E-equiv1",
    "BatchNorm and LayerNorm are “equivalent for single-hidden layer models”: gamma with the norm in front of ReLU, "
    "and with the norm behind ReLU",
    printed=(equation(GAMMA, WEAK), equation(AFTER, 0)),
    assumes="“Datapoints are sampled as independent Gaussian random variables” (section 2); “all datapoints are used "
    "to compute the shift and scale estimators for the BN” (section E.1.1)",
    at="section 4.1, first paragraph",
    where="on data with a mean they differ",
)
def equivalent_for_one_layer(stated: Any, says: str) -> Findings:
    """All nodes then have the law N(0, sw2) over the data. On data of mean 1 LN differs: it keeps the centres."""
    pairs = []
    for placement, symbol in (("before", GAMMA), ("after", AFTER)):
        pairs.append([gammas(1, norm=norm, placement=placement)[-1] for norm in ("batch", "layer")])
        for norm, value in zip(("batch", "layer"), pairs[-1], strict=True):
            yield agree(f"{norm} norm {placement} ReLU", value, value_of(symbol, stated), 13)
    yield worded(says, "are “{} for", "equivalent" if np.allclose(*np.transpose(pairs)) else "not equivalent")
    front, behind = (settings.PLACES[place] for place in ("before", "after"))
    yield worded(says, "gamma with the norm {} ReLU, and with the norm {} ReLU", front, behind)
    shifted = gammas(1, inputs=igb.GaussianInputs(shift=1.0), norm="layer")[-1]
    yield shown("LN on data of mean 1 differs", shifted > 2 * WEAK, f"gamma = {shifted:.6g}")


@SECTION.limited(
    "E-reduce",
    "“the effect of normalizations is generally a reduction of IGB”",
    printed=REDUCED,
    assumes="ReLU with no biases; “all datapoints are used to compute the shift and scale estimators for the BN” "
    "(section E.1.1)",
    counter_example="""
plain, normed = (igb.mlp(8, norm=norm, sigma_b2=0.1).predict().gamma for norm in (None, "layer"))
assert normed > 1.4 * plain
assert igb.mlp(1, norm="batch", batch_size=2).predict().gamma > 2 * igb.mlp(1).predict().gamma
""",
    at="section 4.1, second paragraph",
)
def reduction_for_relu(stated: Any, says: str) -> Findings:
    """No rule at the head of this file exceeds kappa_1(c), which increases with c; so c is no larger in any layer.
    LayerNorm and RMSNorm in front leave gamma as it is.
    """
    pairs = []
    for at in (0, sp.Rational(1, 10), sp.Rational(1, 2), sp.Rational(9, 10)):
        plain = kappa_1(at)
        for name, normed in (("BN in front", 1 / sp.pi), ("LN behind", (plain - 1 / sp.pi) / (1 - 1 / sp.pi))):
            values = {NORMED: normed / (1 - normed), GAMMA: plain / (1 - plain)}
            yield satisfies(f"{name}, one layer from c = {at}", stated, values)
    for shift, norm, placement in product((0.0, 0.5, 2.0), ("batch", "layer", "rms"), ("before", "after")):
        data = igb.GaussianInputs(shift)
        plain, normed = gammas(20, inputs=data)[-1], gammas(20, inputs=data, norm=norm, placement=placement)[-1]
        pairs.append((normed, plain * (1 + 1e-12)))
        label = f"{norm} norm {placement}, input mean {shift}, predicted"
        yield satisfies(label, stated, dict(zip((NORMED, GAMMA), pairs[-1], strict=True)))
    yield worded(says, "a {} of IGB", "reduction" if all(normed <= plain for normed, plain in pairs) else "growth")
    yield worded(says, "ReLU with {}", settings.biases(igb.mlp(1, norm="batch")))


@SECTION.corrects(
    "E-reduce",
    "With biases of variance 0.1 LayerNorm in front of ReLU raises gamma at depth 8 from 6.7 to 9.8; BatchNorm over "
    "batches of 2 in front of ReLU raises it at depth 1 from 0.47 to 1.00; LayerNorm in front of GELU, which does "
    "have IGB, raises it at depth 2 from 0.21 to 0.44 at sigma_w^2 = 0.5",
    right=sp.Gt(NORMED, GAMMA),
)
def growth_outside(stated: Any, says: str) -> Findings:
    """With biases LN in front of ReLU keeps the signal small against them. Batches of 2 leave only the signs of a node:
    gamma = (1/4)/(1/4). GELU, nearly linear at small pre-activations, has more bias at the variance 1 of LN.
    """
    biases, depth, few, size, shallow = 0.1, 8, 2, 0.5, 2
    relus = (relu_gamma(depth, biases, normed=True), relu_gamma(depth, biases))
    yield agree("LN + ReLU, predicted", gammas(depth, norm="layer", sigma_b2=biases)[-1], relus[0], 12)
    pairs = (0.5**2 / (0.5 - 0.5**2), WEAK)  # the normalised values are 1 and -1, behind ReLU 1 and 0
    yield agree("BN of pairs, predicted", gammas(1, norm="batch", batch_size=few)[-1], pairs[0], 12)
    gelus = tuple(gammas(shallow, "gelu", sigma_w2=size, norm=norm)[-1] for norm in ("layer", None))
    for name, pair in (("LN + ReLU", relus), ("BN of pairs", pairs), ("LN + GELU", gelus)):
        yield satisfies(name, stated, dict(zip((NORMED, GAMMA), pair, strict=True)))
    raises = ["raises" if normed > plain else "lowers" for normed, plain in (relus, pairs, gelus)]
    front = settings.PLACES["before"]
    phrase = "biases of variance {} LayerNorm {} ReLU {} gamma at depth {} from {:.1f} to {:.1f}"
    yield worded(says, phrase, biases, front, raises[0], depth, *relus[::-1])
    phrase = "batches of {} {} ReLU {} it at depth {} from {:.2f} to {:.2f}"
    yield worded(says, phrase, few, front, raises[1], 1, *map(float, pairs[::-1]))
    yield worded(says, "LayerNorm {} GELU, which", front)
    phrase = "{} it at depth {} from {:.2f} to {:.2f} at sigma_w^2 = {}"
    yield worded(says, phrase, raises[2], shallow, *gelus[::-1], size)


@SECTION.limited(
    "E-ext-act",
    "“Extension to other activations causing IGB is straightforward and we do not expect qualitative differences”",
    printed=(equation(BATCH, (1 - slope) ** 2 / (sp.pi * (1 + slope**2) - (1 - slope) ** 2)), equation(AFTER, 0)),
    assumes="BatchNorm in front of leaky ReLU, and norms behind any activation; “all datapoints are used to compute "
    "the shift and scale estimators for the BN” (section E.1.1); “unstructured Gaussian inputs, where each component "
    "is independently sampled” (appendix B)",
    counter_example="""
assert igb.mlp(1, "sigmoid", norm="batch").predict().gamma > 5
normed, plain = (igb.mlp(10, "gelu", sigma_w2=0.5, norm=norm).predict().gamma for norm in ("layer", None))
assert normed > 7 * plain
""",
    at="section 4.1, second paragraph",
    where="a < 1 is the slope of leaky ReLU below 0, of which ReLU is the case a = 0",
)
def other_activations_alike(stated: Any, says: str) -> Findings:
    """Leaky ReLU has E phi = (1 - a) E ReLU and E phi^2 = (1 + a^2) E ReLU^2 over N(0, 1): gamma is at most that of
    ReLU, and depth does not change it. Norms behind the activation use nothing of ReLU: in the first layer LN subtracts
    E phi from every node, its mean over the data, and two data have the covariance E phi(a) phi(b) - (E phi)^2, which
    is 0 at c = 0.
    """
    first, second = (relu_moment(k) for k in (1, 2))
    batch, after = value_of(BATCH, stated), value_of(AFTER, stated)
    mean, square = (1 - slope) * first, (1 + slope**2) * second
    yield identity("gamma of leaky ReLU", mean**2 / (square - mean**2), batch)
    for part in (0, sp.Rational(1, 2), sp.Rational(9, 10)):
        yield satisfies(f"a = {part}: weak", sp.Lt(BATCH, 1), {BATCH: batch.subs(slope, part)})
    front, behind = "before", "after"
    for depth in (1, 9):
        leaky = gammas(depth, "max(x, 0.2*x)", norm="batch", placement=front)[-1]
        yield agree(f"a = 0.2, depth {depth}, predicted", leaky, batch.subs(slope, sp.Rational(1, 5)), 12)
    softplus = mean_of(lambda h: np.log1p(np.exp(h)), 1.0)
    left = mean_of_pair(lambda h: np.log1p(np.exp(h)) - softplus, 1.0, 0.0)
    yield shown("softplus + LN, covariance of two data", abs(left - after) < 1e-12, f"{left:.1g}")
    largest = 0.0
    for activation in ("gelu", "sigmoid", "softplus", "abs"):
        for norm in ("batch", "layer"):
            predicted = gammas(5, activation, norm=norm, placement=behind)[-1]
            yield agree(f"{activation} + {norm} norm, depth 5, predicted", predicted, after)
            largest = max(largest, predicted)
    phrase = "BatchNorm {} leaky ReLU, and norms {} {} activation"
    places = (settings.PLACES[place] for place in (front, behind))
    yield worded(says, phrase, *places, "any" if largest < 1e-12 else "no")


@SECTION.corrects(
    "E-ext-act",
    "BatchNorm in front of sigmoid leaves gamma = 5.76, and in front of softplus 2.39, at any depth, where ReLU has "
    "0.47, a weak bias; LayerNorm in front, which leaves gamma of ReLU as it is, raises that of GELU at sigma_w^2 = "
    "0.5 from 0.21 to 0.97 at depth 5 and from 0.21 to 1.62 at depth 10",
    right=equation(BATCH, m_phi**2 / (s_phi - m_phi**2)),
    assumes="“all datapoints are used to compute the shift and scale estimators for the BN” (section E.1.1)",
    where="m and s are the means of phi and of phi^2 over N(0, 1)",
)
def other_activations(stated: Any, says: str) -> Findings:
    """The first is a matter of E phi and Var phi at N(0, 1), the second of homogeneity: at sigma_w^2 = 1/2 the variance
    of GELU goes to 0, where it is linear and adds no bias, and LN keeps it from that.
    """
    laws = {"sigmoid": lambda h: 1 / (1 + np.exp(-h)), "softplus": lambda h: np.log1p(np.exp(h))}
    behind_batch, depths = {}, (1, 4)
    for name, phi in laws.items():
        moments = {m_phi: mean_of(phi, 1.0), s_phi: mean_of(lambda h, phi=phi: phi(h) ** 2, 1.0)}  # type: ignore[misc]
        behind_batch[name] = float(value_of(BATCH, stated).subs(moments))
        for depth in depths:
            predicted = gammas(depth, name, norm="batch")[-1]
            yield agree(f"BN + {name}, depth {depth}, predicted", predicted, behind_batch[name], 11)
    front = settings.PLACES["before"]
    phrase = "{} sigmoid leaves gamma = {:.2f}, and {} softplus {:.2f}, at {} depth, where ReLU has {:.2f}, a {} bias"
    numbers = [gammas(depth, "sigmoid", norm="batch")[-1] for depth in depths]
    same = "any" if np.allclose(numbers, behind_batch["sigmoid"]) else "no"
    sigmoid, softplus = behind_batch.values()
    strength = "weak" if WEAK < 1 else "strong"
    yield worded(says, phrase, front, sigmoid, front, softplus, same, float(WEAK), strength)
    numbers, raises, size = [], [], 0.5
    for depth in (5, 10):
        normed, plain = (gammas(depth, "gelu", sigma_w2=size, norm=norm)[-1] for norm in ("layer", None))
        numbers += [plain, normed, depth]
        raises.append(normed > plain)
    phrase = "{} that of GELU at sigma_w^2 = {} from {:.2f} to {:.2f} at depth {} and from {:.2f} to {:.2f} at depth {}"
    yield worded(says, phrase, "raises" if all(raises) else "lowers", size, *numbers)


@SECTION.limited(
    "E-fn2",
    "“other normalizations such as Instance Norm or Group Norm are trivial extensions of the discussion on LN”",
    printed=equation(GROUPS, WEAK),
    assumes="groups in front of ReLU whose size s grows with the width",
    counter_example="""
net = igb.Network(igb.Dense(2.0), igb.GroupNorm(4), igb.Activation("relu"), igb.Dense(2.0))
assert abs(net.predict().gamma - 0.6) < 1e-12 and abs(0.6 - printed) > 0.1
""",
    at="section 2, footnote 2",
    where="the number of groups is fixed, and widths go to infinity: each group is then a LayerNorm",
)
def large_groups_are_layers(trial: Trial, stated: Any, says: str) -> Findings:
    """A group of many units has mean 0 and one variance for all data, as a layer has (E-Eq98-99)."""
    said = value_of(GROUPS, stated)
    yield agree("one group of many units, predicted", group_gamma(10**8), said, 7)

    def four_groups(h: Any) -> Any:
        return relu(standardised(h.reshape(*h.shape[:2], 4, -1), -1)).reshape(h.shape)

    widths = 1000, 4000
    shape = 100, 4, widths
    yield drawn_limit(trial, "four groups", bias_ratio, said, group_gamma(8), shape=shape, phi=four_groups)
    course = "grows" if widths[1] // 4 > widths[0] // 4 else "shrinks"
    yield worded(says, "groups {} ReLU whose size s {} with the width", settings.PLACES["before"], course)


@SECTION.corrects(
    "E-fn2",
    "Groups of a fixed number s of units in front of ReLU have another gamma: 0.60 for s = 4, where LayerNorm has 0.47",
    right=equation(GROUPS, batch_relu_mean(s) ** 2 / (sp.Rational(1, 2) - batch_relu_mean(s) ** 2)),
    where="gamma is that of a hidden layer whose width goes to infinity",
)
def small_groups(trial: Trial, stated: Any, says: str) -> Findings:
    """A unit B of a group follows the law of a value in a batch of s, and gamma is (E max(0, B))^2/Var max(0, B). Its
    difference from LayerNorm is of the order 1/s.
    """
    said, few = value_of(GROUPS, stated), 4
    drawn = relu(standardised(trial.rng.standard_normal((trial.draws(60_000), few)), 1))
    ratio = float(said.subs(s, few))
    yield measured(trial, "E ReLU of a unit, s = 4", *mean_with_error(drawn), np.sqrt(ratio / (1 + ratio) / 2))
    for size in (6, 8):
        mean = sp.Integral(z * batch_density(z, sp.Integer(size)), (z, 0, sp.sqrt(size - 1)))
        yield identity(f"s = {size}", mean**2 / (sp.Rational(1, 2) - mean**2), said.subs(s, size))
    for size in (few, 80):
        yield agree(f"s = {size}, predicted", group_gamma(size), said.subs(s, size), 8)
    yield agree("LN, s = 1e8", WEAK, said.subs(s, sp.Float(10**8, 30)), 7)
    phrase = "units {} ReLU have another gamma: {:.2f} for s = {}, where LayerNorm has {:.2f}"
    yield worded(says, phrase, settings.PLACES["before"], ratio, few, float(WEAK))


def group_gamma(size: int) -> Any:
    """Predicted bias ratio of one hidden layer with groups of so many units in front of ReLU."""
    net = igb.Network(igb.Dense(2.0), igb.GroupNorm(size), igb.Activation("relu"), igb.Dense(2.0))
    return net.predict().gamma


SECTION.definitions(
    "a definition",
    (
        "E-s2-w",
        "section 2, Setting and Main Notation",
        "Weights W_ij^(l) are N(0, sigma_w^2/n^(l-1)), and biases are set to zero",
    ),
)
SECTION.untested(
    "an interpretation",
    (
        "E-RMS-practice",
        "section 4.1.3",
        "The equivalence explains “why RMSNorm-style choices are natural, even in Pre-Norm architectures”",
    ),
)
