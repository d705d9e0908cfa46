"""Nodes, which flow through a network, and their passage through its layers.

A node is a base, and a function of it that has not been averaged yet. Its verbs say what a layer does to its units.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Generic, final

import numpy as np

from igbtheory.foundations.progress import counted
from igbtheory.layers.nodes.base import Averaged, Base, T, Units
from igbtheory.layers.nodes.data import Components
from igbtheory.layers.nodes.draws import ALONE, Array, Draws, Sampling
from igbtheory.layers.nodes.gaussian import of_gaussian
from igbtheory.layers.nodes.places import Places, Point
from igbtheory.layers.nodes.samples import Ruled, behind
from igbtheory.mathematics.averages.approximation_error import doubted
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import Moments, Pairs
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function, composed
from igbtheory.mathematics.numbers import FLOAT64, Kind

ROUNDINGS = 3
"""Number of rounding errors of a variance sigma_w2 (mean^2 + var) + sigma_b2."""


@final
@dataclass(frozen=True)
class Passage:
    """The passage of nodes through layers, which alone calls their rules; its fields are what a rule may depend on.

    applied: how the rule of a layer is applied, for bases that average in another way; None: as it is. gradients:
    whether gradients or tangent kernels are asked for, so that a layer without a rule is refused rather than estimated;
    trains: whether layers add noise to the data, such as Dropout, or are in evaluation mode; within: whether
    covariances within a batch are wanted even if they must be drawn; batch_size: data in a batch that is full
    otherwise, None for infinitely many; sampling: how units of a data set are drawn; sees: is shown every layer and the
    node behind it.
    """

    applied: Callable[[Ruled, "Node[Any]"], "Node[Any]"] | None = None
    gradients: bool = False
    trains: bool = True
    within: bool = False
    batch_size: int | None = None
    sampling: Sampling = ALONE
    sees: Callable[[Ruled, "Node[Any]"], None] | None = None

    def behind(self, layer: Ruled, node: "Node[Any]") -> "Node[Any]":
        """Return the node behind a layer; one that acts on each unit alone acts on units of each kind apart."""
        rule = partial(self._ruled, layer)
        behind: Node[Any] = node.base.changed(node, rule) if layer.each_unit else rule(node)
        if self.sees:
            self.sees(layer, behind)
        return behind

    def _ruled(self, layer: Ruled, node: "Node[Any]") -> "Node[Any]":
        """Return the node that the rule of a layer returns."""
        behind = self.applied(layer, node) if self.applied else layer.rule(node)
        if not isinstance(behind, Node):
            raise TypeError(
                f"expected the rule of {layer!r} to return a node, got {type(behind).__name__}; return what a verb "
                "of the node returns, such as node.times_number(2.0)"
            )
        return behind

    def show(self, layer: Ruled, node: "Node[Any]") -> None:
        """Show the node behind a layer to whoever observes this passage."""
        if self.sees:
            self.sees(layer, node)

    def listed(self, layers: Sequence[Ruled], node: "Node[Any]", renewed: Any = None) -> Iterator["Node[Any]"]:
        """Yield the node behind each listed layer. `renewed` returns the node that goes on from there in its place."""
        for layer in counted(layers, len(layers), "layers"):
            node = self.behind(layer, node)
            if layer.listed:
                yield node
                node = renewed(node) if renewed else node


USUAL = Passage()
"""The passage of a prediction."""


@final
@dataclass(frozen=True)
class Node(Generic[T]):
    """Node phi(M), M the largest of `maximum` independent units of the `base`.

    n is the kind of number; phi is the function that has not been averaged yet, None for the identity; estimated lists
    the layers whose rule was estimated from draws; batch is the number of data in a batch; places are the pairs of
    positions of images, None for vectors; passage is the one that the node is on.
    """

    n: Kind
    base: Base[T]
    maximum: int = 1
    phi: Function | None = None
    estimated: tuple[Any, ...] = ()
    batch: int = 1
    places: Places | None = None
    passage: Passage = USUAL

    @property
    def gaussian(self) -> bool:
        """Whether the node is Gaussian: its base is, and no function is applied to it."""
        return self.phi is None and self.maximum == 1 and self.base.gaussian

    @property
    def shape(self) -> Point:
        """Shape of the positions: (height, width), (tokens,), or () of vectors."""
        return self.places.shape if self.places else ()

    @property
    def components(self) -> Components | None:
        """The components of given data, if the node is theirs: few units, which depend on one another."""
        return components_of(self.base)

    def averaged(self) -> T:
        """Return the second moments of phi(M), computed once; their error includes the error of an approximated phi."""
        moments: T | None = self.__dict__.get("moments")  # cached_property of Python 3.11 holds up other threads
        if moments is None:
            moments = self._averaged()
            object.__setattr__(self, "moments", moments)
        return moments

    def _averaged(self) -> T:
        moments = self.base.average(self.n, self.phi, self.maximum)
        if self.phi is None or self.phi.doubt is None:
            return moments
        if self.n.exact:
            raise ValueError(
                f"expected the formula of an activation for certify or derive, got {self.phi.name!r}, which is "
                "approximated; use predict(), which adds its error"
            )
        return doubted(self.phi, self.maximum, self.base.average(self.n, None, 1), moments)  # type: ignore[type-var]

    def means(self) -> tuple[Any, Any]:
        """Return the means over the weights at the two data of a pair."""
        x: Any = self.averaged()
        mean = Each.of(x.mean)
        return mean.a, mean.b

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, shape (*sweep, data, count)."""
        return of_units(self.base.units(draws, count * self.maximum), self.phi, self.maximum)

    def through(self, layers: Iterable[Ruled]) -> "Node[T]":
        """Return the node behind layers in a row."""
        return reduce(lambda node, layer: self.passage.behind(layer, node), layers, self)

    # The verbs. Those that average are verbs of the moments, too.

    def then(self, phi: Function | str) -> "Node[T]":
        """Return the node with phi applied to it; a text is a formula in x, or a name of the catalogue."""
        outer = function_of(phi) if isinstance(phi, str) else phi

        def bent(node: "Node[T]") -> "Node[T]":
            return node.with_base(node.base, node.maximum, outer if node.phi is None else composed(outer, node.phi))

        behind: Node[T] = self.base.changed(self, bent)
        return behind

    def largest(self, m: int) -> "Node[T] | None":
        """Return the maximum over m copies of the node, or None if there is no rule for it.

        An increasing phi commutes with the maximum.
        """
        if not self.base.averages or self.base.dependent or not self.base.increases(self.phi, m):
            return None
        return replace(self, maximum=self.maximum * m)

    def weighted(self, sigma_w2: Any, sigma_b2: Any = 0.0) -> "Node[T]":
        """Return the Gaussian sums of many units, weights N(0, sigma_w2/units) and biases N(0, sigma_b2)."""
        return self.after(of_gaussian(self.sums(self.averaged(), sigma_w2, sigma_b2)))

    def sums(self, x: Any, sigma_w2: Any, sigma_b2: Any) -> Any:
        """Return the moments of such sums of units with the moments x."""
        n = self.n
        rounding = 0.0 if n.exact else ROUNDINGS * n.epsilon  # balls contain their rounding errors
        return x.weighted(n.number(sigma_w2), n.number(sigma_b2), rounding)

    def over_root(self, q: Any, centre: Any = 0) -> "Node[T]":
        """Return (x - centre)/sqrt(q); q and the centre may differ between data. The centre is the mean of x, or 0."""
        root, shift = Each.of(q).a, Each.of(centre).a

        def scaled(x: Array, draws: Draws) -> Array:
            del draws
            return np.asarray((x - beside_data(shift)) / np.sqrt(beside_data(root)))

        x: Any = self.averaged()
        return self.remade(self.drawing(scaled), x.over_root(self.n, q, centre))

    def times_number(self, s: Any) -> "Node[T]":
        """Return s x."""
        number = self.n.number(s)
        drawn = self.drawing(lambda x, _: np.asarray(x * beside_data(number)))
        x: Any = self.averaged()
        return self.remade(drawn, x.times_number(number))

    def of_copies(self, m: int) -> "Node[T]":
        """Return the mean of m independent copies of x."""

        def pooled(draws: Draws, count: int) -> Array:
            x = self.units(draws, count * m)
            return np.asarray(x.reshape(*x.shape[:-1], count, m).mean(axis=-1))

        x: Any = self.averaged()
        return self.remade(pooled, x.of_copies(m))

    def dropped(self, p: Any) -> "Node[T]":
        """Return x d/(1 - p), d = 0 with probability p, else 1, independently for every unit and datum.

        In evaluation mode, in which networks train in theory, it is the node itself.
        """
        if not self.passage.trains:
            return self

        def kept(x: Array, draws: Draws) -> Array:
            probability = beside_data(p)
            return np.asarray(x * (draws.rng.random(x.shape, dtype=np.float32) >= probability) / (1 - probability))

        x: Any = self.averaged()
        return self.with_moments(self.drawing(kept), x.dropped(self.n.number(p)))

    def times(self, other: "Node[T]") -> "Node[T]":
        """Return x y, y the unit of the `other` node, independent of x."""

        def product(draws: Draws, count: int) -> Array:
            return self.units(draws, count) * other.units(draws, count)

        x: Any = self.averaged()
        return self.with_moments(product, x.times(other.averaged()))

    # How rules make other nodes.

    def after(self, base: Base[T]) -> "Node[T]":
        """Return the node with another base, to which no function is applied."""
        return self.with_base(base, 1, None)

    def with_base(self, base: Base[T], maximum: int, phi: Function | None) -> "Node[T]":
        """Return the node phi(M) of a base; `replace` would take twice as long, at every layer."""
        return Node(self.n, base, maximum, phi, self.estimated, self.batch, self.places, self.passage)

    def naming(self, layer: Ruled) -> "Node[T]":
        """Return the node with the layer appended to the list of estimated ones."""
        return replace(self, estimated=(*self.estimated, layer))

    def drawing(self, change: Callable[[Array, Draws], Array]) -> Units:
        """Return the function that draws units and changes them one by one."""
        if (components := components_of(self.base)) is not None:
            return replace(components, changes=(*components.changes, change))
        return lambda draws, count: change(self.units(draws, count), draws)

    def with_moments(self, layer: Ruled | Units, values: T, means: tuple[Any, Any] | None = None) -> "Node[T]":
        """Return the node behind a layer, given its moments; means: at the two data of a pair, if x has other ones.

        Units that are drawn later are the layer's samples of this node's units; a function that draws them may be given
        in place of the layer.
        """
        values = values if means is None else replace(values, mean=Each(*means))  # type: ignore[type-var]
        drawn = behind(layer, self) if hasattr(layer, "samples") else layer  # type: ignore[arg-type]
        return self.after(Averaged(values, drawn, self.base.dependent))

    def remade(self, layer: Ruled | Units, values: T, means: tuple[Any, Any] | None = None) -> "Node[T]":
        """Return the node behind a layer that is linear in the units, so that a Gaussian node stays Gaussian.

        The arguments are those of `with_moments`.
        """
        if self.gaussian:
            return self.after(replace(self.base, values=values))  # type: ignore[type-var]
        return self.with_moments(layer, values, means)


