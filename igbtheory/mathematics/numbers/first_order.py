"""Numbers of first order a + b h with h^2 = 0, whose arithmetic also computes derivatives.

They are complex arrays a + i STEP b. STEP is so small that its square vanishes beside a, and b keeps all its digits.
Source: Squire and Trapp 1998, Using complex variables to estimate derivatives of real functions.
"""

from typing import Any

import numpy as np

STEP = 2.0**-500
"""Size of h, a power of two, so that multiplying by it causes no rounding error."""


def first_order(value: Any, slope: Any) -> Any:
    """Return the numbers value + slope h."""
    return value + 1j * (STEP * slope)


def is_first_order(x: Any) -> bool:
    """Return whether numbers carry a derivative."""
    return np.iscomplexobj(x)


def slope_of(x: Any) -> Any:
    """Return the factors b of h in numbers a + b h."""
    return np.imag(x) / STEP
