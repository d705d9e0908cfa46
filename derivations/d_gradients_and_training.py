"""Bias meets trainability, section 6 and poster: gradients class by class, residual networks, and what needs training.

Under cross-entropy the gradient by the logits of a datum of label k is p - e_k, p the softmax of the logits. Its square
is multiplied by chi~_1 in every layer on the way back.
"""

from collections.abc import Iterator

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section(
    "Bias meets trainability, section 6 and poster: gradients of the classes, residual networks, training"
)

Array = NDArray[np.float64]
gap, depth, chi, sw2, sb2 = sp.symbols("Delta L chi sigma_w2 sigma_b2", positive=True)
REACH = np.arange(-20, 20.001, 0.05)
"""Points at which tanh' is not 0, for the trapezoidal rule."""


def _class_gradients(rng: np.random.Generator, activation: str, weights: float, layers: int, classes: int) -> Array:
    """Squared gradient at the first hidden layer for each label, the median over the data, (networks, classes).

    Labels in the order of their class's share of the guesses, the favoured one first; no datum is of a kind of its own,
    so that all data can take all labels. The output layer has weights of the same variance.
    """
    width, data, networks = 128, 24, 12
    found = []
    for _ in range(networks):
        h = np.sqrt(weights) * rng.standard_normal((width, data))
        passed = []
        for units in [width] * (layers - 1) + [classes]:
            w = np.sqrt(weights / width) * rng.standard_normal((units, width))
            slope = (h > 0).astype(float) if activation == "relu" else np.cosh(h) ** -2.0
            passed.append((w, slope))
            h = w @ (np.maximum(h, 0) if activation == "relu" else np.tanh(h))
        p = np.exp(h - h.max(axis=0))
        p /= p.sum(axis=0)
        shares = np.bincount(h.argmax(axis=0), minlength=classes)
        order = np.argsort(-shares, kind="stable")
        squares = []
        for label in order:
            delta = p - np.eye(classes)[:, [label]]
            for w, slope in passed[::-1]:
                delta = slope * (w.T @ delta)
            squares.append(np.median((delta**2).sum(axis=0)))
        found.append(squares)
    return np.array(found)


