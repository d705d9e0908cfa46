"""Lines in the plane of the variances of biases and weights on which two data keep a given correlation.

Both lines have the variance q of the units as their parameter. Equal data part by the factor 1 where
sigma_w2 = 1/E |grad f|^2 (edge of chaos), data of correlation c stay there where sigma_w2 = 1/spread(q, 1 - c)
(neutrality line, c = 1/2), and q stays where sigma_b2 = q - sigma_w2 E f^2: no root finding inside another.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory import checks
from igbtheory.phases.block import EXACT, SCALES, Array, Block, block_of
from igbtheory.phases.scan import roots, scanned
from igbtheory.result import Result

NOTHING = 1e-24
"""Variance so small that of a function only its value and its slopes at 0 matter."""
SMALL = 1e-18
"""Mean square and slope at that variance below which they count as 0."""
NEAR = 1e-4
"""Small variance at which the map of q shows whether q = 0 attracts although its slope is 1."""


@final
@dataclass(frozen=True)
class Line:
    """Line on which data of the correlation 1 - share stay there; share = 0 is the limit of equal data."""

    block: Block
    share: float

    def sigma_w2(self, q: Any) -> Any:
        """Variance of the weights at the point q of the line."""
        with np.errstate(over="ignore"):  # inf: no variance of the weights that a number can hold
            return 1 / (self.block.spread(q, self.share) if self.share else self.block.slope(q))

    def sigma_b2(self, q: Any) -> Any:
        """Variance of the biases at the point q of the line; there is no such network where it is negative."""
        return self.block.biases(q, self.sigma_w2(q))

    def at(self, sigma_b2: Array) -> tuple[Array, Array]:
        """Variances of the weights at all points with these variances of biases, in the order of q.

        Also whether the variance q there attracts, |dq'/dq| < 1. Shape (points, *sigma_b2), NaN where there are fewer.
        """
        q = roots(self.sigma_b2, *scanned(self.sigma_b2, float(np.max(sigma_b2))), sigma_b2)
        sigma_w2, stable = np.full(q.shape, np.nan), np.zeros(q.shape, dtype=bool)
        known = np.isfinite(q)
        if known.any():
            sigma_w2[known] = self.sigma_w2(q[known])
            stable[known] = np.abs(sigma_w2[known] * self.block.square_slope(q[known])) < 1
        return sigma_w2, stable


def edges_of_chaos(activation: Any, sigma_b2: Any = 0.0, **network: Any) -> Array:
    """Variances sigma_w2 of the weights on the edge of chaos, all there are: shape (roots, *sigma_b2), ascending.

    The threshold of the backward pass, sigma_w2 E (grad f)^2 = 1, at a fixed point q of the variance, also at one that
    repels; NaN fills the columns that have fewer roots. Arguments as those of `edge_of_chaos`.
    """
    found = np.sort(_edges(block_of(activation, **network), sigma_b2)[0], axis=0)
    return found[~np.isnan(found).all(axis=tuple(range(1, found.ndim)))]


def edge_of_chaos(activation: Any, sigma_b2: Any = 0.0, **network: Any) -> Any:
    """Variance sigma_w2 of the weights on the edge of chaos, a number or an array like sigma_b2; NaN: there is none.

    The threshold of the backward pass: sigma_w2 E (grad f)^2 = 1, squared gradients neither grow nor vanish. It is
    taken at the fixed point of the variance q = sigma_w2 E f^2 + sigma_b2 that attracts; of several roots the smallest.
    For homogeneous f the slope does not depend on q, and the threshold (2 for ReLU, 4/3 with MaxPool(2)) is the same
    for every sigma_b2, whether q settles or not (`classify` speaks of an edge of chaos only where it does); that of
    the forward pass is another: see `thresholds`. A full-batch
    BatchNorm has none: its factor is above 1 at every sigma_w2. For other f, an edge that exists only in the limit
    q -> inf (2 for softplus) is not found.

    activation, and network (pool, norm, placement): as in `mlp`. ValueError: sigma_b2 < 0, an activation that jumps, or
    every sigma_w2 is on the edge (LayerNorm and ReLU without biases). Source: bias-meets-trainability (edge of chaos).
    """
    return _smallest(*_edges(block_of(activation, **network), sigma_b2))


def neutrality_line(activation: Any, sigma_b2: Any = 0.0, **network: Any) -> Any:
    """Variance sigma_w2 at which the correlation of deep networks is 1/2, gamma = 1; NaN: there is none.

    Below it, in the chaotic phase, there is prejudice, above it neutrality. Arguments as those of `edge_of_chaos`; of
    several roots, at fixed points q that attract, the smallest. Source: bias-meets-trainability (neutrality line).
    """
    return _smallest(*Line(block_of(activation, **network), 0.5).at(_checked(sigma_b2)))


@final
@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """Variances of the weights that keep signals and gradients at a variance q, without biases.

    forward: q/E f^2, which keeps the variance; backward: 1/E (grad f)^2, which keeps squared gradients. They agree for
    ReLU and differ for pooled activations. Source: bias-meets-trainability (pooled activations).
    """

    forward: Any
    backward: Any


def thresholds(activation: Any, q: Any = 1.0, **network: Any) -> Thresholds:
    """Thresholds of the forward and of the backward pass; for homogeneous f they do not depend on q.

    What is called edge of chaos here is the backward one; with a full-batch BatchNorm there is none, and it is NaN.
    q: variance of the units, a number or an array, above 0.
    """
    checks.non_negative("q", q)
    if not np.all(np.asarray(q) > 0):
        raise ValueError("expected q > 0, got 0; pass the variance of the units, such as 1.0")
    block, q = block_of(activation, **network), np.asarray(q, dtype=float)[()]
    return Thresholds(q / block.square(q), np.nan * q if block.forgets else 1 / block.slope(q))


def _checked(sigma_b2: Any) -> Array:
    checks.non_negative("sigma_b2", sigma_b2)
    return np.asarray(sigma_b2, dtype=float)


def _edges(block: Block, sigma_b2: Any) -> tuple[Array, Array]:
    """All points sigma_w2 of the edge of chaos of a block, and whether the variance there is one that attracts.

    Both have the shape (points, *sigma_b2). ValueError as `edge_of_chaos`.
    """
    sigma_b2, line = _checked(sigma_b2), Line(block, 0.0)
    at_one = line.sigma_w2(1.0)  # ValueError for an activation that jumps
    if block.forgets or block.homogeneous:  # BatchNorm: by Poincare's inequality E |grad f|^2 >= Var f
        value = np.nan if block.forgets else at_one
        return np.full((1, *sigma_b2.shape), value), np.full((1, *sigma_b2.shape), not block.forgets)
    if np.any(sigma_b2 == 0) and np.all(np.abs(line.sigma_b2(SCALES)) < EXACT * SCALES):
        raise ValueError(
            "expected sigma_b2 > 0, got 0, where the norm divides sigma_w2 out and every one is on the edge of chaos"
        )
    sigma_w2, stable = line.at(sigma_b2)
    if np.any(sigma_b2 == 0) and block.square(NOTHING) < SMALL and block.slope(NOTHING) > SMALL:
        first = np.where(sigma_b2 == 0, line.sigma_w2(NOTHING), np.nan)  # f(0) = 0: q = 0 is a fixed point
        falls = first * block.square(NEAR) <= NEAR * (1 + EXACT)
        sigma_w2, stable = np.concatenate([first[None], sigma_w2]), np.concatenate([falls[None], stable])
    return sigma_w2, stable


def _smallest(sigma_w2: Array, stable: Array) -> Any:
    """Smallest sigma_w2 of every column among those that are stable, NaN where there is none."""
    found = np.min(np.where(stable, sigma_w2, np.inf), axis=0, initial=np.inf)
    return np.where(np.isinf(found), np.nan, found)[()]
