"""Losses of a datum, functions of the probability p of its label alone.

Their gradient at the logits is weight(p) (p_c - [c is the label]), weight(p) = -p d loss/dp: 1 for cross-entropy. They
are computed from the log-odds log(p/(1 - p)), so that neither a small p nor a small 1 - p loses digits.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.law import non_negative_number, one_number

Array = NDArray[np.float64]
_CERTAIN = 1e4  # log-odds where the others have no weight left: the probability is 1 to any digit
_SATURATED = 700.0  # log-odds beyond which 1 - p is no normal float


class Loss(ABC):
    """Loss of a datum; all methods take the log-odds of its label, arrays elementwise."""

    @abstractmethod
    def value(self, log_odds: Any) -> Any:
        """Return the loss."""

    @abstractmethod
    def weight(self, log_odds: Any) -> Any:
        """Factor of the gradient of cross-entropy, p_c - [c is the label] at logit c; negative: away from the label."""

    def silent(self, log_odds: Any) -> Any:
        """Whether there is no gradient at all."""
        return np.zeros(np.shape(log_odds), dtype=bool)[()]

    def gradient(self, outputs: Array, labels: NDArray[np.int64]) -> Array:
        """Return the gradient at the outputs, (..., M), of data with these labels, (...)."""
        p, log_odds = (x.reshape(outputs.shape) for x in probabilities(outputs.reshape(-1, outputs.shape[-1])))
        own = labels[..., None]
        weight = self.weight(np.take_along_axis(log_odds, own, axis=-1))
        rest = -scipy.special.expit(-np.take_along_axis(log_odds, own, axis=-1))  # p - 1 without cancellation
        np.put_along_axis(p, own, rest, axis=-1)
        return np.asarray(weight * p)

    def mean(self, outputs: Array, labels: NDArray[np.int64]) -> Array:
        """Return the mean loss over the data, the first axis of outputs (n_samples, ..., M)."""
        log_odds = probabilities(outputs.reshape(-1, outputs.shape[-1]))[1].reshape(outputs.shape)
        return np.asarray(self.value(np.take_along_axis(log_odds, labels[..., None], axis=-1))[..., 0].mean(axis=0))


@final
@dataclass(frozen=True)
class CrossEntropy(Loss):
    """Cross-entropy -log p, weight 1."""

    def value(self, log_odds: Any) -> Any:
        return -log_probability(log_odds)

    def weight(self, log_odds: Any) -> Any:
        return np.ones(np.shape(log_odds))[()]


@final
@dataclass(frozen=True)
class Blurry(Loss):
    """Blurry loss -p^a log p, which gives less weight to what looks mislabelled; a = `exponent` >= 0.

    held (as its authors train it): p^a counts as a constant, weight p^a. Otherwise it is differentiated, weight
    p^a (1 + a log p), which is negative where p < exp(-1/a): such data push the probability of their label down.
    Source: initialization-biases-and-losses-summary, Blurry loss.
    """

    exponent: float
    held: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "exponent", non_negative_number("exponent of Blurry", self.exponent))

    def value(self, log_odds: Any) -> Any:
        log_p = log_probability(log_odds)
        return -np.exp(self.exponent * log_p) * log_p

    def weight(self, log_odds: Any) -> Any:
        scaled = self.exponent * log_probability(log_odds)
        return np.exp(scaled) * (1.0 if self.held else 1.0 + scaled)


@final
@dataclass(frozen=True)
class PiecewiseZero(Loss):
    """Piecewise-zero loss: cross-entropy where p >= `cut_off`, zero below; weight 1 or 0.

    Source: initialization-biases-and-losses-summary, Piecewise-zero loss.
    """

    cut_off: float

    def __post_init__(self) -> None:
        cut_off = one_number("cut_off", self.cut_off)
        if not 0.0 <= cut_off <= 1.0:
            raise ValueError(f"cut_off: expected a probability from 0 to 1, got {cut_off}; at 0 it is cross-entropy")
        object.__setattr__(self, "cut_off", cut_off)

    def value(self, log_odds: Any) -> Any:
        return np.where(self.silent(log_odds), 0.0, -log_probability(log_odds))[()]

    def weight(self, log_odds: Any) -> Any:
        return np.where(self.silent(log_odds), 0.0, 1.0)[()]

    def silent(self, log_odds: Any) -> Any:
        with np.errstate(divide="ignore"):
            cut = np.log(self.cut_off) - np.log1p(-self.cut_off)
        return np.asarray(log_odds) < cut


@final
@dataclass(frozen=True)
class Focal(Loss):
    """Focal loss -(1 - p)^g log p, which gives less weight to what is learned already; g = `exponent` >= 0.

    Weight (1 - p)^g (1 - g p log(p)/(1 - p)), positive.
    """

    exponent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "exponent", non_negative_number("exponent of Focal", self.exponent))

    def value(self, log_odds: Any) -> Any:
        return -np.exp(self.exponent * log_probability(-np.asarray(log_odds))) * log_probability(log_odds)

    def weight(self, log_odds: Any) -> Any:
        r = np.minimum(log_odds, _SATURATED)
        log_p, log_q = log_probability(r), log_probability(-r)
        return np.exp(self.exponent * log_q) * (1.0 - self.exponent * np.exp(log_p - log_q) * log_p)


def usual_losses(blurry: float = 0.5, cut_off: float = 0.1, focal: float = 2.0) -> dict[str, Loss]:
    """Return the losses to compare, by name: cross-entropy, and the others with these parameters."""
    return {
        "cross-entropy": CrossEntropy(),
        "blurry, held": Blurry(blurry),
        "blurry, differentiated": Blurry(blurry, held=False),
        "piecewise-zero": PiecewiseZero(cut_off),
        "focal": Focal(focal),
    }


def log_probability(log_odds: Any) -> Any:
    """Return the logarithm of p = 1/(1 + exp(-r)), r its log-odds."""
    return -np.logaddexp(0.0, -np.asarray(log_odds, dtype=float))


def probabilities(outputs: Array) -> tuple[Array, Array]:
    """Return softmax probabilities p and their log-odds, each class against the others, from outputs (n_samples, M)."""
    largest = outputs.max(axis=1, keepdims=True)
    powers = np.exp(outputs - largest)
    total = powers.sum(axis=1, keepdims=True)
    rest = total - powers
    # of the largest output the others are added up anew: what is left of a difference has lost their digits
    row, top = np.arange(len(outputs)), outputs.argmax(axis=1)
    p = powers / total
    powers[row, top] = 0.0
    rest[row, top] = powers.sum(axis=1)
    with np.errstate(divide="ignore"):
        return p, np.minimum(outputs - largest - np.log(rest), _CERTAIN)
