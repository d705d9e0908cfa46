"""Units of sums of independent nodes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.node import Array, Averaged, Node
from igbtheory.layers.strata import Strata, powers

T = TypeVar("T")
Term = tuple[Any, Node[T]]
"""A node with its factor, one number or one at each point of a sweep."""
Add = Callable[[Node[T], Any, Node[T], Any], Node[T]]
"""Sum a x + b y of independent nodes x and y, from x, a, y, b."""


@final
@dataclass(frozen=True)
class DrawnSum(Generic[T]):
    """Units of a sum of nodes with factors, of which at most one is Gaussian.

    others: the nodes that are not, and sums of such, of which only `others` count; draws: random numbers of those.
    """

    others: "tuple[tuple[Any, Node[T] | DrawnSum[T]], ...]"
    gaussian: tuple[Term[T], ...]
    draws: int

    def __call__(self, rng: Generator, count: int, size: int | None) -> Array:
        parts = (_beside(factor) * node.units(rng, count, size) for factor, node in (*self._nodes(), *self.gaussian))
        return np.asarray(sum(parts, start=np.zeros(())))

    def spread(self, strata: Strata, count: int) -> Array:
        """Mean and variance over all data, as in `Spread`."""
        parts = (powers(factor) * node.spread(strata, count) for factor, node in (*self._nodes(), *self.gaussian))
        return np.asarray(sum(parts, start=np.zeros(())))

    def _nodes(self) -> Iterator[Term[T]]:
        """All nodes but the Gaussian one; without recursion, for a stream of many blocks."""
        left: list[tuple[Any, Node[T] | DrawnSum[T]]] = [(1.0, self)]
        while left:
            factor, part = left.pop()
            if isinstance(part, DrawnSum):
                left.extend((factor * share, other) for share, other in reversed(part.others))
            else:
                yield factor, part


def drawn_sum(add: Add[T], *terms: Term[T]) -> DrawnSum[T]:
    """Units of a sum of nodes with factors; Gaussian ones are added up, so that a long stream stays short.

    add: sums of Gaussian nodes.
    """
    others: list[tuple[Any, Node[T] | DrawnSum[T]]] = []
    gaussian: list[Term[T]] = []
    for factor, node in terms:
        drawn = node.base.drawn if isinstance(node.base, Averaged) else None
        if not np.any(factor != 0):
            continue
        if node.gaussian:
            gaussian.append((factor, node))
        elif isinstance(drawn, DrawnSum):
            others.append((factor, drawn))
            gaussian.extend((factor * share, part) for share, part in drawn.gaussian)
        else:
            others.append((factor, node))
    while len(gaussian) > 1:
        (a, x), (b, y), *rest = gaussian
        gaussian = [(1.0, add(x, a, y, b)), *rest]
    return DrawnSum(tuple(others), tuple(gaussian), sum(part.draws for _, part in others))


def _beside(factor: Any) -> Array:
    """A factor beside units: a sweep in front of their axes."""
    found = np.asarray(factor, dtype=float)
    return found[..., None, None] if found.ndim else found
