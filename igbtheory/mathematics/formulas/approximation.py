"""Piecewise polynomial approximation of functions without a known formula.

The pieces end at kinks and where the function varies too fast for one polynomial. Each polynomial is a resolved
Chebyshev series, and the bound on its error is measured at other points than the nodes of the series.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.polynomial import polyder, polyval
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.error_bounds import Doubt
from igbtheory.mathematics.formulas.function import Function, of_pieces
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.tree import Number, Power, Product, Tree, X, add, mul, number
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import TINY

Array = NDArray[np.float64]
Values = Callable[[Array], Array]
DEGREE = 16
"""Degree of the polynomials: their slopes are sums of the sixteen polynomials of a panel of `averages.mesh`."""
MOST = 128
"""Largest number of polynomials on each side of 0; quadrature has panels for each."""
NARROW = 1e-9
"""Width, relative to max(|x|, 1), below which a piece is taken to be straight."""
SHORT = 1000
"""Kinks and slopes are rounded to a fraction with a denominator up to this one if it is close enough."""
TOLERANCES, REACHES = (1e-14, 1e-11, 1e-8, 1e-6, 1e-4), (1024, 256, 64, 16)
"""Relative tolerances, and distances from 0 up to which they must hold, in the order in which they are tried."""
_NODES = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
_SERIES = np.linalg.inv(chebyshev.chebvander(_NODES, DEGREE))
# the points at which a fit is checked are irregular, so that no structure of the function hides between them
_WITNESSES = np.array([-1, -0.998, -0.97, *np.linspace(-0.93, 0.91, 14), 0.96, 0.997, 1])
_NEAR_0 = np.concatenate([-np.linspace(4, 0.07, 32), np.linspace(0.07, 4, 32)])
_FAR = np.geomspace(1.001, 64, 29)
_BETWEEN = (np.arange(29) + 0.37) / 29
LARGEST = 1e300
"""Error bound where the value of the function is not finite: no probability makes it small."""
INFINITE = 1e8
"""Size of the function on a narrow piece, relative to its size near 0, that indicates a pole."""
SEEN = 1e-6
"""Smallest relative change of value or slope that counts as a jump or a kink."""


class _TooManyError(Exception):
    """The function needs more pieces than are allowed."""


def approximated(name: str, values: Values) -> Function:
    """Return a piecewise polynomial function with bounds on its error; it is straight beyond the last polynomial.

    ValueError: the function varies too fast or is not finite within 16 of 0.
    """
    noise = _noise(values)
    for tolerance, reach in product([tolerance for tolerance in TOLERANCES if tolerance >= noise], REACHES):
        try:
            with np.errstate(all="ignore"):
                return _function(name, values, _Fitted(values, tolerance, reach).pieces(), tolerance)
        except (_TooManyError, FloatingPointError):
            continue
    raise ValueError(
        f"expected an activation that {2 * MOST} polynomials of degree {DEGREE} approximate for |x| < {REACHES[-1]}, "
        f"got {name}, which varies too fast or is not finite there; pass its formula as text, or clip it"
    )


def polynomial(coefficients: Sequence[Fraction], u: Tree) -> Tree:
    """Return the formula of a polynomial in u, the lowest power first."""
    constant, slope = [*coefficients, Fraction(0)][:2]
    # the normal form that `mul` would return, a hundred times as fast
    terms = [Product((Number(c), Power(u, number(k)))) for k, c in enumerate(coefficients) if k > 1 and c]
    return add(Number(constant), mul(Number(slope), u), *terms)


@final
@dataclass(frozen=True)
class Piece:
    """A polynomial from `low` to `high`, with the exact `coefficients` of the powers of x - middle."""

    low: Fraction
    high: Fraction
    coefficients: tuple[Fraction, ...]

    @property
    def middle(self) -> Fraction:
        """The middle of the piece."""
        return (self.low + self.high) / 2

    def __call__(self, x: Fraction) -> Any:
        """Return the value at x."""
        return polyval(x - self.middle, np.array(self.coefficients))

    @property
    def slopes(self) -> tuple[Any, Any]:
        """The derivatives at the left and the right end."""
        half, slope = (self.high - self.low) / 2, polyder(np.array(self.coefficients))
        return polyval(-half, slope), polyval(half, slope)

    def through(self, left: Fraction, right: Fraction) -> "Piece":
        """Return the piece plus the straight line that gives it these values at its ends."""
        below, above = left - self(self.low), right - self(self.high)
        line = (below + above) / 2, (above - below) / (self.high - self.low)
        constant, slope, *rest = *self.coefficients, *[Fraction(0)] * (2 - len(self.coefficients))
        return Piece(self.low, self.high, (constant + line[0], slope + line[1], *rest))

    def mirrored(self) -> "Piece":
        """Return the piece of f(-x)."""
        return Piece(-self.high, -self.low, tuple((-1) ** k * c for k, c in enumerate(self.coefficients)))

    @cached_property
    def tree(self) -> Tree:
        """The formula of the polynomial; left of 0 it is written in -x, so that symmetries are recognised."""
        piece, x = (self.mirrored(), -X) if self.high <= 0 else (self, X)
        return polynomial(piece.coefficients, add(x, Number(-piece.middle)))


@final
@dataclass(frozen=True)
class _Fitted:
    """One attempt: the function, the tolerance relative to its size on a piece, and the reach."""

    values: Values
    tolerance: float
    reach: float

    def pieces(self) -> list[Piece]:
        """Return the pieces from left to right, continuous where the function is continuous."""
        mirror = replace(self, values=lambda x: self.values(-x))  # pieces of even and odd functions are then symmetric
        return self._joined([*(piece.mirrored() for piece in reversed(mirror.right_half())), *self.right_half()])

    def right_half(self) -> list[Piece]:
        """Return the pieces from 0 to the reach."""
        grid = [0.0, *(2.0**k for k in range(1, int(np.log2(self.reach)) + 1))]
        return self._merged(piece for ends in pairwise(grid) for piece in self._resolved(*ends))

    @cached_property
    def _floor(self) -> float:
        """The size of values that count as 0, relative to the size of the function near 0."""
        return float(1e-2 * self.tolerance * np.max(np.abs(self.values(_NEAR_0))))

    def _fit(self, low: float, high: float) -> tuple[bool, Array]:
        """Return whether a series resolves the function between two points, and the series without its noise."""
        middle, half = (low + high) / 2, (high - low) / 2
        inner = np.clip(middle + half * _WITNESSES, np.nextafter(low, high), np.nextafter(high, low))
        y = self.values(np.concatenate([middle + half * _NODES, inner]))
        if not np.all(np.isfinite(y)):
            raise FloatingPointError
        series, size = _SERIES @ y[: DEGREE + 1], np.max(np.abs(y))
        steep = (np.max(y) - np.min(y)) / (high - low)
        level = self.tolerance * size + self._floor + 4 * FLOAT64.epsilon * max(abs(low), abs(high)) * steep
        kept = np.flatnonzero(np.abs(series) > level / 4)
        series = series[: kept[-1] + 1 if kept.size else 1]
        wrong = np.max(np.abs(chebyshev.chebval((inner - middle) / half, series) - y[DEGREE + 1 :]))
        return bool(len(series) < DEGREE and wrong <= 4 * level), series

    def _resolved(self, low: float, high: float) -> Iterator[Piece]:
        """Yield the pieces between two points; `_merged` limits their number."""
        good, series = self._fit(low, high)
        if not good and high - low <= NARROW * max(abs(low), abs(high), 1.0):
            good, series = True, self.values(np.array([np.nextafter(low, high), np.nextafter(high, low)]))
            if np.max(np.abs(series)) > INFINITE * self._floor / self.tolerance:
                raise ValueError(f"infinite or undefined near x = {low:.6g}")
            series = np.array([series.sum() / 2, (series[1] - series[0]) / 2])
        if good:
            yield _piece(low, high, series)
            return
        cut = self._kink(low, high) or (low + high) / 2
        yield from self._resolved(low, cut)
        yield from self._resolved(cut, high)

    def _kink(self, low: float, high: float) -> float | None:
        """Return the position of the only kink between two points, or None if there is none or more than one."""
        a, b = low, high
        while b - a > 4 * FLOAT64.epsilon * max(abs(low), abs(high)):
            middle = (a + b) / 2
            left, right = self._fit(a, middle)[0], self._fit(middle, b)[0]
            if left == right:
                break
            a, b = (middle, b) if left else (a, middle)
        kink = (a + b) / 2
        if b - a > 1e-8 * max(abs(low), abs(high)) or low == a or high == b:
            return None
        short = float(Fraction(kink).limit_denominator(SHORT))
        return short if abs(short - kink) <= b - a else kink

    def _merged(self, pieces: Iterator[Piece]) -> list[Piece]:
        """Return the pieces, with neighbours merged where one series resolves both."""
        merged: list[Piece] = []
        for count, piece in enumerate(pieces):
            if count > 2 * MOST:
                raise _TooManyError
            good, series = self._fit(float(merged[-1].low), float(piece.high)) if merged else (False, _NODES)
            if good:
                merged[-1] = _piece(float(merged[-1].low), float(piece.high), series)
            else:
                merged.append(piece)
        if len(merged) > MOST:
            raise _TooManyError
        return merged

    def _joined(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces, made continuous where neighbours meet within the tolerance."""
        ends = [[piece(piece.low), piece(piece.high)] for piece in pieces]
        size = max(self._floor, TINY) / self.tolerance
        for before, after in pairwise(ends):
            gap, scale = abs(float(before[1] - after[0])), abs(float(before[1])) + size
            if gap <= 100 * self.tolerance * scale:
                before[1] = after[0] = (before[1] + after[0]) / 2
        return [piece.through(*pair) for piece, pair in zip(pieces, ends, strict=True)]


