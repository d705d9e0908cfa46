"""Residual blocks, which add a branch of layers to their stream."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import each, mapped, swept_of, weigh
from igbtheory.layers.few import is_few
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.nodes.sums import add
from igbtheory.layers.ways import TwoWays


@final
@dataclass(frozen=True, init=False, repr=False)
class Residual(TwoWays):
    """Residual block S(X) + scale F(X): F the `layers` in a row, S the layers of the `shortcut`; default: S(X) = X.

    If every path through F, or every path through S, contains a Dense, F and S are independent: the means of S and
    scale F add, and so do their var_mu and var_chi. Without a shortcut, paths of inner blocks without a Dense are
    multiples of X and add linearly. F and S make equally many units at the same positions.
    Source: bias-meets-trainability-summary (residual networks).

    layers: those of F, from the input on. scale: the factor of F, a number or an array for a sweep. shortcut: a layer
    or a sequence of layers S.

    >>> block = igb.Residual(igb.Activation("relu"), igb.Dense(2.0), scale=0.5)
    >>> print(f"{igb.Network(igb.Dense(), block, igb.Dense()).predict().gamma:.4f}")
    0.0680
    """

    layers: tuple[Layer, ...]
    scale: Any
    shortcut: tuple[Layer, ...]

    def __init__(self, *layers: Layer, scale: Any = 1.0, shortcut: Layer | Sequence[Layer] = ()) -> None:
        self._join(layers, shortcut, "scale=1")
        checks.finite("scale", scale)
        object.__setattr__(self, "scale", checks.sweep(scale))
        if not (self.independent or is_few(self) or self._joins_positions):
            self._refuse_path()

    @property
    def independent(self) -> bool:
        """Whether weights make branch and stream independent; `branch` checks paths through inner blocks."""
        if self.shortcut:
            return weigh(self.layers) or weigh(self.shortcut)
        return weigh(each(self.layers))

    def refuse_shapes(self, shapes: list[Point]) -> None:
        behind, stream = shapes
        raise ValueError(
            f"expected a branch that keeps the positions of its stream, of shape {stream}, got the shape {behind} "
            f"from {self!r}; move strides and pools out of the branch, or give it a shortcut that has them, too"
        )

    def rule(self, node: Node[Any]) -> Node[Any]:
        if not self.independent:  # such as token mixing alone: a channel of the branch depends on that of the stream
            return super().rule(node)
        scale = node.n.number(self.scale)
        if self.shortcut:
            return add(node.through(self.shortcut), node.n.number(1), node.through(self.layers), scale)
        multiple, rest = self.branch(node)
        return add(node, 1 + scale * multiple, rest, scale)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        added, stream = self._drawn(x, rng, width)
        total: NDArray[Any] = added * x.dtype.type(self.scale)
        total += stream
        return total

    def latex(self) -> str:
        return self._formula(f"+ {self.scale}")

    def __repr__(self) -> str:
        usual = np.ndim(self.scale) == 0 and self.scale == 1
        return self._shown(*([] if usual else [f"scale={self.scale!r}"]))

    def branch(self, x: Node[Any]) -> tuple[Any, Node[Any]]:
        """Return the multiple of x that F(x) contains, and the rest of F(x), which is independent of x.

        Behind a Dense, F(x) is independent of x; only inner blocks in front of the first Dense leave a multiple of x.
        """
        total, rest, multiple = x, None, x.n.number(1)
        apart = bent = False
        for layer in self.layers:
            if isinstance(layer, Residual) and not layer.shortcut:
                scale = x.n.number(layer.scale)
                inner, added = layer.branch(total)
                factor = 1 + scale * inner
                total, multiple = add(total, factor, added, scale), multiple * factor
                rest = add(added, x.n.number(0), added, scale) if rest is None else add(rest, factor, added, scale)
                total.passage.show(layer, total)
            else:
                total = total.through((layer,))
                apart = apart or layer.weighs
                bent = bent or not apart
        if apart:
            return x.n.number(0), total
        if rest is None or bent:
            self._refuse_path()
        return multiple, rest

    def _refuse_path(self) -> NoReturn:
        raise ValueError(
            "expected a Dense on every path through the branch of a Residual, so that branch and stream are "
            f"independent, got {self!r}; append Dense(sigma_w2) to its layers"
        )


@mapped.register
def _(layer: Residual, change: Callable[[tuple[Layer, ...]], tuple[Layer, ...]]) -> Residual:
    return Residual(*change(layer.layers), scale=layer.scale, shortcut=change(layer.shortcut))


@swept_of.register
def _(owner: Residual) -> Mapping[str, Any]:
    return {"scale": owner.scale}
