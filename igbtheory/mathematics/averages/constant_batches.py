"""The probability that a function of a Gaussian unit is constant over a batch, so that BatchNorm makes it 0."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf, isfinite
from typing import Any

import numpy as np

from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import ZERO
from igbtheory.mathematics.numbers import FLOAT64, Kind

OPPOSITE = 1 - 1e-12
"""Two data of a batch count as opposite if their correlation is below minus this number, since it may have rounding
errors of the layers in front."""
Below = Callable[[Any, int, Any, Any, Any], Any]
"""A function of a kind of number, n, x, q, v that returns the probability that n normal variables are all below x.

They have the variance q and the covariance v. None: there is no rule.
"""


def flat_ends(phi: Function) -> tuple[Fraction | float, Fraction | float] | None:
    """Return the ends of the half-lines x < low and x > high on which phi is constant, infinite if there is none.

    Return None if phi is constant elsewhere too, or has the same value on both half-lines, so that a batch may lie in
    both of them.
    """
    kinks = phi.pieces.kinks
    flat = [slope == ZERO for slope in phi.slope.formulas]
    if any(flat[1:-1]) or flat == [True]:
        return None
    low, high = (kinks[0] if flat[0] else -inf), (kinks[-1] if flat[-1] else inf)
    same = flat[0] and flat[-1] and phi(FLOAT64, np.float64(low - 1)) == phi(FLOAT64, np.float64(high + 1))
    return None if same else (low, high)


@partial(np.vectorize, otypes=[float], excluded=[0])
def in_double(n: Kind, size: int, x: Any, q: Any, v: Any) -> float:
    """Return the probability that all normal values of a batch are below x, to 1e-13."""
    from igbtheory.mathematics.numerics.exchangeable import counts_above  # noqa: PLC0415 - only activations with flat pieces need it

    del n
    rho = min(max(float(v / q), -1 / (size - 1)), 1.0)
    return float(counts_above(size, rho, np.array([-float(x) / np.sqrt(float(q))]))[0, 0])


def probability(n: Kind, phi: Function, m: int, size: int, h: Moments, below: Below = in_double) -> Any:
    """Return the probability that phi(M) is constant over a batch of `size` data, or None if there is no rule.

    M is the largest of m independent Gaussian units with the moments h.
    """
    ends = flat_ends(phi)
    if ends is None or (m > 1 and ends[1] < inf):
        return None
    low, high = ends
    distances = [n.number(low) - h.mean] if isfinite(low) else []
    distances += [h.mean - n.number(high)] if isfinite(high) else []
    of_sides = [below(n, size, x, h.variance, h.covariance) for x in distances]
    if any(side is None for side in of_sides):
        return None
    total = sum(of_sides, start=n.number(0)) ** m
    if size == 2 and m == 1 and phi.parity > 0 and h.within is not None:
        # two opposite values, as behind BatchNorm(2) and an odd activation
        if n.exact:
            return None
        total = np.where((h.covariance <= -h.variance * OPPOSITE) & (h.mean == 0), 1.0, total)[()]
    return total
