"""Outputs of one network, (n_samples, outputs) in single or double precision: its guesses and moments."""

from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Outputs = NDArray[np.floating[Any]]
Labels = NDArray[np.int64]
ROUNDING = 2.0**-8
"""Distance of a sum of probabilities from 1 that bfloat16 leaves."""
ENTRIES = 2**15
"""Outputs that are summed up together: more leave the cache, and their memory comes from the system anew each time."""


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
    def of(cls, outputs: Outputs, labels: Labels | None = None) -> Self:
        """Return the summary of the outputs; labels: classes of the data, each equally likely where they are None."""
        size, count = outputs.shape
        contrasts, classes = max(1, count - 1), max(2, count)
        # at least two data in each
        bounds = [*range(0, size - 1, max(2, ENTRIES // count)), size]
        sums = reduce(_Sums.and_those, (_Sums.of(outputs, labels, slice(*part)) for part in pairwise(bounds)))
        return cls(
            shares(outputs),
            (float(sums.centre @ sums.centre) / contrasts, sums.square / (size * contrasts)),
            sums.centre,
            sums.ties,
            sums.probabilities / size,
            sums.loss / size,
            np.empty(0) if labels is None else _shares_by_label(outputs, labels, classes),
            _like_probabilities(outputs),
        )


class _Sums(NamedTuple):
    """Sums over a part of the data, from which those over all data are put together.

    ties: number of data with several largest outputs; probabilities: of every class by softmax; loss: cross-entropy.
    Of M outputs the mean of all is subtracted at every datum: then their squares have the sum of those of any M - 1
    orthonormal contrasts. centre: mean of these outputs over the data, not a sum; square: their squared distances from
    it.
    """

    size: int
    ties: int
    probabilities: Array
    loss: float
    centre: Array
    square: float

    @classmethod
    def of(cls, outputs: Outputs, labels: Labels | None, part: slice) -> Self:
        """Return the sums over a part of the data."""
        # NumPy reduces long rows ten times as fast as short ones
        x = outputs[part].T.astype(np.float64, order="C")
        count, size = x.shape
        both = x if count > 1 else np.vstack([x, np.zeros_like(x)])  # a single output is that of class 0 against a 0
        largest, sums = both.max(axis=0), both.sum(axis=0)
        best = both == largest
        ties = 0 if np.count_nonzero(best) == size else int(np.sum(np.count_nonzero(best, axis=0) > 1))
        told = sums / len(both) if labels is None else both[labels[part], np.arange(size)]
        # exponentials in the precision of the model, since they take longer than all else
        weights = np.subtract(both, largest, out=np.empty(both.shape, outputs.dtype), casting="same_kind")
        np.exp(weights, out=weights)
        total = weights.sum(axis=0, dtype=np.float64)
        # no library whose threads sum in another order
        probabilities = np.einsum("ij,j->i", weights, (1 / total).astype(weights.dtype))
        loss = float(np.log(total).sum() + (largest - told).sum())
        if count > 1:
            x -= sums / count
        first = x[:, 0].copy()
        x -= first[:, None]  # which leaves nothing where the outputs do not depend on the data
        mean = x.sum(axis=1) / size
        x -= mean[:, None]
        square = float(np.einsum("ij,ij", x, x))
        return cls(size, ties, probabilities.astype(np.float64), loss, first + mean, square)

    def and_those(self, other: Self) -> Self:
        """Return the sums over these data and those of another part."""
        size, apart = self.size + other.size, other.centre - self.centre
        return type(self)(
            size,
            self.ties + other.ties,
            self.probabilities + other.probabilities,
            self.loss + other.loss,
            self.centre + apart * (other.size / size),
            self.square + other.square + float(apart @ apart) * self.size * other.size / size,
        )


def shares(outputs: Outputs) -> Array:
    """Fractions of the data given to every class: of two, by the sign of one output, or of M, by the largest."""
    return np.asarray(np.bincount(guesses(outputs), minlength=max(2, outputs.shape[1])) / len(outputs))


def _shares_by_label(outputs: Outputs, labels: Labels, classes: int) -> Array:
    """Return the fractions of the data of each label given to every class, (labels, classes), NaN without data."""
    counts = np.bincount(labels * classes + guesses(outputs), minlength=classes**2).reshape(classes, classes)
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def guesses(outputs: Outputs) -> Labels:
    """Return the class that each datum is given to: 0 where a single output is positive, else that of the largest."""
    return np.asarray(outputs.argmax(axis=1) if outputs.shape[1] > 1 else outputs[:, 0] <= 0, dtype=np.int64)


def _like_probabilities(outputs: Outputs) -> bool:
    """Whether the outputs could be probabilities: in [0, 1], and of the sum 1 where there are several."""
    inside = bool(outputs[0].min() >= 0 and outputs.min() >= 0 and outputs.max() <= 1)
    return inside and (outputs.shape[1] == 1 or bool(np.all(np.abs(outputs.sum(axis=1) - 1) < ROUNDING)))


def refuse_infinite(outputs: Outputs, network: int) -> None:
    """Refuse outputs that are not finite."""
    if not np.isfinite(outputs).all():
        wrong = outputs[~np.isfinite(outputs)]
        # nan comes of overflow too, then mostly beside inf
        overflow = bool(np.isinf(wrong).any())
        remedy = "scale the data or the weights down" if overflow else "check the initialisation for nan"
        raise ValueError(f"expected finite outputs, got {'inf' if overflow else 'nan'} in network {network}; {remedy}")


def fit(labels: Labels, outputs: Outputs) -> bool:
    """Whether all labels are classes of the outputs."""
    return bool(labels.min() >= 0 and labels.max() < max(2, outputs.shape[1]))
