"""Layers in a row: the units that each Dense makes, the positions behind each layer, and samples of all layers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from itertools import takewhile
from math import prod
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.activation import Activation, phi_of
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Places, Point, of_shape, units_first
from igbtheory.layers.nodes.samples import undrawn
from igbtheory.mathematics.formulas.function import Function


def read_by_next(layers: Sequence[Layer]) -> int:
    """Return the number of units in front of the `layers` that pools make one unit, up to the next Dense."""
    return prod(layer.pooled for layer in takewhile(lambda layer: not layer.weighs, layers))


def widths(layers: Sequence[Layer], width: int, behind: int | None = None) -> list[int]:
    """Return the number of units that each layer makes if it has weights, so that every Dense reads `width` units.

    behind: number of units behind all layers; None: as many as a Dense reads.
    """
    rests = [layers[i + 1 :] for i in range(len(layers))]
    return [(width if behind is None or weigh(rest) else behind) * read_by_next(rest) for rest in rests]


def drawn(
    layers: Sequence[Layer], x: NDArray[Any], rng: Generator, width: int, behind: int | None = None
) -> NDArray[Any]:
    """Return samples behind the layers. Every Dense but the first, and one behind the layers, reads `width` units.

    behind: the number of units that the last Dense makes, if it is another one.
    """
    for layer, units in zip(layers, widths(layers, width, behind), strict=True):
        x = layer.samples(x, rng, units)
    return x


def entering(layers: Sequence[Layer], data: NDArray[Any]) -> NDArray[Any]:
    """Return data as they enter the layers: units first, and ids of tokens as sequences of one unit."""
    return data[:, None] if data.ndim == 2 and reads_ids(layers[0]) else units_first(data)


@singledispatch
def reads_ids(layer: Layer) -> bool:
    """Return whether a layer is the first of a network and reads ids of tokens: whole numbers (n_samples, tokens)."""
    return False


@singledispatch
def reading(layer: Layer, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
    """Return a layer and data with fewer positions, from which it makes what a layer makes of the data x."""
    return layer, x


def behind_undrawn(layers: Sequence[Layer], x: NDArray[Any]) -> tuple[tuple[Layer, ...], NDArray[Any]]:
    """Return the layers from the first one on that draws random numbers, and the units in front of it at the data x.

    These units are the same in every network. The first layer may replace another one: see `reading`.
    """
    for i, layer in enumerate(layers):
        behind = undrawn(layer, x)
        if behind is None:
            first, x = reading(layer, x)
            return (first, *layers[i + 1 :]), x
        x = behind
    return (), x


def shapes(layers: Sequence[Layer], shape: Point) -> list[Point]:
    """Return the shapes of the positions in front of each layer and behind the last one, which must be ()."""
    positions = [shape]
    for layer in layers:
        positions.append(layer.positions(positions[-1]))
    if positions[-1]:
        raise ValueError(
            f"expected vectors in front of the output {layers[-1]!r}, got sequences; put Flatten() or GlobalAvgPool() "
            "in front of it"
        )
    return positions


def data_made(layers: Sequence[Layer], shape: Point) -> int:
    """Return the number of data that one datum with these positions becomes."""
    return prod(data_of_one(layer, before) for layer, before in zip(layers, shapes(layers, shape), strict=False))


@singledispatch
def data_of_one(layer: Layer, shape: Point) -> int:
    """Return the number of data behind a layer that one datum with these positions in front becomes."""
    return 1


def needed(layers: Sequence[Layer], shape: Point) -> Places | None:
    """Return the pairs of positions of the data that the layers need, or None for vectors.

    Pairs of equal positions are among them. If a layer needs the whole kernel, all pairs are, as a matrix.
    """
    if not shape:
        return None
    if any(layer.whole for layer in layers):
        return of_shape(shape)
    offsets: tuple[int, ...] = (0,)
    for layer, before in zip(reversed(layers), reversed(shapes(layers, shape)[:-1]), strict=True):
        offsets = tuple(sorted({0, *needs(layer, before, offsets)}))
    return Places(shape, offsets)


@singledispatch
def needs(layer: Layer, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the offsets of the pairs of positions in front of a layer that these offsets behind are computed from."""
    return offsets


def swept(layers: Iterable[Layer]) -> list[Any]:
    """Return all parameters that may be arrays, of the layers and of the layers inside them."""
    return [value for layer in each(layers) for value in swept_of(layer).values()]


@singledispatch
def swept_of(owner: Any) -> Mapping[str, Any]:
    """Return the parameters of a layer that may be arrays, an entry for each network of a sweep, by their names."""
    return {}


@swept_of.register
def _(owner: Dense) -> Mapping[str, Any]:
    return {"sigma_w2": owner.sigma_w2, "sigma_b2": owner.sigma_b2}


@swept_of.register
def _(owner: Activation) -> Mapping[str, Any]:
    return dict(owner.parameters)


@swept_of.register
def _(owner: GaussianInputs) -> Mapping[str, Any]:
    return {"shift": owner.shift, "variance": owner.variance}


@singledispatch
def products(layer: Layer, units: int) -> int:
    """Return the number of products that make one unit at one position of so many units in front of a layer."""
    return 0


@products.register
def _(layer: Dense, units: int) -> int:
    return units


@singledispatch
def split(layer: Layer, units: int) -> list[int]:
    """Return the numbers of units behind the ways inside a layer that make so many units behind it."""
    return [units] * len(layer.ways)


@singledispatch
def joined(layer: Layer, units: Sequence[int]) -> int:
    """Return the number of units behind a layer from those behind the ways inside it: the inverse of `split`."""
    return units[0]


@singledispatch
def mapped(layer: Layer, change: Callable[[tuple[Layer, ...]], tuple[Layer, ...]]) -> Layer:
    """Return a layer with `change` applied to each of its chains of inner layers; most layers have none."""
    return layer


def segments(layers: Sequence[Layer]) -> Iterator[tuple[list[Layer], Dense]]:
    """Yield every Dense in the row, and the layers in front of it, from the Dense before it on."""
    hidden: list[Layer] = []
    for layer in layers:
        if isinstance(layer, Dense):
            yield hidden, layer
            hidden = []
        else:
            hidden.append(layer)


def weighing(layers: Iterable[Layer]) -> Iterator[Layer]:
    """Yield the layers with weights, in the order in which finite networks draw them, as often as they stand there."""
    for layer in layers:
        if layer.ways:
            yield from weighing(layer.inner)
        elif layer.weighs:
            yield layer


def weigh(layers: Iterable[Layer]) -> bool:
    """Return whether one of the layers has weights, so that every path through all of them does."""
    return any(layer.weighs for layer in layers)


def each(layers: Iterable[Layer]) -> Iterator[Layer]:
    """Yield all layers, also the layers inside residual blocks; a layer in several places counts once."""
    for layer in {id(layer): layer for layer in layers}.values():
        yield layer
        if layer.inner:
            yield from each(layer.inner)


def functions(layers: Iterable[Layer]) -> list[Function]:
    """Return the functions of all activations."""
    return [phi for layer in each(layers) if (phi := phi_of(layer)) is not None]


def unlike(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the layers without repetitions."""
    return tuple({repr(layer): layer for layer in layers}.values())
