"""Nodes: what flows through a network, a base and the function of it that is not averaged yet."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.activations.function import Function, composed
from igbtheory.activations.moments import Moments
from igbtheory.layers.pairs import Pairs
from igbtheory.layers.strata import Strata
from igbtheory.numbers import FLOAT64, Kind

T = TypeVar("T")
Array = NDArray[np.float64]
TOGETHER = 2**12
"""Draws of a unit at once at least, where several make one value."""
Units = Callable[[Generator, int, int | None], Array]
"""Units drawn over the weights, shape (data, count), from a generator, their count and None: at given data; of a law
from the size of a batch, over its data too, with the axes of a sweep in front."""
Spread = Callable[[Strata, int], Array]
"""Mean and variance over all data of units of a law, drawn over the weights, shape (2, count), from numbers in strata
and their count, with the axes of a sweep in front."""


class Base(ABC, Generic[T]):
    """Law of one unit over weights and data, or its kernel on a given data set, of which functions may be averaged.

    T: what an average gives, Moments of a law or Pairs of a data set.
    """

    @abstractmethod
    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        """Second moments of phi(M), M the largest of m independent units; phi = None is the identity."""

    @abstractmethod
    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        """Means over the weights of phi(M) at the data a and b of a pair; of Moments the mean, twice."""

    @abstractmethod
    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        """Probability that the sum of `copies` independent phi(M) is one value over a whole batch of `size` data."""

    def zeros(self, phi: Function | None, m: int, size: int) -> Any:
        """Probability that `size` data of a batch all have phi(M) = 0."""
        del phi, m, size
        raise ValueError(
            "BatchNorm in batches behind Dropout: how often the units in front of it are 0 is not known; use the full "
            "batch, or put a Dense between them"
        )

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        """Units drawn, as in `Units`."""
        del rng, count, size
        raise TypeError(f"no rule draws {type(self).__name__}")

    def spread(self, phi: Function | None, m: int, strata: Strata, count: int) -> Array:
        """Mean and variance of phi(M) over all data drawn, as in `Spread`."""
        del phi, m, strata, count
        raise ValueError(
            "expected layers behind a Gaussian unit in front of BatchNorm(eps=...) over the full batch, got units of "
            "normalised groups or batches: how their variance over all data varies from unit to unit is not known; use "
            "eps=0, batches of n, or predict on a given data set"
        )

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
    """Unit of which only moments are known: a function of it cannot be averaged.

    what: the unit in words, for the refusal; dead: of a law, from `size` and `copies` the probability that the sum of
    so many independent copies is one value over a batch of that size, None where that is not known; drawn: its units,
    of `draws` random numbers each; spread_drawn: their mean and variance over all data; scaled: a node x and a q where
    the unit is x/sqrt(q) and a constant.
    """

    values: T
    centres: tuple[Any, Any]
    what: str
    dead: Callable[[int, int], Any] | None = None
    drawn: Units | None = None
    draws: int = 1
    spread_drawn: Spread | None = None
    scaled: "tuple[Node[T], Any] | None" = None

    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        del n, phi, m
        return self.values

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        del n, phi, m
        return self.centres

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n, phi, m
        if self.dead is None:
            raise ValueError(
                f"BatchNorm in batches of {size} cannot tell how often {self.what} does not vary over a batch; use the "
                "full batch, or put a Dense between them"
            )
        return self.dead(size, copies)

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        if self.drawn is None:
            raise ValueError(f"BatchNorm here draws units, and no rule draws {self.what}; put a Dense between them")
        return self.drawn(rng, count, size)

    def spread(self, phi: Function | None, m: int, strata: Strata, count: int) -> Array:
        if self.spread_drawn is None:
            return super().spread(phi, m, strata, count)
        return self.spread_drawn(strata, count)

    @property
    def error(self) -> Any:
        return self.values.error  # type: ignore[attr-defined]

    @property
    def refusal(self) -> str:
        return self.what


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

    def then(self, phi: Function) -> "Node[T]":
        """Node with phi applied after the function it has."""
        self._refuse_closed(f"the activation {phi.name!r}")
        return replace(self, phi=phi if self.phi is None else composed(phi, self.phi))

    def largest(self, m: int) -> "Node[T]":
        """Node with the maximum over m copies taken; an increasing phi commutes with it."""
        self._refuse_closed(f"MaxPool({m})")
        if not self.base.pools:
            raise ValueError(
                f"expected independent units in front of MaxPool({m}), got units of one normalised group; put a Dense "
                "between them, or use LayerNorm"
            )
        if self.phi is not None and self.phi.monotonicity <= 0:
            raise ValueError(
                f"expected an increasing activation in front of MaxPool({m}), got {self.phi.name!r}: the largest of "
                f"its values is not its value at the largest; put MaxPool({m}) before the activation, or a Dense "
                "between them"
            )
        return replace(self, maximum=self.maximum * m)

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
        """Units drawn, as in `Units`."""
        return extended(lambda some: self.base.units(rng, some, size), self.phi, self.maximum, count)

    def spread(self, strata: Strata, count: int) -> Array:
        """Mean and variance over all data drawn, as in `Spread`."""
        return self.base.spread(self.phi, self.maximum, strata, count)

    @property
    def draws(self) -> int:
        """Random numbers that one value of `units` takes."""
        return self.maximum * self.base.draws

    def remade(self, values: T, centres: tuple[Any, Any], what: str, **known: Any) -> "Node[T]":
        """Node with these moments: Gaussian where this one is, else as `averaged_to` says."""
        if self.gaussian:
            return Node(self.n, replace(self.base, values=values))  # type: ignore[type-var]
        return self.averaged_to(values, centres, what, **known)

    def averaged_to(self, values: T, centres: tuple[Any, Any], what: str, **known: Any) -> "Node[T]":
        """Node of which these moments are known and, at most, what is `known` of it: see Averaged."""
        return Node(self.n, Averaged(values, centres, what, **known))

    def _refuse_closed(self, layer: str) -> None:
        if self.base.refusal:
            raise ValueError(
                f"expected a Gaussian unit in front of {layer}, got {self.base.refusal}, of which only the mean and "
                "the covariance are known; put a Dense between them"
            )


def copies(draw: Callable[[int], Array], m: int, count: int) -> Iterator[Array]:
    """`count` times m independent draws, shape (..., some of the m, count): as many at once as pay."""
    at_once = max(1, TOGETHER // count)
    for start in range(0, m, at_once):
        some = min(at_once, m - start)
        found = draw(some * count)
        yield found.reshape(*found.shape[:-1], some, count)


def extended(draw: Callable[[int], Array], phi: Function | None, m: int, count: int) -> Array:
    """Values phi(M), M the largest of m draws."""
    found = reduce(np.maximum, (some.max(axis=-2) for some in copies(draw, m, count)))
    return found if phi is None else np.asarray(phi(FLOAT64, found), dtype=np.float64)


def over_data(value: Any) -> Array:
    """A number of a law, one at each point of a sweep, beside its units: the same at all data and in all draws."""
    return np.asarray(value, dtype=float)[..., None, None]


LawNode = Node[Moments]
KernelNode = Node[Pairs]
