"""Activation functions as formulas.

A formula is a `tree`. `calculus` differentiates it, `splitting` cuts it into `pieces` at its kinks, and `roots` finds
the kinks. `character` and `domain` say how it grows and where it is defined. A `function` is a formula with its closed
forms, which `closed_forms` recognises. `catalogue` has the known functions: the ReLU kernel is in catalogue/rectified.
`reader` reads text, with the words of `vocabulary` and the functions of `library_functions`; `sympy_reader` reads
SymPy. `callables` reads functions from Python: `recorder` records their formula, or `approximation` fits polynomials,
whose distance from the function is in `error_bounds`. `parameters` puts numbers in the place of names, `shift`
subtracts a constant, `exponential_sums` finds the terms that have closed averages, and `text` writes a formula.
"""

import re
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from igbtheory.foundations import checks
from igbtheory.mathematics.formulas.catalogue import FUNCTIONS, NAMED
from igbtheory.mathematics.formulas.closed_forms import closed_of
from igbtheory.mathematics.formulas.domain import refuse_outside
from igbtheory.mathematics.formulas.function import ClosedForm, Function, formula
from igbtheory.mathematics.formulas.library_functions import LAYERS, SHAPES, WORDS
from igbtheory.mathematics.formulas.parameters import (
    RESERVED,
    parameter_tree,
    parameter_trees,
    refuse_unused,
    with_values,
)
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.reader import folded, read, shaped
from igbtheory.mathematics.formulas.tree import (
    Call,
    Choice,
    Constant,
    Number,
    Parameter,
    Power,
    Product,
    Sum,
    Tree,
    Variable,
    X,
)

__all__ = [
    "FUNCTIONS",
    "Call",
    "Choice",
    "ClosedForm",
    "Constant",
    "Function",
    "Number",
    "Parameter",
    "Pieces",
    "Power",
    "Product",
    "Sum",
    "Tree",
    "Variable",
    "formula",
    "function_of",
]


_MODULE = re.compile(
    r"\b(?:np|numpy|scipy|special|math|torch|nn|F|functional|jax|jnp|tf|tensorflow|keras|activations|layers|sympy|sp)\."
    r"(?:[A-Za-z_]\w*\.)*(?=[A-Za-z_])"
)
"""Module names in front of a function, as in torch.nn.ReLU or np.tanh(x)."""


def function_of(activation: Any, **parameters: Any) -> Function:
    """Return the function of a name, a formula in x, a SymPy expression, a callable, a table or a Function.

    parameters: values of the other names in a formula or SymPy expression, or keyword arguments of a callable.
    """
    if getattr(activation, "phis", ()):
        raise ValueError(f"expected one activation, got the sweep {activation!r}; loop over its values")
    activation = getattr(activation, "phi", activation)  # the function of an Activation layer
    if isinstance(activation, Function):
        refuse_unused(parameters)
        return activation
    if isinstance(activation, type):
        activation = _instance(activation, parameters)
        parameters = {}
    if hasattr(activation, "is_Rational"):
        refuse_unused(parameters.keys() - {symbol.name for symbol in activation.free_symbols})
        return _of_sympy(activation, parameters)
    if callable(activation):
        from igbtheory.mathematics.formulas.callables import from_callable  # noqa: PLC0415 - names and formulas do not need it

        return from_callable(partial(activation, **parameters) if parameters else activation)
    if isinstance(activation, tuple | list | np.ndarray) and len(activation) == 2:
        from igbtheory.mathematics.formulas.callables import from_table  # noqa: PLC0415 - as above

        refuse_unused(parameters)
        return from_table(*activation)
    if not isinstance(activation, str):
        raise TypeError(
            "expected an activation (a name such as 'relu', a formula such as 'x*tanh(x)', a SymPy expression, a "
            f"callable, or a table (x, y)), got {activation!r:.200}"
        )
    return _of_text(_MODULE.sub("", activation.strip()), parameters)


def _of_text(activation: str, parameters: dict[str, Any]) -> Function:
    """Return the function of a name or a formula."""
    folded_name = folded(activation)
    if folded_name in SHAPES and (parameters or folded_name not in NAMED):
        return _shaped(activation, parameters)
    if folded_name in NAMED:
        refuse_unused(parameters)
        return NAMED[folded_name]
    if folded_name in LAYERS:
        remedy = LAYERS[folded_name]
        raise ValueError(f"expected a function of one unit, got {activation!r}, which takes several; {remedy}")
    if activation.isidentifier() and activation not in RESERVED:
        near = checks.nearest(activation, [*NAMED, *SHAPES], 0.6)
        hint = f"did you mean {near!r}?" if near else f"known are {', '.join(FUNCTIONS)};"
        raise ValueError(f"unknown activation {activation!r}; {hint} others take their formula, such as 'x*tanh(x)'")
    values = parameter_trees(activation, parameters)
    tree = read(activation, {name: phi.tree for name, phi in NAMED.items()}, values)
    return _checked(with_values(activation, parameters), tree)


def _instance(kind: type, parameters: dict[str, Any]) -> Any:
    """Return the activation of a class: sympy.tanh(x) of the function tanh, or torch.nn.ReLU() of the module ReLU."""
    if hasattr(kind, "is_Rational"):
        return kind(sys.modules["sympy"].Symbol("x"), **parameters)
    try:
        return kind(**parameters)
    except Exception as error:  # noqa: BLE001 - a class may raise anything
        raise TypeError(
            f"expected an activation, got the class {kind.__name__}, which raises {error}; make one"
        ) from None


def _of_sympy(expression: Any, parameters: dict[str, Any]) -> Function:
    """Return the function of a SymPy expression, read as a formula or, with unknown functions, approximated."""
    from igbtheory.mathematics.formulas.sympy_reader import UnknownError, evaluated, from_sympy, of_x  # noqa: PLC0415 - as above

    name = with_values(str(expression), parameters)
    try:
        tree = from_sympy(expression, parameters)
    except UnknownError:
        for function in evaluated(of_x(expression, parameters)):
            with suppress(ValueError, TypeError):
                return replace(function_of(function), name=name)
        raise
    return _checked(name, tree)


def _shaped(name: str, parameters: dict[str, Any]) -> Function:
    """Return the function of SHAPES with this name and these parameters."""
    folded_name = folded(name)
    refuse_unused(parameters.keys() - SHAPES[folded_name][1].keys(), SHAPES[folded_name][1])
    given = {key: value if key in WORDS else parameter_tree(key, value) for key, value in parameters.items()}
    said = ", ".join(f"{key}={repr(value) if key in WORDS else value}" for key, value in parameters.items())
    return _checked(f"{name}({said})" if said else name, shaped(folded_name, X, given))


def _checked(name: str, tree: Tree) -> Function:
    """Return the function of a formula with its closed form. ValueError: it is not finite for every x."""
    phi = Function(name, tree)
    if not phi.free_symbols:  # a formula with symbols has no values
        try:
            pieces = phi.pieces
        except ZeroDivisionError:
            raise ValueError(
                f"the formula {name!r:.200} divides by 0 on an interval of x; give it a value there by where(...)"
            ) from None
        refuse_outside(phi.name, phi.tree, pieces)
    return replace(phi, closed=closed_of(phi.pieces))
