"""Residual blocks: a stream to which a branch of layers is added."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.layers.chain import drawn, each
from igbtheory.layers.few import is_few, settled
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.layers.places import Point
from igbtheory.layers.sums import Add, S, add_moments, add_pairs


@final
@dataclass(frozen=True, init=False, repr=False)
class Residual(Layer):
    """Residual block X + scale F(X), F the `layers` in a row.

    Where every path through F contains a Dense, stream and branch are independent: means, var_mu and var_chi add, those
    of the branch times scale, scale^2. Paths of inner blocks that contain none are multiples of X and add linearly.
    F must not change the number of units. Source: bias-meets-trainability-summary (residual networks).
    """

    layers: tuple[Layer, ...]
    scale: Any

    def __init__(self, *layers: Layer, scale: Any = 1.0) -> None:
        for layer in layers:
            if not isinstance(layer, Layer):
                raise TypeError(
                    f"expected layers in a Residual, got {layer!r}; scale is a keyword: Residual(..., scale=1)"
                )
        checks.finite("scale", scale)
        object.__setattr__(self, "layers", layers)
        object.__setattr__(self, "scale", checks.sweep(scale))
        if not (self._weighs or is_few(layers)):
            self._refuse_path()

    @property
    def _weighs(self) -> bool:
        """Whether some layer of the branch makes it independent of the stream."""
        return any(layer.weighs for layer in each(self.layers))

    @property
    def inner(self) -> tuple[Layer, ...]:
        return self.layers

    @property
    def listed(self) -> bool:
        return True

    def positions(self, shape: Point) -> Point:
        found = shape
        for layer in self.layers:
            found = layer.positions(found)
        if found != shape:
            raise ValueError(
                f"expected a branch that keeps the positions of its stream, of shape {shape}, got the shape {found} "
                f"from {self!r}; move strides and pools out of the branch"
            )
        return shape

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        for layer in reversed(self.layers):
            offsets = layer.needs(shape, offsets)
        return offsets

    @property
    def swept(self) -> tuple[Any, ...]:
        return (self.scale,)

    def law(self, node: LawNode) -> LawNode:
        return self.through(node, lambda layer, x: layer.law(x), add_moments)

    def settled(self, rng: Generator) -> Layer:
        return Residual(*settled(self.layers, rng), scale=self.scale)

    def kernel(self, node: KernelNode) -> KernelNode:
        if not self._weighs:  # token mixing alone: a channel of the branch depends on that of the stream
            return super().kernel(node)
        if not node.gaussian and self.layers[0].weighs:  # stream and branch both ask for its average
            node = node.with_moments(node.units, node.averaged(), node.means())
        return self.through(node, lambda layer, x: layer.kernel(x), add_pairs)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del width
        added = drawn(self.layers, x, rng, x.shape[1])
        if added.shape != x.shape:
            raise ValueError(
                f"expected a branch that makes the {x.shape[1]} units of its stream, got {added.shape[1]} from "
                f"{self!r}; end the branch with a Dense, or move the pooling out of it"
            )
        added *= x.dtype.type(self.scale)
        added += x
        return added

    def latex(self) -> str:
        branch = r" \to ".join(layer.latex() for layer in self.layers)
        return rf"x + {self.scale} \left(x \to {branch}\right)"

    def __repr__(self) -> str:
        scale = "" if np.ndim(self.scale) == 0 and self.scale == 1 else f", scale={self.scale!r}"
        return f"Residual({', '.join(map(repr, self.layers))}{scale})"

    def through(self, x: S, face: Callable[[Layer, S], S], add: Add[S]) -> S:
        """Return what the block makes of x: `face` applies a layer to it, `add` adds what is independent."""
        scale = x.n.number(self.scale)
        multiple, added = self.branch(x, face, add)
        return add(x, 1 + scale * multiple, added, scale)

    def branch(self, x: S, face: Callable[[Layer, S], S], add: Add[S]) -> tuple[Any, S]:
        """Return the multiple of x in F(x), and the rest, which is independent of x.

        A Dense makes all of it independent of x; in front of the first one only inner blocks leave a multiple of x.
        """
        total, rest, multiple = x, None, x.n.number(1)
        independent = bent = False
        for layer in self.layers:
            if isinstance(layer, Residual):
                scale = x.n.number(layer.scale)
                inner, added = layer.branch(total, face, add)
                factor = 1 + scale * inner
                total, multiple = add(total, factor, added, scale), multiple * factor
                rest = add(added, x.n.number(0), added, scale) if rest is None else add(rest, factor, added, scale)
            else:
                total = face(layer, total)
                independent = independent or layer.weighs
                bent = bent or not independent
        if independent:
            return x.n.number(0), total
        if rest is None or bent:
            self._refuse_path()
        return multiple, rest

    def _refuse_path(self) -> NoReturn:
        raise ValueError(
            "expected a Dense on every path through the branch of a Residual, so that branch and stream are "
            f"independent, got {self!r}; append Dense(sigma_w2) to its layers"
        )
