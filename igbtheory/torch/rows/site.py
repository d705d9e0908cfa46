"""The table that translates modules and functions of PyTorch into layers, and the arguments of its rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import nn

from igbtheory.layers.activation import Activation
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.formulas.recorder import recorded
from igbtheory.mathematics.formulas.tree import ZERO, X
from igbtheory.torch.entries import Entries
from igbtheory.torch.initialisers import Variance
from igbtheory.torch.rows.extra_layers import Zero

Shape = tuple[int, ...]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Arguments of a call other than the data, by place and by name."""
TIMES = 10.0
"""The numbers at which a function is tried reach so many times as far as those that the model gives it: other data and
other weights do not reach farther."""
TRIED = 2**12
"""Number of random numbers at which a function is tried."""


@final
@dataclass(frozen=True)
class Site:
    """Where a module or function stands in a model.

    modules: the module in every drawn model, () for a function. arguments: those other than the data, in every model.
    place: that of the data among the arguments. values: what a few data are there. entries: those in front, arranged as
    `reads` asked. after: the shape of a datum behind. raw: whether all layers in front are without weights. read: the
    variances that the row reads, by their names in the layer, to which it adds them. channels: a list of the numbers of
    units that the layers with weights read, to which the row adds them if they are not all the units in front. usual:
    the initialiser of most other layers.
    """

    modules: Sequence[nn.Module]
    arguments: Sequence[Arguments]
    place: int
    values: torch.Tensor
    entries: Entries
    after: Shape
    raw: bool
    read: dict[str, Variance]
    channels: list[int]
    usual: str

    @property
    def rest(self) -> tuple[Any, ...]:
        """The arguments other than the data by place, in the first model."""
        return self.arguments[0][0]

    @property
    def named(self) -> dict[str, Any]:
        """The arguments by name, in the first model."""
        return self.arguments[0][1]

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
    """Return the activation that applies a function to every number, `Zero` for 0, and no layer for the identity.

    Its formula decides which of them it is, and where it is none, random numbers. ValueError: it does not act on each
    number alone, or differs between the models.
    """
    (rest, named), *others = [
        ([_number(value) for value in rest], {key: _number(x) for key, x in named.items() if key != "inplace"})
        for rest, named in site.arguments
    ]
    if any(other != (rest, named) for other in others) or _differ(site.modules):
        raise ValueError(
            "the theory has functions that are the same in all models, got one with a number of each model"
        )

    def of_numbers(x: Any) -> Any:
        return function(*rest[: site.place], x, *rest[site.place :], **named)

    of_numbers.__name__ = name = getattr(function, "__name__", type(function).__name__)
    try:
        tree, numbers = recorded(of_numbers), _numbers_like(site.values)
        values = of_numbers(numbers.clone())  # which may act in place
        if tree in {None, X} and _are_same(values, numbers):
            return []
        if tree in {None, ZERO} and not values.any():
            return [Zero(site.entries.units, site.entries.shape)]
        return [Activation(of_numbers if rest or named else function)]
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        raise ValueError(f"the theory has no layer for {name}, and it is no activation ({error})") from None


def _numbers_like(values: torch.Tensor) -> torch.Tensor:
    """Return random numbers of the size of those that a model gives to a function, and of TIMES this size."""
    size = values.double().square().mean().sqrt()
    drawn = torch.randn(2, TRIED, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    numbers = size.cpu() * drawn * torch.tensor([[1.0], [TIMES]]) if size else drawn
    return numbers.flatten().to(values.dtype if values.is_floating_point() else torch.get_default_dtype())


def _are_same(values: Any, numbers: torch.Tensor) -> bool:
    """Return whether values are these numbers, but for the rounding of their type, such as of half precision."""
    if not isinstance(values, torch.Tensor) or not values.is_floating_point() or values.shape != numbers.shape:
        return False
    rounding = max(torch.finfo(x.dtype).eps for x in (values, numbers)) * float(numbers.abs().max())
    return bool(((values.double() - numbers.double()).abs() <= rounding).all())


def _differ(modules: Sequence[nn.Module]) -> bool:
    """Return whether the parameters of a module differ between the models."""
    first, *others = ([*module.parameters()] for module in modules) if modules else ([],)
    return any(not torch.equal(one, other) for drawn in others for one, other in zip(first, drawn, strict=True))


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