def _piece(low: float, high: float, series: Array) -> Piece:
    """Return the piece of a Chebyshev series; the numbers of a straight piece are rounded to short fractions."""
    half = Fraction(high - low) / 2
    coefficients = [Fraction(float(c)) / half**k for k, c in enumerate(chebyshev.cheb2poly(series))]
    if len(coefficients) <= 2:
        slope = _meant(coefficients[1]) if len(coefficients) > 1 else Fraction(0)
        middle = (Fraction(low) + Fraction(high)) / 2
        coefficients = [_meant(coefficients[0] - slope * middle) + slope * middle, slope]
    return Piece(Fraction(low), Fraction(high), tuple(coefficients))


def _meant(value: Fraction) -> Fraction:
    """Return the short fraction that a number approximates, or the number."""
    short = value.limit_denominator(SHORT)
    return short if abs(short - value) <= Fraction(1, 10**12) * max(abs(value), Fraction(1)) else value


def _function(name: str, values: Values, pieces: list[Piece], tolerance: float) -> Function:
    """Return the function of the pieces, straight beyond them, with bounds on its distance from the true values."""
    first, last = pieces[0], pieces[-1]
    cuts = [first.low, *(piece.high for piece in pieces)]
    trees = [_straight(first, first.low), *(piece.tree for piece in pieces), _straight(last, last.high)]
    fitted = Pieces(tuple(cuts), tuple(trees))
    reach = int(np.log2(float(last.high)))
    ends = np.unique([*map(float, cuts), *(side * 2.0**k for k in range(reach) for side in (-1, 1))])
    inside = ends[:-1] + np.diff(ends) * _BETWEEN[:, None]
    x = np.column_stack([_FAR * ends[0], inside, _FAR * ends[-1]])
    true = values(x.ravel()).reshape(x.shape)
    distance = 2 * np.abs(true - fitted(FLOAT64, x)) + 2 * FLOAT64.epsilon * np.abs(true)
    bounds = np.nan_to_num(distance, nan=LARGEST, posinf=LARGEST).max(axis=0)
    size = max(float(abs(piece(piece.low))) for piece in pieces if -8 <= piece.low <= 8)
    kinks = sorted(set(_kinks(pieces, size, tolerance)))
    return of_pieces(name, fitted, Doubt(tuple(ends.tolist()), tuple(bounds.tolist()), tuple(kinks)))


