"""Analytic pieces of a formula between its exact kinks."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.calculus import degree, reflected
from igbtheory.mathematics.formulas.roots import guards
from igbtheory.mathematics.formulas.tree import (
    ZERO,
    Call,
    Number,
    Power,
    Tree,
    X,
    add,
    children,
    choice,
    evaluate,
    is_split,
    substitute,
    varies,
)
from igbtheory.mathematics.numbers import FLOAT64, Kind

_BOUNDED = frozenset({"sin", "cos", "tanh", "sech", "atan", "asinh", "erf", "erfc", "sigmoid", "softplus"})

MANY = 16
"""Number of kinks from which each formula is evaluated only on its own interval: straight lines take the same time
either way."""
BESIDE = Fraction(1, 2**50)
"""Relative distance from a singular point at which a formula is evaluated instead of at the point: 4 epsilon."""
SETTLED, NEAR = 1e-3, 1e-12
"""Largest relative change of a jump that has converged, and largest relative value of a guard that counts as 0."""
MODERATE = 8
"""Largest exponent of a power that cannot overflow at a distant point: x^8 is a float for |x| up to 1e38."""
# multiples of the golden ratio, modulo 1, are spread evenly and lie at no round place
_UNIT = np.arange(1, 2048) * (np.sqrt(5) - 1) / 2 % 1
SOME = np.concatenate([side * scale for side in (-1, 1) for scale in (4 * _UNIT, 64 * _UNIT, 64 * 2 ** (8 * _UNIT))])
"""Irregular points at which the pieces of a formula are compared with the formula."""
ROUNDED = 1e-6
"""Largest relative difference of two values that may be a rounding error."""
Values = Callable[[NDArray[np.float64]], Any]


@final
@dataclass(frozen=True)
class Pieces:
    """A function given by `formulas[i]` between `kinks[i - 1]` and `kinks[i]`.

    kinks: exact numbers, ascending; formulas: one more than kinks, without choices.
    """

    kinks: tuple[Fraction, ...]
    formulas: tuple[Tree, ...]

    def __call__(self, n: Kind, x: Any) -> Any:
        """Return the values at x in the kind n; a formula with a singularity is evaluated only in its own interval.

        At a kink where a formula is infinite or undefined, the value just right of the kink is returned.
        """
        for kink in self.infinite:
            x = np.where(x == n.number(kink), n.number(kink + max(BESIDE, abs(kink) * BESIDE)), x)[()]
        if not self.kinks:
            return evaluate(self.formulas[0], n, x) + 0 * x
        if len(self.kinks) > MANY and isinstance(x, np.ndarray) and x.dtype == float:
            return self.place_by_place(n, x)
        terms = []
        for (low, high), formula in zip(pairwise([None, *self.kinks, None]), self.formulas, strict=True):
            if formula == ZERO:
                continue
            inside = x < n.number(high) if low is None else x >= n.number(low)
            if low is not None and high is not None:
                inside = inside & (x < n.number(high))
            inner_x = x if _entire(formula) else np.where(inside, x, n.number(between(low, high)))[()]
            values = evaluate(formula, n, inner_x)
            # a product is ten times as fast as np.where; adding zero gives a constant the type of x
            terms.append((values if varies(formula) else values + 0 * x) * inside)
        return reduce(operator.add, terms) if terms else 0 * x

    def place_by_place(self, n: Kind, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values at floats, evaluating each formula only in its own interval."""
        flat = x.ravel()
        places = np.searchsorted(self._float_kinks, flat, side="right")
        order = np.argsort(places, kind="stable")
        values = np.empty_like(flat)
        for indices in np.split(order, np.flatnonzero(np.diff(places[order])) + 1):
            if indices.size:
                values[indices] = evaluate(self.formulas[places[indices[0]]], n, flat[indices])
        return values.reshape(x.shape)

    @property
    def split(self) -> bool:
        """True if the formulas contain no choices and steps. They do if these are too many to be split."""
        return self.split_within(np.inf)

    def split_within(self, reach: float) -> bool:
        """Return whether the formulas that hold somewhere in |x| < reach contain no choices and steps."""
        first, last = np.searchsorted(self._float_kinks, [-reach, reach], side="right")
        return all(map(is_split, self.formulas[first : last + 1]))

    @cached_property
    def infinite(self) -> tuple[Fraction, ...]:
        """Kinks at which the formula on one side is infinite or undefined."""
        singular = []
        with np.errstate(all="ignore"):
            for kink, sides in zip(self.kinks, pairwise(self.formulas), strict=True):
                if not all(np.isfinite(evaluate(side, FLOAT64, np.float64(kink))) for side in sides):
                    singular.append(kink)
        return tuple(singular)

    @cached_property
    def _float_kinks(self) -> NDArray[np.float64]:
        return np.array(self.kinks, dtype=float)

    def jumps(self, n: Kind) -> list[Any]:
        """Return the jump at each kink, in the kind n: exactly 0 where polynomials meet, and 0 if it is infinite.

        At a kink where a formula is singular, such as 0 for atan(1/x), it is a difference of values beside the kink.
        """
        return [
            self._risen(n, kink) if kink in self._hidden else evaluate(jump, n, n.number(kink))
            for kink, jump in zip(self.kinks, self._jumps, strict=True)
        ]

    def _risen(self, n: Kind, kink: Fraction) -> Any:
        """Return the rise from just below a kink to just above it, or 0 if it does not converge."""
        beside = max(Fraction(1), abs(kink)) * Fraction(4 * n.epsilon)
        with np.errstate(all="ignore"):
            near, far = (self(n, n.number(kink + d)) - self(n, n.number(kink - d)) for d in (beside, 16 * beside))
            return near if abs(far - near) <= SETTLED * abs(near) else n.number(0)

    @cached_property
    def _hidden(self) -> frozenset[Fraction]:
        """Kinks at which the formula on one side is singular, so that its value at the kink is not its limit."""
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
        """The formula of every jump, which is a number if both sides are polynomials."""
        sides = zip(self.kinks, pairwise(self.formulas), strict=True)
        return tuple(add(_at(kink, right), -_at(kink, left)) for kink, (left, right) in sides)

    def parity(self) -> int:
        """Return 1 if the formulas show an even function, -1 if they show an odd one, else 0."""
        if tuple(-kink for kink in reversed(self.kinks)) != self.kinks:
            return 0
        pairs = list(zip(self.formulas, reversed(self.formulas), strict=True))
        return next((sign for sign in (1, -1) if all(_mirrored(*pair, sign) for pair in pairs)), 0)

    @property
    def tree(self) -> Tree:
        """The formula that has these pieces."""
        return _choices(self.kinks, self.formulas)

    def degree(self) -> Fraction | None:
        """Return the p with f(a x) = a^p f(x) for every a > 0, or None if there is none."""
        if any(self.kinks):
            return None
        degrees = {degree(formula) for formula in self.formulas if formula != ZERO}
        return degrees.pop() if len(degrees) == 1 else None


