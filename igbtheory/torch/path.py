"""The layers on the way from the data to a node of a graph, and what a node holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import final

from igbtheory.layers.activation import phi_of
from igbtheory.layers.chain import each
from igbtheory.layers.concatenation import units_of_kinds
from igbtheory.layers.layer import Layer
from igbtheory.layers.positions import Gathered, Spread
from igbtheory.layers.spatial_pools import AvgPool2d, Flatten, GlobalAvgPool
from igbtheory.layers.tokens import FirstToken, PositionEmbedding, Tokens
from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.tree import ONE
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.torch.entries import Entries
from igbtheory.torch.initialisers import Variance
from igbtheory.torch.rows.extra_layers import Marks, Part, SharedVector, TorchAvgPool

LINEAR = AvgPool2d, FirstToken, Flatten, Gathered, GlobalAvgPool, Part, Spread, Tokens, TorchAvgPool
"""Layers without weights whose units are sums of those in front."""

VECTORS = SharedVector, PositionEmbedding, Marks
"""Layers that add vectors, each of which is one object wherever it adds the same ones."""


@final
@dataclass(frozen=True, eq=False)
class Step:
    """A layer on the path from the data to a node of the graph, and the variances that were read for its fields.

    Steps are compared by identity: two paths share a step only if both hold the same object. channels: the number of
    units that is read by each layer with weights among this layer and the layers inside it.
    """

    name: str
    layer: Layer
    read: Mapping[str, Variance] = field(default_factory=dict)
    channels: tuple[int, ...] = ()


Path = tuple[Step, ...]


@final
@dataclass(frozen=True, eq=False)
class Stream:
    """What a node of a graph holds: the path to it, the entries that its numbers are, and its number of channels.

    channels: the number of units, behind Flatten that of the units of one position.
    """

    path: Path
    entries: Entries
    channels: int

    @property
    def raw(self) -> bool:
        """Whether no layer in front has weights, so that the entries are given data."""
        return not any(step.layer.weighs for step in self.path)

    @property
    def kinds(self) -> list[int]:
        """The numbers of units of each kind, in order: those that were put side by side behind all other weights."""
        return units_of_kinds(layers_of(self.path), self.entries.units)

    def goes_through(self, name: str) -> bool:
        """Return whether a step of this name is on the path."""
        return any(step.name == name for step in self.path)

    def holds_the_same(self, other: "Stream") -> bool:
        """Return whether both hold the same entries in the same order, behind the same layers."""
        return self.path == other.path and self.entries.flat.same(other.entries.flat)

    def behind(self, name: str, layers: list[Layer], entries: Entries) -> "Stream":
        """Return the stream behind layers without weights of this name."""
        channels = self.channels
        for layer in layers:
            channels //= layer.pooled
        return Stream((*self.path, *(Step(name, layer) for layer in layers)), entries, channels)


def layers_on(path: Path) -> int:
    """Return the number of layers on a path, including those inside residual blocks."""
    return len([*each(step.layer for step in path)])


def layers_of(path: Path) -> list[Layer]:
    """Return the layers on a path."""
    return [step.layer for step in path]


def vectors_held(layers: Sequence[Layer]) -> set[int]:
    """Return the identities of the layers in a row whose vectors the units behind it hold: no weights follow them."""
    tail = takewhile(lambda layer: not layer.weighs, reversed(layers))
    return {id(layer) for layer in each(tail) if isinstance(layer, VECTORS)}


def in_common(paths: list[Path]) -> Path:
    """Return the steps in front that all paths have in common."""
    common = []
    for steps in zip(*paths, strict=False):
        if any(step is not steps[0] for step in steps):
            break
        common.append(steps[0])
    return tuple(common)


def factor_of(layer: Layer) -> float | None:
    """Return the factor by which an activation multiplies its units, None if it does something else."""
    phi = phi_of(layer)
    if phi is None or phi.doubt or phi.kinks or phi.degree != 1:
        return None
    return float(phi(FLOAT64, 1.0))


def shift_of(layer: Layer) -> float | None:
    """Return the number that an activation adds to its units, None if it does something else."""
    phi = phi_of(layer)
    return None if phi is None or phi.doubt or derivative(phi.tree) != ONE else float(phi(FLOAT64, 0.0))


def without_shifts(path: Path) -> Path:
    """Return the path without numbers that are added to all units alike behind the last weights.

    What else stands there is linear, or else the numbers matter.
    """
    kept, front = [], [*path]
    while front and not front[-1].layer.weighs:
        shift = shift_of(front[-1].layer)
        if shift is None and not is_linear(front[-1].layer):
            break
        step = front.pop()
        kept += [step] if shift is None else []
    return (*front, *reversed(kept))


def fixed_mean(path: Path) -> str:
    """Return why units have the same mean in every model, as an error says it; nothing if they have the mean 0."""
    kept = without_shifts(path)
    shifts = [(step.name, shift_of(step.layer)) for step in path if step not in kept]
    if not shifts:
        return ""
    total = sum(shift for _, shift in shifts if shift)
    return (
        f"expected outputs of mean 0 over the weights, got the bias {total:.4g} of {shifts[0][0]!r} in every model; "
        "set it to 0, or draw it anew in every model"
    )


def is_linear(layer: Layer) -> bool:
    """Return whether units behind a layer without weights are sums of those in front of it."""
    return isinstance(layer, LINEAR) or factor_of(layer) is not None
