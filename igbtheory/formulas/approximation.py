"""Functions that no formula is known of, as polynomials between the places where they have kinks or vary too fast.

Each polynomial is a Chebyshev series, of a degree at which the series has ended. The bound on the distance is measured
at other points than those of the series.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from igbtheory.formulas.doubt import Doubt
from igbtheory.formulas.function import Function, of_pieces
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.tree import Number, Power, Product, Tree, X, add, mul, number
from igbtheory.numbers import FLOAT64

Array = NDArray[np.float64]
Values = Callable[[Array], Array]
DEGREE = 16
MOST = 128
"""Polynomials on either side of 0 at most."""
NARROW = 1e-9
"""Width, relative to max(|x|, 1), of a piece that is straight whatever the function does there."""
SHORT = 1000
"""Denominator up to which a kink or a slope counts as a fraction that was meant."""
TOLERANCES, REACHES = (1e-14, 1e-11, 1e-8, 1e-6, 1e-4), (1024, 256, 64, 16)
"""Relative errors, and distances from 0 up to which they are to hold, in the order in which they are tried."""
_NODES = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
_SERIES = np.linalg.inv(chebyshev.chebvander(_NODES, DEGREE))
_WITNESSES = np.array([-1, -0.998, -0.97, *np.linspace(-0.93, 0.91, 14), 0.96, 0.997, 1])
_FAR = np.geomspace(1.001, 64, 29)
_BETWEEN = (np.arange(29) + 0.37) / 29
LARGEST = 1e300
"""Distance where the function is out of range."""
INFINITE = 1e8
"""Size on a narrow piece, relative to that in the middle, which a pole alone has."""
SEEN = 1e-6
"""Relative change of value or slope that is a jump or a kink."""


class _TooManyError(Exception):
    """The function takes more pieces than there may be."""


def approximated(name: str, values: Values) -> Function:
    """Return a function made of polynomials, straight beyond the last of them, with the distance from the true values.

    ValueError: it varies too fast, or is not finite within 16 of 0.
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
    # what `mul` would make of them, at a hundredth of the time
    terms = [Product((Number(c), Power(u, number(k)))) for k, c in enumerate(coefficients) if k > 1 and c]
    return add(Number(constant), mul(Number(slope), u), *terms)


def _horner(coefficients: Sequence[Fraction], u: Fraction) -> Fraction:
    """Value of a polynomial in u."""
    total = Fraction(0)
    for c in reversed(coefficients):
        total = total * u + c
    return total


@final
@dataclass(frozen=True)
class Piece:
    """Polynomial with the exact `coefficients` of the powers of x - middle, from `low` to `high`."""

    low: Fraction
    high: Fraction
    coefficients: tuple[Fraction, ...]

    @property
    def middle(self) -> Fraction:
        """The middle of the piece."""
        return (self.low + self.high) / 2

    def __call__(self, x: Fraction) -> Fraction:
        """Return the value at x."""
        return _horner(self.coefficients, x - self.middle)

    @property
    def slopes(self) -> tuple[Fraction, Fraction]:
        """The derivative at either end."""
        terms = [k * c for k, c in enumerate(self.coefficients)][1:]
        half = (self.high - self.low) / 2
        return _horner(terms, -half), _horner(terms, half)

    def through(self, left: Fraction, right: Fraction) -> "Piece":
        """Return the piece with these values at its ends, by a straight line added."""
        below, above = left - self(self.low), right - self(self.high)
        line = (below + above) / 2, (above - below) / (self.high - self.low)
        constant, slope, *rest = *self.coefficients, *[Fraction(0)] * (2 - len(self.coefficients))
        return Piece(self.low, self.high, (constant + line[0], slope + line[1], *rest))

    def mirrored(self, sign: int) -> "Piece":
        """Return the piece of sign * f(-x)."""
        return Piece(-self.high, -self.low, tuple(sign * (-1) ** k * c for k, c in enumerate(self.coefficients)))

    @cached_property
    def tree(self) -> Tree:
        """The polynomial as a formula; left of 0 the mirror image of one right of it, so that symmetries show."""
        own, x = (self.mirrored(1), -X) if self.high <= 0 else (self, X)
        return polynomial(own.coefficients, add(x, Number(-own.middle)))


