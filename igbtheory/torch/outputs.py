"""Outputs of one network, (n_samples, outputs) in double precision: its guesses and moments."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers.threads import one_thread
from igbtheory.simulation.moments import pair_moments

Array = NDArray[np.float64]
ROUNDING = 2.0**-8
"""Distance of a sum of probabilities from 1 that bfloat16 leaves."""


class Summary(NamedTuple):
    """What is kept of the outputs of one network.

    shares, moments, probabilities, losses, by_label: as in `Measurement`; centres: means over the data, of several
    outputs less that of all; ties: data whose guess is not decided.
    """

    shares: Array
    moments: tuple[float, float]
    centres: Array
    ties: int
    probabilities: Array
    loss: float
    by_label: Array

    @classmethod
    def of(cls, outputs: Array, labels: NDArray[np.int64] | None = None) -> Self:
        """Return the summary of the outputs; labels: classes of the data, each equally likely where they are None."""
        parts = shares(outputs), contrast_moments(outputs), centres(outputs), ties(outputs)
        logs = log_probabilities(outputs)
        given = logs.mean(axis=1) if labels is None else logs[np.arange(len(logs)), labels]
        groups = [] if labels is None else [outputs[labels == label] for label in range(logs.shape[1])]
        nobody = np.full(logs.shape[1], np.nan)
        by_label = [shares(group) if len(group) else nobody for group in groups]
        return cls(*parts, np.exp(logs).mean(axis=0), float(-given.mean()), np.array(by_label))


def shares(outputs: Array) -> Array:
    """Fractions of the data given to every class: of two, by the sign of one output, or of M, by the largest."""
    size, count = outputs.shape
    classes = outputs.argmax(axis=1) if count > 1 else outputs[:, 0] <= 0
    return np.asarray(np.bincount(classes, minlength=max(count, 2)) / size)


def log_probabilities(outputs: Array) -> Array:
    """Return the logarithms of the softmax probabilities; a single output is that of class 0 against a 0."""
    both = outputs if outputs.shape[1] > 1 else np.hstack([outputs, np.zeros_like(outputs)])
    apart = both - both.max(axis=1, keepdims=True)
    return np.asarray(apart - np.log(np.exp(apart).sum(axis=1, keepdims=True)))


def ties(outputs: Array) -> int:
    """Return the number of data at which several outputs share the maximum, or a single output is exactly 0."""
    if outputs.shape[1] == 1:
        return int(np.sum(outputs == 0))
    return int(np.sum(np.sum(outputs == outputs.max(axis=1, keepdims=True), axis=1) > 1))


def centres(outputs: Array) -> Array:
    """Return the means of the outputs over the data, of several outputs less the mean of all."""
    means = outputs.mean(axis=0)
    return np.asarray(means - means.mean() if len(means) > 1 else means)


def contrast_moments(outputs: Array) -> tuple[float, float]:
    """Moments q_ab and q_aa - q_ab of a contrast: mean of (mean over the data)^2, of the variance over the data.

    Any M - 1 orthonormal contrasts have the sum of squares of the M outputs less their mean.
    """
    count = outputs.shape[1]
    with one_thread():  # the products are small
        if count == 1:
            return pair_moments(outputs, ddof=0)
        q_ab, spread = pair_moments(outputs - outputs.mean(axis=1, keepdims=True), ddof=0)
    return q_ab * count / (count - 1), spread * count / (count - 1)


def like_probabilities(outputs: Array) -> bool:
    """Whether the outputs could be probabilities: in [0, 1], and of the sum 1 where there are several."""
    inside = bool(outputs.min() >= 0 and outputs.max() <= 1)
    return inside and (outputs.shape[1] == 1 or bool(np.all(np.abs(outputs.sum(axis=1) - 1) < ROUNDING)))
