"""Any number of digits: mpmath, in a context of its own; arrays are NumPy arrays of its numbers."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import mpmath
import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers.kind import ELEMENTARY, Kind

_GUARD = 15


def _elementwise(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return np.frompyfunc(function, 1, 1)


@final
class Multiprecision(Kind):
    """Decimal numbers of `digits` significant digits (fifteen more are carried inside)."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.epsilon = 10.0 ** -(digits + _GUARD)
        self.goal = 10.0**-digits
        self.context = context = mpmath.MPContext()
        context.dps = digits + _GUARD
        own = {
            "sigmoid": lambda x: 1 / (1 + context.exp(-x)),
            "softplus": lambda x: max(x, 0) + context.log1p(context.exp(-abs(x))),
        }
        for name in ELEMENTARY:
            setattr(self, name, _elementwise(own[name] if name in own else getattr(context, name)))
        self.ncdf = _elementwise(context.ncdf)
        self.sin_minus_t_cos = _elementwise(self._sin_minus_t_cos)
        self.pi = +context.pi

    def _sin_minus_t_cos(self, t: Any) -> Any:
        """Function sin t - t cos t, in as many more digits as its cancellation t^3/3 takes away."""
        lost = 0 if t == 0 else max(0, -2 * int(self.context.mag(t)))
        with self.context.workprec(self.context.prec + lost):
            return self.context.sin(t) - t * self.context.cos(t)

    def number(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.frompyfunc(self.number, 1, 1)(value)
        if isinstance(value, list | tuple):
            return self.number(np.asarray(value, dtype=object))
        if isinstance(value, Fraction):
            return self.context.mpf(value.numerator) / value.denominator
        if isinstance(value, float):  # np.float64 is one
            return self.context.mpf(repr(float(value)))
        if isinstance(value, np.integer):
            return self.context.mpf(int(value))
        return self.context.mpf(value if isinstance(value, int) else str(value))

    def atan2(self, y: Any, x: Any) -> Any:
        return np.frompyfunc(self.context.atan2, 2, 1)(y, x)

    def ratio(self, a: Any, b: Any) -> Any:
        return np.frompyfunc(self._ratio, 2, 1)(a, b)

    def _ratio(self, a: Any, b: Any) -> Any:
        if b:
            return a / b
        return self.context.inf if a else self.context.nan

    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        return _legendre(order, self.digits + _GUARD)


@lru_cache
def _legendre(order: int, digits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gauss-Legendre rule by Newton's iteration on P_n from the double-precision nodes.

    Digits double with every step, so the number of steps follows from the digits wanted.
    """
    context = mpmath.MPContext()
    context.dps = digits + 5
    nodes = np.array([context.mpf(float(x)) for x in np.polynomial.legendre.leggauss(order)[0]], dtype=object)
    for _ in range(2 + int(np.log2(digits / 14))):
        value, slope = _legendre_polynomial(order, nodes)
        nodes = nodes - value / slope
    _, slope = _legendre_polynomial(order, nodes)
    return nodes, 2 / ((1 - nodes * nodes) * slope * slope)


def _legendre_polynomial(order: int, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Polynomial P_n and its derivative at x, by the three-term recurrence."""
    before, value = 0 * x + 1, x
    for k in range(2, order + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, order * (x * value - before) / (x * x - 1)
