"""Moments of networks drawn in a chain, given their hidden weights: of the kernel of an output, and of its angles.

Four numbers for every network: var_mu, var_chi, E (G0 - 1/2)^2 over its pairs of data, and the share of ties among its
data. Given the hidden weights, two data have the same guess as often as arcsin(c_ab) says, so that a pair contributes
arcsin(c_ab)/(2 pi). A datum without a signal, K_aa = 0 as in a dead ReLU network, ties, and class 0 gets it, as argmax
says. Two of them agree and contribute 1/4; one agrees as often as not with another datum, and the pair contributes 0.
"""

import numpy as np

from igbtheory.guesses.bias_of_guesses import with_itself, without_itself
from igbtheory.mathematics.numerics.rounding import resolved
from igbtheory.networks.width.chain import Array, FreshDense, triangular_roots


def of_pairs(x: Array, dense: FreshDense) -> Array:
    """Return the moments of two data, or of pairs of data of two batches, shape (networks, 4).

    x: what a Dense reads, shape (networks, data of the first batch and then of the second, units). Small distances and
    small angles keep their digits: they are formed from triangular roots, of differences of features.
    """
    features = dense.weighted(x)
    networks, rows, units = features.shape
    pairs = features.reshape(networks, 2, -1, units).swapaxes(1, 2).reshape(-1, 2, units)
    # the second of two data has the coordinates along and across, on the first and beside it, of length `first`
    roots = triangular_roots(pairs).reshape(networks, rows // 2, 2, 2)
    first, along, across = roots[..., 0, 0], roots[..., 1, 0], roots[..., 1, 1]
    tied = np.stack((first == 0, (along == 0) & (across == 0)))
    angle = np.arctan2(across, along)
    square = np.where(tied.any(axis=0), tied.all(axis=0) / 4, 0.25 - angle / (2 * np.pi))
    apart = (first - along) ** 2 + across**2
    averages = (first * along, apart / 2, square, tied.mean(axis=0))
    return np.stack([part.mean(axis=1) for part in averages], axis=1)


def among(size: int, moments: Array) -> Array:
    """Return the moments over all pairs of `size` data, of which a share 1/size is a datum with itself."""
    var_mu, var_chi, square, ties = np.moveaxis(moments, -1, 0)
    same = 1 / size
    values = (var_mu + same * var_chi, (1 - same) * var_chi, with_itself(square, size), ties)
    return np.stack(values, axis=-1)


def of_all(x: Array, dense: FreshDense) -> Array:
    """Return the moments over all pairs of the data of each network, also of a datum with itself, (networks, 4)."""
    h = dense.weighted(x)
    squares = _products(h, h)
    mean = h.mean(axis=1, keepdims=True)
    var_mu, var_chi = _products(mean, mean)[:, 0], _products(h - mean, h - mean).mean(axis=1)
    var_mu = resolved(var_mu, var_mu + var_chi, h.dtype)  # behind a norm of the batch, rounding alone is left
    roots = np.sqrt(squares)
    alive = roots > 0
    unit = np.divide(h, roots[..., None], out=np.zeros_like(h), where=alive[..., None])
    # arcsin(c) = pi/2 - 2 arcsin(d/2) with the distance d of unit vectors, around their mean, keeps digits as c -> 1
    unit -= unit.mean(axis=1, keepdims=True)
    gram = np.asarray(unit @ unit.swapaxes(1, 2), dtype=np.float64)
    lengths = np.einsum("maa->ma", gram)
    distances = np.sqrt(np.clip(lengths[:, :, None] + lengths[:, None, :] - 2 * gram, 0.0, 4.0))
    either, both = ~alive[:, :, None] | ~alive[:, None, :], ~alive[:, :, None] & ~alive[:, None, :]
    square = np.where(either, both / 4, 0.25 - np.arcsin(distances / 2) / np.pi)
    return np.stack((var_mu, var_chi, square.mean(axis=(1, 2)), 1 - alive.mean(axis=1)), axis=1)


def of_different(x: Array, dense: FreshDense) -> Array:
    """Return the moments over the pairs of different data of each network, shape (networks, 4)."""
    var_mu, var_chi, square, ties = np.moveaxis(of_all(x, dense), -1, 0)
    same = 1 / x.shape[1]
    var_chi = var_chi / (1 - same)
    return np.stack((var_mu - same * var_chi, var_chi, without_itself(square, x.shape[1]), ties), axis=1)


def kernels(x: Array, dense: FreshDense) -> Array:
    """Return the covariances of an output at the data of each network, shape (networks, rows, rows)."""
    h = dense.weighted(x)
    return np.asarray(h @ h.swapaxes(1, 2), dtype=np.float64)


def _products(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("mau,mau->ma", a, b), dtype=np.float64)
