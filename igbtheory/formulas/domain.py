"""The domain of a formula: refused where it is not a finite real number somewhere that a Gaussian reaches."""

from fractions import Fraction
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.formulas.character import GRID, growth
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.roots import guards, roots
from igbtheory.formulas.tree import Tree, Variable, children, evaluate
from igbtheory.numbers import FLOAT64

STEEPEST = 0.49
"""Power of 1/|x| at a point from which on E phi^2 counts as infinite; it is from 1/2 on."""
FIRST = 8
"""Roots of one part of a formula that are tried: those of an oscillation, all alike, take seconds."""
BESIDE = Fraction(1, 10**20)
"""Distance from a piece at which a root counts as its end: a comparison may change at a pole, too."""
SOME = np.linspace(-2.03, 2.07, 50)
"""Points of which at most one may be a pole."""


def refuse_outside(text: str, tree: Tree, values: Pieces) -> None:
    """Refuse a formula that is constant, somewhere infinite or not real, or grows faster than a Gaussian falls.

    text: as the user wrote it, for the place in the error.
    """
    if not _has_x(tree):
        raise ValueError(f"expected a function of x, got the constant {text!r:.200}; write x into it, as in tanh(x)")
    ends = [None, *values.kinks, None]
    poles = [
        (abs(root), root, token)
        for formula, low, high in zip(values.formulas, ends, ends[1:], strict=False)
        for token, guard in guards(formula)
        for root in islice(roots(guard, most=np.inf), FIRST)
        if (low is None or root >= low - BESIDE) and (high is None or root <= high + BESIDE)
        if square_is_infinite(values, root)
    ]
    if poles:
        _, root, token = min(poles)
        raise ValueError(
            f"the formula {text!r:.200}{_place(text, token)} is infinite or undefined at x = {float(root):.6g}: "
            "E phi^2 is finite for |x|**p with p > -1/2 alone; guard it by where(...)"
        )
    with np.errstate(all="ignore"):
        wrong = GRID[np.isnan(values.place_by_place(FLOAT64, GRID)) & ~np.isin(GRID, np.array(values.infinite, float))]
        wrong = wrong[~_overflows(tree, wrong)]
    if wrong.size:
        x = wrong[np.argmin(np.abs(wrong))]
        raise ValueError(
            f"the formula {text!r:.200} is not a real number at x = {x:.6g}; a Gaussian pre-activation takes every "
            "value, so guard it, for example with where(x > 0, ..., 0) or abs(x)"
        )
    if growth(values) == "faster":
        raise ValueError(
            f"the formula {text!r:.200} grows faster than any Gaussian allows: E phi^2 is infinite; clip it, for "
            "example with min(..., 10)"
        )
    with np.errstate(all="ignore"):
        infinite = SOME[np.isinf(values(FLOAT64, SOME))]
    if infinite.size > 1:
        raise ValueError(
            f"the formula {text!r:.200} is infinite from x = {infinite[0]:.3g} to {infinite[-1]:.3g}; give it a value "
            "there by where(...)"
        )


def _overflows(tree: Tree, x: NDArray[np.float64]) -> Any:
    """Return where some part of a formula is infinite, which makes it no number in double precision alone."""
    own = np.isinf(evaluate(tree, FLOAT64, x) + 0 * x)
    return reduce(np.logical_or, (_overflows(part, x) for part in children(tree)), own)


def _has_x(tree: Tree) -> bool:
    return isinstance(tree, Variable) or any(map(_has_x, children(tree)))


def square_is_infinite(values: Pieces, root: Fraction) -> bool:
    """Return whether values grow beside a point like |x - root|^-1/2 or faster: their mean square is infinite."""
    at, scale = float(root), max(abs(float(root)), 1.0)
    apart = scale * 2.0 ** -np.array([14, 22])
    for side in (-1, 1):
        with np.errstate(all="ignore"):
            near, nearer = np.abs(values(FLOAT64, at + side * apart))
        if np.isinf(nearer) or (np.isfinite(nearer) and near > 0 and np.log2(nearer / near) >= STEEPEST * 8):
            return True
    return False


def _place(text: str, token: str) -> str:
    """Return where in the text the sign is, for an error."""
    column = text.find(token)
    return f", at column {column + 1}," if column >= 0 else ""
