"""Twins: two data infinitely close on the course of a network, whose distance grows as its gradients do.

Noise of variance v at the units of a Dense layer moves the units of a later one by v times the mean squared norm of
their gradients. A function of a unit multiplies it by E |grad f|^2, whatever is linear by its own factor, a norm by one
over the variance that it divides by: that of the course, which the twins follow and do not change.
"""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.averages.state import Moments
from igbtheory.layers import BatchNorm, Dropout, LawNode, Layer, Residual
from igbtheory.layers.groupnorm import Grouped
from igbtheory.layers.node import moments_only
from igbtheory.layers.normalised import Normalised
from igbtheory.layers.sums import add_moments
from igbtheory.numbers import Kind
from igbtheory.phases.gradients_batch import batch_slope
from igbtheory.phases.gradients_slope import Slope, slope


@final
@dataclass(frozen=True)
class Twins:
    """Law `node` of either datum, and the noise of the units of its base.

    own: variance of the noise of one datum; shared: covariance of that of two data of a batch, None where there
    is none; error: estimated relative error of own.
    """

    node: LawNode
    own: Any
    shared: Any = None
    error: Any = 0.0

    @property
    def n(self) -> Kind:
        """Kind of the numbers."""
        return self.node.n

    def at(self, node: LawNode, by: Slope) -> "Twins":
        """Twins behind a rule that takes them to the `node` and multiplies their noise."""
        own, shared = by.noise(self.own, self.shared)
        return Twins(node, own, shared, self.error + by.error)

    def applied(self) -> "Twins":
        """Twins with the noise behind the function of their node."""
        return self.at(self.node, slope(self.node, pairs=self.shared is not None))

    def through(self, layer: Layer) -> "Twins":
        """Twins behind a layer."""
        if isinstance(layer, Residual):
            return layer.through(self, lambda inner, x: x.through(inner), add_twins)
        node, after = self.node, layer.law(self.node)
        if isinstance(after.base, Normalised | Grouped) or after.base is node.base:
            return replace(self, node=after)  # functions, and norms that the base remembers, apply when averaged
        if isinstance(layer, BatchNorm) and layer.trains:
            return self.at(after, batch_slope(layer, node))
        if len(after.estimated) > len(node.estimated):
            raise ValueError(
                f"expected layers with exact rules for gradients, got {layer!r}, which is estimated from draws; leave "
                "it out, or put a Dense in front of it"
            )
        return self.applied().at(after, _linear(layer, node.n, node.averaged()))


def add_twins(x: Twins, a: Any, y: Twins, b: Any) -> Twins:
    """Return the sum a x + b y of independent units."""
    u, v = x.applied(), y.applied()
    known = [factor * part for factor, part in ((a * a, u.shared), (b * b, v.shared)) if part is not None]
    shared = sum(known) if known else None
    return Twins(add_moments(x.node, a, y.node, b), a * a * u.own + b * b * v.own, shared, np.maximum(u.error, v.error))


def _linear(layer: Layer, n: Kind, x: Moments) -> Slope:
    """Factor of a layer that is linear in its units, or divides them by a number that all of them share.

    It is what the layer makes of the variance; what Dropout adds to it are units that both twins lack.
    """
    if isinstance(layer, Dropout):
        return Slope(1 / (1 - n.number(layer.p)), n.number(1))
    q = x.variance
    alone = moments_only(n, replace(x, var_mu=0 * q, var_chi=q, within=None))
    factor = layer.law(alone).averaged().var_chi / q
    return Slope(factor, factor, error=x.error)
