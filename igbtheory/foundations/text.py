"""Numbers, tables and JSON as text, for printing results."""

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

PLAIN = 7
"""Measured values between 10^-7 and 10^7 are written without a power of ten, with up to PLACES decimals."""
PLACES = 10
LAYERS = 30
"""Largest number of layers in a table, so that it fits a screen."""
ROUNDING = 1e-14
"""Relative standard error below which it is only a rounding error of sums."""


def number(value: Any, digits: int) -> str:
    """Return a number of any kind as text with that many significant digits."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value.context.nstr(value, digits))


def json_text(values: Any, digits: int = 17, indent: int | None = None) -> str:
    """Return plain values as JSON; numbers that JSON cannot represent (inf, NaN, many digits) become texts."""
    return json.dumps(plain(values, digits), indent=indent, allow_nan=False, ensure_ascii=False)


def plain(value: Any, digits: int = 17) -> Any:
    """Return a value as JSON can represent it: NumPy arrays become lists, and other objects texts."""
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
    """Return the value ± its standard error, both rounded to the second digit of the error."""
    error = 0.0 if error < ROUNDING * abs(value) else error
    if not (math.isfinite(value) and math.isfinite(error) and error > 0):
        return f"{value:.6g} ± {error:.2g}"
    # the exponents of the first digit of the value and of the last digit that is shown, after rounding
    first, last = _power(value, 15), _power(error, 1) - 1
    if abs(first) < PLAIN and -PLACES <= last < PLAIN - 1:
        decimals = max(-last, 0)
        return f"{round(value, -last):.{decimals}f} ± {round(error, -last):.{decimals}f}"
    return f"{value:.{max(first - last, 0)}e} ± {error:.1e}"


def _power(value: float, decimals: int) -> int:
    """Return the exponent of the first digit of a value that is rounded to that many digits after the first."""
    return int(f"{value:.{decimals}e}".partition("e")[2])


def table(columns: Iterable[str], rows: Iterable[Iterable[str]], *, words: bool = False) -> str:
    """Return a table with headings: the first column is aligned left, the others right, or left if `words`."""
    lines = [tuple(columns), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = ["<" if words or i == 0 else ">" for i in range(len(widths))]
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)).rstrip()
        for line in lines
    )


def layer_table(columns: Iterable[str], depth: int, cells: Callable[[int], Iterable[str]]) -> str:
    """Return a table of layers, or of LAYERS of them, denser at the input; cells: those of layer i, from 0."""
    import numpy as np  # noqa: PLC0415 - --help must not load NumPy

    # a set, because np.unique loads masked arrays
    shown = sorted({*np.geomspace(1, depth, LAYERS).round().astype(int)}) if depth > LAYERS else range(1, depth + 1)
    rows = (["output" if i == depth else str(i), *cells(i - 1)] for i in shown)
    return table(("layer", *columns), rows)
