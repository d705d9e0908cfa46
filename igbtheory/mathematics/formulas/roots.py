"""Real roots and signs of a formula without choices: the points at which the outcome of a comparison changes.

All roots of a polynomial with rational coefficients are found, also inside odd increasing functions and beside positive
factors, which keep its sign. The roots of any other formula are found where its sign changes between neighbouring
points of a grid, or in a dip between them; `splitting` compares values to detect overlooked roots. An irrational root
is given as a rational number within 10^-300 of it.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from math import floor
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyadd, polyder, polymul, polyval
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.tree import (
    ODD,
    ONE,
    Call,
    Number,
    Power,
    Product,
    Sum,
    Tree,
    Variable,
    add,
    call,
    children,
    evaluate,
)
from igbtheory.mathematics.numbers import FLOAT64, Multiprecision

DIGITS = 310
"""Digits in which the sign at a point is computed: a difference of numbers of size 1 is told from 0 if it is a
float."""
ROUGH = 15
"""Digits to which a root is found by bisection: those of a float."""
STEPS = (30, 60, 120, 240, DIGITS)
"""Digits of the Newton steps that follow: each doubles the correct ones."""
BESIDE = 2.0**-40
"""Relative distance from the ends of an interval at which the sign is also evaluated."""
BISECTIONS = 60
"""Number of steps of a search for the least value; each leaves two thirds, and all of them 3e-11 of an interval."""
ROUNDED = 1e-12
"""Depth of a dip, relative to neighbouring values, that may be a rounding error."""
_POSITIVE = frozenset({"exp", "cosh", "sech", "sigmoid", "softplus", "erfc"})
_KEEP_SIGN = (ODD - {"sin", "tan"}) | {"expm1", "log1p"}
_FAR = 2.0 ** np.arange(6, 31)  # beyond 64 formulas seldom change
GRID = np.concatenate([-_FAR[::-1], np.arange(-64 * 32 + 1, 64 * 32, 2) / 32, _FAR])
"""Points between which a formula that is not a polynomial is searched for roots."""
LARGEST = Fraction(sys.float_info.max)
MOST_ROOTS = 256
"""Largest number of roots of one comparison. Each becomes a kink, where the panels of a quadrature end."""


class TooManyRootsError(ValueError):
    """The outcome of a comparison changes too often."""


Polynomial = NDArray[Any]
"""Exact coefficients of 1, x, x^2, ...; the last of several coefficients is not 0."""


def sign(tree: Tree, point: Fraction) -> int:
    """Return the sign of a formula at an exact point."""
    polynomial = _polynomial(tree)
    return _sign(_numeric(_kind(DIGITS), tree, point) if polynomial is None else polyval(point, polynomial))


def floor_at(tree: Tree, point: Fraction) -> int:
    """Return the floor of a formula at an exact point."""
    return floor(_fraction(_kind(DIGITS), evaluate(tree, _kind(DIGITS), _kind(DIGITS).number(point))))


def roots(
    tree: Tree, low: Fraction | None = None, high: Fraction | None = None, most: float = MOST_ROOTS
) -> Iterator[Fraction]:
    """Yield the real roots of a formula between `low` and `high`, in no particular order; None means unbounded.

    Roots beyond double precision are left out: no x that is computed reaches them.

    TooManyRootsError: one factor has more than `most` roots, inside and outside of the interval.
    """
    ends = [float(end) for end in (low, high) if end is not None]
    beside = [end + side * BESIDE * max(abs(end), 1) for end in ends for side in (1, -1)]
    for factor in _factors(tree):
        polynomial = _polynomial(factor)
        candidates = _scanned(factor, most, beside) if polynomial is None else _algebraic(factor, polynomial)
        within = (root for root in candidates if (low is None or low < root) and (high is None or root < high))
        yield from (root for root in within if abs(root) <= LARGEST)


def guards(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Yield the parts of a formula at whose roots it may be singular, each with a token that locates it in the text."""
    match tree:
        case Power(base, Number(value)) if value < 0 or value.denominator > 1:
            yield "/", base
        case Call("log" as name, argument) | Call("sqrt" as name, argument):
            yield f"{name}(", argument
        case Call("log1p", argument):
            yield "log", add(ONE, argument)
        case Call("tan", argument):
            yield "tan(", call("cos", argument)
    for part in children(tree):
        yield from guards(part)


def _factors(tree: Tree) -> list[Tree]:
    """Return factors whose signs multiply to the sign of the formula, without positive factors."""
    match tree:
        case Product(factors):
            return [part for factor in factors for part in _factors(factor)]
        case Call(name, argument) if name in _KEEP_SIGN:
            return _factors(argument)
        case Call(name, _) if name in _POSITIVE:
            return []
        case Power(base, Number(value)) if value.denominator == 1 and value % 2:
            return _factors(base)
        case Number(value) if value > 0:
            return []
        case _:
            return [tree]


