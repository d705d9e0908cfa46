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
STEPS = 100
"""Steps of a search at most."""
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


def branches(rule: Rule, log_q: Array, values: Array) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Intervals of log q on which the rule is monotone, as far as the grid shows, and its values at their ends."""
    known = np.flatnonzero(np.isfinite(values))
    for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        if len(run) < 2:
            continue
        x, y = log_q[run], values[run]
        ends, heights = [x[0]], [y[0]]
        for i in range(1, len(x) - 1):
            if (y[i] - y[i - 1]) * (y[i + 1] - y[i]) < 0:
                side = 1.0 if y[i] < y[i - 1] else -1.0
                turn = minimize_scalar(
                    lambda at, side=side: side * float(rule(np.exp([at]))[0]),
                    bounds=(x[i - 1], x[i + 1]),
                    method="bounded",
                    options={"xatol": 1e-9},
                )
                ends.append(float(turn.x))
                heights.append(side * float(turn.fun))
        ends.append(x[-1])
        heights.append(y[-1])
        yield from zip(pairwise(ends), pairwise(heights), strict=True)


@np.errstate(all="ignore")
def levels(rule: Rule, ends: tuple[float, float], heights: tuple[float, float], wanted: Array) -> Array:
    """Places log q between the ends at which a monotone rule takes the wanted values, NaN where it does not.

    Chandrupatla's search, for all wanted values in one call of the rule: inverse quadratic interpolation where it is
    safe, else bisection.
    """
    found = np.full(wanted.shape, np.nan)
    inside = np.flatnonzero((wanted > min(heights)) & (wanted <= max(heights)))
    if not inside.size:
        return found
    goal = wanted[inside]
    (x_1, x_2), (f_1, f_2) = (np.full((2, goal.size), np.array(pair)[:, None]) for pair in (ends, heights))
    f_1, f_2, t = f_1 - goal, f_2 - goal, np.full(goal.size, 0.5)
    for _ in range(STEPS):
        x = x_1 + t * (x_2 - x_1)
        f = rule(np.exp(x)) - goal
        same = np.sign(f) == np.sign(f_1)
        x_3, f_3 = np.where(same, x_1, x_2), np.where(same, f_1, f_2)
        x_2, f_2 = np.where(same, x_2, x_1), np.where(same, f_2, f_1)
        x_1, f_1 = x, f
        least = PRECISION * np.maximum(1, np.abs(x)) / np.abs(x_2 - x_1)
        if np.all((least > 0.5) | (f == 0)):
            break
        xi, phi = (x_1 - x_2) / (x_3 - x_2), (f_1 - f_2) / (f_3 - f_2)
        inverse = f_1 / (f_2 - f_1) * f_3 / (f_2 - f_3)
        inverse += (x_3 - x_1) / (x_2 - x_1) * f_1 / (f_3 - f_1) * f_2 / (f_3 - f_2)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        t = np.clip(np.where(safe, inverse, 0.5), least, 1 - least)
    found[inside] = np.where(np.abs(f_1) < np.abs(f_2), x_1, x_2)
    return found
