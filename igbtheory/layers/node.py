"""Nodes: what flows through a network, a base and the function of it that is not averaged yet."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, final

import numpy as np

from igbtheory.averages.state import Moments, Pairs
from igbtheory.formulas.function import Function, composed
from igbtheory.layers.draws import Array, Draws
from igbtheory.numbers import FLOAT64, Kind

if TYPE_CHECKING:
    from igbtheory.layers.layer import Layer

T = TypeVar("T")
Units = Callable[[Draws, int], Array]
"""Draws units: from a replicate and their number, an array (*sweep, data, units)."""
Constant = Callable[[int, int], Any]
"""Probability that a sum of copies of a unit does not vary over a batch, from its size and the number of copies."""


class Base(ABC, Generic[T]):
    """Law of one unit over weights and data, or its kernel on a given data set.

    T is what an average gives: Moments of a law, or Pairs of a data set.
    """

    @abstractmethod
    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        """Return the second moments of phi(M), M the largest of m independent units; phi = None is the identity."""

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        """Return the means of phi(M) over the weights at the data a and b of a pair."""
        x = self.average(n, phi, m)
        return x.mean, x.mean  # type: ignore[attr-defined]

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, shape (*sweep, data, count)."""
        del draws, count
        raise TypeError(f"{type(self).__name__} stands for formulas or proven numbers, which cannot be drawn")

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        """Return how often the sum of `copies` independent phi(M) does not vary over a batch of `size` data.

        None means that no rule knows it.
        """
        del n, phi, m, size, copies

    @property
    def error(self) -> Any:
        """The estimated relative error of the second moments that the base holds."""
        values = getattr(self, "values", None)
        return 0.0 if values is None else values.error

    gaussian: ClassVar[bool] = False
    """Whether the unit is Gaussian: then it has `values`, and with others it is another Gaussian unit."""
    averages: ClassVar[bool] = True
    """Whether functions of the unit can be averaged."""

    @property
    def dependent(self) -> bool:
        """Whether units depend on one another, as those of one group do behind a GroupNorm."""
        return False


@final
@dataclass(frozen=True)
class Averaged(Base[T]):
    """Unit of which the moments are known, and otherwise only how to draw it."""

    values: T
    centres: tuple[Any, Any]
    drawn: Units
    known_constant: Constant | None = None
    dependent: bool = False

    averages: ClassVar[bool] = False

    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        del n, phi, m
        return self.values

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        del n, phi, m
        return self.centres

    def units(self, draws: Draws, count: int) -> Array:
        return self.drawn(draws, count)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n, phi, m
        return None if self.known_constant is None else self.known_constant(size, copies)


@final
@dataclass(frozen=True)
class Node(Generic[T]):
    """Node phi(M), M the largest of `maximum` independent units of the `base`.

    n is the kind of number; phi is the function not averaged yet, None for the identity; estimated lists the layers
    whose rule was estimated from draws; batch is the size of the batches whose data depend on one another; draws_within
    asks for covariances within a batch also where only draws give them.
    """

    n: Kind
    base: Base[T]
    maximum: int = 1
    phi: Function | None = None
    estimated: "tuple[Layer, ...]" = ()
    batch: int = 1
    draws_within: bool = False

    @property
    def gaussian(self) -> bool:
        """Whether the node is Gaussian, with no function of it."""
        return self.phi is None and self.maximum == 1 and self.base.gaussian

    def then(self, phi: Function) -> "Node[T]":
        """Return the node with phi applied after the function it has."""
        return replace(self, phi=phi if self.phi is None else composed(phi, self.phi))

    def largest(self, m: int) -> "Node[T] | None":
        """Return the node with the maximum over m copies taken, None where no rule does it.

        An increasing phi commutes with the maximum.
        """
        if not self.base.averages or self.base.dependent or (self.phi is not None and self.phi.monotonicity <= 0):
            return None
        return replace(self, maximum=self.maximum * m)

    def averaged(self) -> T:
        """Return the second moments of phi(M)."""
        return self.base.average(self.n, self.phi, self.maximum)

    def means(self) -> tuple[Any, Any]:
        """Return the means over the weights at the two data of a pair."""
        return self.base.means(self.n, self.phi, self.maximum)

    def constant(self, size: int, copies: int = 1) -> Any:
        """Return how often the sum of `copies` such nodes does not vary over a batch, None where that is not known."""
        return self.base.constant(self.n, self.phi, self.maximum, size, copies)

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, shape (*sweep, data, count)."""
        return of_units(self.base.units(draws, count * self.maximum), self.phi, self.maximum)

    def after(self, base: Base[T]) -> "Node[T]":
        """Return the node with another base, to which no function has been applied yet."""
        return replace(self, base=base, maximum=1, phi=None)

    def naming(self, layer: "Layer") -> "Node[T]":
        """Return the node with the layer named among those that were estimated."""
        return replace(self, estimated=(*self.estimated, layer))

    def with_moments(
        self,
        layer: "Layer | Units",
        values: T,
        means: tuple[Any, Any] | None = None,
        constant: Constant | None = None,
    ) -> "Node[T]":
        """Return the node behind a layer of which only these second moments and means are known.

        means: at the two data of a pair, those of a law by default. constant: how often units behind the layer do not
        vary over a batch, where that is known. Where units are drawn, the layer's samples act on units of this node.
        """
        centres = (values.mean, values.mean) if means is None else means  # type: ignore[attr-defined]
        drawn = layer.behind(self) if hasattr(layer, "behind") else layer
        return self.after(Averaged(values, centres, drawn, constant, self.base.dependent))

    def remade(
        self,
        layer: "Layer | Units",
        values: T,
        means: tuple[Any, Any] | None = None,
        constant: Constant | None = None,
    ) -> "Node[T]":
        """Return the same for a layer that is linear in its units, which keeps Gaussian ones Gaussian."""
        if self.gaussian:
            return self.after(replace(self.base, values=values))  # type: ignore[type-var]
        return self.with_moments(layer, values, means, constant)


def of_units(x: Array, phi: Function | None, m: int) -> Array:
    """Return phi(M) of drawn units, M the largest of each m of them."""
    if m > 1:
        x = x.reshape(*x.shape[:-1], -1, m).max(axis=-1)
    return x if phi is None else np.asarray(phi(FLOAT64, x), dtype=float)


def moments_only(n: Kind, values: Moments) -> Node[Moments]:
    """Return a node of which nothing but the moments is known, so that its units cannot be drawn."""
    return Node(n, Averaged(values, (values.mean, values.mean), _no_units))


def _no_units(draws: Draws, count: int) -> Array:
    del draws, count
    raise ValueError(
        "expected units that can be drawn in front of a layer without an exact rule, got moments alone; put a Dense "
        "between them"
    )


LawNode = Node[Moments]
KernelNode = Node[Pairs]
