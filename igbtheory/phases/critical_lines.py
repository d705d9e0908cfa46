"""Critical lines over the variances of biases and weights: the edge of chaos, the neutrality line, both thresholds.

Two data keep the correlation c = 1 - share where sigma_w2 = 1/spread(q, share), which tends to 1/E |grad f|^2 as the
share tends to 0. This limit is the backward line, and c = 1/2 is the neutrality line. The variance keeps the value q
where sigma_b2 = q - sigma_w2 E f^2. So both lines are curves with the parameter q, without nested root searches.

An edge of chaos meets two conditions: backward, squared gradients keep their size; forward, the variance settles.
`_backward` finds where the first is met and whether the second is met there, and all that is said of edges follows.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.layers.dense import Dense
from igbtheory.networks.network import Norm, Placement
from igbtheory.phases.block import EXACT, SCALES, Array, Block, block_of
from igbtheory.phases.roots import roots, scanned
from igbtheory.phases.variance import NOTHING, SMALL, Variance, at_zero, variances


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

    def at(self, sigma_b2: Array) -> tuple[Array, NDArray[np.bool_]]:
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

    These are all points at which squared gradients keep their size and the variance is at a fixed point, including one
    that repels. Columns with fewer roots end with NaN. Arguments: see `edge_of_chaos`.

    activation, sigma_b2, pool, norm, placement: as in `edge_of_chaos`.

    >>> igb.phases.edges_of_chaos("tanh", sigma_b2=0.1).round(4)
    array([1.9861])
    """
    points = _backward(block_of(activation, pool, norm, placement), sigma_b2)
    edges: Array = np.sort(np.where(points.settles, points.sigma_w2, np.nan), axis=0)
    return edges[~np.isnan(edges).all(axis=tuple(range(1, edges.ndim)))]


