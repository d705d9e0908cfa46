"""What a model computes of independent streams in steps for which the theory has no layer: it is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast, final

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import fx

from igbtheory.foundations.device import alone
from igbtheory.layers.chain import drawn, each, joined, mapped, split, weigh
from igbtheory.layers.concatenation import rows_of_kinds
from igbtheory.layers.few import Few, seeded, settled
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.data import pairs_of
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.node import KernelNode, refuse_draws
from igbtheory.layers.nodes.places import Point, at_positions, images, of_shape
from igbtheory.layers.spatial import OfData
from igbtheory.layers.ways import Ways
from igbtheory.torch.arrangement import positions_of
from igbtheory.torch.entries import Entries
from igbtheory.torch.path import Step, Stream, in_common, layers_of, vectors_held
from igbtheory.torch.steps import value_behind

CLOSE = 1e-4
"""Difference of numbers in single precision that were summed in another order."""


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """Steps of a graph, in order, between nodes whose streams are independent, the `starts`, and the last step.

    modules: of every drawn model; constants: there, the values of the nodes that do not depend on the data. streams: of
    the starts.
    """

    modules: tuple[Any, ...]
    starts: tuple[fx.Node, ...]
    steps: tuple[fx.Node, ...]
    streams: tuple[Stream, ...]
    constants: tuple[Mapping[fx.Node, Any], ...]

    def run(self, values: Sequence[Any], model: int = 0) -> Any:
        """Return the value of the last step, given those of the starts, in memory as `view` asks."""
        given = {start: value.contiguous() for start, value in zip(self.starts, values, strict=True)}
        return value_behind(self.modules[model], self.steps, {**self.constants[model], **given})

    @property
    def data(self) -> int:
        """The number of data at which the entries of the starts are."""
        return 1 + max(int(stream.entries.datum.max()) for stream in self.streams)

    @property
    def raw(self) -> bool:
        """Whether a start holds given data."""
        return any(stream.raw for stream in self.streams)

    @property
    def is_given(self) -> bool:
        """Whether the steps are the same in all models."""
        first, *others = ([x for x in values.values() if isinstance(x, torch.Tensor)] for values in self.constants)
        alike = all(torch.equal(a, b) for other in others for a, b in zip(first, other, strict=True))
        return alike and self.modules[0] is self.modules[-1]

    @cached_property
    def has_own_weights(self) -> bool:
        """Whether the steps end in weights of their own, such as those of experts: with their sign, all values change.

        Then the values have the mean 0 for given values at the starts, so that they are uncorrelated with those.
        """
        if self.is_given:
            return False
        values = [torch.randn(stream.entries.numbers.shape) for stream in self.streams]
        (constants, *_), y = self.constants, self.run(values)
        weights = [node for node, x in constants.items() if isinstance(x, torch.Tensor) and x.ndim > 1]
        signs = (replace(self, constants=({**constants, node: -constants[node]},)) for node in weights)
        return any(torch.allclose(piece.run(values), -y, CLOSE, 0) for piece in signs)

    @cached_property
    def extends(self) -> bool:
        """Whether the steps do the same with more data on the first axis; some have learnt its length from a model."""
        values = [torch.randn(stream.entries.numbers.shape) for stream in self.streams]
        try:
            once, twice = self.run(values), self.run([torch.cat([x, x]) for x in values])
        except Exception:  # noqa: BLE001 - of any kind, from reshaping
            return False
        return bool(twice.shape == (2 * len(once), *once.shape[1:]) and torch.allclose(twice, torch.cat([once, once])))

    def of_units(self, units: Sequence[torch.Tensor], behind: Entries, model: int) -> torch.Tensor:
        """Return the units behind the last step, (data, positions, units), from those at the starts of as many data.

        behind: the entries of the last step.
        """
        count = len(units[0]) if self.extends else self.data
        outputs = []
        for pieces in zip(*(x.split(count) for x in units), strict=True):
            values = []
            for x, stream in zip(pieces, self.streams, strict=True):
                flat = torch.cat([x.new_zeros(1), x.reshape(-1)])
                values.append(flat[_extended(stream.entries, count // self.data)])
            y = self.run(values, model)
            ordered = torch.empty(y.numel(), dtype=y.dtype)
            ordered[_extended(behind, count // self.data).flatten() - 1] = y.flatten()
            outputs.append(ordered.reshape(count, behind.positions, behind.units))
        return torch.cat(outputs)


def _extended(entries: Entries, times: int) -> torch.Tensor:
    """Return the numbers of entries of so many times the data, which follow one another on the first axis."""
    size = int(entries.datum.max() + 1) * entries.positions * entries.units
    return torch.cat([torch.where(entries.numbers > 0, entries.numbers + i * size, 0) for i in range(times)])


def piece_at(
    node: fx.Node,
    streams: Callable[[fx.Node], Stream | None],
    inputs: Callable[[fx.Node], list[fx.Node]],
    weightless: Callable[[fx.Node], bool],
) -> tuple[list[fx.Node], list[fx.Node]] | None:
    """Return nodes with independent streams and the steps behind them up to a node, or None if there are no such.

    streams: returns the stream of a node that is read; inputs: of a node that depend on the data. weightless: returns
    whether a step has no weights of its own.
    """
    places = {step: i for i, step in enumerate(node.graph.nodes)}
    steps, ends = {node}, set(inputs(node))
    inside: set[int] = set()  # vectors that steps of the piece may add
    if not weightless(node):
        return None
    while ends:
        held = {end: layers_of(stream.path) for end in ends if (stream := streams(end))}
        others = [end for end in ends if end not in held or vectors_held(held[end]) & inside] or dependent(held)
        if not others:
            return sorted(ends, key=places.__getitem__), sorted(steps, key=places.__getitem__)
        last = max(others, key=places.__getitem__)
        if not weightless(last) or not inputs(last):
            return None
        inside |= vectors_held(held.get(last, []))
        steps.add(last)
        ends = ends - {last} | set(inputs(last))
    return None


def dependent(rows: Mapping[Any, Sequence[Layer]]) -> list[Any]:
    """Return the keys of those rows of layers behind which units depend on one another, none if all are independent.

    Units behind weights of their own are independent of all that does not read them. So the rows whose last weights are
    in no other row are left out, one after the other.
    """
    layers = {key: {id(layer) for layer in each(row)} for key, row in rows.items()}
    lasts = {key: next((layer for layer in reversed(row) if layer.weighs), None) for key, row in rows.items()}
    rest = [*rows]
    while len(rest) > 1:
        fresh = [
            key
            for key in rest
            if (last := lasts[key]) and not last.inner
            if not any({id(last), *vectors_held(rows[key])} & layers[x] for x in rest if x is not key)
        ]
        if not fresh:
            return rest
        rest.remove(fresh[0])
    return []


def computed(name: str, piece: Piece, value: torch.Tensor, axis: int) -> Stream:
    """Return the stream behind a piece whose last step has this value, with units along an axis.

    ValueError: the piece cannot be drawn.
    """
    behind = _laid_out(piece, value, axis)
    if piece.raw and (len(piece.streams) > 1 or not piece.is_given):
        raise ValueError("the theory joins the data themselves to no drawn values but in sums and concatenations")
    kinds = (rows_of_kinds(layers_of(stream.path)) for stream in piece.streams)
    if any(dependent(dict(enumerate(rows))) for rows in kinds):
        raise ValueError("the theory computes functions of independent units, got some that are put side by side")
    paths = [stream.path for stream in piece.streams]
    common = in_common(paths)
    ways = [path[len(common) :] for path in paths]
    layer = Computed(tuple(tuple(layers_of(way)) for way in ways), piece, behind)
    step = Step(name, layer, channels=tuple(count for way in ways for step in way for count in step.channels))
    return Stream((*common, step), behind, behind.units)


def _laid_out(piece: Piece, value: torch.Tensor, axis: int) -> Entries:
    """Return the entries of the last step. ValueError: it acts on several data together, or at random."""
    size, tensor, axis = piece.data, tuple(value.shape), axis % value.ndim
    if tensor[0] % size or axis == 0:
        raise ValueError(f"the theory has functions of each datum alone, got values of the shape {tensor}")
    by_datum = (size, tensor[0] // size, *tensor[1:])
    drawn = [torch.randn(s.entries.numbers.shape) for s in piece.streams]
    others = [
        torch.where(s.entries.datum == 0, torch.randn_like(x), x) for s, x in zip(piece.streams, drawn, strict=True)
    ]
    try:
        first, again, other = (piece.run(x).reshape(by_datum) for x in (drawn, drawn, others))
    except Exception as error:  # of any kind, as functions of whole numbers refuse others
        raise ValueError("the theory draws real numbers for what steps read, got a step that refuses them") from error
    if not torch.allclose(first, again, CLOSE, CLOSE) or not torch.allclose(first[1:], other[1:], CLOSE, CLOSE):
        raise ValueError("the theory has functions of each datum alone that are not random, got another one")
    sides = tuple(length for i, length in enumerate(by_datum) if i not in {0, axis + 1} and (i > 1 or length > 1))
    laid = Entries.laid_out(by_datum, axis + 1, positions_of(sides))
    return Entries(laid.numbers.reshape(tensor), laid.shape, laid.units)


@final
@dataclass(frozen=True, repr=False)
class Computed(Ways, Few, OfData):
    """What PyTorch computes from the units behind several ways, which are independent streams, or from the data.

    Streams are drawn with as many units as the model has, such as those of a few heads of attention. These do not
    average out: a prediction is a mean over worlds, each with a draw of its own. The constants are those of one of the
    models that were drawn, the same one for all such layers of a world.
    """

    branches: tuple[tuple[Layer, ...], ...]
    piece: Piece
    entries: Entries
    model: int | None = field(default=None, kw_only=True, repr=False)

    whole = True

    @property
    def few(self) -> bool:
        return not self.piece.raw

    @property
    def worlds(self) -> int | None:
        return None if self.piece.is_given else len(self.piece.constants)

    @property
    def weighs(self) -> bool:
        return super().weighs or self.piece.has_own_weights

    @property
    def ways(self) -> tuple[tuple[Layer, ...], ...]:
        return self.branches

    @property
    def units(self) -> list[int]:
        """The numbers of units behind the ways in the model."""
        return [stream.entries.units for stream in self.piece.streams]

    @property
    def pooled(self) -> int:
        return max(1, self.units[0] // self.entries.units)

    def positions(self, shape: Point) -> Point:
        self.behind_ways(shape)
        return self.entries.shape

    def kernel(self, node: KernelNode) -> KernelNode:
        refuse_draws(self, node)
        if self.piece.raw:
            raise ValueError("expected functions of the data in front of layers that draw random numbers")
        # independent units, since the mean of balanced ones, as in a softmax, would vary too little
        draws, drawn, averages = Draws(self.rng, 1), [], []
        for way, size in zip(self.branches, self.units, strict=True):
            behind = node.through(way)
            drawn.append(images(behind.units(draws, size), behind.shape))
            averages.append(behind.averaged())
        y = at_positions(self._of(drawn, 1, draws.rng)).astype(float)
        pairs = pairs_of(node.n, averages[0], y @ y.T / y.shape[1], y.mean(axis=1), sum(x.error for x in averages))
        behind = node.after(Averaged(pairs, _Again(y), dependent=True)).naming(self)
        return replace(behind, places=of_shape(self.entries.shape))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        kept = [x.shape[1] // size for way, size in zip(self.ways, self.units, strict=True) if not weigh(way)]
        wanted = kept[0] if kept else width // self.entries.units
        ways = zip(self.ways, self.units, strict=True)
        units = [drawn(way, x, rng, width, max(1, wanted * size)) for way, size in ways]
        # where many networks are drawn at once, each layer with weights knows how many units it makes
        copies, rest = divmod(units[0].shape[1], self.units[0])
        if rest or not copies:
            raise ValueError(
                f"expected a multiple of {self.units[0]} units in front of steps that are drawn with the units of the "
                f"model, got {units[0].shape[1]}: networks of this width have no prediction"
            )
        return self._of(units, copies, rng).astype(x.dtype)

    def _of(self, units: Sequence[NDArray[Any]], copies: int, rng: Generator) -> NDArray[Any]:
        """Return the units behind the layer, (data, copies x units, ...), from those behind the ways."""
        data, rows = len(units[0]), []
        for x, count in zip(units, self.units, strict=True):
            by_copy = x.reshape(data, copies, count, -1).transpose(1, 0, 3, 2).reshape(data * copies, -1, count)
            missing = by_copy[:1].repeat(-len(by_copy) % self.piece.data, axis=0)
            rows.append(torch.from_numpy(np.concatenate([by_copy, missing]).astype(np.float32)))
        with alone(), torch.no_grad():
            model = self.model
            if model is None:
                model = 0 if self.piece.raw else int(rng.integers(len(self.piece.constants)))
            y = self.piece.of_units(rows, self.entries, model)[: data * copies].numpy()
        y = y.reshape(copies, data, self.entries.positions, self.entries.units).transpose(1, 0, 3, 2)
        return np.ascontiguousarray(y).reshape(data, copies * self.entries.units, *self.entries.shape)

    def __repr__(self) -> str:
        return f"Computed({', '.join(map(repr, self.ways))}, {self.piece.steps[-1].name!r})"


@mapped.register
def _(layer: Computed, change: Callable[[tuple[Layer, ...]], tuple[Layer, ...]]) -> Computed:
    return replace(layer, branches=tuple(map(change, layer.branches)))


@settled.register
def _(layer: Computed, rng: Generator) -> Computed:
    (number,) = cast("np.random.SeedSequence", rng.bit_generator.seed_seq).spawn_key  # of the world
    ways = mapped(layer, lambda layers: tuple(settled(layer, rng) for layer in layers)).ways
    return seeded(replace(layer, branches=ways, model=number % len(layer.piece.constants)), rng)


@split.register
def _(layer: Computed, units: int) -> list[int]:
    return [units * size // layer.entries.units for size in layer.units]


@joined.register
def _(layer: Computed, units: Sequence[int]) -> int:
    return units[0] * layer.entries.units // layer.units[0]


@final
@dataclass(frozen=True)
class _Again:
    """Draws units of those that a world has, (data x positions, units)."""

    units: Array

    def __call__(self, draws: Draws, count: int) -> Array:
        return self.units[:, draws.rng.integers(self.units.shape[1], size=count)]
