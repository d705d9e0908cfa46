"""Units of a network in balls: the layers' own rules, with proven expectations in place of quadrature."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from igbtheory.averages.state import Moments
from igbtheory.certificate import gaussian, maxima, sphere
from igbtheory.certificate.signs import increases
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import ZERO
from igbtheory.layers import BatchNorm, Gaussian, GroupNorm, LawNode, Layer, MaxPool, Residual
from igbtheory.layers.base import Averaged, Base
from igbtheory.layers.normalised import Normalised
from igbtheory.layers.sums import add_moments
from igbtheory.numbers import Kind

if TYPE_CHECKING:
    from igbtheory.numbers.certified import Certified

ESTIMATED = "use predict(), which estimates its error"


def law(layer: Layer, node: LawNode) -> LawNode:
    """What a layer does to a node: its own rule, on units whose expectations are proven."""
    if isinstance(layer, Residual):
        return layer.through(node, law, add_moments)
    _refuse(layer, node)
    return proven(layer.law(node))


def proven(node: LawNode) -> LawNode:
    """Return the node with a base whose expectations are proven; refuse one of which nothing can be proven.

    Moments that a rule of the package has averaged are proven where that rule reports no estimated error.
    """
    base = node.base
    if isinstance(base, Gaussian):
        return replace(node, base=ProvenGaussian(replace(base.values, within=None)))
    if isinstance(base, Normalised) and base.estimator == "exact":
        return replace(node, base=ProvenNormalised(base.size))
    exact = isinstance(base, Averaged) and base.error == 0
    if exact or isinstance(base, ProvenGaussian | ProvenNormalised):
        return node
    raise ValueError(f"expected layers with proven rules to certify, got units of {type(base).__name__}; {ESTIMATED}")


@final
@dataclass(frozen=True)
class ProvenGaussian(Base[Moments]):
    """Gaussian unit: see `layers.Gaussian`."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
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
        shared = none if h.var_mu.is_zero() else phi.closed.shared(n, h.var_mu, h.var_chi)
        return Moments(mean, shared, phi.closed.spread(n, h.var_mu, h.var_chi))

    def constant(self, phi: Function | None, m: int, size: int) -> Any:
        return never_flat(phi, size)


@final
@dataclass(frozen=True)
class ProvenNormalised(Base[Moments]):
    """Batch-normalised unit: see `layers.normalised.Normalised`."""

    size: int

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        return sphere.moments(cast("Certified", n), phi, m, self.size)


def never_flat(phi: Function | None, size: int) -> int:
    """Zero, the probability that a phi which is nowhere constant is one value over a batch; refused for any other."""
    if phi is None or ZERO not in phi.slope.formulas:
        return 0
    raise ValueError(
        f"BatchNorm in batches of {size} behind {phi.name!r}, which is constant on a stretch: how often a batch lies "
        f"there is not certified; use the full batch, or {ESTIMATED}"
    )


def _refuse(layer: Layer, node: LawNode) -> None:
    """Refuse the layers whose rules are estimates."""
    why = ""
    match layer:
        case GroupNorm():
            why = f"{layer!r} has no certified rule: use LayerNorm()"
        case BatchNorm(batch_size=size) if layer.trains and layer.eps and not (size is None and node.gaussian):
            behind = "behind an activation" if size is None else "in finite batches"
            why = f"{layer!r} {behind} has no certified rule: use eps=0"
        case BatchNorm(estimator="proxy"):
            why = f'{layer!r} has no certified rule: use law="exact"'
        case MaxPool(m) if m > 1 and node.phi is not None and not increases(node.phi):
            why = (
                f"expected an activation in front of {layer!r} whose tree proves that it increases, got "
                f"{node.phi.name!r}; put {layer!r} before the activation"
            )
    if why:
        raise ValueError(f"{why}, or {ESTIMATED}")
