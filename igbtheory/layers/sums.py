"""Sums of independent nodes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.draws import Array, over_data
from igbtheory.layers.node import Node
from igbtheory.layers.recipe import Recipe
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata, powers

T = TypeVar("T")
Term = tuple[Any, Node[T]]
"""A node with its factor, one number or one at each point of a sweep."""
Add = Callable[[Node[T], Any, Node[T], Any], Node[T]]
"""Sum a x + b y of independent nodes x and y, from x, a, y, b."""


@final
@dataclass(frozen=True)
class Sum(Recipe, Generic[T]):
    """Sum of nodes with factors, of which at most one is Gaussian.

    others: the nodes that are not, and sums of such, of which only `others` count; others_draws: the random numbers
    that one value of those takes.
    """

    others: "tuple[tuple[Any, Node[T] | Sum[T]], ...]"
    gaussian: tuple[Term[T], ...]
    others_draws: int

    @property
    def what(self) -> str:
        return "the sum of a stream and a branch of which one is not Gaussian"

    @property
    def draws(self) -> int:
        return self.others_draws + len(self.gaussian)

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        parts = (over_data(factor) * node.units(rng, count, size) for factor, node in (*self._nodes(), *self.gaussian))
        return np.asarray(sum(parts, start=np.zeros(())))

    def spread(self, strata: Strata, count: int) -> Array:
        parts = (powers(factor) * node.spread(strata, count) for factor, node in (*self._nodes(), *self.gaussian))
        return np.asarray(sum(parts, start=np.zeros(())))

    def single(self) -> Single | None:
        nodes = list(self._nodes())
        if len(nodes) != 1:
            return None
        own: Iterator[Any] = (share * share * part.averaged().own for share, part in self.gaussian)  # type: ignore[attr-defined]
        (factor, node), noise = nodes[0], sum(own)
        found = node.single()
        return found and found.noisy(factor, noise)

    def constant(self, size: int, copies: int) -> Any:
        return 0.0 if self.gaussian else super().constant(size, copies)  # a Gaussian part varies over every batch

    def _nodes(self) -> Iterator[Term[T]]:
        """All nodes but the Gaussian one; without recursion, for a stream of many blocks."""
        left: list[tuple[Any, Node[T] | Sum[T]]] = [(1.0, self)]
        while left:
            factor, part = left.pop()
            if isinstance(part, Sum):
                left.extend((factor * share, other) for share, other in reversed(part.others))
            else:
                yield factor, part


def sum_of(add: Add[T], *terms: Term[T]) -> Sum[T]:
    """Units of a sum of nodes with factors; Gaussian ones are added up, so that a long stream stays short.

    add: sums of Gaussian nodes.
    """
    others: list[tuple[Any, Node[T] | Sum[T]]] = []
    gaussian: list[Term[T]] = []
    for factor, node in terms:
        recipe = node.recipe
        if not np.any(factor != 0):
            continue
        if node.gaussian:
            gaussian.append((factor, node))
        elif isinstance(recipe, Sum):
            others.append((factor, recipe))
            gaussian.extend((factor * share, part) for share, part in recipe.gaussian)
        else:
            others.append((factor, node))
    while len(gaussian) > 1:
        (a, x), (b, y), *rest = gaussian
        gaussian = [(1.0, add(x, a, y, b)), *rest]
    return Sum(tuple(others), tuple(gaussian), sum(_draws(part) for _, part in others))


def _draws(part: Node[T] | Sum[T]) -> int:
    return part.others_draws if isinstance(part, Sum) else part.draws
