"""Rules that take one point of a sweep at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np


def at_points(rule: Callable[..., tuple[Any, ...]], *parts: Any) -> tuple[Any, ...]:
    """Results of a rule at every point of arrays that broadcast, each in their shape; of numbers, numbers."""
    arrays = np.broadcast_arrays(*parts)
    found = zip(*(rule(*point) for point in zip(*map(np.ravel, arrays), strict=True)), strict=True)
    return tuple(np.array(part).reshape(arrays[0].shape)[()] for part in found)
