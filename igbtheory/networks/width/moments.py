"""Moments of finite networks over their data, given their hidden weights.

Four numbers for every network: var_mu and var_chi of an output that reads the units, E (G0 - 1/2)^2 over pairs of data,
and the share of ties. Two data have the same guess as often as arcsin(c_ab) says, c_ab the cosine of their features, so
that a pair contributes arcsin(c_ab)/(2 pi). A datum without a signal, K_aa = 0 as in a dead ReLU network, ties, and
class 0 gets it, as argmax says. Two of them agree and contribute 1/4; one agrees as often as not with another datum,
and the pair contributes 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses.bias_of_guesses import with_itself, without_itself
from igbtheory.mathematics.numerics.rounding import resolved

Array = NDArray[Any]
Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The numbers of the first and of the second datum of every pair."""
BLOCK = 2**16
"""Number of entries that are converted to double precision at once, so that they stay in the cache: for 1,000 data of
100 units 2^15 take 1.7 times as long."""
PAIRED = 2**15
"""Number of entries of pairs that are compared at once, so that they stay in the cache: 1,024 pairs of 100 units take a
third of the time."""
OPPOSITE = 3.99
"""Squared distance of unit vectors, at most 4, from which on their sum tells the angle: the slope of arcsin at its root
over 2 is 20, so that single precision keeps six digits below."""
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


def moments_of(
    x: Array,
    sigma_w2: float = 1.0,
    sigma_b2: float = 0.0,
    *,
    pairs: Pairs | None = None,
    batch: int = 1,
    itself: bool = False,
) -> NDArray[np.float64]:
    """Return the four moments of sums of the units x with normal weights, shape (networks, 4).

    x: shape (networks, data, units). sigma_w2, sigma_b2: as of a Dense. pairs: those whose directions are compared;
    None: all. batch: see `pair_moments`. itself: whether a datum is a pair with itself, too, as in a given data set;
    else averages are over pairs of data in different batches, and have no bias if these are independent.
    """
    q_ab, apart = pair_moments(x, batch, itself=itself)
    if itself:  # behind a norm of the batch, rounding alone may be left
        q_ab, apart = (resolved(part, q_ab + apart, x.dtype) for part in (q_ab, apart))
    square, ties = squares_of_guesses(x, sigma_w2, sigma_b2, pairs, itself=itself)
    return np.stack((sigma_w2 * q_ab + sigma_b2, sigma_w2 * apart, square, ties), axis=1)


def among(size: int, moments: Array) -> Array:
    """Return the moments over all pairs of `size` data, of which a share 1/size is a datum with itself."""
    var_mu, var_chi, square, ties = np.moveaxis(moments, -1, 0)
    same = 1 / size
    return np.stack((var_mu + same * var_chi, (1 - same) * var_chi, with_itself(square, size), ties), axis=-1)