def components_of(base: Base[Any]) -> Components | None:
    """Return the components of given data whose units a base has, if it has theirs."""
    drawn = base.drawn if isinstance(base, Averaged) else None
    return drawn if isinstance(drawn, Components) else None


def beside_data(value: Any) -> Array:
    """Return a number of a law with axes of data and units appended; numbers at all data, (data, 1), as they are."""
    values = np.asarray(value, dtype=float)
    return values if values.ndim == 2 and values.shape[1] == 1 else values[..., None, None]


def of_units(x: Array, phi: Function | None, m: int) -> Array:
    """Return phi(M) of drawn units, M the largest of m neighbouring ones."""
    if m > 1:
        x = x.reshape(*x.shape[:-1], -1, m).max(axis=-1)
    return x if phi is None else np.asarray(phi(FLOAT64, x), dtype=float)


def no_units(draws: Draws, count: int) -> Array:
    """Refuse to draw units."""
    del draws, count
    raise ValueError(
        "expected units that can be drawn in front of a layer without an exact rule, got moments alone; put a Dense "
        "between them"
    )


def refuse_draws(layer: Ruled, node: Node[Any]) -> None:
    """Refuse to estimate a layer in formulas, in proven enclosures, or where two close data must be followed."""
    if node.n.exact:
        raise ValueError(
            f"expected layers with exact rules, got {layer!r}, which has none behind the layers in front of it; use "
            "predict(), which estimates it from draws and reports its error"
        )
    if node.passage.gradients:
        raise ValueError(
            f"expected layers with exact rules for gradients, got {layer!r}, which is estimated from draws; leave it "
            "out, or use a layer that has a rule there"
        )


LawNode = Node[Moments]
KernelNode = Node[Pairs]
