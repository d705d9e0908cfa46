"""The layers of the theory for modules and functions of PyTorch: each has a row of a table."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from igbtheory.layers.layer import Layer
from igbtheory.layers.registered import reader_of
from igbtheory.torch.operators import MODULES, arguments, name_of

# these modules put their rows into the table
from igbtheory.torch.rows import attention, norms, positions, weights  # noqa: F401
from igbtheory.torch.rows.extra_layers import Zero
from igbtheory.torch.rows.gates import PRODUCTS
from igbtheory.torch.rows.site import ROWS, Reads, Site, elementwise, reads

__all__ = ["AS_MODULES", "PRODUCTS", "ROWS", "SUMS", "Site", "Zero", "functions_of", "module_of", "row_of"]

BY_NAME = {"addmm", "embedding"}
"""Operators whose data are not their first argument, or have another name there."""
AS_MODULES: dict[Any, type[nn.Module]] = {
    functional.max_pool2d: nn.MaxPool2d,
    functional.avg_pool2d: nn.AvgPool2d,
    functional.max_pool1d: nn.MaxPool1d,
    functional.avg_pool1d: nn.AvgPool1d,
    functional.adaptive_avg_pool1d: nn.AdaptiveAvgPool1d,
    functional.adaptive_avg_pool2d: nn.AdaptiveAvgPool2d,
    functional.dropout: nn.Dropout,
    torch.dropout_: nn.Dropout,
    functional.dropout2d: nn.Dropout2d,
    torch.feature_dropout: nn.Dropout2d,
    functional.glu: nn.GLU,
    torch.max_pool1d: nn.MaxPool1d,
    torch.max_pool2d: nn.MaxPool2d,
}
"""Functions that do the same as modules without weights."""
IGNORED = {"inplace", "cudnn_enable", "cudnn_enabled", "momentum", "running_var", "use_input_stats"}
"""Arguments of functions that modules do not have, or have in another way."""
SUMS: dict[Any, float] = {
    **dict.fromkeys(
        [operator.add, operator.iadd, torch.add, torch.Tensor.add_, "add", "add_", "__add__", "__iadd__"], 1.0
    ),
    **dict.fromkeys([operator.sub, operator.isub, torch.sub, torch.Tensor.sub_, "sub", "sub_"], -1.0),
}
"""Functions and methods that add two paths through the network, with the factor of the second one."""


@reads(nn.LogSoftmax, torch.log_softmax, functional.log_softmax)
def nothing(_target: Any, _site: Site) -> list[Layer]:
    """Return no layer, for a function that changes no guess."""
    return []


@reads(nn.Softmax, torch.softmax, functional.softmax)
def softmax(_target: Any, _site: Site) -> list[Layer]:
    """Refuse a softmax, which is read in attention and drawn in front of weights."""
    raise ValueError("the theory has no softmax of units; leave it out if it makes the outputs: no guess changes")


ELEMENTWISE = Reads(elementwise, lambda _: None)
"""The row of functions that act on every number alone."""


def module_of(target: Any, args: Sequence[Any], named: Mapping[str, Any]) -> nn.Module | None:
    """Return the module that does the same as a function, None if the table has the function itself, or neither.

    args, named: the arguments of the call, the data first.
    """
    function = functions_of(target)
    make = MODULES.get(name_of(target))
    if function not in AS_MODULES and make is None:
        return None
    given = arguments(function if make is None else target, args, named)
    settings = {name: value for name, value in given.items() if name not in IGNORED}
    if make is not None:
        x = () if name_of(target) in BY_NAME else (settings.pop(next(iter(settings))),)
        return make(*x, **settings)
    settings.pop(next(iter(settings)))
    mode = settings.pop("training", settings.pop("train", True))
    return AS_MODULES[function](**settings).train(mode)


def row_of(target: Any) -> Reads:
    """Return the row for a module or function. ValueError: the table has none for it."""
    if isinstance(target, nn.Module):
        if (reader := reader_of(target)) is not None:
            return Reads(lambda module, _: [reader(module)], lambda _: None)
        kinds = (*type(target).__mro__, type(target).__name__)
        row = next((ROWS[kind] for kind in kinds if kind in ROWS), ELEMENTWISE)
        if row is ELEMENTWISE and any(part.numel() > 1 for part in target.parameters()):
            raise ValueError(f"the theory has no layer for {type(target).__name__}")
        return row
    function = functions_of(target)
    return ROWS.get(function) or ROWS.get(name_of(function), ELEMENTWISE)


def functions_of(target: Any) -> Any:
    """Return the function for a method of tensors, which is given by its name; most are functions, too."""
    if not isinstance(target, str):
        return target
    function = getattr(torch, target, None)
    if callable(function):  # torch.float is a type of numbers
        return function
    method = getattr(torch.Tensor, target)
    return method if method in ROWS else _method(target)


def _method(name: str) -> Callable[..., Any]:
    """Return a function that calls the method `name` of its first argument: of a tensor, or of what records one."""

    def called(x: Any, *rest: Any, **named: Any) -> Any:
        return getattr(x, name)(*rest, **named)

    called.__name__ = name
    return called