def pair_moments(x: Array, batch: int = 1, *, itself: bool = False) -> tuple[Array, Array]:
    """Return the moments q_ab and q_aa - q_ab of units x, averaged over the units of each network, (networks,).

    Let m_ik be the mean of unit i over batch k of B, m_i their mean, s_i^2 = sum_k (m_ik - m_i)^2/(B - 1), and
    v_i = sum_a (x_ia - m_i)^2/D over all D data. Then q_ab = <m_i^2 - s_i^2/B> and q_aa - q_ab = <v_i + s_i^2/B>:
    averages over pairs of data from different batches, unbiased if the batches are independent; a single batch counts
    as D batches of one datum. itself: averages over all D^2 pairs, including a = b, with s_i = 0.
    x: shape (networks, D, units).
    """
    networks, size, units = x.shape
    batches = size // batch if batch < size else size
    # the first datum is the origin, so that v_i keeps its digits if it is much smaller than m_i^2
    origin = x[:, :1].astype(np.float64)
    sums, squares, between = np.zeros((networks, units)), np.zeros(networks), np.zeros(networks)
    for block in np.array_split(x.reshape(networks, batches, -1, units), max(1, x.size // BLOCK), axis=1):
        shifted = block - origin[:, None]
        totals = shifted.sum(axis=2)
        sums += totals.sum(axis=1)
        squares += _square(shifted)
        between += _square(totals)
    means, centre = origin[:, 0] + sums / size, _square(sums) / size
    variance = np.maximum(squares - centre, 0.0) / (size * units)
    # the variance of the mean of a batch, over the number of batches
    scatter = np.maximum(between * batches / size - centre, 0.0) / (max(batches - 1, 1) * size * units)
    error = 0.0 * scatter if itself else scatter
    return _square(means) / units - error, variance + error


def squares_of_guesses(
    x: Array, sigma_w2: float = 1.0, sigma_b2: float = 0.0, pairs: Pairs | None = None, *, itself: bool = False
) -> tuple[Array, Array]:
    """Return E (G0 - 1/2)^2 over the weights of an output, and the share of ties, each (networks,).

    x: shape (networks, data, units); the other arguments as in `moments_of`. Small angles keep their digits, because
    arcsin(c) = pi/2 - 2 arcsin(d/2) with the distance d of unit vectors.
    """
    size = x.shape[1]
    squares = np.einsum("mau,mau->ma", x, x)
    if not SAFE < squares.min() <= squares.max() < 1 / SAFE:  # single precision may have lost digits, or all of them
        squares = np.einsum("mau,mau->ma", x, x, dtype=np.float64)
    squares = squares * (sigma_w2 / x.shape[2])
    tied = (squares == 0) & (sigma_b2 == 0)
    # such data agree with one another, and as often as not with others, as if they had a direction of their own
    beside = np.where(tied, 1.0, np.sqrt(sigma_b2))
    lengths = np.sqrt(squares + beside**2)
    unit, beside = x * (np.sqrt(sigma_w2 / x.shape[2]) / lengths).astype(x.dtype)[..., None], beside / lengths
    first, second = np.divmod(np.arange(size**2), size) if pairs is None else pairs
    squares = _all_apart(unit, beside) if pairs is None else _apart(unit, beside, first, second)
    agree = 0.25 - _half_angles(squares, unit, beside, first, second).mean(axis=1) / np.pi
    if pairs is None:
        agree = agree if itself else without_itself(agree, size)
    elif itself:
        agree = with_itself(agree, size)
    return agree, tied.mean(axis=1)


def _apart(unit: Array, beside: Array, first: Array, second: Array) -> Array:
    """Return the squared distances of pairs of unit vectors, (networks, pairs), whose last component is `beside`."""
    squares = (beside[:, first] - beside[:, second]) ** 2
    at_once = max(1, PAIRED // (len(unit) * unit.shape[2]))
    for block in (slice(start, start + at_once) for start in range(0, len(first), at_once)):
        apart = unit.take(first[block], axis=1)
        apart -= unit.take(second[block], axis=1)
        squares[:, block] += np.einsum("mpu,mpu->mp", apart, apart)
    return np.asarray(squares)


def _all_apart(unit: Array, beside: Array) -> Array:
    """Return the squared distances of all unit vectors, (networks, data^2)."""
    # around their mean, products keep digits as c -> 1
    centred = unit - unit.mean(axis=1, keepdims=True)
    gram = np.asarray(centred @ centred.swapaxes(1, 2), dtype=np.float64)
    lengths = np.einsum("maa->ma", gram)
    squares = np.maximum(lengths[:, :, None] + lengths[:, None, :] - 2 * gram, 0.0)
    squares += (beside[:, :, None] - beside[:, None, :]) ** 2
    return np.asarray(squares.reshape(len(unit), -1))


def _half_angles(squares: Array, unit: Array, beside: Array, first: Array, second: Array) -> Array:
    """Return half of the angles of pairs of unit vectors, (networks, pairs), from their squared distances."""
    halves = np.asarray(np.arcsin(np.minimum(np.sqrt(squares) / 2, 1)), dtype=np.float64)
    network, pair = np.nonzero(squares > OPPOSITE)
    if len(pair):
        a, b = (network, first[pair]), (network, second[pair])
        together = np.square(unit[a] + unit[b]).sum(axis=1) + (beside[a] + beside[b]) ** 2
        halves[network, pair] = np.pi / 2 - np.arcsin(np.sqrt(together) / 2)
    return halves


def _square(x: Array) -> Array:
    """Return the sum of squares of the entries of each network."""
    flat = x.reshape(len(x), -1)
    return np.asarray(np.einsum("mi,mi->m", flat, flat))
