"""Second moments of a unit at pairs of given data."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.numbers import FLOAT64


@final
@dataclass(frozen=True)
class Pairs:
    """Second moments over W of a unit at pairs of data: q_a, q_b of either datum, q_ab of the pair; they broadcast.

    same: True where a and b are one datum; error = estimated relative error of q_ab against sqrt(q_a q_b); rank: the
    smallest effective rank of a batch whose norm was estimated from draws, inf where none was.
    """

    q_a: Any
    q_b: Any
    q_ab: Any
    same: Any = False
    error: float = 0.0
    rank: float = float("inf")


def kernel_root(kernel: NDArray[np.float64], largest: float = 0.0) -> NDArray[np.float64]:
    """Root L of a kernel L L^T, shape (D, rank), columns orthogonal.

    What rounding of entries of size `largest`, or of its own, leaves of zero is dropped.
    """
    values, vectors = np.linalg.eigh(kernel)
    kept = values > 2 * len(kernel) * FLOAT64.epsilon * max(largest, values[-1])
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
