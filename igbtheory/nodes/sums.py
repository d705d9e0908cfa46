"""Sums of independent nodes, such as the stream and the branch of a residual block."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, final

import numpy as np

from igbtheory.nodes.base import Averaged, Units
from igbtheory.nodes.draws import Array, Draws, beside
from igbtheory.nodes.node import Node
from igbtheory.numbers import Kind


class Flowing(Protocol):
    """What flows through layers: a node, or an object that holds one."""

    @property
    def n(self) -> Kind:
        """The kind of number."""


T = TypeVar("T")
S = TypeVar("S", bound=Flowing)
Add = Callable[[S, Any, S, Any], S]
"""Function of x, a, y, b that returns a x + b y for independent x and y."""


def add(x: Node[T], a: Any, y: Node[T], b: Any) -> Node[T]:
    """Return the sum a x + b y of independent nodes."""
    values = x.averaged().plus(a, y.averaged(), b)  # type: ignore[attr-defined]
    estimated = tuple(dict.fromkeys((*x.estimated, *y.estimated)))
    shown = tuple(dict((*x.shown, *y.shown)).items())
    if x.gaussian and y.gaussian:
        return replace(x, base=replace(x.base, values=values), estimated=estimated, shown=shown)  # type: ignore[type-var]
    nothing: _SumOfUnits[T] = _SumOfUnits((), None)
    parts = nothing.plus(add, a, x).plus(add, b, y)
    # a sum with a Gaussian part is constant over no batch
    base = Averaged(values, parts, x.base.dependent or y.base.dependent, varies=parts.noise is not None)
    return replace(x.after(base), estimated=estimated, batch=max(x.batch, y.batch), shown=shown)


@final
@dataclass(frozen=True)
class _SumOfUnits(Generic[T]):
    """Draws units of a sum: terms with their factors, and one Gaussian node, the sum of all Gaussian terms.

    So the stream of many residual blocks stays cheap to draw.
    """

    terms: tuple[tuple[Any, Units], ...]
    noise: Node[T] | None

    def __call__(self, draws: Draws, count: int) -> Array:
        parts = [beside(factor) * units(draws, count) for factor, units in self.terms]
        if self.noise is not None:
            parts.append(self.noise.units(draws, count))
        return np.asarray(sum(parts, start=np.zeros(())))

    def plus(self, add: Add[Node[T]], factor: Any, node: Node[T]) -> "_SumOfUnits[T]":
        """Return this sum plus a node times a factor."""
        if not np.any(factor != 0):
            return self
        inner = node.base.drawn if isinstance(node.base, Averaged) else None
        if node.gaussian:
            found = _SumOfUnits((), node)
        elif isinstance(inner, _SumOfUnits):
            found = inner
        else:
            found = _SumOfUnits(((1.0, node.units),), None)
        terms = tuple((factor * inner_factor, units) for inner_factor, units in found.terms)
        if found.noise is None:
            return replace(self, terms=(*self.terms, *terms))
        # without noise here, the new noise is added to itself times 0
        other, other_factor = (found.noise, 0 * factor) if self.noise is None else (self.noise, 1 + 0 * factor)
        return _SumOfUnits((*self.terms, *terms), add(found.noise, factor, other, other_factor))
