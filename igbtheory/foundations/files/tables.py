"""Tables of numbers in text: which line is a header, and which columns are features, labels or an index."""

import csv
import re
import warnings

import numpy as np

from igbtheory.foundations.files.contents import Array, Choices, Contents, as_labels, listed, numbered
from igbtheory.foundations.labels import LABELS

INDICES = {"", "index", "id", "unnamed: 0"}
"""Names of columns, in lower case, that look like an index; pandas writes one without a name."""


def of_table(text: str, separator: str, choices: Choices) -> Contents:
    """Return the numbers of a table with a row for each datum, and the labels in one of its columns.

    Empty lines and lines that begin with # are left out. Labels in words are numbered in the order of the alphabet.
    """
    names, rows = _header([line for line in text.splitlines() if line.strip()], separator, choices)
    count = len(_cells(rows[0], separator)) if rows else 0
    if choices.label_column in {"ask", None} or count < 2:
        asked = choices.label_column == "ask" and count > 1
        if asked:
            _ask_about_words(names, [_cells(row, separator) for row in rows[:2]])
        data = _numbers(rows, separator)
        if asked:
            _ask_about_numbers(names, data)
        return Contents(data)
    place = _place(choices.label_column, names, count)
    labels, classes = _labels(np.loadtxt(rows, str, delimiter=separator, usecols=[place], ndmin=1, quotechar='"'))
    index = [i for i in range(count) if i != place and names is not None and names[i].lower() in INDICES]
    features = [i for i in range(count) if i != place and i not in index]
    data = _numbers(rows, separator, features)
    said = [f"features {listed(_name(names, i) for i in features)}", f"labels in column {_name(names, place)}"]
    said += [numbered(classes)] if classes else []
    said += [f"{' and '.join(_name(names, i) for i in index)} left out as an index"] if index else []
    return Contents(data, labels, tuple(said))


def _header(lines: list[str], separator: str, choices: Choices) -> tuple[list[str] | None, list[str]]:
    """Return the names of the columns, or None, and the rows below them.

    A header has words, and of numbers only 0, 1, ..., which pandas gives to columns without names. NumPy writes it as a
    comment.
    """
    rows = [line for line in lines if not line.startswith("#")]
    within = lines[:1] == rows[:1]
    below = rows[within:]
    cells = [cell.strip() for cell in _cells(lines[0].lstrip("# "), separator)] if lines else []
    numbers = [cell for cell in cells if _is_number(cell)]
    counting = numbers == [str(i) for i in range(len(numbers))]
    if choices.header is None and counting and len(cells) == len(numbers) > 1:
        raise ValueError(
            f"the first row {listed(cells)} is a header or a datum; pass header=True if it names the columns, or "
            "header=False if it is a datum"
        )
    words = counting and len(cells) > len(numbers) and any(cells)
    fits = within or (bool(rows) and len(cells) == len(_cells(rows[0], separator)))
    return (cells, below) if choices.header or (choices.header is None and words and fits) else (None, rows)


def _ask_about_words(names: list[str] | None, rows: list[list[str]]) -> None:
    """Refuse columns whose names, or words in the first rows, look like labels or an index."""
    columns = [*zip(*rows, strict=False)]
    words = [i for i, column in enumerate(columns) if all(cell.strip() and not _is_number(cell) for cell in column)]
    lower = ["-" if names is None else names[i].lower() for i in range(len(columns))]
    index = [_name(names, i) for i, name in enumerate(lower) if name in INDICES]
    labels = [_name(names, i) for i, name in enumerate(lower) if name in LABELS or (i in words and name not in INDICES)]
    if not (index or labels):
        return
    asked = f"label_column={(labels or ['NAME'])[0]!r}" + (", which leaves the index out," if index else "")
    looks = [f"column {labels[0]} looks like labels"] if labels else []
    looks += [f"column {index[0]} looks like an index"] if index else []
    other = "or leave the column out of the file" if words else "or label_column=None to take all columns as features"
    raise ValueError(f"{', and '.join(looks)}; pass {asked} if a column has labels, {other}")


def _ask_about_numbers(names: list[str] | None, data: Array) -> None:
    """Refuse a table whose first column counts the data, or of which only an outer column has classes 0, 1, ...."""
    if len(data) > 2 and data[0, 0] in {0, 1} and np.array_equal(data[:, 0] - data[0, 0], np.arange(len(data))):
        raise ValueError(
            f"column {_name(names, 0)} counts the data like an index; remove it, or pass label_column=None to take all "
            "columns as features"
        )
    classes = [i for i, column in enumerate(data.T) if _like_classes(column)]
    if len(classes) == 1 and classes[0] in {0, data.shape[1] - 1}:
        name = _name(names, classes[0])
        raise ValueError(
            f"column {name}, with whole numbers from 0 on, looks like labels; pass label_column={name!r} if it has "
            "labels, or label_column=None to take all columns as features"
        )


def _like_classes(column: Array) -> bool:
    """Return whether a column has every whole number from 0 to its maximum, each twice or more, and no other."""
    values, counts = np.unique(column, return_counts=True)
    return len(values) > 1 and bool(counts.min() > 1) and np.array_equal(values, np.arange(len(values)))


def _place(column: str | int, names: list[str] | None, count: int) -> int:
    """Return the place of a column that is given by its name or its place; negative places count from the end."""
    if names is not None and column in names:
        return names.index(str(column))
    try:
        place = int(column)
    except ValueError:
        place = count
    if not -count <= place < count:
        names_text = f"{listed(names)}, or " if names is not None else ""
        raise ValueError(f"unknown column label_column={column!r}; known: {names_text}0 to {count - 1}")
    return place % count


def _name(names: list[str] | None, place: int) -> str:
    return names[place] if names is not None and names[place] else str(place)


def _labels(words: Array) -> tuple[Array, list[str]]:
    """Return labels, and the words that they number, if they are words."""
    classes, places = np.unique(words, return_inverse=True)
    numbers = [_is_number(word) for word in classes]
    if all(numbers):
        return as_labels(words.astype(float)), []
    if any(numbers):
        word = str(classes[numbers.index(False)])
        raise ValueError(f"expected labels in numbers or in words, got both: {classes[numbers.index(True)]}, {word!r}")
    return places.ravel().astype(np.int64), classes.tolist()


def _numbers(rows: list[str], separator: str, columns: list[int] | None = None) -> Array:
    """Return the numbers in some columns of the table, by default in all."""
    with warnings.catch_warnings():
        # the check of the data refuses an empty file with its own message
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        try:
            return np.loadtxt(rows, delimiter=separator, ndmin=2, usecols=columns, quotechar='"')
        except ValueError as error:
            why, separated = str(error).partition("; use `usecols`")[0], "tabs" if separator == "\t" else "commas"
            # NumPy counts rows from 0 and columns from 1
            why = re.sub(r"column (\d+)\.?$", lambda match: f"column {int(match[1]) - 1}", why.rstrip("."))
            raise ValueError(
                f"{why}; write rows of numbers separated by {separated}, below one header at most"
            ) from None


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
