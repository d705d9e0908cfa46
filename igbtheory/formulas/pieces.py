"""Analytic pieces of a formula between its exact kinks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.formulas.calculus import degree, reflected
from igbtheory.formulas.roots import GRID, MOST_ROOTS, TooManyRootsError, floor_at, guards, roots, sign
from igbtheory.formulas.tree import (
    ZERO,
    Call,
    Choice,
    Number,
    Power,
    Tree,
    X,
    add,
    children,
    choice,
    evaluate,
    has_steps,
    rebuild,
    substitute,
    symbols,
)
from igbtheory.numbers import FLOAT64, Kind

_BOUNDED = frozenset({"sin", "cos", "tanh", "sech", "atan", "asinh", "erf", "erfc", "sigmoid", "softplus"})

MANY = 16
"""Kinks beyond which each formula is evaluated on its own interval alone."""
BESIDE = Fraction(1, 2**50)
"""Relative distance from a point where a formula is infinite at which it is evaluated instead."""
SETTLED, NEAR = 1e-3, 1e-12
"""Relative change of a jump that is none, and value of a guard near to 0."""
MODERATE = 8
"""Exponent up to which a power of a far point stays in range beside others."""
REACHES = (None, Fraction(64), Fraction(16))
"""Distances from 0 up to which a formula is split, in the order in which they are tried; None is everywhere."""
_UNIT = np.arange(1, 2048) * (np.sqrt(5) - 1) / 2 % 1
SOME = np.concatenate([side * scale for side in (-1, 1) for scale in (4 * _UNIT, 64 * _UNIT, 64 * 2 ** (8 * _UNIT))])
"""Points of no pattern at which the pieces of a formula are compared with it."""
ROUNDED = 1e-6
"""Relative difference of two values that rounding may make."""
Values = Callable[[NDArray[np.float64]], Any]


@final
@dataclass(frozen=True)
class Pieces:
    """A function given by `formulas[i]` between `kinks[i - 1]` and `kinks[i]`.

    kinks: exact numbers, ascending; formulas: one more than there are kinks, free of choices.
    """

    kinks: tuple[Fraction, ...]
    formulas: tuple[Tree, ...]

    def __call__(self, n: Kind, x: Any) -> Any:
        """Values at x in the kind n; a formula with a singularity sees only points of its own interval.

        At a point where it is infinite or undefined, the value is that beside it.
        """
        for kink in self.infinite:
            x = np.where(x == n.number(kink), n.number(kink + max(BESIDE, abs(kink) * BESIDE)), x)[()]
        if not self.kinks:
            return evaluate(self.formulas[0], n, x) + 0 * x
        if len(self.kinks) > MANY and isinstance(x, np.ndarray) and x.dtype == float:
            return self.place_by_place(n, x)
        total = zero = 0 * x
        for (low, high), formula in zip(pairwise([None, *self.kinks, None]), self.formulas, strict=True):
            if formula == ZERO:
                continue
            inside = x < n.number(high) if low is None else x >= n.number(low)
            if low is not None and high is not None:
                inside = inside & (x < n.number(high))
            seen = x if _entire(formula) else np.where(inside, x, n.number(_point(low, high)))[()]
            # a product is ten times faster than np.where, which branches; zero gives a constant the type of x
            total = total + (evaluate(formula, n, seen) + zero) * inside
        return total

    def place_by_place(self, n: Kind, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values at floats, each formula at those of its own interval alone."""
        flat = x.ravel()
        places = np.searchsorted(self._float_kinks, flat, side="right")
        order = np.argsort(places, kind="stable")
        found = np.empty_like(flat)
        for own in np.split(order, np.flatnonzero(np.diff(places[order])) + 1):
            if own.size:
                found[own] = evaluate(self.formulas[places[own[0]]], n, flat[own])
        return found.reshape(x.shape)

    @property
    def split(self) -> bool:
        """Whether the formulas are free of choices and steps; where these are too many, they are not."""
        return self.split_within(np.inf)

    def split_within(self, reach: float) -> bool:
        """Whether the formulas that hold somewhere for |x| < reach are free of choices and steps."""
        first, last = np.searchsorted(self._float_kinks, [-reach, reach], side="right")
        return all(map(_is_split, self.formulas[first : last + 1]))

    @cached_property
    def infinite(self) -> tuple[Fraction, ...]:
        """Kinks at which the formula is infinite or undefined on one side."""
        found = []
        with np.errstate(all="ignore"):
            for kink, sides in zip(self.kinks, pairwise(self.formulas), strict=True):
                if not all(np.isfinite(evaluate(side, FLOAT64, np.float64(kink))) for side in sides):
                    found.append(kink)
        return tuple(found)

    @cached_property
    def _float_kinks(self) -> NDArray[np.float64]:
        return np.array(self.kinks, dtype=float)

    def jumps(self, n: Kind) -> list[Any]:
        """Jump at each kink, in the kind n; 0 exactly where polynomials meet, and where it is infinite.

        Of a formula that is singular at a kink, as atan(1/x) is, it is the rise from the one side to the other.
        """
        return [
            self._risen(n, kink) if kink in self._hidden else evaluate(jump, n, n.number(kink))
            for kink, jump in zip(self.kinks, self._jumps, strict=True)
        ]

    def _risen(self, n: Kind, kink: Fraction) -> Any:
        """Rise from just below a kink to just above it; 0 where it does not settle, as between infinite values."""
        beside = max(Fraction(1), abs(kink)) * Fraction(4 * n.epsilon)
        with np.errstate(all="ignore"):
            near, far = (self(n, n.number(kink + d)) - self(n, n.number(kink - d)) for d in (beside, 16 * beside))
            return near if abs(far - near) <= SETTLED * abs(near) else n.number(0)

    @cached_property
    def _hidden(self) -> frozenset[Fraction]:
        """Kinks at which the formula is singular on one side, so that its value there is none or that of either."""
        with np.errstate(all="ignore"):
            return frozenset(
                kink
                for kink, sides in zip(self.kinks, pairwise(self.formulas), strict=True)
                for side in sides
                for _, guard in guards(side)
                if not abs(evaluate(guard, FLOAT64, np.float64(kink))) > NEAR * max(1.0, float(abs(kink)))
            )

    @cached_property
    def _jumps(self) -> tuple[Tree, ...]:
        """The formula of every jump, a number where both sides are polynomials."""
        sides = zip(self.kinks, pairwise(self.formulas), strict=True)
        return tuple(add(_at(kink, right), -_at(kink, left)) for kink, (left, right) in sides)

    def parity(self) -> int:
        """Parity: 1 for an even function, -1 for an odd one, 0 where the formulas show neither."""
        if tuple(-kink for kink in reversed(self.kinks)) != self.kinks:
            return 0
        pairs = list(zip(self.formulas, reversed(self.formulas), strict=True))
        return next((sign for sign in (1, -1) if all(_mirrored(*pair, sign) for pair in pairs)), 0)

    @property
    def tree(self) -> Tree:
        """The formula that has these pieces."""
        return _choices(self.kinks, self.formulas)

    def degree(self) -> Fraction | None:
        """Number p with f(a x) = a^p f(x) for every a > 0, or None."""
        if any(self.kinks):
            return None
        degrees = {degree(formula) for formula in self.formulas if formula != ZERO}
        return degrees.pop() if len(degrees) == 1 else None


