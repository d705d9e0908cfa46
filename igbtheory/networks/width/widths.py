"""The number of units that every layer with weights makes, from the numbers that the Dense layers read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.layers.chain import joined, products, read_by_next, split, weigh, weighing, widths
from igbtheory.layers.dense import condenses
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Point

MANY = 2**40
"""Units of which the shares of ways are taken, so that rounding does not change them."""


@final
@dataclass(frozen=True)
class Size:
    """Sizes of a layer with weights: its units, the positions behind it, and the products for a unit at one of them."""

    units: int
    positions: int
    products: int

    @property
    def entries(self) -> int:
        """The number of units at all positions of a datum."""
        return self.units * self.positions

    def condensed(self, rows: int) -> bool:
        """Return whether the units at so many data are drawn from a root, without weights."""
        return condenses((rows * self.positions, self.products), self.units)

    def drawn(self, rows: int) -> int:
        """Return the number of weights that are drawn for so many data, or of entries of the root."""
        return (rows * self.positions) ** 2 if self.condensed(rows) else self.units * self.products


def units_read(layers: Sequence[Layer], width: Any, front: int | None = None) -> list[int]:
    """Return the numbers of units that the Dense layers but the first read, from one number or from all of them.

    With one number every Dense reads so many, but for those behind a way without weights, as in `samples`: behind
    Concat((), F) there are more units than in front of it. front: units in front of all layers, None for one width.
    """
    needed = _count(layers) - 1
    if np.ndim(width) == 0:
        one = _one(width)
        reads, _ = _reads(layers, one, one * read_by_next(layers) if front is None else front)
        return reads[1:] or [one]
    given = [*map(_one, width)]
    if len(given) != needed or not given:
        raise ValueError(
            f"expected one width, or {needed} for the Dense layers that read units (the first Dense reads the data, "
            f"whose number of features is features=), got {len(given)}: {given!r:.60}; pass one number for all of them"
        )
    return given


def _reads(layers: Sequence[Layer], width: int, units: int, behind: int | None = None) -> tuple[list[int], int]:
    """Return what the layers with weights read as `chain.drawn` draws them, and the number of units behind all layers.

    units: in front of the layers.
    """
    reads: list[int] = []
    for layer, made in zip(layers, widths(layers, width, behind), strict=True):
        if layer.ways:
            total = made
            kept = {i: _reads(way, units, units)[1] for i, way in enumerate(layer.ways) if not weigh(way)}
            if kept:  # ways without weights keep their units, and the others have their shares beside them
                shares = split(layer, MANY)
                total = round(sum(kept.values()) * MANY / sum(shares[i] for i in kept))
            for way, count in zip(layer.ways, split(layer, total), strict=True):
                reads += _reads(way, made, units, count)[0]
            units = total
        elif layer.weighs:
            reads.append(units)
            units = made
        else:
            units //= layer.pooled
    return reads, units


def _one(width: Any) -> int:
    """Return one width."""
    checks.numeric("width", width, "leave it out, for infinite width")
    return checks.whole("width", width, 1)


def units_made(layers: Sequence[Layer], read: Sequence[int], features: int | None) -> tuple[list[int], int]:
    """Return how many units each layer with weights makes, in their order, and the number of features of the data.

    read: what the second and later Dense layers read. features: of Gaussian inputs, or None for the first width.
    """
    pool = read_by_next(layers)
    if features is not None and features % pool:
        raise ValueError(
            f"expected a number of features that the pools in front of the first Dense divide, got {features} for "
            f"pools of {pool}; pass a multiple of {pool}"
        )
    first = read[0] if features is None else features // pool
    made, front = _made(layers, [first, *read][: _count(layers)], 1)
    return made[::-1], front


def _count(layers: Sequence[Layer]) -> int:
    """Return the number of layers with weights; a layer in several places counts several times."""
    return sum(1 for _ in weighing(layers))


def _made(layers: Sequence[Layer], read: list[int], behind: int) -> tuple[list[int], int]:
    """Return the units that the layers with weights make, the last one first, and the units in front of all layers.

    read: what each of them reads, of which those of these layers are taken from the end. behind: units behind all.
    """
    made: list[int] = []
    for layer in reversed(layers):
        if layer.ways:
            each = zip(reversed(layer.ways), reversed(split(layer, behind)), strict=True)
            ways, fronts = zip(*(_made(way, read, units) for way, units in each), strict=True)
            behind = fronts[-1]
            if len({*fronts}) > 1 and read:  # ways that read the data have as many units in front as these
                raise ValueError(
                    f"expected ways that read the same units, got {' and '.join(map(str, reversed(fronts)))} units in "
                    f"front of them in {layer!r:.80}; pass one width for all layers, or shares in the ratio of the "
                    "units that ways without weights make"
                )
            made += [units for way in ways for units in way]
        elif layer.weighs:
            made.append(behind)
            behind = read.pop()
        else:
            behind *= layer.pooled
    return made, behind


def sizes(layers: Sequence[Layer], made: Iterator[int], units: int, shape: Point) -> tuple[list[Size], int]:
    """Return the sizes of the layers with weights, and the number of units behind all layers.

    made: the units that each of them makes; units, shape: the number of units and the positions in front.
    """
    of_layers: list[Size] = []
    for layer in layers:
        after = layer.positions(shape)
        if layer.ways:
            ways, behind = zip(*(sizes(way, made, units, shape) for way in layer.ways), strict=True)
            of_layers, units = [*of_layers, *(size for way in ways for size in way)], joined(layer, behind)
        elif layer.weighs:
            each, units = products(layer, units), next(made)
            of_layers.append(Size(units, prod(after), each))
        else:
            # where positions end, they are taken for units, as behind Flatten
            units = units // layer.pooled * (prod(shape) if shape and not after else 1)
        shape = after
    return of_layers, units
