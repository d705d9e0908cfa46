"""Nodes: what flows through a network, a base and the function of it that is not averaged yet."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, final

from numpy.random import Generator

from igbtheory.averages.state import Moments, Pairs
from igbtheory.formulas.function import Function, composed
from igbtheory.layers.dead import UnknownError
from igbtheory.layers.draws import Array, extended
from igbtheory.layers.recipe import NO_SPREAD, Recipe
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata
from igbtheory.numbers import Kind

T = TypeVar("T")


class Base(ABC, Generic[T]):
    """Law of one unit over weights and data, or its kernel on a given data set, of which functions may be averaged.

    T: what an average gives, Moments of a law or Pairs of a data set.
    """

    @abstractmethod
    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        """Second moments of phi(M), M the largest of m independent units; phi = None is the identity."""

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        """Of a kernel: means over the weights of phi(M) at the data a and b of a pair."""
        del n, phi, m
        raise TypeError(f"{type(self).__name__} is a law: its mean is one of its moments")

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        """Of a law: probability that a sum of `copies` independent phi(M) is one value over a batch of `size` data."""
        del n, phi, m, size, copies
        raise TypeError(f"{type(self).__name__} is a kernel: its batches are given")

    def zeros(self, phi: Function | None, m: int, size: int) -> Any:
        """Probability that `size` data of a batch all have phi(M) = 0."""
        del phi, m, size
        raise UnknownError(
            "BatchNorm in batches behind Dropout: how often the units in front of it are 0 is not known; use the full "
            "batch, or put a Dense between them"
        )

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        """Units drawn: see `Recipe.units`."""
        del rng, count, size
        raise TypeError(f"no rule draws {type(self).__name__}")

    def spread(self, phi: Function | None, m: int, strata: Strata, count: int) -> Array:
        """Mean and variance of phi(M) over all data drawn: see `Recipe.spread`."""
        del phi, m, strata, count
        raise ValueError(NO_SPREAD)

    def single(self, phi: Function | None, m: int) -> Single | None:
        """Of a law: phi(M) as what comes from one Gaussian unit, if it does."""
        del phi, m
        return None

    @property
    def draws(self) -> int:
        """Random numbers that one value of `units` takes."""
        return 1

    @property
    def error(self) -> Any:
        """Estimated relative error of the second moments that the base holds."""
        return 0.0

    @property
    def gaussian(self) -> bool:
        """Whether the unit is Gaussian: then it has `values`, and is another one with others."""
        return False

    @property
    def pools(self) -> bool:
        """Whether units are independent, so that the largest of several can be taken."""
        return True

    @property
    def refusal(self) -> str:
        """What the unit is, where no function of it can be averaged any more; else nothing."""
        return ""


@final
@dataclass(frozen=True)
class Averaged(Base[T]):
    """Unit of which only moments are known, and its recipe: a function of it cannot be averaged."""

    values: T
    centres: tuple[Any, Any]
    recipe: Recipe

    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        del n, phi, m
        return self.values

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        del n, phi, m
        return self.centres

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n, phi, m
        return self.recipe.constant(size, copies)

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        return self.recipe.units(rng, count, size)

    def spread(self, phi: Function | None, m: int, strata: Strata, count: int) -> Array:
        del phi, m
        return self.recipe.spread(strata, count)

    def single(self, phi: Function | None, m: int) -> Single | None:
        del phi, m
        return self.recipe.single()

    @property
    def draws(self) -> int:
        return self.recipe.draws

    @property
    def error(self) -> Any:
        return self.values.error  # type: ignore[attr-defined]

    @property
    def refusal(self) -> str:
        return self.recipe.what


@final
@dataclass(frozen=True)
class Node(Generic[T]):
    """Node phi(M), M the largest of `maximum` independent units of the `base`.

    n: the kind of number; phi: the function not averaged yet, None for the identity.
    """

    n: Kind
    base: Base[T]
    maximum: int = 1
    phi: Function | None = None

    @property
    def gaussian(self) -> bool:
        """Whether the node is Gaussian, with no function of it."""
        return self.phi is None and self.maximum == 1 and self.base.gaussian

    @property
    def recipe(self) -> Recipe | None:
        """How the node is made, where no function of it can be averaged."""
        return self.base.recipe if isinstance(self.base, Averaged) else None

    def then(self, phi: Function) -> "Node[T]":
        """Node with phi applied after the function it has."""
        self._refuse_closed(f"the activation {phi.name!r}")
        return replace(self, phi=phi if self.phi is None else composed(phi, self.phi))

    def largest(self, m: int) -> "Node[T]":
        """Node with the maximum over m copies taken; an increasing phi commutes with it."""
        self._refuse_closed(f"MaxPool({m})")
        self.refuse_groups(f"MaxPool({m})")
        if self.phi is not None and self.phi.monotonicity <= 0:
            raise ValueError(
                f"expected an increasing activation in front of MaxPool({m}), got {self.phi.name!r}: the largest of "
                f"its values is not its value at the largest; put MaxPool({m}) before the activation, or a Dense "
                "between them"
            )
        return replace(self, maximum=self.maximum * m)

    def refuse_groups(self, layer: str) -> None:
        """Refuse units of one normalised group, which are not independent, in front of a layer that pools."""
        if not self.base.pools:
            raise ValueError(
                f"expected independent units in front of {layer}, got units of one normalised group; put a Dense "
                "between them, or use LayerNorm"
            )

    def averaged(self) -> T:
        """Second moments of phi(M)."""
        return self.base.average(self.n, self.phi, self.maximum)

    def means(self) -> tuple[Any, Any]:
        """Means over the weights at the two data of a pair."""
        return self.base.means(self.n, self.phi, self.maximum)

    def constant(self, size: int, copies: int = 1) -> Any:
        """Probability that the sum of `copies` such nodes is one value over a whole batch of `size` data."""
        return self.base.constant(self.n, self.phi, self.maximum, size, copies)

    def zeros(self, size: int) -> Any:
        """Probability that `size` data of a batch are all 0."""
        return self.base.zeros(self.phi, self.maximum, size)

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        """Units drawn: see `Recipe.units`."""
        return extended(lambda some: self.base.units(rng, some, size), self.phi, self.maximum, count)

    def spread(self, strata: Strata, count: int) -> Array:
        """Mean and variance over all data drawn: see `Recipe.spread`."""
        return self.base.spread(self.phi, self.maximum, strata, count)

    def single(self) -> Single | None:
        """Of a law: the node as what comes from one Gaussian unit, if it does."""
        return self.base.single(self.phi, self.maximum)

    @property
    def draws(self) -> int:
        """Random numbers that one value of `units` takes."""
        return self.maximum * self.base.draws

    def remade(self, values: T, centres: tuple[Any, Any], recipe: Recipe) -> "Node[T]":
        """Node with these moments: Gaussian where this one is, else made by the recipe."""
        if self.gaussian:
            return Node(self.n, replace(self.base, values=values))  # type: ignore[type-var]
        return Node(self.n, Averaged(values, centres, recipe))

    def _refuse_closed(self, layer: str) -> None:
        if self.base.refusal:
            raise ValueError(
                f"expected a Gaussian unit in front of {layer}, got {self.base.refusal}, of which only the mean and "
                "the covariance are known; put a Dense between them"
            )


@dataclass(frozen=True)
class OfNode(Recipe, Generic[T]):
    """Unit made of one unit of a node, which does not vary over a batch where that one does not."""

    node: Node[T]

    @property
    def draws(self) -> int:
        return self.node.draws

    def constant(self, size: int, copies: int) -> Any:
        return self.node.constant(size, copies)


LawNode = Node[Moments]
KernelNode = Node[Pairs]
