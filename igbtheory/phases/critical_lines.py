"""Critical lines over the variances of biases and weights: the edge of chaos, the neutrality line, both thresholds.

Two data keep the correlation c = 1 - share where sigma_w2 = 1/spread(q, share), which tends to 1/E |grad f|^2 as the
share tends to 0. This limit is the edge of chaos, and c = 1/2 is the neutrality line. The variance keeps the value q
where sigma_b2 = q - sigma_w2 E f^2. So both lines are curves with the parameter q, without nested root searches.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.networks.network import Norm, Placement
from igbtheory.phases.block import EXACT, SCALES, Array, Block, block_of
from igbtheory.phases.roots import roots, scanned

NOTHING = 1e-24
"""Variance so small that of a function only its value and its slopes at 0 matter: the standard deviation is 1e-12."""
SMALL = 1e-18
"""Mean square and mean squared slope at the variance NOTHING below which they count as 0."""
NEAR = 1e-4
"""Small variance at which the map of q shows whether q = 0 attracts although its slope is 1."""


@final
@dataclass(frozen=True)
class Line:
    """Line on which two data keep the correlation 1 - share; share = 0 is the limit of equal data."""

    block: Block
    share: float

    def sigma_w2(self, q: Any) -> Any:
        """Return the variance of the weights at the point q of the line."""
        with np.errstate(over="ignore"):  # inf: no variance of the weights that a number can hold
            return 1 / (self.block.spread(q, self.share) if self.share else self.block.slope(q))

    def sigma_b2(self, q: Any) -> Any:
        """Return the variance of the biases at the point q of the line; no network exists where it is negative."""
        return self.block.biases(q, self.sigma_w2(q))

    def at(self, sigma_b2: Array) -> tuple[Array, Array]:
        """Return sigma_w2 at all points of the line with these sigma_b2, and whether the variance q there attracts.

        Both have the shape (points, *sigma_b2), in the order of q; columns with fewer points end with NaN and False.
        """
        q = roots(self.sigma_b2, *scanned(self.sigma_b2, float(np.max(sigma_b2))), sigma_b2)
        sigma_w2, stable = np.full(q.shape, np.nan), np.zeros(q.shape, dtype=bool)
        finite = np.isfinite(q)
        if finite.any():
            sigma_w2[finite] = self.sigma_w2(q[finite])
            stable[finite] = np.abs(sigma_w2[finite] * self.block.square_slope(q[finite])) < 1
        return sigma_w2, stable


def edges_of_chaos(
    activation: Any, sigma_b2: Any = 0.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Array:
    """Return all variances sigma_w2 of the weights on the edge of chaos, ascending: shape (roots, *sigma_b2).

    The edge of chaos is the threshold of the backward pass, sigma_w2 E (grad f)^2 = 1, at a fixed point q of the
    variance, including one that repels. Columns with fewer roots end with NaN. Arguments: see `edge_of_chaos`.

    activation, sigma_b2, pool, norm, placement: as in `edge_of_chaos`.

    >>> igb.phases.edges_of_chaos("tanh", sigma_b2=0.1).round(4)
    array([1.9861])
    """
    edges = np.sort(_edges(block_of(activation, pool, norm, placement), sigma_b2)[0], axis=0)
    return edges[~np.isnan(edges).all(axis=tuple(range(1, edges.ndim)))]


def edge_of_chaos(
    activation: Any, sigma_b2: Any = 0.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Any:
    """Return sigma_w2 on the edge of chaos, a number or an array like sigma_b2, NaN where there is none.

    The edge of chaos is the threshold of the backward pass, sigma_w2 E (grad f)^2 = 1, at which squared gradients
    neither grow nor vanish. The variance is at a fixed point q = sigma_w2 E f^2 + sigma_b2 that attracts. If there are
    several edges, the smallest sigma_w2 is returned. For homogeneous f the slope does not depend on q: the threshold (2
    for ReLU, 4/3 with MaxPool(2)) is the same at every sigma_b2, whether q settles or not. `classify` speaks of an edge
    of chaos only if q settles. The threshold of the forward pass may differ: see `thresholds`. A full-batch BatchNorm
    has no edge, since its factor is above 1 at every sigma_w2. An edge that exists only in the limit q -> inf (2 for
    softplus) is not found.

    activation, pool, norm, placement: as in `mlp`. ValueError: sigma_b2 < 0, an activation that jumps, or
    every sigma_w2 is on the edge (LayerNorm and ReLU without biases). Source: bias-meets-trainability (edge of chaos).

    sigma_b2: variance of the biases, a number or an array.

    >>> print(f"{igb.phases.edge_of_chaos('tanh', sigma_b2=0.1):.4f}")
    1.9861
    """
    return _smallest(*_edges(block_of(activation, pool, norm, placement), sigma_b2))


def neutrality_line(
    activation: Any, sigma_b2: Any = 0.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Any:
    """Return sigma_w2 at which deep networks have the correlation 1/2, that is gamma = 1, NaN where there is none.

    Deep networks are prejudiced at smaller sigma_w2, in the chaotic phase, and neutral at larger ones. If there are
    several fixed points q that attract, the smallest sigma_w2 is returned. Arguments: see `edge_of_chaos`.
    Source: bias-meets-trainability (neutrality line).

    activation, sigma_b2, pool, norm, placement: as in `edge_of_chaos`.

    >>> print(f"{igb.phases.neutrality_line('tanh', sigma_b2=0.1):.4f}")
    2.9248
    """
    return _smallest(*Line(block_of(activation, pool, norm, placement), 0.5).at(_checked(sigma_b2)))


@final
@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """Variances of the weights that keep signals and gradients at a variance q, without biases.

    forward: q/E f^2, which keeps the variance; backward: 1/E (grad f)^2, which keeps squared gradients. They agree for
    ReLU and differ for pooled activations. Source: bias-meets-trainability (pooled activations).

    >>> limits = igb.phases.thresholds("tanh", q=0.5)
    >>> print(f"{limits.forward:.4f} {limits.backward:.4f}")
    1.8270 1.6880
    """

    forward: Any
    backward: Any


def thresholds(
    activation: Any, q: Any = 1.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Thresholds:
    """Return the thresholds of the forward and of the backward pass, which for homogeneous f do not depend on q.

    The backward threshold is what `edge_of_chaos` finds; with a full-batch BatchNorm there is none, and it is NaN.
    q: variance of the units, a number or an array, above 0.

    activation, pool, norm, placement: as in `mlp`.

    >>> print(f"{igb.phases.thresholds('relu').forward:.4f}")
    2.0000
    """
    checks.non_negative("q", q)
    if not np.all(np.asarray(q) > 0):
        raise ValueError("expected q > 0, got 0; pass the variance of the units, such as 1.0")
    block, q = block_of(activation, pool, norm, placement), np.asarray(q, dtype=float)[()]
    return Thresholds(q / block.square(q), np.nan * q if block.forgets else 1 / block.slope(q))


def _checked(sigma_b2: Any) -> Array:
    checks.non_negative("sigma_b2", sigma_b2)
    return np.asarray(sigma_b2, dtype=float)


def _edges(block: Block, sigma_b2: Any) -> tuple[Array, Array]:
    """Return sigma_w2 at all points of the edge of chaos of a block, and whether the variance there attracts.

    Both have the shape (points, *sigma_b2). ValueError: see `edge_of_chaos`.
    """
    sigma_b2, line = _checked(sigma_b2), Line(block, 0.0)
    at_one = line.sigma_w2(1.0)  # ValueError for an activation that jumps
    if block.forgets or block.homogeneous:  # BatchNorm: E |grad f|^2 >= Var f, Poincare's inequality
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
    """Return the smallest stable sigma_w2 of every column, or NaN if there is none."""
    least = np.min(np.where(stable, sigma_w2, np.inf), axis=0, initial=np.inf)
    return np.where(np.isinf(least), np.nan, least)[()]
