"""Initialization biases and losses (summary): the claims about untrained networks, and those that need training."""

from typing import Any

import mpmath as mp
import numpy as np

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, measured, shown
from igbtheory.claims.simulated import mean_with_error

SECTION = Section("Initialization biases and losses: a summary", "C")

CLASSES = 10


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
    "a ResNet-50 on CIFAR-10 is not simulated, and the paper does not say in which mode its BatchNorm is",
    (
        "C-1 / Fig1",
        "",
        "untrained ResNet-50 (CIFAR-10): mean softmax probability ~ 1 for one class, ~ 0 for the others",
    ),
)


@SECTION.holds(
    "C-2",
    "large untrained networks tend to assign high predicted probability to few classes",
    printed=equation(r"\lim_{\mathrm{Var}_W(\mu) \to \infty} \overline{\max_k \bar p_k}", 1),
    assumes="read as a tendency of deep networks, not of every large one: gamma = Var_W(mu)/Var_chi -> infinity and "
    "logits of a size Var_W(mu) >> 1; ten classes",
)
def few_classes(trial: Trial, stated: Any) -> Findings:
    """With gamma large every datum sees the same logits m_k of variance v = Var_W(mu), and the softmax nears a corner:
    sqrt(v) (1 - E max_k p_k) tends to ln 2 times the density at 0 of the gap between the two largest of ten normal
    numbers, 90 int phi^2 Phi^8. The size of a network alone does not do it: ReLU with sigma_w^2 = 2 keeps v + Var_chi =
    2 at every depth, and an odd activation without biases on centred data has v = 0, and every class gets 1/10.
    """
    gap = 90 * mp.quad(lambda z: mp.npdf(z) ** 2 * mp.ncdf(z) ** 8, [-9, -2, 0, 2, 4, 9])
    expected = stated.rhs - mp.log(2) * gap / 100
    yield measured(trial, "the most probable of ten classes, v = 10,000", *_largest(trial, 10_000), expected)
    deep = igb.mlp(30, sigma_w2=2.4).predict()
    text = f"gamma = {deep.gamma:.4g}, v = {deep.var_mu:.4g}"
    yield shown("ReLU, 30 layers, sigma_w^2 = 2.4", deep.gamma > 20 and deep.var_mu > 99, text)
    kept = igb.mlp(30).predict()
    yield agree("ReLU, 30 layers, sigma_w^2 = 2: v + Var_chi", kept.var_mu + kept.var_chi, 2)
    value, error = _largest(trial, float(kept.var_mu), float(kept.var_chi), 100)
    yield shown("its most probable class", 0.4 < value < 0.44, f"{value:.4f} +- {error:.2g}")


SECTION.untested(
    "a description; see C-2", ("C-3", "", "IGB is architecture dependent and holds directly after initialisation")
)
SECTION.untested(
    "it needs training runs, of a ResNet-50; igb study --preset losses trains small networks on the digits",
    ("C-4 / Fig2", "", "in all three losses probabilities converge to ~0.1 within the first epoch"),
    ("C-5", "", "cross-entropy: probabilities then rise together with per-class accuracy"),
    ("C-6", "", "blurry loss behaves like cross-entropy, slightly slower, accuracies lag"),
    ("C-7", "", "piecewise-zero loss: the originally favoured class stays on top; accuracies hardly change"),
)
SECTION.untested(
    "a definition",
    ("C-8", "", "blurry loss: de-weights hard samples"),
    ("C-9", "", "piecewise-zero loss: ignores samples"),
)
