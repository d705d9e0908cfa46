"""All roots of a function of one variable that a grid can show, in double precision."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

Array = NDArray[np.float64]
Rule = Callable[[float], float]
LAST_DIGIT = 4 * np.finfo(float).eps


def roots(f: Rule, grid: Array, values: Array) -> list[float]:
    """Roots of f, ascending: where `values` = f(grid) changes its sign, and where an extremum between crosses zero.

    NaN parts the grid: no root is looked for next to it. Two roots between neighbours of the grid are found only
    where the three values around them show the extremum.
    """
    found = set(grid[values == 0].tolist())
    for low, high in _brackets(f, grid, values):
        found.add(float(brentq(f, low, high, xtol=1e-300, rtol=LAST_DIGIT)))
    return sorted(found)


def _brackets(f: Rule, grid: Array, values: Array) -> Iterator[tuple[float, float]]:
    sign = np.sign(values)
    for i in np.flatnonzero(sign[:-1] * sign[1:] < 0):
        yield float(grid[i]), float(grid[i + 1])
    height = np.abs(values)
    same = (sign[:-2] == sign[1:-1]) & (sign[2:] == sign[1:-1]) & (sign[1:-1] != 0)
    for i in np.flatnonzero(same & (height[1:-1] <= height[:-2]) & (height[1:-1] <= height[2:])) + 1:
        low, high, side = float(grid[i - 1]), float(grid[i + 1]), float(sign[i])
        turn = minimize_scalar(lambda x, side=side: side * f(x), bounds=(low, high), method="bounded")
        if turn.fun < 0:
            yield low, float(turn.x)
            yield float(turn.x), high