@SECTION.holds(
    "D-perclass",
    "Deep prejudice: the softmax saturates, the gradient of samples of the favoured class goes to 0 and those of the "
    "others explode",
    printed=r"|p - e_k|^2 \to 0 \ (k \text{ favoured}), \quad \to 2 \ (\text{others}), \quad "
    r"|\nabla_1|^2 \sim \tilde\chi_1^L |p - e_k|^2",
    assumes="unbounded activation in the chaotic phase (ReLU, sigma_w^2 > 2), cross-entropy; in probability over the "
    "networks: in the mean square over networks both explode",
)
def gradients_of_the_classes(trial: Trial) -> Iterator[Finding]:
    """In this phase q grows as chi~^L and gamma without bound: every datum has nearly the same logits, far apart.

    With the gap Delta ~ chi~^(L/2) X between the favoured logit and the next, 1 - p is exp(-Delta): for labels of the
    favoured class |p - e_k|^2 ~ exp(-2 Delta), and the factor chi~^L of the way back does not make up for it. For other
    labels |p - e_k|^2 -> |e_favoured - e_k|^2 = 2, and chi~^L is left. In the mean over networks the few with Delta ~
    1, a share of chi~^(-L/2), leave chi~^(L/2) for the favoured class too.
    """
    p = 1 / (1 + sp.exp(-gap))  # two classes, the probability of the favoured one
    favoured, other = 2 * (1 - p) ** 2, 2 * p**2  # |p - e_k|^2
    yield identity("favoured label: |p - e_k|^2 for Delta to infinity", sp.limit(favoured, gap, sp.oo), 0)
    yield identity("at what rate: times exp(2 Delta)", sp.limit(favoured * sp.exp(2 * gap), gap, sp.oo), 2)
    yield identity("other label", sp.limit(other, gap, sp.oo), 2)
    # with s = chi~^(L/2) -> infinity and Delta = s x
    s, x = sp.symbols("s x", positive=True)
    yield identity("favoured label: chi~^L exp(-2 Delta)", sp.limit(s**2 * sp.exp(-2 * s * x), s, sp.oo), 0)
    # over networks Delta = s |X|, X normal: s E |p - e_k|^2 -> 2 phi(0) int_0^inf 2/(1 + e^y)^2 dy > 0, times s^2 again
    with mp.workdps(20):
        left = mp.quad(lambda y: 2 / (1 + mp.exp(y)) ** 2, [0, 2, 10, 60])
        yield agree("mean square over networks, times s: its integral is not 0", left, 2 * mp.log(2) - 1, 12)
    a, b = sp.symbols("a b", positive=True)  # three classes: the others' exp(logit - favoured logit)
    whole = 1 + a + b
    squares = ((1 / whole - 1) ** 2 + (a / whole) ** 2 + (b / whole) ** 2, (1 / whole) ** 2 + (a / whole - 1) ** 2)
    yield identity("three classes, favoured label", squares[0].subs({a: 0, b: 0}), 0)
    yield identity("three classes, other label", squares[1].subs({a: 0, b: 0}), 2)
    gamma = float(igb.mlp(40, sigma_w2=4.0).predict().gamma)
    yield shown("ReLU, sigma_w^2 = 4, depth 40: deep prejudice", gamma > 50, f"gamma = {gamma:.4g}, chi~_1 = 2")
    for classes in (2, 4):
        rows = [_class_gradients(trial.rng, "relu", 4.0, layers, classes) for layers in (4, 10, 28)]
        middle = np.array([[np.median(found[:, 0]), np.median(found[:, 1:])] for found in rows])
        text = "; ".join(f"{one:.3g} and {others:.3g}" for one, others in middle)
        right = middle[2, 0] < 1e-6 and middle[2, 1] > 100 * middle[1, 1] > 100 * middle[0, 1]
        label = f"ReLU networks, {classes} classes: medians, favoured and others, at depths 4, 10, 28"
        yield shown(label, right, text)
    # logits of infinite width: |p - e_k|^2 of the others, of networks of depth 40 and two classes
    prediction = igb.mlp(40, sigma_w2=4.0).predict()
    centres = np.sqrt(2 * float(prediction.var_mu)) * np.abs(trial.rng.standard_normal(trial.draws(4000)))
    spread = np.sqrt(2 * float(prediction.var_chi)) * trial.rng.standard_normal((len(centres), 40))
    saturated = 2 / (1 + np.exp(-np.clip(centres[:, None] + spread, -300, 300))) ** 2
    means = saturated.mean(axis=1)
    # all but the share of the data that do not follow the majority: E 2 Phi(sqrt(gamma) |U|)
    expected = 2 * (0.5 + np.arctan(np.sqrt(gamma)) / np.pi)
    error = float(means.std() / np.sqrt(len(means)))
    label = "infinite width, depth 40: mean of |p - e_k|^2, label of the other class"
    yield measured(trial, label, float(means.mean()), error, expected, against=0.5)


@SECTION.holds(
    "D-poster-grad",
    "The explosion of the gradient involves one class only",
    printed=r"|\nabla|^2 \sim \tilde\chi_1^L (1 - p_k)^2, \quad 1 - p_k \to 0 \text{ or } 1",
    assumes="two classes, deep prejudice in the chaotic phase of an unbounded activation, as in D-perclass; in the "
    "chaotic phase of tanh, whose logits stay bounded, both classes explode",
)
def one_class_explodes(trial: Trial) -> Iterator[Finding]:
    """The gradient by the difference of the logits is p - 1 or p: of two numbers that add up to 1, one goes to 0.

    The other's is 1, and chi~_1^L is left for that class alone.
    """
    p = 1 / (1 + sp.exp(-gap))
    for name, value, end in (("of the favoured class", p - 1, 0), ("of the other class", p, 1)):
        yield identity(f"gradient of data {name}", sp.limit(value, gap, sp.oo), end)
    z = sp.Symbol("z", real=True)
    loss = sp.log(1 + sp.exp(-z))
    yield identity("cross-entropy: its derivative", sp.diff(loss, z), 1 / (1 + sp.exp(-z)) - 1)
    medians = []
    for layers in (10, 28):
        found = _class_gradients(trial.rng, "relu", 4.0, layers, 2)
        medians.append(np.median(found, axis=0))
    text = "; ".join(f"{one:.3g} and {other:.3g}" for one, other in medians)
    right = medians[1][0] < medians[0][0] and medians[1][1] > 100 * medians[0][1]
    yield shown("ReLU networks, sigma_w^2 = 4: medians, favoured and other, at depths 10, 28", right, text)
    both = np.median(_class_gradients(trial.rng, "tanh", 4.97, 16, 2), axis=0)
    text = f"{both[0]:.3g} and {both[1]:.3g}"
    yield shown("but tanh, sigma_w^2 = 4.97, depth 16: both explode", both.min() > 10, text)


