"""Any number of digits: mpmath, in a context of its own; arrays are NumPy arrays of its numbers."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from threading import get_ident
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers.kind import ELEMENTARY, Kind, polished_legendre

_GUARD = 15


def _elementwise(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    vectorised: Callable[[Any], Any] = np.frompyfunc(function, 1, 1)
    return vectorised


def _context(digits: int) -> Any:
    from mpmath import MPContext  # noqa: PLC0415 - double precision starts faster without it

    context = MPContext()
    context.dps = digits
    return context


@final
class Multiprecision(Kind):
    """Decimal numbers of `digits` significant digits (fifteen more are carried inside)."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.epsilon = 10.0 ** -(digits + _GUARD)
        self.goal = 10.0 ** -(digits + 2)
        self.context = context = _context(digits + _GUARD)
        own = {
            "sigmoid": lambda x: 1 / (1 + context.exp(-x)),
            "softplus": lambda x: max(x, 0) + context.log1p(context.exp(-abs(x))),
        }
        for name in ELEMENTARY:
            setattr(self, name, _elementwise(own[name] if name in own else getattr(context, name)))
        # panels share most of their nodes: what was computed once is looked up
        self.ncdf = _elementwise(lru_cache(2**17)(context.ncdf))
        self._npdf = _elementwise(lru_cache(2**17)(context.npdf))
        self.sin_minus_t_cos = _elementwise(self._sin_minus_t_cos)
        self.gamma = context.gamma
        self.pi = +context.pi

    def __reduce__(self) -> tuple[Any, ...]:
        return Multiprecision, (self.digits,)

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

    def npdf(self, x: Any) -> Any:
        return self._npdf(x)

    def hermite(self, order: int, nodes: int, step: float) -> Any:
        """Table as in `Kind.hermite`, in units of 2^-prec: recurrences of whole numbers cost a tenth.

        step: a power of two. Guard bits, because the recurrence lifts rounding errors by up to exp(z^2/4).
        """
        guard = 32 + int((nodes * step) ** 2 / 4 / np.log(2))
        bits = self.context.prec + guard
        multiples, shift = np.arange(nodes).astype(object), -int(np.log2(step))
        with self.context.workprec(bits):
            first = self.context.mpf(step) * np.frompyfunc(self.context.npdf, 1, 1)(multiples * self.context.mpf(step))
            roots = [int(self.context.ldexp(self.context.sqrt(k), bits)) for k in range(order)]
            inverses = [
                0,
                *(int(self.context.ldexp(1 / self.context.sqrt(k), bits)) for k in range(1, order)),
            ]
        rows = [self._fixed_point(first, bits)]
        rows[0][0] //= 2
        rows.append((multiples * rows[0]) >> shift)
        for k in range(2, order):
            lifted = ((multiples * rows[-1]) << (bits - shift)) - roots[k - 1] * rows[-2]
            rows.append(((lifted >> bits) * inverses[k]) >> bits)
        return np.array(rows) >> guard

    def times(self, table: Any, values: Any) -> Any:
        """Product in whole numbers, whose sums cost a tenth of those of floating-point numbers."""
        largest = np.max(np.abs(values), initial=0)
        bits = self.context.prec - (self.context.mag(largest) if largest else 0)
        total = table @ self._fixed_point(values, bits)
        return np.frompyfunc(lambda x: self.context.ldexp(self.context.mpf(x), -self.context.prec - bits), 1, 1)(total)

    def _fixed_point(self, values: Any, bits: int) -> Any:
        return np.frompyfunc(lambda x: int(self.context.ldexp(x, bits)), 1, 1)(values)

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


def decimals(digits: int) -> Multiprecision:
    """Return the kind with so many digits that this thread keeps, so that its tables are made once.

    Threads do not share a context, which computes with more digits for a while.
    """
    return _kept(digits, get_ident())


@lru_cache(maxsize=4)
def _kept(digits: int, thread: int) -> Multiprecision:
    del thread
    return Multiprecision(digits)


@lru_cache
def _legendre(order: int, digits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gauss-Legendre rule; digits double with every Newton step, so their number follows from the digits wanted."""
    context = _context(digits + 5)
    rough = np.array([context.mpf(float(x)) for x in np.polynomial.legendre.leggauss(order)[0]], dtype=object)
    return polished_legendre(rough, 2 + int(np.log2(digits / 14)))
