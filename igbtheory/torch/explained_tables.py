"""The tables of an explanation, which are at most 100 characters wide."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, final

import numpy as np

from igbtheory.foundations.text import measured, table

WIDTH, NAME, VALUE = 100, 22, 17
"""Largest numbers of characters of a table, of the name of a layer, and of a value with its error."""
ROUNDING = 1e-9
"""A standard error below this share of its value is rounding: the data are the same in every network."""
SHARE = "one class gets"
"""The heading of shares of the favoured class."""


@final
@dataclass(frozen=True)
class Table:
    """A table: headings, and rows of texts. words: whether all columns are aligned left, as those of words are."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False

    def __str__(self) -> str:
        """Return the table as text, whose lines are cut to WIDTH characters."""
        return "\n".join(_start_of(line, WIDTH) for line in table(self.heads, self.rows, words=self.words).splitlines())


def of_layers(columns: Mapping[str, Any]) -> Iterator[Table]:
    """Yield a table of the shares of the favoured class, and one of gamma.

    columns: as `Explanation.columns` returns them.
    """
    names = [
        f"  {_end_of(name, NAME - 2)}" if inside else _end_of(name, NAME)
        for name, inside in zip(columns["name"], columns["branch"], strict=True)
    ]
    kinds = {"measured": "", "at its widths": "at_widths_", "infinite width": "predicted_"}
    shown = {head: kind for head, kind in kinds.items() if f"{kind}gamma" in columns}
    shares = {head: _values(columns, f"{kind}favoured", percent) for head, kind in shown.items()}
    more = {"gamma_guess": _values(columns, "gamma_guess", with_error), "in the theory": columns["layer"]}
    rows = zip(names, *shares.values(), *more.values(), strict=True)
    yield Table((SHARE, *shares, *more), tuple(rows), words=True)
    gammas = {head: _values(columns, f"{kind}gamma", with_error) for head, kind in shown.items()}
    gammas |= {name: [*map(without_error, columns[name])] for name in ("var_mu", "var_chi")}
    yield Table(("gamma", *gammas), tuple(zip(names, *gammas.values(), strict=True)), words=True)


def _values(columns: Mapping[str, Any], name: str, text: Any) -> list[str]:
    """Return the texts of values and, where there are any, of their errors."""
    values = columns[name]
    return [
        text(*pair, VALUE) for pair in zip(values, columns.get(f"{name}_error", np.zeros_like(values)), strict=True)
    ]


def of_changes(what: str, heads: Sequence[str], lines: Iterable[tuple[str, Iterable[str]]]) -> Table:
    """Return a table of changes: of each one its name, and values below these heads."""
    room = WIDTH - (VALUE + 2) * len(heads)
    return Table((f"{what}, what if", *heads), tuple((_start_of(name, room), *values) for name, values in lines))


def percent(share: float, error: float = 0.0, most: int | None = None) -> str:
    """Return a share of the data in per cent, with its error."""
    if np.isnan(share):
        return "-"
    text = with_error(100 * share, 100 * error, most and most - 2) if error > ROUNDING else f"{100 * share:.1f}"
    return f"{text} %"


def with_error(value: float, error: float, most: int | None = None) -> str:
    """Return a measured value with its error; with fewer digits of the error if the text were longer than `most`."""
    if np.isnan(value):
        return "-"
    if not error > ROUNDING * abs(value):
        return without_error(value)
    if np.isinf(error):  # where every network may guess one class
        return f"{value:.4g} ± inf"
    digits = max(0, -floor(log10(error)))
    texts = measured(value, error), f"{value:.{digits}f} ± {error:.1g}", f"{value:.4g} ± {error:.1g}"
    return texts[0] if most is None else next((text for text in texts if len(text) <= most), texts[-1])


def without_error(value: float) -> str:
    """Return a predicted value."""
    return "-" if np.isnan(value) else f"{value:.4g}"


def _start_of(text: str, most: int) -> str:
    """Return a text, or the start of it."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _end_of(name: str, most: int) -> str:
    """Return a name, or the end of it, which tells layers of a model apart."""
    return name if len(name) <= most else f"...{name[3 - most :]}"
