"""Ratio of two gammas from counts of several classes, by the confidence distributions of both.

The probability H(gamma) of networks at least as coincident as the observed grows from 0 to 1: read as a law of gamma,
its quantiles are the ends of the intervals of every level. Two independent ones give the law of the ratio.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from igbtheory.inference.several_classes import LARGEST, SMALLEST, Votes

Array = NDArray[np.float64]
POINTS = 25
"""Values of gamma at which a confidence distribution is computed; between, its logarithm is interpolated."""
WIDE = 0.999
"""Level of the interval that they span."""
QUANTILES = 400
"""Quantiles of each confidence distribution, of which all pairs are taken."""


def log_ratios(first: Votes, second: Votes) -> tuple[Array, Array]:
    """Return equally likely log(gamma_1/gamma_2), twice: where both are 0 or both inf, -inf first and then inf."""
    with np.errstate(invalid="ignore"):
        found = np.subtract.outer(_quantiles(first), _quantiles(second)).ravel()
    unknown = np.isnan(found)
    return np.where(unknown, -np.inf, found), np.where(unknown, np.inf, found)


@lru_cache(maxsize=8)
def _quantiles(votes: Votes) -> Array:
    """Return the quantiles of log gamma; -inf and inf where gamma may as well be 0 or infinite."""
    low, high = np.clip(votes.interval(WIDE), SMALLEST, LARGEST)
    log_gamma = np.linspace(np.log(low), np.log(high), POINTS)
    reached = np.maximum.accumulate([votes.tail(float(np.exp(x)), 1) for x in log_gamma])
    p = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return np.where(p < reached[0], -np.inf, np.where(p > reached[-1], np.inf, np.interp(p, reached, log_gamma)))
