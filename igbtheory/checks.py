"""Checks of what a user passes in: every refusal says what was expected, what came and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np


def non_negative(name: str, value: Any) -> None:
    """Refuse a `value` (number or array) that is not finite and at least 0."""
    numbers = _as_floats(name, value)
    wrong = numbers[~(np.isfinite(numbers) & (numbers >= 0))]
    if wrong.size:
        raise ValueError(f"expected {name} >= 0 and finite, got {wrong[0]}; pass a variance such as 2.0")


def finite(name: str, value: Any) -> None:
    """Refuse a `value` (number or array) that is infinite or not a number."""
    numbers = _as_floats(name, value)
    wrong = numbers[~np.isfinite(numbers)]
    if wrong.size:
        raise ValueError(f"expected {name} to be finite, got {wrong[0]}; pass a real number")


def _as_floats(name: str, value: Any) -> Any:
    try:
        numbers = np.ravel(np.asarray(None if isinstance(value, bool | str) else value).astype(float))
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or value is None or isinstance(value, bool | str):
        raise TypeError(f"expected {name} to be a number or an array of numbers, got {value!r}")
    return numbers


def whole(name: str, value: Any, least: int) -> int:
    """Whole number `value`, refused below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral | float | np.floating):
        raise TypeError(f"expected {name} to be a whole number, got {value!r}")
    if not isinstance(value, Integral) and not float(value).is_integer():
        raise ValueError(f"expected {name} to be a whole number, got {value!r}; round it first")
    if value < least:
        raise ValueError(f"expected {name} >= {least}, got {value!r}")
    return int(value)


def known(kind: str, name: Any, names: Iterable[str]) -> str:
    """The `name`, refused with the nearest known one where it is none of `names`."""
    names = tuple(names)
    if name in names:
        return str(name)
    near = get_close_matches(str(name), names, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"unknown {kind} {name!r}{hint} Known: {', '.join(names)}")


def data_set(inputs: Any) -> Any:
    """The array of shape (n_samples, n_features), refused where it is empty, not finite or a single datum."""
    try:
        array = np.asarray(inputs)
        array = array if array.dtype == object else array.astype(float)
    except (TypeError, ValueError):
        raise TypeError(f"expected a data set of numbers, got {type(inputs).__name__}") from None
    if array.ndim != 2 or not array.size:
        raise ValueError(
            f"expected a data set of shape (n_samples, n_features), got shape {array.shape}; reshape it, for "
            "images with X.reshape(len(X), -1)"
        )
    if len(array) < 2:
        raise ValueError("expected at least two data, got one: with one datum there is no fraction of guesses")
    bad = np.argwhere(~np.isfinite(array.astype(float)))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"expected finite data, got {array[row, column]} in row {row}, column {column}; remove or impute it"
        )
    return array
