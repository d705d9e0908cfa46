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
from igbtheory.mathematics.formulas.catalogue.bell import Bell
from igbtheory.mathematics.formulas.catalogue.error_function import Erf
from igbtheory.mathematics.formulas.catalogue.gelu import Gelu
from igbtheory.mathematics.formulas.catalogue.jumps import Jump
from igbtheory.mathematics.formulas.catalogue.powers import Powers
from igbtheory.mathematics.formulas.catalogue.rectified import Rectified
from igbtheory.mathematics.formulas.catalogue.squared import SquaredRelu
from igbtheory.mathematics.formulas.catalogue.waves import Cosine, Sine
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.reader import folded

_FAMILIES = (rectified, jumps, squared, without_closed_form, error_function, gelu, waves, bell)

FUNCTIONS: dict[str, Function] = {function.name: function for family in _FAMILIES for function in family.FUNCTIONS}

NAMED = {folded(name): phi for phi in FUNCTIONS.values() for name in (phi.name, *phi.aliases)}
"""The functions by all their names and aliases, folded."""

__all__ = ["Bell", "Cosine", "Erf", "Gelu", "Jump", "Powers", "Rectified", "Sine", "SquaredRelu"]
