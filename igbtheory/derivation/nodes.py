"""Bases of nodes whose averages are formulas."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import sympy as sp

from igbtheory.averages.state import Moments
from igbtheory.derivation import closed
from igbtheory.derivation.average import unevaluated
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.layers import Gaussian, LawNode
from igbtheory.layers.constant import flat_pieces, of_normalised
from igbtheory.layers.node import Averaged, Base
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

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        """Probability of a dead batch: half to the power of all units where two data of a batch are independent."""
        del n
        pieces = [] if phi is None else flat_pieces(phi)
        if pieces == []:
            return sp.Integer(0)
        known = pieces or []
        halves = bool(known) and all(sorted(map(abs, piece)) == [0, float("inf")] for piece in known)
        alone = m == 1 and (copies == 1 or len(known) == 1)
        if not (halves and alone and self.values.covariance == 0 and self.values.centred):
            raise ValueError(
                f"how often a batch of {size} lies where the activation is constant has no closed form here; derive "
                "the full batch, or use predict(digits=30)"
            )
        return (len(known) * sp.Rational(1, 2) ** size) ** copies


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

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n
        # a symbol stands for more than two data
        found = of_normalised(phi, m, size, copies, 0.0) if isinstance(size, int) else 0.0
        if found is None:
            raise ValueError(
                f"how often a batch of {size} normalised values lies where {phi} is constant has no closed form here; "
                "derive the full batch, or use predict()"
            )
        return sp.Rational(found)


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
