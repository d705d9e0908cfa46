"""What the samples of a layer make of drawn units."""

from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.nodes.base import Units
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.places import Places, Point, at_positions, images


class Ruled(Protocol):
    """A layer, as far as nodes know it: `igb.Layer` fulfils it."""

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        """Return the units behind the layer in a finite network."""

    def rule(self, node: Any) -> Any:
        """Return the node behind the layer in infinite width."""

    def positions(self, shape: Point) -> Point:
        """Return the shape of the positions behind the layer."""

    @property
    def pooled(self) -> int:
        """Units in front of the layer that become one behind it."""

    @property
    def weighs(self) -> bool:
        """Whether the layer has weights that make its units independent of the units in front."""

    @property
    def each_unit(self) -> bool:
        """Whether each unit behind the layer is made of one unit in front, or of neighbours."""

    @property
    def listed(self) -> bool:
        """Whether the moments behind the layer are part of a prediction."""

    @property
    def inner(self) -> "tuple[Ruled, ...]":
        """Layers inside this one."""


@singledispatch
def in_front(layer: Ruled, count: int) -> int:
    """Return how many units in front of a layer are drawn so that `count` units stand behind it."""
    return count * layer.pooled


def undrawn(layer: Ruled, x: NDArray[Any]) -> NDArray[Any] | None:
    """Return the samples of units x if a layer draws no random numbers, or None if it draws some."""
    if layer.weighs:
        return None
    rng = np.random.default_rng(0)
    untouched = rng.bit_generator.state
    units = layer.samples(x, rng, 1)
    return units if rng.bit_generator.state == untouched else None


def of_drawn(layer: Ruled, x: Array, places: Places | None, draws: Draws, count: int) -> Array:
    """Return the samples of drawn units, shape (data, units), for images (data x positions, units)."""
    units = layer.samples(images(x, places.shape if places else ()), draws.rng, count)
    if np.ndim(units) < x.ndim:
        shown = type(units).__name__ if np.ndim(units) == 0 else f"one of shape {np.shape(units)}"
        raise TypeError(f"expected samples of {layer!r} to return an array (data, units), got {shown}; return units")
    if np.isnan(units).any() and np.isfinite(x).all():
        raise ValueError(
            f"expected samples of {layer!r} to return numbers, got nan from finite units; change samples where they "
            "are not defined, for example for negative units"
        )
    return at_positions(units)


def drawing(layer: Ruled, node: Any) -> Units:
    """Return the function that draws units behind a layer: its samples of drawn units of the node in front."""

    def drawn(draws: Draws, count: int) -> Array:
        x = node.units(draws, in_front(layer, count))
        return _at_each_point(lambda x: of_drawn(layer, x, node.places, draws, count), x)[..., :count]

    return drawn


behind = singledispatch(drawing)
"""Draw units behind a layer; most layers draw their samples."""


def _at_each_point(samples: Any, x: Array) -> Array:
    """Return the samples of units (*sweep, data, count), point by point of a sweep."""
    if x.ndim == 2:
        return np.asarray(samples(x), dtype=float)
    return np.stack([_at_each_point(samples, point) for point in x])