def _polynomial(tree: Tree) -> Polynomial | None:
    """Return the coefficients of a formula, or None if it is not a polynomial."""
    match tree:
        case Number(value):
            return np.array([value])
        case Variable():
            return np.array([Fraction(0), Fraction(1)])
        case Sum(operands) | Product(operands):
            polynomials = [_polynomial(operand) for operand in operands]
            defined = [part for part in polynomials if part is not None]
            if len(defined) < len(polynomials):
                return None
            return reduce(polyadd if isinstance(tree, Sum) else polymul, defined)
        case Power(base, Number(value)) if value.denominator == 1 and value > 0:
            inner = _polynomial(base)
            return None if inner is None else reduce(polymul, [inner] * int(value))
        case _:
            return None


def _algebraic(tree: Tree, p: Polynomial) -> list[Fraction]:
    """Return the roots of a polynomial, at most one between neighbouring roots of its derivative."""
    if len(p) <= 2:
        return [-p[0] / p[1]] if len(p) == 2 else []
    bound = 1 + max(abs(a / p[-1]) for a in p)
    points = [-bound, *_algebraic(derivative(tree), polyder(p)), bound]
    signs = [_sign(polyval(x, p)) for x in points]
    zeros = {x for x, value in zip(points, signs, strict=True) if value == 0}
    pairs = zip(pairwise(points), pairwise(signs), strict=True)
    return sorted(zeros | {_root(tree, *ends, below) for ends, (below, above) in pairs if below * above < 0})


def _scanned(tree: Tree, most: float, beside: list[float]) -> Iterator[Fraction]:
    """Yield the roots at points of a grid and between neighbouring points of different sign, from 0 outwards."""
    grid = np.union1d(GRID, [*beside, *_dips(tree)])
    signs = np.sign(_values(tree, grid))
    clear = np.flatnonzero(np.abs(signs) == 1)  # rounding errors may hide the sign at some points
    i, j = clear[:-1], clear[1:]
    chosen = signs[i] != signs[j]
    if np.count_nonzero(chosen) > most:
        raise TooManyRootsError(
            f"expected comparisons whose outcome changes at no more than {most} points x, got one with "
            f"{np.count_nonzero(chosen)} or more, as of an oscillation; use a smooth formula"
        )
    order = np.argsort(np.abs(grid[i] + grid[j])[chosen], kind="stable")
    for low, high, below in zip(*(part[chosen][order].tolist() for part in (grid[i], grid[j], signs[i])), strict=True):
        yield _root(tree, Fraction(low), Fraction(high), int(below))


@np.errstate(all="ignore")
def _values(tree: Tree, x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(evaluate(tree, FLOAT64, x) + 0 * x)


def _dips(tree: Tree) -> NDArray[Any]:
    """Return points between neighbouring points of the grid at which a formula dips to the opposite sign."""
    values = _values(tree, GRID)
    size, side = np.abs(values), np.sign(values)
    least = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (side[:-2] == side[1:-1]) & (side[1:-1] == side[2:])
    i = np.flatnonzero(least) + 1
    low, high, side = GRID[i - 1], GRID[i + 1], side[i]
    for _ in range(BISECTIONS):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = side * _values(tree, a) < side * _values(tree, b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    bottoms = (low + high) / 2
    return np.asarray(bottoms[side * _values(tree, bottoms) < -ROUNDED * np.maximum(size[i - 1], size[i + 1])])


@lru_cache(maxsize=4096)
def _root(tree: Tree, low: Fraction, high: Fraction, below: int) -> Fraction:
    """Return the root between `low`, where the sign is `below`, and `high`, by bisection and Newton's iteration.

    The result of the bisection is returned where the iteration does not converge, as at a pole.
    """
    width = Fraction(1, 10**ROUGH)
    while high - low > width:
        middle = (low + high) / 2
        value = _sign(_numeric(_kind(ROUGH), tree, middle))
        if value == 0:
            low = high = middle
        else:
            low, high = (middle, high) if value == below else (low, middle)
    short = low.limit_denominator(10**6)
    if abs(short - low) <= width and not _numeric(_kind(DIGITS), tree, short):
        return short
    slope, x = derivative(tree), low
    with suppress(ZeroDivisionError):
        for digits in STEPS:
            n = _kind(digits)
            at = n.number(x)
            step = evaluate(tree, n, at) / evaluate(slope, n, at)
            if not abs(step) <= 1:  # it does not converge, and may lead to numbers that fill the memory
                return low
            x = _fraction(n, at - step)
    return x if abs(x - low) <= width else low


_kind = lru_cache(Multiprecision)


def _fraction(n: Multiprecision, x: Any) -> Fraction:
    return Fraction(int(n.context.ldexp(x, 1100)), 2**1100)


def _sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def _numeric(n: Multiprecision, tree: Tree, x: Fraction) -> Any:
    """Return the value at x in many digits, or 0 (no sign) where the formula is undefined or not real."""
    try:
        value = evaluate(tree, n, n.number(x))
        return value if value == value.real else n.number(0)
    except (ValueError, ZeroDivisionError, OverflowError):
        return n.number(0)
