"""Asymptotes of a block at small and at large variances, where its activations are two half-lines through 0."""

from typing import TYPE_CHECKING

import numpy as np

from igbtheory.layers.activation import Activation, phi_of
from igbtheory.layers.chain import functions
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.phases.block import Block

if TYPE_CHECKING:
    from igbtheory.layers.layer import Layer

NEAR, FAR = (1e-30, 1e-31), (1e9, 1e10)
"""Pairs of arguments at which a slope is computed: it has a limit if both values agree."""
SAME = 1e-7
"""Difference below which slopes agree, relative if they are above 1."""
DIGITS = 7
"""Digits of the slope of a line through steps, which are of the size 1 at x = 1e9."""
FLAT = 1e-12
"""Slope, or value at 0, below which it counts as 0."""


def near(block: Block) -> Block | None:
    """Return the asymptote as q -> 0, or None if f(0) is not 0 or a slope is 0 or has no limit."""
    if any(abs(phi(FLOAT64, np.float64(0))) > FLAT for phi in functions(block.layers)):
        return None
    return _asymptote(block, NEAR)


def far(block: Block) -> Block | None:
    """Return the asymptote as q -> infinity, or None if the slopes are 0 or have no limit."""
    return _asymptote(block, FAR)


def _asymptote(block: Block, places: tuple[float, float]) -> Block | None:
    if block.homogeneous:
        return block
    layers: list[Layer] = []
    for layer in block.layers:
        if (phi := phi_of(layer)) is not None:
            right, left = (_slope(phi, side, places) for side in (1.0, -1.0))
            if not np.isfinite(right + left) or right == left == 0:
                return None
            layers.append(Activation(f"where(x > 0, {right!r}*x, {left!r}*x)" if right != left else f"{right!r}*x"))
        else:
            layers.append(layer)
    asymptote = Block(tuple(layers))
    return asymptote if asymptote.homogeneous else None


def _slope(phi: Function, side: float, places: tuple[float, float]) -> float:
    """Return the limit of the slope on one side of 0, or NaN if there is none."""
    with np.errstate(all="ignore"):
        one, other = (_slope_at(phi, np.float64(side * place)) for place in places)
    if abs(one - other) > SAME * max(1.0, abs(other)):
        return np.nan
    return other if abs(other) > FLAT else 0.0


def _slope_at(phi: Function, x: np.float64) -> float:
    """Return the slope at x; that of the line through infinitely many steps, as of floor(x), if it has them."""
    if phi.pieces.split:
        return float(phi.slope(FLOAT64, x))
    return round(float((phi(FLOAT64, x) - phi(FLOAT64, x / 2)) / (x / 2)), DIGITS)
