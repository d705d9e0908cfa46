"""Share s^2/(s^2 + eps) that BatchNorm(n, eps) leaves of the mean square of an activation, s^2 its variance in a batch.

Data that are correlated in a batch have a common part V: a positive correlation is an average over V of independent
data, a negative one has an imaginary V. In double precision.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from igbtheory.averages.batches.cells import cleaves, cleft, fixed_sum, serves
from igbtheory.averages.batches.chamber import LARGEST, in_chamber
from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.batches.of_two import share_of_two
from igbtheory.averages.batches.shared import LEAST, over_common
from igbtheory.averages.batches.tilted import tilted
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.threads import one_thread

ROUNDED = 1e-14
"""Variance of a sum, relative to that of as many independent values, which is rounding of zero."""
GOAL = 1e-11
"""Relative error up to which no other rule is tried."""


@lru_cache(maxsize=1024)
def share_of_batch(  # noqa: PLR0913 - the numbers of one batch
    phi: Function, size: int, mean: float, q: float, within: float, eps: float, mix: Mix = PLAIN, *, eta: float = 0.0
) -> tuple[float, float]:
    """Mean of s^2/(s^2 + eps) over batches of `size` values phi(h), or a mix of them, and its estimated relative error.

    mean, q, within: mean and variance of h, and covariance of two h of a batch, from -q/(size - 1) to q. With eta the
    mean of s^2/(s^2 + eps + eta sigma^2), sigma^2 the variance of the h, of three data or more with a fixed sum.
    """
    own = float(np.sqrt(max(q - within, 0)))
    common = float(np.sqrt(abs(within)))
    if not own:
        return 0.0, 0.0
    with one_thread():
        if size == 2 and mix.maximum == 1:
            value, error = share_of_two(phi, mean, q, within, eps, mix)
        elif eta:
            value, error = tilted(phi, size, (mean, common, own), eps, mix, eta)
        elif within >= 0 or common <= LEAST * own:
            value, error = over_common(phi, size, (mean, common, own), eps, mix)
        elif mix != PLAIN:
            value, error = tilted(phi, size, (mean, common, own), eps, mix)
        else:
            value, error = _negative(phi, size, (mean, common, own), eps)
    if not value:
        return 0.0, 0.0
    # a power A_0^n has n times the rounding of A_0
    return value, error / value + (100 + 2 * size) * FLOAT64.epsilon


def _negative(phi: Function, size: int, scales: tuple[float, float, float], eps: float) -> tuple[float, float]:
    """The mean at a negative covariance, and its error: by the first rule that reaches the goal, or by the best."""
    value, error = 0.0, np.inf
    for found in _rules(phi, size, scales, eps):
        value, error = min((value, error), found, key=lambda each: each[1])
        if error <= GOAL * value:
            break
    return value, error


def _rules(phi: Function, size: int, scales: tuple[float, float, float], eps: float) -> Iterator[tuple[float, float]]:
    """The mean and its error by one rule after the other: directions of few data first, where they know it sooner."""
    mean, common, own = scales
    free = 1 - size * (common / own) ** 2
    fixed = abs(free) <= ROUNDED
    if fixed and serves(phi, size, mean, own):
        yield fixed_sum(phi, size, (mean, own), eps)
    elif fixed and cleaves(phi, size, mean):
        yield cleft(phi, size, (mean, own), eps)
    # a sum that varies is a direction more
    if size <= (LARGEST if fixed else LARGEST - 1):
        yield in_chamber(phi, size, (mean, 0.0 if fixed else own * float(np.sqrt(max(free, 0) / size)), own), eps)
    else:
        yield tilted(phi, size, scales, eps)
