"""The domain of a formula, which must contain every real number, since a Gaussian takes every value."""

from fractions import Fraction
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.formulas.character import GRID, growth
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.roots import guards, roots
from igbtheory.mathematics.formulas.tree import Tree, children, evaluate, varies
from igbtheory.mathematics.numbers import FLOAT64

STEEPEST = 0.49
"""Power p of 1/|x| at a point from which E phi^2 counts as infinite; in theory it is infinite from p = 1/2."""
FIRST = 8
"""Number of roots tried of each part of a formula; the many roots of an oscillation would take seconds."""
BESIDE = Fraction(1, 10**12)
"""Distance from a piece within which a root belongs to it: a comparison may also change at a pole."""
SOME = np.linspace(-2.03, 2.07, 50)
"""Test points, of which at most one may be a pole: not symmetric about 0, and poles of formulas are at round places."""


def refuse_outside(text: str, tree: Tree, values: Pieces) -> None:
    """Raise ValueError if a formula is constant, infinite, not real, or grows faster than a Gaussian decays.

    text: the formula as the user wrote it, which the error quotes; values: its pieces.
    """
    if not varies(tree):
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
    """Return whether some part of a formula is infinite at x; it then overflows and may still be a real number."""
    overflows = np.isinf(evaluate(tree, FLOAT64, x) + 0 * x)
    return reduce(np.logical_or, (_overflows(part, x) for part in children(tree)), overflows)


def square_is_infinite(values: Pieces, root: Fraction) -> bool:
    """Return whether values grow like |x - root|^-1/2 or faster near a root, so that their mean square is infinite."""
    at, scale = float(root), max(abs(float(root)), 1.0)
    apart = scale * 2.0 ** -np.array([14, 22])
    for side in (-1, 1):
        with np.errstate(all="ignore"):
            near, nearer = np.abs(values(FLOAT64, at + side * apart))
        if np.isinf(nearer) or (np.isfinite(nearer) and near > 0 and np.log2(nearer / near) >= STEEPEST * 8):
            return True
    return False


def _place(text: str, token: str) -> str:
    """Return the column of a token in the text, for an error."""
    column = text.find(token)
    return f", at column {column + 1}," if column >= 0 else ""