def _straight(piece: Piece, end: Fraction) -> Tree:
    """Return the straight line that continues a piece at one of its ends."""
    slope = piece.slopes[int(end == piece.high)]
    return add(Number(piece(end) - slope * end), mul(Number(slope), X))


def _kinks(pieces: list[Piece], size: float, tolerance: float) -> Iterator[Fraction]:
    """Yield the ends of pieces at which a function of this size has a kink or a jump larger than the tolerance."""
    least = max(SEEN, 1e3 * tolerance)
    for before, after in pairwise(pieces):
        jump, slope = float(after(after.low) - before(before.high)), float(after.slopes[0])
        bend = abs(slope - float(before.slopes[1]))
        if abs(jump) > least * size or bend > least * (size + abs(slope)):
            short = after.low.limit_denominator(SHORT)
            yield short if abs(short - after.low) < NARROW else after.low


def _noise(values: Values) -> float:
    """Return the rounding errors of a function, relative to its size: its roughness on intervals of length 1/100."""
    middles = np.array([[-2.31], [-1.07], [-0.23], [0.41], [1.19], [2.77]])
    y = values((middles + 0.005 * _NODES).ravel()).reshape(len(middles), -1)
    return float(np.median(np.max(np.abs(y @ _SERIES.T)[:, -6:], axis=1) / (np.max(np.abs(y), axis=1) + TINY)))
