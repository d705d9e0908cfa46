"""The stream behind the layers of a row of the table."""

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from typing import Any

from igbtheory.layers.chain import weighing
from igbtheory.layers.layer import Layer
from igbtheory.torch.entries import Entries
from igbtheory.torch.path import Step, Stream
from igbtheory.torch.rows.site import Reads, Site


def mixes(row: Reads, axis: int, entries: Entries) -> bool:
    """Return whether a layer that may do so reads all tokens of one unit, and does so for each unit."""
    several = entries.numbers.ndim > len(("data", "units")) and bool(entries.shape)
    return row.mixes and several and entries.of_one_unit(axis)


def entries_behind(before: Entries, added: Sequence[Layer], value: Any, axis: int | None, *, grid: bool) -> Entries:
    """Return the entries of a tensor behind layers that read units along an axis."""
    tensor = tuple(value.shape)
    axis = before.axis if axis is None else axis % len(tensor)
    shape = reduce(lambda shape, layer: layer.positions(shape), added, before.shape)
    if tensor == tuple(before.numbers.shape) and shape == before.shape and not any(layer.weighs for layer in added):
        return before
    others = [length for i, length in enumerate(tensor) if i != axis]
    if not grid and others == [length for i, length in enumerate(before.numbers.shape) if i != axis]:
        return before.renewed(axis, tensor[axis])
    return Entries.laid_out(tensor, axis, shape)


def extended(stream: Stream, name: str, added: list[Layer], site: Site, entries: Entries) -> Stream:
    """Return the stream behind the layers of a row, with the variances and channels that were read."""
    read = iter(site.channels or [stream.channels] * len([*weighing(added)]))
    steps = [
        Step(
            name,
            layer,
            {field: part for field, part in site.read.items() if hasattr(layer, field)},
            tuple(islice(read, len([*weighing([layer])]))),
        )
        for layer in added
    ]
    behind = stream.behind(name, added, entries)
    channels = entries.units if any(layer.weighs for layer in added) else behind.channels
    return Stream((*stream.path, *steps), entries, channels)
