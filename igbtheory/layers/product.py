"""Products of a stream and a branch, such as squeeze-and-excite."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.chain import mapped, weigh
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.mixture import mixture, paired
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.positions import Spread
from igbtheory.layers.spatial import Ending
from igbtheory.layers.ways import TwoWays


@final
@dataclass(frozen=True, init=False, repr=False)
class Product(TwoWays):
    """Product S(X) F(X), unit by unit: F the `layers` in a row, S the layers of the `shortcut`; default: S(X) = X.

    Every path through F, or every path through S, has weights, so that F and S are independent and second moments are
    products: q_ab = q_ab(S) q_ab(F). If there are vectors behind F and positions behind S, the factor is the same at
    all of them: Product(GlobalAvgPool(), Dense(2.0), Activation("relu"), Dense(2.0), Activation("sigmoid")).
    Source: Hu et al. 2018, Squeeze-and-excitation networks.

    layers: those of F, from the input on. shortcut: a layer or a sequence of layers S.

    >>> gate = igb.Product(igb.Dense(), igb.Activation("sigmoid"))
    >>> print(f"{igb.Network(igb.Dense(), gate, igb.Dense()).predict().gamma:.4f}")
    0.0000
    """

    layers: tuple[Layer, ...]
    shortcut: tuple[Layer, ...]

    def __init__(self, *layers: Layer, shortcut: Layer | Sequence[Layer] = ()) -> None:
        self._join(layers, shortcut, "shortcut=Dense(1.0)")
        if not (any(map(weigh, self.ways)) or self._joins_positions):
            raise ValueError(
                f"expected a Dense in the branch or in the shortcut of a Product, so that they are independent, got "
                f"{self!r}; put Dense(sigma_w2) into its layers, or write a function of one unit as an Activation"
            )

    @property
    def whole(self) -> bool:
        return super().whole or any(map(_ends, self.ways))

    def positions(self, shape: Point) -> Point:
        branch, stream = self.behind_ways(shape)
        if branch != stream and prod(branch) > 1:
            raise ValueError(
                f"expected a branch with one position, or with those of its stream, of shape {stream}, got the shape "
                f"{branch} from {self!r}; end the branch with GlobalAvgPool(), or give both the same strides"
            )
        return stream

    def rule(self, node: Node[Any]) -> Node[Any]:
        if not any(map(weigh, self.ways)):  # such as a gate behind a depthwise convolution
            return super().rule(node)
        stream, factor = node.through(self.shortcut), node.through(self.layers)
        if factor.shape != stream.shape:
            factor = Spread(stream.shape).rule(factor)
        kinds = paired(stream, factor)
        if kinds is None:
            raise ValueError(
                f"expected units of one kind behind the branch or the shortcut of a Product, got those of two Concat "
                f"in {self!r}; put a Dense behind the Concat in its branch"
            )
        return mixture([(share, one.times(other)) for share, one, other in kinds])

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        factor, stream = self._drawn(x, rng, width)
        if factor.shape != stream.shape:
            factor = Spread(stream.shape[2:]).samples(factor, rng, width)
        return np.asarray(stream * factor)

    def latex(self) -> str:
        return self._formula(r"\cdot")

    def __repr__(self) -> str:
        return self._shown()


@mapped.register
def _(layer: Product, change: Callable[[tuple[Layer, ...]], tuple[Layer, ...]]) -> Product:
    return Product(*change(layer.layers), shortcut=change(layer.shortcut))


def _ends(way: tuple[Layer, ...]) -> bool:
    """Return whether there are vectors behind a way, whatever is in front."""
    return any(isinstance(layer, Ending) for layer in way)
