"""Tables in text: how cells are separated, which sign is the decimal one, and which line has the names of columns."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.files.columns import MISSING, Cells, Column, number, of_columns
from igbtheory.foundations.files.contents import Array, Choices, Contents, listed
from igbtheory.foundations.guarded import UndecidedError
from igbtheory.foundations.labels import named_as_labels

HEAD = 1000
"""Number of records that decide how a table is read; the others must agree, or are refused by their line."""
SEPARATORS = (",", ";", "\t", "|", " ")
"""What may separate cells; a space stands for any white space."""
COMMENT = re.compile(r"[ \t]*#|\s*$")
"""Pattern of lines in front of a table that are no part of it."""
UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""First bytes of a text in two bytes for each letter, of which one is often 0."""
Row = tuple[int, list[str]]
"""The line of a record, as an editor shows it, and its cells."""


@final
@dataclass(frozen=True)
class Text:
    """The text of a table as bytes, and the number of lines of comments in front of it."""

    content: bytes
    encoding: str
    skipped: int = 0

    def lines(self, first: int = 0) -> io.TextIOWrapper:
        """Return the lines from the place `first` on, with line breaks of any system."""
        lines = io.TextIOWrapper(io.BytesIO(self.content), self.encoding)
        for _ in range(self.skipped + first):
            lines.readline()
        return lines

    def records(self, separator: str) -> Iterator[Row]:
        """Yield the records that are not empty. A record has several lines where quoted cells have line breaks."""
        rows = self._in_words() if separator == " " else self._in_cells(separator)
        return ((line, cells) for line, cells in rows if any(cell.strip() for cell in cells))

    def _in_words(self) -> Iterator[Row]:
        for line, text in enumerate(self.lines(), self.skipped + 1):
            yield line, [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', text)]

    def _in_cells(self, separator: str) -> Iterator[Row]:
        reader = csv.reader(self.lines(), delimiter=separator, skipinitialspace=True, strict=True)
        line = self.skipped + 1
        try:
            for cells in reader:
                yield line, cells
                line = self.skipped + reader.line_num + 1
        except csv.Error as error:
            raise ValueError(
                f"in line {line} a quoted cell does not end as it should ({error}); close its quotes"
            ) from None


@final
@dataclass(frozen=True)
class Dialect:
    """A way to read a table: what separates cells, and the decimal sign.

    fit: the share of records of the usual width. numbers: the share of cells that are numbers, times fit.
    """

    separator: str
    decimal: str = "."
    fit: float = 0.0
    numbers: float = 0.0
    cells: Sequence[str] = ()

    @classmethod
    def of_text(cls, text: Text, choices: Choices) -> "Dialect":
        """Return the dialect of most numbers. UndecidedError: others fit as well, or thousands do."""
        given = [choices.separator] if choices.separator else SEPARATORS
        dialects = [one for separator in given for one in cls._read(text, separator, choices)]
        if not dialects:
            return cls(
                choices.separator or next(sign for sign in given if sign != choices.decimal), choices.decimal or "."
            )
        # among equal ones, a point, and any sign rather than white space
        best = max(dialects, key=lambda one: (one.numbers, one.fit, one.decimal == ".", one.separator != " "))
        others = [one for one in dialects if (one.numbers, one.fit) == (best.numbers, best.fit) and best.numbers]
        signs = list(dict.fromkeys([best.separator, *(one.separator for one in others)]))
        if len(signs) > 1 and " " not in signs[:2]:
            raise UndecidedError(
                f"cells are separated by {signs[0]!r} or by {signs[1]!r}; pass separator={signs[0]!r} or "
                f"separator={signs[1]!r}",
                {"separator": signs[0]},
            )
        if choices.decimal is None:
            best.refuse_thousands()
        return best

    @classmethod
    def _read(cls, text: Text, separator: str, choices: Choices) -> "list[Dialect]":
        """Return the dialects of this separator, with either decimal sign; none if it separates nothing."""
        try:
            rows = [cells for _, cells in islice(text.records(separator), HEAD)]
        except ValueError:  # behind quotes stands another separator
            return []
        below = rows[1:] or rows
        widths = [len(row) for row in below]
        usual = most_common(widths)
        if usual < 2 and not (choices.separator and usual):
            return []
        fit = widths.count(usual) / len(widths) / (1 if len(rows[0]) in {usual, usual - 1} else 2)
        cells = [cell.strip() for row in below for cell in row if cell.strip().lower() not in MISSING]
        # a comma is decimal beside commas that separate only within quotes
        if separator == choices.decimal != choices.separator and not any(separator in cell for cell in cells):
            return []
        shares = {
            decimal: sum(number(cell, decimal) is not None for cell in cells) / max(len(cells), 1)
            for decimal in ([choices.decimal] if choices.decimal else ".,")
        }
        return [cls(separator, decimal, fit, round(fit * share, 3), cells) for decimal, share in shares.items()]

    def refuse_thousands(self) -> None:
        """Ask if each decimal sign has three digits behind it, as between thousands, and the table is not in English.

        A point beside commas is decimal, as in English.
        """
        between = re.compile(rf"[+-]?[1-9]\d{{0,2}}\{self.decimal}\d{{3}}$")
        marked = [cell for cell in self.cells if self.decimal in cell and number(cell, self.decimal) is not None]
        if marked and (self.decimal == "," or self.separator == ";") and all(map(between.match, marked)):
            sign = "comma" if self.decimal == "," else "point"
            raise UndecidedError(
                f"{marked[0]!r} has a decimal {sign}, or one between thousands; pass decimal={self.decimal!r}, or "
                f"write thousands without {sign}s",
                {"decimal": self.decimal},
            )

    def is_number(self, cell: str) -> bool:
        """Return whether a cell is a number."""
        return number(cell, self.decimal) is not None


@final
@dataclass(frozen=True)
class Table:
    """The records of a text below `first` of them, each with `width` cells; names: of the columns, if it has them."""

    text: Text
    dialect: Dialect
    names: Sequence[str] | None
    first: int
    width: int

    def columns(self, head: Sequence[Row]) -> list[Column]:
        """Return the columns; head: the first records. ValueError: a record has more or fewer cells."""
        cells, values = self._loaded(head) or (self._all(), None)
        return [
            Column(
                "" if self.names is None else self.names[j],
                j,
                np.array(cells[j].values) if values is None or j in cells else values[:, j],
                cells[j].texts if j in cells else {},
                self._line,
                self.names is not None,
                j in cells and cells[j].logical,
            )
            for j in range(self.width)
        ]

    def _loaded(self, head: Sequence[Row]) -> tuple[dict[int | str, Cells], Array] | None:
        """Return what NumPy reads, faster than Python: the cells of columns that in the head have others than numbers,
        and the numbers.

        None: it does not read them, since there are such cells elsewhere, or quotes, of which it has another notion.
        """
        if b'"' in self.text.content:
            return None
        others = (j for j in range(self.width) if not self._plain(j, head))
        cells: dict[int | str, Cells] = {j: Cells(self.dialect.decimal) for j in others}
        lines = self.text.lines(head[self.first][0] - 1 - self.text.skipped)
        separator = None if self.dialect.separator == " " else self.dialect.separator
        try:
            values = np.loadtxt(lines, delimiter=separator, comments=None, ndmin=2, converters=cells)
        except ValueError:
            return None
        complete = values.shape[1] == self.width and not np.isnan(values).all(axis=1).any()
        return (cells, values) if complete else None

    def _plain(self, place: int, head: Sequence[Row]) -> bool:
        """Return whether NumPy reads the cells of a column in the head."""
        rows = (cells for _, cells in head[self.first :] if len(cells) > place)
        return self.dialect.decimal == "." and all(number(cells[place]) is not None for cells in rows)

    def _all(self) -> dict[int | str, Cells]:
        """Return the cells of each column, by its place."""
        columns: dict[int | str, Cells] = {j: Cells(self.dialect.decimal) for j in range(self.width)}
        for line, cells in islice(self.text.records(self.dialect.separator), self.first, None):
            if len(cells) != self.width:
                records = self.text.records(self.dialect.separator)
                usual = next(one for one, row in islice(records, self.first, None) if len(row) == self.width)
                raise ValueError(
                    f"line {line} has {len(cells)} cells, and line {usual} has {self.width}; give every row the same"
                )
            for add, cell in zip(columns.values(), cells, strict=True):
                add(cell)
        return columns

    def _line(self, row: int) -> str:
        """Return where a row stands, as an editor shows it."""
        records = self.text.records(self.dialect.separator)
        return f"line {next(islice(records, row + self.first, None))[0]}"


def of_table(content: bytes, choices: Choices) -> Contents:
    """Return the features and labels of a table in text with a row for each datum: see `of_columns`.

    Lines that begin with # in front of the table are comments; the last of them may have the names of columns.
    """
    text, comments, separator, said = _opened(content)
    choices = _checked(choices, separator)
    dialect = Dialect.of_text(text, choices)
    head = list(islice(text.records(dialect.separator), HEAD))
    if not head:
        raise ValueError("expected rows of numbers, got none; write a row for each datum")
    if choices.decimal is None and dialect.separator == ",":
        _refuse_one_name_above_two(head)
    width = most_common([len(cells) for _, cells in head[1:] or head])
    header = _is_header(head, width, dialect) if choices.header is None else choices.header
    if header and not head[1:]:
        raise ValueError("expected rows of numbers below the names of columns, got none; write a row for each datum")
    names = head[0][1] if header else _commented(comments, width, dialect)
    if names is not None and len(names) not in {width, width - 1}:
        raise ValueError(
            f"line {head[0][0]} names {len(names)} columns, and line {head[1][0]} has {width} cells; name every column"
        )
    if names is not None:
        names = [""] * (width - len(names)) + [" ".join(name.split()) for name in names]
    contents = of_columns(Table(text, dialect, names, int(header), width).columns(head), choices)
    if dialect.separator == ";" or dialect.decimal == ",":
        said = [f"separated by {dialect.separator!r}, decimal {dialect.decimal!r}", *said]
    return replace(contents, decisions=(*contents.decisions, *said))


def _refuse_one_name_above_two(head: Sequence[Row]) -> None:
    """Ask if one name stands above two whole numbers with a comma between them: R leaves out the name of row names."""
    rows = [cells for _, cells in head[1:]]
    if len(head[0][1]) == 1 and rows and all(len(cells) == 2 and "".join(cells).isdecimal() for cells in rows):
        raise UndecidedError(
            f"one column has a name, and {','.join(rows[0])!r} is one number or two; pass decimal=',' if it is one, or "
            "decimal='.' if it is two",
            {"decimal": ","},
        )


def most_common(numbers: Sequence[int]) -> int:
    """Return the most frequent number, of several the first; 0 if there are none."""
    return max(numbers, key=numbers.count, default=0)


def encoding_of(content: bytes) -> str:
    """Return the encoding of a text: Unicode as its first bytes or all say, or else the one that fits any bytes."""
    encoding = "utf-16" if content.startswith(UTF16) else "utf-8-sig"
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return "latin-1"
    return encoding


def _opened(content: bytes) -> tuple[Text, list[str], str | None, list[str]]:
    """Return the text behind its comments, these, the separator that Excel writes in front, and what to tell."""
    encoding = encoding_of(content)
    said = ["text read as Latin-1"] if encoding == "latin-1" else []
    separator, comments, skipped = None, [], 0
    for line in Text(content, encoding).lines():
        if not skipped and (named := re.match(r"sep=(.)$", line, re.IGNORECASE)):
            separator = named[1]
        elif not COMMENT.match(line) or re.split(r"[,;\t|]", line)[0].strip().lower() in MISSING - {""}:
            break
        elif line.strip():
            comments.append(line)
        skipped += 1
    return Text(content, encoding, skipped), comments, separator, said


def _checked(choices: Choices, separator: str | None) -> Choices:
    """Return the choices with a separator of one character; separator: the one that the file itself names."""
    if choices.decimal is not None:
        checks.known("decimal sign", choices.decimal, ".,")
    given = choices.separator or separator
    given = "\t" if given in {"tab", r"\t"} else given
    if given is not None and len(given) != 1:
        raise ValueError(f"expected a separator of one character, got {given!r}; pass for example separator=';'")
    return replace(choices, separator=given)


def _commented(comments: Sequence[str], width: int, dialect: Dialect) -> list[str] | None:
    """Return the names of the columns in the last comment, or None."""
    # a sign alone is a name, as in #,a,b
    last = re.sub(r"^\s*#\s*(?=[^\s,;|])", "", comments[-1]) if comments else ""
    names = next(iter(Text(last.encode(), "utf-8").records(dialect.separator)), (0, []))[1]
    return names if len(names) > 1 and len(names) in {width, width - 1} else None


def _is_header(head: Sequence[Row], width: int, dialect: Dialect) -> bool:
    """Return whether the first record has the names of columns: a cell in it is no number, above numbers.

    So is a name of labels that is none below. R writes no name above the names of rows. UndecidedError: equal steps may
    be names, as pandas numbers columns, or a datum.
    """
    top = [cell.strip() for cell in head[0][1]]
    shift = width - len(top)
    rows = [cells for _, cells in head[1:] if len(cells) == width] if shift in {0, 1} else []
    for j, cell in enumerate(top):
        below = [cells[j + shift].strip() for cells in rows]
        word = bool(below) and cell.lower() not in MISSING and not dialect.is_number(cell)
        if word and (any(map(dialect.is_number, below)) or (named_as_labels(cell) and cell not in below)):
            return True
    numbers = [value for cell in top if (value := number(cell, dialect.decimal)) is not None]
    if len(numbers) >= max(len(top) - 1, 2) and _counting(numbers):
        if "" in top:  # that of an index has no name
            return True
        raise UndecidedError(
            f"the first row {listed(top)} has names of columns, or is a datum; pass header=True if it has names, or "
            "header=False if it is a datum",
            {"header": True},
        )
    return False


def _counting(numbers: Sequence[float]) -> bool:
    """Return whether numbers have equal steps: two of them have by chance, unless they are 0 and 1."""
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) == 1 and 0 not in steps and (len(numbers) > 2 or [*numbers] == [0, 1])
