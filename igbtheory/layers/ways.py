"""The base class of layers of several ways side by side, which all read the same stream."""

from abc import ABC
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import drawn, each, mapped, needs, reading, reads_ids, weigh
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.spatial import OfData, Spatial, Windowed


class Ways(Layer, ABC):
    """A layer of several ways side by side: rows of layers that all read the same stream."""

    @property
    def weighs(self) -> bool:
        return all(map(weigh, self.ways))

    @property
    def whole(self) -> bool:
        # ways may hold different pairs of positions, and pools need pairs of positions of one datum
        return any(map(_moves, each(self.inner))) or super().whole

    def positions(self, shape: Point) -> Point:
        behind = self.behind_ways(shape)
        if len({*behind}) > 1:
            self.refuse_shapes(behind)
        return behind[0]

    def behind_ways(self, shape: Point) -> list[Point]:
        """Return the shapes of the positions behind each way."""
        return [reduce(lambda x, layer: layer.positions(x), way, shape) for way in self.ways]

    def refuse_shapes(self, shapes: list[Point]) -> None:
        """Refuse ways behind which there are different positions, or return."""
        raise ValueError(
            f"expected ways with the same positions behind them, got the shapes {', '.join(map(str, shapes))} from "
            f"{self!r}; give all of them the same strides and pools"
        )


@reads_ids.register
def _(layer: Ways) -> bool:
    return any(way and reads_ids(way[0]) for way in layer.ways)


@reading.register
def _(layer: Ways, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
    if not reads_ids(layer):
        return layer, x
    if not all(way and reads_ids(way[0]) for way in layer.ways):
        raise ValueError(
            f"expected ways that all begin with an Embedding, or none, got {layer!r}; ids of tokens have no other "
            "layer in front of their Embedding"
        )
    data = [reading(way[0], x)[1] for way in layer.ways]
    if any(not np.array_equal(other, data[0]) for other in data[1:]):
        raise ValueError(
            f"expected embeddings of the same ids side by side, got other ids of the padding in {layer!r}; "
            "give them one padding"
        )
    return mapped(layer, lambda way: (reading(way[0], x)[0], *way[1:])), data[0]


@needs.register
def _(layer: Ways, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({offset for way in layer.ways for offset in _read(way, shape, offsets)}))


class TwoWays(Ways, ABC):
    """A layer of a branch, the `layers` in a row, and of a stream, the layers of the `shortcut`; () is X itself."""

    layers: tuple[Layer, ...]
    shortcut: tuple[Layer, ...]

    listed = True

    def _join(self, layers: tuple[Layer, ...], shortcut: Layer | Sequence[Layer], option: str) -> None:
        """Set the layers of both ways. TypeError: they are no layers, such as an option without its name."""
        checks.of_kind("a layer or layers as the shortcut", shortcut, (Layer, Sequence), "Dense(1.0)")
        shortcut = (shortcut,) if isinstance(shortcut, Layer) else tuple(shortcut)
        for layer in (*layers, *shortcut):
            if not isinstance(layer, Layer):
                name = type(self).__name__
                raise TypeError(
                    f"expected layers in a {name}, got {layer!r}; options are keywords: {name}(..., {option})"
                )
        object.__setattr__(self, "layers", layers)
        object.__setattr__(self, "shortcut", shortcut)

    @property
    def ways(self) -> tuple[tuple[Layer, ...], ...]:
        return self.layers, self.shortcut

    @property
    def _joins_positions(self) -> bool:
        """Whether a way joins positions; without weights that make it independent, both ways are drawn together."""
        return any(isinstance(layer, OfData) for layer in each(self.inner))

    def _drawn(self, x: NDArray[Any], rng: Generator, width: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return samples behind the branch and behind the shortcut, which have as many units."""
        units = width if self.weighs else x.shape[1]
        branch, stream = (drawn(layers, x, rng, units) for layers in self.ways)
        if branch.shape[1] != stream.shape[1]:
            raise ValueError(
                f"expected a branch that makes the {stream.shape[1]} units of its stream, got {branch.shape[1]} from "
                f"{self!r}; end the branch with a Dense, or move the pooling out of it"
            )
        return branch, stream

    def _shown(self, *options: str) -> str:
        """Return the layer in Python's notation, with options before its shortcut."""
        stream = ", ".join(map(repr, self.shortcut))
        shortcut = [f"shortcut={f'[{stream}]' if self.shortcut[1:] else stream}"] if stream else []
        return f"{type(self).__name__}({', '.join([*map(repr, self.layers), *options, *shortcut])})"

    def _formula(self, joined: str) -> str:
        """Return the layer as a formula: the stream, the sign that joins both, and the branch."""
        arrow = r" \to "
        branch, stream = (arrow.join(layer.latex() for layer in layers) for layers in self.ways)
        start = rf"\left(x \to {stream}\right)" if stream else "x"
        return rf"{start} {joined} \left(x \to {branch}\right)"


def _moves(layer: Layer) -> bool:
    """Return whether there are other pairs of positions behind a layer than in front of it, or pools of them."""
    return isinstance(layer, Spatial) and (layer.apart or (isinstance(layer, Windowed) and not layer.window.keeps))


def _read(way: tuple[Layer, ...], shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the offsets of the pairs of positions that a way reads for these offsets behind it."""
    return reduce(lambda read, layer: needs(layer, shape, read), reversed(way), offsets)
