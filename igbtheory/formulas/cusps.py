"""Cusps of a formula: kinks at which its slope is infinite, or rises like less than a square root."""

from fractions import Fraction

import numpy as np

from igbtheory.formulas.pieces import Pieces
from igbtheory.formulas.tree import Power, Tree, children, evaluate
from igbtheory.numbers import FLOAT64, Multiprecision

LEAST = 0.5
"""Power of the distance from which on bisected panels resolve a slope."""
EXACT = 2**100
"""Denominator from which on a kink is an irrational number's approximation."""
CLEAR, DIGITS = 1e-3, 30
"""Value of a base in double precision that no rounding leaves of 0, and digits in which a smaller one is looked at."""


def cusps(values: Pieces, slopes: Pieces) -> tuple[Fraction, ...]:
    """Kinks at which a formula is finite, and its slope a small or negative power of the distance on either side.

    Irrational ones, which rounding misses by as much as their formulas leave the real numbers, are not among them.
    """
    return tuple(
        kink
        for i, kink in enumerate(values.kinks)
        if kink.denominator < EXACT
        and any(_singular(slope, kink, LEAST) for slope in slopes.formulas[i : i + 2])
        and not any(_singular(value, kink, 0.0) for value in values.formulas[i : i + 2])
    )


def _singular(tree: Tree, kink: Fraction, least: float) -> bool:
    """Whether the formula contains a power below `least` of what vanishes at the kink."""
    if isinstance(tree, Power):
        with np.errstate(all="ignore"):
            exponent, base = (evaluate(part, FLOAT64, np.float64(kink)) for part in (tree.exponent, tree.base))
        if exponent < least and not abs(base) > CLEAR and _vanishes(tree.base, kink):
            return True
    return any(_singular(part, kink, least) for part in children(tree))


def _vanishes(tree: Tree, kink: Fraction) -> bool:
    n = Multiprecision(DIGITS)
    return bool(abs(evaluate(tree, n, n.number(kink))) < n.goal)
