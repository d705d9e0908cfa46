"""Wide random networks at a few data: forward and backward passes whose cost is the width, not its square.

Given what it acts on, a random matrix needs no entries. Let W be normal with entries of variance sigma_w2/N. The rows
of y = W x are normal with the covariance sigma_w2 x^T x/N of the data. Given y, the matrix is y x^T/|x|^2 plus a normal
one that acts on what is orthogonal to x. So both passes have the law of those with all the entries, at every width.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Block = Callable[[Array], tuple[Array, Array]]
"""From units of the shape (networks, N, nodes) to values (networks, N), and their slopes (networks, N, nodes)."""


def forward(rng: np.random.Generator, x: Array, sigma_w2: float, sigma_b2: float = 0.0, units: int = 0) -> Array:
    """Return W x + B of random weights and biases.

    x: (networks, N, data); units: rows of W, N unless given. The result has the shape (networks, units, data).
    """
    networks, width, data = x.shape
    half = np.linalg.cholesky(x.transpose(0, 2, 1) @ x * (sigma_w2 / width))
    y = rng.standard_normal((networks, units or width, data)) @ half.transpose(0, 2, 1)
    return y + np.sqrt(sigma_b2) * rng.standard_normal((*y.shape[:2], 1)) if sigma_b2 else y


def backward(rng: np.random.Generator, delta: Array, x: Array, y: Array, sigma_w2: float) -> Array:
    """Return W^T delta given that y = W x: x (networks, N), y and delta (networks, units)."""
    size = np.sqrt(sigma_w2 / x.shape[1] * _product(delta, delta))
    fresh: Array = size * rng.standard_normal(x.shape)
    return fresh + x * ((_product(y, delta) - _product(x, fresh)) / _product(x, x))


def _product(u: Array, v: Array) -> Array:
    """Scalar product of the vectors of every network, (networks, 1)."""
    found: Array = np.sum(u * v, axis=1, keepdims=True)
    return found


def growth(
    rng: np.random.Generator,
    h: Array,
    block: Block,
    sigma_w2: float,
    sigma_b2: float = 0.0,
    *,
    layers: int = 3,
    skip: bool = False,
) -> tuple[Array, Array]:
    """Return the factors of the mean square of gradients and of units through some layers, one of each a network.

    h: units in front of them, (networks, N, nodes), from which N values go to the next matrix; skip: every layer adds
    its input.
    """
    start, passed = (h**2).mean(axis=(1, 2)), []
    for _ in range(layers):
        x, slope = block(h)
        y = forward(rng, x[..., None], sigma_w2, units=h[0].size)[..., 0]
        passed.append((x, slope, y))
        h = y.reshape(h.shape) + np.sqrt(sigma_b2) * rng.standard_normal(h.shape) + skip * h
    delta = rng.standard_normal(h.shape)
    end = (delta**2).mean(axis=(1, 2))
    for x, slope, y in reversed(passed):
        delta = slope * backward(rng, delta.reshape(len(h), -1), x, y, sigma_w2)[..., None] + skip * delta
    return (delta**2).mean(axis=(1, 2)) / end, (h**2).mean(axis=(1, 2)) / start


def relu(h: Array) -> tuple[Array, Array]:
    """ReLU of single nodes."""
    return np.maximum(h[..., 0], 0), (h > 0).astype(float)


def tanh(h: Array) -> tuple[Array, Array]:
    """Tanh of single nodes."""
    value = np.tanh(h)
    return value[..., 0], 1 - value**2


def relu_maximum(h: Array) -> tuple[Array, Array]:
    """ReLU and the maximum over the nodes."""
    value = np.maximum(h, 0).max(axis=2)
    return value, ((h > 0) & (h == value[..., None])).astype(float)


def relu_mean(h: Array) -> tuple[Array, Array]:
    """ReLU and the mean over the nodes."""
    return np.maximum(h, 0).mean(axis=2), (h > 0) / h.shape[2]


def tanh_mean(h: Array) -> tuple[Array, Array]:
    """Tanh and the mean over the nodes."""
    value = np.tanh(h)
    return value.mean(axis=2), (1 - value**2) / h.shape[2]
