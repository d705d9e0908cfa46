"""Which unit at which position of which datum each number of a tensor is: what reshapes, slices and windows change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, final

import torch

from igbtheory.layers.nodes.places import Point

Index = tuple[tuple[int, ...], ...]
LARGE = 1e6
"""Size of random numbers that a function which clips its input does not keep; activations clip at 1 to 20."""
FACTOR = -7046029254386353131
"""An odd number whose products have bits without order: 2^64 divided by the golden ratio, as 64 bits with a sign."""


@final
@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a node of the theory that are the numbers of a tensor.

    numbers: 1 + (datum P + position) U + unit in the shape of the tensor, P positions and U units in all; 0 where the
    tensor has a zero that is no entry; in 32 bits if they fit. shape: of the P positions, () for vectors. units: U.
    """

    numbers: torch.Tensor
    shape: Point
    units: int

    def __post_init__(self) -> None:
        compact = self.numbers.int()
        if bool((compact == self.numbers).all()):
            object.__setattr__(self, "numbers", compact)

    @classmethod
    def laid_out(cls, tensor: tuple[int, ...], axis: int, shape: Point) -> "Entries":
        """Return those of a tensor with the data on its first axis, units on this one, and the positions in order.

        Its numbers lie in memory as layers return them, on which functions such as view depend.
        """
        axis %= len(tensor)
        others = [length for i, length in enumerate(tensor) if i != axis]
        numbers = 1 + torch.arange(prod(tensor)).reshape(*others, tensor[axis]).movedim(-1, axis)
        return cls(numbers.contiguous(), shape, tensor[axis])

    @property
    def positions(self) -> int:
        """The number of positions P."""
        return prod(self.shape)

    @property
    def datum(self) -> torch.Tensor:
        """The datum of every number, -1 for a zero."""
        return (self.numbers - 1).div(self.positions * self.units, rounding_mode="floor")

    @property
    def position(self) -> torch.Tensor:
        """The position of every number; without meaning for a zero."""
        return (self.numbers - 1).div(self.units, rounding_mode="floor") % self.positions

    @property
    def unit(self) -> torch.Tensor:
        """The unit of every number; without meaning for a zero."""
        return (self.numbers - 1) % self.units

    @cached_property
    def axis(self) -> int:
        """The axis of the tensor along which the unit changes, and neither the datum nor the position."""
        for axis in range(1, self.numbers.ndim):
            first = self.numbers.narrow(axis, 0, 1)
            changes = self.numbers - first
            if bool(changes.any()) and torch.equal(
                self.positioned, self.positioned.narrow(axis, 0, 1).expand_as(changes)
            ):
                return axis
        return 1

    @property
    def positioned(self) -> torch.Tensor:
        """A number for the datum and the position of every number of the tensor."""
        return (self.numbers - 1).div(self.units, rounding_mode="floor")

    @property
    def by_datum(self) -> "Entries":
        """The entries with an axis of the data in front of others, such as windows, if these lie on the first axis."""
        data, (first, *rest) = 1 + int(self.datum.max()), self.numbers.shape
        if first % data or first == data:
            return self
        return Entries(self.numbers.reshape(data, first // data, *rest), self.shape, self.units)

    @property
    def flat(self) -> "Entries":
        """The entries in a row."""
        return Entries(self.numbers.flatten(), self.shape, self.units)

    def same(self, other: "Entries") -> bool:
        """Return whether these are the same entries in the same places."""
        alike = (self.shape, self.units) == (other.shape, other.units)
        return alike and torch.equal(self.numbers, other.numbers)

    def rows(self, axis: int) -> "Entries":
        """Return the entries in rows along an axis: numbers of shape (rows, length of the axis)."""
        moved = self.numbers.movedim(axis, -1)
        return Entries(moved.reshape(-1, moved.shape[-1]), self.shape, self.units)

    def renewed(self, axis: int, units: int) -> "Entries":
        """Return those of a tensor with other units along the axis, at the same data and positions."""
        places = self.positioned.select(axis, 0).long().unsqueeze(-1) * units
        numbers = 1 + (places + torch.arange(units)).movedim(-1, axis)
        return Entries(numbers.contiguous(), self.shape, units)

    def mixed(self, axis: int, positions: int) -> "Entries":
        """Return those of a tensor with other positions along the axis, of the same units of the same data."""
        datum, unit = (part.select(axis, 0).long().unsqueeze(-1) for part in (self.datum, self.unit))
        numbers = 1 + (datum * positions + torch.arange(positions)) * self.units + unit
        return Entries(numbers.movedim(-1, axis).contiguous(), (positions,), self.units)

    def at_one_position(self, axis: int) -> bool:
        """Return whether all numbers along the axis are of one datum at one position."""
        rows = self.rows(axis)
        places = torch.where(rows.numbers > 0, rows.positioned, -1)
        return bool((places == places[:, :1]).all()) and bool((rows.numbers > 0).all())

    def of_one_unit(self, axis: int) -> bool:
        """Return whether all numbers along the axis are of one unit of one datum, at all positions in order."""
        return self.positions_of_one_unit(axis) == [*range(self.positions)]

    def positions_of_one_unit(self, axis: int) -> list[int] | None:
        """Return the positions along an axis, the same for all others; None if the unit or the datum changes there."""
        rows = self.rows(axis)
        alike = (torch.equal(part, part[:, :1].expand_as(part)) for part in (rows.unit, rows.datum))
        if not all(alike) or not bool((rows.numbers > 0).all()) or bool((rows.position != rows.position[:1]).any()):
            return None
        positions: list[int] = rows.position[0].tolist()
        return positions

    def at_first_datum(self, values: torch.Tensor) -> torch.Tensor:
        """Return the values in the places of the entries of the first datum, shape (positions, units)."""
        inside = (self.numbers > 0) & (self.numbers <= self.positions * self.units)
        ordered = torch.zeros(self.positions * self.units, dtype=values.dtype)
        ordered[self.numbers[inside].long() - 1] = values[inside]
        return ordered.reshape(self.positions, self.units)

    def are_tokens(self) -> bool:
        """Return whether the tensor is (data, tokens, units), with the positions of images in a row."""
        tensor = tuple(self.numbers.shape)
        images = len(self.shape) == len(("height", "width")) and len(tensor) == len(("data", "tokens", "units"))
        return images and tensor[1] == self.positions and self.same(Entries.laid_out(tensor, 2, self.shape))

    def everywhere(self) -> bool:
        """Return whether the tensor holds every position."""
        there = torch.zeros(self.positions, dtype=torch.bool)
        there[self.position[self.numbers > 0].long()] = True
        return bool(there.all())

    def windows(self, axis: int) -> Index | None:
        """Return the positions whose units are along the axis, for every row of a datum; None if there are no such.

        All units of each of these positions must be in the row, or zeros: -1 stands for a position of zeros. The data
        must lie on the first axis, and be read alike.
        """
        count = len(self.numbers)
        rows = self.rows(axis)
        rows = Entries(rows.numbers.reshape(count, -1, rows.numbers.shape[1]), self.shape, self.units)
        zero = rows.numbers == 0
        if rows.numbers.shape[2] % self.units or bool(
            (~zero & (rows.datum != torch.arange(count)[:, None, None])).any()
        ):
            return None
        # zeros are counted as those of all units in turn, so that as many units have them
        unit = torch.where(zero, (zero.cumsum(dim=2) - 1) % self.units, rows.unit)
        position = torch.where(zero, -1, rows.position)
        order = (unit * (1 + self.positions) + position).argsort(dim=2, stable=True)
        unit, position = (x.gather(2, order).reshape(*x.shape[:2], self.units, -1) for x in (unit, position))
        expected = torch.arange(self.units)[:, None]
        if bool((unit != expected).any()) or bool((position != position[:1, :, :1]).any()):
            return None
        return tuple(tuple(row) for row in position[0, :, 0].tolist())


def moved(move: Callable[[list[torch.Tensor]], Any], pieces: Sequence[Entries], after: Any) -> Entries | None:
    """Return the entries behind an operator that only moves numbers, or None if it does something else.

    pieces: those of its inputs, which are entries of one node; after: its value. The operator is applied to the numbers
    of the entries with a minus sign, which relu does not keep, and then to random numbers, some so large that clipping
    changes them, and some of the size of its value, which shrinking changes; these must lie where the former tell.
    Operators that sum give others for numbers without order.
    """
    count = 1 + max(int(piece.numbers.max()) for piece in pieces)
    there = _behind(move, [-piece.numbers.double() for piece in pieces], after)  # many operators refuse integers
    if there is None:
        return None
    places = (-there).long()
    if (
        not places.any()
        or not bool((places == -there).all())
        or not 0 <= int(places.min()) <= int(places.max()) < count
    ):
        return None
    for size in (LARGE, float(after.double().square().mean().sqrt()) or 1.0):
        values = _behind(move, [size * _scattered(piece.numbers) for piece in pieces], after)
        if values is None or not torch.equal(size * _scattered(places), values):
            return None
    return Entries(places, pieces[0].shape, pieces[0].units)


def _behind(move: Callable[[list[torch.Tensor]], Any], numbers: list[torch.Tensor], after: Any) -> torch.Tensor | None:
    """Return numbers behind an operator, None if it refuses them, or returns others than numbers of this shape."""
    try:
        there = move(numbers)
    except Exception:  # noqa: BLE001 - of any kind, as operators refuse numbers of another precision
        return None
    kept = isinstance(there, torch.Tensor) and there.is_floating_point() and there.shape == after.shape
    return there if kept else None


@final
class Layouts:
    """Entries that are equal become one object: a model of many like blocks needs the memory of one of them.

    They keep their order in memory, on which functions such as view depend.
    """

    def __init__(self) -> None:
        self._alike: dict[tuple[Any, ...], list[Entries]] = {}

    def one_of(self, entries: Entries) -> Entries:
        """Return the first that came of all entries that are equal to these."""
        numbers = entries.numbers
        alike = self._alike.setdefault((numbers.shape, numbers.stride(), entries.shape, entries.units), [])
        for other in alike:
            if other is entries or torch.equal(other.numbers, numbers):
                return other
        alike.append(entries)
        return entries


def _scattered(numbers: torch.Tensor) -> torch.Tensor:
    """Return a number between -1 and 1 for each whole one, as if it were drawn at random; 0 stays."""
    mixed = numbers.long() * FACTOR  # beyond 64 bits, the first are lost
    mixed = (mixed ^ (mixed >> 32)) * FACTOR
    return mixed.double() / 2**63
