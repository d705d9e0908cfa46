"""Share V/(V + eps) that a BatchNorm with eps leaves of the mean square of a unit that can be drawn and not averaged.

V is the variance over a batch of n exchangeable data, drawn with the weights, or over all data, drawn over the weights
alone. The mean of V/(V + eps), a number from 0 to 1, is over blocks of draws, the same in every call. What is known
serves as a control variate: over all data the mean of V, and of batches how often V = 0, since batches that do not vary
are what such shares differ by most. What numbers larger than all drawn ones add counts as an error, by the tail of the
large ones.
"""

from typing import Any

import numpy as np
import scipy

from igbtheory.layers.dead import UnknownError
from igbtheory.layers.draws import Array, over_data
from igbtheory.layers.estimated import HEAVY, SEED, SPARE
from igbtheory.layers.node import LawNode
from igbtheory.layers.scaling import deviations, variances
from igbtheory.layers.strata import Strata
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.threads import one_thread

BLOCKS = 512
"""Blocks of draws."""
VALUES, LEAST = 2**16, 16
"""Random numbers in a block, where that allows more than so many batches."""
TOP = 50
"""Blocks whose largest number tells the tail."""
TINY, LIGHT = 1e-300, 1e-12
"""Least number that has a logarithm, and inverse power of a tail which is none."""
MOST = 2**18
"""Random numbers that one batch takes at most."""
NODES = 64
"""Nodes of a quadrature over all data, which count as random numbers."""
JOINED = 1e-8
"""Relative error of a quadrature over all data, and of splines between such."""


def estimated_share(node: LawNode, size: int | None, eps: Any) -> tuple[Any, Any]:
    """Mean of V/(V + eps) over batches of `size` data, None for all, and its relative error.

    eps: one number or one at each point of a sweep; error: SPARE standard ones and the unseen.
    """
    numbers = (size or NODES) * node.draws
    if numbers > MOST:
        raise ValueError(
            f"expected pooling such that a unit takes at most {MOST} random numbers over a batch in front of a "
            f"BatchNorm with eps > 0, whose share of the mean square is estimated from draws, got {numbers}; use eps=0"
        )
    count = max(LEAST, VALUES // numbers)
    strata = Strata(np.random.default_rng(SEED), count)
    with one_thread():
        drawn = [_block(_variances(node, strata, size), over_data(eps)) for _ in range(BLOCKS)]
    shares, still, v, top, *largest = (np.array(part) for part in zip(*drawn, strict=True))
    if size is None:
        left, lost = _by_mean(shares, v, top, np.asarray(node.averaged().var_chi, dtype=float), eps)
    else:
        left, lost = _by_dead(shares, still, _dead(node, size), count)
    value = np.clip(left.mean(axis=0), 0, 1)
    error = SPARE * (left.std(axis=0) / np.sqrt(BLOCKS - 1) + sum(map(_unseen, largest)) / (BLOCKS * count))
    relative = np.divide(error + lost, value, out=np.zeros_like(value), where=value > 0)
    return value[()], (relative + 8 * FLOAT64.epsilon)[()]


def _variances(node: LawNode, strata: Strata, size: int | None) -> Array:
    if size is None:
        return node.spread(strata, strata.count)[..., 1:, :]
    units = node.units(strata.rng, strata.count, size)
    return variances(units, deviations(units, axis=-2))


def _block(v: Array, eps: Array) -> tuple[Array, ...]:
    """Of a block: mean share, batches that do not vary, mean V, largest V, share, and loss of a batch that varies."""
    share, axes = v / (v + eps), (-2, -1)
    v = np.broadcast_to(v, share.shape)
    lost = np.where(v == 0, 0.0, eps / (v + eps))
    means = (part.mean(axis=axes) for part in (share, v == 0, v))
    return *means, *(part.max(axis=axes) for part in (v, share, lost))


def _unseen(largest: Array) -> Array:
    """What numbers up to 1 that are larger than all drawn ones add to a sum of as many: by the tail of block maxima.

    P(T > t) ~ t^-a beyond the largest one. Source: B. M. Hill, Annals of Statistics 3, 1163 (1975), for a.
    """
    top = np.log(np.maximum(np.sort(largest, axis=0)[-TOP - 1 :], TINY))
    a = 1 / np.maximum(np.mean(top[1:] - top[0], axis=0), LIGHT)
    return np.asarray(-top[-1] * np.exp(top[-1]) * scipy.special.exprel((a - 1) * top[-1]))


def _dead(node: LawNode, size: int) -> Any:
    """How often a batch does not vary, None where that is not known."""
    try:
        return node.constant(size)
    except UnknownError:
        return None


def _by_dead(shares: Array, still: Array, dead: Any, count: int) -> tuple[Array, Any]:
    """Shares less what is known of batches that stand still, and an error of them: one batch, where nothing is."""
    if dead is None:
        return shares, SPARE / (BLOCKS * count)
    return shares - _slope(shares, still, dead, count) * (still - dead), 0.0


def _by_mean(shares: Array, v: Array, top: Array, known: Array, eps: Any) -> tuple[Array, Any]:
    """Shares less what is known of V, its mean, and an error of them: that of a quadrature, as far as V varies.

    By regression, or by the slope at the mean where V varies by no more than that error; nothing of a V so large at
    times, `top` in a block, that its mean may come from draws that no block has.
    """
    apart = v - v.mean(axis=0)
    square, flat = np.mean(apart**2, axis=0), np.asarray(eps, dtype=float) / (known + eps) ** 2
    varies = square > (JOINED * known) ** 2
    beta = np.where(varies, np.mean(shares * apart, axis=0) / np.where(varies, square, 1), flat)
    light = np.all(top <= HEAVY * v.mean(axis=0), axis=0)
    return shares - beta * light * (v - known), JOINED * varies * shares.mean(axis=0)


def _slope(shares: Array, still: Array, dead: Any, count: int) -> Array:
    """Regression of the shares on the batches that stand still; -1 where none was seen.

    0 where their number contradicts the one known: a saturated phi, which varies, may round to one value.
    """
    apart = still - still.mean(axis=0)
    square = np.mean(apart**2, axis=0)
    beta = np.divide(np.mean(shares * apart, axis=0), square, out=np.full_like(square, -1.0), where=square > 0)
    draws = BLOCKS * count
    chance = np.sqrt(square / BLOCKS) + np.sqrt(np.asarray(dead) / draws) + 1 / draws
    return np.where(np.abs(still.mean(axis=0) - dead) <= SPARE * chance, beta, 0.0)
