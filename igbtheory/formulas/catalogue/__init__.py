"""The catalogue: activation functions by name."""

from igbtheory.formulas.catalogue import (
    bell,
    error_function,
    gelu,
    jumps,
    rectified,
    squared,
    waves,
    without_closed_form,
)
from igbtheory.formulas.function import Function

_FAMILIES = (rectified, jumps, squared, without_closed_form, error_function, gelu, waves, bell)

FUNCTIONS: dict[str, Function] = {function.name: function for family in _FAMILIES for function in family.FUNCTIONS}
