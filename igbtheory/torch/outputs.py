"""Outputs of one network, (n_samples, outputs) in single or double precision: its guesses and moments."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.labels import Labels, guesses
from igbtheory.mathematics.numerics.rounding import resolved

Array = NDArray[np.float64]
Outputs = NDArray[np.floating[Any]]
ROUNDING = 2.0**-8
"""Largest rounding error of a sum of probabilities, which bfloat16 has."""


class Summary(NamedTuple):
    """Summary of the outputs of one network.

    shares, moments, probabilities, loss, by_label: as in `Measurement`. centres: the mean over the data of each output
    less the mean of all outputs; of a single output, its own mean. ties: number of data with several largest outputs.
    guess_variance, equal: (share of the data at which one of two outputs is the guess, less 1/2)^2, and the share at
    which the two are equal, averaged over pairs of neighbouring outputs, the last and the first among them. inside:
    whether all outputs lie in [0, 1]; alike: whether they could be probabilities of the classes, too. rounded: whether
    the outputs differ between the data by rounding alone, which counts as 0.
    """

    shares: Array
    moments: tuple[float, float]
    centres: Array
    ties: int
    probabilities: Array
    loss: float
    by_label: Array
    guess_variance: float = np.nan
    equal: float = 0.0
    inside: bool = False
    alike: bool = False
    rounded: bool = False

    @classmethod
    def of(cls, outputs: Outputs, labels: Labels | None = None) -> Self:
        """Return the summary of the outputs. labels: classes of the data; None: each class is equally likely."""
        size, count = outputs.shape  # sums divided by them take a fifth of the time of NumPy's means of so few numbers
        x = outputs.T.astype(np.float64, order="C")  # NumPy reduces long rows ten times as fast as short ones
        classes = beside_zero(x.T).T
        largest = classes.max(axis=0)
        powers = np.exp(classes - largest)
        total = powers.sum(axis=0)
        of_labels = classes.sum() / len(classes) if labels is None else classes[labels, np.arange(size)].sum()
        # the outputs less their mean have the same sum of squares as M - 1 orthonormal contrasts
        apart = x - x.sum(axis=0) / count if count > 1 else x
        first, contrasts = apart[:, :1], max(1, count - 1)
        apart = apart - first  # exactly 0 if the outputs do not depend on the data
        mean = apart.sum(axis=1, keepdims=True) / size
        centres = (first + mean)[:, 0]
        apart -= mean
        square = float(np.vdot(apart, apart)) / size
        raw = float(centres @ centres) / contrasts, square / contrasts
        moments = resolved(np.array(raw), float(np.vdot(x, x)) / x.size, outputs.dtype)
        return cls(
            shares(outputs),
            (float(moments[0]), float(moments[1])),
            centres,
            _ties(classes, largest),
            powers @ (1 / total) / size,
            float((np.log(total) + largest).sum() - of_labels) / size,
            np.empty(0) if labels is None else _shares_by_label(outputs, labels, len(classes)),
            *_of_pairs(classes),
            inside := bool(0 <= outputs.min() < outputs.max() <= 1),
            inside and (count == 1 or bool(np.all(np.abs(outputs.sum(axis=1) - 1) < ROUNDING))),
            bool(raw[1] > 0 == moments[1]),
        )

    @classmethod
    def of_labels(cls, outputs: Outputs, labels: Labels | None = None) -> Self:
        """Return the summary of outputs each of which gives its own label to a datum where it is >= 0, or does not.

        Shares, probabilities and centres have an entry for each label; all other values are means over the labels.
        labels: (n_samples, outputs) of 0 and 1; None: each datum is equally likely to have a label and not to have it.
        """
        each = [cls.of(output[:, None]) for output in outputs.T]
        stacked: Any = map(np.array, zip(*each, strict=True))
        columns: Any = cls(*stacked)
        has = 0.5 if labels is None else labels
        return cls(
            columns.shares[:, 0],
            tuple(columns.moments.mean(axis=0)),
            columns.centres[:, 0],
            columns.ties.mean(),
            columns.probabilities[:, 0],
            float((np.logaddexp(0, outputs) - has * outputs).mean()),
            np.empty(0),
            columns.guess_variance.mean(),
            columns.equal.mean(),
            columns.inside.all(),
            columns.alike.all(),
            columns.rounded.any(),
        )


def beside_zero(outputs: Any) -> Any:
    """Return outputs of at least two classes: a single output belongs to class 0, and class 1 gets the output 0."""
    return outputs if outputs.shape[1] > 1 else np.hstack([outputs, np.zeros_like(outputs)])


def shares(outputs: Outputs) -> Array:
    """Return the fraction of the data given to every class: see `guesses`."""
    return np.asarray(np.bincount(guesses(outputs), minlength=max(2, outputs.shape[1])) / len(outputs))


def _of_pairs(classes: Array) -> tuple[float, float]:
    """Return `guess_variance` and `equal`, from each class beside the one before it, or the first beside the last.

    All M (M - 1)/2 pairs would have an error that is at most a fifth smaller than that of these M pairs.
    """
    apart = classes - classes[np.arange(len(classes)) - 1]
    equal = np.count_nonzero(apart == 0, axis=1) / classes.shape[1]
    guessed = np.count_nonzero(apart > 0, axis=1) / classes.shape[1]
    guessed[0] += equal[0]  # the first of two equal outputs is the guess
    return float(np.square(guessed - 0.5).mean()), float(equal.mean())


def _ties(classes: Array, largest: Array) -> int:
    """Return the number of data with several largest outputs."""
    are_largest = classes == largest
    several = np.count_nonzero(are_largest) > largest.size
    return int(np.sum(np.count_nonzero(are_largest, axis=0) > 1)) if several else 0


def _shares_by_label(outputs: Outputs, labels: Labels, classes: int) -> Array:
    """Return the fraction of the data of each label given to every class, (labels, classes), NaN without data."""
    counts = np.bincount(labels * classes + guesses(outputs), minlength=classes**2).reshape(classes, classes)
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def refuse_infinite(outputs: Outputs, network: int) -> None:
    """Refuse outputs that are not finite."""
    if not np.isfinite(outputs).all():
        # overflow gives inf, and often nan beside it
        overflow = bool(np.isinf(outputs).any())
        remedy = "scale the data or the weights down" if overflow else "check the initialisation for nan"
        raise ValueError(f"expected finite outputs, got {'inf' if overflow else 'nan'} in network {network}; {remedy}")


def fit(labels: Labels, outputs: Outputs) -> bool:
    """Return whether all labels are classes of the outputs, or there is a label for every output."""
    if labels.ndim == 2:
        return labels.shape == outputs.shape
    return bool(labels.min() >= 0 and labels.max() < max(2, outputs.shape[1]))
