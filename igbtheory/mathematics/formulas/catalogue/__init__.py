"""The catalogue: activation functions by name."""

from igbtheory.mathematics.formulas.catalogue import (
    bell,
    error_function,
    gelu,
    jumps,
    rectified,
    squared,
    waves,
    without_closed_form,
)
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.reader import folded

_FAMILIES = (rectified, jumps, squared, without_closed_form, error_function, gelu, waves, bell)

FUNCTIONS: dict[str, Function] = {function.name: function for family in _FAMILIES for function in family.FUNCTIONS}

NAMED = {folded(name): phi for phi in FUNCTIONS.values() for name in (phi.name, *phi.aliases)}
"""The functions by all their names and aliases, folded."""
