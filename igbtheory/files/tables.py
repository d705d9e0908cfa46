"""Tables of numbers in text: which line is a header, and which columns are features, labels or an index."""

import csv
import warnings

import numpy as np

from igbtheory.files.contents import Array, Choices, Contents, listed, numbered

LABELS = {"label", "labels", "target", "targets", "y", "class", "classes", "category", "species"}
INDICES = {"", "index", "id", "unnamed: 0"}
"""Names of columns, in lower case, that look like labels or like an index; pandas writes an index without a name."""


def of_table(text: str, separator: str, choices: Choices) -> Contents:
    """Return the numbers of a table with a row for each datum, and the labels in one of its columns.

    Empty lines and lines that begin with # are left out. Labels in words are numbered in the order of the alphabet.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    names, body = _header(lines, separator, choices.header)
    cells = _cells(body[0], separator) if body else []
    columns = [*range(len(cells))]
    said = [] if names is None else [f"columns {listed(names)}"]
    if choices.label_column in {"ask", None} or len(columns) < 2:
        asked = choices.label_column == "ask" and len(columns) > 1
        if asked:
            _ask_about_names(names, cells)
        data = _numbers(body, separator, columns)
        if asked and names is None:
            _ask_about_values(data)
        return Contents(data, None, tuple(said))
    place = _place(choices.label_column, names, len(columns))
    words = np.loadtxt(body, dtype=str, delimiter=separator, usecols=[place], ndmin=1, quotechar='"')
    labels, classes = _labels(words)
    index = [i for i in columns if i != place and names is not None and names[i].lower() in INDICES]
    data = _numbers(body, separator, [i for i in columns if i != place and i not in index])
    said.append(f"labels in column {_name(names, place)}")
    said += [numbered(classes)] if classes else []
    said += [f"{' and '.join(_name(names, i) for i in index)} left out as an index"] if index else []
    return Contents(data, labels, tuple(said))


def _header(lines: list[str], separator: str, header: bool | None) -> tuple[list[str] | None, list[str]]:  # noqa: FBT001 - the user's decision
    """Return the names of the columns, or None, and the lines below them.

    A header has words, and as numbers at most 0, 1, ..., which pandas gives to columns without names.
    """
    first = _cells(lines[0].lstrip("# "), separator) if lines else []
    below = next((_cells(line, separator) for line in lines[1:] if not line.startswith("#")), first)
    comment = bool(lines) and lines[0].startswith("#")
    numbers = [cell for cell in first if _is_number(cell)]
    counting = numbers == [str(i) for i in range(len(numbers))]
    if header is None and counting and len(first) == len(numbers) > 1:
        raise ValueError(
            f"the first row {listed(first)} is a header or a datum; pass header=True if it names the columns, or "
            "header=False if it is a datum"
        )
    has_words = counting and len(numbers) < len(first) and len(first) == len(below)
    if header or (header is None and has_words and any(cell.strip() for cell in first)):
        return [cell.strip() for cell in first], lines[1:]
    return None, [line for line in lines if not line.startswith("#")] if comment else lines


def _ask_about_names(names: list[str] | None, cells: list[str]) -> None:
    """Refuse columns whose names or words look like labels or an index."""
    for i, cell in enumerate(cells):
        name = _name(names, i)
        if names is not None and names[i].lower() in INDICES:
            raise ValueError(
                f"column {name} looks like an index; pass label_column=NAME to leave it out and take labels from "
                "another column, or label_column=None to take all columns as features"
            )
        if not _is_number(cell) or (names is not None and names[i].lower() in LABELS):
            raise ValueError(_question(f"column {name}", name))


def _ask_about_values(data: Array) -> None:
    """Refuse a table without names if one of its outer columns counts the data, or alone has classes 0, 1, ...."""
    first = data[:, 0] - data[0, 0]
    if len(data) > 2 and data[0, 0] in {0, 1} and np.array_equal(first, np.arange(len(data))):
        raise ValueError(
            "column 0 counts the data like an index; remove it, or pass label_column=None to take all columns as "
            "features"
        )
    classes = [i for i, column in enumerate(data.T) if _like_classes(column)]
    if len(classes) == 1 and classes[0] in {0, data.shape[1] - 1}:
        raise ValueError(_question(f"column {classes[0]}, with whole numbers from 0 on,", str(classes[0])))


def _like_classes(column: Array) -> bool:
    """Return whether a column has every whole number from 0 to its maximum, each twice or more, and no other."""
    values, counts = np.unique(column, return_counts=True)
    return len(values) > 1 and bool(counts.min() > 1) and np.array_equal(values, np.arange(len(values)))


def _question(what: str, column: str) -> str:
    return (
        f"{what} looks like labels; pass label_column={column!r} if it has them, or label_column=None to take all "
        "columns as features"
    )


def _place(column: str | int, names: list[str] | None, count: int) -> int:
    """Return the place of a column that is given by its name or its place; negative places count from the end."""
    if names is not None and column in names:
        return names.index(str(column))
    try:
        place = int(column)
    except ValueError:
        place = count
    if not -count <= place < count:
        known = f"{listed(names)}, or " if names is not None else ""
        raise ValueError(f"unknown column label_column={column!r}; known: {known}0 to {count - 1}")
    return place % count


def _name(names: list[str] | None, place: int) -> str:
    return names[place] if names is not None and names[place] else str(place)


def _labels(words: Array) -> tuple[Array, list[str]]:
    """Return labels, and the words that they number, if they are words."""
    classes, places = np.unique(words, return_inverse=True)
    numbers = [_is_number(word) for word in classes]
    if all(numbers):
        return words.astype(float), []
    if any(numbers):
        word = str(classes[numbers.index(False)])
        raise ValueError(f"expected labels in numbers or in words, got both: {classes[numbers.index(True)]}, {word!r}")
    return places.ravel().astype(np.int64), classes.tolist()


def _numbers(lines: list[str], separator: str, columns: list[int]) -> Array:
    with warnings.catch_warnings():
        # the check of the data refuses an empty file with its own message
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")
        try:
            every = None if len(columns) == len(_cells(lines[0], separator)) else columns
            return np.loadtxt(lines, delimiter=separator, ndmin=2, usecols=every, quotechar='"')
        except ValueError as error:
            separated = "tabs" if separator == "\t" else "commas"
            why = str(error).partition(";")[0].rstrip(".")
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
