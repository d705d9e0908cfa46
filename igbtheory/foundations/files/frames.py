"""Tables whose cells have types: DataFrames, Parquet, JSON and ARFF. Their columns follow the rule of `columns`."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from igbtheory.foundations.files.columns import Cells, Column, Way, calling, of_columns, passing
from igbtheory.foundations.files.contents import Choices, Contents
from igbtheory.foundations.guarded import refuse_larger

ROWS = 1024
"""Number of rows of a Parquet file that are unpacked at a time; after each time the size of all is checked."""


def is_frame(data: Any) -> bool:
    """Return whether data are a DataFrame, of pandas or Polars."""
    return hasattr(data, "columns") and hasattr(data, "dtypes")


def of_frame(frame: Any, choices: Choices, way: Way = calling) -> Contents:
    """Return the features and labels of a DataFrame, whose index is no column. way: how the user answers a question."""
    series = frame.items() if hasattr(frame, "items") else ((one.name, one) for one in frame.iter_columns())
    return of_columns([_column(str(name), i, one) for i, (name, one) in enumerate(series)], choices, way)


def of_parquet(path: Path, choices: Choices) -> Contents:
    """Return the features and labels of a Parquet file, by declared and by real size at most as large as other data."""
    try:
        import pandas  # noqa: ICN001, F401, PLC0415 - an extra, which only such files need, and which to_pandas needs
        import pyarrow as pa  # noqa: PLC0415 - as above
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError:
        raise ImportError('expected pandas and pyarrow: pip install "igbtheory[pandas]" pyarrow') from None
    packed, unpacked, batches = path.stat().st_size, 0, []
    with parquet.ParquetFile(path) as file:
        refuse_larger(8 * file.metadata.num_rows * file.metadata.num_columns, packed)
        for batch in file.iter_batches(ROWS):
            unpacked += batch.nbytes
            refuse_larger(unpacked, packed)
            batches.append(batch)
        frame = pa.Table.from_batches(batches, file.schema_arrow).to_pandas()
    # an index with a name is a column, too
    return of_frame(frame.reset_index() if any(frame.index.names) else frame, choices, passing)


def of_json(text: str, choices: Choices) -> Contents:
    """Return the features and labels of records in JSON, one in each line, in a list, or as a dictionary of columns.

    Numbers in lists within a record are columns, too.
    """
    try:
        records, lines = json.loads(text), None
    except json.JSONDecodeError:
        lines = [i for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        records = [_in_line(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if isinstance(records, dict):
        records = _transposed(records)
    if not isinstance(records, list) or not records or not all(isinstance(one, dict | list) for one in records):
        raise ValueError('expected a record for each datum, such as {"a": 1.5, "label": 0}; write one in each line')
    cells: dict[str, dict[int, Any]] = {}
    for row, record in enumerate(records):
        for name, value in _flat(record):
            cells.setdefault(name, {})[row] = value
    named = isinstance(records[0], dict)
    columns = [
        _column(name if named else "", i, [column.get(row) for row in range(len(records))], _in(lines), header=named)
        for i, (name, column) in enumerate(cells.items())
    ]
    return of_columns(columns, choices)


def _transposed(columns: dict[str, Any]) -> list[Any]:
    """Return the records of columns, each a list or, as pandas writes it, a dictionary; of anything else nothing."""
    lists = [[*one.values()] if isinstance(one, dict) else one for one in columns.values()]
    if not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):
        return []
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _in_line(line: int, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {line} is no JSON ({error.msg}); write a record in each line") from None


def _flat(record: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is in a record, and within its parts, by names such as image.0."""
    if not isinstance(record, dict | list):
        yield name, record
        return
    for key, value in record.items() if isinstance(record, dict) else enumerate(record):
        yield from _flat(value, f"{name}.{key}" if name else str(key))


def of_arff(text: str, choices: Choices) -> Contents:
    """Return the features and labels of a file of Weka, as SciPy reads it."""
    from scipy.io.arff import loadarff  # noqa: PLC0415 - SciPy loads slowly

    try:
        rows, _ = loadarff(io.StringIO(text))
    except NotImplementedError as error:
        raise ValueError(f"{error}".split(",")[0].rstrip(".") + " by SciPy; leave them out, or save a CSV") from None
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines, 1) if line.strip().lower().startswith("@data"))
    places = [i for i, line in enumerate(lines[first:], first + 1) if line.strip() and not line.startswith("%")]
    columns = [(name, rows[name]) for name in rows.dtype.names or ()]
    decoded = ((name, np.char.decode(one) if one.dtype.kind == "S" else one) for name, one in columns)
    return of_columns([_column(name, i, one, _in(places)) for i, (name, one) in enumerate(decoded)], choices)


def _in(lines: list[int] | None) -> Callable[[int], str]:
    """Return where rows stand, in words; lines: their lines, if they have lines of their own."""
    return "row {}".format if lines is None else lambda row: f"line {lines[row]}"


def _column(
    name: str, place: int, cells: Iterable[Any], line: Callable[[int], str] = "row {}".format, *, header: bool = True
) -> Column:
    """Return the column of cells of any type."""
    array = np.asarray(cells)
    if array.dtype.kind in "biuf":
        return Column(name, place, array.astype(float), {}, line, header, logical=array.dtype.kind == "b")
    texts = Cells()
    for cell in cells:
        texts(str(cell))
    return Column(name, place, np.array(texts.values), texts.texts, line, header, logical=texts.logical)
