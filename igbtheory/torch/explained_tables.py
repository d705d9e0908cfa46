"""The tables of an explanation, which are at most 100 characters wide."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from igbtheory.foundations.text import measured, table

WIDTH, NAME, VALUE = 100, 22, 17
"""Largest numbers of characters of a table, of the name of a layer, and of a value with its error."""
ROUNDING = 1e-9
"""A standard error below this share of its value is rounding: the data are the same in every network."""
RATIOS = "gamma_guess", "gamma"
"""The bias ratios, each of which has a table: of the guesses, and of the moments."""


def of_layers(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table for each bias ratio. columns: as `Explanation.columns` returns them."""
    names = [
        f"  {_end_of(name, NAME - 2)}" if inside else _end_of(name, NAME)
        for name, inside in zip(columns["name"], columns["branch"], strict=True)
    ]
    for ratio in RATIOS:
        shown = {"measured": _with_errors(columns, ratio)}
        if f"at_widths_{ratio}" in columns:
            shown["at its widths"] = _with_errors(columns, f"at_widths_{ratio}")
        shown["infinite width"] = [*map(without_error, columns[f"predicted_{ratio}"])]
        if ratio == "gamma_guess":
            shown["in the theory"] = columns["layer"]
        else:
            shown |= {name: [*map(without_error, columns[name])] for name in ("var_mu", "var_chi")}
        text = table((ratio, *shown), zip(names, *shown.values(), strict=True), words=True)
        yield "\n".join(_start_of(line, WIDTH) for line in text.splitlines())


def _with_errors(columns: Mapping[str, Any], name: str) -> list[str]:
    return [with_error(*pair, VALUE) for pair in zip(columns[name], columns[f"{name}_error"], strict=True)]


def of_changes(ratio: str, heads: Sequence[str], lines: Iterable[tuple[str, Iterable[tuple[float, float]]]]) -> str:
    """Return a table of changes: of each one its name, and values of a bias ratio with errors below these heads."""
    room = WIDTH - (VALUE + 2) * len(heads)
    rows = [[_start_of(name, room), *(with_error(*value, VALUE) for value in values)] for name, values in lines]
    return table((f"{ratio}, what if", *heads), rows)


def with_error(value: float, error: float, most: int | None = None) -> str:
    """Return a measured value with its error; with fewer digits of the error if the text were longer than `most`."""
    if np.isnan(value):
        return "-"
    if not error > ROUNDING * abs(value):
        return without_error(value)
    text = measured(value, error)
    return text if most is None or len(text) <= most else f"{value:.4g} ± {error:.1g}"


def without_error(value: float) -> str:
    """Return a predicted value."""
    return "-" if np.isnan(value) else f"{value:.4g}"


def _start_of(text: str, most: int) -> str:
    """Return a text, or the start of it."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _end_of(name: str, most: int) -> str:
    """Return a name, or the end of it, which tells layers of a model apart."""
    return name if len(name) <= most else f"...{name[3 - most :]}"
