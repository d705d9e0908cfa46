"""Cusps of a formula: kinks at which its slope is infinite, or rises like less than a square root."""

from fractions import Fraction

from igbtheory.activations.pieces import Pieces
from igbtheory.activations.tree import Power, Tree, children, evaluate
from igbtheory.numbers import Multiprecision

LEAST = 0.5
"""Power of the distance from which on bisected panels resolve a slope."""
EXACT = 2**100
"""Denominator from which on a kink is an irrational number's approximation."""
DIGITS = 30
"""Digits in which a base is seen to vanish at a kink."""


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
        n = Multiprecision(DIGITS)
        exponent, base = (evaluate(part, n, n.number(kink)) for part in (tree.exponent, tree.base))
        if exponent < least and abs(base) < n.goal:
            return True
    return any(_singular(part, kink, least) for part in children(tree))
