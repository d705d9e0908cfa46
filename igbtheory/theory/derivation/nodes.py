"""Bases of nodes whose averages are SymPy formulas."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import sympy as sp

from igbtheory.layers.batches.normalised import Normalised
from igbtheory.layers.nodes.base import Averaged, Base
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.mixture import Mixture
from igbtheory.layers.nodes.node import LawNode, no_units
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.mathematics.averages import constant_batches
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation import batch, closed
from igbtheory.theory.derivation.average import over_gaussian
from igbtheory.theory.derivation.form import readable
from igbtheory.theory.derivation.states import C, Q, S, V


@final
@dataclass(frozen=True)
class FormalGaussian(Base[Moments]):
    """Gaussian unit. An average without a closed form stays unevaluated."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        if phi is None and m == 1:
            return self.values
        moments = _average(phi or FUNCTIONS["linear"], m, self.values)
        return moments if self.values.within is None else replace(moments, within=sp.nan)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int) -> Any:
        chance = 0 if phi is None else constant_batches.probability(n, phi, m, size, self.values, batch.below)
        if chance is None:
            raise ValueError(
                f"the probability that the activation is constant over a batch of {size} data has no closed form here; "
                "derive the full batch, or use predict()"
            )
        return chance


def _average(phi: Function, m: Any, h: Moments) -> Moments:
    """Return the moments of phi(M). If phi is homogeneous, a power of the variance of h is a factor of them."""
    v, q = (sp.expand(sp.sympify(part)) for part in (h.var_mu, h.variance))
    scale = sp.Integer(1)
    if phi.degree is not None and h.centred:
        scale, v, q = q ** SYMBOLIC.number(phi.degree), sp.cancel(v / q), sp.Integer(1)
    elif (v, q) == (sp.expand(C * Q), Q):
        v = V
    # v_mu and v_chi in place of c q and q - c q, as the rule of a layer is printed
    s = S if (v, q) == (V, Q) else q - v
    moments = closed.moments(phi, m, Moments(h.mean, v, q - v)) or over_gaussian(phi, m, Moments(h.mean, v, s))
    return Moments(sp.sqrt(scale) * moments.mean, scale * moments.var_mu, scale * moments.var_chi)


@final
@dataclass(frozen=True)
class FormalBatch(Base[Moments]):
    """Unit normalised over a batch of `size` data. law: "exact", or "proxy" if only the other data normalise it."""

    size: Any
    law: str

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        return batch.moments(phi or FUNCTIONS["linear"], m, self.size, self.law)


def behind(layer: Ruled, node: LawNode) -> LawNode:
    """Return the node after a layer, with a base whose averages are formulas."""
    return _formal(layer.rule(_combined(node) if layer.weighs and not layer.inner else node))


def _combined(node: LawNode) -> LawNode:
    """Return the node before a Dense, which needs only mean^2 + var_mu and var_chi, in their shortest forms."""
    x = node.averaged()
    mean2 = x.mean * x.mean
    shared, spread = (readable(sp.sympify(part)) for part in (mean2 + x.var_mu, x.var_chi))
    values = Moments(0, shared, spread, within=None if x.within is None else mean2 + x.within)
    return node.after(Averaged(values, no_units))


def _formal(node: LawNode) -> LawNode:
    base = node.base
    if isinstance(base, Mixture):
        formal: LawNode = base.changed(node, _formal)
        return formal
    if isinstance(base, Gaussian):
        return replace(node, base=FormalGaussian(base.values))
    if isinstance(base, Normalised):
        if base.eps != 0:
            raise ValueError(f"expected BatchNorm with eps=0 to derive, got eps={base.eps}; use predict()")
        return replace(node, base=FormalBatch(base.size, base.estimator))
    if isinstance(base, FormalGaussian | FormalBatch | Averaged):
        return node
    raise ValueError(f"expected layers with closed forms to derive, got {type(base).__name__}; use predict()")
