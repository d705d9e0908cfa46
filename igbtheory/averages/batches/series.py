"""Integrals of a smooth function times the normal density over a panel, by the polynomial through a few of its values.

However narrow the density is in the panel: the polynomial need only be that of the function.
"""

from functools import lru_cache

import numpy as np

from igbtheory.averages.batches.stretch import Array
from igbtheory.numbers import FLOAT64

ORDER = 16
"""Values of the function."""
DENSE = 64
"""Order of the integrals of polynomials times the density."""
TAIL = 3
"""Last Legendre coefficients, from which the next ones are guessed."""
SLOWER = 20
"""Coefficients over which the next ones fall as the first ORDER do: with some to spare."""
TINY = 1e-300
"""Largest coefficient that keeps a ratio in range."""


def nodes(left: float, right: float) -> Array:
    """Points of a panel at which the function is to be known."""
    return left + (right - left) / 2 * (1 + _polynomials()[0])


def mass(left: float, right: float) -> float:
    """Integral of the density over a panel."""
    return float(_integrals(left, right)[0][0])


def integral(left: float, right: float, values: Array) -> tuple[float, float]:
    """Integral over a panel of the function with these values, and its estimated error."""
    exact, missed = _integrals(left, right)
    series = _polynomials()[1] @ values
    last, largest = np.abs(series[-TAIL:]).max(), np.abs(series).max()
    falling = (last / (largest + TINY)) ** (1 / SLOWER)
    return float(exact @ series), float(last * (missed @ falling ** np.arange(1, 1 + missed.size)))


@lru_cache
def _polynomials() -> tuple[Array, Array]:
    """Nodes in [-1, 1], and the matrix from values there to Legendre coefficients."""
    x, weights = FLOAT64.legendre(ORDER)
    basis = np.polynomial.legendre.legvander(x, ORDER - 1)
    return x, (basis * weights[:, None]).T * (np.arange(ORDER) + 0.5)[:, None]


def _integrals(left: float, right: float) -> tuple[Array, Array]:
    """Integrals of a panel's first Legendre polynomials times the density; errors for the next ones, taken as these."""
    half = (right - left) / 2
    x, weights = FLOAT64.legendre(DENSE)
    density = half * weights * FLOAT64.npdf(left + half * (1 + x))
    exact = density @ np.polynomial.legendre.legvander(x, DENSE - 1)
    at, transform = _polynomials()
    aliased = exact[:ORDER] @ transform @ np.polynomial.legendre.legvander(at, DENSE - 1)
    return exact[:ORDER], np.abs(exact - aliased)[ORDER:]
