"""The reader of SymPy expressions: tree to tree, without importing SymPy."""

import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from igbtheory.formulas.reader import FUNCTIONS, extreme
from igbtheory.formulas.tree import ONE, PI, ZERO, E, Number, Parameter, Tree, X, add, choice, mul, number, power


class UnknownError(ValueError):
    """A function of SymPy that no formula has."""


def from_sympy(expression: Any, parameters: Mapping[str, Any] | None = None) -> Tree:
    """Tree of a SymPy expression in one symbol, or of several in the one named x, or of a Lambda of one symbol.

    parameters: what is put in place of the other symbols, by their names; those without one stand for numbers. Raises
    ValueError where it has no symbol, or no x among several; UnknownError: a function without a meaning here.
    """
    return _tree(of_x(expression, parameters or {}))


def of_x(expression: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the expression in the symbol x, parameters in the places of their symbols, integrals carried out."""
    if type(expression).__name__ == "Lambda":
        (variable, *more) = expression.variables
        if more:
            raise ValueError(f"expected a Lambda of one symbol, got {expression}; make the others free symbols")
        expression = expression.expr.xreplace({variable: type(variable)("x")})
    values = {symbol: parameters.get(symbol.name) for symbol in expression.free_symbols}
    expression = expression.subs({symbol: value for symbol, value in values.items() if value is not None}).doit()
    symbols = sorted(expression.free_symbols, key=str)
    variable = [symbol for symbol in symbols if len(symbols) == 1 or symbol.name == "x"]
    if not variable:
        names = ", ".join(map(str, symbols)) or "none"
        raise ValueError(
            f"expected a SymPy expression in a symbol x, got the symbols {names} in {expression}; call one of them x"
        )
    return expression.xreplace({variable[0]: type(variable[0])("x")})


def evaluated(expression: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield callables that evaluate an expression in x, by SciPy and by mpmath."""
    sympy = sys.modules["sympy"]
    for module in ("scipy", "mpmath"):
        yield sympy.lambdify(list(expression.free_symbols), expression, module)


def constant(name: str, value: Any) -> Tree:
    """Tree of a SymPy expression that stands for the parameter of that name."""
    if any(symbol.name == "x" for symbol in value.free_symbols):
        raise ValueError(f"expected the parameter {name} without x, got {value}; write x into the formula")
    return _tree(value)


def _tree(node: Any) -> Tree:
    name = node.func.__name__
    if node.is_Symbol:
        return X if node.name == "x" else Parameter(node)
    if node.is_Boolean:
        return _where(node, ONE, ZERO)
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
            return FUNCTIONS[name][1](*parts[: FUNCTIONS[name][0]])
    raise UnknownError(f"the SymPy function {name} has no meaning in an activation; pass a callable instead")


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
        total = _where(condition, _tree(formula), total)
    return total


def _where(condition: Any, yes: Tree, no: Tree) -> Tree:
    """Choice by a comparison, or by comparisons joined by And, Or and Not."""
    match condition.func.__name__:
        case "GreaterThan" | "StrictGreaterThan" | "LessThan" | "StrictLessThan":
            return choice(add(_tree(condition.gts), -_tree(condition.lts)), yes, no)
        case "And":
            return reduce(lambda inner, part: _where(part, inner, no), condition.args, yes)
        case "Or":
            return reduce(lambda inner, part: _where(part, yes, inner), condition.args, no)
        case "Not":
            return _where(condition.args[0], no, yes)
    raise UnknownError(f"expected a comparison as a condition, got {condition}; write one with <, <=, > or >=")
