"""All roots of a function of the variance q: a scan decade by decade, then one search for all roots at once."""

import numpy as np

from igbtheory.numerics.crossings import Rule, crossings, tabulated
from igbtheory.phases.block import EXACT, Array

LOWEST, HIGHEST = -12, 8
"""Powers of ten of the variances scanned."""
DECADE = 16
"""Points in a decade."""


def scanned(rule: Rule, most: float) -> tuple[Array, Array]:
    """Grid of log q, and the values of the rule there.

    The rule is a difference of numbers of the size of q; its values are 0 where they are rounding, and NaN where it
    cannot be computed. The grid ends behind the first decade above q = 1 in which all values exceed `most`.
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


def roots(rule: Rule, log_q: Array, values: Array, wanted: Array) -> Array:
    """Variances q at which the rule takes the `wanted` values: shape (most roots, *wanted), ascending, NaN at the end.

    log_q, values: the grid that `scanned` returns.
    """
    return np.exp(crossings(lambda x: rule(np.exp(x)), log_q, values, wanted))