def _residual(name: str, blocks: int, weights: float, biases: float, scale: float = 1.0) -> igb.Network:
    """Residual MLP: X + scale (Dense of phi(X)), blocks of it behind a first Dense."""
    block = igb.Residual(igb.Activation(name), igb.Dense(weights, biases), scale=scale)
    return igb.Network(igb.Dense(1.0), *[block] * blocks, igb.Activation(name), igb.Dense(weights, biases))


def _tanh_course(blocks: int, weights: float, biases: float) -> tuple[Array, Array]:
    """Variances of the stream of a residual tanh network and the factors of its squared gradient."""
    stream, factors = [1.0], []
    slope = np.cosh(REACH) ** -2.0  # tanh', and tanh^2 = 1 - tanh'
    for _ in range(blocks):
        q = stream[-1]
        density = 0.05 * np.exp(-(REACH**2) / (2 * q)) / np.sqrt(2 * np.pi * q)
        factors.append(1 + weights * float(density @ slope**2))
        stream.append(q + weights * (1 - float(density @ slope)) + biases)
    return np.array(stream), np.array(factors)


def _measured_growth(trial: Trial, name: str, blocks: int, width: int) -> tuple[float, float]:
    """Factor of the squared gradient of finite residual networks through all blocks, sigma_w^2 = 1."""
    found = []
    for _ in range(trial.draws(24)):
        x, passed = trial.rng.standard_normal((100, width, 1)), []
        for _ in range(blocks):
            w = trial.rng.standard_normal((100, width, width)) / np.sqrt(width)
            passed.append((w, np.cosh(x) ** -2.0 if name == "tanh" else (x > 0).astype(float)))
            x = x + w @ (np.tanh(x) if name == "tanh" else np.maximum(x, 0))
        delta = trial.rng.standard_normal((100, width, 1))
        for w, slope in passed[::-1]:
            delta = delta + slope * (w.transpose(0, 2, 1) @ delta)
        found.append((delta**2).mean(axis=(1, 2)))
    factors = np.concatenate(found)
    return float(factors.mean()), float(factors.std() / np.sqrt(len(factors)))


@SECTION.fails(
    "D-resid",
    "Residual MLPs have a single critical phase",
    printed=r"\tilde\chi_1 \to 1 \quad \forall (\sigma_b^2, \sigma_w^2)",
    counter_example="""
import numpy as np
rng = np.random.default_rng(0)
N, L, sigma_w2 = 200, 20, 1.0
x, passed = rng.standard_normal(N), []
for _ in range(L):                                     # x + W ReLU(x)
    W = rng.standard_normal((N, N)) * (sigma_w2 / N) ** 0.5
    passed.append((W, x > 0))
    x = x + W @ np.maximum(x, 0)
delta = rng.standard_normal(N)
before = (delta**2).mean()
for W, active in passed[::-1]:
    delta = delta + active * (W.T @ delta)
assert (delta**2).mean() > 300 * before                # 1.5^20 = 3325: they explode exponentially
""",
)
def residual_networks_are_critical() -> Iterator[Finding]:
    """A block X + F(X) has the factor 1 + sigma_w^2 E phi'^2 > 1: there is no ordered phase, nor a line between phases.

    But one phase is not a critical one: for ReLU the factor is 1 + sigma_w^2/2 in every block. (The summary's text says
    "often": it is so for bounded activations and scaled blocks.)
    """
    factor = 1 + sw2 * sp.Rational(1, 2)  # E phi'^2 = P(x > 0)
    yield identity("ReLU: the factor of the squared gradient", factor, 1)
    p = _residual("relu", 60, 1.0, 0.1).predict().per_layer
    q = p.var_mu + p.var_chi
    yield shown(
        "ReLU: the variance grows less than exponentially", q[60] / q[50] < 2, f"{q[60] / q[50]:.4g} in ten blocks"
    )


