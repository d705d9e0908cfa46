"""Where you place the norm, main text: what BatchNorm, LayerNorm and RMSNorm do to the bias, by placement."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Where you place the norm: main text")
WEAK = 1 / (sp.pi - 1)


def gammas(depth: int, activation: str = "relu", inputs: Any = None, **norm: Any) -> Any:
    """Bias ratio after every Dense but the first, in infinite width."""
    return igb.mlp(depth, activation, **norm).predict(inputs).per_layer.gamma[1:]


def simulated(trial: Trial, expected: float, against: float | None, **norm: Any) -> Finding:
    """Finding from finite networks of two hidden layers, extrapolated to infinite width."""
    comparison = (
        igb.mlp(2, "relu", **norm).simulate(trial.draws(200), 40, 200, trial.seed, workers=1).compare(workers=1)
    )
    row = next(row for row in comparison.rows if row.name == "gamma[2]")
    return measured(trial, f"two hidden layers, {norm or 'no norm'}", row.value, row.error, expected, against)


SECTION.undecided("E-s2-w", "W_ij ~ N(0, sw2/n), zero biases", "a definition")


@SECTION.holds("E-s1-full", "even in the full-batch limit BN does not reduce to LN", assumes="IGB present")
def full_batch_is_not_layernorm(trial: Trial) -> Iterator[Finding]:
    """In front of ReLU, full-batch BN centres every node over the data, so that a layer forgets the centres before it:
    gamma = 1/(pi - 1) at every depth. LN divides all nodes of a datum by one number, which leaves gamma as it is
    without a norm: from the second hidden layer on the two differ.
    """
    batch, layer = gammas(2, norm="batch")[-1], gammas(2, norm="layer")[-1]
    yield agree("BN, second layer", batch, sp.N(WEAK, 20), 13)
    yield shown("LN, second layer, is larger", layer > 1.5 * batch, f"{layer:.6g} against {batch:.6g}")
    yield simulated(trial, float(layer), float(batch), norm="layer")


@SECTION.fails(
    "E-s1-RMS",
    "the layer-wise mean vanishes at initialisation, so LN is equivalent to RMSNorm and all LN results extend to it",
    assumes="N -> inf",
    counter_example=(
        "import igbtheory as igb\n"
        "ln = igb.mlp(1, 'relu', norm='layer', placement='after').predict().gamma\n"
        "rms = igb.mlp(1, 'relu', norm='rms', placement='after').predict().gamma\n"
        "assert ln == 0 and abs(rms - 0.46694) < 1e-4"
    ),
)
def rmsnorm_everywhere() -> Iterator[Finding]:
    """Behind ReLU the mean over the nodes is E max(0, Z) = sigma/sqrt(2 pi), not 0: LN removes it, RMSNorm keeps it."""
    placed = {"placement": "after"}
    layer, rms = (gammas(1, norm=norm, **placed)[-1] for norm in ("layer", "rms"))
    yield agree("gamma of ReLU + LN and of ReLU + RMSNorm", layer, rms, 6)


@SECTION.corrects("E-s1-RMS", "LN is equivalent to RMSNorm where it stands before the activation, and sb2 = 0 or not")
def rmsnorm_before() -> Iterator[Finding]:
    """Pre-activations are a Dense's outputs: over the nodes, that is over its weights, their mean is 0."""
    for activation in ("relu", "gelu", "sigmoid"):
        pairs = zip(*(gammas(6, activation, norm=norm, sigma_b2=0.3) for norm in ("layer", "rms")), strict=True)
        gap = max(abs(a / b - 1) for a, b in pairs)
        yield shown(f"{activation}, six layers", gap < 1e-12, f"gamma agrees to {gap:.1g}")


@SECTION.holds("E-4.1.3", "LN + ReLU is formally equivalent to RMSNorm + ReLU", assumes="N -> inf, zero biases")
def rmsnorm_and_relu(trial: Trial) -> Iterator[Finding]:
    """As above: LN subtracts the mean over the nodes of a Dense, which is 0 in infinite width."""
    layer, rms = (gammas(20, norm=norm) for norm in ("layer", "rms"))
    yield shown("20 layers", np.allclose(layer, rms, rtol=1e-13), f"gamma ends at {layer[-1]:.10g} and {rms[-1]:.10g}")
    yield simulated(trial, float(rms[1]), float(gammas(2, norm="batch")[-1]), norm="rms")


