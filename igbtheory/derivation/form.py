"""Formulas as a person would print them."""

from functools import lru_cache
from typing import Any

import sympy as sp

LONG, LONGEST = 60, 250
"""Operations up to which a formula is simplified, and up to which common factors are taken out: both take long."""


@lru_cache(maxsize=256)
def simplified(expression: Any) -> Any:
    """The expression in its shortest form, with the angle acos c for the angle between two data."""
    expression = sp.sympify(expression)
    if expression.count_ops() > LONGEST:
        return expression
    found = _angles(expression)
    if found.count_ops() > LONG:
        return sp.factor_terms(found)
    shorter = sp.gammasimp(sp.simplify(found))
    forms = (shorter, sp.factor(shorter), sp.simplify(sp.together(shorter)))
    return min((_angles(form) for form in forms), key=sp.count_ops)


def _angles(expression: Any) -> Any:
    """The expression without squares of half angles, and without arcsines: rules take them for their digits."""
    halves = expression.replace(_is_square_of_sine, lambda power: (1 - sp.cos(2 * power.base.args[0])) / 2)
    return halves.replace(lambda part: isinstance(part, sp.asin), lambda angle: _arccosine(angle.args[0]))


def _is_square_of_sine(part: Any) -> bool:
    return isinstance(part, sp.Pow) and part.exp == 2 and isinstance(part.base, sp.sin)


def _arccosine(sine: Any) -> Any:
    """The arcsine through an arccosine; that of a root without the root."""
    roots = (isinstance(part, sp.Pow) and part.exp == sp.S.Half for part in sp.Mul.make_args(sine))
    if not sine.is_negative and any(roots):
        return sp.acos(sp.factor(1 - 2 * sine**2)) / 2
    return sp.pi / 2 - sp.acos(sine)
