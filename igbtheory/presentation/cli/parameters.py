"""Parameters that several commands have, by their types, with their choices, and how a data set is named."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter, Token

from igbtheory.presentation.cli.names import activations


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """Return a whole number, which may be written 1e6. Cyclopts itself would silently read 2.5 as 2."""
    return _whole_number(tokens[0].value)


def _widths(_: type, tokens: Sequence[Token]) -> int | list[int]:
    """Return one whole number, or the list of those between commas."""
    numbers = [_whole_number(text) for text in tokens[0].value.split(",")]
    return numbers if len(numbers) > 1 else numbers[0]


def _as_written(_: type, tokens: Sequence[Token]) -> str:
    """Return a choice as it is written: the library refuses a wrong one, and tells the nearest."""
    return tokens[0].value


class _Choice(Parameter):
    """Keeps pydantic from refusing a choice: Cyclopts asks it wherever another package has loaded it."""

    def __get_pydantic_core_schema__(self, *_: object) -> dict[str, str]:
        """Return the schema of any value: `_as_written` tells who refuses a wrong one."""
        return {"type": "any"}


def _whole_number(value: str) -> int:
    """Return the whole number that a text contains."""
    with suppress(ValueError):
        return int(value)
    with suppress(ValueError, OverflowError):
        if (number := float(value)) == int(number):
            return int(number)
    raise ValueError(f"expected a whole number, got {value!r}")


Whole = Annotated[int, Parameter(converter=_whole, n_tokens=1)]
Widths = Annotated[int | list[int], Parameter(converter=_widths, n_tokens=1)]
Choice = _Choice(converter=_as_written, n_tokens=1)
"""What a parameter with choices has beside them: help shows them, and shells complete them."""
Activation = Annotated[str, Parameter(completer=activations, allow_leading_hyphen=True)]
Norm = Annotated[Literal["batch", "layer", "rms"] | None, Choice]
Placement = Annotated[Literal["before", "after"], Choice]
Loss = Literal["mse", "cross-entropy", "blurry", "focal", "piecewise-zero"]
Style = Literal["icml", "neurips", "iclr", "screen"]
Text = Annotated[str, Parameter(allow_leading_hyphen=True)]
_DATA = """A data set: "digits" (standardised), a table in text, FILE.npy, FILE.npz, FILE.pt, FILE.mat, FILE.parquet,
FILE.jsonl, FILE.arff, an IDX or CIFAR file, a folder of these two or of images, or - for a table on standard input."""
DataSet = Annotated[Text, Parameter(help=_DATA)]
_MODEL = """A class, or a function without arguments, that creates a torch.nn.Module with random weights: FILE.py:NAME
or package.module:NAME."""
Model = Annotated[str, Parameter(help=_MODEL)]
_OUTPUT = "The output of the model that holds the logits, if it has several: its name or its place, 0, 1, ..."
_HEADER = "Whether the first row of a table names its columns; by default it does if words stand above numbers."
Header = Annotated[Literal["yes", "no"] | None, Choice, Parameter(help=_HEADER)]
Output = Annotated[int | str | None, Parameter(help=_OUTPUT)]
Seed = Annotated[Whole, Parameter(help="The same seed gives the same numbers.")]
_PARAM = 'The value of a parameter in the formula, such as a=5 for "x + sin(a*x)**2/a"; repeat it for each parameter.'
Assignments = Annotated[tuple[str, ...], Parameter(name="--param", negative="", help=_PARAM)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A data set, how its file is read, and which of its rows are taken."""

    data: DataSet | None = None
    key: Text | None = None
    """The array in a file that is the data, or data and labels: images,fine; or the file in an archive or folder."""
    label_column: Text = "ask"
    """Name or place (0, 1, ..., -1) of the column of a table that has the labels, or none if all are features."""
    drop_columns: Text | None = None
    """Names or places of columns of a table to leave out, with commas between them."""
    header: Header = None
    separator: Text | None = None
    """What separates the cells of a table, such as ; or tab; by default what is consistent over all rows."""
    decimal: Text | None = None
    """The decimal sign of a table, a point or a comma; by default what is consistent over all rows."""
    axes: Annotated[Literal["NCHW", "NHWC", "NHW", "NTF"] | None, Choice] = None
    """Axes of images or sequences whose shape does not tell: NCHW, NHWC, NHW (grey), or NTF (tokens, features)."""
    standardise: bool = False
    """Take off the mean of the data set, and divide by its standard deviation."""
    first: Whole | None = None
    """Only the first rows of the data set."""
    sample: Whole | None = None
    """Only so many rows of the data set, drawn at random with --seed."""
    seed: Seed = 0
