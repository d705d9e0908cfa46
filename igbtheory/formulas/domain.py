"""The domain of a formula: refused where it is not a finite real number somewhere that a Gaussian reaches."""

from collections.abc import Iterator

import numpy as np

from igbtheory.formulas.character import GRID, growth
from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.roots import roots
from igbtheory.formulas.tree import ONE, Call, Number, Power, Tree, Variable, add, call, children
from igbtheory.numbers import FLOAT64

FAR = 300.0
"""Distance beyond which a value that is no number comes from overflow."""


def refuse_outside(text: str, tree: Tree, values: Pieces) -> None:
    """Refuse a formula that is constant, somewhere infinite or not real, or grows faster than a Gaussian falls.

    text: as the user wrote it, for the place in the error.
    """
    if not _has_x(tree):
        raise ValueError(f"expected a function of x, got the constant {text!r}")
    ends = [None, *values.kinks, None]
    for formula, low, high in zip(values.formulas, ends, ends[1:], strict=False):
        for token, guard in _guards(formula):
            for root in roots(guard):
                if (low is None or root >= low) and (high is None or root <= high):
                    raise ValueError(
                        f"the formula {text!r}{_place(text, token)} is infinite or undefined at x = {float(root):.6g}"
                    )
    with np.errstate(all="ignore"):
        wrong = GRID[np.isnan(values(FLOAT64, GRID))]
    if wrong.size:
        x = wrong[np.argmin(np.abs(wrong))]
        if abs(x) > FAR:
            raise ValueError(
                f"the formula {text!r} overflows at x = {x:.6g}; write it with tanh, sigmoid, sech or exp(-abs(x))"
            )
        raise ValueError(
            f"the formula {text!r} is not a real number at x = {x:.6g}; a Gaussian pre-activation takes every value, "
            "so guard it, for example with where(x > 0, ..., 0) or abs(x)"
        )
    if growth(values) == "faster":
        raise ValueError(
            f"the formula {text!r} grows faster than any Gaussian allows: E phi^2 is infinite; clip it, for example "
            "with min(..., 10)"
        )


def _has_x(tree: Tree) -> bool:
    return isinstance(tree, Variable) or any(map(_has_x, children(tree)))


def _guards(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Yield what must not vanish, each with the sign by which it is found in the text."""
    match tree:
        case Power(base, Number(value)) if value < 0:
            yield "/", base
        case Call("log", argument):
            yield "log(", argument
        case Call("log1p", argument):
            yield "log", add(ONE, argument)
        case Call("tan", argument):
            yield "tan(", call("cos", argument)
    for part in children(tree):
        yield from _guards(part)


def _place(text: str, token: str) -> str:
    """Return where in the text the sign is, for an error."""
    column = text.find(token)
    return f", at column {column + 1}," if column >= 0 else ""
