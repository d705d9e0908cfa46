"""Layers in a row: the units that each Dense must make, and samples through all."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.layer import Layer
from igbtheory.layers.places import Places, Point, of_shape


def read_by_next(layers: Sequence[Layer]) -> int:
    """Return how many units in front of the `layers` make one that the next Dense reads, by pooling."""
    pooled = []
    for layer in layers:
        if layer.weighs:
            break
        pooled.append(layer.pooled)
    return prod(pooled)


def widths(layers: Sequence[Layer], width: int) -> list[int]:
    """Return the units that each layer makes where it makes them itself, so that every Dense reads `width`."""
    return [width * read_by_next(layers[i + 1 :]) for i in range(len(layers))]


def drawn(layers: Sequence[Layer], x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
    """Return samples behind the layers; every Dense but the first reads `width` units, and so does what follows."""
    for layer, units in zip(layers, widths(layers, width), strict=True):
        x = layer.samples(x, rng, units)
    return x


def behind_undrawn(layers: Sequence[Layer], x: NDArray[Any]) -> tuple[tuple[Layer, ...], NDArray[Any]]:
    """Return the layers from the first one on that draws random numbers, and what those in front make of the data x.

    They do the same in every network. The first layer may stand for another one, see `Layer.reading`.
    """
    for i, layer in enumerate(layers):
        found = layer.undrawn(x, 1)
        if found is None:
            first, x = layer.reading(x)
            return (first, *layers[i + 1 :]), x
        x = found
    return (), x


def shapes(layers: Sequence[Layer], shape: Point) -> list[Point]:
    """Return the positions in front of each layer, and behind the last one, where there must be none."""
    found = [shape]
    for layer in layers:
        found.append(layer.positions(found[-1]))
    if found[-1]:
        raise ValueError(
            f"expected vectors in front of the output {layers[-1]!r}, got sequences; put Flatten() or GlobalAvgPool() "
            "in front of it"
        )
    return found


def needed(layers: Sequence[Layer], shape: Point) -> Places | None:
    """Return the pairs of positions of the data that the layers need, None for vectors.

    Equal positions are among them. A layer that needs the kernel as a whole needs all pairs, as a matrix.
    """
    if not shape:
        return None
    if any(layer.whole for layer in layers):
        return of_shape(shape)
    offsets: tuple[int, ...] = (0,)
    for layer, before in zip(reversed(layers), reversed(shapes(layers, shape)[:-1]), strict=True):
        offsets = tuple(sorted({0, *layer.needs(before, offsets)}))
    return Places(shape, offsets)


def swept(layers: Iterable[Layer]) -> list[Any]:
    """Return all parameters that may be arrays, of the layers and of those inside them."""
    return [value for layer in each(layers) for value in layer.swept]


def each(layers: Iterable[Layer]) -> Iterator[Layer]:
    """All layers, also those inside residual blocks; one that stands in many places counts once."""
    for layer in {id(layer): layer for layer in layers}.values():
        yield layer
        if layer.inner:
            yield from each(layer.inner)


def unlike(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the layers, of which equal ones count once."""
    return tuple({repr(layer): layer for layer in layers}.values())
