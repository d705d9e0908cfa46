"""Sums of independent nodes, such as the stream and the branch of a residual block."""

from dataclasses import dataclass, replace
from typing import Any, Generic, final

import numpy as np

from igbtheory.layers.nodes.base import Averaged, T, Units
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.mixture import kinds_of, mixture, paired
from igbtheory.layers.nodes.node import Node


def add(x: Node[T], a: Any, y: Node[T], b: Any) -> Node[T]:
    """Return the sum a x + b y of independent nodes; units of several kinds are summed kind by kind."""
    kinds = paired(x, y)
    if kinds is not None and len(kinds) > 1 and (x.gaussian or y.gaussian or len(kinds_of(x)) == len(kinds_of(y))):
        return mixture([(share, add(one, a, other, b)) for share, one, other in kinds])
    one: Any = x.averaged()
    values = one.plus(a, y.averaged(), b)
    estimated = tuple(dict.fromkeys((*x.estimated, *y.estimated)))
    if x.gaussian and y.gaussian:
        return replace(x, base=replace(x.base, values=values), estimated=estimated)  # type: ignore[type-var]
    nothing: _SumOfUnits[T] = _SumOfUnits((), None)
    terms = nothing.plus(a, x).plus(b, y)
    # a sum with a Gaussian part is constant over no batch
    base = Averaged(values, terms, x.base.dependent or y.base.dependent, varies=terms.noise is not None)
    return replace(x.after(base), estimated=estimated, batch=max(x.batch, y.batch))


@final
@dataclass(frozen=True)
class _SumOfUnits(Generic[T]):
    """Draws units of a sum: terms with their factors, and one Gaussian node, the sum of all Gaussian terms.

    So the stream of many residual blocks stays cheap to draw.
    """

    terms: tuple[tuple[Any, Units], ...]
    noise: Node[T] | None

    def __call__(self, draws: Draws, count: int) -> Array:
        drawn = [beside(factor) * units(draws, count) for factor, units in self.terms]
        if self.noise is not None:
            drawn.append(self.noise.units(draws, count))
        return np.asarray(sum(drawn, start=np.zeros(())))

    def plus(self, factor: Any, node: Node[T]) -> "_SumOfUnits[T]":
        """Return this sum plus a node times a factor."""
        if not np.any(factor != 0):
            return self
        inner = node.base.drawn if isinstance(node.base, Averaged) else None
        if node.gaussian:
            added = _SumOfUnits((), node)
        elif isinstance(inner, _SumOfUnits):
            added = inner
        else:
            added = _SumOfUnits(((1.0, node.units),), None)
        terms = tuple((factor * inner_factor, units) for inner_factor, units in added.terms)
        if added.noise is None:
            return replace(self, terms=(*self.terms, *terms))
        noise = added.noise.times_number(factor)
        return _SumOfUnits((*self.terms, *terms), noise if self.noise is None else add(self.noise, 1, noise, 1))