def _at(kink: Fraction, tree: Tree) -> Tree:
    """Return the formula of the value at a kink, or the formula itself if it divides by 0 there."""
    try:
        return substitute(tree, Number(kink))
    except ZeroDivisionError:
        return tree


def _mirrored(left: Tree, right: Tree, sign: int) -> bool:
    """Return whether left(x) = sign * right(-x); formulas that are not split are compared by their values."""
    other = reflected(right) if sign > 0 else -reflected(right)
    if left == other or is_split(left):
        return left == other
    return equal(partial(evaluate, left, FLOAT64), partial(evaluate, other, FLOAT64))


def _entire(tree: Tree) -> bool:
    """Return whether a formula is finite and does not overflow at any x."""
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
    """Return the formula that is trees[i] between cuts[i - 1] and cuts[i], as a balanced tree of choices."""
    if not cuts:
        return trees[0]
    half = len(cuts) // 2
    right, left = _choices(cuts[half + 1 :], trees[half + 1 :]), _choices(cuts[:half], trees[: half + 1])
    return choice(add(X, Number(-cuts[half])), right, left)


@np.errstate(all="ignore")
def equal(function: Values, true: Values) -> bool:
    """Return whether a function has the true values wherever these are finite."""
    a, b = (np.asarray(values(SOME), dtype=float) + 0 * SOME for values in (function, true))
    finite = np.isfinite(b)
    return bool(np.all(np.abs(a - b)[finite] <= ROUNDED * (1 + np.abs(b[finite]))))


def between(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return an exact point between `low` and `high`; None means unbounded."""
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2
