"""Centring and scaling of nodes and of samples, which all norms share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDED = 1e-13
"""Largest deviation of a unit from its mean, relative to its values, that counts as a rounding error."""


def normalised(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Return samples less their mean and over their standard deviation along an axis, or 0 if they do not vary."""
    apart = deviations(x, axis)
    return over_root(apart, np.mean(np.square(apart), axis=axis, keepdims=True), eps)


def by_others(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Return samples less the mean of the others, and over the standard deviation of the others, along an axis."""
    n, apart = x.shape[axis], deviations(x, axis)
    square = np.square(apart)
    # the mean of the others is x - n/(n - 1) (x - <x>), and so on
    others = (square.sum(axis=axis, keepdims=True) - n / (n - 1) * square) / (n - 1)
    return over_root(n / (n - 1) * apart, others, eps)


def deviations(x: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return samples less their mean along an axis, without rounding errors if all are equal."""
    apart = x - x.take([0], axis=axis)
    return np.asarray(apart - apart.mean(axis=axis, keepdims=True))


def variances(x: NDArray[Any], apart: NDArray[Any]) -> NDArray[Any]:
    """Return the variances over the data of units x with these deviations, shape (..., 1, count).

    Variances that are zero up to rounding errors are 0.
    """
    square = np.mean(np.square(apart), axis=-2, keepdims=True)
    return np.where(square <= ROUNDED**2 * np.mean(np.square(x), axis=-2, keepdims=True), 0.0, square)


def over_root(x: NDArray[Any], q: NDArray[Any], eps: Any) -> NDArray[Any]:
    """Return x/sqrt(q + eps), or 0 if that root is 0: the limit of small eps."""
    scale = np.sqrt(q + x.dtype.type(eps))
    return np.asarray(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))
