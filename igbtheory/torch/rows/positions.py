"""Rows of pools over positions, and of sums with vectors that do not depend on the data."""

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from igbtheory.layers.layer import Layer
from igbtheory.layers.spatial_pools import AvgPool2d, GlobalAvgPool, MaxPool2d
from igbtheory.layers.tokens import PositionEmbedding
from igbtheory.torch.initialisers import Variance, variance
from igbtheory.torch.rows.extra_layers import Marks, SharedVector, TorchAvgPool, TorchMaxPool, TorchPool
from igbtheory.torch.rows.site import Site, elementwise, equal, reads

SCATTER = 6.0
"""Standard errors up to which averages of products count as those of independent numbers."""


@reads(nn.MaxPool2d, nn.AvgPool2d, nn.MaxPool1d, nn.AvgPool1d, axis=1, grid=True)
def pool(module: Any, site: Site) -> list[Layer]:
    """Return the theory's pool if it has one with these windows, else a pool that PyTorch computes."""
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


@reads(nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool1d, axis=1, grid=True)
def adaptive_pool(module: Any, site: Site) -> list[Layer]:
    """Return the average pool that leaves this number of positions: the theory's own if its windows are equal."""
    before, after = site.before[1:], site.after[1:]
    if site.vector or before == after:
        return []
    if set(after) == {1}:
        return [GlobalAvgPool()]
    sizes = {length / count for length, count in zip(before, after, strict=True)}
    size = sizes.pop()
    plain = len(after) == 2 and not sizes and size.is_integer()
    return [AvgPool2d(int(size)) if plain else _of_torch(module, site, TorchAvgPool)]


@reads(operator.add, operator.iadd, torch.add, torch.Tensor.add_)
def added(target: Any, site: Site) -> list[Layer]:
    """Return the layer that adds vectors, or the activation that adds one number.

    Vectors that are drawn in every model are a PositionEmbedding, if each position has its own, or a SharedVector, if
    one is added everywhere. Others, such as given ones, are Marks.
    """
    other = (*site.rest, None)[0]
    if not isinstance(other, torch.Tensor) or other.numel() == 1:
        return elementwise(target, site)
    shape = site.entries.numbers.shape
    each = torch.stack(
        [
            site.entries.at_first_datum((rest[0] * named.get("alpha", 1)).expand(shape)).double()
            for rest, named in site.arguments
        ]
    )
    # one vector at several positions has the same numbers there in every model
    first, which = torch.unique(each.transpose(0, 1).flatten(1), dim=0, return_inverse=True)
    vectors = first.reshape(len(first), len(each), -1).transpose(0, 1)
    given = len(each) > 1 and all(torch.equal(each[0], drawn) for drawn in each)
    if not given and _are_drawn_apart(vectors):
        site.read["variance"] = read = entries_variance([*vectors])
        if len(first) == 1:
            return [SharedVector(read.value)]
        if len(first) == len(which):
            return [PositionEmbedding(read.value)]
        return [Marks.of(torch.zeros(len(which)), read.value * (which == which[:, None]).double())]
    if not site.entries.shape or (len(each) > 1 and not given):
        raise ValueError("the theory adds vectors that are given, or drawn independently of one another, got others")
    return [Marks.of(each[0].mean(dim=1), each[0] @ each[0].T / each.shape[2])]


def _are_drawn_apart(vectors: torch.Tensor) -> bool:
    """Return whether vectors (models, vectors, units) have averages and products as independent numbers have.

    Averages of independent numbers of the mean 0, and of their products, scatter by 1/sqrt(number).
    """
    models, _, units = vectors.shape
    products = (vectors @ vectors.transpose(1, 2) / units).mean(dim=0)
    squares, apart = products.diagonal(), products - torch.diag(products.diagonal())
    centred = float(vectors.mean()) ** 2 * vectors.numel() < SCATTER**2 * float(squares.mean())
    return bool(centred and float(apart.abs().max()) < SCATTER * float(squares.max()) / (models * units) ** 0.5)


def entries_variance(draws: Sequence[torch.Tensor]) -> Variance:
    """Return the variance of vectors, one tensor of them for every model."""
    units = draws[0].shape[-1]
    return variance(draws, units, units)
