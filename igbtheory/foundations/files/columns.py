"""What the columns of a table are, in files and DataFrames: features, labels, an index.

A column is a feature only if nothing speaks against it. What is certain is done and told; what is in doubt is asked,
with the options to pass.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from reprlib import repr as shortened
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.files.contents import Array, Choices, Contents, listed, numbered
from igbtheory.foundations.guarded import UndecidedError
from igbtheory.foundations.labels import named_as_labels, surely_labels, words_of

_MISSING = "na n/a nan nat null none <na> ? - . #n/a #div/0! #value! #ref! #num! #name? #null!"
MISSING = {"", *_MISSING.split()}
"""What stands in a cell without a value, in lower case: R, pandas, databases, UCI, and the errors of Excel."""
LOGICAL = {"true": 1.0, "false": 0.0}
INDEX = {"", *["id", "ids", "idx", "index", "uuid", "guid", "rownames", "rowid", "unnamed"]}
"""First or last words of the names of columns that may number the data; pandas and R write one without a name."""
SERIES = re.compile(r"(pixel|px|feature|feat)[ _.-]?\d+(x\d+)?$", re.IGNORECASE)
"""Pattern of names that number features; V1 and 0 number all columns, also that of labels."""
WRITTEN = re.compile(r"[+-]?[$€£¥]?\s?[.,]?\d")
"""Pattern of how dates, prices, shares and numbers with thousands between commas begin."""
FEW = 8
"""Fewer rows are in order, or have values of their own by chance: of columns of eight rows, 1 in 20,000 is ordered."""
CLASSES = 20
"""Whole numbers with more values than this, and than a tenth of the data, are values of an output, and no classes."""


Way = Callable[[dict[str, Any]], str]


def number(text: str, decimal: str = ".") -> float | None:
    """Return the number that a cell holds, or None."""
    if decimal == ",":
        text = text.replace(".", "_").replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a thousand, and NaN, which is unlike itself, stands for a missing value
    return value if value == value and "_" not in text else None  # noqa: PLR0124 - three times as fast as isnan


def passing(options: dict[str, Any]) -> str:
    """Return how these options answer a question about a file."""
    return f"pass {' and '.join(f'{name}={value!r}' for name, value in options.items())}"


def calling(options: dict[str, Any]) -> str:
    """Return how these options answer a question about a DataFrame, wherever it was passed."""
    return f"call igb.read_data(df, {', '.join(f'{name}={value!r}' for name, value in options.items())})"


@final
@dataclass
class Cells:
    """The cells of a column, row by row: numbers, NaN for all others, and the texts of those by their rows."""

    decimal: str = "."
    values: list[float] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    logical: bool = False

    def __call__(self, text: str) -> float:
        """Add a cell, and return its number or NaN."""
        text = text.strip()
        value = number(text, self.decimal)
        if value is None and text.lower() in LOGICAL:
            value, self.logical = LOGICAL[text.lower()], True
        if value is None:
            self.texts[len(self.values)] = text
        self.values.append(np.nan if value is None else value)
        return self.values[-1]


@final
@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: its name, or "" without one, its place, its numbers, and the texts of the other cells.

    line: where a row stands, in words. header: whether the table has names of columns. logical: whether TRUE and FALSE
    were read as 1 and 0.
    """

    name: str
    place: int
    values: Array
    texts: dict[int, str]
    line: Callable[[int], str]
    header: bool = True
    logical: bool = False

    def __str__(self) -> str:
        return self.name or str(self.place)

    @cached_property
    def words(self) -> dict[int, str]:
        """The cells that are neither numbers nor empty, by their rows."""
        return {row: text for row, text in self.texts.items() if text.lower() not in MISSING}

    @cached_property
    def gaps(self) -> list[int]:
        """The rows without a value."""
        return [row for row in np.flatnonzero(np.isnan(self.values)).tolist() if row not in self.words]

    @cached_property
    def kind(self) -> str:
        """What the cells are: empty, whole or real numbers, words, written like numbers (dates, prices), or mixed."""
        numbers = self.values[~np.isnan(self.values)]
        if self.words:
            as_numbers = all(WRITTEN.match(text) for text in self.words.values())
            return "mixed" if numbers.size else "written" if as_numbers else "words"
        whole = np.all(np.isfinite(numbers)) and np.all(numbers == np.round(numbers))
        return "empty" if not numbers.size else "whole" if whole else "real"

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        return len(np.unique(self.values[~np.isnan(self.values)])) + len({*self.words.values()})

    @property
    def unique(self) -> bool:
        """Whether every row has a value of its own."""
        return self.distinct == len(self.values) > 1

    @property
    def each(self) -> bool:
        """Whether every row has a whole number of its own, and not by chance."""
        return self.kind == "whole" and self.unique and (len(self.values) >= FEW or self.counts)

    @cached_property
    def ordered(self) -> bool:
        """Whether numbers rise or fall from row to row."""
        with np.errstate(invalid="ignore"):  # of infinite numbers
            steps = np.diff(self.values)  # NaN is neither
        return len(self.values) >= FEW and bool(np.all(steps > 0) or np.all(steps < 0))

    @property
    def counts(self) -> bool:
        """Whether the values are a whole number and its successors, in any order; of few rows, 0 or 1 and these."""
        first = self.values.min()
        following = self.kind == "whole" and self.unique and np.ptp(self.values) == len(self.values) - 1
        return following and (len(self.values) >= FEW or (len(self.values) > 2 and first in {0, 1}))

    @property
    def like_labels(self) -> bool:
        """Whether the name is one of labels."""
        return self.header and named_as_labels(self.name)

    @property
    def like_index(self) -> bool:
        """Whether the name is one of an index."""
        words = words_of(self.name) or [""]
        return self.header and not INDEX.isdisjoint((words[0], words[-1]))

    @property
    def like_classes(self) -> bool:
        """Whether the values may be classes: whole numbers or words, of which some repeat."""
        series = self.header and SERIES.match(self.name)
        return self.kind in {"whole", "words"} and 1 < self.distinct < len(self.values) and not series

    @property
    def shown(self) -> str:
        """The column and how many values it has, in a question."""
        return f"{self} ({self.distinct} {'words' if self.kind == 'words' else 'values'})"

    def fault(self, *, index: bool) -> str:
        """Return why the column is no feature; index: whether it looks like an index."""
        if self.words:
            row, text = next(iter(self.words.items()))
            if self.kind == "mixed":
                return f"column {self} has {shortened(text)} among numbers in {self.line(row)}"
            return f"column {self} has words or dates such as {shortened(text)}"
        if index:
            return f"column {self} looks like an index"
        return f"column {self} has no number in {len(self.gaps)} of {len(self.values)} rows, first in {self._first_gap}"

    @property
    def _first_gap(self) -> str:
        return self.line(self.gaps[0])

    def labels(self) -> tuple[Array, list[str]]:
        """Return labels 0, 1, ... and what they say; classes are numbered in their order. ValueError: some are missing.

        Numbers with many values are those of an output, (n_samples, 1).
        """
        if self.kind == "mixed":
            raise ValueError(f"expected labels in numbers or in words; {self.fault(index=False)}: correct the cell")
        if self.gaps:
            raise ValueError(
                f"expected a label in every row; column {self} has none in {len(self.gaps)} of {len(self.values)}, "
                f"first in {self._first_gap}; remove these rows"
            )
        if self.kind == "real" or (self.kind == "whole" and self.distinct > max(CLASSES, len(self.values) // 10)):
            return self.values[:, None], [f"labels: {self} (values of an output)"]
        cells = [*self.words.values()] if self.words else self.values
        classes, places = np.unique(cells, return_inverse=True)
        said = f"labels: {self} ({len(classes)} class{'es' * (len(classes) != 1)})"
        as_numbered = not self.words and np.array_equal(classes, range(len(classes)))
        told = [said] if as_numbered else [said, numbered(classes if self.words else classes.astype(int))]
        return places.ravel().astype(np.int64), told


def of_columns(columns: Sequence[Column], choices: Choices, way: Way = passing) -> Contents:
    """Return the numbers of the features, the labels, and what was decided.

    choices.label_column: the labels; None: there are none, and every column is a feature; "ask": the column that
    certainly has the labels, or a question. choices.drop_columns: what is left out; None: what certainly is neither a
    feature nor labels. way: how the user answers.

    UndecidedError: something speaks against a feature, or columns may have the labels. ValueError: one is unknown.
    """
    free = choices.drop_columns is None and choices.label_column is not None
    dropped = [] if choices.drop_columns is None else _dropped(columns, choices.drop_columns)
    label = None if choices.label_column in {"ask", None} else _found(columns, choices.label_column)
    useless = {one: why for one in columns if one not in (label, *dropped) and (why := _useless(one, free=free))}
    rest = [one for one in columns if one not in dropped and one not in useless]
    index = [one for one in rest if free and one is not label and _may_be_index(one, rest)]
    doubtful: list[Column] = []
    if choices.label_column == "ask":
        label, doubtful = _labels(rest, index)
    features = [one for one in rest if one is not label]
    wrong = [one for one in features if one not in doubtful[:1] and (one in index or one.gaps or one.words)]
    if doubtful or wrong:
        _refuse_second_header(features)
        asking = _Asking(columns, choices, label, doubtful, wrong, [one for one in wrong if one in index])
        raise asking.question([one for one in useless if one.kind != "empty"], dropped, way)
    free = choices.label_column == "ask" and bool(features[1:])
    labels, said = (None, [f"no labels: {features[-1]} is a feature" if free else "no labels"])
    if label is not None:
        labels, said = label.labels()
    said += [f"{one} left out {why}" for one, why in useless.items()]
    said += [f"{listed(dropped)} left out"] if dropped else []
    said += ["TRUE = 1, FALSE = 0"] if any(one.logical for one in rest) else []
    data = np.array([one.values for one in features]).T.reshape(len(columns[0].values), len(features))
    return Contents(data, labels, tuple(said), names=tuple(map(str, features)))


def _found(columns: Sequence[Column], key: str | int) -> Column:
    """Return the column of a name, or else of a place; negative places count from the end."""
    names, count = [str(one) for one in columns], len(columns)
    if str(key) not in names and re.fullmatch(r"-?\d+", str(key)) and -count <= int(key) < count:
        return columns[int(key)]
    return columns[names.index(checks.known("column", str(key), names))]


def _dropped(columns: Sequence[Column], given: Any) -> list[Column]:
    """Return the columns of a list of names or places, or of a text with commas between them."""
    if isinstance(given, str):
        whole = any(str(one) == given for one in columns)
        given = [given] if whole else [key.strip() for key in given.split(",") if key.strip()]
    return [_found(columns, key) for key in ([given] if isinstance(given, int) else given)]


def _key(column: Column, columns: Sequence[Column]) -> str | int:
    """Return the name of a column, or its place if another has this name, or a comma separates it from others."""
    if column.name and "," not in column.name and _found(columns, column.name) is column:
        return column.name
    # another column may have the place as its name
    places = (column.place, column.place - len(columns))
    return next((place for place in places if _found(columns, place) is column), column.place)


def _useless(column: Column, *, free: bool) -> str:
    """Return why a column certainly is neither a feature nor labels, or nothing; free: whether the rule decides."""
    if column.kind == "empty":
        return "as empty"
    if free and column.unique and column.like_index and column.kind != "real":
        return "as an index"
    name_of_each = free and column.unique and column.kind == "words" and len(column.values) >= FEW
    return "as a name of each row" if name_of_each else ""


def _may_be_index(column: Column, rest: Sequence[Column]) -> bool:
    """Return whether a column may number the data. The last one, too, may have an output of its own in every row."""
    if column.like_labels:
        return False
    return column.ordered or column.like_index or (column.each and (column is not rest[-1] or column.counts))


def _labels(rest: Sequence[Column], index: Sequence[Column]) -> tuple[Column | None, list[Column]]:
    """Return the column that certainly has the labels, or None, and those that may have them, the likeliest first."""
    named = [one for one in rest if one.like_labels]
    words = [one for one in rest if one.kind == "words" and one not in index]
    # beside x, y is the name of a coordinate as well
    point = [one for one in named[:1] if one.name.lower() == "y" and any(other.name.lower() == "x" for other in rest)]
    output = [one for one in rest[-1:] if one.each and one not in index]
    # labels that nothing names as such are those of other columns; a column alone has none
    may = [one for one in rest if one in named or (rest[1:] and (one.like_classes or one in output))]
    sole = {*named, *words}
    if len(sole) == 1 and not point and may == (named or words):
        return sole.pop(), []
    if len(sole) == 1 and not point and named and (named[0] is rest[-1] or surely_labels(named[0].name)):
        return named[0], []

    def unlikely(one: Column) -> tuple[Any, ...]:
        outer = one is rest[0] or one is rest[-1]
        return one in point, one not in named, one.like_index, not outer, one.kind != "words", one.distinct, -one.place

    return None, sorted(may, key=unlikely)


def _refuse_second_header(features: Sequence[Column]) -> None:
    """Refuse a table whose first row has words, and no other."""
    heads = [one for one in features if one.kind == "mixed" and [*one.words] == [0]]
    if len(heads) > 1:
        raise ValueError(f"{heads[0].line(0)} has names, too ({shortened(heads[0].words[0])}); keep one line of names")


@final
@dataclass(frozen=True, eq=False)
class _Asking:
    """What is asked about columns: which has the labels, of `label` or `doubtful`, and what `wrong` features are.

    index: those of the wrong features that look like an index.
    """

    columns: Sequence[Column]
    choices: Choices
    label: Column | None
    doubtful: Sequence[Column]
    wrong: Sequence[Column]
    index: Sequence[Column]

    def question(self, useless: Sequence[Column], dropped: Sequence[Column], way: Way) -> UndecidedError:
        """Return the question with its answer. useless, dropped: what is left out by the rule, and by the user."""
        answers: dict[str, Any] = {}
        if self.choices.label_column == "ask" and (best := self.label or next(iter(self.doubtful), None)):
            answers["label_column"] = _key(best, self.columns)
        if self.wrong or dropped:
            answers["drop_columns"] = self._keys([*useless, *dropped, *self.wrong])
        return UndecidedError(f"{'; '.join(self._doubts())}; {way(answers)}, or {self._otherwise(useless)}", answers)

    def _doubts(self) -> list[str]:
        more = f" or {len(self.doubtful) - 3} more" if self.doubtful[3:] else ""
        said = [f"{' or '.join(one.shown for one in self.doubtful[:3])}{more} may be labels"] if self.doubtful else []
        said += [one.fault(index=one in self.index) for one in self.wrong[:2]]
        return [*said, f"{len(self.wrong) - 2} more such columns"] if self.wrong[2:] else said

    def _otherwise(self, useless: Sequence[Column]) -> str:
        if any(one not in self.index for one in self.wrong):
            return "change the table"
        if any(one.words for one in self.doubtful[:1]):
            return "name another column"
        if self.choices.label_column == "ask" and not self.label:
            named = [one for one in useless if one.words]
            others = f" and drop_columns={self._keys(named)!r} if all others" if named else " if all columns"
            return f"label_column=None{others} are features"
        return f"drop_columns={self._keys(useless)!r} if all others are features"

    def _keys(self, columns: Sequence[Column]) -> str:
        return ",".join(str(_key(one, self.columns)) for one in columns)
