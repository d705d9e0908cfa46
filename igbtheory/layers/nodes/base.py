"""Bases of nodes: the law of one unit over weights and data, or its kernel on a given data set."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, final

from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind

T = TypeVar("T")
"""The type of averages: Moments, or Pairs, which have the same verbs."""
Units = Callable[[Draws, int], Array]
"""Function of a replicate and a number of units that draws these units, shape (*sweep, data, units)."""


class Base(ABC, Generic[T]):
    """Law of one unit over weights and data, or its kernel on a given data set.

    T is the type of an average: Moments of a law, or Pairs of a data set.
    """

    gaussian: ClassVar[bool] = False
    """Whether the unit is Gaussian: then it has `values`, and with other values it is another Gaussian unit."""
    averages: ClassVar[bool] = True
    """Whether functions of the unit can be averaged."""

    @property
    def on_data(self) -> bool:
        """Whether averages are those of a given data set."""
        return False

    @abstractmethod
    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        """Return the second moments of phi(M), M the largest of m independent units; phi = None is the identity."""

    def increases(self, phi: Function | None, m: int) -> bool:
        """Return whether phi of the unit increases with the unit, so that it commutes with a maximum over m of them."""
        del m
        return phi is None or phi.monotonicity > 0

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units, shape (*sweep, data, count)."""
        raise TypeError(f"{type(self).__name__} stands for formulas or proven numbers, which cannot be drawn")

    def constant(self, n: Kind, phi: Function | None, m: int, size: int) -> Any:
        """Return the probability that phi(M) is constant over a batch of `size` data, or None if it is not known."""

    def changed(self, node: Any, change: Callable[[Any], Any]) -> Any:
        """Return the node of this base with a change of every unit; units of several kinds are changed kind by kind."""
        return change(node)

    @property
    def error(self) -> Any:
        """The estimated relative error of the second moments that the base holds."""
        values = getattr(self, "values", None)
        return 0.0 if values is None else values.error

    @property
    def within_has_no_rule(self) -> bool:
        """Whether the covariance of two data of one batch has no rule in the moments that the base holds."""
        values = getattr(self, "values", None)
        return values is not None and values.within_has_no_rule

    @property
    def dependent(self) -> bool:
        """Whether units depend on one another, as those of one group do behind a GroupNorm."""
        return False


@final
@dataclass(frozen=True)
class Averaged(Base[T]):
    """Unit with known moments, of which otherwise nothing is known but how to draw it.

    varies: True if the unit is known to be constant over no batch.
    """

    values: T
    drawn: Units
    dependent: bool = False
    varies: bool = False

    averages: ClassVar[bool] = False

    @property
    def on_data(self) -> bool:
        return isinstance(self.values, Pairs)

    def average(self, n: Kind, phi: Function | None, m: int) -> T:
        return self.values

    def units(self, draws: Draws, count: int) -> Array:
        return self.drawn(draws, count)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int) -> Any:
        return 0 if self.varies else None
