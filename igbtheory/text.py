"""Numbers and tables as text, for what results print."""

import json
import math
from collections.abc import Iterable
from typing import Any

PLAIN = 7
"""Power of ten up to which, and down to whose inverse, measured values are written without one."""
ROUNDING = 1e-14
"""Share of a value that sums leave of an error which is 0."""


def number(value: Any, digits: int) -> str:
    """Return a number of any kind with so many significant digits."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value.context.nstr(value, digits))


def json_text(values: Any, digits: int = 17, indent: int | None = None) -> str:
    """Return plain values as JSON; numbers that JSON cannot hold (inf, nan, many digits) become texts."""
    return json.dumps(plain(values, digits), indent=indent, allow_nan=False, ensure_ascii=False)


def plain(value: Any, digits: int = 17) -> Any:
    """Return what JSON can hold of a value: NumPy arrays become lists, their numbers Python's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, digits) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    return number(value, digits) if hasattr(value, "context") else str(value)


def measured(value: float, error: float) -> str:
    """Return the value ± its standard error, both to the second digit of the error; below the rounding it is 0."""
    error = 0.0 if error < ROUNDING * abs(value) else error
    if not (math.isfinite(value) and math.isfinite(error) and error > 0):
        return f"{value:.6g} ± {error:.2g}"
    # powers of ten of the first digit of the value and of the last digit that is shown, after rounding
    first, last = _power(value, 15), _power(error, 1) - 1
    if abs(first) < PLAIN and -PLAIN <= last < PLAIN - 1:
        decimals = max(-last, 0)
        return f"{round(value, -last):.{decimals}f} ± {round(error, -last):.{decimals}f}"
    return f"{value:.{max(first - last, 0)}e} ± {error:.1e}"


def _power(value: float, decimals: int) -> int:
    """Return the power of ten of the first digit, once the value is rounded to so many digits behind it."""
    return int(f"{value:.{decimals}e}".partition("e")[2])


def table(columns: Iterable[str], rows: Iterable[Iterable[str]], *, words: bool = False) -> str:
    """Return a table with a line of headings: the first column flush left, the others flush right unless `words`."""
    lines = [tuple(columns), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = ["<" if words or i == 0 else ">" for i in range(len(widths))]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in lines
    )