@SECTION.holds("E-Thm4.1", "BN + ReLU: weakly prejudiced, stable with depth", assumes="full batch")
def batchnorm_before() -> Iterator[Finding]:
    """A normalised node is N(0, 1), whatever came before. ReLU: E = 1/sqrt(2 pi), E of the square = 1/2, so that
    gamma = (1/(2 pi))/(1/2 - 1/(2 pi)) at every depth: below 1, one broad peak.
    """
    z = sp.Symbol("z", real=True)
    density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    mean, square = (sp.integrate(z**k * density, (z, 0, sp.oo)) for k in (1, 2))
    yield identity("gamma", mean**2 / (square - mean**2), WEAK)
    found = gammas(50, norm="batch")
    yield shown("50 layers alike", np.ptp(found) < 1e-13, f"gamma from {found.min():.12g} to {found.max():.12g}")


@SECTION.holds("E-Thm4.2", "ReLU + BN: neutral", assumes="full batch")
def batchnorm_after(trial: Trial) -> Iterator[Finding]:
    """Every node has the mean 0 over the data, so have the outputs, whatever the weights: gamma = 0."""
    found = gammas(20, norm="batch", placement="after")
    yield shown("20 layers", not found.any(), f"gamma = {found.max()}")
    s = igb.mlp(2, "relu", norm="batch", placement="after").simulate(trial.draws(100), 40, 200, trial.seed, workers=1)
    spread = float(np.mean((s.G0 - 0.5) ** 2))
    yield shown("finite networks", spread < 0.01, f"Var(G0) = {spread:.2g} among 200 data, 0.115 without the norm")


@SECTION.holds("E-Thm4.3", "LN + ReLU: increasingly prejudiced with depth")
def layernorm_before(trial: Trial) -> Iterator[Finding]:
    """ReLU is homogeneous: a common factor of all nodes changes neither gamma nor its growth with depth."""
    found, plain = gammas(100, norm="layer"), gammas(100)
    yield shown("gamma grows at every layer", np.all(np.diff(found) > 0), f"{found[0]:.4g} to {found[-1]:.4g}")
    yield shown("as without a norm", np.allclose(found, plain, rtol=1e-12), f"{plain[-1]:.12g}, {found[-1]:.12g}")
    yield simulated(trial, float(plain[1]), float(plain[0]), norm="layer")


@SECTION.holds("E-Thm4.4", "ReLU + LN: neutral", assumes="isotropic data")
def layernorm_after(trial: Trial) -> Iterator[Finding]:
    """With centred isotropic data the first pre-activations of all nodes have one law. The mean that LN subtracts is
    then the mean over the data of each of them: nothing of the centres is left, and the argument repeats.
    """
    found = gammas(20, norm="layer", placement="after")
    yield shown("20 layers", not found.any(), f"gamma = {found.max()}")
    yield simulated(trial, 0.0, float(gammas(2)[-1]), norm="layer", placement="after")


@SECTION.fails(
    "E-equiv1",
    "BN and LN are equivalent for single-hidden-layer models",
    assumes="D -> inf",
    counter_example=(
        "import igbtheory as igb\n"
        "data = igb.GaussianInputs(shift=1.0)\n"
        "bn = igb.mlp(1, 'relu', norm='batch').predict(data).gamma\n"
        "ln = igb.mlp(1, 'relu', norm='layer').predict(data).gamma\n"
        "assert ln > 2 * bn"
    ),
)
def equivalent_for_one_layer() -> Iterator[Finding]:
    """The main text names no condition on the data. A shift of the inputs gives the nodes of the first layer different
    centres over the data; BN takes them away, LN does not.
    """
    data = igb.GaussianInputs(shift=1.0)
    batch, layer = (gammas(1, inputs=data, norm=norm)[-1] for norm in ("batch", "layer"))
    yield agree("gamma, data of mean 1 in every component", batch, layer, 3)


@SECTION.corrects("E-equiv1", "they are equivalent for single-hidden-layer models on centred isotropic data, c0 = 0")
def equivalent_on_centred_data() -> Iterator[Finding]:
    """All nodes then have the law N(0, sw2) over the data, and averages over nodes and over data are the same."""
    for placement in ("before", "after"):
        batch, layer = (gammas(1, norm=norm, placement=placement)[-1] for norm in ("batch", "layer"))
        yield agree(f"norm {placement} ReLU", batch, layer, 13)


@SECTION.fails(
    "E-reduce",
    "the effect of normalisations is generally a reduction of IGB",
    counter_example=(
        "import igbtheory as igb\n"
        "plain = igb.mlp(10, 'gelu', sigma_w2=0.5).predict().gamma\n"
        "normed = igb.mlp(10, 'gelu', sigma_w2=0.5, norm='layer').predict().gamma\n"
        "assert normed > 1.2 * plain"
    ),
)
def reduction_in_general() -> Iterator[Finding]:
    """An activation that is nearly linear at small pre-activations has little bias there. LN brings the pre-activations
    to variance 1, where it has more: GELU with sw2 = 0.5.
    """
    plain, normed = gammas(10, "gelu", sigma_w2=0.5)[-1], gammas(10, "gelu", sigma_w2=0.5, norm="layer")[-1]
    yield shown("LN + GELU has the smaller gamma", normed <= plain, f"with LN {normed:.4g}, without {plain:.4g}")


