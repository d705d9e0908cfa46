"""Rows of pools, and of functions that reshape, reorder, join, select and average positions."""

import operator
from math import prod
from typing import Any

import torch
from torch import nn

from igbtheory.layers.layer import Layer
from igbtheory.layers.spatial_pools import AvgPool2d, Flatten, GlobalAvgPool, MaxPool2d
from igbtheory.layers.tokens import ClassToken, FirstToken, PositionEmbedding, Tokens
from igbtheory.torch.initialisers import variance
from igbtheory.torch.rows.extra_layers import Halves, Second, TorchAvgPool, TorchMaxPool, TorchPool, Unflatten
from igbtheory.torch.rows.site import Site, elementwise, equal, reads

PERMUTATIONS = torch.permute, torch.transpose, torch.swapaxes, torch.swapdims, torch.movedim


@reads(nn.MaxPool2d, nn.AvgPool2d, nn.MaxPool1d, nn.AvgPool1d)
def pool(module: Any, site: Site) -> list[Layer]:
    """Return the theory's pool if it has one with these windows, else a pool that PyTorch computes."""
    site.refuse_units(last=False)
    sides, average = site.before[1:], isinstance(module, nn.AvgPool2d | nn.AvgPool1d)
    size, stride, padding, dilation = (
        equal(getattr(module, name, 1)) for name in ("kernel_size", "stride", "padding", "dilation")
    )
    counted = not getattr(module, "divisor_override", None) and (
        not padding or getattr(module, "count_include_pad", True)
    )
    if average and counted and set(sides) == {size} and not padding:
        return [GlobalAvgPool()]
    expressible = len(sides) == 2 and None not in {size, stride, padding} and dilation == 1 and counted
    # ceil_mode keeps windows that reach beyond the edges
    if not expressible or (module.ceil_mode and any((length + 2 * padding - size) % stride for length in sides)):
        return [_of_torch(module, site, TorchAvgPool if average else TorchMaxPool)]
    plain = stride == size and not padding and not any(length % size for length in sides)
    kind = AvgPool2d if average else MaxPool2d
    return [kind(size) if plain else kind(size, stride, padding)]


def _of_torch(module: Any, site: Site, kind: type[TorchPool]) -> TorchPool:
    """Return the pool that PyTorch computes as the module does."""
    base: Any = next(base for base in type(module).__mro__ if base.__module__ == nn.MaxPool2d.__module__)
    settings = ((name, getattr(module, name)) for name in base.__constants__ if name != "return_indices")
    return kind(base.__name__, tuple(settings), site.after[1:])


@reads(nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool1d)
def adaptive_pool(module: Any, site: Site) -> list[Layer]:
    """Return the average pool that leaves this number of positions: the theory's own if its windows are equal."""
    site.refuse_units(last=False)
    before, after = site.before[1:], site.after[1:]
    if site.vector or before == after:
        return []
    if set(after) == {1}:
        return [GlobalAvgPool()]
    sizes = {length / count for length, count in zip(before, after, strict=True)}
    size = sizes.pop()
    plain = len(after) == 2 and not sizes and size.is_integer()
    return [AvgPool2d(int(size)) if plain else _of_torch(module, site, TorchAvgPool)]


@reads(nn.Flatten, nn.Unflatten, torch.flatten, torch.reshape, torch.squeeze, torch.unsqueeze, torch.Tensor.view)
def reshaped(target: Any, site: Site) -> list[Layer]:
    """Return Flatten if it removes the positions, Tokens if it puts them in a row, Unflatten if it makes them."""
    before, after = (tuple(length for length in shape if length != 1) for shape in (site.before, site.after))
    if prod(after) != prod(before):
        raise ValueError(f"a datum of shape {site.before} becomes one of {site.after}")
    if len(site.after) == 1 or (site.vector and before == after):
        return [] if site.vector else [Flatten()]
    if site.before == site.after:
        return []
    channels = site.before[site.units]
    if len(site.before) == 3 and len(site.after) == 2 and site.after[units_behind(target, site)] == channels:
        return [Tokens()]
    if site.raw and site.vector and len(site.after) == 3:
        return [Unflatten(site.after)]
    raise ValueError(f"a datum of shape {site.before} becomes one of {site.after}, whose positions are others")


