"""Data sets named on the command line."""

import math
import sys
import warnings
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory import checks

DIGITS = "digits"
STDIN = "-"
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
    """Return the numbers of the file `source`, rows of a table; `other`: what might have been named instead."""
    path = Path(source)
    if source != STDIN and path.suffix not in {".npy", ".csv"}:
        raise ValueError(f"expected {other}, FILE.npy, FILE.csv or - for standard input, got {source!r}")
    try:
        return _load(path)
    except OSError as error:
        raise ValueError(f"cannot read {source}: {error.strerror or 'no such file'}") from None
    except (ValueError, EOFError) as error:
        why = str(error).partition(";")[0].rstrip(".")  # behind the semicolon NumPy advises those who call it
        hint = "" if path.suffix == ".npy" else "; write rows of numbers separated by commas, below one header at most"
        raise ValueError(f"{source} holds no array of numbers ({why}){hint}") from None


def _load(path: Path) -> Any:
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    table = sys.stdin.read() if str(path) == STDIN else path.read_text(encoding="utf-8-sig")
    with warnings.catch_warnings():
        # an empty file is refused below with a sentence of its own
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        return np.loadtxt(StringIO(table), delimiter=",", ndmin=2, skiprows=_headers(table))


def _headers(table: str) -> int:
    """Return 1 where the first line names columns, none of which is a number; else 0."""
    cells = table.partition("\n")[0].split(",")
    return int(not any(map(_is_number, cells)) and any(cell.strip() for cell in cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
