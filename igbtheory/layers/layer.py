"""The base class of layers: `samples` defines a layer, and `rule` is optional exact knowledge of it."""

from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.general import drawn
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.places import Point


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

        One sentence serves Gaussian inputs, given data, gradients, training and formulas.
        """
        return drawn(self, node)

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
            if value is not None and (first or weights or np.any(value != field.default)):
                text = repr(value) if isinstance(value, str) else shown_as(value)
                shown.append(text if first else f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def pooled(self) -> int:
        """Units in front of the layer that become one behind it."""
        return 1

    @property
    def listed(self) -> bool:
        """Whether `Prediction.per_layer` lists the moments behind the layer."""
        return False

    @property
    def weighs(self) -> bool:
        """Whether the layer has weights that make its units independent of the units in front."""
        return False

    @property
    def each_unit(self) -> bool:
        """Whether each unit behind the layer is made of one unit in front, or of neighbours.

        Behind a Concat, such a layer acts on the units of each way apart.
        """
        return False

    def positions(self, shape: Point) -> Point:
        """Return the shape of the positions behind the layer: (height, width), (tokens,), or () of vectors.

        shape: of the positions in front. Shapes that the layer cannot read are refused.
        """
        return shape

    @property
    def ways(self) -> "tuple[tuple[Layer, ...], ...]":
        """Layers in rows inside this one, side by side."""
        return ()

    @property
    def inner(self) -> "tuple[Layer, ...]":
        """Layers inside this one."""
        return tuple(layer for way in self.ways for layer in way)

    @property
    def whole(self) -> bool:
        """Whether the kernel behind the layer needs all pairs of data at once."""
        return type(self).rule is Layer.rule or any(layer.whole for layer in self.inner)


def shown_as(value: Any) -> str:
    """Return a parameter as text, and a sweep as its ends and its shape."""
    if not isinstance(value, np.ndarray):
        return str(value)
    return f"{value.flat[0]}...{value.flat[-1]} {value.shape}"


def refuse_sweep(layer: Layer, *parameters: Any) -> None:
    """Refuse to draw units behind a layer one of whose parameters is a sweep."""
    if any(map(np.ndim, parameters)):
        raise ValueError(f"expected one network to draw, got a sweep in {layer!r}; loop over its values")
