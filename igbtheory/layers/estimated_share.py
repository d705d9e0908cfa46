"""Share V/(V + eps) that a BatchNorm with eps leaves of the mean square of a unit that can be drawn and not averaged.

V is the variance over a batch of n exchangeable data, drawn with the weights, or over all data, drawn over the weights
alone. The mean of V/(V + eps), a number from 0 to 1, is over blocks of draws, the same in every call. How often V = 0
in a batch is often known, and serves as a control variate: batches that do not vary are what such shares differ by
most. What numbers larger than all drawn ones add counts as an error, by the tail of the large ones.
"""

from typing import Any

import numpy as np
import scipy

from igbtheory.layers.estimated import SEED, SPARE
from igbtheory.layers.node import Array, LawNode, over_data
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
    shares, still, *largest = (np.array(part) for part in zip(*drawn, strict=True))
    dead = None if size is None else _dead(node, size)
    value, error = _controlled(shares, still, dead, count)
    error = error + (sum(map(_unseen, largest)) + (size is not None and dead is None)) / (BLOCKS * count)
    value = np.clip(value, 0, 1)
    relative = np.divide(SPARE * error, value, out=np.zeros_like(value), where=value > 0)
    return value[()], (relative + (JOINED if size is None else 8 * FLOAT64.epsilon))[()]


def _variances(node: LawNode, strata: Strata, size: int | None) -> Array:
    if size is None:
        return node.spread(strata, strata.count)[..., 1:, :]
    units = node.units(strata.rng, strata.count, size)
    return variances(units, deviations(units, axis=-2))


def _block(v: Array, eps: Array) -> tuple[Array, ...]:
    """Mean share of a block, how many of its batches do not vary, largest share, largest loss of one that varies."""
    share, axes = v / (v + eps), (-2, -1)
    still = np.broadcast_to(v == 0, share.shape)
    lost = np.where(still, 0.0, eps / (v + eps))
    return share.mean(axis=axes), still.mean(axis=axes), share.max(axis=axes), lost.max(axis=axes)


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
    except ValueError:
        return None


def _controlled(shares: Array, still: Array, dead: Any, count: int) -> tuple[Array, Array]:
    """Mean of the shares over the blocks and its standard error, by what is known of batches that stand still."""
    beta = np.zeros(shares.shape[1:]) if dead is None else _slope(shares, still, dead, count)
    left = shares - beta * (still - (0.0 if dead is None else dead))
    return left.mean(axis=0), left.std(axis=0) / np.sqrt(BLOCKS - 1)


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
