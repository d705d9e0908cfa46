"""Formulas as text, in the notation that the reader of formulas takes."""

from fractions import Fraction
from itertools import pairwise

from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.tree import (
    Call,
    Choice,
    Constant,
    Number,
    Power,
    Product,
    Sum,
    Tree,
    Variable,
    is_negative,
)

LONGEST = 12
"""Largest length of a number that is written exactly; a longer number is rounded to this many digits."""


def pieces_text(pieces: Pieces) -> list[tuple[str, str]]:
    """Return the interval and the formula of every piece as text; the interval of a single piece is ""."""
    if not pieces.kinks:
        return [("", text(pieces.formulas[0]))]
    ends = [None, *pieces.kinks, None]
    return [
        (_interval(low, high), text(part)) for (low, high), part in zip(pairwise(ends), pieces.formulas, strict=True)
    ]


def _interval(low: Fraction | None, high: Fraction | None) -> str:
    left = "" if low is None else f"{number_text(low)} <= "
    right = "" if high is None else f" < {number_text(high)}"
    return f"x >= {number_text(low)}" if low is not None and high is None else f"{left}x{right}"


def number_text(value: Fraction) -> str:
    """Return a number as a short decimal or fraction, or rounded."""
    decimal = f"{float(value):.{LONGEST}g}"
    if Fraction(decimal) == value:
        return decimal
    return str(value) if len(str(value)) <= LONGEST else decimal


def text(tree: Tree, binding: int = 0) -> str:
    """Return the formula, in brackets if it binds less than `binding`: 1 sum, 2 product or quotient, 3 power."""
    match tree:
        case Variable():
            return "x"
        case Constant(name):
            return name
        case Number(value):
            return _bracketed(number_text(value), 1 if value < 0 else 2 if "/" in number_text(value) else 4, binding)
        case Sum(terms):
            ordered = sorted(terms, key=lambda term: isinstance(term, Number) or is_negative(term))
            signed = [f" - {text(-t, 2)}" if is_negative(t) else f" + {text(t, 1)}" for t in ordered]
            first = text(ordered[0], 1)
            return _bracketed(first + "".join(signed[1:]), 1, binding)
        case Product() if is_negative(tree):
            return _bracketed(f"-{text(-tree, 2)}", 1, binding)
        case Product(factors):
            return _bracketed(_product(factors), 2, binding)
        case Power(base, Number(value)) if value == -1:
            return _bracketed(f"1/{text(base, 3)}", 2, binding)
        case Power(base, exponent):
            return _bracketed(f"{text(base, 4)}**{text(exponent, 4)}", 3, binding)
        case Call(name, argument):
            return f"{name}({text(argument)})"
        case Choice(test, yes, no):
            return f"where({text(test)} >= 0, {text(yes)}, {text(no)})"
        case _:
            raise TypeError(f"expected a formula without symbols, got {tree!r}")


def _bracketed(formula: str, strength: int, binding: int) -> str:
    return f"({formula})" if strength < binding else formula


def _product(factors: tuple[Tree, ...]) -> str:
    """Return a product: the number first, then x and its powers; factors with the exponent -1 are divisors."""
    below = [f.base for f in factors if isinstance(f, Power) and f.exponent == Number(Fraction(-1))]
    above = [f for f in factors if not (isinstance(f, Power) and f.exponent == Number(Fraction(-1)))]
    value = above[0].value if above and isinstance(above[0], Number) else Fraction(1)
    if "/" in number_text(value):
        above = [Number(Fraction(value.numerator)), *above[1:]] if value.numerator != 1 else above[1:]
        below = [Number(Fraction(value.denominator)), *below]
    above.sort(key=lambda f: (not isinstance(f, Number), not isinstance(f, Variable | Power)))
    line = "*".join(text(factor, 2 if i == 0 else 3) for i, factor in enumerate(above)) or "1"
    return line + "".join(f"/{text(factor, 3)}" for factor in below)
