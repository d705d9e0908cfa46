"""Balls: python-flint's real numbers with a proven radius, which contain the true value after every operation."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, final

import numpy as np
from flint import arb, arb_mat, ctx, fmpq
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.saved import maker
from igbtheory.mathematics.numbers.kind import ELEMENTARY, Kind, elementwise

MOST_BITS = 2**20
"""Largest number of bits: some thirty times those of the most digits that may be asked for, since balls widen."""


def exact(value: Any) -> Fraction:
    """Return the rational number that `value` stands for; a float stands for the decimal that it prints."""
    if isinstance(value, Fraction):
        return value
    return Fraction(repr(float(value)) if isinstance(value, float) else str(value))


def _of_balls(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of one ball that also takes arrays; NumPy would warn if a single ball is undefined."""
    vectorised = elementwise(function)
    return lambda x: vectorised(x) if isinstance(x, np.ndarray) else function(x)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + (-x).exp())


def _softplus(x: Any) -> Any:
    return x.max(arb(0)) + (-abs(x)).exp().log1p()


def _ncdf(x: Any) -> Any:
    return (-x / arb(2).sqrt()).erfc() / 2


def _sin_minus_t_cos(t: Any) -> Any:
    """Return f(t) = sin t - t cos t of a ball t = m +- r as f(m) +- r sup |f'|, where f' = t sin t.

    f(m), which is about m^3/3 at small m, is computed with as many extra bits as its cancellation loses.
    """
    middle = t.mid()
    size = float(abs(middle))
    cancelled = 0 if not 0 < size < 1 else 2 * int(1 - np.log2(size))
    with ctx.workprec(ctx.prec + cancelled):
        value = middle.sin() - middle * middle.cos()
    return value + arb(0, (t.rad() * (t * t.sin()).abs_upper()).abs_upper())


@final
@maker
class Certified(Kind):
    """Balls whose midpoints have `bits` bits. Compute inside `precision()`: python-flint has one global precision."""

    exact = True

    def __init__(self, bits: int) -> None:
        self.bits = checks.whole("bits", bits, 2, MOST_BITS)
        self.epsilon = self.goal = 2.0**-bits if bits < 1000 else 0.0
        replacements = {"sigmoid": _sigmoid, "softplus": _softplus}
        for name in ELEMENTARY:
            setattr(self, name, _of_balls(replacements[name] if name in replacements else getattr(arb, name)))
        self.ncdf = _of_balls(_ncdf)
        self.gamma = arb.gamma
        self.sin_minus_t_cos = _of_balls(_sin_minus_t_cos)
        with self.precision():
            self.pi = arb.pi()

    def __reduce__(self) -> tuple[Any, ...]:
        return Certified, (self.bits,)

    def precision(self) -> AbstractContextManager[None]:
        """Return a context in which python-flint computes with this precision."""
        context: AbstractContextManager[None] = ctx.workprec(self.bits)
        return context

    def number(self, value: Any) -> Any:
        if isinstance(value, arb):
            return value
        if isinstance(value, np.ndarray):
            return np.frompyfunc(self.number, 1, 1)(value)
        fraction = exact(value)
        return arb(fmpq(fraction.numerator, fraction.denominator))

    @staticmethod
    def of_multiprecision(value: Any) -> Any:
        """Return a number of mpmath, or a whole number, as a ball without a radius."""
        return arb(value)

    def product(self, a: Any, b: Any) -> Any:
        """Return the matrix product by FLINT, which is fifty times as fast as one by one."""
        total = arb_mat(a.tolist()) * arb_mat(b.tolist())
        return np.array(total.tolist(), dtype=object)

    @staticmethod
    def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> Any:
        return z.hypgeom_2f1(a, b, c)

    def atan2(self, y: Any, x: Any) -> Any:
        return np.frompyfunc(arb.atan2, 2, 1)(y, x)

    def correlation(self, q_ab: Any, s: Any) -> Any:
        """Return the correlation q_ab/s, its ball cut to the possible values from -1 to 1."""
        return (q_ab / s).min(arb(1)).max(arb(-1))

    def share(self, a: Any, b: Any) -> Any:
        """Return a/(a + b) as 1/(1 + b/a), whose ball has b/(a + b) of the relative radii of a and b."""
        ball = 1 / (1 + b / a)
        return ball if ball.is_finite() else self.correlation(a, a + b)

    def sine(self, c: Any) -> Any:
        """Return sqrt(1 - c^2), its square cut to numbers that are not negative."""
        return ((1 - c) * (1 + c)).max(arb(0)).sqrt()

    def ratio(self, a: Any, b: Any) -> Any:
        if not b.is_zero():
            return a / b
        return arb.nan() if a.is_zero() else arb.pos_inf()

    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        pairs = [arb.legendre_p_root(order, i, weight=True) for i in range(order)]
        nodes, weights = (np.array(part, dtype=object) for part in zip(*pairs, strict=True))
        return nodes, weights
