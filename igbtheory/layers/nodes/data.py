"""Given data: draws of their components, and kernels and means at all of them as matrices and vectors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from math import hypot
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.nodes.control_variates import DrawnKernel
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import CENTRED, Pairs
from igbtheory.mathematics.numbers import Kind

COPIES = 256
"""Most times that the components of given data are drawn in a replicate: a second for all replicates."""


@final
@dataclass(frozen=True)
class Components:
    """Draws components of the data, which are the units in front of the first Dense.

    data: (data, components); changes: functions in front of the first Dense that change all of them.
    """

    data: NDArray[Any]
    changes: tuple[Callable[[Array, Draws], Array], ...] = ()

    def __call__(self, draws: Draws, count: int) -> Array:
        units = self.drawn(draws, count if self.changes else 1)
        return units[:, draws.rng.integers(units.shape[1], size=count)]

    def drawn(self, draws: Draws, count: int) -> Array:
        """Return all components in their order, drawn again until there are `count` of them, or COPIES times."""
        copies: list[Array] = []
        while len(copies) < COPIES and sum(copy.shape[1] for copy in copies) < count:
            start = np.asarray(self.data, dtype=float)
            copies.append(reduce(lambda x, change: change(x, draws), self.changes, start))
        return np.concatenate(copies, axis=1)


def pairs_of(n: Kind, x: Pairs, kernel: Array, mean: Array, error: float) -> Pairs:
    """Return x with this error, and with a kernel (data, data) and means (data,) in double precision.

    ValueError: x has a tangent kernel, which a kernel alone does not tell.
    """
    if x.tangent is not None:
        raise ValueError(
            "expected layers whose tangent kernel is known, got some that are estimated from draws, or attention or "
            "tokens that are added or mixed; leave them out: predict(X).estimated names those that are estimated"
        )
    q_ab, centre = n.number(kernel), n.number(mean)
    q = np.diagonal(q_ab)
    same = x.same if np.shape(x.same) == kernel.shape else np.eye(len(kernel), dtype=bool)
    centres = Each(centre[:, None], centre[None, :]) if mean.any() else CENTRED
    return Pairs(q[:, None], q[None, :], q_ab, same, replace(x.errors, product=error, square=None), centres)


def pairs_of_draws(n: Kind, x: Pairs, drawn: DrawnKernel) -> Pairs:
    """Return x with moments that are estimated from draws, whose errors are independent of those of x."""
    before, behind = x.errors, pairs_of(n, x, drawn.q_ab, drawn.mean, x.error)
    # what layers in front have made of the errors of single positions may be smaller than of those of averages
    pools = hypot(min(before.pools, drawn.growth * before.draws), drawn.of_pools)
    draws, mean = hypot(before.draws, drawn.of_draws), hypot(before.mean, drawn.error_of_mean)
    return replace(behind, errors=replace(behind.errors, draws=draws, pools=pools, mean=mean))


def at_data(x: Pairs) -> Array:
    """Return the means at all data, shape (data,)."""
    return np.ravel(np.broadcast_to(np.asarray(x.mean.a, dtype=float), (len(x.q_ab), 1)))
