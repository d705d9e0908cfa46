"""Strata: normal numbers of which every row is spread evenly over the normal law."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Strata:
    """Normal numbers that have one in each of `count` intervals of equal probability, in a random order, row by row.

    Rows are independent. What is a function of one number has nearly no scatter, a sum of such neither.
    Source: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21, 239 (1979).
    """

    rng: Generator
    count: int

    def normal(self, m: int, count: int) -> NDArray[np.float64]:
        """Array of shape (m, count), the latter a multiple of that of the strata, which are the last axis of it."""
        rows = np.broadcast_to(np.arange(self.count), (m * count // self.count, self.count))
        places = self.rng.permuted(rows, axis=1) + self.rng.random(rows.shape)
        return np.asarray(scipy.special.ndtri(places / self.count)).reshape(m, count)


def powers(factor: Any) -> NDArray[np.float64]:
    """Column of a factor and its square, of a mean and a variance; the axes of a sweep in front."""
    found = np.asarray(factor, dtype=float)
    return np.stack([found, found**2], axis=-1)[..., None]
