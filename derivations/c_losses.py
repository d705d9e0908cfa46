"""Initialization biases and losses (summary): the claims about untrained networks, and those that need training."""

from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, shown, value_of
from igbtheory.claims.quantities import E_W
from igbtheory.claims.simulated import mean_with_error

SECTION = Section("Initialization biases and losses: a summary", "C")

CLASSES = 10
V = sp.Symbol("v", positive=True)
LARGEST = sp.Function(r"p_\mathrm{max}")(V)
"""The largest class probability, averaged over the data, for centres of variance v."""


def _largest(trial: Trial, var_mu: float, var_chi: float = 0.0, data: int = 1) -> tuple[float, float]:
    """Return the mean over networks, with its error, of the largest class probability averaged over the data. Logits
    are centres of variance var_mu, one a class and network, plus var_chi, one a class and datum.
    """
    networks = trial.draws(200_000 // data)
    centres = np.sqrt(var_mu) * trial.rng.standard_normal((networks, 1, CLASSES))
    logits = centres + np.sqrt(var_chi) * trial.rng.standard_normal((networks, data, CLASSES))
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    return mean_with_error((weights / weights.sum(axis=2, keepdims=True)).mean(axis=1).max(axis=1))


SECTION.untested(
    "a ResNet-50 on CIFAR-10 is not simulated, and the summary does not say in which mode its BatchNorm is",
    (
        "C-1 / Fig1",
        "Figure 1",
        "The softmax probability of an untrained ResNet-50 (CIFAR-10) is about 1 for one class and 0 for the others",
    ),
)


@SECTION.holds(
    "C-2",
    "“Untrained large neural networks, just after random initialization, tend to favour a small subset of classes”",
    at="Abstract",
    printed=equation(sp.Limit(E_W(LARGEST), V, sp.oo), 1),
    where="read as a tendency of deep networks, not of each large one: gamma = Var_W(mu)/Var_chi -> infinity and "
    "logits of a size v = Var_W(mu) >> 1; p_max is the most probable of ten classes; the summary has no formula",
)
def few_classes(trial: Trial, stated: Any) -> Findings:
    """With gamma large every datum sees the same logits m_k of variance v = Var_W(mu), and the softmax nears a corner:
    sqrt(v) (1 - E max_k p_k) tends to ln 2 times the density at 0 of the gap between the two largest of ten normal
    numbers, 90 int phi^2 Phi^8. The size of a network alone does not do it: ReLU with sigma_w^2 = 2 keeps v + Var_chi =
    2 at every depth, and an odd activation without biases on centred data has v = 0, and every class gets 1/10.
    """
    gap = 90 * mp.quad(lambda z: mp.npdf(z) ** 2 * mp.ncdf(z) ** 8, [-9, -2, 0, 2, 4, 9])
    limit = stated.lhs.subs(E_W(LARGEST), 1 - sp.log(2) * gap / sp.sqrt(V))
    yield identity("the most probable of ten classes at large v", limit, stated.rhs)
    expected = value_of(sp.Limit(E_W(LARGEST), V, sp.oo), stated) - mp.log(2) * gap / 100
    yield measured(trial, "the most probable of ten classes, v = 10,000", *_largest(trial, 10_000), expected)
    deep = igb.mlp(30, sigma_w2=2.4).predict()
    text = f"gamma = {deep.gamma:.4g}, v = {deep.var_mu:.4g}"
    yield shown("ReLU, 30 layers, sigma_w^2 = 2.4", deep.gamma > 20 and deep.var_mu > 99, text)
    kept = igb.mlp(30).predict()
    yield agree("ReLU, 30 layers, sigma_w^2 = 2: v + Var_chi", kept.var_mu + kept.var_chi, 2)
    value, error = _largest(trial, float(kept.var_mu), float(kept.var_chi), 100)
    yield shown("its most probable class", 0.4 < value < 0.44, f"{value:.4f} +- {error:.2g}")


SECTION.definitions(
    "a description; see C-2",
    ("C-3", "TL;DR", "IGB is an architecture-dependent skew immediately after random initialization"),
)
SECTION.untested(
    "it needs training runs, of a ResNet-50; igb study --preset losses trains small networks on the digits",
    ("C-4 / Fig2", "Figure 2", "Probabilities converge roughly to 0.1 during the first epoch, in all three losses"),
    ("C-5", "Figure 2", "With cross-entropy the probabilities then rise, with corresponding rises in accuracies"),
    ("C-6", "Figure 2", "Blurry loss behaves as cross-entropy, with slightly slower dynamics and lagging accuracies"),
    (
        "C-7",
        "Figure 2",
        "With piecewise-zero loss the originally favoured class stays above all others, and accuracies hardly change",
    ),
    ("C-9", "Abstract", "Losses that are robust to label errors can fail to steer training from a biased start"),
)
SECTION.definitions(
    "a description of two losses, which the summary does not define",
    ("C-8", "Abstract", "Blurry and piecewise-zero loss were designed for robustness to label errors"),
)
