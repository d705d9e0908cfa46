"""Formulas as sums of terms c x^k exp(a x + b x^2) erf(s x), whose Gaussian averages are closed forms."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import add
from typing import Any, final

from igbtheory.mathematics.formulas.tree import Call, Number, Power, Product, Sum, Tree, Variable, evaluate, varies
from igbtheory.mathematics.numbers.kind import Kind

Key = tuple[int, Any, Any, Any]
Terms = dict[Key, Any]
"""Coefficients c by (k, a, b, s). s = 0 means no erf, and an imaginary a is a wave."""


@final
@dataclass(frozen=True)
class Sums:
    """A converter of formulas to sums of at most `most` terms, with powers of x up to `highest`.

    n: the kind of the coefficients; unit: its imaginary unit.
    """

    n: Kind
    unit: Any
    most: int
    highest: int

    def of(self, tree: Tree) -> Terms | None:
        """Return the terms of a formula, or None if it is no such sum or has too many terms."""
        if not varies(tree):
            return self.constant(evaluate(tree, self.n, self.n.number(0)))
        match tree:
            case Variable():
                return {(1, *self._none): self.n.number(1)}
            case Sum(terms):
                return self._sum(map(self.of, terms))
            case Product(factors):
                return self._product(map(self.of, factors))
            case Power(base, Number(value)) if value.denominator == 1 and 0 < value <= self.highest:
                return self._product([self.of(base)] * int(value))
            case Call("exp", argument):
                return self._exponential(self.of(argument), 1)
            case Call("expm1", argument):
                return self._sum([self._exponential(self.of(argument), 1), self.constant(self.n.number(-1))])
            case Call("sin" | "cos" | "sinh" | "cosh" as name, argument):
                return self._wave(self.of(argument), self.unit if name in {"sin", "cos"} else 1, odd=name[0] == "s")
            case Call("erf", argument):
                return self._error_function(self.of(argument))
            case Call("erfc", argument):
                one = self.n.number(1)
                return self._sum(
                    [self.constant(one), self._product([self.constant(-one), self.of(Call("erf", argument))])]
                )
            case _:
                return None

    @property
    def _none(self) -> tuple[Any, Any, Any]:
        return (self.n.number(0),) * 3

    def constant(self, value: Any) -> Terms:
        """Return the terms of a constant."""
        return {(0, *self._none): value} if value != 0 else {}

    def squared(self, terms: Terms) -> Terms | None:
        """Return the terms of the square."""
        return self._product([terms, terms])

    def _sum(self, summands: Iterable[Terms | None]) -> Terms | None:
        total: Terms = {}
        for part in summands:
            if part is None:
                return None
            for key, value in part.items():
                total[key] = total.get(key, 0) + value
        nonzero = {key: value for key, value in total.items() if value != 0}
        return nonzero if len(nonzero) <= self.most else None

    def _product(self, factors: Iterable[Terms | None]) -> Terms | None:
        terms: Terms | None = self.constant(self.n.number(1))
        for part in factors:
            if part is None or terms is None:
                return None
            if any(s != 0 for *_, s in terms) and any(s != 0 for *_, s in part):
                return None
            pairs = product(terms.items(), part.items())
            terms = self._sum({tuple(map(add, f, g)): x * y} for (f, x), (g, y) in pairs)
        return None if terms is None or any(k > self.highest for k, *_ in terms) else terms

    def _wave(self, argument: Terms | None, rate: Any, *, odd: bool) -> Terms | None:
        """Return the terms of (exp(r t) + exp(-r t))/2, or if odd of (exp(r t) - exp(-r t))/(2 r), for the rate r."""
        half = self.n.number(Fraction(1, 2))
        weights = (half / rate, -half / rate) if odd else (half, half)
        weighted = zip(weights, (rate, -rate), strict=True)
        return self._sum(self._product([self.constant(x), self._exponential(argument, r)]) for x, r in weighted)

    def _exponential(self, exponent: Terms | None, rate: Any) -> Terms | None:
        """Return the terms of exp(rate t), or None unless t is a polynomial of degree up to 2 with a finite average."""
        powers = None if exponent is None else polynomial(exponent)
        if powers is None or any(k > 2 for k in powers):
            return None
        none, a, b = (rate * powers.get(k, self.n.number(0)) for k in range(3))
        if getattr(b, "is_positive", False):  # the average exists only for small variances
            return None
        return {(0, a, b, self.n.number(0)): self.n.exp(none)}

    def _error_function(self, argument: Terms | None) -> Terms | None:
        """Return the terms of erf(t), or None unless t is a multiple of x."""
        powers = None if argument is None else polynomial(argument)
        zero = self.n.number(0)
        return {(0, zero, zero, powers[1]): self.n.number(1)} if powers is not None and powers.keys() == {1} else None


def polynomial(terms: Terms) -> dict[int, Any] | None:
    """Return the coefficients of a polynomial by power, or None if the terms are no polynomial."""
    return None if any(any(rest) for _, *rest in terms) else {k: value for (k, *_), value in terms.items()}
