"""The targets of training: class labels, or values of the outputs."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.labels import guesses, labels_in

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Targets:
    """The targets of squared loss, (n_samples, outputs), and the class of every datum.

    A single output decides between two classes: class 0 where it is positive. hard: whether y are labels.
    """

    values: Array
    labels: NDArray[np.int64]
    n_classes: int
    hard: bool

    @property
    def shares(self) -> Array:
        """Share of the data that have each label, (n_classes,)."""
        return np.bincount(self.labels, minlength=self.n_classes) / len(self.labels)


def targets(y: Any, count: int, n_classes: int | None = None) -> Targets:
    """Return the targets of `count` data from class labels 0, 1, ..., or from values of one or more outputs.

    y: labels, or values of outputs, (count,) or (count, outputs): see `igbtheory.foundations.labels`. n_classes: by
    default one more than the largest label.
    """
    given = np.asarray(checks.unmasked("y", y))
    if given.ndim not in (1, 2) or len(given) != count:
        raise ValueError(f"expected a label for each of the {count} data, got y of shape {given.shape}")
    if given.dtype.kind not in "iufb" or not np.all(np.isfinite(given)):
        raise ValueError("expected labels 0, 1, ... or finite targets in y, got other entries; number the classes")
    labels = labels_in(given)
    if labels is None:
        values = given.reshape(count, -1).astype(float)
        wanted = Targets(values, guesses(values), max(2, values.shape[1]), hard=False)
    else:
        wanted = _of_labels(labels, n_classes or int(labels.max()) + 1)
    alike = bool(np.all(wanted.labels == wanted.labels[0]))
    if alike and not wanted.hard and wanted.values.shape[1] == 1:
        raise ValueError(
            f"expected targets of one output on both sides of 0, which the guesses compare, got {given.min():g} to "
            f"{given.max():g}; subtract their mean, or pass labels 0, 1, ..."
        )
    if alike:
        raise ValueError(
            f"expected data of two classes or more, got class {wanted.labels[0]} only; add data of another one"
        )
    return wanted


def _of_labels(labels: NDArray[np.int64], n_classes: int) -> Targets:
    if labels.max() >= n_classes:
        raise ValueError(
            f"expected labels below the number of classes, {n_classes}, got {labels.max()}; check both sets"
        )
    return Targets(np.eye(n_classes)[labels], labels, n_classes, hard=True)


def refuse_contradictions(data: NDArray[Any], values: Array) -> None:
    """Refuse equal data with different targets, which no network can learn."""
    _, first, number = np.unique(data.reshape(len(data), -1), axis=0, return_index=True, return_inverse=True)
    apart = np.flatnonzero((values != values[first[np.ravel(number)]]).any(axis=1))
    if apart.size:
        other = first[np.ravel(number)[apart[0]]]
        raise ValueError(
            f"expected equal data to have equal labels, got data {other} and {apart[0]}, which are equal and have "
            "different ones: no network learns both; remove one of them"
        )
