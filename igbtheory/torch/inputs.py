"""What is passed to a model: one tensor, or several together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, final

import torch


@final
@dataclass(frozen=True)
class Inputs:
    """Several tensors that a model takes together, by place and by name; each has a row for every datum.

    ValueError: the tensors have different numbers of rows.
    """

    places: tuple[Any, ...] = ()
    names: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = [len(x) for x in (*self.places, *self.names.values())]
        if len(set(sizes)) > 1:
            raise ValueError(f"expected inputs with a row for each datum, got {sizes} rows; pass as many in each")

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, rows: Any) -> Self:
        return self.each(lambda x: x[rows])

    @property
    def first(self) -> Any:
        """The first tensor."""
        return next(iter((*self.places, *self.names.values())))

    def __str__(self) -> str:
        """Return the shapes, by name or place."""
        named: dict[Any, Any] = {**dict(enumerate(self.places)), **self.names}
        return ", ".join(f"{name!r} of shape {tuple(x.shape)}" for name, x in named.items())

    def each(self, change: Callable[[Any], Any]) -> Self:
        """Return the inputs with every tensor changed."""
        return type(self)(tuple(map(change, self.places)), {name: change(x) for name, x in self.names.items()})


def each(data: Any, change: Callable[[Any], Any]) -> Any:
    """Return the data with their tensor, or each of their tensors, changed."""
    return data.each(change) if isinstance(data, Inputs) else change(data)


def first(data: Any) -> Any:
    """Return the tensor of the data, or the first of their tensors."""
    return data.first if isinstance(data, Inputs) else data


def single(data: torch.Tensor | Inputs) -> torch.Tensor:
    """Return the data. ValueError: they are several inputs, which the theory has not."""
    if isinstance(data, Inputs):
        raise ValueError(  # noqa: TRY004 - their kind is right, their number is not
            f"the theory has models of one input, got several: {data}; igb.measure and igb.explain measure such models"
        )
    return data


def passed(model: torch.nn.Module, data: Any) -> Any:
    """Return what the model returns for the data. A model may write into its input, so it gets a copy."""
    data = each(data, torch.clone)
    return model(*data.places, **data.names) if isinstance(data, Inputs) else model(data)
