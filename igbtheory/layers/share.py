"""Share V/(V + eps) that a BatchNorm with eps leaves of the mean square of a function of a unit, V its variance."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from igbtheory.activations.batches import share_of_batch
from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.activations.panels import share_beyond
from igbtheory.layers.estimated_share import estimated_share
from igbtheory.layers.gaussian import Gaussian
from igbtheory.layers.node import LawNode
from igbtheory.numbers import FLOAT64, Kind


def share(node: LawNode, norm: Any) -> tuple[Any, Any]:
    """Mean of V/(V + eps), V the variance over all data or over the batch of the BatchNorm `norm`, relative error.

    Exact for one activation of a Gaussian unit; of any other unit in batches estimated from draws.
    """
    h = node.base.values if isinstance(node.base, Gaussian) and node.maximum == 1 else None
    size, phi = norm.batch_size, node.phi
    if size is not None and node.n is not FLOAT64:
        raise ValueError(f"{norm!r} behind an activation is computed in double precision; predict without `digits`")
    if h is not None and phi is not None:
        found = [_at_point(node.n, phi, norm, *point) for point in _points(node.n, h, size)]
        q, error = (np.array(part).reshape(np.shape(h.mean + h.variance))[()] for part in zip(*found, strict=True))
        return q, h.error + np.asarray(error, dtype=float)[()]
    if size is None:
        raise ValueError(
            f"expected one activation of a Gaussian unit in front of {norm!r}, a full batch: behind pooling, dropout, "
            "a sum or another norm, how the variance over all data varies from unit to unit is not known; use eps=0, "
            "batches of n, or predict on a given data set"
        )
    q, error = estimated_share(node, size, float(norm.eps))
    return q, node.base.error + error


def _at_point(n: Kind, phi: Function, norm: Any, *point: Any) -> tuple[Any, Any]:
    """The share behind phi at mean, var_mu, var_chi of all data, or at mean, variance, covariance of a batch."""
    if norm.batch_size is None:
        return share_beyond(n, phi, point, n.number(norm.eps))
    return share_of_batch(phi, norm.batch_size, *map(float, point), float(norm.eps))


def _points(n: Kind, h: Moments, size: int | None) -> Iterable[tuple[Any, ...]]:
    parts = (h.mean, h.var_mu, h.var_chi) if size is None else (h.mean, h.variance, h.covariance)
    return zip(*(np.ravel(n.number(part)) for part in np.broadcast_arrays(*parts)), strict=True)
