"""The values t of a normal variable for which the share of positive outputs lies in a window of G0.

With the outputs a + s t at the data, t ~ N(0, 1), the number of positive outputs is a step function of t with a step at
every -a/s. So the set is a union of intervals, which sorting finds, and t is drawn from it by inverse transform.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp, ndtri_exp

from igbtheory.foundations import checks

Array = NDArray[np.float64]
ROUNDING = 1e-9
"""Tolerance of whole numbers: 0.07 * 100 is slightly more than 7."""
TIE = 1e-13
"""Rounding error of an output in units of its standard deviation."""


def counts_within(window: Any, size: int) -> tuple[int, int]:
    """Return the smallest and the largest count of `size` data whose share lies in the window (low, high), inclusive.

    ValueError unless 0 <= low < high <= 1 and the window contains a multiple of 1/size.
    """
    low, high = checks.shares("a window", window, "(0.8, 0.9)")
    least, most = int(np.ceil(low * size - ROUNDING)), int(np.floor(high * size + ROUNDING))
    if least > most:
        raise ValueError(
            f"expected a window that contains a multiple of 1/{size}, got ({low:g}, {high:g}): the nearest shares of "
            f"{size} data are {most}/{size} and {least}/{size}; widen the window"
        )
    return least, most


@final
@dataclass(frozen=True)
class Region:
    """Union of intervals (starts, ends) of a standard normal variable, which are in ascending order and disjoint."""

    starts: Array
    ends: Array

    def logs(self) -> Array:
        """Return the logarithm of the probability of every interval, which is accurate in both tails."""
        lower, upper, _ = self._left_of_zero()
        return _log_difference(lower, upper)

    def log_probability(self) -> float:
        """Return the logarithm of the probability of the region, or -inf if it is empty."""
        return float(logsumexp(self.logs())) if self.starts.size else -np.inf

    def draw(self, rng: Generator) -> float:
        """Return one draw of the variable, given that it lies in the region."""
        logs = self.logs()
        chosen = int(np.searchsorted(np.cumsum(np.exp(logs - logsumexp(logs))), rng.random()))
        i = min(chosen, len(logs) - 1)
        lower, upper, sign = (part[i] for part in self._left_of_zero())
        # Phi(t) is uniform between Phi(lower) and Phi(upper)
        below = log_ndtr(lower)
        t = ndtri_exp(np.logaddexp(below, np.log1p(-rng.random()) + logs[i]))
        return float(sign * np.clip(t, lower, upper))

    def _left_of_zero(self) -> tuple[Array, Array, Array]:
        """Return the ends of the intervals and signs. Intervals on the right, where Phi rounds to 1, are mirrored."""
        mirrored = self.starts > -self.ends
        lower, upper = np.where(mirrored, -self.ends, self.starts), np.where(mirrored, -self.starts, self.ends)
        return lower, upper, np.where(mirrored, -1.0, 1.0)


def region(a: Array, s: Array, size: Array, least: int, most: int) -> Region:
    """Return the region of t in which `least` to `most` of the outputs a + s t are positive.

    size: the standard deviation of an output over the weights; the rounding errors of a and s are TIE times it. Steps
    that are equal up to rounding errors belong to data that always go together, and no interval lies between them.
    """
    moving = np.abs(s) > TIE * size
    steps = -a[moving] / s[moving]
    order = np.argsort(steps, kind="stable")
    rises = s[moving] > 0
    first = np.count_nonzero(~rises) + np.count_nonzero(a[~moving] > 0)
    count = first + np.concatenate([[0], np.cumsum(np.where(rises, 1, -1)[order])])
    bounds = np.concatenate([[-np.inf], steps[order], [np.inf]])
    unsure = np.concatenate([[0.0], (TIE * size[moving] / np.abs(s[moving]) * (1 + np.abs(steps)))[order], [0.0]])
    # join neighbouring intervals inside the region
    inside = np.concatenate([[False], (count >= least) & (count <= most), [False]])
    changes = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = changes[::2], changes[1::2]
    wide = bounds[ends] - bounds[starts] > unsure[starts] + unsure[ends]
    return Region(bounds[starts[wide]], bounds[ends[wide]])


def _log_difference(lower: Array, upper: Array) -> Array:
    """Return the logarithm of Phi(upper) - Phi(lower)."""
    below, above = log_ndtr(lower), log_ndtr(upper)
    return np.asarray(above + np.log(-np.expm1(np.minimum(below - above, 0.0))))