@final
@dataclass(frozen=True)
class _Fitted:
    """One attempt: the function, the tolerance relative to its size on a piece, and the reach."""

    values: Values
    tolerance: float
    reach: float

    def pieces(self) -> list[Piece]:
        """Return the pieces from left to right, continuous where the function is."""
        x = np.linspace(0.013, min(self.reach, 9.0), 97)
        right, left = self.values(x), self.values(-x)
        rounding = 4 * FLOAT64.epsilon * np.abs(right)
        parity = next((sign for sign in (1, -1) if np.all(np.abs(left - sign * right) <= rounding)), 0)
        grid = [0.0, *(2.0**k for k in range(1, int(np.log2(self.reach)) + 1))]
        found = self._merged(piece for ends in pairwise(grid) for piece in self._resolved(*ends))
        if parity:
            below = [piece.mirrored(parity) for piece in reversed(found)]
        else:
            ends = [-x for x in reversed(grid)]
            below = self._merged(piece for pair in pairwise(ends) for piece in self._resolved(*pair))
        return self._joined([*below, *found])

    @cached_property
    def _floor(self) -> float:
        """Size of what counts as 0: the function in the middle, times what rounding leaves of it."""
        return float(1e-2 * self.tolerance * np.max(np.abs(self.values(np.linspace(-3.9, 4.1, 65)))))

    def _fit(self, low: float, high: float) -> tuple[bool, Array]:
        """Return whether a series resolves the function between two points, and the series without what is noise."""
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
        """Yield the pieces between two points; how many they become is limited where they are merged."""
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
        """Return the place of the one kink between two points, None where there is none or there are several."""
        a, b = low, high
        while b - a > 4 * FLOAT64.epsilon * max(abs(low), abs(high)):
            middle = (a + b) / 2
            left, right = self._fit(a, middle)[0], self._fit(middle, b)[0]
            if left == right:
                break
            a, b = (middle, b) if left else (a, middle)
        found = (a + b) / 2
        if b - a > 1e-8 * max(abs(low), abs(high)) or low == a or high == b:
            return None
        short = float(Fraction(found).limit_denominator(SHORT))
        return short if abs(short - found) <= b - a else found

    def _merged(self, pieces: Iterator[Piece]) -> list[Piece]:
        """Return the pieces, neighbours in one where one series resolves both."""
        found: list[Piece] = []
        for count, piece in enumerate(pieces):
            if count > 2 * MOST:
                raise _TooManyError
            good, series = self._fit(float(found[-1].low), float(piece.high)) if found else (False, _NODES)
            if good:
                found[-1] = _piece(float(found[-1].low), float(piece.high), series)
            else:
                found.append(piece)
        if len(found) > MOST:
            raise _TooManyError
        return found

    def _joined(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces with one value where neighbours meet within the tolerance."""
        ends = [[piece(piece.low), piece(piece.high)] for piece in pieces]
        size = max(self._floor, 1e-300) / self.tolerance
        for before, after in pairwise(ends):
            gap, scale = abs(float(before[1] - after[0])), abs(float(before[1])) + size
            if gap <= 100 * self.tolerance * scale:
                before[1] = after[0] = (before[1] + after[0]) / 2
        return [piece.through(*pair) for piece, pair in zip(pieces, ends, strict=True)]


def _piece(low: float, high: float, series: Array) -> Piece:
    """Piece of a Chebyshev series; a straight one with short numbers where these were meant."""
    half = Fraction(high - low) / 2
    coefficients = [Fraction(float(c)) / half**k for k, c in enumerate(chebyshev.cheb2poly(series))]
    if len(coefficients) <= 2:
        slope = _meant(coefficients[1]) if len(coefficients) > 1 else Fraction(0)
        middle = (Fraction(low) + Fraction(high)) / 2
        coefficients = [_meant(coefficients[0] - slope * middle) + slope * middle, slope]
    return Piece(Fraction(low), Fraction(high), tuple(coefficients))


def _meant(value: Fraction) -> Fraction:
    short = value.limit_denominator(SHORT)
    return short if abs(short - value) <= Fraction(1, 10**12) * max(abs(value), Fraction(1)) else value


def _function(name: str, values: Values, pieces: list[Piece], tolerance: float) -> Function:
    """Return the function of the pieces, with straight lines beyond them, and how far it is from the true values."""
    first, last = pieces[0], pieces[-1]
    cuts = [first.low, *(piece.high for piece in pieces)]
    trees = [_straight(first, first.low), *(piece.tree for piece in pieces), _straight(last, last.high)]
    own = Pieces(tuple(cuts), tuple(trees))
    reach = int(np.log2(float(last.high)))
    ends = np.unique([*map(float, cuts), *(side * 2.0**k for k in range(reach) for side in (-1, 1))])
    inside = ends[:-1] + np.diff(ends) * _BETWEEN[:, None]
    x = np.column_stack([_FAR * ends[0], inside, _FAR * ends[-1]])
    true = values(x.ravel()).reshape(x.shape)
    distance = 2 * np.abs(true - own(FLOAT64, x)) + 2 * FLOAT64.epsilon * np.abs(true)
    bounds = np.nan_to_num(distance, nan=LARGEST, posinf=LARGEST).max(axis=0)
    size = max(float(abs(piece(piece.low))) for piece in pieces if -8 <= piece.low <= 8)
    kinks = sorted(set(_kinks(pieces, size, tolerance)))
    return of_pieces(name, own, Doubt(tuple(ends.tolist()), tuple(bounds.tolist()), tuple(kinks)))


def _straight(piece: Piece, end: Fraction) -> Tree:
    """Return the straight line that continues a piece at one of its ends."""
    slope = piece.slopes[int(end == piece.high)]
    return add(Number(piece(end) - slope * end), mul(Number(slope), X))


def _kinks(pieces: list[Piece], size: float, tolerance: float) -> Iterator[Fraction]:
    """Yield where the function itself, of that size, has a kink or a jump: pieces meet there with a bend to be seen."""
    seen = max(SEEN, 1e3 * tolerance)
    for before, after in pairwise(pieces):
        jump, slope = float(after(after.low) - before(before.high)), float(after.slopes[0])
        bend = abs(slope - float(before.slopes[1]))
        if abs(jump) > seen * size or bend > seen * (size + abs(slope)):
            short = after.low.limit_denominator(SHORT)
            yield short if abs(short - after.low) < NARROW else after.low


def _noise(values: Values) -> float:
    """Return how far a function, relative to its size, is from smooth on stretches of 1/100: its rounding errors."""
    middles = np.array([[-2.31], [-1.07], [-0.23], [0.41], [1.19], [2.77]])
    y = values((middles + 0.005 * _NODES).ravel()).reshape(len(middles), -1)
    return float(np.median(np.max(np.abs(y @ _SERIES.T)[:, -6:], axis=1) / (np.max(np.abs(y), axis=1) + 1e-300)))
