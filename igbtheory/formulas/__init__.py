"""Activation functions: each is its formula; the catalogue, the reader of formulas, Gaussian moments of any of them.

Who answers: `averages` (sweeps, maxima) asks `moments`, or `maxima` of m > 1 units. `moments` takes the closed form if
there is one; for smooth phi `mehler`, for kinked phi in double precision `octaves`, of pairs `smoothed`; else `panels`,
of many pairs by `pairwise` and `interpolation`. Batch-normalised units: `batched` asks `spherical`, with eps > 0
`lengths` and `disk`, of maxima `batched_pair`. What BatchNorm with eps > 0 leaves behind an activation: `batches`.
"""

from typing import Any

from igbtheory import checks
from igbtheory.formulas.catalogue import FUNCTIONS
from igbtheory.formulas.domain import refuse_outside
from igbtheory.formulas.function import Function
from igbtheory.formulas.reader import FUNCTIONS as READABLE
from igbtheory.formulas.reader import read
from igbtheory.formulas.sympy_reader import from_sympy

__all__ = ["FUNCTIONS", "Function", "function_of"]


def function_of(activation: Any) -> Function:
    """Function meant by a catalogue name, a formula in x, a SymPy expression in one symbol, or a Function."""
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
    refuse_outside(phi.name, phi.tree, phi.pieces)
    return phi