def _at(kink: Fraction, tree: Tree) -> Tree:
    """Formula of the value at a kink; the formula itself where it is singular there."""
    try:
        return substitute(tree, Number(kink))
    except ZeroDivisionError:
        return tree


def _is_split(tree: Tree) -> bool:
    return not (isinstance(tree, Choice) or has_steps(tree)) and all(map(_is_split, children(tree)))


def _mirrored(left: Tree, right: Tree, sign: int) -> bool:
    """Whether left(x) is sign * right(-x), of formulas that are not split as far as values show."""
    other = reflected(right) if sign > 0 else -reflected(right)
    if left == other or _is_split(left):
        return left == other
    return _equal(partial(evaluate, left, FLOAT64), partial(evaluate, other, FLOAT64))


def _entire(tree: Tree) -> bool:
    """Whether a formula has a moderate value at every x."""
    match tree:
        case Call(name, _) if name not in _BOUNDED:
            return False
        case Power(_, Number(value)) if value.denominator == 1 and 0 < value <= MODERATE:
            return _entire(tree.base)
        case Power():
            return False
        case _:
            return all(map(_entire, children(tree)))


def _choices(cuts: Sequence[Fraction], trees: Sequence[Tree]) -> Tree:
    """Return the formula that is trees[i] between cuts[i - 1] and cuts[i], as a tree of choices of least depth."""
    if not cuts:
        return trees[0]
    half = len(cuts) // 2
    right, left = _choices(cuts[half + 1 :], trees[half + 1 :]), _choices(cuts[:half], trees[: half + 1])
    return choice(add(X, Number(-cuts[half])), right, left)


def split(tree: Tree) -> Pieces:
    """Return the pieces of a formula: between them, each choice has one outcome and each floor one value.

    Where the kinks have no end, as those of abs(sin(x)) and floor(x), the formula is split near 0 alone and stays as it
    is beyond; where there are too many even there, it is one piece, of which only values are known.
    """
    for reach in REACHES:
        with suppress(TooManyRootsError):
            found = _pieces(tree, reach)
            if _agree(found, tree):
                return found
    return Pieces((), (tree,))


