"""All points at which a function of one variable takes given values, found from its values on a grid."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise

Array = NDArray[np.float64]
Rule = Callable[[Array], Array]
PRECISION, SMALLEST = 4e-16, 1e-20
"""Relative tolerance of the distance from the left grid point, in intervals, two rounding errors, and the distance that
counts as 0."""


def tabulated(rule: Rule, places: Array) -> Array:
    """Return the values of a rule, NaN at the places where it raises ValueError."""
    try:
        return np.asarray(rule(places), dtype=float)
    except ValueError:
        if len(places) == 1:
            return np.full(1, np.nan)
        return np.concatenate([tabulated(rule, half) for half in np.array_split(places, 2)])


def crossings(rule: Rule, grid: Array, values: Array, wanted: Array) -> Array:
    """Return the places at which the rule takes the `wanted` values.

    The result has the shape (most places, *wanted); places ascend, and NaN fills the end. rule: a function of an array
    of places; grid: ascending; values: the rule on the grid, NaN where it is undefined. One place is found in every
    interval of the grid whose ends enclose the value. To find two places in one interval, minima and maxima that may
    reach a wanted value are first added to the grid.
    """
    goals = np.ravel(wanted)
    grid, values = _with_turns(rule, grid, values, goals)
    low, high = (f(values[:-1], values[1:])[:, None] for f in (np.minimum, np.maximum))
    cell, column = np.nonzero((low < goals) & (goals <= high))
    count = np.bincount(column, minlength=goals.size)
    table = np.full((count.max(initial=0), goals.size), np.nan)
    if cell.size:
        places = _places(rule, (grid[cell], grid[cell + 1]), goals[column], values[cell] == goals[column])
        order = np.lexsort((places, column))
        row = np.arange(cell.size) - (np.cumsum(count) - count)[column[order]]
        table[row, column[order]] = places[order]
    return table.reshape(-1, *np.shape(wanted))


def _with_turns(rule: Rule, grid: Array, values: Array, goals: Array) -> tuple[Array, Array]:
    """Return the grid and values with minima above a wanted value and maxima below one added."""
    steps, middle = np.diff(values), values[1:-1]
    minimum = (steps[:-1] < 0) & (steps[1:] > 0) & (middle > goals.min())
    maximum = (steps[:-1] > 0) & (steps[1:] < 0) & (middle < goals.max())
    at = 1 + np.flatnonzero(minimum | maximum)
    if not at.size:
        return grid, values
    side = np.where(minimum[at - 1], 1.0, -1.0)
    brackets = (grid[at - 1], grid[at], grid[at + 1])
    turns = elementwise.find_minimum(lambda x, *side: side[0] * rule(x), brackets, args=(side,))
    grid, values = np.append(grid, turns.x), np.append(values, side * turns.f_x)
    order = np.argsort(grid)
    return grid[order], values[order]


def _places(rule: Rule, ends: tuple[Array, Array], goals: Array, at_first: NDArray[np.bool_]) -> Array:
    """Return one place in each interval; where rounding hides it, an end with the value: the first if `at_first`."""
    search = elementwise.find_root(
        lambda t, *cell: rule((1 - t) * cell[0] + t * cell[1]) - cell[2],
        (np.zeros(goals.size), np.ones(goals.size)),
        args=(*ends, goals),
        tolerances={"xatol": SMALLEST, "xrtol": PRECISION},
    )
    t = np.where(search.success, search.x, np.where(at_first, 0.0, 1.0))
    return np.asarray((1 - t) * ends[0] + t * ends[1])
