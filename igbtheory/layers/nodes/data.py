"""Given data: draws of their components, and kernels and means at all of them as matrices and vectors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class Components:
    """Draws components of the data, which are the units in front of the first Dense.

    data: (data, components); changes: functions in front of the first Dense that change drawn components.
    """

    data: NDArray[Any]
    changes: tuple[Callable[[Array, Draws], Array], ...] = ()

    def __call__(self, draws: Draws, count: int) -> Array:
        return self._changed(self.data[:, draws.rng.integers(self.data.shape[1], size=count)], draws)

    def all(self, draws: Draws) -> Array:
        """Return all components, in their order."""
        return self._changed(self.data, draws)

    def _changed(self, components: NDArray[Any], draws: Draws) -> Array:
        found = np.asarray(components, dtype=float)
        for change in self.changes:
            found = change(found, draws)
        return found


def pairs_of(n: Kind, x: Pairs, kernel: Array, mean: Array, error: float) -> Pairs:
    """Return x with this error, and with a kernel (data, data) and means (data,) in double precision.

    ValueError: x has a tangent kernel, which a kernel alone does not tell.
    """
    if x.tangent is not None:
        raise ValueError(
            "expected layers whose tangent kernel is known, got some that are estimated from draws, or attention or "
            "tokens that are added or mixed; leave them out: predict(X).estimated names those that are estimated"
        )
    found, centre = n.number(kernel), n.number(mean)
    q = np.diagonal(found)
    same = x.same if np.shape(x.same) == kernel.shape else np.eye(len(kernel), dtype=bool)
    centres = Each(centre[:, None], centre[None, :])
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=found, same=same, error=error, mean=centres)


def at_data(x: Pairs) -> Array:
    """Return the means at all data, shape (data,)."""
    return np.ravel(np.broadcast_to(np.asarray(x.mean.a, dtype=float), (len(x.q_ab), 1)))
