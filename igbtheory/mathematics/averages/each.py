"""A number for each of the two data of a pair."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Each:
    """A number for each of the two data a and b of a pair, with the arithmetic of numbers."""

    a: Any
    b: Any

    __array_ufunc__ = None
    """An array times an `Each` is an `Each`, not an array of them."""

    @classmethod
    def of(cls, value: Any) -> "Each":
        """Return a value as the same number for both data, unless it is a number for each already."""
        return value if isinstance(value, Each) else cls(value, value)

    def map(self, f: Callable[..., Any], *others: Any) -> "Each":
        """Return f of the number of each datum, and of the numbers of the same datum in the others."""
        more = [Each.of(other) for other in others]
        return Each(f(self.a, *(other.a for other in more)), f(self.b, *(other.b for other in more)))

    @property
    def product(self) -> Any:
        """The number of the one datum times that of the other."""
        return self.a * self.b

    def __add__(self, other: Any) -> "Each":
        return self.map(operator.add, other)

    def __sub__(self, other: Any) -> "Each":
        return self.map(operator.sub, other)

    def __mul__(self, other: Any) -> "Each":
        return self.map(operator.mul, other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Any) -> "Each":
        return self.map(operator.truediv, other)
