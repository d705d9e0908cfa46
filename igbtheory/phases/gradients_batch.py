"""Slope of a BatchNorm over the full batch: it divides by the variance of a unit over the data, not over the twins."""

from typing import Any

import numpy as np

from igbtheory.averages.panels import orders
from igbtheory.averages.resolved import resolved
from igbtheory.formulas.function import Function
from igbtheory.layers import BatchNorm, Gaussian, LawNode
from igbtheory.numbers import Kind
from igbtheory.numbers.sweeps import at_points
from igbtheory.phases.gradients_slope import Slope, slope

ALIKE = 64
"""Rounding errors of a variance that a scatter of the units' centres may be."""


def batch_slope(layer: BatchNorm, node: LawNode) -> Slope:
    """Slope of a function and of the full batch behind it: E_u of E_z |grad f|^2/(V + eps), V = Var_z f of one unit."""
    n, x, h = node.n, node.averaged(), node.base
    if layer.batch_size is not None:
        raise ValueError(
            f"{layer!r} behind an activation: the mean of the squared gradient over batches, of which some hardly "
            "vary, is not known; use the full batch, BatchNorm(), or put it in front of the activation"
        )
    eps = n.number(layer.eps)
    if node.gaussian or np.all(np.asarray(x.var_mu <= ALIKE * n.epsilon * x.variance, dtype=bool)):
        inside = slope(node, pairs=False)
        return Slope(inside.own / (x.var_chi + eps), n.number(0), error=inside.error + x.error)
    if not isinstance(h, Gaussian) or node.maximum > 1 or node.phi is None:
        raise ValueError(
            f"{layer!r} behind such a unit, units of different centres: how their variance over the "
            "data varies from unit to unit is not known; use sigma_b2=0 and centred inputs, or put the norm in front "
            "of the activation"
        )
    slope(node, pairs=False)  # refuses an activation without a derivative
    parts = (h.values.mean, h.values.var_mu, h.values.var_chi)
    own, error = at_points(lambda *point, phi=node.phi: _quotient(n, phi, point, eps), *map(n.number, parts))
    return Slope(own, n.number(0), error=h.values.error + np.asarray(error, dtype=float)[()])


def _quotient(n: Kind, phi: Function, point: tuple[Any, ...], eps: Any) -> tuple[Any, Any]:
    """Mean over u of E_z phi'^2/(Var_z phi + eps) and its estimated relative error; point: mean, var_mu, var_chi."""
    coarse, fine = (_of_order(n, phi, point, eps, order) for order in orders(n))
    return fine, abs(coarse - fine) / fine + 100 * n.epsilon


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def _of_order(n: Kind, phi: Function, point: tuple[Any, ...], eps: Any, order: int) -> Any:
    mean, var_mu, var_chi = point
    scale_u, scale_z = n.sqrt(var_mu), n.sqrt(var_chi)
    seen, steep = (resolved(n, f, float(mean), float(n.sqrt(var_mu + var_chi))) for f in (phi, phi.derivative))
    u = seen.around(mean, scale_u, order, seen.sides(scale_z))
    centre = mean + scale_u * u.x
    _, variance = seen.at_each(seen.smoothed, centre, scale_z, order)
    average, scatter = steep.at_each(steep.averaged, centre, scale_z, order)
    return u.integral((average * average + scatter) / (variance + eps) * n.npdf(u.x))
