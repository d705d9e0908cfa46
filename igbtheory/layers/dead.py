"""Dead batches: how often an activation does not vary over a whole batch."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from igbtheory.activations.function import Function
from igbtheory.activations.tree import Number
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.exchangeable import all_within


def flat_pieces(phi: Function) -> list[tuple[float, float]]:
    """Intervals on which phi is constant; refused where two of them share their value."""
    ends = [-np.inf, *map(float, phi.pieces.kinks), np.inf]
    flat = [
        ends_of
        for ends_of, slope in zip(pairwise(ends), phi.slope.formulas, strict=True)
        if slope == Number(Fraction(0))
    ]
    inside = [np.float64(max(low, min(high, 0)) if np.isinf(low + high) else (low + high) / 2) for low, high in flat]
    values = [float(phi(FLOAT64, x)) for x in inside]
    if len(set(values)) < len(values):
        raise ValueError(
            f"BatchNorm in batches behind {phi.name!r}: two stretches on which it is constant share their value, and "
            "how often a batch lies in both is not known; use the full batch"
        )
    return flat


def dead(phi: Function, m: int, size: int, mean: Any, q: Any, within: Any) -> Any:
    """Probability that phi(M) is one value over a batch of `size` data.

    M: the largest of m independent Gaussian units of that mean and variance q, with covariance `within` in the batch.
    """
    total = 0.0
    for low, high in flat_pieces(phi):
        if m > 1 and low > -np.inf:
            raise ValueError(
                f"BatchNorm in batches behind the maximum of {m} units and {phi.name!r}, which is constant above "
                f"{low:g}: how often a batch lies there is not known; use the full batch"
            )
        total = total + _all_within(size, low, high, mean, q, within) ** m
    return total


@np.vectorize
def _all_within(size: int, low: float, high: float, mean: Any, q: Any, within: Any) -> float:
    return all_within(size, low, high, float(mean), float(q), float(within))


def not_constant(phi: Function | None, behind: str, size: int) -> float:
    """Zero: normalised values, which add up to 0, do not all lie where phi is constant, unless that is around 0."""
    if phi is not None and any(low < 0 < high for low, high in flat_pieces(phi)):
        raise ValueError(
            f"BatchNorm in batches of {size} behind {behind} and {phi.name!r}, which is constant around 0: how often "
            "a batch lies there is not known; use the full batch"
        )
    return 0.0
