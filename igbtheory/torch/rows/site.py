"""Where a module or function stands in a model, and the table of the rows that say what it is in the theory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import nn

from igbtheory.layers import Activation, Layer
from igbtheory.torch.initialisers import Variance, variance

Shape = tuple[int, ...]


class UnreadError(ValueError):
    """A part of a model that the theory does not know, and why."""


@final
@dataclass(frozen=True)
class Site:
    """Where a module or function stands: the module in every drawn model, and what is around it.

    modules: () for a function; rest: the arguments behind the data; before, after: shapes of a datum there; units: the
    axis of a datum that holds the units, such as the channels; vector: whether the theory has no positions there; raw:
    whether nothing has been drawn yet; last: the layer in front. read: to this list a row adds the variances that it
    has read, of weights and of biases; usual: the initialiser of most of the other layers; known: the variances of
    weights that were read before.
    """

    modules: Sequence[nn.Module]
    rest: tuple[Any, ...]
    named: dict[str, Any]
    before: Shape
    after: Shape
    units: int
    vector: bool
    raw: bool
    last: Layer | None
    read: list[Variance]
    usual: str
    known: dict[Any, Variance]

    @property
    def units_last(self) -> bool:
        """Whether the units are on the last axis, as those of tokens are."""
        return self.units == len(self.before) - 1

    def refuse_units(self, *, last: bool) -> None:
        """Refuse a layer that does not act on the units."""
        if not (self.units_last if last else self.units == 0):
            raise UnreadError(f"acts on positions instead of units in data of shape {self.before}; exchange the axes")


Row = Callable[[Any, Site], list[Layer]]
"""From a module, or a function, and its site: the layers of the theory."""
ROWS: dict[Any, Row] = {}
"""Rows by the class of the module, or by the function."""


def reads(*targets: Any) -> Callable[[Row], Row]:
    """Put a row into the table, for these modules and functions."""

    def put(row: Row) -> Row:
        ROWS.update(dict.fromkeys(targets, row))
        return row

    return put


def elementwise(function: Callable[..., Any], site: Site) -> list[Layer]:
    """Return the activation that a function of every number is; refused where it is none."""
    named = {key: value for key, value in site.named.items() if key != "inplace"}
    if any(isinstance(value, torch.Tensor) and value.numel() > 1 for value in (*site.rest, *named.values())):
        raise UnreadError("the theory has no layer for a sum or product with a tensor of numbers")
    rest = [value.item() if isinstance(value, torch.Tensor) else value for value in site.rest]
    try:
        return [Activation(function if not (rest or named) else lambda x: function(x, *rest, **named))]
    except (TypeError, ValueError) as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise UnreadError(f"the theory has no layer for {name}, and it is no activation ({error})") from None


def known_variance(draws: Sequence[torch.Tensor], fan_in: int, fan_out: int, usual: str = "", of: str = "") -> Variance:
    """Return the variance of weights or biases as `variance` does; where there is none, the part is unread."""
    try:
        return variance(draws, fan_in, fan_out, usual)
    except ValueError as error:
        raise UnreadError(f"{of}{error}") from None


def square(name: str, value: Any) -> int:
    """Return the one length of a window that is as high as wide."""
    values = {value} if isinstance(value, int) else set(value)
    if len(values) > 1:
        raise UnreadError(f"the theory has square windows only, got {name}={value}")
    return int(values.pop())
