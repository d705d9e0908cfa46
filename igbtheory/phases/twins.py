"""Twins: two data that are infinitely close, whose distance in a network grows as its gradients do.

Noise of variance v at the units of a Dense layer becomes noise of variance v E |dZ/dx|^2 at the units Z of a later one.
An activation phi multiplies the variance of the noise by E phi'^2, and an activation of the largest of several units by
E phi'^2 at the largest. A linear layer multiplies it by the factor of its variance, and a norm divides it by the same
variance as the data of the network, which the small noise does not change.
"""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.gates import Gate
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode, moments_only
from igbtheory.layers.nodes.sums import add_moments
from igbtheory.layers.residual import Residual
from igbtheory.mathematics.averages import gaussian
from igbtheory.mathematics.averages.slopes import refuse_jumps
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind

ALIKE = 64
"""Variance var_mu of the centres of units, in rounding errors of their whole variance, below which it is 0."""
COARSEST, FRACTION = 0.125, 0.25
"""Largest step of the rule over the centres, in units of sqrt(var_mu) and of sqrt(var_chi)."""


def slope(node: LawNode) -> tuple[Any, Any]:
    """Return the factor by which the function of a node multiplies the variance of noise, and its relative error."""
    n, phi, base = node.n, node.phi, node.base
    if phi is not None:
        refuse_jumps(phi)
    if isinstance(base, Gaussian):
        factor, error = mean_square(n, phi, node.maximum, base.values)
        return factor, base.values.error + error
    return n.number(1), 0.0


def mean_square(n: Kind, phi: Function | None, m: int, h: Moments) -> tuple[Any, Any]:
    """Return E phi'(M)^2, where M is the largest of m Gaussian units with the moments h, and its relative error."""
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
    """Return the factor of a function and a full-batch norm behind it, and its relative error.

    The factor is E_u of E_z |grad f|^2/(V + eps), where V = Var_z f is the variance over the data of one unit.
    """
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
    """Return the mean over the centres of units of E_z phi'^2/(Var_z phi + eps), by a coarse and a fine rule.

    The trapezoidal rule converges exponentially here, because the integrand is analytic on the scale of sqrt(var_chi).
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


@final
@dataclass(frozen=True)
class Twins:
    """The node of either datum, and the variance of the noise at the units of its base, with its relative error."""

    node: LawNode
    noise: Any
    error: Any = 0.0

    @property
    def n(self) -> Kind:
        """Kind of the numbers."""
        return self.node.n

    def at(self, node: LawNode, factor: Any, error: Any) -> "Twins":
        """Return the twins at this node, whose noise is multiplied by the factor."""
        return Twins(node, factor * self.noise, self.error + error)

    def applied(self) -> "Twins":
        """Return the twins with the noise behind the function of their node."""
        return self.at(self.node, *slope(self.node))

    def through(self, layer: Layer) -> "Twins":
        """Return the twins behind a layer."""
        if isinstance(layer, Residual):
            return layer.through(self, lambda inner, x: x.through(inner), add_twins)
        node, after = self.node, layer.law(self.node)
        if after.base is node.base:
            return replace(self, node=after)  # an activation acts on the noise when it is averaged
        if isinstance(layer, BatchNorm) and layer.trains:
            return self.at(after, *batch_slope(layer, node))
        if isinstance(layer, Gate) and node.base.averages:
            return self.at(after, *_gate(layer, node))
        if after.base.dependent or len(after.estimated) > len(node.estimated):
            raise ValueError(
                f"expected layers with exact rules for gradients, got {layer!r}, which is estimated from draws; leave "
                "it out, or use a layer of igbtheory that has a rule there"
            )
        return self.applied().at(after, *_linear(layer, node.n, node.averaged()))


def add_twins(x: Twins, a: Any, y: Twins, b: Any) -> Twins:
    """Return the sum a x + b y of independent units."""
    u, v = x.applied(), y.applied()
    noise = a * a * u.noise + b * b * v.noise
    return Twins(add_moments(x.node, a, y.node, b), noise, np.maximum(u.error, v.error))


def _gate(layer: Gate, node: LawNode) -> tuple[Any, Any]:
    """Return the factor E phi^2 + E x^2 phi'^2 of a gate x phi(z), and its relative error."""
    gating = node.then(layer.gating)
    (of_x, error), (of_z, other) = slope(node), slope(gating)
    x, y = node.averaged(), gating.averaged()
    return of_x * (y.mean * y.mean + y.variance) + of_z * (x.mean * x.mean + x.variance), error + other


def _linear(layer: Layer, n: Kind, x: Moments) -> tuple[Any, Any]:
    """Return the factor of a layer that is linear, or divides all units of a datum by one number, and its error.

    It is the factor of the variance, except for Dropout, which drops the same units of both twins and scales the rest.
    """
    if isinstance(layer, Dropout):
        return 1 / (1 - n.number(layer.p)), 0.0
    q = x.variance
    alone = moments_only(n, replace(x, var_mu=0 * q, var_chi=q, within=None))
    return layer.law(alone).averaged().var_chi / q, x.error