@SECTION.corrects(
    "D-resid",
    "Residual MLPs have a single phase, whatever sigma_w^2 and sigma_b^2, in which gradients never vanish: critical "
    "(they grow as exp(const sqrt(L)) at most) for bounded activations such as tanh, or as a bounded factor for blocks "
    "scaled by 1/sqrt(L); chaotic, (1 + sigma_w^2/2)^L, for ReLU without scale",
    right=r"\tilde\chi_1 = 1 + s^2 \sigma_w^2 E \phi'(\sqrt{q_l} z)^2",
    assumes="blocks X + s W phi(X); infinite width",
)
def residual_networks_have_one_phase(trial: Trial) -> Iterator[Finding]:
    """The gradient of a block is delta + s phi' W^T delta, whose two parts are uncorrelated: the squares add.

    tanh: q grows as (sigma_w^2 + sigma_b^2) l, and E tanh'(sqrt(q) z)^2 ~ (4/3)/sqrt(2 pi q), as int tanh'^2 = 4/3. The
    product of 1 + const/sqrt(l) is exp(2 const sqrt(L)): less than exponential. ReLU with s^2 = 1/L: (1 + sigma_w^2/
    (2L))^L -> exp(sigma_w^2/2).
    """
    t = sp.Symbol("t", real=True)
    area = sp.integrate((1 - t**2), (t, -1, 1))  # int tanh'^2 dx = int (1 - t^2) dt
    yield identity("int tanh'^2", area, sp.Rational(4, 3))
    yield identity(
        "ReLU, scaled: all blocks", sp.limit((1 + sw2 / (2 * depth)) ** depth, depth, sp.oo), sp.exp(sw2 / 2)
    )
    for weights, biases in ((0.5, 0.0), (2.0, 0.1), (6.0, 0.5)):
        stream, factors = _tanh_course(4000, weights, biases)
        logarithm = np.concatenate([[0.0], np.cumsum(np.log(factors))])
        slope = (logarithm[4000] - logarithm[1000]) / (np.sqrt(4000) - np.sqrt(1000))
        const = weights * 4 / 3 / np.sqrt(2 * np.pi * (weights + biases))
        label = f"tanh, ({biases}, {weights}): log of the gradient over sqrt(L)"
        yield agree(label, slope, 2 * const, 1.2)
        yield shown(
            "its factor a block nears 1", 1 < factors[-1] < 1 + 1.2 * const / np.sqrt(4000), f"{factors[-1]:.5f}"
        )
        p = _residual("tanh", 20, weights, biases).predict().per_layer
        yield agree("q of the package after 20 blocks", p.var_mu[20] + p.var_chi[20], stream[20], 9)
    relu = _residual("relu", 40, 1.0, 0.0).predict().per_layer
    yield agree("ReLU: growth of q in 40 blocks", relu.var_mu[40] + relu.var_chi[40], 1.5**40, 10)
    scaled = _residual("relu", 400, 1.0, 0.0, scale=400**-0.5).predict().per_layer
    grown = scaled.var_mu[400] + scaled.var_chi[400]
    yield agree("ReLU, 400 blocks scaled by 1/sqrt(400): growth of q", grown, mp.exp(0.5), 3)
    for name, expected in (("relu", 1.5**4), ("tanh", float(np.prod(_tanh_course(4, 1.0, 0.0)[1])))):
        values = [_measured_growth(trial, name, 4, width) for width in (16, 32)]
        value, error = 2 * values[1][0] - values[0][0], float(np.hypot(values[0][1], 2 * values[1][1]))
        label = f"{name}: squared gradient through four blocks, width to infinity"
        yield measured(trial, label, value, error, expected, against=1.0)


for name, says in (
    ("D-tanhMLP", "tanh MLP on Fashion-MNIST and CIFAR10: the edge of chaos learns fastest, neutral states poorly"),
    ("D-ViT", "a vision transformer without norms and skip connections has the same phases of gradients"),
    (
        "D-LViT",
        "pretrained large ViT: weights times 0.5 give a strong bias, times 1.5 a weaker one and slower training",
    ),
):
    SECTION.undecided(
        name, says, "it needs training runs, or a transformer, which the theory of the package does not cover"
    )
