"""Guesses of a linear output layer from the directions of the features that it reads, for pairs of data.

Data without features have equal outputs, a tie, which class 0 gets: argmax returns the first of the largest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The numbers of the first and of the second datum of every pair."""
ENTRIES = 2**15
"""Number of entries of pairs that are compared at once, so that they stay in the cache: 1,024 pairs of 100 units take a
third of the time."""
SAFE = 1e-25
"""Sums of squares between this number and its inverse are right in single precision, which ends at 1e-38 and 1e38."""


def pairs_of_data(order: NDArray[np.intp], count: int, stride: int = 1) -> Pairs:
    """Return up to `count` pairs of data, of different ones unless there is one alone, each pair at most twice.

    The data in this order form a ring, and the distance of two on it is a multiple of `stride`, the smallest ones
    first.
    """
    size = len(order)
    farthest = min(-(-count // size), max(1, size // stride - 1))
    shifts = stride * np.arange(1, farthest + 1)[:, None]
    return np.tile(order, farthest)[:count], order[(np.arange(size) + shifts) % size].ravel()[:count]


def guesses_of_features(features: NDArray[Any], pairs: Pairs, bias: float = 0.0) -> tuple[float, float]:
    """Return E (G0 - 1/2)^2 over the weights of a linear output layer, for these pairs of data, and the share of ties.

    features: (data, units). The weights are normal and independent, so that E (G0 - 1/2)^2 is the mean of
    arcsin(c)/(2 pi), c the cosine of the features of two data; two data that tie contribute 1/4, and one of them 0.
    bias: what the output biases add to the covariance of every pair, where the features add the mean of their products
    over the units; with a bias there are no ties.
    """
    first, second = pairs
    x = features.reshape(len(features), -1)
    squares = np.einsum("ij,ij->i", x, x)
    if not SAFE < squares.min() <= squares.max() < 1 / SAFE:  # single precision may have lost digits, or all of them
        squares = np.einsum("ij,ij->i", x, x, dtype=np.float64)
    squares = squares / np.float64(x.shape[1])
    tied = (squares == 0) & (bias == 0)
    # such data agree with one another, and as often as not with others, as if they had a direction of their own
    beside = np.where(tied, 1.0, np.sqrt(bias))
    lengths = np.sqrt(squares + beside**2)
    x, beside = x / (lengths[:, None] * np.sqrt(x.shape[1])).astype(x.dtype), beside / lengths
    at_once = max(1, ENTRIES // x.shape[1])
    blocks = [slice(start, start + at_once) for start in range(0, len(first), at_once)]
    apart = np.concatenate([_square_distances(x, first[block], second[block]) for block in blocks])
    # arcsin(c) = pi/2 - 2 arcsin(d/2) with the distance d of unit vectors keeps its digits as c approaches 1
    distances = np.sqrt(apart + (beside[first] - beside[second]) ** 2)
    return float(0.25 - np.arcsin(np.minimum(distances / 2, 1)).mean() / np.pi), float(tied.mean())


def _square_distances(x: NDArray[Any], first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[Any]:
    """Return the squares of the distances of rows."""
    apart = x.take(first, axis=0)
    apart -= x.take(second, axis=0)
    return np.asarray(np.einsum("ij,ij->i", apart, apart))
