"""Bounds of the growth of a formula, proven from its tree. ValueError: the tree does not bound the growth."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul
from typing import Any, final

from flint import arb

from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.text import text
from igbtheory.mathematics.formulas.tree import Call, Constant, Number, Power, Product, Sum, Tree, Variable
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.growth import Growth, constant
from igbtheory.theory.certificate.signs import LIMITED, Stretch, stretches

_ONE = Number(Fraction(1))


@lru_cache(maxsize=64)
def growth(phi: Function) -> Growth:
    """Return the growth of phi at every x."""
    n = Certified(64)
    with n.precision():
        pairs = zip(stretches(n, phi), phi.pieces.formulas, strict=True)
        return reduce(add, [_Bound(on, phi.name).of(tree) for on, tree in pairs])


@final
@dataclass(frozen=True)
class _Bound:
    """Growth of formulas on an interval; name: the name of the whole formula, for errors."""

    on: Stretch
    name: str

    def of(self, tree: Tree) -> Growth:
        """Return the growth of a formula here."""
        match tree:
            case Number() | Constant():
                return constant(abs(self.on.value(tree)))
            case Variable():
                return Growth(arb(1), Fraction(1), arb(0))
            case Sum(terms):
                return reduce(add, map(self.of, terms))
            case Product(factors):
                return reduce(mul, map(self.of, factors))
            case Power(base, Number(value)) if value >= 0:
                return self.of(base).to(value)
            case Power(base, Number(value)):
                return constant(1 / self._away(base, tree)).to(-value)
            case Power(base, exponent):
                return self._exponential(Product((exponent, Call("log", base))), tree)
            case Call(name, argument):
                return self._call(name, argument, tree)
            case _:
                raise _refusal(self.name, tree)

    def _call(self, name: str, argument: Tree, tree: Tree) -> Growth:
        if name in LIMITED:
            return constant(LIMITED[name])
        match name:
            case "exp":
                return self._exponential(argument, tree)
            case "expm1":
                return self._exponential(argument, tree) + constant(1)
            case "sinh" | "cosh":
                return self._exponential(argument, tree, signed=False)
            case "sqrt":
                return self.of(argument).to(Fraction(1, 2))
            case "asinh" | "softplus" | "acosh":  # at most |t| + 1
                return self.of(argument) + constant(1)
            case "log":  # at most |t| + |log(least t)|
                return self.of(argument) + constant(abs(self._away(argument, tree).log()))
            case "log1p":
                inside = Sum((_ONE, argument))
                return self.of(argument) + constant(abs(self._away(inside, tree).log()))
            case _:
                raise _refusal(self.name, tree)

    def _exponential(self, argument: Tree, tree: Tree, *, signed: bool = True) -> Growth:
        """Return a bound of exp(t) if t is bounded from above or |t| <= size (1 + |x|)."""
        most = self.on.limits(argument)[1]
        if signed and most.is_finite():
            return constant(most.exp())
        inner = self.of(argument)
        if inner.power > 1 or not inner.rate.is_zero():
            raise _refusal(self.name, tree)
        return Growth(inner.size.exp(), Fraction(0), inner.size)

    def _away(self, base: Tree, tree: Tree) -> Any:
        """Return a lower bound of |base|, which must be positive."""
        low, high = self.on.limits(base)
        if not (low > 0 or high < 0):
            raise _refusal(self.name, tree)
        return low if low > 0 else -high


def _refusal(name: str, tree: Tree) -> ValueError:
    return ValueError(
        f"expected a formula whose tree bounds its growth by a power or exp(a |x|), got the term {text(tree)} in "
        f"{name!r}; clip its argument, or use predict(), which estimates its error"
    )
