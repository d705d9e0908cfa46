"""Numbers of any number of digits, by mpmath in a context of their own; arrays are NumPy arrays of such numbers."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from threading import get_ident
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.saved import maker
from igbtheory.mathematics.numbers.kind import ELEMENTARY, Kind, elementwise, polished_legendre

_GUARD = 15  # more digits than are asked for, since rules lose some by cancellation
SPARE = 64
"""Bits that balls have beyond the precision, for terms 1e-19 of the largest one."""


MOST_DIGITS = 10_000
"""Largest number of digits: of mlp(3, "relu"), which has closed forms, so many take two seconds."""


def _context(digits: int) -> Any:
    from mpmath import MPContext  # noqa: PLC0415 - double precision starts faster without it

    context = MPContext()
    context.dps = digits
    return context


@final
@maker
class Multiprecision(Kind):
    """Numbers of `digits` significant decimal digits, computed with fifteen more."""

    def __init__(self, digits: int) -> None:
        self.digits = checks.whole("digits", digits, 2, MOST_DIGITS)
        self.epsilon = 10.0 ** -(digits + _GUARD)
        self.goal = 10.0 ** -(digits + 2)
        self.context = context = _context(digits + _GUARD)
        replacements = {
            "sigmoid": lambda x: 1 / (1 + context.exp(-x)),
            "softplus": lambda x: max(x, 0) + context.log1p(context.exp(-abs(x))),
        }
        for name in ELEMENTARY:
            setattr(self, name, elementwise(replacements[name] if name in replacements else getattr(context, name)))
        # cached, because quadrature rules share most of their nodes
        self.ncdf = elementwise(lru_cache(2**17)(context.ncdf))
        self._npdf = elementwise(lru_cache(2**17)(context.npdf))
        self.sin_minus_t_cos = elementwise(self._sin_minus_t_cos)
        self.gamma = context.gamma
        self.pi = +context.pi

    def __reduce__(self) -> tuple[Any, ...]:
        return Multiprecision, (self.digits,)

    def _sin_minus_t_cos(self, t: Any) -> Any:
        """Return sin t - t cos t, about t^3/3 at small t, computed with as many extra bits as cancellation loses."""
        cancelled = 0 if t == 0 else max(0, -2 * int(self.context.mag(t)))
        with self.context.workprec(self.context.prec + cancelled):
            return self.context.sin(t) - t * self.context.cos(t)

    def number(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return elementwise(self.number)(value)
        if isinstance(value, list | tuple):
            return self.number(np.asarray(value, dtype=object))
        if isinstance(value, Fraction):
            return self.context.mpf(value.numerator) / value.denominator
        if isinstance(value, float):  # np.float64 is one
            return self.context.mpf(repr(float(value)))
        return self.context.mpf(value if isinstance(value, int) else str(value))

    def npdf(self, x: Any) -> Any:
        return self._npdf(x)

    def hermite(self, order: int, nodes: int, step: float) -> Any:
        """Return the table of `Kind.hermite` in units of 2^-prec; integers make the recurrence ten times as fast.

        step: a power of two. The recurrence amplifies rounding errors by up to exp(z^2/4), hence the guard bits.
        """
        guard = 32 + int((nodes * step) ** 2 / 4 / np.log(2))
        bits = self.context.prec + guard
        multiples, shift = np.arange(nodes).astype(object), -int(np.log2(step))
        with self.context.workprec(bits):
            first = self.context.mpf(step) * elementwise(self.context.npdf)(multiples * self.context.mpf(step))
            roots = [self.context.sqrt(k) for k in range(1, order)]
            fixed_roots = self._fixed_point(np.array(roots), bits)
            inverses = self._fixed_point(1 / np.array(roots), bits)
        rows = [self._fixed_point(first, bits)]
        rows[0][0] //= 2
        rows.append((multiples * rows[0]) >> shift)
        for root, inverse in zip(fixed_roots, inverses[1:], strict=False):
            lifted = ((multiples * rows[-1]) << (bits - shift)) - root * rows[-2]
            rows.append(((lifted >> bits) * inverse) >> bits)
        return np.array(rows) >> guard

    def times(self, table: Any, values: Any) -> Any:
        """Return the matrix product, computed with integers, which is ten times as fast."""
        largest = np.max(np.abs(values), initial=0)
        bits = self.context.prec - (self.context.mag(largest) if largest else 0)
        total = table @ self._fixed_point(values, bits)
        return elementwise(lambda x: self.context.ldexp(self.context.mpf(x), -self.context.prec - bits))(total)

    def quickly(self, rule: Callable[..., Any], *numbers: Any) -> Any:
        """Return `rule`, computed with balls, whose arithmetic is eight times as fast, without their radii."""
        with self._balls.precision():
            ball = rule(self._balls, *(np.frompyfunc(self._balls.of_multiprecision, 1, 1)(part) for part in numbers))
            return self.of_ball(ball)

    def of_ball(self, ball: Any) -> Any:
        """Return the middle of a ball."""
        return self.context.mpf(tuple(map(int, ball.mid().man_exp())))

    @cached_property
    def _balls(self) -> Any:
        from igbtheory.mathematics.numbers.certified import Certified  # noqa: PLC0415 - starts faster without it

        balls = Certified(self.context.prec + SPARE)
        balls.epsilon, balls.goal = self.epsilon, self.goal
        return balls

    def _fixed_point(self, values: Any, bits: int) -> Any:
        return elementwise(lambda x: int(self.context.ldexp(x, bits)))(values)

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
    """Return the kind with this number of digits, kept for this thread so that its tables are made once.

    Threads share no context, because a context sometimes raises its precision for a while.
    """
    return _kept(digits, get_ident())


@lru_cache(maxsize=4)
def _kept(digits: int, thread: int) -> Multiprecision:
    del thread
    return Multiprecision(digits)


@lru_cache
def _legendre(order: int, digits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the Gauss-Legendre rule; every Newton step doubles the number of right digits."""
    context = _context(digits + 5)
    rough = np.array([context.mpf(float(x)) for x in np.polynomial.legendre.leggauss(order)[0]], dtype=object)
    return polished_legendre(rough, 2 + int(np.log2(digits / 14)))
