"""Bias meets trainability: gradients class by class, residual networks, and what needs training.

Under cross-entropy the gradient by the logits of a datum of label k is p - e_k, p the softmax of the logits.
"""

from typing import Any

import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, shown, value_of, worded
from igbtheory.claims.gaussians import relu_moment
from igbtheory.claims.quantities import PHI_SLOPE, E
from igbtheory.claims.simulated import Array, mean_with_error
from igbtheory.claims.wide import Block, backward, forward, growth, relu, tanh

SECTION = Section("Bias meets trainability: gradients of the classes, residual networks", "D 6")

gap, sigma_w2, sigma_b2, q_l = sp.symbols("Delta sigma_w2 sigma_b2 q_l", positive=True)
chi, depth, p, NABLA = sp.symbols(r"\tilde\chi_1 l p |\nabla|", positive=True)
z = sp.Symbol("z", real=True)
FAVOURED, OTHER = (sp.Function(rf"\delta_\mathrm{{{name}}}") for name in ("favoured", "other"))
CHI = sp.Function(r"\tilde\chi_1")
SLOPE = E(PHI_SLOPE(sp.sqrt(q_l) * z) ** 2)


def _classes(
    rng: np.random.Generator, networks: int, layers: int, classes: int, *, block: Block = relu, weights: float = 4.0
) -> tuple[Array, Array, Array]:
    """Return 1 - p_k, |p - e_k|^2 and the squared gradient at the first layer, (networks, 2), of one datum a network.
    The labels k are the class that the network guesses for the datum, and the one that it finds least likely.
    """
    h, passed = np.sqrt(weights) * rng.standard_normal((networks, 64, 1)), []
    for units in [64] * (layers - 1) + [classes]:
        x, slope = block(h)
        y = forward(rng, x[..., None], weights, units=units)[..., 0]
        passed.append((x, slope[..., 0], y))
        h = y[..., None]
    shares = np.exp(y - y.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    found = []
    for label in (y.argmax(axis=1), y.argmin(axis=1)):
        own = np.eye(classes)[label]
        others = shares * (1 - own)
        missing = others.sum(axis=1)  # 1 - p_k, precise where p_k is near 1
        delta = others - own * missing[:, None]
        loss = (delta**2).sum(axis=1)
        for x, slope, y in reversed(passed):
            delta = slope * backward(rng, delta, x, y, weights)
        found.append((missing, loss, (delta**2).sum(axis=1)))
    missing, losses, gradients = np.array(found).transpose(1, 2, 0)
    return missing, losses, gradients


@SECTION.holds(
    "D-perclass",
    "In deep prejudice the gradient for the favoured class vanishes while that for the other classes explodes",
    printed=tuple(equation(sp.Limit(name(gap) ** 2, gap, sp.oo), end) for name, end in ((FAVOURED, 0), (OTHER, 2))),
    assumes="“In the chaotic deep-prejudice phase of unbounded activations” (Key Designs 4), here ReLU with sigma_w^2 "
    "> 2; “Standard cross-entropy training is used” (Loss & Training)",
    at="Key Designs 4",
    where="delta is the length of the gradient p - e_k by the logits, Delta the gap between the favoured logit and "
    "the next; in probability over the networks: in the mean square over networks both explode",
)
def gradients_of_the_classes(trial: Trial, stated: Any, says: str) -> Findings:
    """Every datum has nearly the same logits, far apart. With the gap Delta ~ chi~^(L/2) X between the favoured logit
    and the next, 1 - p is about exp(-Delta). So |p - e_k|^2 ~ exp(-2 Delta) for labels of the favoured class, which the
    factor chi~^L of the way back does not outweigh, except in the few networks with Delta ~ 1.
    """
    odds = [sp.Integer(1), sp.exp(-gap), sp.exp(-3 * gap / 2)]  # three classes, the first one favoured
    shares = [odd / sp.Add(*odds) for odd in odds]
    for label, name, part in ((0, FAVOURED, stated[0]), (2, OTHER, stated[1])):
        square = sp.Add(*((share - int(i == label)) ** 2 for i, share in enumerate(shares)))
        left = part.lhs.replace(name, sp.Lambda(gap, sp.sqrt(square)))
        yield identity(f"three classes, label {label}", left, part.rhs)
    size, x = sp.symbols("s x", positive=True)  # chi~^(L/2), and Delta = s x
    yield identity("chi~^L exp(-2 Delta)", sp.Limit(size**2 * sp.exp(-2 * size * x), size, sp.oo), 0)
    weights, edge = 4.0, float(1 / relu_moment(0).doit())  # where the factor chi~_1 = sigma_w^2 E relu'^2 is 1
    yield worded(says, "ReLU with sigma_w^2 {} {:g}", ">" if weights > edge else "<", edge)
    found = igb.mlp(40, sigma_w2=weights).predict().gamma
    yield shown("ReLU, sigma_w^2 = 4, depth 40: deep prejudice", found > 50, f"gamma = {found:.4g}, chi~_1 = 2")
    for classes in (2, 4):
        _, losses, gradients = _classes(trial.rng, trial.draws(1000), 28, classes, weights=weights)
        middle, back = np.median(losses, axis=0), np.median(gradients, axis=0)
        name = f"ReLU networks of depth 28, {classes} classes, medians:"
        for value, part in zip(middle, stated, strict=True):
            yield agree(f"{name} 1 + |p - e_k|^2", 1 + value, 1 + part.rhs, 6)
        text = f"{back[0]:.3g} and {back[1]:.3g}"
        yield shown(f"{name} squared gradients, favoured and other", back[0] < 1e-9 and back[1] > 1e3, text)
        state = "prejudice" if found > 1 else "neutrality"
        phrase = "In deep {} the gradient for the favoured class {} while that for the other classes {}"
        yield worded(says, phrase, state, *map(_fate, back))


def _fate(gradient: float) -> str:
    """What happens to a squared gradient, which is near 1 at the logits."""
    return "vanishes" if gradient < 1 else "explodes"


@SECTION.holds(
    "D-poster-grad",
    "Of 2 classes the favoured class has a gradient that vanishes, and the other alone has a gradient that explodes",
    printed=equation(NABLA**2, 2 * chi**depth * (1 - p) ** 2),
    at="Key Designs 4",
    where="p is the probability of the label; in deep prejudice in the chaotic phase of an unbounded activation 1 - p "
    "goes to 0 for one class and to 1 for the other, see D-perclass; in the chaotic phase of tanh, whose logits stay "
    "bounded, both classes explode",
)
def one_class_explodes(trial: Trial, stated: Any, says: str) -> Findings:
    """The gradient by the logits is p - 1 and 1 - p. Every layer multiplies its square by chi~_1 in the mean."""
    own, other = sp.symbols("z_1 z_2", real=True)
    loss = sp.log(1 + sp.exp(other - own))
    squares = sp.Derivative(loss, own) ** 2 + sp.Derivative(loss, other) ** 2
    square = value_of(NABLA**2, stated)
    yield identity("at the logits, l = 0", squares, square.subs({depth: 0, p: 1 / (1 + sp.exp(other - own))}))
    said = sp.lambdify((p, chi, depth), square.subs(p, 1 - p))  # of 1 - p, which may be tiny
    for layers in (2, 5):
        missing, _, gradients = _classes(trial.rng, trial.draws(12_000), layers, 2)
        for ratios, label in zip((gradients / said(missing, 2.0, layers)).T, ("favoured", "other"), strict=True):
            name = f"ReLU networks, chi~_1 = 2, depth {layers}: gradient of the {label} class over what is stated"
            yield measured(trial, name, *mean_with_error(ratios), 1)
    classes = 2
    favoured, least = np.median(_classes(trial.rng, trial.draws(1000), 28, classes)[2], axis=0)
    phrase = "Of {} classes the favoured class has a gradient that {}, and the other alone has a gradient that {}"
    yield worded(says, phrase, classes, _fate(favoured), _fate(least))
    both = np.median(_classes(trial.rng, trial.draws(1000), 24, classes, block=tanh, weights=4.97)[2], axis=0)
    yield shown("but tanh, depth 24: both explode, medians", both.min() > 10, f"{both[0]:.3g} and {both[1]:.3g}")


def _tanh_course(blocks: int, weights: float, biases: float) -> tuple[Array, Array]:
    """Variances of the stream of a residual tanh network, and E tanh'^2 in front of every block."""
    stream, slopes = [1.0], []
    reach = np.arange(-20, 20.001, 0.05)  # where tanh' is not 0
    slope = np.cosh(reach) ** -2.0  # tanh', and tanh^2 = 1 - tanh'
    for _ in range(blocks):
        density = 0.05 * np.exp(-(reach**2) / (2 * stream[-1])) / np.sqrt(2 * np.pi * stream[-1])
        slopes.append(float(density @ slope**2))
        stream.append(stream[-1] + weights * (1 - float(density @ slope)) + biases)
    return np.array(stream), np.array(slopes)


@SECTION.holds(
    "D-resid",
    "“Residual MLPs often have a single critical phase”",
    printed=(equation(CHI(depth), 1 + sigma_w2 * SLOPE), equation(sp.Limit(CHI(depth), depth, sp.oo), 1)),
    at="Key Findings",
    where="blocks are X + W phi(X) + B of infinite width; the limit is for bounded phi such as tanh, at every "
    "sigma_b^2 and sigma_w^2 > 0. That is what 'often' leaves open: plain ReLU blocks have a single, chaotic phase, 1 "
    "+ sigma_w^2/2",
)
def residual_networks_have_one_phase(trial: Trial, stated: Any) -> Findings:
    """The gradient of a block is delta + phi' W^T delta, whose two parts are uncorrelated: the squares add. tanh: q
    grows as (sigma_w^2 + sigma_b^2) l, and sqrt(q) E tanh'^2 goes to int tanh'^2/sqrt(2 pi).
    """
    factor = value_of(CHI(depth), stated[0])
    t = sp.Symbol("t", real=True)
    over = sp.Integral(1 - t**2, (t, -1, 1))
    yield identity("int tanh'^2 = int (1 - t^2) dt over t = tanh x", over, sp.Rational(4, 3))
    slope = sp.Rational(4, 3) / sp.sqrt(2 * sp.pi * (sigma_w2 + sigma_b2) * depth)
    blocks = sp.Lambda(depth, factor.subs(SLOPE, slope))
    yield identity("deep blocks", stated[1].lhs.replace(CHI, blocks), stated[1].rhs)
    for weights, biases in ((0.5, 0.0), (2.0, 0.1), (6.0, 0.5)):
        stream, slopes = _tanh_course(4000, weights, biases)
        at = {sigma_w2: weights, sigma_b2: biases, depth: 4000}
        name = f"tanh, sigma_w^2 = {weights}, sigma_b^2 = {biases}"
        yield agree(f"{name}: E tanh'^2 in front of block 4000", slopes[-1], slope.subs(at), 1.5)
        block = igb.Residual(igb.Activation("tanh"), igb.Dense(weights, biases))
        course = igb.Network(igb.Dense(1.0), *[block] * 20, igb.Dense(1.0)).predict().per_layer
        yield agree(f"{name}: q of the package after 20 blocks", (course.var_mu + course.var_chi)[20], stream[20], 9)
    for name, rule, found in (("relu", relu, np.full(4, 0.5)), ("tanh", tanh, _tanh_course(4, 1.0, 0.0)[1])):
        h = trial.rng.standard_normal((trial.draws(1000), 500, 1))
        value = growth(trial.rng, h, rule, 1.0, layers=4, skip=True)[0]
        expected = np.prod([float(factor.subs({sigma_w2: 1, SLOPE: each})) for each in found])
        yield measured(trial, f"{name}, width 500: squared gradient, four blocks", *mean_with_error(value), expected)


SECTION.untested(
    "it needs training runs on these data: igb study --preset phases has tanh networks on the digits, and "
    "docs/training.rst has their p-values",
    (
        "D-tanhMLP",
        "Training Dynamics Validation, Tanh MLP",
        "Tanh MLPs: the edge of chaos has the largest initial bias, quickly absorbed; neutral states do poorly",
    ),
)
SECTION.untested(
    "it needs gradients of this network on CIFAR-10; igb study --preset vit trains small transformers with norms",
    (
        "D-ViT",
        "Training Dynamics Validation, Vanilla ViT",
        "A vision transformer without norms and skip connections has gradients with the same phases as MLPs",
    ),
)
SECTION.untested(
    "it needs the pretrained network. The summary has the weights times 0.5 and 1.5; in the authors' repository, "
    "abassi98/igb_and_trainability, and on their poster the variances are, so that the weights of the pretrained body "
    "are times 0.707 and 1.225; the body is frozen, and the head alone is drawn and trained. On the poster the edge "
    "starts with the least bias of the three. igb study --preset vit, a small transformer from random weights, is "
    "another experiment",
    (
        "D-LViT",
        "Training Dynamics Validation, Large ViT",
        "A pretrained large vision transformer: its weights times 0.5 give a strong bias, times 1.5 slow training",
    ),
)
