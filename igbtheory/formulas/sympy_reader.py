"""The reader of SymPy expressions: tree to tree, without importing SymPy."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from igbtheory.formulas.reader import FUNCTIONS, extreme
from igbtheory.formulas.tree import PI, E, Number, Parameter, Tree, X, add, choice, mul, number, power


def from_sympy(expression: Any, parameters: Mapping[str, Any] | None = None) -> Tree:
    """Tree of a SymPy expression in one symbol, or of several in the one named x, or of a Lambda of one symbol.

    parameters: what is put in place of the other symbols, by their names; those without one stand for numbers. Raises
    ValueError where it has no symbol, or no x among several, or a function without a meaning here.
    """
    if type(expression).__name__ == "Lambda":
        (variable, *more) = expression.variables
        if more:
            raise ValueError(f"expected a Lambda of one symbol, got {expression}; make the others free symbols")
        expression = expression.expr.xreplace({variable: type(variable)("x")})
    values = {symbol: (parameters or {}).get(symbol.name) for symbol in expression.free_symbols}
    expression = expression.subs({symbol: value for symbol, value in values.items() if value is not None})
    symbols = sorted(expression.free_symbols, key=str)
    variable = [symbol for symbol in symbols if len(symbols) == 1 or symbol.name == "x"]
    if not variable:
        names = ", ".join(map(str, symbols)) or "none"
        raise ValueError(f"expected a SymPy expression in a symbol x, got the symbols {names} in {expression}")
    return _tree(expression.xreplace({variable[0]: type(variable[0])("x")}))


def constant(name: str, value: Any) -> Tree:
    """Tree of a SymPy expression that stands for the parameter of that name."""
    if any(symbol.name == "x" for symbol in value.free_symbols):
        raise ValueError(f"expected the parameter {name} without x, got {value}; write x into the formula")
    return _tree(value)


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
