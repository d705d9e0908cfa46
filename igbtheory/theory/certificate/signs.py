"""Lower and upper bounds of a formula between two of its kinks, proven from its tree."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, final

from flint import arb

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import Call, Constant, Number, Power, Product, Sum, Tree, Variable
from igbtheory.mathematics.numbers.certified import Certified

LIMITED = {"sin": 1, "cos": 1, "tanh": 1, "sech": 1, "erf": 1, "sigmoid": 1, "erfc": 2, "atan": 2, "asin": 2, "acos": 4}
"""Functions that are bounded where they are defined, with bounds of their absolute values."""
_LEAST = {**dict.fromkeys(("sqrt", "exp", "sech", "erfc", "sigmoid", "softplus", "acosh", "acos"), 0), "cosh": 1}
_RISING = frozenset({"sqrt", "exp", "expm1", "log", "log1p", "sinh", "tanh", "asinh", "atan", "erf", "softplus"})

Limits = tuple[Any, Any]
"""A lower and an upper bound: exact numbers, or infinite."""


def increases(phi: Function) -> bool:
    """Return whether the trees of its slopes, and its jumps, prove that phi increases."""
    n = Certified(64)
    with n.precision():
        slopes = zip(stretches(n, phi), phi.slope.formulas, strict=True)
        lows = [stretch.limits(tree)[0] for stretch, tree in slopes]
        return all(bool(low >= 0) for low in [*lows, *phi.pieces.jumps(n)])


def stretches(n: Certified, phi: Function) -> list["Stretch"]:
    """Return the intervals between the kinks of phi, ascending."""
    return [Stretch(n, *ends) for ends in pairwise([None, *phi.pieces.kinks, None])]


@final
@dataclass(frozen=True)
class Stretch:
    """Interval of the x axis from `low` to `high` (None: unbounded) on which a formula has no kinks."""

    n: Certified
    low: Fraction | None
    high: Fraction | None

    def limits(self, tree: Tree) -> Limits:
        """Return a lower and an upper bound of a formula here; a bound that the tree does not prove is infinite."""
        match tree:
            case Number() | Constant():
                value = self.value(tree)
                return value.lower(), value.upper()
            case Variable():
                low = arb.neg_inf() if self.low is None else self.n.number(self.low).lower()
                return low, arb.pos_inf() if self.high is None else self.n.number(self.high).upper()
            case Sum(terms):
                low, high = (reduce(add, ends) for ends in zip(*map(self.limits, terms), strict=True))
                return low.lower(), high.upper()
            case Product(factors):
                return reduce(_times, map(self.limits, factors))
            case Power(_, Number(value)) if value.denominator % 2 == 0 or value.numerator % 2 == 0:
                return arb(0), arb.pos_inf()
            case Power(base, _):
                return arb(0) if self.limits(base)[0] >= 0 else arb.neg_inf(), arb.pos_inf()
            case Call(name, argument):
                return self._of_call(name, argument)
            case _:
                return arb.neg_inf(), arb.pos_inf()

    def _of_call(self, name: str, argument: Tree) -> Limits:
        most = arb(LIMITED[name]) if name in LIMITED else arb.pos_inf()
        least = arb(_LEAST[name]) if name in _LEAST else -most
        if name not in _RISING:
            return least, most
        at_low, at_high = (getattr(self.n, name)(end) for end in self.limits(argument))
        return (
            at_low.lower() if at_low.is_finite() else least,
            at_high.upper() if at_high.is_finite() else most,
        )

    def value(self, tree: Number | Constant) -> Any:
        """Return the value of a number; for pi and e, a ball that contains both."""
        return self.n.number(tree.value) if isinstance(tree, Number) else arb(3.5, 1)


def _times(a: Limits, b: Limits) -> Limits:
    """Return the bounds of a product from the bounds of two factors; 0 times infinity is 0, as factors are finite."""
    corners = [arb(0) if x.is_zero() or y.is_zero() else x * y for x in a for y in b]
    return reduce(arb.min, corners).lower(), reduce(arb.max, corners).upper()
