"""The layers of the theory for modules and functions of PyTorch: each has a row of a table."""

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from igbtheory.layers.layer import Layer
from igbtheory.layers.registered import reader_of
from igbtheory.layers.spatial import Ending

# these modules put their rows into the table
from igbtheory.torch.rows import attention, norms, weights  # noqa: F401
from igbtheory.torch.rows.extra_layers import Unflatten, Zero
from igbtheory.torch.rows.gates import PRODUCTS, gate_of
from igbtheory.torch.rows.positions import units_behind
from igbtheory.torch.rows.site import ROWS, Row, Shape, Site, elementwise, reads

__all__ = [
    "AS_MODULES",
    "PRODUCTS",
    "ROWS",
    "SUMS",
    "Site",
    "Zero",
    "gate_of",
    "is_vector",
    "layers_of",
    "units_behind",
]

AS_MODULES: dict[Any, type[nn.Module]] = {
    functional.max_pool2d: nn.MaxPool2d,
    functional.avg_pool2d: nn.AvgPool2d,
    functional.max_pool1d: nn.MaxPool1d,
    functional.avg_pool1d: nn.AvgPool1d,
    functional.adaptive_avg_pool1d: nn.AdaptiveAvgPool1d,
    functional.adaptive_avg_pool2d: nn.AdaptiveAvgPool2d,
    functional.dropout: nn.Dropout,
    torch.max_pool1d: nn.MaxPool1d,
    torch.max_pool2d: nn.MaxPool2d,
}
"""Functions that do the same as modules without weights."""
SUMS = {operator.add, operator.iadd, torch.add, "add", "add_"}
"""Functions and methods that add two paths through the network."""
SAME = torch.clone, torch.Tensor.contiguous, torch.Tensor.float, torch.log_softmax, functional.log_softmax


@reads(nn.Identity, nn.LogSoftmax, *SAME)
def nothing(_target: Any, _site: Site) -> list[Layer]:
    """Return no layer."""
    return []


def layers_of(target: Any, site: Site) -> list[Layer]:
    """Return the layers for a module or function. ValueError: the table has no row for it, or its row refuses it."""
    if isinstance(target, nn.Module):
        if (reader := reader_of(target)) is not None:
            return [reader(target)]
        row: Row = next((ROWS[kind] for kind in type(target).__mro__ if kind in ROWS), elementwise)
        if row is elementwise and any(part.numel() > 1 for part in target.parameters()):
            raise ValueError(f"the theory has no layer for {type(target).__name__}")
        return row(target, site)
    if isinstance(target, str):  # a method of tensors; most are functions, too
        target = getattr(torch, target, None) or getattr(torch.Tensor, target)
    if target in AS_MODULES:
        kind, named = AS_MODULES[target], dict(site.named)
        if not named.pop("training", True):
            return []
        return layers_of(kind(*site.rest, **{key: value for key, value in named.items() if key != "inplace"}), site)
    row = ROWS.get(target, elementwise)
    return row(target, site)


def is_vector(path_layers: Sequence[Layer], data: Shape) -> bool:
    """Return whether a datum of this shape has no positions behind the layers."""
    vector = len(data) == 1
    for layer in path_layers:
        vector = (vector or isinstance(layer, Ending)) and not isinstance(layer, Unflatten)
    return vector
