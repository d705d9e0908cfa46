"""Symbolic numbers: SymPy expressions, on which rules leave their formula behind."""

from fractions import Fraction
from typing import Any, final

import sympy as sp
from numpy.typing import NDArray

from igbtheory.numbers.kind import Kind


@final
class Symbolic(Kind):
    """SymPy expressions; a number becomes an exact rational, a symbol stays one."""

    exact = True
    pi = sp.pi
    epsilon = 0.0
    goal = 0.0
    sqrt = staticmethod(sp.sqrt)
    exp = staticmethod(sp.exp)
    log = staticmethod(sp.log)
    sin = staticmethod(sp.sin)
    cos = staticmethod(sp.cos)
    tan = staticmethod(sp.tan)
    asin = staticmethod(sp.asin)
    acos = staticmethod(sp.acos)
    atan = staticmethod(sp.atan)
    sinh = staticmethod(sp.sinh)
    cosh = staticmethod(sp.cosh)
    tanh = staticmethod(sp.tanh)
    sech = staticmethod(sp.sech)
    asinh = staticmethod(sp.asinh)
    acosh = staticmethod(sp.acosh)
    atanh = staticmethod(sp.atanh)
    erf = staticmethod(sp.erf)
    erfc = staticmethod(sp.erfc)

    @staticmethod
    def expm1(x: Any) -> Any:
        return sp.exp(x) - 1

    @staticmethod
    def log1p(x: Any) -> Any:
        return sp.log(1 + x)

    @staticmethod
    def sigmoid(x: Any) -> Any:
        return 1 / (1 + sp.exp(-x))

    @staticmethod
    def softplus(x: Any) -> Any:
        return sp.log(1 + sp.exp(x))

    @staticmethod
    def ncdf(x: Any) -> Any:
        return (1 + sp.erf(x / sp.sqrt(2))) / 2

    @staticmethod
    def sin_minus_t_cos(t: Any) -> Any:
        return sp.sin(t) - t * sp.cos(t)

    def number(self, value: Any) -> Any:
        if isinstance(value, sp.Basic):
            return value
        if isinstance(value, Fraction):
            return sp.Rational(value.numerator, value.denominator)
        return sp.Rational(str(value))

    def atan2(self, y: Any, x: Any) -> Any:
        return sp.atan2(y, x)

    def correlation(self, q_ab: Any, s: Any) -> Any:
        return q_ab / s

    def ratio(self, a: Any, b: Any) -> Any:
        return a / b

    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        raise TypeError(f"expected a kind of number with quadrature, got SymPy expressions (order {order})")


SYMBOLIC = Symbolic()
