"""Activation functions as formulas: the catalogue, the readers of formulas, and what follows from a formula alone."""

from typing import Any

from igbtheory import checks
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.domain import refuse_outside
from igbtheory.formulas.function import ClosedForm, Function, formula
from igbtheory.formulas.reader import FUNCTIONS as READABLE
from igbtheory.formulas.reader import read
from igbtheory.formulas.sympy_reader import from_sympy

__all__ = ["FUNCTIONS", "ClosedForm", "Function", "formula", "function_of"]


def function_of(activation: Any) -> Function:
    """Return the function meant by a name, a formula in x, a SymPy expression in x, or a Function."""
    activation = getattr(activation, "phi", activation)  # of an Activation layer, its function
    if isinstance(activation, Function):
        return activation
    if isinstance(getattr(activation, "free_symbols", None), set) and hasattr(activation, "is_Rational"):
        return _checked(Function(str(activation), from_sympy(activation)))
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
    return _checked(Function(activation, read(activation, {name: phi.tree for name, phi in FUNCTIONS.items()})))


def _checked(phi: Function) -> Function:
    if not phi.free_symbols:  # of a formula with symbols nothing can be evaluated yet
        refuse_outside(phi.name, phi.tree, phi.pieces)
    return phi
