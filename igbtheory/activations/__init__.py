"""Activation functions: each is its formula; the catalogue, the reader of formulas, Gaussian moments of any of them."""

from typing import Any

from igbtheory import checks
from igbtheory.activations.catalogue import FUNCTIONS
from igbtheory.activations.function import Function
from igbtheory.activations.reader import read
from igbtheory.activations.sympy_reader import from_sympy

__all__ = ["FUNCTIONS", "Function", "function_of"]


def function_of(activation: Any) -> Function:
    """Function meant by a catalogue name, a formula in x, a SymPy expression in one symbol, or a Function."""
    if isinstance(activation, Function):
        return activation
    if hasattr(activation, "free_symbols"):
        return Function(str(activation), from_sympy(activation))
    if not isinstance(activation, str):
        raise TypeError(
            f"expected an activation (a name such as 'relu', a formula such as 'x*tanh(x)', or a SymPy expression), "
            f"got {activation!r}"
        )
    if activation.strip() in FUNCTIONS:
        return FUNCTIONS[activation.strip()]
    if activation.strip().isidentifier() and activation.strip() != "x":
        checks.known("activation", activation.strip(), FUNCTIONS)
    return Function(activation, read(activation))
