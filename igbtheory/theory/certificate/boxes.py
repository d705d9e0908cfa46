"""Bounds of formulas on rectangles of the complex plane, finite only if the formula is proven to be analytic there."""

from collections.abc import Iterator
from typing import Any, NoReturn, final

from flint import acb, arb, fmpq

from igbtheory.mathematics.formulas.tree import ZERO, Call, Number, Power, Tree, children, evaluate, mul, rebuild
from igbtheory.mathematics.numbers.certified import exact
from igbtheory.mathematics.numbers.kind import ELEMENTARY, Kind

COLUMNS, ROWS = 8, 4
"""Numbers of columns, and of rows in the upper half, of smaller rectangles; the lower half is a mirror image."""


def _log(z: Any) -> Any:
    return z.log(analytic=True)


def _sqrt(z: Any) -> Any:
    return z.sqrt(analytic=True)


_I = acb(0, 1)
_OWN = {
    "sqrt": _sqrt,
    "log": _log,
    "log1p": lambda z: _log(1 + z),
    "asin": lambda z: -_I * _log(_I * z + _sqrt(1 - z * z)),
    "acos": lambda z: acb.pi() / 2 + _I * _log(_I * z + _sqrt(1 - z * z)),
    "atan": lambda z: (_log(1 - _I * z) - _log(1 + _I * z)) * _I / 2,
    "asinh": lambda z: _log(z + _sqrt(1 + z * z)),
    "acosh": lambda z: _log(z + _sqrt(z - 1) * _sqrt(z + 1)),
    "atanh": lambda z: (_log(1 + z) - _log(1 - z)) / 2,
    "sigmoid": lambda z: 1 / (1 + (-z).exp()),
    "softplus": lambda z: _log(1 + z.exp()),
}


@final
class Boxes(Kind):
    """Complex balls, which are not finite where a function is not analytic."""

    def __init__(self) -> None:
        self.pi = acb.pi()
        self.epsilon = self.goal = 0.0
        for name in ELEMENTARY:
            setattr(self, name, _OWN[name] if name in _OWN else getattr(acb, name))

    def number(self, value: Any) -> Any:
        fraction = exact(value)
        return acb(fmpq(fraction.numerator, fraction.denominator))

    def atan2(self, y: Any, x: Any) -> NoReturn:
        raise NotImplementedError

    def ratio(self, a: Any, b: Any) -> NoReturn:
        raise NotImplementedError

    def legendre(self, order: int) -> NoReturn:
        raise NotImplementedError


BOXES = Boxes()


def analytic(tree: Tree) -> Tree:
    """Return the formula with fractional powers written as exp(p log x), so that their branch cuts are noticed."""
    operands = tuple(map(analytic, children(tree)))
    match tree:
        case Power(Number(), Number(value)) if value > 0 and operands[0] == ZERO:
            return ZERO
        case Power(_, Number(value)) if value.denominator == 1:
            return rebuild(tree, operands)
        case Power():
            return Call("exp", mul(operands[1], Call("log", operands[0])))
        case _:
            return rebuild(tree, operands)


def size(tree: Tree, around: Any, inner: Any = None) -> Any:
    """Return an upper bound of |tree| or |tree(inner)| on the rectangles `around`, infinite if it may be singular.

    tree: a formula from `analytic`.
    """
    most = arb(0)
    for box in around:
        value = evaluate(tree, BOXES, box if inner is None else inner(box)) + 0 * box
        bound = value.abs_upper()
        if not bound.is_finite():
            return arb.pos_inf()
        most = most.max(bound)
    return most


def rectangles(middle: Any, width: Any, height: Any) -> Iterator[Any]:
    """Yield rectangles that cover the upper half of |Re z - middle| <= width, |Im z| <= height."""
    for i in range(COLUMNS):
        real = middle + width * arb((2 * i + 1 - COLUMNS) / COLUMNS, 1 / COLUMNS)
        for j in range(ROWS):
            yield acb(real, height * arb((2 * j + 1) / (2 * ROWS), 1 / (2 * ROWS)))
