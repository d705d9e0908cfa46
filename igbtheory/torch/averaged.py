"""Streams of averages over all or some positions."""

from typing import Any

import torch
from torch import fx

from igbtheory.layers.positions import Gathered
from igbtheory.layers.spatial_pools import GlobalAvgPool
from igbtheory.torch.entries import Entries
from igbtheory.torch.path import Stream


def reduced_by(node: fx.Node) -> list[Any]:
    """Return the axes over which a node averages, None for all of them."""
    dims = node.kwargs.get("dim", node.args[1] if node.args[1:] else None)
    return [*dims] if isinstance(dims, tuple | list) else [dims]


def averaged(node: fx.Node, name: str, stream: Stream, value: torch.Tensor) -> Stream:
    """Return the stream at a node that averages over positions. ValueError: over units or data, too.

    value: what the node returned.
    """
    entries = stream.entries
    reduced = reduced_by(node)
    if None in reduced:
        raise ValueError("the theory has means over all positions, got one over all axes")
    axes = sorted(dim % entries.numbers.ndim for dim in reduced)
    rows = entries.numbers.movedim(axes, list(range(-len(axes), 0))).flatten(-len(axes))
    inside = Entries(rows, entries.shape, entries.units)
    some = inside.positions_of_one_unit(-1)
    if some is None or 0 in axes:
        raise ValueError(f"the theory has means over positions, got one over the axes {reduced}")
    front = [] if len(some) == entries.positions else [Gathered(tuple((p,) for p in some), (len(some),))]
    first = Entries(rows[..., 0].reshape(value.shape), entries.shape, entries.units)
    numbers = 1 + first.datum * entries.units + first.unit
    return stream.behind(name, [*front, GlobalAvgPool()], Entries(numbers, (), entries.units))
