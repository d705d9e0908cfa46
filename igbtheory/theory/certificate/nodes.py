"""Units of a network in balls: the rules of the layers, with proven expectations instead of quadrature."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from flint import arb

from igbtheory.layers.batches.normalised import Normalised
from igbtheory.layers.nodes.base import Averaged, Base
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.mixture import Mixture, mixture
from igbtheory.layers.nodes.node import LawNode
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.mathematics.averages import constant_batches
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.certificate import batches, gaussian, maxima, sphere
from igbtheory.theory.certificate.signs import increases

if TYPE_CHECKING:
    from igbtheory.mathematics.numbers.certified import Certified

ESTIMATED = "use predict(), which estimates its error"


def law(layer: Ruled, node: LawNode) -> LawNode:
    """Return the node after a layer, by the layer's own rule on units whose expectations are proven."""
    behind = proven(layer.rule(node))
    if behind is None:
        raise ValueError(
            f"expected layers with proven rules to certify, got {layer!r}; use a norm of all units, or of batches with "
            f'eps=0 and law="exact", or {ESTIMATED}'
        )
    return behind


def proven(node: LawNode) -> LawNode | None:
    """Return the node with a base whose expectations are proven, or None if there is no proof for its base.

    Moments that a rule of the package has averaged are proven if that rule reports no estimated error.
    """
    base = node.base
    if isinstance(base, Mixture):
        kinds = [(share, proven(kind)) for share, kind in base.kinds]
        return None if any(kind is None for _, kind in kinds) else mixture(cast("list[tuple[Any, LawNode]]", kinds))
    if isinstance(base, Gaussian):
        return replace(node, base=ProvenGaussian(base.values))
    if isinstance(base, Normalised) and base.estimator == "exact" and base.eps == 0:
        return replace(node, base=ProvenNormalised(base.size))
    exact = isinstance(base, Averaged) and base.error == 0
    return node if exact or isinstance(base, ProvenGaussian | ProvenNormalised) else None


@final
@dataclass(frozen=True)
class ProvenGaussian(Base[Moments]):
    """Gaussian unit: see `layers.Gaussian`."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        h = self.values
        moments = self._average(n, phi, m)
        if h.within is None or (phi is None and m == 1):
            return moments
        closed = phi.closed if phi is not None and m == 1 and h.centred else None
        within = closed.covariance(n, h.variance, h.variance, h.within) if closed else arb.nan()
        return replace(moments, within=within)

    def _average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        h, n = self.values, cast("Certified", n)
        if m > 1:
            return maxima.moments(n, phi, m, h)
        if phi is None:
            return h
        if phi.closed is None or not h.centred:
            return gaussian.moments(n, phi, h)
        mean, none = phi.closed.mean(n, h.variance), n.number(0)
        if h.var_chi.is_zero():
            return Moments(mean, phi.closed.spread(n, none, h.var_mu), none)
        shared, spread = phi.closed.variances(n, h.var_mu, h.var_chi)
        return Moments(mean, none if h.var_mu.is_zero() else shared, spread)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int) -> Any:
        return 0 if phi is None else constant_batches.probability(n, phi, m, size, self.values, batches.below)

    def increases(self, phi: Function | None, m: int) -> bool:
        return proves_increase(phi, m)


@final
@dataclass(frozen=True)
class ProvenNormalised(Base[Moments]):
    """Batch-normalised unit: see `layers.normalised.Normalised`."""

    size: int

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        return sphere.moments(cast("Certified", n), phi, m, self.size)

    def increases(self, phi: Function | None, m: int) -> bool:
        return proves_increase(phi, m)


def proves_increase(phi: Function | None, m: int) -> bool:
    """Return True if the tree of phi proves that it increases. ValueError: it does not, and a maximum needs it."""
    if phi is None or m == 1 or increases(phi):
        return True
    raise ValueError(
        f"expected an activation in front of MaxPool({m}) whose tree proves that it increases, got {phi.name!r}; put "
        f"MaxPool({m}) before the activation, or {ESTIMATED}"
    )