@SECTION.corrects(
    "E-reduce", "for ReLU no norm in any placement increases gamma; LN and RMSNorm in front leave it as it is"
)
def reduction_for_relu() -> Iterator[Finding]:
    """BN caps gamma at 1/(pi - 1) or takes it away; LN and RMSNorm in front divide by a number; LN behind subtracts."""
    for shift in (0.0, 0.5, 2.0):
        data = igb.GaussianInputs(shift)
        plain = gammas(20, inputs=data)
        for norm in ("batch", "layer", "rms"):
            for placement in ("before", "after"):
                found = gammas(20, inputs=data, norm=norm, placement=placement)
                label = f"{norm} {placement}, input shift {shift}"
                yield shown(label, np.all(found <= plain * (1 + 1e-12)), f"{found[-1]:.4g} against {plain[-1]:.4g}")


@SECTION.fails(
    "E-ext-act",
    "extension to other activations causing IGB is straightforward, no qualitative differences",
    counter_example=(
        "import igbtheory as igb\n"
        "# BN in front of sigmoid: strongly prejudiced, where ReLU is weakly so\n"
        "assert igb.mlp(1, 'sigmoid', norm='batch').predict().gamma > 5\n"
        "# LN in front of GELU changes gamma, where it leaves that of ReLU\n"
        "assert igb.mlp(5, 'gelu', norm='layer').predict().gamma != igb.mlp(5, 'gelu').predict().gamma"
    ),
)
def other_activations() -> Iterator[Finding]:
    """Two of the four statements about ReLU, put to sigmoid and GELU: "BN in front: gamma below 1" and "LN in front
    leaves gamma". The first is a matter of E phi and Var phi at N(0, 1), the second of homogeneity.
    """
    sigmoid = gammas(1, "sigmoid", norm="batch")[-1]
    yield shown("BN + sigmoid: gamma below 1", sigmoid < 1, f"gamma = {sigmoid:.6g}")
    normed, plain = gammas(5, "gelu", norm="layer")[-1], gammas(5, "gelu")[-1]
    yield agree("LN + GELU: gamma as without the norm", normed, plain, 3)


@SECTION.corrects("E-ext-act", "BN behind any activation, and LN behind it on centred isotropic data, give gamma = 0")
def other_activations_behind() -> Iterator[Finding]:
    """The two statements that use nothing of ReLU: every node is centred over the data."""
    for activation in ("gelu", "sigmoid", "softplus", "abs"):
        for norm in ("batch", "layer"):
            found = gammas(5, activation, norm=norm, placement="after")
            yield shown(f"{activation} + {norm}", not found.any(), f"gamma = {found.max():.3g}")


@SECTION.fails(
    "E-fn2",
    "Instance and Group Norm are trivial extensions of LN",
    counter_example=(
        "import igbtheory as igb\n"
        "net = igb.Network(igb.Dense(2.0), igb.GroupNorm(4), igb.Activation('relu'), igb.Dense(2.0))\n"
        "assert abs(net.predict().gamma - 0.6) < 1e-12  # LN: 0.46694"
    ),
)
def groups_are_layers(trial: Trial) -> Iterator[Finding]:
    """A group of s units has a random norm: one unit follows the law of a batch of s, B^2/(s - 1) ~ Beta(1/2, (s -
    2)/2), and not N(0, 1). With s = 4 it is uniform on (-sqrt 3, sqrt 3): E max(0, B) = sqrt(3)/4, gamma = 3/5.
    """
    net = igb.Network(igb.Dense(2.0), igb.GroupNorm(4), igb.Activation("relu"), igb.Dense(2.0))
    layer = gammas(1, norm="layer")[-1]
    yield agree("gamma of GroupNorm(4) + ReLU and of LN + ReLU", net.predict().gamma, layer, 3)
    s = net.simulate(trial.draws(200), 400, 200, trial.seed, workers=1)
    yield measured(trial, "finite networks, groups of 4, against LN", s.gamma, s.gamma_error, float(layer))


@SECTION.corrects("E-fn2", "GroupNorm tends to LN as its groups grow; a finite group of s changes gamma at order 1/s")
def groups_grow_to_layers() -> Iterator[Finding]:
    """The square of the norm of s values has relative variance 2/(s - 1)."""
    layer = gammas(1, norm="layer")[-1]
    gaps = []
    for size in (80, 800, 8000):
        net = igb.Network(igb.Dense(2.0), igb.GroupNorm(size), igb.Activation("relu"), igb.Dense(2.0))
        gaps.append(float(net.predict().gamma / layer - 1))
    yield shown("gaps fall like 1/s", np.allclose(np.divide(gaps[:-1], gaps[1:]), 10, rtol=0.02), f"{gaps}")


