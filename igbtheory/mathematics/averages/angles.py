"""Places of the angles from 0 to pi/2, spread out around theta = 0, where mean slopes of a large variance vary fast."""

from typing import Any

import numpy as np

from igbtheory.mathematics.numerics.chebyshev import Axis

FEATURE = 2.0
"""Distance over which phi may vary. With 1 the table of silu around 2^14 takes twice as many polynomials; with 4 that
of mish around 2^10 does."""
PLACES = Axis(0.0, 1.0)
"""The places of the angles from 0 to pi/2."""


def width(number: Any) -> Any:
    """Return the angle within which K1 varies near theta = 0, at the variance 2^number."""
    return FEATURE * 2.0 ** (-number / 2)


def place_of(theta: Any, number: Any) -> Any:
    """Return the places of angles at the variances 2^number."""
    return np.arcsinh(theta / width(number)) / stretch(number)


def angle_at(place: Any, number: int) -> Any:
    """Return the angles theta at places, at the variance 2^number."""
    return width(number) * np.sinh(place * stretch(number))


def stretch(number: Any) -> Any:
    """Return the logarithm of how much denser the places are at theta = 0 than at pi/2."""
    return np.arcsinh(np.pi / 2 / width(number))
