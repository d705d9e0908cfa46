"""Checks of the arguments that laws of guesses accept."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks

Numbers = float | NDArray[np.float64]
"""A float or an array of floats, as broadcasting methods take and return them."""

MOST_CLASSES = 1000
"""Largest number of classes of laws that hold several numbers for every class and draw; ImageNet has as many."""
MOST_TOKENS = 10**6
"""Largest number of classes of laws of guesses, up to which the rules of `coincidence` are accurate to 2e-9; language
models have up to a quarter of it."""
MOST_NUMBERS = 2**26
"""Largest number of numbers in the draws of a law: 512 MiB, of which up to four copies are held."""
ROUNDING = 1e-12
"""Accepted distance of a correlation from its range."""


def float64_array(name: str, value: Any) -> NDArray[np.float64]:
    """Return a new float64 array with the numbers and the shape of `value`; TypeError if they are not real numbers."""
    array = np.asarray(value)
    if array.dtype == np.object_:
        # float() refuses multiprecision and exact numbers that are not real
        try:
            return np.asarray([float(x) for x in array.flat]).reshape(array.shape)
        except (TypeError, ValueError, OverflowError):
            pass
    if array.dtype.kind not in "fiu":
        got = f"an array of {array.dtype}" if array.ndim else repr(value)
        raise TypeError(f"{name}: expected a real number or an array of them, got {got}; pass numbers")
    return array.astype(np.float64)


def fitting(name: str, value: Any, swept: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numbers in `value` as an array; ValueError if it does not broadcast with a sweep of this shape."""
    array = float64_array(name, value)
    try:
        np.broadcast_shapes(array.shape, swept)
    except ValueError:
        raise ValueError(
            f"{name}: expected a shape that broadcasts with gamma, of shape {swept}, got {array.shape}; put "
            f"axes behind, {name}.reshape({(*array.shape, *(1 for _ in swept))})"
        ) from None
    return array


def one_number(name: str, value: Any, remedy: str = "loop over its values") -> float:
    """Return `value` as a float. ValueError with the `remedy` for an array, TypeError if it is not a real number."""
    number = float64_array(name, value)
    if number.ndim:
        raise ValueError(f"{name}: expected one number, got an array of shape {number.shape}; {remedy}")
    return float(number)


def non_negative_number(name: str, value: Any) -> float:
    """Return `value` as a float; refuse anything but one finite number of at least 0."""
    checks.non_negative(name, value)
    return one_number(name, value)


def checked_gamma(gamma: Any) -> Numbers:
    """Return the variance ratio gamma = var_mu / var_chi in [0, inf] as a float or a read-only array.

    ValueError if it is negative or NaN, TypeError if it is not a real number.
    """
    array = float64_array("gamma", gamma)
    refused = array[~(array >= 0.0)]
    if refused.size:
        raise ValueError(
            f"gamma: expected numbers from 0 to inf, got {refused[0]}; "
            "pass the gamma of a prediction, or var_mu / var_chi of two variances"
        )
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def checked_correlation(name: str, value: Any, low: float) -> float:
    """Return the correlation as a float from `low` to 1; refuse anything else, except for rounding errors."""
    number = one_number(name, value, "make one law for each value")
    if not low - ROUNDING <= number <= 1.0 + ROUNDING:
        raise ValueError(
            f"{name}: expected a correlation from {low:.15g} to 1, got {number}; pass the covariance of two data "
            "divided by the variance of one, at least c - (1 - c)/(n - 1) for batches of n; a layer of your own must "
            "return `within` in its law"
        )
    return min(max(number, low), 1.0)


def checked_data_count(count: Any) -> int:
    """Return the number of data D as an int; refuse anything but a whole number from 1 to 2^53."""
    number = one_number("D", count, "make one law for each D")
    if not (1 <= number <= 2**53 and number.is_integer()):
        raise ValueError(f"D: expected a whole number of data from 1 to 2**53, got {count!r}; pass for instance D=1000")
    return int(count)


def checked_classes(n_classes: Any, most: int = MOST_CLASSES) -> int:
    """Return the number of classes M as an int; refuse anything but a whole number from 2 to `most`."""
    return checks.whole("n_classes", n_classes, 2, most)


def refuse_many_draws(count: int, n_classes: int) -> None:
    """Refuse draws that do not fit in memory, `count` of them with a number for each class."""
    if count * n_classes > MOST_NUMBERS:
        raise ValueError(
            f"expected at most {MOST_NUMBERS} numbers in all draws, got {count} draws of {n_classes} classes; take "
            f"{MOST_NUMBERS // n_classes} draws or fewer"
        )
