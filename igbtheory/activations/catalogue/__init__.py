"""The catalogue: activation functions by name."""

from igbtheory.activations.catalogue import error_function, gelu, rectified, smooth
from igbtheory.activations.function import Function

FUNCTIONS: dict[str, Function] = {
    function.name: function for module in (rectified, smooth, error_function, gelu) for function in module.FUNCTIONS
}
