"""Share s^2/(s^2 + eps) that BatchNorm(n, eps) leaves of the mean square of an activation, s^2 its variance in a batch.

Data that are correlated in a batch have a common part V: a positive correlation is an average over V of independent
data, a negative one has an imaginary V. In double precision.
"""

from functools import lru_cache

import numpy as np

from igbtheory.activations.batches.cells import cleaves, cleft, fixed_sum, serves
from igbtheory.activations.batches.chamber import LARGEST, in_chamber
from igbtheory.activations.batches.common import over_common
from igbtheory.activations.batches.of_two import share_of_two
from igbtheory.activations.batches.tilted import tilted
from igbtheory.activations.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.threads import one_thread

ROUNDED = 1e-14
"""Variance of a sum, relative to that of as many independent values, which is rounding of zero."""
GOAL = 1e-11
"""Relative error from which on another rule is tried."""
NEARLY = 2e-3
"""Variance of a sum, relative to that of as many independent values, below which it is nearly fixed."""
SMALL = 0.9
"""Mean from which on eps is small beside s^2."""


@lru_cache(maxsize=1024)
def share_of_batch(phi: Function, size: int, mean: float, q: float, within: float, eps: float) -> tuple[float, float]:
    """Mean of s^2/(s^2 + eps) over batches of `size` values phi(h), and its estimated relative error.

    mean, q, within: mean and variance of h, and covariance of two h of a batch, from -q/(size - 1) to q.
    """
    own = float(np.sqrt(max(q - within, 0)))
    common = float(np.sqrt(abs(within)))
    if not own:
        return 0.0, 0.0
    with one_thread():
        if size == 2:
            value, error = share_of_two(phi, mean, q, within, eps)
        elif within < 0:
            value, error = _negative(phi, size, (mean, common, own), eps)
        else:
            value, error = over_common(phi, size, (mean, common, own), eps)
    if not value:
        return 0.0, 0.0
    # a power A_0^n has n times the rounding of A_0
    return value, error / value + (100 + 2 * size) * FLOAT64.epsilon


def _negative(phi: Function, size: int, scales: tuple[float, float, float], eps: float) -> tuple[float, float]:
    """The mean at a negative covariance, and its error: by cells where the sum is fixed, in a chamber for few data."""
    mean, common, own = scales
    value, error = 0.0, np.inf
    free = 1 - size * (common / own) ** 2
    fixed = abs(free) <= ROUNDED
    if fixed and serves(phi, size, mean, own):
        value, error = fixed_sum(phi, size, (mean, own), eps)
    elif fixed and cleaves(phi, size, mean):
        value, error = cleft(phi, size, (mean, own), eps)
        # at a small eps the other rule knows less, and takes long
        if value > SMALL:
            return value, error
    if error <= GOAL * value:
        return value, error
    # a sum that varies is a direction more, which pays only where the other rule has next to no digits
    if size <= (LARGEST if free < NEARLY else LARGEST - 1):
        spread = 0.0 if fixed else own * float(np.sqrt(max(free, 0) / size))
        other = in_chamber(phi, size, (mean, spread, own), eps)
    else:
        other = tilted(phi, size, scales, eps)
    return min((value, error), other, key=lambda found: found[1])
