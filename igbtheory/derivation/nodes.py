"""Bases of nodes whose averages are formulas."""

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, ClassVar, final

import sympy as sp

from igbtheory.averages.state import Moments
from igbtheory.derivation import closed
from igbtheory.derivation.average import unevaluated
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.layers import Gaussian, LawNode
from igbtheory.layers.base import Averaged, Base
from igbtheory.layers.constant import flat_ends
from igbtheory.layers.normalised import Normalised
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class FormalGaussian(Base[Moments]):
    """Gaussian unit whose averages are closed forms where there are, else unevaluated."""

    values: Moments

    gaussian: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        del n
        h = self.values
        if phi is None and m == 1:
            return h
        phi = phi or FUNCTIONS["linear"]
        found = closed.moments(phi, m, h) or unevaluated(phi, m, h)
        return found if h.within is None or found.within is not None else replace(found, within=sp.nan)

    def constant(self, phi: Function | None, m: int, size: int) -> Any:
        """Half to the power of the batch on either side of 0, where two data of a batch are independent."""
        ends = () if phi is None else flat_ends(phi)
        finite = None if ends is None else [end for end in ends if isfinite(end)]
        if finite == []:
            return sp.Integer(0)
        if finite is None or any(finite) or m > 1 or self.values.covariance != 0 or not self.values.centred:
            raise ValueError(
                f"how often a batch of {size} lies where the activation is constant has no closed form here; derive "
                "the full batch, or use predict(digits=30)"
            )
        return len(finite) * sp.Rational(1, 2) ** size


@final
@dataclass(frozen=True)
class FormalSphere(Base[Moments]):
    """Batch-normalised unit whose averages are closed forms."""

    size: Any

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        del n
        phi = phi or FUNCTIONS["linear"]
        found = closed.on_sphere(phi, self.size) if m == 1 else None
        if found is None:
            raise ValueError(
                f"expected a homogeneous activation with closed forms behind BatchNorm({self.size}), got {phi.name!r}: "
                "its average has no closed form; derive the full batch, or use predict(digits=30)"
            )
        return found


def formal(node: LawNode) -> LawNode:
    """The node with a base whose averages are formulas."""
    base = node.base
    if isinstance(base, Gaussian):
        return replace(node, base=FormalGaussian(base.values))
    if isinstance(base, Normalised):
        if base.estimator != "exact" or base.eps != 0:
            raise ValueError(
                'expected BatchNorm with law="exact" and eps=0 to derive, got another; use predict(digits=30)'
            )
        return replace(node, base=FormalSphere(base.size))
    if isinstance(base, FormalGaussian | FormalSphere | Averaged):
        return node
    raise ValueError(f"expected layers with closed forms to derive, got {type(base).__name__}; use predict(digits=30)")