def _pieces(tree: Tree, reach: Fraction | None) -> Pieces:
    """Return the pieces of a formula that is split for |x| < reach."""
    found = _split(tree, None if reach is None else -reach, reach)
    if reach is not None:
        found = [(None, tree), *found, (reach, tree)]
    merged = [entry for i, entry in enumerate(found) if i == 0 or entry[1] != found[i - 1][1]]
    merged = [
        (left, formula)
        for (low, formula), high in zip(merged, [*(low for low, _ in merged[1:]), None], strict=True)
        for left in (low, *(_singular(formula, low, high) if _is_split(formula) else ()))
    ]
    return Pieces(tuple(low for low, _ in merged if low is not None), tuple(formula for _, formula in merged))


def _agree(found: Pieces, tree: Tree) -> bool:
    """Return whether the pieces have the values of the formula: no place where it changes has been overlooked."""
    return bool(_is_split(tree) or symbols(tree)) or _equal(partial(found, FLOAT64), partial(evaluate, tree, FLOAT64))


@np.errstate(all="ignore")
def _equal(found: Values, true: Values) -> bool:
    """Return whether two functions have the same values wherever both are finite."""
    a, b = (np.asarray(values(SOME), dtype=float) + 0 * SOME for values in (found, true))
    known = np.isfinite(a) & np.isfinite(b)
    return bool(np.all(np.abs(a - b)[known] <= ROUNDED * (1 + np.abs(b[known]))))


def _singular(formula: Tree, low: Fraction | None, high: Fraction | None) -> list[Fraction]:
    """Points between `low` and `high` where a formula or its slope is singular: 0 for log(x**2) and for x/x."""
    found = (guard for name, guard in guards(formula) if name != "tan(")  # these roots are many
    return sorted({root for guard in found for root in roots(guard) if _inside(root, low, high)})


def _split(tree: Tree, low: Fraction | None, high: Fraction | None) -> list[tuple[Fraction | None, Tree]]:
    """Left ends and formulas of the pieces between `low` and `high` (None: unbounded)."""
    if isinstance(tree, Choice):
        return [
            piece
            for test, left, right in _ended(_split(tree.test, low, high), high)
            for a, b in pairwise([left, *sorted(root for root in roots(test) if _inside(root, left, right)), right])
            for piece in _split(_decided(tree, test, _point(a, b)), a, b)
        ]
    if isinstance(tree, Call) and tree.name == "floor":
        return [step for argument in _ended(_split(tree.argument, low, high), high) for step in _steps(*argument)]
    parts = [dict(_split(part, low, high)) for part in children(tree)]
    lefts = sorted({left for part in parts for left in part if left is not None and left != low})
    found, now = [], [part[low] for part in parts]
    for left in (low, *lefts):
        now = [part.get(left, before) for part, before in zip(parts, now, strict=True)]
        found.append((left, rebuild(tree, tuple(now)) if parts else tree))
    return found


def _ended(
    pieces: list[tuple[Fraction | None, Tree]], high: Fraction | None
) -> Iterator[tuple[Tree, Fraction | None, Fraction | None]]:
    """Yield the formulas of pieces with their left and right ends."""
    for (left, formula), (right, _) in pairwise([*pieces, (high, ZERO)]):
        yield formula, left, right


def _steps(argument: Tree, low: Fraction | None, high: Fraction | None) -> list[tuple[Fraction | None, Tree]]:
    """Left ends and values of the floor of a formula without choices between `low` and `high`."""
    first, last = GRID[0] if low is None else float(low), GRID[-1] if high is None else float(high)
    with np.errstate(all="ignore"):
        values = evaluate(argument, FLOAT64, np.unique(np.clip([first, *GRID, last], first, last)))
    if not np.ptp(values) < MOST_ROOTS:
        raise TooManyRootsError(f"expected at most {MOST_ROOTS} steps of floor, got {np.ptp(values):.0f} or more")
    levels = range(int(np.floor(np.min(values))), int(np.floor(np.max(values))) + 1)
    places = {root for k in levels for root in roots(add(argument, Number(Fraction(-k)))) if _inside(root, low, high)}
    cuts = [low, *sorted(places), high]
    return [(a, Number(Fraction(floor_at(argument, _point(a, b))))) for a, b in pairwise(cuts)]


def _decided(tree: Choice, test: Tree, point: Fraction) -> Tree:
    """The branch of a choice that holds at a point where its test is this formula."""
    return tree.yes if sign(test, point) >= 0 else tree.no


def _inside(point: Fraction, low: Fraction | None, high: Fraction | None) -> bool:
    return (low is None or low < point) and (high is None or point < high)


def _point(low: Fraction | None, high: Fraction | None) -> Fraction:
    """An exact point between `low` and `high`."""
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2
