"""BatchNorm on a given data set by centring and scaling: units over the root of their *mean* variance over a batch."""

import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers import FLOAT64

_TINY = 1e-140

Array = NDArray[np.float64]


def slices(count: int, size: int) -> list[slice]:
    """Rows of the batches of `size` data, which divides their number."""
    return [slice(i, i + size) for i in range(0, count, size)]


def centred(x: Array, size: int) -> Array:
    """Values at data along the first axis, less the means of their batches."""
    found = np.array(x, dtype=np.float64)
    for rows in slices(len(x), size):
        found[rows] -= found[rows].mean(axis=0)
    return found


def mean_variances(kernel: Array, size: int) -> Array:
    """Mean variances tr J/n over the batch of every datum, shape (D,), J the centred kernel.

    0 where rounding of the kernel explains it.
    """
    once, q = np.diagonal(centred(kernel, size)), np.diagonal(kernel)
    found = np.empty(len(kernel))
    for rows in slices(len(kernel), size):
        variance = float(np.mean(once[rows]))
        found[rows] = variance if variance > 8 * FLOAT64.epsilon * np.max(q[rows]) else 0.0
    return found


def scales(variances: Array, eps: float = 0.0) -> Array:
    """Factors 1/sqrt(tr J/n + eps) of every datum, from its mean variance tr J/n; 0 for batches without."""
    return np.where(variances > 0, 1 / np.sqrt(variances + eps + _TINY), 0.0)


def approximate(kernel: Array, size: int, eps: float = 0.0) -> Array:
    """Kernel J_ab/(sigma_a sigma_b) of the centred and scaled data, sigma^2 = tr J/n + eps of the batch of each.

    What BatchNorm does where the scale is that of its mean square: relative error about 1/`effective_rank` where the
    units are Gaussian. Rows in consecutive batches of `size` data; batches without variance give zeros.
    """
    factor = scales(mean_variances(kernel, size), eps)
    found = centred(centred(kernel, size).T, size) * (factor[:, None] * factor)
    return np.asarray((found + found.T) / 2)  # exactly symmetric: a jump magnifies rounding


def effective_rank(kernel: Array, size: int) -> float:
    """Effective rank (tr J)^2/tr J^2 of the centred kernel, the least of the batches; dead batches do not count."""
    normalised = approximate(kernel, size)
    blocks = [normalised[rows, rows] for rows in slices(len(normalised), size)]
    return min((float(np.trace(block) ** 2 / np.sum(block * block)) for block in blocks if block.any()), default=np.inf)
