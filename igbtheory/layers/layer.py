"""The base class of layers: `samples` defines a layer, and `rule` is optional exact knowledge of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.general import drawn
from igbtheory.layers.nodes.base import Units
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.places import Places, Point, at_positions, images
from igbtheory.mathematics.formulas.function import Function


class Layer(ABC):
    """A layer, defined by what it does to the units of a finite network.

    A subclass needs only `samples`. Without a `rule` in infinite width, the units behind the layer are estimated from
    draws of the units in front, and the prediction reports the error.

    >>> import dataclasses
    >>> @dataclasses.dataclass(frozen=True)
    ... class Scale(igb.Layer):
    ...     factor: float
    ...     def samples(self, x, rng, width):
    ...         return self.factor * x
    ...     def rule(self, node):
    ...         return node.times_number(self.factor)
    >>> print(f"{igb.Network(igb.Dense(), Scale(3.0), igb.Dense()).predict().var_chi:.1f}")
    36.0
    """

    @abstractmethod
    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        """Return the units behind the layer in a finite network that is drawn from `rng`.

        x holds the units in front. x and the result have the same type and the shape (n_samples, units), for images
        (n_samples, channels, height, width), for sequences (n_samples, units, tokens). width is the number of units
        that a layer with weights of its own makes.
        """

    def rule(self, node: Node[Any]) -> Node[Any]:
        """Return the node behind the layer in infinite width, by the verbs of the node in front of it.

        One sentence serves Gaussian inputs, given data, gradients, training and formulas. Layers that were written
        before there was a `rule` have a `law` for Gaussian inputs and a `kernel` for given data in its place.
        """
        older = "kernel" if node.base.on_data else "law"
        if not self._writes(older):
            return drawn(self, node)
        if node.passage.gradients:
            raise ValueError(
                f"expected a rule of {self!r} for gradients, got its {older} alone, which does not tell what becomes "
                "of two data that are close; write rule(node), for example return node.times_number(2.0)"
            )
        behind: Node[Any] = getattr(self, older)(node)
        return behind

    def _writes(self, name: str) -> bool:
        """Return whether the class of the layer has a method of this name."""
        return callable(getattr(type(self), name, None))

    def latex(self) -> str:
        """Return the layer as a formula."""
        return rf"\text{{{self!r}}}"

    def __repr__(self) -> str:
        """Print the first parameter of a dataclass, nonzero variances, and what differs from its default."""
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
    def function(self) -> Function | None:
        """The function that an activation applies to every unit, None for other layers."""
        return None

    @property
    def noisy(self) -> bool:
        """Whether the layer adds noise to every datum in training mode, and is the identity in evaluation mode."""
        return False

    @property
    def pooled(self) -> int:
        """Units in front of the layer that become one behind it."""
        return 1

    def in_front(self, count: int) -> int:
        """Return the number of units in front of the layer that are drawn for `count` units behind it."""
        return count * self.pooled

    def products(self, units: int) -> int:
        """Return the number of products that make one unit at one position of so many units in front of the layer."""
        return 0

    @property
    def listed(self) -> bool:
        """Whether `Prediction.per_layer` lists the moments behind the layer."""
        return False

    @property
    def worlds(self) -> int | None:
        """The number of different draws of the few weights; None if there are as many as are wanted."""
        return None

    @property
    def weighs(self) -> bool:
        """Whether the layer has weights that make its units independent of the units in front."""
        return False

    @property
    def matrices(self) -> int | None:
        """The number m if layer(b x; a weights) = a^m b layer(x; weights) for all a, b > 0; None if there is none."""
        return 0 if self.noisy else None

    @property
    def each_unit(self) -> bool:
        """Whether each unit behind the layer is made of one unit in front, or of neighbours.

        Behind a Concat, such a layer acts on the units of each way apart.
        """
        return False

    @property
    def of_positions(self) -> bool:
        """Whether the layer is one of images or sequences, which has no law of Gaussian inputs."""
        return False

    def read_out(self, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
        """Return units x and variances sigma_w2, sigma_b2, such that a Dense makes of x the moments behind the layer.

        before, behind: samples in front of the layer and behind it. Moments behind a Dense are averages over its own
        weights; those of the units behind other layers are moments behind a Dense(1.0) that reads them.
        """
        return behind, 1.0, 0.0

    def condensed(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return data with fewer units than the data x, behind which the layer has the same law, or x."""
        return x

    @property
    def keeps_shifts(self) -> bool:
        """Whether a constant that is added to all units in front is added to the units behind."""
        return False

    @property
    def keeps_averages(self) -> bool:
        """Whether averages over all units and positions are the same behind the layer as in front of it."""
        return False

    def in_batches(self, size: int) -> "Layer":
        """Return the layer with batches of `size` data where it has the full batch; most layers have no batches."""
        return self

    def positions(self, shape: Point) -> Point:
        """Return the shape of the positions behind the layer: (height, width), (tokens,), or () of vectors.

        shape: of the positions in front. Shapes that the layer cannot read are refused.
        """
        return shape

    def data_made(self, shape: Point) -> int:
        """Return the number of data behind the layer that one datum with these positions in front becomes."""
        return 1

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        """Return the offsets of the pairs of positions in front that these offsets behind are computed from."""
        return offsets

    @property
    def swept(self) -> Mapping[str, Any]:
        """Parameters that may be arrays, with one entry for each network of a sweep, by their names."""
        return {}

    @property
    def ways(self) -> "tuple[tuple[Layer, ...], ...]":
        """Layers in rows inside this one, side by side."""
        return ()

    def split(self, units: int) -> list[int]:
        """Return the numbers of units behind the ways inside the layer that make so many units behind it."""
        return [units] * len(self.ways)

    def joined(self, units: Sequence[int]) -> int:
        """Return the number of units behind the layer from those behind the ways inside it: the inverse of `split`."""
        return units[0]

    @property
    def inner(self) -> "tuple[Layer, ...]":
        """Layers inside this one."""
        return tuple(layer for way in self.ways for layer in way)

    @property
    def whole(self) -> bool:
        """Whether the kernel behind the layer needs all pairs of data at once."""
        ruled = type(self).rule is not Layer.rule or self._writes("kernel")
        return not ruled or any(layer.whole for layer in self.inner)

    @property
    def few(self) -> bool:
        """Whether the layer has weights that do not average out in infinite width: see `layers.few`."""
        return any(layer.few for layer in self.inner)

    def settled(self, rng: Generator) -> "Layer":
        """Return the layer with its few weights drawn; most layers have none."""
        return self.mapped(lambda layers: tuple(layer.settled(rng) for layer in layers))

    def mapped(self, change: Callable[["tuple[Layer, ...]"], "tuple[Layer, ...]"]) -> "Layer":
        """Return the layer with `change` applied to each of its chains of inner layers; most layers have none."""
        return self

    @property
    def reads_ids(self) -> bool:
        """Whether the layer reads the ids of tokens, whole numbers of shape (n_samples, tokens), and stands first."""
        return False

    @property
    def selects(self) -> bool:
        """Whether behind the layer stand positions of those in front of it, with the same units."""
        return False

    def around(self, embedding: NDArray[Any], total: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Return the variance behind the layer of the embedding of the token at each position, without branches.

        embedding: that in front; total: computes that of all units in front. ValueError: the layer turns the embedding
        into other directions.
        """
        raise ValueError(
            "expected embeddings, residual blocks and norms in front of an output with tied weights, got "
            f"{self!r}; leave tied out"
        )

    def undrawn(self, x: NDArray[Any]) -> NDArray[Any] | None:
        """Return the samples of units x if the layer draws no random numbers, or None if it draws some."""
        if self.weighs:
            return None
        rng = np.random.default_rng(0)
        untouched = rng.bit_generator.state
        units = self.samples(x, rng, 1)
        return units if rng.bit_generator.state == untouched else None

    def reading(self, x: NDArray[Any]) -> "tuple[Layer, NDArray[Any]]":
        """Return a layer and data with fewer positions, from which it makes what this layer makes of the data x."""
        return self, x

    def of_units(self, x: Array, places: Places | None, draws: Draws, count: int) -> Array:
        """Return the samples of drawn units, shape (data, units), for images (data x positions, units)."""
        units = self.samples(images(x, places.shape if places else ()), draws.rng, count)
        if np.ndim(units) < x.ndim:
            shown = type(units).__name__ if np.ndim(units) == 0 else f"one of shape {np.shape(units)}"
            raise TypeError(f"expected samples of {self!r} to return an array (data, units), got {shown}; return units")
        if np.isnan(units).any() and np.isfinite(x).all():
            raise ValueError(
                f"expected samples of {self!r} to return numbers, got nan from finite units; change samples where they "
                "are not defined, for example for negative units"
            )
        return at_positions(units)

    def behind(self, node: Node[Any]) -> Units:
        """Return the function that draws units behind the layer: its samples of drawn units of the node in front."""

        def drawn(draws: Draws, count: int) -> Array:
            x = node.units(draws, self.in_front(count))
            return at_each_point(lambda x: self.of_units(x, node.places, draws, count), x)[..., :count]

        return drawn


def at_each_point(samples: Any, x: Array) -> Array:
    """Return the samples of units (*sweep, data, count), point by point of a sweep."""
    if x.ndim == 2:
        return np.asarray(samples(x), dtype=float)
    return np.stack([at_each_point(samples, point) for point in x])
