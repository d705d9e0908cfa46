"""Sums of independent nodes, such as the stream and the branch of a residual block."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, final

import numpy as np

from igbtheory.layers.nodes.base import Averaged, Units
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.node import KernelNode, LawNode, Node
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import Kind


class Flowing(Protocol):
    """What flows through layers: a node, or an object that holds one."""

    @property
    def n(self) -> Kind:
        """The kind of number."""


T = TypeVar("T")
S = TypeVar("S", bound=Flowing)
Add = Callable[[S, Any, S, Any], S]
"""Function of x, a, y, b that returns a x + b y for independent x and y."""


def add_moments(x: LawNode, a: Any, y: LawNode, b: Any) -> LawNode:
    """Return the law of the sum a x + b y of independent nodes: means and variances add."""
    u, v = x.averaged(), y.averaged()
    mean = 0 if u.centred and v.centred else a * u.mean + b * v.mean
    batches = u.within is not None or v.within is not None
    values = Moments(
        mean,
        a * a * u.var_mu + b * b * v.var_mu,
        a * a * u.var_chi + b * b * v.var_chi,
        np.maximum(u.error, v.error),
        a * a * u.covariance + b * b * v.covariance if batches else None,
    )
    return _sum(add_moments, (x, a, y, b), values, (mean, mean))


def add_pairs(x: KernelNode, a: Any, y: KernelNode, b: Any) -> KernelNode:
    """Return the kernel of the sum a x + b y of independent nodes on a given data set."""
    u, v = x.averaged(), y.averaged()
    (u_a, u_b), (v_a, v_b) = x.means(), y.means()
    values = replace(
        u,
        q_a=a * a * u.q_a + b * b * v.q_a + 2 * a * b * u_a * v_a,
        q_b=a * a * u.q_b + b * b * v.q_b + 2 * a * b * u_b * v_b,
        q_ab=a * a * u.q_ab + b * b * v.q_ab + a * b * (u_a * v_b + u_b * v_a),
        error=max(u.error, v.error),
        rank=min(u.rank, v.rank),
    )
    return _sum(add_pairs, (x, a, y, b), values, (a * u_a + b * v_a, a * u_b + b * v_b))


def _sum(add: Add[Node[T]], of: tuple[Node[T], Any, Node[T], Any], values: T, centres: tuple[Any, Any]) -> Node[T]:
    x, a, y, b = of
    estimated = tuple(dict.fromkeys((*x.estimated, *y.estimated)))
    shown = tuple(dict((*x.shown, *y.shown)).items())
    if x.gaussian and y.gaussian:
        return replace(x, base=replace(x.base, values=values), estimated=estimated, shown=shown)  # type: ignore[type-var]
    nothing: _SumOfUnits[T] = _SumOfUnits((), None)
    parts = nothing.plus(add, a, x).plus(add, b, y)
    # a sum with a Gaussian part is constant over no batch
    base = Averaged(values, centres, parts, x.base.dependent or y.base.dependent, varies=parts.noise is not None)
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
