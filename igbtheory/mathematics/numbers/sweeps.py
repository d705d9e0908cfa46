"""Sweeps with rules that take one point at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np


def at_points(rule: Callable[..., tuple[Any, ...]], *arguments: Any) -> tuple[Any, ...]:
    """Return the results of a rule at every point of arrays that broadcast: arrays of their shape, or numbers."""
    arrays = np.broadcast_arrays(*arguments)
    results = zip(*(rule(*point) for point in zip(*map(np.ravel, arrays), strict=True)), strict=True)
    return tuple(np.array(part).reshape(arrays[0].shape)[()] for part in results)
