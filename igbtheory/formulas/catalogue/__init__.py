"""The catalogue: activation functions by name."""

from igbtheory.formulas.catalogue import (
    bell,
    clipped,
    error_function,
    exponential,
    gelu,
    jumps,
    rectified,
    smooth,
    squared,
    waves,
)
from igbtheory.formulas.function import Function

_FAMILIES = (rectified, jumps, clipped, exponential, squared, smooth, error_function, gelu, waves, bell)

FUNCTIONS: dict[str, Function] = {function.name: function for family in _FAMILIES for function in family.FUNCTIONS}
