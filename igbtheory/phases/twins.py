"""Twins: two data that are infinitely close, whose distance in a network grows as its gradients do.

Noise of variance v at the units of a Dense layer becomes noise of variance v E |dZ/dx|^2 at the units Z of a later one.
An activation phi multiplies the variance of the noise by E phi'^2, and an activation of the largest of several units by
E phi'^2 at the largest. A linear layer multiplies it by the factor of its variance, and a norm divides it by the same
variance as the data of the network, which the small noise does not change.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from igbtheory.averages import gaussian
from igbtheory.averages.slopes import refuse_jumps
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.layer import Layer
from igbtheory.layers.residual import Residual
from igbtheory.nodes.base import Averaged, Base
from igbtheory.nodes.gaussian import Gaussian, gaussian_base
from igbtheory.nodes.node import LawNode, Node, no_units
from igbtheory.nodes.sums import add
from igbtheory.numbers import Kind

ALIKE = 64
"""Variance var_mu of the centres of units, in rounding errors of their whole variance, below which it is 0."""
COARSEST, FRACTION = 0.125, 0.25
"""Largest step of the rule over the centres, in units of sqrt(var_mu) and of sqrt(var_chi)."""


@final
@dataclass(frozen=True)
class Twins:
    """Moments `of` either datum, and the variance of the noise, with its relative error."""

    of: Moments
    noise: Any
    error: Any = 0.0

    mean = property(lambda self: self.of.mean)
    variance = property(lambda self: self.of.variance)
    square = property(lambda self: self.of.square)

    def weighted(self, sigma_w2: Any, sigma_b2: Any, lost: float) -> "Twins":
        return Twins(self.of.weighted(sigma_w2, sigma_b2, lost), sigma_w2 * self.noise, self.error)

    def over_root(self, n: Kind, q: Any, centre: Any) -> "Twins":
        return Twins(self.of.over_root(n, q, centre), self.noise / q, self.error + self.of.error)

    def times_number(self, s: Any) -> "Twins":
        return Twins(self.of.times_number(s), s * s * self.noise, self.error)

    def of_copies(self, m: int) -> "Twins":
        return Twins(self.of.of_copies(m), self.noise / m, self.error)

    def dropped(self, p: Any) -> "Twins":  # the same units of both twins
        return Twins(self.of.dropped(p), self.noise / (1 - p), self.error)

    def times(self, other: "Twins") -> "Twins":
        noise = self.noise * other.square + self.square * other.noise
        return Twins(self.of.times(other.of), noise, self.error + other.error)

    def plus(self, a: Any, other: "Twins", b: Any) -> "Twins":
        noise, error = a * a * self.noise + b * b * other.noise, np.maximum(self.error, other.error)
        return Twins(self.of.plus(a, other.of, b), noise, error)


@final
@dataclass(frozen=True)
class GaussianTwins(Base[Twins]):
    """Gaussian unit at twins: a function of it multiplies the noise by its mean squared slope."""

    values: Twins

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Twins:
        h = self.values
        if phi is None and m == 1:
            return h
        if phi is not None:
            refuse_jumps(phi)
        factor, error = mean_square(n, phi, m, h.of)
        return Twins(gaussian.moments(n, phi, m, h.of), factor * h.noise, h.error + h.of.error + error)


def twins_of(node: LawNode, noise: Any) -> Node[Twins]:
    """Return twins at a node, with noise at the units of its base."""
    base, n = node.base, node.n
    if isinstance(base, Gaussian):
        return replace(node, base=GaussianTwins(Twins(base.values, noise)))
    return Node(n, Averaged(Twins(node.averaged(), noise), no_units))


def again(node: Node[Twins], noise: Any) -> Node[Twins]:
    """Return the twins with other noise at the units of the base."""
    return replace(node, base=replace(node.base, values=replace(node.base.values, noise=noise, error=0.0)))


gaussian_base.register(Twins)(GaussianTwins)


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


def normalised(layer: BatchNorm, node: Node[Twins]) -> Node[Twins]:
    """Return the twins behind a full-batch norm, which divides noise by E_u of E_z |grad f|^2/(V + eps).

    V = Var_z f is the variance over the data of one unit.
    """
    n, x, base = node.n, node.averaged(), node.base
    after = layer.law(LawNode(n, Averaged(x.of, no_units)) if not node.gaussian else LawNode(n, Gaussian(x.of)))
    if node.gaussian or np.all(np.asarray(x.of.var_mu <= ALIKE * n.epsilon * x.of.variance, dtype=bool)):
        found = Twins(after.averaged(), x.noise / (x.of.var_chi + n.number(layer.eps)), x.error + x.of.error)
    elif not isinstance(base, GaussianTwins) or node.maximum > 1 or node.phi is None:
        raise ValueError(
            f"{layer!r} behind pooled or dropped units of different centres: how their variance over the data varies "
            "from unit to unit is not known; use sigma_b2=0 and centred inputs, or put the norm in front of the "
            "activation"
        )
    else:
        h = base.values
        coarse, fine = _over_centres(n, node.phi, h.of, n.number(layer.eps))
        error = np.asarray(abs(coarse - fine) / fine, dtype=float)[()] + 100 * n.epsilon
        found = Twins(after.averaged(), fine * h.noise, h.error + h.of.error + error)
    return node.after(gaussian_base(found) if after.gaussian else Averaged(found, no_units))


def through(layer: Layer, node: Node[Twins]) -> Node[Twins]:
    """Return the twins behind a layer."""
    if isinstance(layer, BatchNorm) and layer.trains:
        return normalised(layer, node)
    if isinstance(layer, Residual):
        return layer.through(node, through, add)
    return layer.rule(node)


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
