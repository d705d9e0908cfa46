"""Nodes, which flow through a network: a base, and a function of it that has not been averaged yet."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, final

import numpy as np

from igbtheory.layers.nodes.base import Averaged, Base, Units
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.places import Places, Point
from igbtheory.mathematics.averages.approximation_error import doubted
from igbtheory.mathematics.averages.state import Moments, Pairs
from igbtheory.mathematics.formulas.function import Function, composed
from igbtheory.mathematics.numbers import FLOAT64, Kind

T = TypeVar("T")


class HasUnits(Protocol):
    """A layer, as far as a node knows it: it draws units behind itself."""

    def behind(self, node: "Node[Any]") -> Units:
        """Return a function that draws units behind the layer, given the node in front of it."""


@final
@dataclass(frozen=True)
class Node(Generic[T]):
    """Node phi(M), M the largest of `maximum` independent units of the `base`.

    n is the kind of number; phi is the function that has not been averaged yet, None for the identity; estimated lists
    the layers whose rule was estimated from draws; batch is the number of data in a batch; draws_within is True if
    covariances within a batch are wanted even if they must be drawn; places are the pairs of positions of images, None
    for vectors; world numbers the averaged predictions of `layers.few`, and is 0 if there is only one; shown holds
    second moments behind earlier layers, with numbers that order them.
    """

    n: Kind
    base: Base[T]
    maximum: int = 1
    phi: Function | None = None
    estimated: tuple[Any, ...] = ()
    batch: int = 1
    draws_within: bool = False
    places: Places | None = None
    world: int = 0
    shown: tuple[tuple[int, T], ...] = ()

    @property
    def gaussian(self) -> bool:
        """Whether the node is Gaussian: its base is, and no function is applied to it."""
        return self.phi is None and self.maximum == 1 and self.base.gaussian

    @property
    def shape(self) -> Point:
        """Shape of the positions: (height, width), (tokens,), or () of vectors."""
        return self.places.shape if self.places else ()

    def then(self, phi: Function) -> "Node[T]":
        """Return the node with phi applied to it."""
        return replace(self, phi=phi if self.phi is None else composed(phi, self.phi))

    def largest(self, m: int) -> "Node[T] | None":
        """Return the maximum over m copies of the node, or None if there is no rule for it.

        An increasing phi commutes with the maximum.
        """
        if not (self.base.averages and self.base.rises) or self.base.dependent or not self.increasing:
            return None
        return replace(self, maximum=self.maximum * m)

    @property
    def increasing(self) -> bool:
        """Whether the function is known to increase."""
        return self.phi is None or self.phi.monotonicity > 0

    def averaged(self) -> T:
        """Return the second moments of phi(M); their error includes the error of an approximated phi."""
        found = self.base.average(self.n, self.phi, self.maximum)
        if self.phi is None or self.phi.doubt is None:
            return found
        if self.n.exact:
            raise ValueError(
                f"expected the formula of an activation for certify or derive, got {self.phi.name!r}, which is "
                "approximated; use predict(), which adds its error"
            )
        return doubted(self.phi, self.maximum, self.base.average(self.n, None, 1), found)  # type: ignore[type-var]

    def means(self) -> tuple[Any, Any]:
        """Return the means over the weights at the two data of a pair."""
        return self.base.means(self.n, self.phi, self.maximum)

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, shape (*sweep, data, count)."""
        return of_units(self.base.units(draws, count * self.maximum), self.phi, self.maximum)

    def after(self, base: Base[T]) -> "Node[T]":
        """Return the node with another base, to which no function is applied."""
        return replace(self, base=base, maximum=1, phi=None)

    def naming(self, layer: HasUnits) -> "Node[T]":
        """Return the node with the layer appended to the list of estimated ones."""
        return replace(self, estimated=(*self.estimated, layer))

    def with_moments(self, layer: HasUnits | Units, values: T, means: tuple[Any, Any] | None = None) -> "Node[T]":
        """Return the node behind a layer, given its second moments and the means at the two data of a pair.

        means: values.mean by default, for a law. Units that are drawn later are the layer's samples of this node's
        units; a function that draws them may be given in place of the layer.
        """
        centres = (values.mean, values.mean) if means is None else means  # type: ignore[attr-defined]
        drawn = layer.behind(self) if hasattr(layer, "behind") else layer
        return self.after(Averaged(values, centres, drawn, self.base.dependent))

    def remade(self, layer: HasUnits | Units, values: T, means: tuple[Any, Any] | None = None) -> "Node[T]":
        """Return the node behind a layer that is linear in the units, so that a Gaussian node stays Gaussian.

        The arguments are those of `with_moments`.
        """
        if self.gaussian:
            return self.after(replace(self.base, values=values))  # type: ignore[type-var]
        return self.with_moments(layer, values, means)


def of_units(x: Array, phi: Function | None, m: int) -> Array:
    """Return phi(M) of drawn units, M the largest of m neighbouring ones."""
    if m > 1:
        x = x.reshape(*x.shape[:-1], -1, m).max(axis=-1)
    return x if phi is None else np.asarray(phi(FLOAT64, x), dtype=float)


def moments_only(n: Kind, values: Moments) -> Node[Moments]:
    """Return a node with these moments, whose units cannot be drawn."""
    return Node(n, Averaged(values, (values.mean, values.mean), no_units))


def no_units(draws: Draws, count: int) -> Array:
    """Refuse to draw units."""
    del draws, count
    raise ValueError(
        "expected units that can be drawn in front of a layer without an exact rule, got moments alone; put a Dense "
        "between them"
    )


def refuse_exact(layer: HasUnits, n: Kind) -> None:
    """Refuse to estimate a layer in formulas or in proven enclosures, which cannot hold an estimate."""
    if n.exact:
        raise ValueError(
            f"expected layers with exact rules, got {layer!r}, which has none behind the layers in front of it; use "
            "predict(), which estimates it from draws and reports its error"
        )


LawNode = Node[Moments]
KernelNode = Node[Pairs]
