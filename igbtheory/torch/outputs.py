"""Outputs of one network, (n_samples, outputs) in double precision: its guesses and moments."""

import numpy as np
from numpy.typing import NDArray

from igbtheory.simulation.moments import pair_moments

Array = NDArray[np.float64]
ROUNDING = 2.0**-8
"""Distance of a sum of probabilities from 1 that bfloat16 leaves."""


def shares(outputs: Array) -> Array:
    """Fractions of the data given to every class: of two, by the sign of one output, or of M, by the largest."""
    size, count = outputs.shape
    classes = outputs.argmax(axis=1) if count > 1 else outputs[:, 0] <= 0
    return np.asarray(np.bincount(classes, minlength=max(count, 2)) / size)


def contrast_moments(outputs: Array) -> tuple[float, float]:
    """Moments q_ab and q_aa - q_ab of a contrast: mean of (mean over the data)^2, of the variance over the data.

    Any M - 1 orthonormal contrasts have the sum of squares of the M outputs less their mean.
    """
    count = outputs.shape[1]
    if count == 1:
        return pair_moments(outputs, ddof=0)
    q_ab, spread = pair_moments(outputs - outputs.mean(axis=1, keepdims=True), ddof=0)
    return q_ab * count / (count - 1), spread * count / (count - 1)


def like_probabilities(outputs: Array) -> bool:
    """Whether the outputs could be probabilities: in [0, 1], and of the sum 1 where there are several."""
    inside = bool(outputs.min() >= 0 and outputs.max() <= 1)
    return inside and (outputs.shape[1] == 1 or bool(np.all(np.abs(outputs.sum(axis=1) - 1) < ROUNDING)))