@reads(*PERMUTATIONS)
def permuted(target: Any, site: Site) -> list[Layer]:
    """Return nothing; refused unless the positions stay in order."""
    order = [axis for axis in new_order(target, site) if axis != site.units]
    if order != sorted(order):
        raise ValueError("the theory has positions in one order, got one that exchanges height and width")
    return []


def new_order(target: Any, site: Site) -> list[int]:
    """Return the order of the axes of a datum behind a permutation, which must leave the axis of the data first."""
    sizes = range(2, 3 + len(site.before))  # different lengths tell the axes apart
    move = getattr(torch.empty(*sizes), target.__name__)  # methods take axes one by one, too
    first, *order = move(*site.rest, **site.named).shape
    if first != 2:
        raise ValueError("the theory has the data on the first axis, got one that exchanges them")
    return [size - 3 for size in order]


def units_behind(target: Any, site: Site) -> int:
    """Return the axis that holds the units behind a module or function."""
    target = getattr(torch, target, target) if isinstance(target, str) else target
    if target in PERMUTATIONS:
        return new_order(target, site).index(site.units)
    if isinstance(target, nn.Conv1d):
        return 0
    if len(site.before) == len(site.after):
        return site.units
    return 0 if site.units == 0 else len(site.after) - 1


@reads(operator.add, operator.iadd, torch.add)
def added(target: Any, site: Site) -> list[Layer]:
    """Return PositionEmbedding for a sum with numbers at all positions, else the activation that adds one number."""
    other, axes = (*site.rest, None)[0], len(site.before)
    if isinstance(other, torch.Tensor) and axes > 1 and tuple(other.shape[-axes:]) == site.before:
        return [PositionEmbedding(_entries(other))]
    return elementwise(target, site)


@reads(torch.cat, torch.concat)
def joined(_: Any, site: Site) -> list[Layer]:
    """Return ClassToken, for a token in front of the others."""
    tensors, dim = site.rest[0], site.named.get("dim", site.rest[1] if site.rest[1:] else 0)
    first = isinstance(tensors[0], torch.Tensor) and tensors[0].ndim == 3 and tensors[0].shape[1] == 1
    if len(tensors) != 2 or dim % 3 != 1 or not first or len(site.before) != 2 or not site.units_last:
        raise ValueError("the theory can join nothing but a class token in front of the tokens")
    return [ClassToken(_entries(tensors[0][0]))]


def _entries(values: torch.Tensor) -> float:
    """Return the variance of embedded vectors."""
    return variance([values], values.shape[-1], values.shape[-1]).value


@reads(operator.getitem)
def item(_: Any, site: Site) -> list[Layer]:
    """Return FirstToken for x[:, 0], Second for the second half of the units, nothing for the first part of a tuple."""
    (index,) = site.rest
    if index == 0 and site.before == site.after:
        return []
    if index == 1 and isinstance(site.last, Halves):
        return [Second()]
    if index != (slice(None), 0) or len(site.before) != 2 or not site.units_last:
        raise ValueError(f"the theory has the first token alone, x[:, 0], got the index {index}")
    return [FirstToken()]


@reads(torch.mean)
def averaged(_: Any, site: Site) -> list[Layer]:
    """Return GlobalAvgPool, for a mean over all positions."""
    axes = len(site.before) + 1
    dims = site.named.get("dim", site.rest[0] if site.rest else None)
    reduced = {dim % axes for dim in (dims if isinstance(dims, tuple | list) else (dims,)) if isinstance(dim, int)}
    if reduced != set(range(1, axes)) - {1 + site.units} or site.vector:
        raise ValueError(f"the theory has means over all positions, got one over the axes {dims}")
    return [GlobalAvgPool()]
