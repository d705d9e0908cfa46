"""Formulas in the form in which a person would print them."""

from functools import lru_cache
from math import lcm
from typing import Any

import sympy as sp

from igbtheory.theory.derivation.writing import COLUMN, width

HIGHEST = 24
"""Highest power of one exponential of a number in a polynomial that SymPy factorises within a second."""
LONG, RULE = 60, 150
"""Largest number of operations of a formula that is simplified, and of the rule of a layer in its two symbols."""


@lru_cache(maxsize=1024)
def simplified(expression: Any, most: int = LONG) -> Any:
    """Return the expression in its shortest form, with acos c for the angle between two data.

    most: number of operations above which the expression is only factorised.
    """
    symbolic, exponentials = _with_symbols(in_angles(sp.sympify(expression)))
    forms = [symbolic, *_by_factors(symbolic)]
    if symbolic.count_ops() <= most:
        forms += [*_by_terms(symbolic), *_by_rules(symbolic)]
    forms = [form.xreplace(exponentials) for form in forms]
    lengths = {form: _length(form) for written in forms for form in _signs(in_angles(written))}
    least = min(lengths.values())
    shortest = [form for form, length in lengths.items() if length == least]
    return min(shortest, key=lambda form: str(form).count("-")) if len(shortest) > 1 else shortest[0]


def _with_symbols(expression: Any) -> tuple[Any, dict[Any, Any]]:
    """Return the expression with symbols for exponentials of decimals, and the meanings of the symbols.

    SymPy takes exp(617/500) for a power of exp(1/500), and factorises polynomials of a degree of hundreds. It finds
    common factors of exponentials of small numbers, which are therefore left to it.
    """
    powers = expression.atoms(sp.exp)
    numbers = {number for power in powers for number in power.exp.atoms(sp.Rational)}
    unit = lcm(*(number.q for number in numbers))
    if all(abs(number * unit) <= HIGHEST for number in numbers):
        return expression, {}
    symbols = {power: sp.Dummy(positive=True) for power in powers}
    return expression.xreplace(symbols), {symbol: power for power, symbol in symbols.items()}


def readable(expression: Any) -> Any:
    """Return the shortest form, or the sum itself if the shortest form is one fraction that is too wide for a row."""
    shortest = simplified(expression, RULE)
    return shortest if shortest.is_Add or width(shortest) <= COLUMN else in_angles(sp.sympify(expression))


@lru_cache(maxsize=4096)
def _length(expression: Any) -> int:
    """Return the number of operations, in which a fraction counts twice."""
    return int(expression.count_ops() + expression.count(_is_fraction))


def _is_fraction(part: Any) -> bool:
    return (part.is_Pow and part.exp.could_extract_minus_sign()) or (part.is_Rational and not part.is_Integer)


def _signs(expression: Any) -> tuple[Any, Any]:
    """Return a fraction, and the equal fraction with the signs of numerator and denominator changed."""
    above, below = sp.fraction(expression)
    return expression, sp.Mul(-above, 1 / -below) if below.is_Add else expression


def _by_factors(expression: Any) -> list[Any]:
    return [sp.factor_terms(expression), expression.replace(_is_root, lambda root: sp.factor(root.base) ** root.exp)]


def _by_terms(expression: Any) -> list[Any]:
    terms = sp.Add(*map(sp.factor, sp.Add.make_args(sp.expand(expression))))
    return [terms, sp.collect(terms, sp.pi), sp.factor_terms(terms)]


def _by_rules(expression: Any) -> list[Any]:
    try:
        shorter = sp.gammasimp(sp.simplify(expression))
    except sp.PolynomialError:  # of averages whose activation has a symbol
        return []
    return [shorter, sp.factor(shorter), *_by_factors(shorter)]


def _is_root(part: Any) -> bool:
    return isinstance(part, sp.Pow) and part.exp.is_Rational and not part.exp.is_integer and part.base.is_Add


def in_angles(expression: Any) -> Any:
    """Return the expression without sin^2 and asin, which the rules of layers use only to keep digits."""
    halves = expression.replace(_is_square_of_sine, lambda power: (1 - sp.cos(2 * power.base.args[0])) / 2)
    return halves.replace(lambda part: isinstance(part, sp.asin), lambda angle: sp.pi / 2 - sp.acos(angle.args[0]))


def _is_square_of_sine(part: Any) -> bool:
    return isinstance(part, sp.Pow) and part.exp == 2 and isinstance(part.base, sp.sin)
