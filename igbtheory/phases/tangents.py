"""Homogeneous functions that an activation approaches at small and at large arguments: two half-lines through 0."""

import numpy as np

from igbtheory.formulas.function import Function
from igbtheory.layers import Activation, Layer
from igbtheory.numbers import FLOAT64
from igbtheory.phases.block import Block

NEAR, FAR = (1e-30, 1e-31), (1e9, 1e10)
"""Arguments at which slopes are computed: where those at the two differ, there is no half-line."""
SAME = 1e-7
"""Difference of equal slopes, relative where they are above 1."""
FLAT = 1e-12
"""Slope, or value at 0, that counts as 0."""


def near(block: Block) -> Block | None:
    """The block at variances that tend to 0; None where f(0) is not 0, or the slopes are 0 or have no limit."""
    functions = [layer.phi for layer in block.layers if isinstance(layer, Activation)]
    if any(abs(phi(FLOAT64, np.float64(0))) > FLAT for phi in functions):
        return None
    return _tangent(block, NEAR)


def far(block: Block) -> Block | None:
    """The block at variances that tend to infinity; None where the slopes are 0 or have no limit."""
    return _tangent(block, FAR)


def _tangent(block: Block, places: tuple[float, float]) -> Block | None:
    if block.homogeneous:
        return block
    layers: list[Layer] = []
    for layer in block.layers:
        if not isinstance(layer, Activation):
            layers.append(layer)
            continue
        right, left = (_slope(layer.phi, side, places) for side in (1.0, -1.0))
        if not np.isfinite(right + left) or right == left == 0:
            return None
        layers.append(Activation(f"where(x > 0, {right!r}*x, {left!r}*x)" if right != left else f"{right!r}*x"))
    found = Block(tuple(layers))
    return found if found.homogeneous else None


def _slope(phi: Function, side: float, places: tuple[float, float]) -> float:
    """Slope at the near or the far end of a side, NaN where there is none."""
    with np.errstate(all="ignore"):
        one, other = (float(phi.slope(FLOAT64, np.float64(side * place))) for place in places)
    if abs(one - other) > SAME * max(1.0, abs(other)):
        return np.nan
    return other if abs(other) > FLAT else 0.0
