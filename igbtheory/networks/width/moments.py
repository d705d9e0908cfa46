"""Moments of networks drawn in a chain, given their hidden weights: of the kernel of an output, and of its angles.

Four numbers for every network: var_mu, var_chi, the variance of G0 that its pairs of data contribute, and their share.
Given the hidden weights, two data have the same guess as often as arcsin(c_ab) says: Var(G0) = E arcsin(c_ab)/(2 pi).
A pair of which a datum has no signal, K_aa = 0 as in a dead ReLU network, has no angle: it contributes to var_mu and
var_chi alone.
"""

import numpy as np

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
    alive = (first > 0) & (along**2 + across**2 > 0)
    angle = np.arctan2(across, along)
    apart = (first - along) ** 2 + across**2
    averages = (first * along, apart / 2, (0.25 - angle / (2 * np.pi)) * alive, alive)
    return np.stack([part.mean(axis=1) for part in averages], axis=1)


def among(size: int, moments: Array) -> Array:
    """Return the moments over all pairs of `size` data, of which a share 1/size is a datum with itself."""
    var_mu, var_chi, variance, alive = np.moveaxis(moments, -1, 0)
    same = 1 / size
    values = (var_mu + same * var_chi, (1 - same) * var_chi, same * alive / 4 + (1 - same) * variance, alive)
    return np.stack(values, axis=-1)


def of_all(x: Array, dense: FreshDense) -> Array:
    """Return the moments over all pairs of the data of each network, also of a datum with itself, (networks, 4)."""
    h = dense.weighted(x)
    centred = h - h.mean(axis=1, keepdims=True)
    var_chi = _products(centred, centred).mean(axis=1)
    kernel = kernels(x, dense)
    roots = np.sqrt(np.einsum("maa->ma", kernel))
    alive = roots > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        c = kernel / (roots[:, :, None] * roots[:, None, :])
    both = alive[:, :, None] & alive[:, None, :]
    variance = np.arcsin(np.clip(np.where(both, c, 0.0), -1.0, 1.0)) / (2 * np.pi)
    means = (part.mean(axis=(1, 2)) for part in (kernel, variance, both))
    var_mu, variance, share = means
    return np.stack((var_mu, var_chi, variance, share), axis=1)


def kernels(x: Array, dense: FreshDense) -> Array:
    """Return the covariances of an output at the data of each network, shape (networks, rows, rows)."""
    h = dense.weighted(x)
    return np.asarray(h @ h.swapaxes(1, 2), dtype=np.float64)


def _products(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("mau,mau->ma", a, b), dtype=np.float64)
