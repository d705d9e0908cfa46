"""Least and greatest values that a formula's tree proves between two of its kinks."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add, mul
from typing import Any, final

from flint import arb

from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import Call, Constant, Number, Power, Product, Sum, Tree, Variable
from igbtheory.numbers.certified import Certified

LIMITED = {"sin": 1, "cos": 1, "tanh": 1, "sech": 1, "erf": 1, "sigmoid": 1, "erfc": 2, "atan": 2, "asin": 2, "acos": 4}
"""Functions that are bounded where they are defined, and bounds."""
_NOT_NEGATIVE = frozenset({"sqrt", "exp", "sech", "erfc", "sigmoid", "softplus", "acosh", "acos"})
_RISING = frozenset({"sqrt", "exp", "expm1", "log", "log1p", "sinh", "tanh", "asinh", "atan", "erf"})


def increases(phi: Function) -> bool:
    """Whether the trees of its slopes, and its jumps, prove that phi increases."""
    n = Certified(64)
    with n.precision():
        slopes = [stretch.least(tree) for stretch, tree in zip(stretches(n, phi), phi.slope.formulas, strict=True)]
        return all(least is not None and bool(least >= 0) for least in [*slopes, *phi.pieces.jumps(n)])


def stretches(n: Certified, phi: Function) -> list["Stretch"]:
    """Return the stretches between the kinks of phi, ascending."""
    return [Stretch(n, *ends) for ends in pairwise([None, *phi.pieces.kinks, None])]


@final
@dataclass(frozen=True)
class Stretch:
    """Part of the x axis from `low` to `high` (None: unbounded) on which a formula has no kinks."""

    n: Certified
    low: Fraction | None
    high: Fraction | None

    def least(self, tree: Tree) -> Any:
        """Return a lower bound of a formula here, None where its tree shows none."""
        match tree:
            case Number() | Constant():
                return self.value(tree)
            case Variable():
                return None if self.low is None else self.n.number(self.low).lower()
            case Sum(terms):
                parts = [self.least(term) for term in terms]
                return None if any(part is None for part in parts) else reduce(add, parts).lower()
            case Product((Number(value), *rest)) if value < 0:
                most = self.most(Product(tuple(rest)) if len(rest) > 1 else rest[0])
                return None if most is None else (self.n.number(value) * most).lower()
            case Product(factors):
                parts = [self.least(factor) for factor in factors]
                known = all(part is not None and part >= 0 for part in parts)
                return reduce(mul, parts).lower() if known else None
            case Power(_, Number(value)) if value.denominator % 2 == 0 or value.numerator % 2 == 0:
                return arb(0)
            case Power(base, _):
                least = self.least(base)
                return arb(0) if least is not None and least >= 0 else None
            case Call("cosh", _):
                return arb(1)
            case Call(name, argument):
                least = self.least(argument)
                seen = getattr(self.n, name)(least).lower() if least is not None and name in _RISING else None
                if seen is not None and seen.is_finite():
                    return seen
                return arb(0) if name in _NOT_NEGATIVE else arb(-LIMITED[name]) if name in LIMITED else None
            case _:
                return None

    def most(self, tree: Tree) -> Any:
        """Return an upper bound of a formula here, None where its tree shows none."""
        match tree:
            case Variable():
                return None if self.high is None else self.n.number(self.high).upper()
            case Number() | Constant():
                return self.value(tree)
            case Sum(terms):
                parts = [self.most(term) for term in terms]
                return None if any(part is None for part in parts) else reduce(add, parts).upper()
            case Product((Number(value), *rest)):
                inner = Product(tuple(rest)) if len(rest) > 1 else rest[0]
                bound = self.most(inner) if value > 0 else self.least(inner)
                return None if bound is None else (self.n.number(value) * bound).upper()
            case Call(name, _) if name in LIMITED:
                return arb(LIMITED[name])
            case Call(name, argument) if name in {"exp", "expm1", "softplus"}:
                most = self.most(argument)
                return None if most is None else getattr(self.n, name)(most).upper()
            case _:
                return None

    def value(self, tree: Number | Constant) -> Any:
        """Return the value of a number; for pi and e a ball that holds both."""
        return self.n.number(tree.value) if isinstance(tree, Number) else arb(3.5, 1)
