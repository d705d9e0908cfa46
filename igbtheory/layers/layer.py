"""Layers: `samples` defines a layer, `law` and `kernel` are optional exact knowledge of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.base import Units
from igbtheory.layers.draws import Array, Draws
from igbtheory.layers.general import drawn_kernel, drawn_law
from igbtheory.layers.node import KernelNode, LawNode, Node
from igbtheory.layers.places import Places, Point, at_positions


class Layer(ABC):
    """A layer, defined by what it does to the units of a finite network.

    A subclass needs `samples` alone. Where its `law` and its `kernel` in infinite width have no formula, they are
    estimated from draws of the units in front of it, and the prediction reports their error.
    """

    @abstractmethod
    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        """Return what the layer makes of units at data, in a finite network drawn from `rng`.

        x and the result have the shape (n_samples, units) and the same type, (n_samples, channels, height, width) for
        images, (n_samples, units, tokens) for sequences. width is the number of units to make, for a layer that has
        weights of its own.
        """

    def law(self, node: LawNode) -> LawNode:
        """Return the law of a unit behind the layer, for Gaussian inputs in infinite width."""
        return drawn_law(self, node)

    def kernel(self, node: KernelNode) -> KernelNode:
        """Return the kernel behind the layer, for a given data set in infinite width."""
        return drawn_kernel(self, node)

    def latex(self) -> str:
        """Return the layer as a formula."""
        return rf"\text{{{self!r}}}"

    def __repr__(self) -> str:
        """Print the parameters of a dataclass: the first, variances other than 0, and what differs from its default."""
        if not is_dataclass(self):
            return super().__repr__()
        shown = []
        for i, field in enumerate(field for field in fields(self) if field.repr):
            value = getattr(self, field.name)
            first, weights = i == 0 and field.name != "eps", field.name.startswith("sigma_") and value
            if value is not None and (first or weights or value != field.default):
                text = repr(value) if isinstance(value, str) else str(value)
                shown.append(text if first else f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def pooled(self) -> int:
        """Units in front of the layer that become one behind it."""
        return 1

    def in_front(self, count: int) -> int:
        """Return how many units in front of the layer are drawn for `count` units behind it."""
        return count * self.pooled

    @property
    def listed(self) -> bool:
        """Whether `Prediction.per_layer` lists the moments behind the layer."""
        return False

    @property
    def weighs(self) -> bool:
        """Whether the layer has weights that make its units independent of those in front."""
        return False

    def positions(self, shape: Point) -> Point:
        """Return the positions behind the layer from those in front: (height, width), (tokens,), or () of vectors."""
        return shape

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        """Return the offsets of pairs of positions in front, of this shape, that those behind are made of."""
        return offsets

    @property
    def swept(self) -> tuple[Any, ...]:
        """Parameters that may be arrays, with one number for each network of a sweep."""
        return ()

    @property
    def inner(self) -> "tuple[Layer, ...]":
        """Layers inside this one."""
        return ()

    @property
    def whole(self) -> bool:
        """Whether the kernel behind the layer needs all pairs of data at once."""
        return type(self).kernel is Layer.kernel or any(layer.whole for layer in self.inner)

    @property
    def few(self) -> bool:
        """Whether the layer has weights that do not average out however wide the network is: see `layers.few`."""
        return any(layer.few for layer in self.inner)

    def settled(self, rng: Generator) -> "Layer":
        """Return the layer with the few weights drawn that do not average out; most layers have none."""
        return self.mapped(lambda layers: tuple(layer.settled(rng) for layer in layers))

    def mapped(self, change: Callable[["tuple[Layer, ...]"], "tuple[Layer, ...]"]) -> "Layer":
        """Return the layer with each of its chains of inner layers changed; most layers have none."""
        return self

    def undrawn(self, x: NDArray[Any], width: int) -> NDArray[Any] | None:
        """Return what the layer makes of units if it draws no random numbers, None if it draws some."""
        if self.weighs:
            return None
        rng = np.random.default_rng(0)
        untouched = rng.bit_generator.state
        found = self.samples(x, rng, width)
        return found if rng.bit_generator.state == untouched else None

    def reading(self, x: NDArray[Any]) -> "tuple[Layer, NDArray[Any]]":
        """Return a layer and units of the data x that make of them what this layer makes of x: fewer positions."""
        return self, x

    def of_units(self, x: Array, places: Places | None, draws: Draws, count: int) -> Array:
        """Return the samples of drawn units, shape (data, units), of images (data x positions, units)."""
        found = self.samples(x if places is None else places.images(x), draws.rng, count)
        if np.ndim(found) < x.ndim:
            shown = type(found).__name__ if np.ndim(found) == 0 else f"one of shape {np.shape(found)}"
            raise TypeError(f"expected samples of {self!r} to return an array (data, units), got {shown}; return units")
        if np.isnan(found).any() and np.isfinite(x).all():
            raise ValueError(
                f"expected samples of {self!r} to return numbers, got nan from finite units; change samples where they "
                "are not defined, for example for negative units"
            )
        return at_positions(found)

    def behind(self, node: Node[Any]) -> Units:
        """Return what draws units behind the layer: its samples, of units of the node in front of it."""

        def drawn(draws: Draws, count: int) -> Array:
            x = node.units(draws, self.in_front(count))
            return at_each_point(lambda x: self.of_units(x, node.places, draws, count), x)[..., :count]

        return drawn


def at_each_point(samples: Any, x: Array) -> Array:
    """Samples of units (data, count) at each point of a sweep, whose axes stand in front."""
    if x.ndim == 2:
        return np.asarray(samples(x), dtype=float)
    return np.stack([at_each_point(samples, point) for point in x])
