"""What every result can do: plain values, JSON, tables, pictures, pickling and comparison."""

from abc import ABC
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from igbtheory.foundations.backend import drawn
from igbtheory.foundations.saved import json_of, same, tree_in, tree_of, value_of
from igbtheory.foundations.version import VERSION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType, LineStyleType


LONGEST = 60
"""Largest number of characters that the repr of a result shows of a field; arrays are shown by their shape."""


class Result(ABC):  # noqa: B024 - what a result is differs, what it can do does not
    """Base class of results, which are frozen dataclasses. They are equal if their fields are; NaN equals NaN.

    >>> law = igb.GuessLaw(0.5)
    >>> igb.GuessLaw.from_json(law.to_json()) == law
    True
    """

    exported: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that `to_dict` returns; if empty, it returns the fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values: numbers, texts, arrays, and dictionaries of them."""
        names = self.exported or [field.name for field in fields(self)]  # type: ignore[arg-type]
        entries = ((name, getattr(self, name)) for name in names)
        return {name: value.to_dict() if isinstance(value, Result) else value for name, value in entries}

    def columns(self) -> dict[str, Any]:
        """Return the result as a table: a dictionary of columns of equal length.

        By default there is a row for every entry of the arrays if they all have one shape, and a single row otherwise.
        """
        values = dict(_flat(self.to_dict()))
        shapes = {np.shape(value) for value in values.values()} - {()}
        shape = shapes.pop() if len(shapes) == 1 else ()
        shown = {name: value for name, value in values.items() if np.shape(value) in {(), shape}}
        return {name: np.broadcast_to(value, shape).ravel() for name, value in shown.items()}

    def to_json(self) -> str:
        """Return the result as JSON: `values` for people and other programs, and `state` for `from_json`.

        TypeError: the result contains a layer or a kind of number of your own.
        """
        from igbtheory.foundations.text import plain  # noqa: PLC0415 - most results are not saved

        head = {"igbtheory": VERSION, "result": type(self).__name__}
        return json_of({**head, "values": plain(self.to_dict()), "state": tree_of(self)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return a result equal to the one that `to_json` of the same class wrote. ValueError: it did not write it."""
        try:
            contents = tree_in(text)
            version, state = contents["igbtheory"], contents["state"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"expected the text of to_json(), got {text!r:.60}; write it with to_json()") from None
        _check_version(version)
        value = value_of(state)
        if not isinstance(value, cls):
            raise ValueError(  # noqa: TRY004 - the type of the text is right
                f"expected a saved {cls.__name__}, got a {type(value).__name__}; call {type(value).__name__}.from_json"
            )
        return value

    def to_frame(self) -> "pd.DataFrame":
        """Return the table of the result (`columns`) as a DataFrame; this needs the extra "pandas"."""
        try:
            import pandas as pd  # noqa: PLC0415 - an extra
        except ImportError:
            raise ImportError(
                'expected pandas, which is not installed: pip install "igbtheory[pandas]"; columns() needs none'
            ) from None
        return pd.DataFrame(self.columns())

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        label: str | None = None,
        color: "ColorType | None" = None,
        linestyle: "LineStyleType | None" = None,
    ) -> "Axes":
        """Draw the result into Matplotlib axes, by default new ones, and return them.

        A result that is alone in its axes is drawn with all that explains it. If it has a label, or other results are
        there, it is one curve among several, which have one legend. By default it has the next colour and dashes.
        ValueError: the axes show results over other quantities, or a map. TypeError: it has no picture.
        """
        if not hasattr(ax, "plot") and ax is not None:
            raise TypeError(f"expected Matplotlib axes, got {ax!r:.80}; pass one of plt.subplots(), or none")
        picture: Axes = drawn("plot", self, ax, label=label, color=color, linestyle=linestyle)
        return picture

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: the formula, the table and the picture."""
        return str(drawn("html", self))

    def __repr__(self) -> str:
        entries = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        shown = (f"{name}={_short(x)}" for name, x in entries)
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return same(tree_of(self), tree_of(other)) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash of the class and of the fields that are texts or whole numbers, which equal results share."""
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return hash((type(self), *(value for value in values if type(value) in {str, int})))

    def __getstate__(self) -> dict[str, Any]:
        state = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"igbtheory": VERSION, "state": state}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        _check_version(saved.get("igbtheory", "an older version"))
        for name, value in saved["state"].items():
            object.__setattr__(self, name, value)


def _short(value: Any) -> str:
    text = f"<array of shape {value.shape}>" if isinstance(value, np.ndarray) and value.ndim else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Return the names and values of nested dictionaries, with the names joined by dots."""
    entries: list[tuple[str, Any]] = []
    for name, value in values.items():
        entries += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return entries


def _check_version(version: Any) -> None:
    if version != VERSION:
        raise ValueError(
            f"expected a result of igbtheory {VERSION}, got one of {version}; compute it again, or read it with "
            f"igbtheory {version}"
        )
