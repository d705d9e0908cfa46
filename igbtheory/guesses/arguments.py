"""Arguments of a law of guesses: what is accepted, as float64, and what is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = float | NDArray[np.float64]
"""A float, or an array of them: what a broadcasting method takes and gives."""


def float64_array(name: str, value: Any) -> NDArray[np.float64]:
    """Return a new float64 array of the numbers in `value`, of its shape. TypeError where it holds no real numbers."""
    array = np.asarray(value)
    if array.dtype == np.object_:
        # multiprecision and exact numbers say themselves whether they are real
        try:
            return np.asarray([float(x) for x in array.flat]).reshape(array.shape)
        except (TypeError, ValueError, OverflowError):
            pass
    if array.dtype.kind not in "fiu":
        message = f"{name}: expected a real number or an array of them, got {_kind(value, array)}; pass numbers"
        raise TypeError(message)
    return array.astype(np.float64)


def _kind(value: Any, array: NDArray[Any]) -> str:
    return f"an array of {array.dtype}" if array.ndim else repr(value)


def shape_of(size: Any, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the shape of draws as NumPy's generators take it: None (the default), a number, or a shape."""
    return default if size is None else tuple(map(int, np.atleast_1d(size)))


def one_number(name: str, value: Any, remedy: str = "loop over its values") -> float:
    """Return `value` as a float; refuse an array, saying the remedy. TypeError where it is no real number."""
    number = float64_array(name, value)
    if number.ndim:
        raise ValueError(f"{name}: expected one number, got an array of shape {number.shape}; {remedy}")
    return float(number)


def in_blocks(draw: Callable[[int], NDArray[Any]], shape: tuple[int, ...], most: int) -> Any:
    """Return draws, shape (*shape, ...), from draw(count), which gives `count` independent ones, `most` at a time."""
    count, rows = int(np.prod(shape)), max(1, most)
    parts = [draw(min(rows, count - start)) for start in range(0, count, rows)] or [draw(0)]
    found = np.concatenate(parts)
    return found.reshape((*shape, *found.shape[1:]))[()]


def checked_gamma(gamma: Any) -> Numbers:
    """Return the variance ratio gamma = var_mu / var_chi in [0, inf], a float or a read-only array.

    ValueError where it is negative or NaN, TypeError where it is no real number.
    """
    array = float64_array("gamma", gamma)
    refused = array[~(array >= 0.0)]
    if refused.size:
        message = (
            f"gamma: expected numbers from 0 to inf, got {refused[0]}; "
            "pass the gamma of a prediction, or var_mu / var_chi of two variances"
        )
        raise ValueError(message)
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def checked_data_count(count: Any) -> int:
    """Return the number of data D, a whole number from 1 on. ValueError or TypeError for anything else."""
    number = one_number("D", count, "make one law for each D")
    if not (1 <= number <= 2**53 and number == np.floor(number)):
        message = f"D: expected a whole number of data, from 1 to 2**53, got {count!r}; pass for instance D=1000"
        raise ValueError(message)
    return int(count)
