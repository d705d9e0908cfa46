"""Double precision, with NumPy scalars and broadcasting arrays."""

from bisect import bisect
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.memory import keep_freed
from igbtheory.mathematics.numbers.kind import ELEMENTARY, Function, Kind, polished_legendre

_PLAIN = (int, float, str)
_SMALL = 1.6**2  # the square of a number just above pi/2; below, the twelfth term of the series is 3e-19 of the first
_SERIES = tuple((-1.0) ** (k + 1) * 2 * k / float(np.prod(np.arange(1.0, 2 * k + 2))) for k in range(11, 0, -1))
_REACH = [(2.0**-55 * abs(_SERIES[-1] / _SERIES[-1 - k])) ** (1 / k) for k in range(1, 11)]
"""Squares of t up to which one term of the series suffices, two terms, and so on."""


def of_scipy(name: str) -> Function:
    """Return SciPy's function of this name. SciPy is loaded at the first call: relu needs none."""

    def function(x: Any) -> Any:
        from scipy import special  # noqa: PLC0415 - see above

        extended = getattr(x, "dtype", None) == np.longdouble  # which SciPy does not support
        return getattr(special, name)(x.astype(np.float64) if extended else x)

    return function


def _sech(x: Any) -> Any:
    """Return the hyperbolic secant as 2 e/(1 + e^2), e = exp(-|x|), which does not overflow."""
    e = np.exp(-np.abs(x))
    return 2 * e / (1 + e * e)


def _sin_minus_t_cos(t: Any) -> Any:
    """Return sin t - t cos t; below t = 1.6 by its series t^3/3 - t^5/30 + ..., which cancels by less than a bit."""
    t2 = t * t
    if not isinstance(t, np.ndarray):  # Python's own numbers are the fastest ones
        return t * _series(float(t2), t2) if t2 < _SMALL else np.sin(t) - t * np.cos(t)
    largest = t2.max(initial=0)
    if largest < _SMALL:
        return t * _series(t2, largest)
    small = t2 < _SMALL
    values, near, far = np.empty_like(t), t[small], t[~small]
    values[small], values[~small] = near * _series(t2[small], _SMALL), np.sin(far) - far * np.cos(far)
    return values


def _series(t2: Any, largest: Any) -> Any:
    """Return the series over t at squares of t, of which one is the largest."""
    first, *coefficients = _SERIES[-1 - bisect(_REACH, largest) :]
    series = first * t2
    for coefficient in coefficients:
        series += coefficient
        series *= t2
    return series


@final
class Float64(Kind):
    """NumPy double precision."""

    pi = np.pi
    epsilon = 2.0**-53
    goal = 1e-13

    def __init__(self) -> None:
        special = {"erf": of_scipy("erf"), "erfc": of_scipy("erfc"), "sigmoid": of_scipy("expit")}
        replacements = {**special, "sech": _sech, "softplus": lambda x: np.logaddexp(0, x)}
        for name in ELEMENTARY:
            setattr(self, name, replacements[name] if name in replacements else getattr(np, name))
        self.ncdf = of_scipy("ndtr")
        self.gamma = of_scipy("gamma")
        self.sin_minus_t_cos = _sin_minus_t_cos

    def __reduce__(self) -> str:
        return "FLOAT64"

    def number(self, value: Any) -> Any:
        if isinstance(value, _PLAIN):
            return np.float64(value)
        if isinstance(value, Fraction):  # a constant of a formula; a Python float does not promote float32 arrays
            try:
                return value.numerator / value.denominator
            except OverflowError:
                power = len(str(abs(value.numerator) // value.denominator)) - 1
                raise ValueError(
                    f"expected numbers within double precision, below 1.8e308, got one of about 1e{power}; scale it"
                ) from None
        array = np.asarray(value)
        return array.astype(np.float64)[()]

    def atan2(self, y: Any, x: Any) -> Any:
        return np.arctan2(y, x)

    def correlation(self, q_ab: Any, s: Any) -> Any:
        c = q_ab / s
        return c.clip(-1.0, 1.0, out=c) if isinstance(c, np.ndarray) else min(max(c, -1.0), 1.0)

    def ratio(self, a: Any, b: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.divide(a, b)

    @staticmethod
    @lru_cache
    def _legendre(order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        rough = np.polynomial.legendre.leggauss(order)[0].astype(np.longdouble)
        nodes, weights = polished_legendre(rough, 1)
        return nodes.astype(np.float64), weights.astype(np.float64)

    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        return self._legendre(order)


FLOAT64 = Float64()
keep_freed()  # every calculation with arrays of this kind loads this module
