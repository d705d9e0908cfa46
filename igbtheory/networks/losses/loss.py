"""Losses of a datum that depend only on the probability p of its label.

Their gradient at the logits is weight(p) (p_c - [c is the label]) with weight(p) = -p d loss/dp, which is 1 for
cross-entropy. They are computed from the log-odds log(p/(1 - p)), so that neither a small p nor a small 1 - p loses
digits.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.arguments import non_negative_number, one_number

Array = NDArray[np.float64]
_CERTAIN = 1e4  # largest log-odds, at which the other classes have no weight in double precision
_SATURATED = 700.0  # log-odds above which 1 - p is not a normal float


class Loss(ABC):
    """Loss of a datum. `value`, `weight` and `silent` act elementwise on the log-odds of the label.

    >>> igb.losses.CrossEntropy().value(np.array([0.0])).round(4)    # at p = 1/2
    array([0.6931])
    """

    @abstractmethod
    def value(self, log_odds: Any) -> Any:
        """Return the loss."""

    @abstractmethod
    def weight(self, log_odds: Any) -> Any:
        """Return the factor of the gradient p_c - [c is the label] of cross-entropy at logit c.

        If it is negative, descent lowers the probability of the label.
        """

    def silent(self, log_odds: Any) -> Any:
        """Return whether the gradient is 0."""
        return np.zeros(np.shape(log_odds), dtype=bool)[()]

    def gradient(self, outputs: Array, labels: NDArray[np.int64]) -> Array:
        """Return the gradient at the outputs, shape (..., M), of data with these labels, shape (...)."""
        p, log_odds = (x.reshape(outputs.shape) for x in probabilities(outputs.reshape(-1, outputs.shape[-1])))
        index = labels[..., None]
        weight = self.weight(np.take_along_axis(log_odds, index, axis=-1))
        rest = -scipy.special.expit(-np.take_along_axis(log_odds, index, axis=-1))  # p - 1 without cancellation
        np.put_along_axis(p, index, rest, axis=-1)
        return np.asarray(weight * p)

    def mean(self, outputs: Array, labels: NDArray[np.int64]) -> Array:
        """Return the mean loss over the data, the first axis of outputs (n_samples, ..., M)."""
        log_odds = probabilities(outputs.reshape(-1, outputs.shape[-1]))[1].reshape(outputs.shape)
        return np.asarray(self.value(np.take_along_axis(log_odds, labels[..., None], axis=-1))[..., 0].mean(axis=0))


@final
@dataclass(frozen=True)
class CrossEntropy(Loss):
    """Cross-entropy -log p, with the weight 1.

    >>> igb.losses.CrossEntropy().value(np.array([0.0])).round(4)    # at p = 1/2
    array([0.6931])
    """

    def value(self, log_odds: Any) -> Any:
        return -log_probability(log_odds)

    def weight(self, log_odds: Any) -> Any:
        return np.ones(np.shape(log_odds))[()]


@final
@dataclass(frozen=True)
class Blurry(Loss):
    """Blurry loss -p^a log p, which gives less weight to data that seem to be mislabelled; a = `exponent` >= 0.

    held=True, as its authors train it: p^a is treated as a constant, and the weight is p^a. held=False: p^a is
    differentiated, and the weight is p^a (1 + a log p). It is negative if p < exp(-1/a), so that descent lowers the
    probability of the label.
    Source: initialization-biases-and-losses-summary, Blurry loss.

    exponent: a. held: whether p^a is a constant, as above.

    >>> igb.losses.Blurry(0.5).weight(np.array([0.0])).round(4)    # at p = 1/2
    array([0.7071])
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
    """Piecewise-zero loss: cross-entropy with the weight 1 if p >= `cut_off`, and 0 with the weight 0 otherwise.

    cut_off: the smallest probability with a gradient.

    Source: initialization-biases-and-losses-summary, Piecewise-zero loss.

    >>> igb.losses.PiecewiseZero(0.1).silent(np.array([-5.0, 0.0]))
    array([ True, False])
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
    """Focal loss -(1 - p)^g log p, which gives less weight to data that are learned already; g = `exponent` >= 0.

    The weight is (1 - p)^g (1 - g p log(p)/(1 - p)), which is positive.

    exponent: g.

    >>> igb.losses.Focal(2.0).value(np.array([0.0])).round(4)    # at p = 1/2
    array([0.1733])
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
    """Return all losses by name: cross-entropy, and the others with these parameters."""
    return {
        "cross-entropy": CrossEntropy(),
        "blurry, held": Blurry(blurry),
        "blurry, differentiated": Blurry(blurry, held=False),
        "piecewise-zero": PiecewiseZero(cut_off),
        "focal": Focal(focal),
    }


def log_probability(log_odds: Any) -> Any:
    """Return the logarithm of p = 1/(1 + exp(-r)), r the log-odds; `np.logaddexp` takes three times as long."""
    r = np.asarray(log_odds, dtype=float)
    return np.minimum(r, 0.0) - np.log1p(np.exp(-np.abs(r)))


def probabilities(outputs: Array) -> tuple[Array, Array]:
    """Return the softmax probabilities of outputs (n_samples, M), and the log-odds of each class."""
    largest = outputs.max(axis=1, keepdims=True)
    powers = np.exp(outputs - largest)
    total = powers.sum(axis=1, keepdims=True)
    rest = total - powers
    # for the largest output the others are summed again, since the difference has lost their digits
    row, top = np.arange(len(outputs)), outputs.argmax(axis=1)
    p = powers / total
    powers[row, top] = 0.0
    rest[row, top] = powers.sum(axis=1)
    with np.errstate(divide="ignore"):
        return p, np.minimum(outputs - largest - np.log(rest), _CERTAIN)
