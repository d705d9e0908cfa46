"""The reader of SymPy expressions. It does not import SymPy."""

import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from igbtheory.mathematics.formulas.tree import PI, E, Number, Parameter, Tree, X, add, mul, number, power
from igbtheory.mathematics.formulas.vocabulary import FUNCTIONS, VARIADIC, at_least, both, either, negated, where


class UnknownError(ValueError):
    """A function of SymPy that formulas do not have."""


def from_sympy(expression: Any, parameters: Mapping[str, Any] | None = None) -> Tree:
    """Return the tree of a SymPy expression in one symbol or in several with one named x, or of a Lambda.

    parameters: values for the other symbols, by their names; symbols without a value stand for numbers. ValueError: the
    expression has no symbol, or several without x, or is too large; UnknownError: a function that formulas do not have.
    """
    in_x = of_x(expression, parameters or {})
    try:
        return _tree(in_x)
    except OverflowError as error:
        raise ValueError(f"cannot read the SymPy expression {str(expression)!r:.200}: {error}") from None


def of_x(expression: Any, parameters: Mapping[str, Any]) -> Any:
    """Return the expression in the symbol x, with the values of parameters inserted and integrals carried out."""
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
    """Yield callables that evaluate an expression in x, first by SciPy, then by mpmath."""
    sympy = sys.modules["sympy"]
    for module in ("scipy", "mpmath"):
        yield sympy.lambdify(list(expression.free_symbols), expression, module)


def constant(name: str, value: Any) -> Tree:
    """Return the tree of a SymPy expression that is the value of a parameter."""
    if any(symbol.name == "x" for symbol in value.free_symbols):
        raise ValueError(f"expected the parameter {name} without x, got {value}; write x into the formula")
    return _tree(value)


def _tree(node: Any) -> Tree:
    name = node.func.__name__
    if node.is_Symbol:
        return X if node.name == "x" else Parameter(node)
    if node.is_Boolean:
        return _condition(node)
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
    arguments = [_tree(part) for part in node.args]
    match name:
        case "Add":
            return add(*arguments)
        case "Mul":
            return mul(*arguments)
        case "Pow":
            return power(*arguments)
        case _ if name in VARIADIC:
            return FUNCTIONS[name][1](*arguments)
        case _ if name in FUNCTIONS:
            return FUNCTIONS[name][1](*arguments[: FUNCTIONS[name][0]])
    raise UnknownError(f"the SymPy function {name} has no meaning in an activation; pass a callable instead")


def _piecewise(branches: Any) -> Tree:
    """Return the choices of a Piecewise, built from its last branch, which holds elsewhere, to its first."""
    if branches[-1][1] != True:  # noqa: E712 - SymPy's own true, equal to Python's
        raise ValueError("expected a Piecewise whose last condition is True, so that it is defined for every x")
    total = _tree(branches[-1][0])
    for formula, condition in reversed(branches[:-1]):
        total = where(_condition(condition), _tree(formula), total)
    return total


def _condition(node: Any) -> Tree:
    """Return the condition of a comparison, or of comparisons joined by And, Or and Not."""
    match node.func.__name__:
        case "GreaterThan" | "StrictGreaterThan" | "LessThan" | "StrictLessThan":
            return at_least(_tree(node.gts), _tree(node.lts))
        case "And":
            return reduce(both, map(_condition, node.args))
        case "Or":
            return reduce(either, map(_condition, node.args))
        case "Not":
            return negated(_condition(node.args[0]))
    raise UnknownError(f"a condition that is no comparison, {node}")
