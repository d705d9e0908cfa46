"""Twins: two data infinitely close on the course of a network, whose distance grows as its gradients do.

Noise of variance v at the units of a Dense layer moves the units of a later one by v times the mean squared norm of
their gradients. A function of a unit multiplies it by E |grad f|^2, whatever is linear by its own factor, a norm by one
over the variance that it divides by: that of the course, which the twins follow and do not change.
"""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.averages.state import Moments
from igbtheory.layers import BatchNorm, Dropout, Gate, GroupNorm, LawNode, Layer, Residual
from igbtheory.layers.node import moments_only
from igbtheory.layers.sums import add_moments
from igbtheory.numbers import Kind
from igbtheory.phases.gradients_slope import batch_slope, slope


@final
@dataclass(frozen=True)
class Twins:
    """Law `node` of either datum, and the variance `noise` of the units of its base, with its relative error."""

    node: LawNode
    noise: Any
    error: Any = 0.0

    @property
    def n(self) -> Kind:
        """Kind of the numbers."""
        return self.node.n

    def at(self, node: LawNode, factor: Any, error: Any) -> "Twins":
        """Twins behind a rule that takes them to the `node` and multiplies their noise by the factor."""
        return Twins(node, factor * self.noise, self.error + error)

    def applied(self) -> "Twins":
        """Twins with the noise behind the function of their node."""
        return self.at(self.node, *slope(self.node))

    def through(self, layer: Layer) -> "Twins":
        """Twins behind a layer."""
        if isinstance(layer, Residual):
            return layer.through(self, lambda inner, x: x.through(inner), add_twins)
        node, after = self.node, layer.law(self.node)
        if after.base is node.base:
            return replace(self, node=after)  # functions apply when averaged
        if isinstance(layer, BatchNorm) and layer.trains:
            return self.at(after, *batch_slope(layer, node))
        if isinstance(layer, Gate) and node.base.averages:
            return self.at(after, *_gate(layer, node))
        if isinstance(layer, GroupNorm) or len(after.estimated) > len(node.estimated):
            raise ValueError(
                f"expected layers with exact rules for gradients, got {layer!r}, which is estimated from draws; leave "
                "it out, or put a Dense in front of it"
            )
        return self.applied().at(after, *_linear(layer, node.n, node.averaged()))


def add_twins(x: Twins, a: Any, y: Twins, b: Any) -> Twins:
    """Return the sum a x + b y of independent units."""
    u, v = x.applied(), y.applied()
    noise = a * a * u.noise + b * b * v.noise
    return Twins(add_moments(x.node, a, y.node, b), noise, np.maximum(u.error, v.error))


def _gate(layer: Gate, node: LawNode) -> tuple[Any, Any]:
    """Factor of a gate x phi(z): noise of x times E phi^2, and noise of z times E x^2 phi'^2."""
    gating = node.then(layer.phi)
    (of_x, error), (of_z, other) = slope(node), slope(gating)
    x, y = node.averaged(), gating.averaged()
    return of_x * (y.mean * y.mean + y.variance) + of_z * (x.mean * x.mean + x.variance), error + other


def _linear(layer: Layer, n: Kind, x: Moments) -> tuple[Any, Any]:
    """Factor of a layer that is linear in its units, or divides them by a number that all of them share.

    It is the factor of the variance, but for Dropout: it drops the same units of both twins, and scales the others.
    """
    if isinstance(layer, Dropout):
        return 1 / (1 - n.number(layer.p)), 0.0
    q = x.variance
    alone = moments_only(n, replace(x, var_mu=0 * q, var_chi=q, within=None))
    return layer.law(alone).averaged().var_chi / q, x.error
