"""Share V/(V + eps) that a BatchNorm with eps leaves of the mean square of a function of a unit, V its variance."""

from functools import partial
from typing import Any

import numpy as np

from igbtheory.averages.batches import Mix, share_of_batch, share_of_full_batch
from igbtheory.layers.dead import flat_pieces
from igbtheory.layers.estimated_share import estimated_share
from igbtheory.layers.node import LawNode
from igbtheory.layers.single import Single
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.sweeps import at_points

MANY = 6
"""Data of a batch from which on dropout before two slopes is soon summed, in a batch that has been normalised."""


def share(node: LawNode, norm: Any) -> tuple[Any, Any]:
    """Mean of V/(V + eps), V the variance over all data or over the batch of the BatchNorm `norm`, relative error.

    Exact for what comes from one Gaussian unit, but for dropout in batches that a norm has centred; of any other unit
    estimated from draws.
    """
    n, size, eps = node.n, norm.batch_size, node.n.number(norm.eps)
    single = node.single()
    if single is not None and size is None and single.mix.maximum > 1:  # data share nothing, and all units have one V
        x = node.averaged()
        return x.var_chi / (x.var_chi + eps), x.error
    if single is not None and size is not None and not _has_rule(single, size):
        single = None
    if n is not FLOAT64 and (size is not None or single is None):
        raise ValueError(f"{norm!r} behind an activation is computed in double precision; predict without `digits`")
    q, lost = estimated_share(node, size, eps) if single is None else _at_points(n, single, size, eps)
    return q, node.base.error + lost


def _has_rule(single: Single, size: int) -> bool:
    """Whether a quadrature gives the share in batches to 1e-11."""
    if np.any(single.h.own <= 0):  # one value of phi in a batch, which only what is added to it tells apart
        return False
    if size == 2 or not np.any((single.mix.dropped != 0) & (single.h.covariance < 0)):
        return True
    # values that saturate at 0 agree with those that are dropped at distances no power of t sees, and so do for long
    # those of few data at two slopes
    return single.phi.degree == 1 and (size >= MANY or bool(flat_pieces(single.phi)))


def _at_points(n: Kind, single: Single, size: int | None, eps: Any) -> tuple[Any, Any]:
    """The share at the points of a sweep."""
    h, mix = single.h, single.mix
    moments = (h.mean, h.var_mu, h.var_chi) if size is None else (h.mean, h.variance, h.covariance)
    normed, less = single.normed, eps * single.scale * single.scale
    apart = (less, 0.0) if normed is None else (less * normed, less)
    parts = (*moments, *apart, mix.kept, mix.at, mix.noise)
    q, error = at_points(partial(_at_point, n, single, size), *map(n.number, parts))
    return q, np.asarray(error, dtype=float)[()]


def _at_point(n: Kind, single: Single, size: int | None, *point: Any) -> tuple[Any, Any]:
    """The share at mean, var_mu, var_chi of all data, or at mean, variance, covariance of a batch; eps, eta, the mix.

    eta is as in `share_of_batch`, and 0 over all data.
    """
    moments, (eps, eta), mix = point[:3], point[3:5], point[5:]
    if size is None:
        return share_of_full_batch(n, single.phi, moments, eps, Mix(1, *mix))
    mixed = Mix(single.mix.maximum, *map(float, mix))
    return share_of_batch(single.phi, size, *map(float, (*moments, eps)), mixed, eta=float(eta))
