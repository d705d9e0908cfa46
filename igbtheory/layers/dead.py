"""Dead batches: how often an activation does not vary over a whole batch."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.formulas.tree import ZERO
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.exchangeable import all_within


class UnknownError(ValueError):
    """Probability that no rule knows."""


def flat_pieces(phi: Function) -> list[tuple[float, float]]:
    """Intervals on which phi is constant; refused where two of them share their value."""
    ends = [-np.inf, *map(float, phi.pieces.kinks), np.inf]
    flat = [ends_of for ends_of, slope in zip(pairwise(ends), phi.slope.formulas, strict=True) if slope == ZERO]
    values = [float(phi(FLOAT64, np.float64(_inside(*ends_of)))) for ends_of in flat]
    if len(set(values)) < len(values):
        raise UnknownError(
            f"BatchNorm in batches behind {phi.name!r}: two stretches on which it is constant share their value, and "
            "how often a batch lies in both is not known; use the full batch"
        )
    return flat


def _inside(low: float, high: float) -> float:
    """A point between, not an end: phi may jump there."""
    if np.isinf(low):
        return 0.0 if np.isinf(high) else high - 1
    return low + 1 if np.isinf(high) else (low + high) / 2


def dead(phi: Function, m: int, size: int, copies: int, h: Moments) -> Any:
    """Probability that the sum of `copies` independent phi(M) is one value over a batch of `size` data.

    M: the largest of m independent Gaussian units of the moments h.
    """
    flat = flat_pieces(phi)
    if len(flat) > 1:
        refuse_sums(f"{phi.name!r}, which is constant on two stretches", size, copies)
    total: Any = 0.0
    for low, high in flat:
        if m > 1 and low > -np.inf:
            raise UnknownError(
                f"BatchNorm in batches behind the maximum of {m} units and {phi.name!r}, which is constant above "
                f"{low:g}: how often a batch lies there is not known; use the full batch"
            )
        total = total + _all_within(size, low, high, h.mean, h.variance, h.covariance) ** m
    if size == 2 and m == 1 and phi.parity > 0:  # two opposite values, as behind BatchNorm(2) and an odd activation
        total = np.where((h.covariance <= -h.variance * (1 - 1e-12)) & (h.mean == 0), 1.0, total)[()]
    return total**copies


def all_zero(phi: Function, m: int, size: int, h: Moments) -> Any:
    """Probability that phi(M) is 0 at `size` data of a batch, M as in `dead`."""
    for low, high in flat_pieces(phi):
        if float(phi(FLOAT64, np.float64(_inside(low, high)))):
            continue
        if m > 1 and low > -np.inf:
            raise UnknownError(
                f"BatchNorm in batches behind Dropout, the maximum of {m} units and {phi.name!r}, which is 0 above "
                f"{low:g}: how often a batch lies there is not known; use the full batch"
            )
        return _all_within(size, low, high, h.mean, h.variance, h.covariance) ** m
    return 0.0


def refuse_sums(what: str, size: int, copies: int) -> None:
    """Refuse sums of `copies` units that take several values with positive probability: they may cancel."""
    if copies > 1:
        raise UnknownError(
            f"BatchNorm in batches of {size} behind the average of {copies} values of {what}: how often their sum does "
            "not vary over a batch is not known; use the full batch"
        )


@partial(np.vectorize, otypes=[float])
def _all_within(size: int, low: float, high: float, mean: Any, q: Any, within: Any) -> float:
    return all_within(size, low, high, float(mean), float(q), float(within))


def dead_batch(phi: Function | None, m: int, size: int, copies: int, eps: float, largest: float) -> float:
    """The same where M is the largest of m units normalised over the very batch: their values add up to 0.

    Two of them are opposite, +-1 at eps = 0. Of more, not all lie where phi is constant, unless that is around 0 or, of
    the largest of several, above 0. Refused where that may happen to values up to `largest`.
    """
    if size == 2 and not eps:
        refuse_sums("BatchNorm(2), which is +-1", size, copies)
        return 1.0 if _even_at_one(phi) else 1 - 2.0 ** (1 - m)
    if phi is None:
        return 0.0
    if size == 2 and m == 1 and phi.parity > 0:
        return 1.0
    for low, high in flat_pieces(phi):
        if low < largest and high > 0 and (low < 0 or m > 1):
            where = "around 0" if low < 0 else f"above {low:g}"
            raise UnknownError(
                f"BatchNorm in batches of {size} behind BatchNorm({size}) and {phi.name!r}, which is constant {where}: "
                "how often a batch lies there is not known; use the full batch"
            )
    return 0.0


def all_zero_in_batch(phi: Function, m: int, size: int, batch: int, eps: float) -> Any:
    """Probability that phi(M) is 0 at `size` data, M the largest of m units normalised over a batch that has them.

    Signs are those of the deviations; refused where phi is 0 on anything but a half line that ends at 0.
    """
    sides = [ends for ends in flat_pieces(phi) if not float(phi(FLOAT64, np.float64(_inside(*ends))))]
    known = [(-np.inf, 0.0)] if m > 1 else [(-np.inf, 0.0), (0.0, np.inf)]
    if (batch == 2 and not eps) or any(side not in known for side in sides):
        raise UnknownError(
            f"BatchNorm in batches behind Dropout, BatchNorm({batch}) and {phi.name!r}: how often a batch lies where "
            "that is 0 is not known; use the full batch"
        )
    return sum(_all_within(size, *side, 0.0, 1.0, -1 / (batch - 1)) ** m for side in sides)


def dead_groups(phi: Function | None, group: int, size: int, copies: int, q: Any, within: Any) -> Any:
    """The same where M is one unit normalised over a group of units of its datum, which leaves signs correlated alike.

    Refused where phi is constant on anything but a half line that ends at 0.
    """
    if group == 2:
        refuse_sums("GroupNorm(2), which is +-1", size, copies)
        return 1.0 if _even_at_one(phi) else 2 * _all_within(size, 0.0, np.inf, 0.0, q, within)
    bound = np.sqrt(group - 1)
    pieces = [] if phi is None else flat_pieces(phi)
    sides = [(max(low, -bound), min(high, bound)) for low, high in pieces if low < bound and high > -bound]
    if any(side not in {(-bound, 0.0), (0.0, bound)} for side in sides):
        raise UnknownError(
            f"BatchNorm in batches of {size} behind GroupNorm({group}) and {getattr(phi, 'name', '')!r}: how often a "
            "batch lies where that is constant is not known; use the full batch"
        )
    if len(sides) > 1:
        refuse_sums("an activation that is constant on two stretches", size, copies)
    return (len(sides) * _all_within(size, 0.0, np.inf, 0.0, q, within)) ** copies if sides else 0.0


def _even_at_one(phi: Function | None) -> bool:
    """Whether phi(1) = phi(-1)."""
    return phi is not None and float(phi(FLOAT64, np.float64(1))) == float(phi(FLOAT64, np.float64(-1)))
