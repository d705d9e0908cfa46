"""Slopes of units: what a function of a Gaussian or normalised unit does to small noise of that unit.

A function f multiplies the variance of noise by E |grad f|^2. Of the largest of several units the gradient is phi' at
the largest. A BatchNorm over the full batch divides by the variance of a unit over the data.
"""

from typing import Any

import numpy as np

from igbtheory.averages import gaussian
from igbtheory.averages.slopes import refuse_jumps
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.layers import BatchNorm, Gaussian, LawNode
from igbtheory.numbers import Kind

ALIKE = 64
"""Scatter of the units' centres, in rounding errors of their variance, that counts as none."""
COARSEST, FRACTION = 0.125, 0.25
"""Largest step of the rule over the centres: in their standard deviations, and in those of a unit over the data."""


def slope(node: LawNode) -> tuple[Any, Any]:
    """Factor by which the function of a node multiplies the variance of noise, and its estimated relative error."""
    n, phi, base = node.n, node.phi, node.base
    if phi is not None:
        refuse_jumps(phi)
    if isinstance(base, Gaussian):
        factor, error = mean_square(n, phi, node.maximum, base.values)
        return factor, base.values.error + error
    return n.number(1), 0.0


def mean_square(n: Kind, phi: Function | None, m: int, h: Moments) -> tuple[Any, Any]:
    """Mean square E phi'(M)^2, M the largest of m Gaussian units with the moments h, and its relative error."""
    if phi is None:
        return n.number(1), 0.0
    q = h.variance
    finite = phi.degree is None or 2 * phi.degree > 1
    if phi.closed is not None and h.centred and m == 1 and finite:
        return phi.closed.slope(n, q, q, q), phi.closed.roundings * n.epsilon
    try:
        x = gaussian.moments(n, phi.derivative, m, Moments(h.mean, 0 * q, q))
    except ValueError as error:
        raise ValueError(
            f"expected an activation whose derivative has a mean square, got {phi.name!r}: {error}; use one that is "
            "smooth, or steep nowhere"
        ) from None
    return x.mean * x.mean + x.variance, x.error


def batch_slope(layer: BatchNorm, node: LawNode) -> tuple[Any, Any]:
    """Slope of a function and of the full batch behind it: E_u of E_z |grad f|^2/(V + eps), V = Var_z f of one unit."""
    n, x, h = node.n, node.averaged(), node.base
    if node.gaussian or np.all(np.asarray(x.var_mu <= ALIKE * n.epsilon * x.variance, dtype=bool)):
        factor, error = slope(node)
        return factor / (x.var_chi + n.number(layer.eps)), error + x.error
    if not isinstance(h, Gaussian) or node.maximum > 1 or node.phi is None:
        raise ValueError(
            f"{layer!r} behind pooled or dropped units of different centres: how their variance over the data varies "
            "from unit to unit is not known; use sigma_b2=0 and centred inputs, or put the norm in front of the "
            "activation"
        )
    slope(node)  # ValueError for an activation that jumps
    coarse, fine = _over_centres(n, node.phi, h.values, n.number(layer.eps))
    error = np.asarray(abs(coarse - fine) / fine, dtype=float)[()] + 100 * n.epsilon
    return fine, h.values.error + error


@np.errstate(all="ignore")
def _over_centres(n: Kind, phi: Function, h: Moments, eps: Any) -> tuple[Any, Any]:
    """Mean over the centres of units of E_z phi'^2/(Var_z phi + eps), by the trapezoidal rule, coarse and fine.

    The integrand is analytic on the scale of sqrt(var_chi) around every centre, so that the rule converges
    exponentially.
    """
    ratio = float(np.min(np.asarray(h.var_chi / h.var_mu, dtype=float)))
    step = min(COARSEST, FRACTION * ratio**0.5)
    count = int(np.ceil((-2 * np.log(n.epsilon)) ** 0.5 / step))
    u = n.number(step) * n.number(np.arange(-count, count + 1))
    mean, var_mu, var_chi = (np.asarray(n.number(part))[..., None] for part in (h.mean, h.var_mu, h.var_chi))
    given = Moments(mean + n.sqrt(var_mu) * u, 0 * var_mu, var_chi)
    square, _ = mean_square(n, phi, 1, given)
    values = square / (gaussian.moments(n, phi, 1, given).var_chi + eps) * n.npdf(u) * n.number(step)
    return 2 * values[..., count % 2 :: 2].sum(axis=-1), values.sum(axis=-1)
