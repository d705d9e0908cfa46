"""Given data: draws of their components, and kernels and means at all of them as matrices and vectors."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Components:
    """Draws components of the data, which are the units in front of the first Dense; data: (data, components)."""

    data: NDArray[Any]

    def __call__(self, draws: Draws, count: int) -> Array:
        return np.asarray(self.data[:, draws.rng.integers(self.data.shape[1], size=count)], dtype=float)


def pairs_of(n: Kind, x: Pairs, kernel: Array, error: float) -> Pairs:
    """Return x with this error and with the second moments of a kernel in double precision, shape (data, data)."""
    found = n.number(kernel)
    q = np.diagonal(found)
    same = x.same if np.shape(x.same) == kernel.shape else np.eye(len(kernel), dtype=bool)
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=found, same=same, error=error)


def either_way(n: Kind, mean: Array) -> tuple[Any, Any]:
    """Return the means at the data a and b of pairs, given the means at all data, shape (data,)."""
    found = n.number(mean)
    return found[:, None], found[None, :]


def at_data(mean: Any, count: int) -> Array:
    """Return the means at all data, shape (count,), given the means at the data a of pairs."""
    return np.ravel(np.broadcast_to(np.asarray(mean, dtype=float), (count, 1)))
