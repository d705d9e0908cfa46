"""Layers that bring the units of one position onto an axis of a tensor, in front of a layer that reads them there."""

from collections.abc import Sequence
from math import prod

import torch

from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.positions import Gathered
from igbtheory.layers.spatial_pools import Flatten
from igbtheory.layers.tokens import FirstToken, Tokens
from igbtheory.torch.entries import Entries, Index
from igbtheory.torch.rows.extra_layers import Arranged, Part

MOST_AXES = 2
"""Number of axes of positions that the theory knows: those of images."""


def arranged(entries: Entries, axis: int, *, grid: bool, raw: bool) -> tuple[list[Layer], Entries]:
    """Return layers behind which each position has its units along the axis, and the entries behind these layers.

    grid: whether the positions must be those of the other axes in order. raw: whether the entries are given data.
    ValueError: the theory cannot arrange them so.
    """
    axis %= entries.numbers.ndim
    sides = tuple(length for i, length in enumerate(entries.numbers.shape) if i not in {0, axis})
    count = entries.numbers.shape[axis]
    shape = positions_of(sides)
    if (
        grid
        and entries.same(Entries.laid_out(tuple(entries.numbers.shape), axis, entries.shape))
        and (entries.shape == sides or prod(sides) == 1)
    ):
        return [], entries
    ends = bool(entries.shape) and not sides and entries.positions == 1  # an image of one position becomes a vector
    every = not raw or count >= entries.units  # of data with no positions, an axis of one number has a part of them
    if not grid and not ends and every and entries.at_one_position(axis) and entries.everywhere():
        return [], entries
    if not grid and (split := entries.by_datum) is not entries:  # windows on the first axis
        layers, behind = arranged(split, axis + 1, grid=grid, raw=raw)
        return layers, Entries(behind.numbers.reshape(entries.numbers.shape), behind.shape, behind.units)
    index = entries.windows(axis)
    if index is not None and len(index[0]) > 0:
        layers = [_gathering(index, entries.shape, shape)]
        return layers, Entries.laid_out(tuple(entries.numbers.shape), axis, shape)
    if raw:
        of_first = entries.numbers[0].movedim(axis - 1, 0).reshape(count, *shape)
        first = Entries(of_first, entries.shape, entries.units)
        places = torch.where(of_first > 0, first.unit * first.positions + first.position, -1)
        layer = Arranged(tuple(places.flatten().tolist()), (count, *shape))
        return [layer], Entries.laid_out(tuple(entries.numbers.shape), axis, shape)
    raise ValueError(
        f"acts on positions instead of units in data of shape {tuple(entries.numbers.shape[1:])}; exchange the axes"
    )


def part_of_units(entries: Entries, axis: int, kinds: Sequence[int]) -> tuple[list[Layer], Entries]:
    """Return the layer that takes some of the units, of which no more are along an axis, and the entries behind it.

    kinds: the numbers of units of each kind, in order, of which all parts must have their shares.
    ValueError: they have not.
    """
    if not entries.at_one_position(axis) or entries.numbers.shape[axis] >= entries.units:
        return [], entries
    rows = entries.rows(axis).unit
    if bool((rows != rows[:1]).any()):
        raise ValueError("takes other units at some positions than at others; the theory takes the same units")
    units = rows[0]
    count, start = len(units), 0
    for kind in kinds:
        inside = int(((units >= start) & (units < start + kind)).sum())
        if inside * entries.units != kind * count:
            raise ValueError(
                f"takes {inside} of the {kind} units of one way, and another share of those that stand beside them; "
                "the theory takes the same share of the units of each way"
            )
        start += kind
    part: list[Layer] = [Part(entries.units // count)] if entries.units % count == 0 else []
    return part, entries.renewed(axis, count)


def positions_of(sides: Point) -> Point:
    """Return the positions of a tensor with these other axes: at most two axes, and none for a single position."""
    if prod(sides) == 1:
        return ()
    return sides if len(sides) <= MOST_AXES else (prod(sides),)


def _gathering(index: Index, before: Point, shape: Point) -> Layer:
    """Return the layer that puts the units at the positions of each row of the index at one position."""
    count, ordered = prod(before), tuple(range(prod(before)))
    if not shape and index == (ordered,):
        return Flatten()
    if not shape and index == ((0,),) and len(before) == 1:
        return FirstToken()
    if len(before) == MOST_AXES and shape == (count,) and index == tuple((i,) for i in ordered):
        return Tokens()
    return Gathered(index, shape)
