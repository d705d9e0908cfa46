"""Results as text for people and as JSON for machines."""

import json
import math
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

WIDEST = 500
"""Columns of a line at most: tables keep their width, also where the terminal is narrower."""

PLAIN = 7
"""Power of ten up to which, and down to whose inverse, measured values are written without one."""


def number(value: Any, digits: int) -> str:
    """The number with so many significant digits, of either kind."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value.context.nstr(value, digits))


def measured(value: float, error: float) -> str:
    """The value ± its standard error, to the second digit of the error."""
    if not (math.isfinite(value) and math.isfinite(error) and error > 0):
        return f"{value:.6g} ± {error:.2g}"
    # powers of ten of the first digit of the value and of the last that is told, of what is rounded
    first, last = _power(value, 15), _power(error, 1) - 1
    if abs(first) < PLAIN and -PLAIN <= last < PLAIN - 1:
        decimals = max(-last, 0)
        return f"{round(value, -last):.{decimals}f} ± {round(error, -last):.{decimals}f}"
    return f"{value:.{max(first - last, 0)}e} ± {error:.1e}"


def _power(value: float, decimals: int) -> int:
    """Power of ten of the first digit, once the value is rounded to so many digits behind it."""
    return int(f"{value:.{decimals}e}".partition("e")[2])


def show(*lines: str | Table) -> None:
    """Lines and tables on standard output, as wide as they are."""
    console = Console(highlight=False, markup=False, soft_wrap=True, width=WIDEST)
    for line in lines:
        console.print(line)


def working(what: str) -> AbstractContextManager[Any]:
    """A sign on standard error, where that is a terminal, that the command is at work."""
    return Console(stderr=True).status(what)


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """A table whose first column is names and whose others are numbers."""
    found = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        found.add_column(column, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        found.add_row(*row)
    return found


def texts(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """A table of words."""
    found = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        found.add_column(column, no_wrap=True)
    for row in rows:
        found.add_row(*row)
    return found


def show_json_list(values: list[dict[str, Any]]) -> None:
    """A list of JSON objects on standard output."""
    sys.stdout.write(json.dumps(_plain(values, 17), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def show_json(values: dict[str, Any], digits: int = 17) -> None:
    """One JSON object on standard output; numbers that JSON cannot hold (inf, nan, many digits) are strings."""
    sys.stdout.write(json.dumps(_plain(values, digits), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def _plain(value: Any, digits: int) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item, digits) for item in value]
    if isinstance(value, np.generic):
        return value.item() if np.isfinite(value) else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, str | bool | int) else number(value, digits)
