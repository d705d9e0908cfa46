"""All roots of functions of the variance q, by a scan decade by decade and a search that does many levels at once."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize_scalar

from igbtheory.phases.block import EXACT, Array, tabulated

Rule = Callable[[Array], Array]
LOWEST, HIGHEST = -12, 8
"""Powers of ten of the variances scanned."""
DECADE = 16
"""Points in a decade."""
STEPS = 60
"""Steps of a search at most."""
NEIGHBOURS = 4
"""Known places from which a step interpolates."""
PRECISION = 4e-16
"""Relative precision of log q."""


def scanned(rule: Rule, most: float) -> tuple[Array, Array]:
    """Grid of log q and the values of a rule on it: differences of numbers of the size q, 0 where they are rounding.

    It ends behind the first decade above q = 1 in which all values are above `most`, or where the rule is refused.
    """
    grids, values = [], []
    for power in range(LOWEST, HIGHEST):
        log_q = np.log(10.0) * (power + np.arange(DECADE + (power == HIGHEST - 1)) / DECADE)
        q = np.exp(log_q)
        found = tabulated(rule, q)
        found = np.where(np.abs(found) <= EXACT * q, 0.0, found)
        grids.append(log_q)
        values.append(found)
        if power >= 0 and (np.isnan(found).all() or np.all(found > most)):
            break
    return np.concatenate(grids), np.concatenate(values)


def branches(rule: Rule, log_q: Array, values: Array) -> Iterator[tuple[Array, Array]]:
    """Pieces of the grid on which the rule is monotone, with its turns as their ends, by ascending values."""
    known = np.flatnonzero(np.isfinite(values))
    for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        if len(run) < 2:
            continue
        x, y = log_q[run], values[run]
        bends = [i for i in range(1, len(x) - 1) if (y[i] - y[i - 1]) * (y[i + 1] - y[i]) < 0]
        turns = [_turn(rule, x[i - 1 : i + 2], y[i - 1 : i + 2]) for i in bends]
        for left, right in pairwise([(x[0], y[0]), *turns, (x[-1], y[-1])]):
            inside = (left[0] < x) & (x < right[0])
            places, heights = np.array([left, *zip(x[inside], y[inside], strict=True), right]).T
            yield (places, heights) if left[1] <= right[1] else (places[::-1], heights[::-1])


def _turn(rule: Rule, x: Array, y: Array) -> tuple[float, float]:
    """Place and value of the extremum between three points."""
    side = 1.0 if y[1] < y[0] else -1.0
    found = minimize_scalar(
        lambda at: side * float(rule(np.exp([at]))[0]),
        bounds=(x[0], x[-1]),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(found.x), side * float(found.fun)


def levels(rule: Rule, log_q: Array, values: Array, wanted: Array) -> Array:
    """Places log q at which a monotone rule takes the wanted values, NaN where it does not.

    log_q, values: places at which it is known, the ends of the interval among them, with ascending values. All wanted
    values are looked for in one call of the rule, by inverse interpolation, and every place found helps the others.
    """
    found = np.full(wanted.shape, np.nan)
    inside = (wanted > values[0]) & (wanted <= values[-1])
    goal, values = wanted[inside], np.maximum.accumulate(values)
    at = _inverse(log_q, values, goal)
    new = np.unique(at)
    for _ in range(STEPS):
        if not new.size:
            break
        order = np.argsort(np.concatenate([log_q, new]) * np.sign(log_q[-1] - log_q[0]))
        values = np.maximum.accumulate(np.concatenate([values, rule(np.exp(new))])[order])
        log_q = np.concatenate([log_q, new])[order]
        before, at = at, _inverse(log_q, values, goal)
        new = np.unique(at[np.abs(at - before) > PRECISION * np.maximum(1, np.abs(at))])
    found[inside] = at
    return found


@np.errstate(all="ignore")
def _inverse(log_q: Array, values: Array, goal: Array) -> Array:
    """Places of the goals, by the polynomial through four known places around; else the middle of the nearest two."""
    above = np.clip(np.searchsorted(values, goal), 1, len(values) - 1)
    size = min(NEIGHBOURS, len(values))
    near = np.clip(above - size // 2, 0, len(values) - size)[:, None] + np.arange(size)
    x, y = log_q[near], values[near]
    own = np.eye(size, dtype=bool)
    factors = np.where(own, 1, (goal[:, None] - y)[:, None] / (y[:, :, None] - y[:, None]))
    at = (x * factors.prod(axis=2)).sum(axis=1)
    low, high = np.sort(log_q[np.stack([above - 1, above])], axis=0)
    return np.asarray(np.where((low <= at) & (at <= high), at, (low + high) / 2))
