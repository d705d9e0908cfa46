"""All roots of a function of the variance q: evaluate it on a grid of log q, then refine all roots at once."""

import numpy as np

from igbtheory.mathematics.numerics.crossings import Rule, crossings, tabulated
from igbtheory.phases.block import EXACT, Array

LOWEST, HIGHEST = -12, 8
"""Powers of ten of the smallest and the largest variance on the grid."""
DECADE = 16
"""Points of the grid in a decade."""


def scanned(rule: Rule, most: float) -> tuple[Array, Array]:
    """Return a grid of log q and the values of the rule on it.

    The rule is a difference of numbers of the size of q. A value that is 0 up to rounding error is 0, and a value that
    cannot be computed is NaN. The grid ends after the first decade above q = 1 in which all values exceed `most`.
    """
    grids, values = [], []
    for power in range(LOWEST, HIGHEST):
        log_q = np.log(10.0) * (power + np.arange(DECADE + (power == HIGHEST - 1)) / DECADE)
        q = np.exp(log_q)
        differences = tabulated(rule, q)
        grids.append(log_q)
        values.append(np.where(np.abs(differences) <= EXACT * q, 0.0, differences))
        if power >= 0 and (np.isnan(differences).all() or np.all(differences > most)):
            break
    return np.concatenate(grids), np.concatenate(values)


def roots(rule: Rule, log_q: Array, values: Array, wanted: Array) -> Array:
    """Return the variances q at which the rule takes the `wanted` values, ascending: shape (most roots, *wanted).

    Columns with fewer roots end with NaN. log_q, values: the grid that `scanned` returns.
    """
    return np.exp(crossings(lambda x: rule(np.exp(x)), log_q, values, wanted))
