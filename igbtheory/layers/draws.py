"""Units that are drawn: a law beside them, and the largest of several."""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64

Array = NDArray[np.float64]
TOGETHER = 2**12
"""Draws of a unit at once at least, where several make one value."""


def copies(draw: Callable[[int], Array], m: int, count: int) -> Iterator[Array]:
    """`count` times m independent draws, shape (..., some of the m, count): as many at once as pay."""
    at_once = max(1, TOGETHER // count)
    for start in range(0, m, at_once):
        some = min(at_once, m - start)
        found = draw(some * count)
        yield found.reshape(*found.shape[:-1], some, count)


def extended(draw: Callable[[int], Array], phi: Function | None, m: int, count: int) -> Array:
    """Values phi(M), M the largest of m draws."""
    found = reduce(np.maximum, (some.max(axis=-2) for some in copies(draw, m, count)))
    return found if phi is None else np.asarray(phi(FLOAT64, found), dtype=np.float64)


def over_data(value: Any) -> Array:
    """One number, or one at each point of a sweep of a law, beside units: the same at all data and in all draws."""
    return np.asarray(value, dtype=float)[..., None, None]
