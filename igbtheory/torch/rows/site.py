"""The table that translates modules and functions of PyTorch into layers, and the arguments of its rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.layer import Layer
from igbtheory.torch.entries import Entries
from igbtheory.torch.initialisers import Variance
from igbtheory.torch.rows.extra_layers import Zero

Shape = tuple[int, ...]


@final
@dataclass(frozen=True)
class Site:
    """Where a module or function stands in a model.

    modules: the module in every drawn model, () for a function. rest, named: its arguments other than the data, by
    place and by name. place: that of the data among the arguments. entries: those in front, arranged as `reads` asked.
    after: the shape of a datum behind. raw: whether all layers in front are without weights. read: a list to which the
    row adds the variances that it reads, of weights and of biases. channels: a list of the numbers of units that the
    layers with weights read, to which the row adds them if they are not all the units in front. usual: the initialiser
    of most other layers.
    """

    modules: Sequence[nn.Module]
    rest: tuple[Any, ...]
    named: dict[str, Any]
    place: int
    entries: Entries
    after: Shape
    raw: bool
    read: list[Variance]
    channels: list[int]
    usual: str

    @property
    def before(self) -> Shape:
        """The shape of a datum in front."""
        return tuple(self.entries.numbers.shape[1:])

    @property
    def vector(self) -> bool:
        """Whether a datum has no positions."""
        return not self.entries.shape


Row = Callable[[Any, Site], list[Layer]]
"""A function that returns the layers of the theory for a module or function and its site, or raises ValueError."""
Axes = Callable[[Any], int | None]
"""A function that returns the axis of a tensor along which a module or function reads units, None for any."""


@final
@dataclass(frozen=True)
class Reads:
    """A row of the table: its layers, and how they read a tensor: see `reads`."""

    layers: Row
    axis: Axes
    grid: bool = False
    mixes: bool = False


ROWS: dict[Any, Reads] = {}
"""The rows by the class of the module, by the function, or by its name where it is not one of PyTorch's."""


def reads(
    *targets: Any, axis: int | Axes | None = None, grid: bool = False, mixes: bool = False
) -> Callable[[Row], Row]:
    """Return a decorator that puts a row into the table for these modules and functions.

    axis: the axis of the tensor along which they read the units of a position, None if they act on each number alone.
    grid: whether they read the positions in their order, on the other axes. mixes: whether they may read all tokens of
    a unit in place of the units of a position.
    """
    of_target = axis if callable(axis) else lambda _: axis

    def put(row: Row) -> Row:
        ROWS.update(dict.fromkeys(targets, Reads(row, of_target, grid, mixes)))
        return row

    return put


def elementwise(function: Callable[..., Any], site: Site) -> list[Layer]:
    """Return the activation that applies a function to every number. ValueError: the function does not act so."""
    rest = [_number(value) for value in site.rest]
    named = {key: _number(value) for key, value in site.named.items() if key != "inplace"}

    def of_numbers(x: Any) -> Any:
        return function(*rest[: site.place], x, *rest[site.place :], **named)

    try:
        probe = torch.linspace(-3, 3, 7)
        values = of_numbers(probe.clone())  # which may act in place
        if torch.equal(values, probe):  # such as numbers of another type, or times 1
            return []
        if (rest or named) and not values.any():
            return [Zero()]
        return [Activation(of_numbers if rest or named else function)]
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ValueError(f"the theory has no layer for {name}, and it is no activation ({error})") from None


def _number(value: Any) -> Any:
    """Return the number that fills a tensor; other values stay. ValueError: its numbers differ."""
    if not isinstance(value, torch.Tensor):
        return value
    if bool((value != value.flatten()[0]).any()):
        raise ValueError(
            "the theory adds one number to all units, or multiplies all by one, got a tensor of different numbers"
        )
    return value.flatten()[0].item()


def equal(value: Any) -> Any:
    """Return the length along every axis, None if the lengths differ."""
    values = {value} if isinstance(value, int) else set(value)
    return values.pop() if len(values) == 1 else None


def square(name: str, value: Any) -> int:
    """Return the length of a window along every axis. ValueError: the lengths differ."""
    length: int | None = equal(value)
    if length is None:
        raise ValueError(f"the theory has square windows only, got {name}={value}")
    return length
