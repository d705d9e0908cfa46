"""A result as HTML for a notebook: its formula, its table and its picture, or the reason why one is missing."""

import base64
import io
import re
import warnings
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.presentation.pictures.plots import picture
from igbtheory.presentation.pictures.style import look

ROWS = 12
"""Largest number of rows of a table, about as high as the picture beside it."""
LONGEST = 40
"""Largest number of characters of a cell."""
SHARP = 2
"""Pixels of the picture for each pixel of the page, for screens of high resolution."""


BESIDE = "display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"
"""Style of a table and the picture, which stand below each other on a narrow page."""


def html(result: Result) -> str:
    """Return the formula, if there is one, above the table and the picture.

    Of a result with blocks, which a person reads one after the other, the picture stands beside the first table.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the user saw them when the result was computed
        image = _made(_image, result)
        if hasattr(result, "blocks"):
            before, table, *behind = map(_block, result.blocks())
        else:
            before, table, *behind = (_made(part, result) for part in (_formula, _table))
    return f'{before}<div style="{BESIDE}">{table}{image}</div>{"".join(behind)}'


def _made(part: Any, result: Result) -> str:
    """Return a part of the page, or the error message: a notebook still shows the other parts."""
    try:
        return str(part(result))
    except Exception as error:  # noqa: BLE001 - as the docstring says
        return f"<p><em>{escape(str(error))}</em></p>"


def _block(block: Any) -> str:
    """Return a table of texts, or a paragraph for each sentence."""
    if isinstance(block, list):
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in block)
    cell = '<td style="white-space: nowrap">{}</td>'.format
    return _tabulated(block.heads, [[cell(escape(text)) for text in row] for row in block.rows])


def _formula(result: Any) -> str:
    """Return the formula as MathML, which needs no script and no network connection."""
    if not hasattr(result, "_repr_latex_"):
        return ""
    from latex2mathml.converter import convert  # noqa: PLC0415 - most results have no formula

    mathml = convert(result._repr_latex_().strip("$"), display="block")
    # Chromium needs this style to align the cells of formulas
    return re.sub(r'columnalign="(\w+)"', r'columnalign="\1" style="text-align: -webkit-\1"', mathml)


def _table(result: Result) -> str:
    """Return a table with a row for every entry, or for a single entry a row for every name, without long texts."""
    columns = {name: np.ravel(np.asarray(column, dtype=object)) for name, column in result.columns().items()}
    columns = {name: column for name, column in columns.items() if "\n" not in str(column[0])}
    count = len(next(iter(columns.values())))
    if count == 1:
        rows = [[f"<th>{escape(name)}</th>", _cell(column[0])] for name, column in columns.items()]
    else:
        rows = [[_cell(column[i]) for column in columns.values()] for i in range(count)]
    if len(rows) > ROWS:
        left_out = [f'<td colspan="{len(columns)}" style="text-align: center">&#8942; {len(rows) - ROWS} more</td>']
        first = ROWS if count == 1 else ROWS // 2
        rows = [*rows[:first], left_out, *rows[len(rows) - ROWS + first :]]
    return _tabulated(() if count == 1 else columns, rows)


def _tabulated(heads: Iterable[str], rows: list[list[str]]) -> str:
    """Return a table; rows: their cells as HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x: auto">{table}</div>'


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"<td>{escape(text if len(text) <= LONGEST else f'{text[:LONGEST]}...')}</td>"


def _image(result: Result) -> str:
    file = io.BytesIO()
    with look():
        figure = picture(result)
        figure.savefig(file, format="png", dpi=SHARP * 80)
    width, text = round(80 * figure.get_figwidth()), base64.b64encode(file.getvalue()).decode()
    attributes = f'width="{width}" style="max-width: 100%" alt="{escape(type(result).__name__)}"'
    return f'<img {attributes} src="data:image/png;base64,{text}">'
