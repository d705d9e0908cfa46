"""Data sets that are named on the command line."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igbtheory as igb
from igbtheory import checks
from igbtheory.files import KINDS, STDIN

DIGITS = "digits"
STANDARDISED = "standardised by the mean and standard deviation of all 1,797"


def read(source: str) -> Any:
    """Return the data set `source`: the standardised digits, or the numbers in a file."""
    if source == DIGITS:
        return igb.standardised(igb.digits())
    return checked(source, checks.data_set, numbers(source, "--data digits"))


def checked(source: str, check: Callable[[Any], Any], array: Any) -> Any:
    """Return `check(array)`; its errors become ValueErrors that name the source."""
    try:
        return check(array)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}: {error}") from None


def first_rows(values: Any, first: int | None, source: str) -> Any:
    """Return the `first` values of those read from `source`, or all if it is None."""
    if first is None:
        return values
    first = checks.whole("--first", first, 1)
    if first > len(values):
        raise ValueError(f"expected --first <= {len(values)}, the rows of {source}, got {first}")
    return values[:first]


def text(source: str, values: Any) -> str:
    """Return a description of the data set `source`: the number of data, and their features or shape."""
    sizes = tuple(values.shape[1:])
    each = f"shape {sizes}" if len(sizes) > 1 else f"{(count := math.prod(sizes))} feature{'s' * (count != 1)}"
    return f"{len(values)} data of {each} from {source}, {STANDARDISED if source == DIGITS else 'as they are'}"


def numbers(source: str, other: str) -> Any:
    """Return the numbers in the file or folder `source`; see `labelled`."""
    return labelled(source, other)[0]


def labelled(source: str, other: str) -> Any:
    """Return the numbers in the file or folder `source`, and its labels or None.

    other: what else the option accepts, for the error.
    """
    path = Path(source)
    if source != STDIN and not path.suffix and not path.exists():
        raise ValueError(f"expected {other}, {KINDS}, or - for a CSV from standard input, got {source!r}")
    try:
        return igb.read_data(path)
    except OSError as error:
        raise ValueError(f"cannot read {source}: {error.strerror}") from None
