"""Outputs of one network, (n_samples, outputs) in double precision: its guesses and moments."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDING = 2.0**-8
"""Distance of a sum of probabilities from 1 that bfloat16 leaves."""


class Summary(NamedTuple):
    """What is kept of the outputs of one network.

    shares, moments, probabilities, losses, by_label: as in `Measurement`; centres: means over the data, of several
    outputs less that of all; ties: data whose guess is not decided; alike: whether they could be probabilities.
    """

    shares: Array
    moments: tuple[float, float]
    centres: Array
    ties: int
    probabilities: Array
    loss: float
    by_label: Array
    alike: bool = False

    @classmethod
    def of(cls, outputs: Array, labels: NDArray[np.int64] | None = None) -> Self:
        """Return the summary of the outputs; labels: classes of the data, each equally likely where they are None."""
        size, count = outputs.shape
        x = np.ascontiguousarray(outputs.T)  # NumPy reduces long rows ten times as fast as short ones
        both = x if count > 1 else np.vstack([x, np.zeros_like(x)])  # a single output is that of class 0 against a 0
        apart = both - both.max(axis=0)
        found = np.count_nonzero(apart == 0, axis=1)
        tied = 0 if found.sum() == size else int(np.sum(np.count_nonzero(apart == 0, axis=0) > 1))
        means = x.mean(axis=1)
        weights = np.exp(apart)
        sums = weights.sum(axis=0)
        given = apart.sum(axis=0) / len(both) if labels is None else apart[labels, np.arange(size)]
        groups = [] if labels is None else [outputs[labels == label] for label in range(len(both))]
        nobody = np.full(len(both), np.nan)
        return cls(
            shares(outputs) if tied else found / size,
            _moments(x),
            means - means.mean() if count > 1 else means,
            tied,
            np.einsum("ij,j->i", weights, 1 / sums) / size,  # no library whose threads sum in another order
            float((np.log(sums) - given).mean()),
            np.array([shares(group) if len(group) else nobody for group in groups]),
            like_probabilities(outputs),
        )


def shares(outputs: Array) -> Array:
    """Fractions of the data given to every class: of two, by the sign of one output, or of M, by the largest."""
    size, count = outputs.shape
    classes = outputs.argmax(axis=1) if count > 1 else outputs[:, 0] <= 0
    return np.asarray(np.bincount(classes, minlength=max(count, 2)) / size)


def contrast_moments(outputs: Array) -> tuple[float, float]:
    """Moments q_ab and q_aa - q_ab of a contrast: mean of (mean over the data)^2, of the variance over the data.

    Any M - 1 orthonormal contrasts have the sum of squares of the M outputs less their mean.
    """
    return _moments(np.ascontiguousarray(outputs.T))


def _moments(x: Array) -> tuple[float, float]:
    """Return the moments of the outputs x, (outputs, n_samples)."""
    contrasts = max(1, len(x) - 1)
    if len(x) > 1:
        x = x - x.sum(axis=0) / len(x)
    shifted = x - x[:, :1]  # which leaves nothing where the outputs do not depend on the data
    means = shifted.mean(axis=1)
    centres = x[:, 0] + means
    shifted -= means[:, None]
    return float(centres @ centres) / contrasts, float(np.einsum("ij,ij", shifted, shifted)) / (x.shape[1] * contrasts)


def like_probabilities(outputs: Array) -> bool:
    """Whether the outputs could be probabilities: in [0, 1], and of the sum 1 where there are several."""
    inside = bool(outputs[0].min() >= 0 and outputs.min() >= 0 and outputs.max() <= 1)
    return inside and (outputs.shape[1] == 1 or bool(np.all(np.abs(outputs.sum(axis=1) - 1) < ROUNDING)))


def checked_labels(labels: NDArray[np.int64] | None, outputs: Array) -> NDArray[np.int64] | None:
    """Return the labels, refused where the outputs have no such class."""
    classes = max(2, outputs.shape[1])
    wrong = [] if labels is None else [label for label in (labels.max(), labels.min()) if not 0 <= label < classes]
    if wrong:
        raise ValueError(
            f"expected labels from 0 to {classes - 1}, as the model has {classes} classes, got {wrong[0]}; number the "
            "classes from 0, let the model return an output for each, or leave the labels out"
        )
    return labels
