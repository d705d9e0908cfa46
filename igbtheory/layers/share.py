"""Share V/(V + eps) that a BatchNorm with eps leaves of the mean square of a function of a unit, V its variance."""

from typing import Any

import numpy as np

from igbtheory.activations.batches import share_of_batch
from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.activations.panels import share_beyond
from igbtheory.layers.estimated_share import estimated_share
from igbtheory.layers.gaussian import Gaussian
from igbtheory.layers.node import Averaged, LawNode
from igbtheory.numbers import FLOAT64, Kind


def share(node: LawNode, norm: Any) -> tuple[Any, Any]:
    """Mean of V/(V + eps), V the variance over all data or over the batch of the BatchNorm `norm`, relative error.

    Exact for one activation of a Gaussian unit, scaled or not; of any other unit estimated from draws.
    """
    n, size, error = node.n, norm.batch_size, node.base.error
    node, eps = _unscaled(node, n.number(norm.eps))
    h = node.base.values if isinstance(node.base, Gaussian) and node.maximum == 1 else None
    if n is not FLOAT64 and (size is not None or h is None or node.phi is None):
        raise ValueError(f"{norm!r} behind an activation is computed in double precision; predict without `digits`")
    if h is None or node.phi is None:
        q, lost = estimated_share(node, size, eps)
    else:
        q, lost = _at_points(n, node.phi, h, size, eps)
    return q, error + lost


def _unscaled(node: LawNode, eps: Any) -> tuple[LawNode, Any]:
    """Node that a norm has scaled, before that, with the eps that leaves the same share."""
    while isinstance(node.base, Averaged) and node.base.scaled is not None:
        node, q = node.base.scaled
        eps = eps * q
    return node, eps


def _at_points(n: Kind, phi: Function, h: Moments, size: int | None, eps: Any) -> tuple[Any, Any]:
    """The share behind phi at the points of a sweep of a Gaussian unit."""
    parts = np.broadcast_arrays(h.mean, *((h.var_mu, h.var_chi) if size is None else (h.variance, h.covariance)), eps)
    points = zip(*(np.ravel(n.number(part)) for part in parts), strict=True)
    found = zip(*(_at_point(n, phi, size, *point) for point in points), strict=True)
    q, error = (np.array(part).reshape(parts[0].shape)[()] for part in found)
    return q, np.asarray(error, dtype=float)[()]


def _at_point(n: Kind, phi: Function, size: int | None, *point: Any) -> tuple[Any, Any]:
    """The share behind phi at mean, var_mu, var_chi of all data, or at mean, variance, covariance of a batch; eps."""
    if size is None:
        return share_beyond(n, phi, point[:-1], point[-1])
    return share_of_batch(phi, size, *map(float, point))
