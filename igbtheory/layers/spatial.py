"""Layers of images and sequences, among them those that average over positions: windows, pools and flattening."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, NoReturn

import numpy as np

from igbtheory.layers.chain import needs
from igbtheory.layers.general import drawn
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode, Node
from igbtheory.layers.nodes.places import VECTORS, Places, Point, Window, behind, offsets_read
from igbtheory.mathematics.averages.each import Each
from igbtheory.mathematics.averages.state import Pairs

WHAT = {1: "sequences", 2: "images"}
"""Name of data by the number of their axes of positions."""
DRAWN = {
    1: "numpy.random.default_rng(0).normal(size=(100, 8, 16))",
    2: "igb.gaussian_images(100, 3, 8, 8, correlation_length=2.0)",
}
"""How to draw such data."""


class OfData(Layer, ABC):
    """A layer of images or sequences, which has no law of Gaussian inputs.

    axes: the number of axes of positions, 1 of sequences and 2 of images.
    """

    axes: ClassVar[int] = 2

    def rule(self, node: Node[Any]) -> Node[Any]:
        if node.base.on_data:
            return self.kernel(node)
        raise ValueError(
            f"expected a data set in front of {self!r}, got Gaussian inputs: few channels do not average out, so that "
            f"there is no law; draw {WHAT[self.axes]}, for example {DRAWN[self.axes]}"
        )

    def kernel(self, node: KernelNode) -> KernelNode:
        """Return the node behind the layer on a given data set, by default estimated from draws."""
        return drawn(self, node)


class OfTokens(OfData, ABC):
    """A layer of sequences whose kernel needs all positions of all data at once."""

    axes = 1
    whole = True

    def in_front_of(self, shape: Point) -> int:
        """Return the number of tokens in front of the layer. Vectors and images are refused."""
        if len(shape) != 1:
            raise ValueError(
                f"expected sequences (n_samples, tokens, features) in front of {self!r}, got "
                f"{'images' if shape else 'vectors'}; put PatchEmbedding(2) in front of it"
            )
        return shape[0]


class Spatial(OfData, ABC):
    """A layer whose kernel is a mean over pairs of positions, exact in infinite width.

    apart: True if the variance behind the layer needs pairs of different positions of one datum. A block of pairs of
    two data does not hold these pairs, so `blocks` computes the variance from the kernel of each datum with itself.
    """

    apart: ClassVar[bool] = False

    @abstractmethod
    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        """Return the offsets of the pairs of positions in front that these offsets behind are computed from."""

    @abstractmethod
    def behind_places(self, before: Places) -> Places:
        """Return the pairs of positions behind the layer that can be computed from those in front."""

    @abstractmethod
    def mean(self, values: Any, before: Places, after: Places) -> Any:
        """Return the second moments behind the layer from those in front, both arrays over pairs of positions."""

    @abstractmethod
    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        """Return the means behind the layer of values at single positions, shape (1, positions, data a, data b)."""

    def kernel(self, node: KernelNode) -> KernelNode:
        before = node.places or VECTORS
        after = self.behind_places(before)
        return replace(
            node.remade(self, self.moved(node.averaged(), before, after)), places=after if after.shape else None
        )

    def moved(self, x: Pairs, before: Places, after: Places) -> Pairs:
        """Return the second moments behind the layer."""
        mean = self._means(x.mean, before, after)
        if before.whole:
            held = replace(before, offsets=self.needs(before.shape, after.offsets))

            def moved(q_ab: Any) -> Any:
                return after.gathered(self.mean(held.paired(q_ab), held, after))

            moments = x.linear(moved, x.square, mean=mean)
            if self.apart:
                draws = max(x.errors.draws, x.errors.pools)
                moments = replace(moments, errors=replace(moments.errors, draws=draws))
            q = np.diagonal(moments.q_ab)
            return replace(moments, q_a=q[:, None], q_b=q[None, :], same=np.eye(len(q), dtype=bool))
        same = np.zeros((len(after.offsets), *np.shape(x.same)[1:]), dtype=bool)
        same[0] = x.same[0]
        moments = replace(x.linear(lambda q_ab: self.mean(q_ab, before, after), x.square, mean), same=same)
        squares = [moments.q_ab] * 2 if self.apart else [self.at_one(q, before, after) for q in (x.q_a, x.q_b[:1])]
        if after.shape:
            return replace(moments, q_a=squares[0][:1], q_b=squares[1][0][after.second])
        ended = moments.linear(lambda q_ab: q_ab[0, 0], Each(*(square[0, 0] for square in squares)))
        return replace(ended, same=same[0, 0])

    def _means(self, means: Each, before: Places, after: Places) -> Each:
        """Return the means behind the layer at the two data of a pair."""
        at_a, at_b = means.a, means.b
        if not np.ndim(at_a):
            return means
        if not before.whole:
            at_a, at_b = (self.at_one(part, before, after) for part in (at_a, at_b[:1]))
            return Each(at_a, at_b[0][after.second]) if after.shape else Each(at_a[0, 0], at_b[0, 0])
        rows = np.reshape(at_a, (-1, prod(before.shape), 1)).transpose(1, 0, 2)[None]
        behind = self.at_one(rows, before, after)[0].transpose(1, 0, 2).reshape(-1, 1)
        return Each(behind, behind.T)


@needs.register
def _(layer: Spatial, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
    return layer.needs(shape, offsets)


class Windowed(Spatial, ABC):
    """A layer that reads windows of positions, one for every position behind it."""

    @property
    @abstractmethod
    def window(self) -> Window:
        """The windows."""

    def positions(self, shape: Point) -> Point:
        window = self.window
        if len(shape) != window.axes:
            refuse_vectors(self, shape, window.axes)
        refuse_small(self, shape, window.span - sum(window.pad))
        return window.behind(shape)

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        return offsets_read(self.window, shape, Places(self.positions(shape), offsets))

    def behind_places(self, before: Places) -> Places:
        return behind(self.window, before, self.positions(before.shape))

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return self.window.mean(values, before, after)

    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        return self.window.at_one(values, before, after)


class Ending(Spatial, ABC):
    """A layer behind which there are vectors."""

    each_unit = True

    def positions(self, shape: Point) -> Point:
        if not shape:
            raise ValueError(
                f"expected images or sequences in front of {self!r}, got vectors; remove it, or pass images "
                "(n_samples, channels, height, width)"
            )
        return ()

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        return (0,)

    def behind_places(self, before: Places) -> Places:
        return Places(self.positions(before.shape), (0,), before.whole)

    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        return self.mean(values, before, after)


def refuse_small(layer: Layer, shape: Point, least: int) -> None:
    """Refuse images with a side shorter than the `least` that a window needs."""
    if least > min(shape):
        raise ValueError(
            f"expected {WHAT[len(shape)]} of at least {lengths([least] * len(shape))} positions in front of {layer!r}, "
            f"got {lengths(shape)} positions; take a smaller kernel, or pool less in front of it"
        )


def lengths(shape: Iterable[int]) -> str:
    """Return the sides of an image as text, such as 8 x 8."""
    return " x ".join(map(str, shape))


def refuse_vectors(layer: Layer, shape: Point, axes: int = 2) -> NoReturn:
    """Refuse data whose positions have another number of axes than the layer reads."""
    wanted = "images (n_samples, channels, height, width)" if axes == 2 else "sequences (n_samples, tokens, features)"
    remedy = "X.reshape(len(X), 1, 8, 8) or igb.gaussian_images(100, 3, 8, 8)" if axes == 2 else "X[:, :, None]"
    raise ValueError(
        f"expected {wanted} in front of {layer!r}, got {('vectors', 'sequences', 'images')[len(shape)]}; pass "
        f"{'images' if axes == 2 else 'sequences'}, for example {remedy}, and move Flatten() or GlobalAvgPool() "
        "behind it"
    )
