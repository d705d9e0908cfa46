"""What a file contains: data, labels, and what the reader decided about them."""

from dataclasses import dataclass
from typing import Any, final

from numpy.typing import NDArray

from igbtheory.foundations.labels import labels_in

Array = NDArray[Any]
AS_IT_IS = "as they are"


@final
@dataclass(frozen=True)
class Contents:
    """Data, (n_samples, ...), and their labels or values of outputs, (n_samples, ...), or None.

    decisions: what the reader decided, in phrases. treatment: how it changed the numbers.
    """

    data: Array
    labels: Array | None = None
    decisions: tuple[str, ...] = ()
    treatment: str = AS_IT_IS


@final
@dataclass(frozen=True)
class Choices:
    """What the user decides about a file: see `read_data`."""

    label_column: str | int | None = "ask"
    key: str | None = None
    header: bool | None = None
    axes: str | None = None


def listed(names: Any) -> str:
    """Return at most six names, separated by commas."""
    names = [str(name) for name in names]
    return ", ".join(names if len(names) <= 6 else [*names[:5], f"... ({len(names)} in all)"])


def numbered(classes: Any) -> str:
    """Return which class has which label."""
    return f"labels {listed(f'{i} = {name}' for i, name in enumerate(classes))}"


def as_labels(array: Array) -> Array:
    """Return an array of labels as integers, (n_samples,), and values of outputs unchanged."""
    labels = labels_in(array)
    return array if labels is None else labels
