"""Wide random networks on a few data: forward and backward passes whose cost grows with the width, not its square.

The entries of the random matrices are never drawn. Let W be normal with entries of variance sigma_w2/N. The rows of
y = W x are normal with the covariance sigma_w2 x^T x/N of the data. Given y, the matrix equals y x^T/|x|^2 plus a
normal matrix that acts on the orthogonal complement of x. So both passes have the exact law at every width.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Block = Callable[[Array], tuple[Array, Array]]
"""A function of units of shape (networks, N, nodes): its values (networks, N) and slopes (networks, N, nodes)."""


def forward(rng: np.random.Generator, x: Array, sigma_w2: float, sigma_b2: float = 0.0, units: int = 0) -> Array:
    """Return W x + B for random weights and biases, shape (networks, units, data).

    x: (networks, N, data). units: number of rows of W, by default N.
    """
    networks, width, data = x.shape
    half = np.linalg.cholesky(x.transpose(0, 2, 1) @ x * (sigma_w2 / width) + sigma_b2)
    y: Array = rng.standard_normal((networks, units or width, data)) @ half.transpose(0, 2, 1)
    return y


def backward(rng: np.random.Generator, delta: Array, x: Array, y: Array, sigma_w2: float) -> Array:
    """Return W^T delta given y = W x; x: (networks, N), y and delta: (networks, units)."""
    size = np.sqrt(sigma_w2 / x.shape[1] * _product(delta, delta))
    fresh: Array = size * rng.standard_normal(x.shape)
    return fresh + x * ((_product(y, delta) - _product(x, fresh)) / _product(x, x))


def _product(u: Array, v: Array) -> Array:
    """Return the scalar products of the vectors of every network, (networks, 1)."""
    products: Array = np.sum(u * v, axis=1, keepdims=True)
    return products


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
    """Return the factors by which layers change the mean square of gradients and of units, both (networks,).

    h: the pre-activations of the first layer, (networks, N, nodes); the block turns them into the N values that the
    next matrix reads. skip: whether every layer adds its input.
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
    """Return ReLU of single nodes, and its slope."""
    return np.maximum(h[..., 0], 0), (h > 0).astype(float)


def tanh(h: Array) -> tuple[Array, Array]:
    """Return tanh of single nodes, and its slope."""
    value = np.tanh(h)
    return value[..., 0], 1 - value**2


def relu_maximum(h: Array) -> tuple[Array, Array]:
    """Return the maximum over the nodes of ReLU, and its slopes."""
    value = np.maximum(h, 0).max(axis=2)
    return value, ((h > 0) & (h == value[..., None])).astype(float)


def relu_mean(h: Array) -> tuple[Array, Array]:
    """Return the mean over the nodes of ReLU, and its slopes."""
    return np.maximum(h, 0).mean(axis=2), (h > 0) / h.shape[2]


def tanh_mean(h: Array) -> tuple[Array, Array]:
    """Return the mean over the nodes of tanh, and its slopes."""
    value = np.tanh(h)
    return value.mean(axis=2), (1 - value**2) / h.shape[2]
