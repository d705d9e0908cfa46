"""Shorthands for parts of a formula that are too wide for a column."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from igbtheory.derivation.document import Equation
from igbtheory.derivation.writing import COLUMN, width

LEAST = 10.0
"""Width in mm of a part that deserves a shorthand."""


def narrowed(found: Sequence[Equation]) -> list[Equation]:
    """Return the equations with a symbol for the widest parts of terms that do not fit a line, and its definition."""
    equations, new = list(found), []
    for i in range(len(equations) * 4):
        part = next((part for part in map(_widest, (*equations, *new)) if part is not None), None)
        if part is None:
            break
        symbol = sp.Symbol(f"a_{i + 1}", real=True)
        equations, new = ([replace(x, right=x.right.xreplace({part: symbol})) for x in xs] for xs in (equations, new))
        new.append(Equation(symbol, part))
    return [*equations, *new]


def _widest(equation: Equation) -> Any:
    """Return the widest part of the first term that is too wide, None where all fit."""
    wide = [term for term in sp.Add.make_args(equation.right) if width(term) > COLUMN]
    parts = [part for term in wide for part in sp.preorder_traversal(term) if _is_part(part)]
    fitting = [(size, str(part), part) for part in parts if LEAST < (size := width(part)) <= COLUMN]
    return max(fitting)[2] if fitting else None


def _is_part(part: Any) -> bool:
    """Whether a part stands for something: a sum, a root or a function, without variables of an integral."""
    return part.is_Add or part.is_Function or (part.is_Pow and part.exp == sp.S.Half)
