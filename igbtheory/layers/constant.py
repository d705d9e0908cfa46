"""How often a function of a unit does not vary over a batch: BatchNorm makes such a unit 0.

A probability is None where no rule knows it; then it is estimated from draws.
"""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import ZERO
from igbtheory.numbers import FLOAT64

OPPOSITE = 1 - 1e-12
"""Correlation, with the sign turned, from which on two data of a batch have opposite values."""


def flat_pieces(phi: Function) -> list[tuple[float, float]] | None:
    """Intervals on which phi is constant; None where two of them share their value, so that a batch may lie in both."""
    ends = [-np.inf, *map(float, phi.pieces.kinks), np.inf]
    flat = [ends_of for ends_of, slope in zip(pairwise(ends), phi.slope.formulas, strict=True) if slope == ZERO]
    values = [float(phi(FLOAT64, np.float64(_inside(*ends_of)))) for ends_of in flat]
    return flat if len(set(values)) == len(values) else None


def _inside(low: float, high: float) -> float:
    """A point between, which is no end: phi may jump there."""
    if np.isinf(low):
        return 0.0 if np.isinf(high) else high - 1
    return low + 1 if np.isinf(high) else (low + high) / 2


def of_gaussian(phi: Function, m: int, size: int, copies: int, h: Moments) -> Any:
    """Probability that the sum of `copies` independent phi(M) does not vary over a batch of `size` data.

    M is the largest of m independent Gaussian units with the moments h.
    """
    flat = flat_pieces(phi)
    if flat is None or (copies > 1 and len(flat) > 1) or (m > 1 and any(low > -np.inf for low, _ in flat)):
        return None
    total: Any = 0.0
    for low, high in flat:
        total = total + _all_within(size, low, high, h.mean, h.variance, h.covariance) ** m
    if size == 2 and m == 1 and phi.parity > 0:  # two opposite values, as behind BatchNorm(2) and an odd activation
        total = np.where((h.covariance <= -h.variance * OPPOSITE) & (h.mean == 0), 1.0, total)[()]
    return total**copies


def of_normalised(phi: Function | None, m: int, size: int, copies: int, eps: float) -> float | None:
    """The same of units that a BatchNorm has normalised over the very batch, as far as it is known.

    Its values add up to 0, so that they lie on both sides of it; two are opposite, +-1 at eps = 0.
    """
    if phi is None and (size > 2 or eps or m == copies == 1):
        return 0.0
    if phi is None or m > 1 or copies > 1:
        return None
    if size == 2:
        at_one = (float(phi(FLOAT64, np.float64(sign))) for sign in (-1, 1))
        return float(phi.parity > 0 or (not eps and len(set(at_one)) == 1))
    flat = flat_pieces(phi)
    return None if flat is None or any(low < 0 < high for low, high in flat) else 0.0


@partial(np.vectorize, otypes=[float])
def _all_within(size: int, low: float, high: float, mean: Any, q: Any, within: Any) -> float:
    from igbtheory.numerics.exchangeable import all_within  # noqa: PLC0415 - loaded by activations with flat pieces alone

    return all_within(size, low, high, float(mean), float(q), float(within))
