"""Base classes of the laws of guesses, and checks of the arguments that they accept."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.result import Result

Numbers = float | NDArray[np.float64]
"""A float, or an array of them: what a broadcasting method takes and gives."""

MOST_CLASSES = 1000


class Law(Result):
    """Law whose mean and variance are known."""

    @abstractmethod
    def mean(self) -> Any:
        """Return the mean."""

    @abstractmethod
    def var(self) -> Any:
        """Return the variance."""

    def std(self) -> Any:
        """Return the standard deviation, the square root of `var`."""
        return np.sqrt(self.var())

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters that are numbers, and the moments."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        given = {name: value for name, value in named.items() if isinstance(value, int | float | np.ndarray)}
        return {**given, "mean": self.mean(), "var": self.var(), "std": self.std()}


class ClassLaw(Law):
    """Law of one number for each of several classes, which are alike before training; the numbers have a constant sum.

    `var` is the variance of the number of one class.
    """

    n_classes: int

    def cov(self) -> Any:
        """Return the covariance matrix, shape (..., M, M): -var/(M - 1) beside the diagonal."""
        m = self.n_classes
        return np.multiply.outer(self.var(), (m * np.eye(m) - 1.0) / (m - 1.0))


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


def fitting(name: str, value: Any, gamma: Numbers) -> NDArray[np.float64]:
    """Return the numbers in `value` as an array; ValueError where it does not broadcast with a sweep of gamma."""
    array = float64_array(name, value)
    try:
        np.broadcast_shapes(array.shape, np.shape(gamma))
    except ValueError:
        raise ValueError(
            f"{name}: expected a shape that broadcasts with gamma, of shape {np.shape(gamma)}, got {array.shape}; put "
            f"axes behind, {name}.reshape({(*array.shape, *(1 for _ in np.shape(gamma)))})"
        ) from None
    return array


def shape_of(size: Any, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the shape of draws as NumPy's generators take it: None (the default), a number, or a shape."""
    return default if size is None else tuple(map(int, np.atleast_1d(size)))


def one_number(name: str, value: Any, remedy: str = "loop over its values") -> float:
    """Return `value` as a float; refuse an array, saying the remedy. TypeError where it is no real number."""
    number = float64_array(name, value)
    if number.ndim:
        raise ValueError(f"{name}: expected one number, got an array of shape {number.shape}; {remedy}")
    return float(number)


def non_negative_number(name: str, value: Any) -> float:
    """Return `value` as a float; refuse what is not one finite number of at least 0."""
    checks.non_negative(name, value)
    return one_number(name, value)


def draws_in_blocks(draw: Callable[[int], NDArray[Any]], shape: tuple[int, ...], most: int) -> Any:
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


def checked_classes(n_classes: Any) -> int:
    """Return the number of classes M, a whole number from 2 to 1000; refuse any other."""
    return checks.whole("n_classes", n_classes, 2, MOST_CLASSES)