SECTION.undecided("E-RMS-practice", "explains why LLaMA-style RMSNorm is natural in Pre-Norm", "an interpretation")


@SECTION.holds(
    "E-EOCcoexist",
    "without normalisation IGB and gradient stability coexist at the edge of chaos; with BN parameters cannot reach it",
)
def edge_of_chaos_and_batchnorm(trial: Trial) -> Iterator[Finding]:
    """Squared gradients change by sw2 E phi'^2 a layer. ReLU, sw2 = 2: by 1, while gamma grows without bound. With BN
    in front every layer also divides by the variance sw2 Var(ReLU) of its pre-activations: the factor is
    E phi'^2/Var phi = (1/2)/((1/2)(1 - 1/pi)) = pi/(pi - 1), whatever sw2 (Yang et al. 2019).
    """
    sw2 = sp.Symbol("sigma_w2", positive=True)
    factor = sw2 * sp.Rational(1, 2) / (sw2 * sp.Rational(1, 2) * (1 - 1 / sp.pi))
    yield identity("gradient factor of BN + ReLU", factor, sp.pi / (sp.pi - 1))
    yield shown("it is not 1", sp.pi / (sp.pi - 1) > 1, f"{sp.N(sp.pi / (sp.pi - 1), 8)}")
    found = gammas(300)
    yield shown("ReLU at sw2 = 2: gamma without bound", found[-1] > 1000, f"gamma = {found[-1]:.5g} at depth 300")
    growth, error = _gradient_growth(trial)
    yield measured(
        trial, "backpropagation, BN + ReLU, width 1000", growth, error, float(sp.pi / (sp.pi - 1)), against=1
    )


def _gradient_growth(trial: Trial) -> tuple[float, float]:
    """Factor by which the squared gradient grows through a layer of BN + ReLU, over several networks, and its error."""
    rng, width, data, depth = trial.rng, 1000, 250, 6
    factors = []
    for _ in range(6):
        x = rng.standard_normal((data, width))
        kept = []
        for _ in range(depth):
            weights = np.sqrt(2 / width) * rng.standard_normal((width, width))
            z = x @ weights
            scale = z.std(axis=0)
            normed = (z - z.mean(axis=0)) / scale
            x = np.maximum(normed, 0)
            kept.append((weights, scale, normed))
        gradient = rng.standard_normal((data, width))
        sizes = []
        for weights, scale, normed in reversed(kept):
            inside = gradient * (normed > 0)
            inside = inside - inside.mean(axis=0) - normed * (inside * normed).mean(axis=0)
            gradient = (inside / scale) @ weights.T
            sizes.append(np.mean(gradient**2))
        # the first layer has other inputs
        factors.append((sizes[-2] / sizes[0]) ** (1 / (depth - 2)))
    # batches of 250 and width 1000 leave a real difference of a few parts in a thousand
    return float(np.mean(factors)), float(np.std(factors) / np.sqrt(len(factors)) + 0.015)


SECTION.undecided("E-s3", "low IGB: G0 ~ 0.5; high IGB: G0 ~ 1; weak prejudice: broad on [0.5, 1]", "a definition")
SECTION.undecided(
    "E-Fig2", "neutral and prejudiced starts: different convergence, per-class gaps", "it needs training runs"
)


@SECTION.holds("E-Fig3", "histograms of G0 follow the theory for BN and LN before and after ReLU", assumes="N = 100")
def histograms(trial: Trial) -> Iterator[Finding]:
    """Kolmogorov-Smirnov tests of G0 of finite networks against the law at the number of data that is simulated."""
    for norm in ("batch", "layer"):
        for placement in ("before", "after"):
            net = igb.mlp(1, "relu", norm=norm, placement=placement)
            s = net.simulate(trial.draws(160), 25, 100, trial.seed, workers=1)
            test = s.compare(workers=1).ks
            label = f"{norm} {placement}, one layer, widths 25 to 100"
            yield shown(label, test.pvalue > trial.level, f"Kolmogorov-Smirnov p >= {test.pvalue:.3g}")


for name, says in (
    ("E-Fig4", "dynamics per placement"),
    ("E-Fig5", "ResNet-9 on CIFAR-10: BN after activation -> lower gamma, faster"),
):
    SECTION.undecided(name, says, "it needs training runs")
SECTION.undecided("E-5.1", "CIFAR10 close to theory, MNIST more biased", "neither data set is at hand")
SECTION.undecided("E-label", "f_G0 is symmetric; in MLP experiments class 0 := majority", "a convention")
SECTION.undecided(
    "E-prepost", "Post-Norm shifts toward neutral, Pre-Norm preserves prejudice", "a summary of 4.1 to 4.4"
)
