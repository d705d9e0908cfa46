"""Symbolic numbers: SymPy expressions. A rule that is given them returns its formula."""

from fractions import Fraction
from typing import Any, final

import sympy as sp
from numpy.typing import NDArray

from igbtheory.mathematics.numbers.kind import ELEMENTARY, Kind


@final
class Symbolic(Kind):
    """SymPy expressions. A number becomes an exact rational, and a symbol remains a symbol."""

    exact = symbolic = True
    pi = sp.pi
    epsilon = 0.0
    goal = 0.0

    def __init__(self) -> None:
        replacements = {
            "expm1": lambda x: sp.exp(x) - 1,
            "log1p": lambda x: sp.log(1 + x),
            "sigmoid": lambda x: 1 / (1 + sp.exp(-x)),
            "softplus": lambda x: sp.log(1 + sp.exp(x)),
        }
        for name in ELEMENTARY:
            setattr(self, name, replacements[name] if name in replacements else getattr(sp, name))
        self.gamma = sp.gamma
        self.hyp2f1 = lambda a, b, c, z: sp.hyperexpand(sp.hyper((a, b), (c,), z))

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

    def sine(self, c: Any) -> Any:
        return sp.sqrt(1 - c**2)

    def ratio(self, a: Any, b: Any) -> Any:
        return a / b

    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        raise TypeError(f"expected a kind of number with quadrature, got SymPy expressions (order {order})")


SYMBOLIC = Symbolic()
