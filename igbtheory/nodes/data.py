"""Given data: draws of their components, and kernels and means at all of them as matrices and vectors."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.state import Each, Pairs
from igbtheory.nodes.draws import Array, Draws
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class Components:
    """Draws components of the data, which are the units in front of the first Dense; data: (data, components)."""

    data: NDArray[Any]

    def __call__(self, draws: Draws, count: int) -> Array:
        return np.asarray(self.data[:, draws.rng.integers(self.data.shape[1], size=count)], dtype=float)


def pairs_of(n: Kind, x: Pairs, kernel: Array, mean: Array, error: float) -> Pairs:
    """Return x with this error, and with a kernel (data, data) and means (data,) in double precision."""
    found = n.number(kernel)
    q = np.diagonal(found)
    same = x.same if np.shape(x.same) == kernel.shape else np.eye(len(kernel), dtype=bool)
    centre = n.number(mean)
    centres = Each(centre[:, None], centre[None, :])
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=found, same=same, error=error, mean=centres)


def at_data(x: Pairs) -> Array:
    """Return the means at all data, shape (data,)."""
    return np.ravel(np.broadcast_to(np.asarray(x.mean.a, dtype=float), (len(x.q_ab), 1)))
