"""Shorthands for parts of a formula that are too wide for a column."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from igbtheory.derivation.document import Equation
from igbtheory.derivation.integrals import B, G, U, X, Y, Z
from igbtheory.derivation.states import MANY, UnitSymbol
from igbtheory.derivation.writing import BEFORE, COLUMN, width

LEAST = 10.0
"""Width in mm of a part that deserves a shorthand."""
VARIABLES = {B, G, U, X, Y, Z}
"""Variables of integrals and of functions: a part that contains them becomes a function of them."""


def narrowed(found: Sequence[Equation]) -> list[Equation]:
    """Return the equations with a symbol for the widest parts of terms that do not fit a line, and its definition."""
    equations: list[Equation] = list(found)
    new: list[Equation] = []
    for i in range(len(equations) * 4):
        part = next((part for part in map(_widest, (*equations, *new)) if part is not None), None)
        if part is None:
            break
        variables = sorted(part.free_symbols & VARIABLES, key=str)
        units = part.atoms(UnitSymbol)
        index = next((f"_{x.parts[1]}" for x in units if x.parts[1] in (MANY, BEFORE)), "")
        name = f"a_{i + 1}{index}"
        symbol = sp.Function(name)(*variables) if variables else sp.Symbol(name, real=True)
        equations, new = ([replace(x, right=x.right.xreplace({part: symbol})) for x in xs] for xs in (equations, new))
        if index == f"_{BEFORE}":  # its definition is that of any layer
            symbol = sp.Symbol(f"a_{i + 1}_{MANY}", real=True)
            part = part.xreplace({unit: unit.at(MANY) for unit in units if unit.parts[1] == BEFORE})
        new.append(Equation(symbol, part))
    return [*equations, *new]


def _widest(equation: Equation) -> Any:
    """Return the widest part of the first term that is too wide, None where all fit."""
    wide = [term for term in sp.Add.make_args(equation.right) if width(term) > COLUMN]
    parts = [part for term in wide for part in sp.preorder_traversal(term) if _is_part(part)]
    fitting = [(part, width(part)) for part in parts]
    ranked = [
        (isinstance(part, sp.Integral), size, str(part), part)
        for part, size in fitting
        if size > LEAST and (part.is_Add or size <= COLUMN)  # a sum takes several rows
    ]
    return max(ranked)[-1] if ranked else None


def _is_part(part: Any) -> bool:
    """Whether a part stands for something: a sum, a root, a function or an integral."""
    named = isinstance(part, AppliedUndef | sp.Piecewise)  # a name already, or lines of their own
    root = part.is_Pow and part.exp == sp.S.Half
    return root or part.is_Add or isinstance(part, sp.Integral) or (part.is_Function and not named)
