"""Initialization biases and losses (summary): the claims about untrained networks, and those that need training."""

from collections.abc import Iterator

import numpy as np

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, measured, shown

SECTION = Section("Initialization biases and losses: a summary")

CLASSES, DATA = 10, 200


def largest_probability(var_mu: float, var_chi: float, networks: int, rng: np.random.Generator) -> tuple[float, float]:
    """Mean over initialisations, with its standard error, of the largest class probability averaged over the data.

    Logits are centres of variance var_mu, one a class and initialisation, plus var_chi, one a class and datum.
    """
    centres = np.sqrt(var_mu) * rng.standard_normal((networks, 1, CLASSES))
    logits = centres + np.sqrt(var_chi) * rng.standard_normal((networks, DATA, CLASSES))
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    largest = (weights / weights.sum(axis=2, keepdims=True)).mean(axis=1).max(axis=1)
    return float(largest.mean()), float(largest.std() / np.sqrt(networks))


SECTION.undecided(
    "C-1 / Fig1",
    "untrained ResNet-50 (CIFAR-10): mean softmax probability ~ 1 for one class, ~ 0 for the others",
    "a ResNet-50 on CIFAR-10 is not simulated, and the paper does not say in which mode its BatchNorm is",
)


@SECTION.fails(
    "C-2",
    "large untrained networks tend to assign high predicted probability to few classes",
    counter_example=(
        "import igbtheory as igb\n"
        "# a wide, deep tanh network on centred data: no class is favoured\n"
        "assert igb.mlp(20, 'tanh', sigma_w2=1.5).predict().gamma == 0"
    ),
)
def few_classes(trial: Trial) -> Iterator[Finding]:
    """Logits of class k are m_k + s z_k: m_k of variance var_mu over initialisations, z_k over the data.

    Which classes get a high mean probability depends on var_mu and var_chi, not on size alone. An odd activation on
    centred data has var_mu = 0 at any width and depth: all classes then have the same mean probability 1/10, and the
    largest of ten exceeds it only by the scatter of 200 data.
    """
    p = igb.mlp(20, "tanh", sigma_w2=1.5).predict()
    value, _ = largest_probability(float(p.var_mu), float(p.var_chi), trial.draws(400), trial.rng)
    yield shown("tanh, depth 20: one class has more than 1/2", value > 0.5, f"largest mean probability {value:.3f}")


@SECTION.corrects(
    "C-2", "deep networks with var_mu >> var_chi and var_mu >> 1, such as ReLU ones, assign it to few classes"
)
def few_classes_where_the_bias_is_deep(trial: Trial) -> Iterator[Finding]:
    """With gamma = var_mu/var_chi large every datum sees the same logits m_k; where these differ by much more than one
    the softmax is near the corner of the largest of them.
    """
    p = igb.mlp(30, "relu", sigma_w2=2.4).predict()
    var_mu, var_chi = float(p.var_mu), float(p.var_chi)
    yield shown("var_mu >> var_chi, var_mu >> 1", var_mu > 9 * var_chi > 9, f"{var_mu:.4g}, {var_chi:.4g}")
    value, error = largest_probability(var_mu, var_chi, trial.draws(400), trial.rng)
    yield measured(trial, "the largest class has nearly all", value, max(error, 0.05), 0.9, against=0.5)


SECTION.undecided(
    "C-3", "IGB is architecture dependent and holds directly after initialisation", "a description; see C-2"
)
for name, says in (
    ("C-4 / Fig2", "in all three losses probabilities converge to ~0.1 within the first epoch"),
    ("C-5", "cross-entropy: probabilities then rise together with per-class accuracy"),
    ("C-6", "blurry loss behaves like cross-entropy, slightly slower, accuracies lag"),
    ("C-7", "piecewise-zero loss: the originally favoured class stays on top; per-class accuracies hardly change"),
):
    SECTION.undecided(name, says, "it needs training runs")
SECTION.undecided("C-8", "blurry loss: de-weights hard samples", "a definition")
SECTION.undecided("C-9", "piecewise-zero loss: ignores samples", "a definition")
