"""Formulas as sums of terms c x^k exp(a x + b x^2) erf(s x), whose Gaussian averages are closed forms."""

from collections.abc import Iterable
from itertools import product
from operator import add
from typing import Any

import sympy as sp

from igbtheory.formulas.tree import Call, Number, Power, Product, Sum, Tree, Variable, evaluate, varies
from igbtheory.numbers.symbolic import SYMBOLIC

Key = tuple[int, Any, Any, Any]
Terms = dict[Key, Any]
"""Coefficients c by (k, a, b, s), s = 0 without an erf; of waves a is imaginary."""

HIGHEST = 8
"""Power of x at most."""
MOST = 12
"""Terms at most: averages of pairs have the square of that."""
_NONE = sp.Integer(0)
_X: Terms = {(1, _NONE, _NONE, _NONE): sp.Integer(1)}
_WAVES = {
    "cos": (1, 1, sp.I),
    "sin": (-sp.I, sp.I, sp.I),
    "cosh": (1, 1, sp.Integer(1)),
    "sinh": (1, -1, sp.Integer(1)),
}
"""Functions (f e^(r t) + g e^(-r t))/2 by f, g and r."""


def terms(tree: Tree) -> Terms | None:
    """Return the terms of a formula, None where it is no such sum, or one of too many."""
    if not varies(tree):
        return constant(evaluate(tree, SYMBOLIC, sp.Integer(0)))
    match tree:
        case Variable():
            return _X
        case Sum(parts):
            return _sum(map(terms, parts))
        case Product(parts):
            return _product(map(terms, parts))
        case Power(base, Number(value)) if value.denominator == 1 and 0 < value <= HIGHEST:
            return _product([terms(base)] * int(value))
        case Call("exp", argument):
            return _exponential(terms(argument), sp.Integer(1))
        case Call("expm1", argument):
            return _sum([_exponential(terms(argument), sp.Integer(1)), constant(sp.Integer(-1))])
        case Call(name, argument) if name in _WAVES:
            f, g, rate = _WAVES[name]
            inner = terms(argument)
            waves = ((f, _exponential(inner, rate)), (g, _exponential(inner, -rate)))
            return _sum(_product([constant(sign * sp.Rational(1, 2)), wave]) for sign, wave in waves)
        case Call("erf", argument):
            return _error_function(terms(argument))
        case Call("erfc", argument):
            return _sum([constant(sp.Integer(1)), _product([constant(sp.Integer(-1)), terms(Call("erf", argument))])])
        case _:
            return None


def constant(value: Any) -> Terms:
    """Return the terms of a constant."""
    return {(0, _NONE, _NONE, _NONE): value} if value != 0 else {}


def squared(found: Terms) -> Terms | None:
    """Return the terms of the square."""
    return _product([found, found])


def _sum(parts: Iterable[Terms | None]) -> Terms | None:
    total: Terms = {}
    for part in parts:
        if part is None:
            return None
        for key, value in part.items():
            total[key] = total.get(key, sp.Integer(0)) + value
    found = {key: value for key, value in total.items() if value != 0}
    return found if len(found) <= MOST else None


def _product(parts: Iterable[Terms | None]) -> Terms | None:
    found: Terms | None = constant(sp.Integer(1))
    for part in parts:
        if part is None or found is None:
            return None
        if any(s != 0 for *_, s in found) and any(s != 0 for *_, s in part):
            return None
        pairs = product(found.items(), part.items())
        found = _sum({tuple(map(add, f, g)): x * y} for (f, x), (g, y) in pairs)
    return None if found is None or any(k > HIGHEST for k, *_ in found) else found


def _exponential(exponent: Terms | None, rate: Any) -> Terms | None:
    """Return the terms of exp(rate t), or None unless t is a polynomial of degree at most 2 with a finite average."""
    powers = None if exponent is None else polynomial(exponent)
    if powers is None or any(k > 2 for k in powers):
        return None
    none, a, b = (rate * powers.get(k, _NONE) for k in range(3))
    if b.is_positive:  # the average exists for small variances alone
        return None
    return {(0, a, b, _NONE): sp.exp(none)}


def _error_function(argument: Terms | None) -> Terms | None:
    """Return the terms of erf(t), t a multiple of x."""
    powers = None if argument is None else polynomial(argument)
    return {(0, _NONE, _NONE, powers[1]): sp.Integer(1)} if powers is not None and powers.keys() == {1} else None


def polynomial(found: Terms) -> dict[int, Any] | None:
    """Return the coefficients of a polynomial by power, None where it is none."""
    return None if any(any(rest) for _, *rest in found) else {k: value for (k, *_), value in found.items()}
