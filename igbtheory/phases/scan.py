"""All roots of a function of the variance q: a scan decade by decade, then one search for all roots at once."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import elementwise

from igbtheory.phases.block import EXACT, Array

Rule = Callable[[Array], Array]
LOWEST, HIGHEST = -12, 8
"""Powers of ten of the variances scanned."""
DECADE = 16
"""Points in a decade."""
PRECISION = 4e-16
"""Precision of log q."""


def scanned(rule: Rule, most: float) -> tuple[Array, Array]:
    """Grid of log q, with the turning points of the rule among it, and the values of the rule there.

    The rule is a difference of numbers of the size of q; its values are 0 where they are rounding, and NaN where it
    cannot be computed. The grid ends behind the first decade above q = 1 in which all values exceed `most`.
    """
    grids, values = [], []
    for power in range(LOWEST, HIGHEST):
        log_q = np.log(10.0) * (power + np.arange(DECADE + (power == HIGHEST - 1)) / DECADE)
        q = np.exp(log_q)
        found = _tabulated(rule, q)
        found = np.where(np.abs(found) <= EXACT * q, 0.0, found)
        grids.append(log_q)
        values.append(found)
        if power >= 0 and (np.isnan(found).all() or np.all(found > most)):
            break
    return _with_turns(rule, np.concatenate(grids), np.concatenate(values))


def _tabulated(rule: Rule, q: Array) -> Array:
    """Values of a rule at variances q, NaN where it is refused: a formula that no quadrature resolves there."""
    try:
        return np.asarray(rule(q), dtype=float)
    except ValueError:
        if len(q) == 1:
            return np.full(1, np.nan)
        return np.concatenate([_tabulated(rule, half) for half in np.array_split(q, 2)])


def _with_turns(rule: Rule, log_q: Array, values: Array) -> tuple[Array, Array]:
    """Add every minimum and maximum that lies between three points to the grid, so that it is monotone in between."""
    steps = np.diff(values)
    at = 1 + np.flatnonzero(steps[:-1] * steps[1:] < 0)
    if not at.size:
        return log_q, values
    side = np.sign(steps[at])
    brackets = (log_q[at - 1], log_q[at], log_q[at + 1])
    found = elementwise.find_minimum(lambda x, *side: side[0] * rule(np.exp(x)), brackets, args=(side,))
    log_q, values = np.append(log_q, found.x), np.append(values, side * found.f_x)
    order = np.argsort(log_q)
    return log_q[order], values[order]


def roots(rule: Rule, log_q: Array, values: Array, wanted: Array) -> Array:
    """Variances q at which the rule takes the `wanted` values: shape (most roots, *wanted), ascending, NaN at the end.

    log_q, values: the grid that `scanned` returns; there is a root in every interval whose ends enclose the value.
    """
    low, high = (f(values[:-1], values[1:])[:, None] for f in (np.minimum, np.maximum))
    cell, column = np.nonzero((low < np.ravel(wanted)) & (np.ravel(wanted) <= high))
    count = np.bincount(column, minlength=np.size(wanted))
    found = np.full((count.max(initial=0), np.size(wanted)), np.nan)
    if cell.size:
        goal = np.ravel(wanted)[column]
        search = elementwise.find_root(
            lambda x, *goal: rule(np.exp(x)) - goal[0],
            (log_q[cell], log_q[cell + 1]),
            args=(goal,),
            tolerances={"xatol": PRECISION, "xrtol": PRECISION},
        )
        end = np.where(values[cell] == goal, log_q[cell], log_q[cell + 1])  # rounding may hide the root there
        at = np.where(search.success, search.x, end)
        order = np.lexsort((at, column))
        row = np.arange(cell.size) - (np.cumsum(count) - count)[column[order]]
        found[row, column[order]] = np.exp(at[order])
    return found.reshape(-1, *np.shape(wanted))
