"""The probability that a function of a Gaussian unit is constant over a batch, so that BatchNorm makes it 0."""

from functools import partial
from typing import Any

import numpy as np

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import ZERO
from igbtheory.mathematics.numbers import FLOAT64

OPPOSITE = 1 - 1e-12
"""Two data of a batch count as opposite if their correlation is below minus this number, since it may have rounding
errors of the layers in front."""


def flat_ends(phi: Function) -> tuple[float, float] | None:
    """Return the ends of the half-lines x < low and x > high on which phi is constant, infinite if there is none.

    Return None if phi is constant elsewhere too, or has the same value on both half-lines, so that a batch may lie in
    both of them.
    """
    kinks = [float(kink) for kink in phi.pieces.kinks]
    flat = [slope == ZERO for slope in phi.slope.formulas]
    if any(flat[1:-1]) or flat == [True]:
        return None
    low, high = (kinks[0] if flat[0] else -np.inf), (kinks[-1] if flat[-1] else np.inf)
    same = flat[0] and flat[-1] and phi(FLOAT64, np.float64(low - 1)) == phi(FLOAT64, np.float64(high + 1))
    return None if same else (low, high)


def probability(phi: Function, m: int, size: int, h: Moments) -> Any:
    """Return the probability that phi(M) is constant over a batch of `size` data, or None if there is no rule.

    M is the largest of m independent Gaussian units with the moments h.
    """
    ends = flat_ends(phi)
    if ends is None or (m > 1 and ends[1] < np.inf):
        return None
    total = _beyond(size, *ends, h.mean, h.variance, h.covariance) ** m
    if size == 2 and m == 1 and phi.parity > 0:  # two opposite values, as behind BatchNorm(2) and an odd activation
        total = np.where((h.covariance <= -h.variance * OPPOSITE) & (h.mean == 0), 1.0, total)[()]
    return total


@partial(np.vectorize, otypes=[float])
def _beyond(size: int, low: float, high: float, mean: Any, q: Any, within: Any) -> float:
    """Return the probability that all normal values of a batch are below `low`, or all above `high`, to 1e-13."""
    from igbtheory.mathematics.numerics.exchangeable import counts_above  # noqa: PLC0415 - only activations with flat pieces need it

    rho = min(max(float(within / q), -1 / (size - 1)), 1.0)
    total = 0.0
    for end, above in ((low, 0), (high, size)):
        if np.isfinite(end):
            total += counts_above(size, rho, np.array([(float(mean) - end) / np.sqrt(float(q))]))[0, above]
    return total
