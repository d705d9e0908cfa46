"""Numbers of first order a + b h, h^2 = 0: derivatives come along with any arithmetic.

They are complex arrays a + i STEP b. STEP is so small that its square is lost in a, and b keeps all its digits (Squire
and Trapp 1998, Using complex variables to estimate derivatives of real functions).
"""

from typing import Any

import numpy as np

STEP = 2.0**-500
"""Size of h, a power of two, so that multiplying by it rounds nothing."""


def first_order(value: Any, slope: Any) -> Any:
    """Return the numbers value + slope h."""
    return value + 1j * (STEP * slope)


def is_first_order(x: Any) -> bool:
    """Whether numbers carry a derivative."""
    return np.iscomplexobj(x)


def slope_of(x: Any) -> Any:
    """Return the factors b of h in numbers a + b h."""
    return np.imag(x) / STEP
