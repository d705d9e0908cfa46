"""Activation functions as formulas: the catalogue, the readers of formulas, and what follows from a formula alone."""

from dataclasses import replace
from typing import Any

from igbtheory import checks
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.closed import closed_of
from igbtheory.formulas.domain import refuse_outside
from igbtheory.formulas.function import Function
from igbtheory.formulas.reader import FUNCTIONS as READABLE
from igbtheory.formulas.reader import read
from igbtheory.formulas.sympy_reader import from_sympy
from igbtheory.formulas.tree import Tree

__all__ = ["FUNCTIONS", "Function", "function_of"]


def function_of(activation: Any) -> Function:
    """Return the function meant by a name, a formula in x, a SymPy expression in x, or a Function."""
    activation = getattr(activation, "phi", activation)  # of an Activation layer, its function
    if isinstance(activation, Function):
        return activation
    if isinstance(getattr(activation, "free_symbols", None), set) and hasattr(activation, "is_Rational"):
        return _checked(str(activation), from_sympy(activation))
    if not isinstance(activation, str):
        raise TypeError(
            f"expected an activation (a name such as 'relu', a formula such as 'x*tanh(x)', or a SymPy expression), "
            f"got {activation!r}"
        )
    activation = activation.strip()
    if activation in FUNCTIONS:
        return FUNCTIONS[activation]
    if activation.isidentifier() and activation not in {"x", "pi", "E", *READABLE}:
        checks.known("activation", activation, FUNCTIONS)
    return _checked(activation, read(activation, {name: phi.tree for name, phi in FUNCTIONS.items()}))


def _checked(name: str, tree: Tree) -> Function:
    phi = Function(name, tree)
    if not phi.free_symbols:  # of a formula with symbols nothing can be evaluated yet
        refuse_outside(phi.name, phi.tree, phi.pieces)
    return replace(phi, closed=closed_of(phi.pieces))
