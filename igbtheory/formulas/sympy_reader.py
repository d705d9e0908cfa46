"""The reader of SymPy expressions: tree to tree, without importing SymPy."""

from fractions import Fraction
from typing import Any

from igbtheory.formulas.reader import FUNCTIONS, extreme
from igbtheory.formulas.tree import PI, E, Number, Parameter, Tree, X, add, choice, mul, number, power


def from_sympy(expression: Any) -> Tree:
    """Tree of a SymPy expression in one symbol, or of several in the one named x; the others stand for numbers.

    Raises ValueError where it has no symbol, or no x among several, or a function without a meaning here.
    """
    symbols = sorted(expression.free_symbols, key=str)
    variable = [symbol for symbol in symbols if len(symbols) == 1 or symbol.name == "x"]
    if not variable:
        names = ", ".join(map(str, symbols)) or "none"
        raise ValueError(f"expected a SymPy expression in a symbol x, got the symbols {names} in {expression}")
    return _tree(expression.xreplace({variable[0]: type(variable[0])("x")}))


def _tree(node: Any) -> Tree:
    name = node.func.__name__
    if node.is_Symbol:
        return X if node.name == "x" else Parameter(node)
    if node.is_Rational:
        return Number(Fraction(int(node.p), int(node.q)))
    if node.is_Float:
        return number(Fraction(str(node)))
    if name == "Pi":
        return PI
    if name == "Exp1":
        return E
    if name == "Piecewise":
        return _piecewise(node.args)
    parts = [_tree(part) for part in node.args]
    match name:
        case "Add":
            return add(*parts)
        case "Mul":
            return mul(*parts)
        case "Pow":
            return power(*parts)
        case "Max" | "Min":
            return _extreme(name, parts)
        case _ if name in FUNCTIONS:
            return FUNCTIONS[name][1](*parts[:1])
    raise ValueError(f"the SymPy function {name} has no meaning in an activation; known: {', '.join(FUNCTIONS)}")


def _extreme(name: str, parts: list[Tree]) -> Tree:
    try:
        return extreme(FUNCTIONS[name][1], parts)
    except OverflowError as error:
        raise ValueError(f"cannot read {name} of {len(parts)} expressions: {error}") from None


def _piecewise(branches: Any) -> Tree:
    """Choices from the last branch, which holds elsewhere, to the first."""
    if branches[-1][1] != True:  # noqa: E712 - SymPy's own true, equal to Python's
        raise ValueError("expected a Piecewise whose last condition is True, so that it is defined for every x")
    total = _tree(branches[-1][0])
    for formula, condition in reversed(branches[:-1]):
        if condition.func.__name__ not in ("GreaterThan", "StrictGreaterThan", "LessThan", "StrictLessThan"):
            raise ValueError(f"expected a comparison as a condition of Piecewise, got {condition}")
        total = choice(add(_tree(condition.gts), -_tree(condition.lts)), _tree(formula), total)
    return total
