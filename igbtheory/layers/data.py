"""The data themselves: what stands in front of the first Dense on a given data set."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.draws import Array, Draws


@final
@dataclass(frozen=True)
class Components:
    """Draws components of the given data, which have the shape (data, components)."""

    data: NDArray[Any]

    def __call__(self, draws: Draws, count: int) -> Array:
        return np.asarray(self.data[:, draws.rng.integers(self.data.shape[1], size=count)], dtype=float)
