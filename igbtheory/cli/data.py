"""Data sets named on the command line."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import igbtheory as igb
from igbtheory import checks
from igbtheory.files import KINDS, STDIN

DIGITS = "digits"
STANDARDISED = "standardised by the mean and standard deviation of all 1,797"


def read(source: str) -> Any:
    """Return the data set `source`: the standardised digits, or the numbers of a file."""
    if source == DIGITS:
        return igb.standardised(igb.digits())
    return checked(source, checks.data_set, numbers(source, "--data digits"))


def checked(source: str, check: Callable[[Any], Any], array: Any) -> Any:
    """Return the array as the `check` returns it; what the check refuses is refused with the name of the source."""
    try:
        return check(array)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}: {error}") from None


def first_rows(values: Any, first: int | None, source: str) -> Any:
    """Return the first data of those read from `source`; None: all."""
    if first is None:
        return values
    first = checks.whole("--first", first, 1)
    if first > len(values):
        raise ValueError(f"expected --first <= {len(values)}, the rows of {source}, got {first}")
    return values[:first]


def text(source: str, values: Any) -> str:
    """Return the data set read from `source` in words: the number of data, and their features or shape."""
    sizes = tuple(values.shape[1:])
    each = f"shape {sizes}" if len(sizes) > 1 else f"{(count := math.prod(sizes))} feature{'s' * (count != 1)}"
    return f"{len(values)} data of {each} from {source}, {STANDARDISED if source == DIGITS else 'as they are'}"


def numbers(source: str, other: str) -> Any:
    """Return the numbers of the file or folder `source`; `other`: what might have been named instead."""
    return labelled(source, other)[0]


def labelled(source: str, other: str) -> Any:
    """Return the same, and the labels that the file has, or None."""
    path = Path(source)
    if source != STDIN and not path.suffix and not path.exists():
        raise ValueError(f"expected {other}, {KINDS}, or - for a CSV from standard input, got {source!r}")
    try:
        return igb.read_data(path)
    except OSError as error:
        raise ValueError(f"cannot read {source}: {error.strerror or 'no such file'}") from None
    except (ValueError, EOFError, BadZipFile) as error:
        why = str(error).partition(";")[0].rstrip(".")  # behind the semicolon NumPy advises those who call it
        table = source == STDIN or path.suffix == ".csv"
        hint = "; write rows of numbers separated by commas, below one header at most" if table else ""
        raise ValueError(f"{source} holds no array of numbers ({why}){hint}") from None