def edge_of_chaos(
    activation: Any, sigma_b2: Any = 0.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Any:
    """Return sigma_w2 on the edge of chaos, a number or an array like sigma_b2, NaN where there is none.

    An edge of chaos meets two conditions. Backward: squared gradients neither grow nor vanish, sigma_w2 E (grad f)^2 =
    1. Forward: the variance settles at a fixed point q = sigma_w2 E f^2 + sigma_b2 that attracts. If there are several
    edges, the smallest sigma_w2 is returned. ReLU has an edge without biases only, as with them q grows at sigma_w2 =
    2; with MaxPool(2) it has none, as q grows at 4/3, where gradients keep their size. `no_edge_of_chaos` says which
    condition is not met, `backward_line` where the first is, and `thresholds` gives both for a variance q. A full-batch
    BatchNorm has no edge, since its factor is above 1 at every sigma_w2. An edge that exists only in the limit q -> inf
    (2 for softplus) is not found.

    activation, pool, norm, placement: as in `mlp`. ValueError: sigma_b2 < 0, an activation that jumps, or
    every sigma_w2 is on the edge (LayerNorm and ReLU without biases). Source: bias-meets-trainability (edge of chaos).

    sigma_b2: variance of the biases, a number or an array.

    >>> print(f"{igb.phases.edge_of_chaos('tanh', sigma_b2=0.1):.4f}")
    1.9861
    >>> print(igb.phases.edge_of_chaos("relu", pool=2))
    nan
    """
    points = _backward(block_of(activation, pool, norm, placement), sigma_b2)
    return _smallest(points.sigma_w2, points.attracts & points.settles)


def backward_line(
    activation: Any, sigma_b2: Any = 0.0, *, pool: Any = None, norm: Norm | None = None, placement: Placement = "before"
) -> Any:
    """Return sigma_w2 at which squared gradients of deep networks keep their size, NaN where there is none.

    Gradients vanish below this line and explode above it. It is the edge of chaos where the variance settles. For
    homogeneous f the slope does not depend on q, so that the line is the same at every sigma_b2, whether q settles or
    not: 2 for ReLU, 4/3 with MaxPool(2). Arguments and errors: see `edge_of_chaos`.

    activation, sigma_b2, pool, norm, placement: as in `edge_of_chaos`.

    >>> print(f"{igb.phases.backward_line('relu', sigma_b2=0.3, pool=2):.4f}")
    1.3333
    """
    points = _backward(block_of(activation, pool, norm, placement), sigma_b2)
    return _smallest(points.sigma_w2, points.attracts)


def no_edge_of_chaos(
    activation: Any,
    sigma_b2: float = 0.0,
    *,
    pool: Any = None,
    norm: Norm | None = None,
    placement: Placement = "before",
) -> str:
    """Return in words which condition of an edge of chaos is not met at this sigma_b2, or "" if there is an edge.

    activation, sigma_b2, pool, norm, placement: as in `edge_of_chaos`; sigma_b2 is a single number.

    >>> print(igb.phases.no_edge_of_chaos("relu", 0.1))
    squared gradients keep their size at sigma_w2 = 2, where the variance grows without bound, slower than exponentially
    """
    block, sigma_b2 = block_of(activation, pool, norm, placement), float(_checked(sigma_b2))
    try:
        points = _backward(block, sigma_b2)
    except ValueError as reason:  # it jumps, or without biases every sigma_w2 is on the edge
        return str(reason)
    if np.any(points.attracts & points.settles):
        return ""
    if block.forgets:
        return "BatchNorm over the full batch makes squared gradients grow at every sigma_w2"
    if not np.isfinite(points.sigma_w2).any():
        return "no sigma_w2 keeps squared gradients at a variance that stays"
    first = float(np.nanmin(points.sigma_w2))
    if not points.attracts.any():
        return f"squared gradients keep their size at sigma_w2 = {first:.6g} at a variance that repels"
    at = next(at for at in variances(block, Dense(first, sigma_b2)) if at.stable and not at.settles)
    text = f"squared gradients keep their size at sigma_w2 = {first:.6g}, where the variance {at}"
    return f"{text}; it keeps its size at {1 / block.square(1.0):.6g}" if sigma_b2 == 0 and block.homogeneous else text


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

    On the edge of chaos both hold at once; with a full-batch BatchNorm there is no backward threshold, and it is NaN.
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


@final
@dataclass(frozen=True)
class _Backward:
    """Points at which squared gradients keep their size, shape (points, *sigma_b2).

    sigma_w2: NaN in columns with fewer points. attracts: whether the variance there attracts, or its limit 0 or
    infinity does. settles: whether it keeps its size there.
    """

    sigma_w2: Array
    attracts: NDArray[np.bool_]
    settles: NDArray[np.bool_]


def _backward(block: Block, sigma_b2: Any) -> _Backward:
    """Return the points at which a block keeps squared gradients. ValueError: see `edge_of_chaos`."""
    sigma_b2, line = _checked(sigma_b2), Line(block, 0.0)
    at_one = line.sigma_w2(1.0)  # ValueError for an activation that jumps
    if block.forgets:  # BatchNorm: E |grad f|^2 >= Var f, Poincare's inequality
        none = np.zeros((1, *sigma_b2.shape), dtype=bool)
        return _Backward(np.where(none, 0.0, np.nan), none, none)
    if block.homogeneous:  # q is in proportion to sigma_b2, so that one value above 0 stands for all
        without, with_biases = (variances(block, Dense(float(at_one), biases)) for biases in (0.0, 1.0))
        alike = np.ones((1, *sigma_b2.shape), dtype=bool)
        settles = np.where(sigma_b2 > 0, _settles(with_biases), _settles(without))[None]
        return _Backward(np.where(alike, at_one, np.nan), alike, settles)
    if np.any(sigma_b2 == 0) and np.all(np.abs(line.sigma_b2(SCALES)) < EXACT * SCALES):
        raise ValueError(
            "expected sigma_b2 > 0, got 0, where the norm divides sigma_w2 out and every one is on the edge of chaos"
        )
    sigma_w2, attracts = line.at(sigma_b2)
    settles = np.isfinite(sigma_w2)
    if np.any(sigma_b2 == 0) and block.square(NOTHING) < SMALL and block.slope(NOTHING) > SMALL:  # q = 0 stays
        first = float(line.sigma_w2(NOTHING))
        zero, at = sigma_b2 == 0, at_zero(block, first)
        sigma_w2 = np.concatenate([np.where(zero, first, np.nan)[None], sigma_w2])
        attracts = np.concatenate([(zero & at.stable)[None], attracts])
        settles = np.concatenate([(zero & at.settles)[None], settles])
    return _Backward(sigma_w2, attracts, settles)


def _settles(ends: list[Variance]) -> bool:
    return any(at.stable and at.settles for at in ends)


def _smallest(sigma_w2: Array, stable: NDArray[np.bool_]) -> Any:
    """Return the smallest stable sigma_w2 of every column, or NaN if there is none."""
    least = np.min(np.where(stable, sigma_w2, np.inf), axis=0, initial=np.inf)
    return np.where(np.isinf(least), np.nan, least)[()]
