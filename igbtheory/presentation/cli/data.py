"""Data sets that are named on the command line, and the rows and labels that are taken of them."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.foundations import checks
from igbtheory.foundations.files import KINDS, STDIN, Choices, Contents, read, refuse_unused
from igbtheory.foundations.given import data_set
from igbtheory.presentation.cli.output import tell
from igbtheory.presentation.cli.parameters import DataFile

DIGITS = "digits"
EXPRESSION = re.compile(r",?(?: with| by NumPy, for example)? ((?:np\.\w+|X\.reshape)\(.*\))$")
"""Pattern of a change of the array X, at the end of an error."""
HEADERS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Taken:
    """The data that are taken of a data set, (n_samples, ...), their labels or None, and both in words.

    rows: the index of these data among all `count` data.
    """

    values: Any
    labels: Any
    text: str
    rows: Any
    count: int


def taken(chosen: DataFile, check: Callable[[Any], Any] = data_set) -> Taken:
    """Return the data that the options choose, after the check, whose errors name the source."""
    source = str(chosen.data)
    if source == DIGITS:
        contents = Contents(igb.standardised(igb.digits()), igb.digit_labels())
        treatment = "standardised by the mean and standard deviation of all 1,797"
    else:
        contents = contents_of(source, "--data digits", choices(chosen))
        refuse_unused(choices(chosen), contents)
        treatment = contents.treatment
    values = checked(source, check, contents.data)
    if source != DIGITS:
        tell_decisions(source, contents)
    if chosen.standardise and source != DIGITS:
        values, treatment = checked(source, igb.standardised, values), "standardised by their mean and sd"
    rows = _rows(chosen, len(values), source)
    labels = None if contents.labels is None else contents.labels[rows]
    return Taken(values[rows], labels, _text(source, values[rows], treatment), rows, len(values))


def labels_of(file: str | None, chosen: DataFile, data: Taken) -> Any:
    """Return the labels or targets of the taken data, from a file or those that come with the data."""
    if file is None:
        if data.labels is None:
            raise ValueError(f"expected the labels of {chosen.data}; name their file with --labels")
        return data.labels
    contents = contents_of(file, "--labels", replace(choices(chosen), key=None, axes=None, drop_columns=None))
    tell_decisions(file, contents)
    labels = contents.labels
    if labels is None:  # the one column of a table has labels, rather than values of one output
        labels = contents.data[:, 0] if len(contents.names) == 1 else contents.data
    if len(labels) != data.count:
        raise ValueError(f"expected a label for each of the {data.count} data of {chosen.data}, got {len(labels)}")
    return labels[data.rows]


def choices(chosen: DataFile) -> Choices:
    """Return what the options say about a file."""
    header = None if chosen.header is None else HEADERS[checks.known("--header", chosen.header.lower(), HEADERS)]
    column = None if chosen.label_column.lower() == "none" else chosen.label_column
    dropped, separator, decimal = chosen.drop_columns, chosen.separator, chosen.decimal
    return Choices(column, chosen.key, header, chosen.axes, dropped, separator, decimal)


def checked(source: str, check: Callable[[Any], Any], array: Any) -> Any:
    """Return `check(array)`; its errors become ValueErrors that name the source, and advise to write another file."""
    try:
        return check(array)
    except (ValueError, TypeError) as error:
        in_python = f", in Python: import numpy as np, igbtheory as igb; X, _ = igb.read_data({source!r}); "
        advice = EXPRESSION.sub(lambda match: f"{in_python}np.save('new.npy', {match[1]})", str(error))
        raise ValueError(f"{source}: {advice}") from None


def _rows(chosen: DataFile, count: int, source: str) -> Any:
    """Return the places of the first rows, or of rows drawn at random, in increasing order; or of all."""
    if chosen.first is not None and chosen.sample is not None:
        raise ValueError("expected --first or --sample, got both; leave one out")
    for option, size in (("--first", chosen.first), ("--sample", chosen.sample)):
        if size is not None and checks.whole(option, size, 1) > count:
            raise ValueError(f"expected {option} <= {count}, the rows of {source}, got {size}")
    if chosen.sample is not None:
        seed = checks.whole("--seed", chosen.seed, 0)
        return np.sort(np.random.default_rng(seed).choice(count, chosen.sample, replace=False))
    return slice(chosen.first)


def _text(source: str, values: Any, treatment: str) -> str:
    """Return a description of data: their number, their features or shape, and how their numbers were changed."""
    sizes = tuple(values.shape[1:])
    each = f"shape {sizes}" if len(sizes) > 1 else f"{(count := math.prod(sizes))} feature{'s' * (count != 1)}"
    return f"{len(values)} data of {each} from {source}, {treatment}"


def contents_of(source: str, other: str, choices: Choices) -> Contents:
    """Return the contents of the file or folder `source`.

    other: what else the option accepts, for the error.
    """
    path = Path(source)
    if source != STDIN and not path.suffix and not path.exists():
        raise ValueError(f"expected {other}, {KINDS}, or - for a table from standard input, got {source!r}")
    try:
        return read(path, choices)
    except OSError as error:
        raise ValueError(f"cannot read {source}: {error.strerror}") from None


def tell_decisions(source: str, contents: Contents) -> None:
    """Tell on standard error what the reader of a file decided, if anything."""
    if contents.decisions:
        tell(contents.told("standard input" if source == STDIN else source))
