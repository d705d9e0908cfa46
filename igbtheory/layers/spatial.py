"""Layers that read several positions of images: what they do to kernels, for each its own means over pairs."""

from abc import ABC, abstractmethod
from dataclasses import replace
from math import prod
from typing import Any, ClassVar, NoReturn

import numpy as np

from igbtheory.averages.state import Pairs
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.layers.places import Places, Point, Window, behind


class Spatial(Layer, ABC):
    """A layer that averages over positions, in infinite width exactly: its kernel is a mean over pairs of positions.

    apart: whether the variance behind the layer needs pairs of different positions of one datum. Pairs of two data do
    not have them, so that whoever computes the kernel puts these variances in, from the kernel of every datum.
    """

    apart: ClassVar[bool] = False

    @abstractmethod
    def behind_places(self, before: Places) -> Places:
        """Return the pairs of positions behind the layer that can be made of those in front."""

    @abstractmethod
    def mean(self, values: Any, before: Places, after: Places) -> Any:
        """Return the second moments behind the layer from those in front, arrays over pairs."""

    @abstractmethod
    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        """Return the same for values at single positions, shape (1, positions, data a, data b)."""

    def law(self, node: LawNode) -> LawNode:
        del node
        raise ValueError(
            f"expected a data set in front of {self!r}, got Gaussian inputs: few channels do not average out, so that "
            "there is no law; draw images, for example igb.gaussian_images(100, 3, 8, 8, correlation_length=2.0)"
        )

    def kernel(self, node: KernelNode) -> KernelNode:
        before = node.places
        if before is None:
            refuse_vectors(self, ())
        after, x = self.behind_places(before), node.averaged()
        values = self.moved(x, before, after)
        if node.gaussian:
            found = node.remade(self, values)
        else:
            found = node.with_moments(self, values, self._means(node.means(), before, after))
        return replace(found, places=after if after.shape else None)

    def moved(self, x: Pairs, before: Places, after: Places) -> Pairs:
        """Return the second moments behind the layer."""
        if before.whole:
            q_ab = after.gathered(self.mean(before.spread(x.q_ab), before, after))
            q = np.real(np.diagonal(q_ab))
            return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=q_ab, same=np.eye(len(q), dtype=bool))
        q_ab = self.mean(x.q_ab, before, after)
        at_a, at_b = (np.real(q_ab),) * 2 if self.apart else (self.at_one(q, before, after) for q in (x.q_a, x.q_b[:1]))
        same = np.zeros((len(after.offsets), *np.shape(x.same)[1:]), dtype=bool)
        same[0] = x.same[0]
        if not after.shape:
            return replace(x, q_a=at_a[0, 0], q_b=at_b[0, 0], q_ab=q_ab[0, 0], same=same[0, 0])
        return replace(x, q_a=at_a[:1], q_b=at_b[0][after.second], q_ab=q_ab, same=same)

    def _means(self, means: tuple[Any, Any], before: Places, after: Places) -> tuple[Any, Any]:
        """Return the means behind the layer at the two data of a pair."""
        at_a, at_b = means
        if not np.ndim(at_a):
            return means
        if not before.whole:
            at_a, at_b = (self.at_one(part, before, after) for part in (at_a, at_b[:1]))
            return (at_a, at_b[0][after.second]) if after.shape else (at_a[0, 0], at_b[0, 0])
        parts = np.reshape(at_a, (-1, prod(before.shape), 1)).transpose(1, 0, 2)[None]
        found = self.at_one(parts, before, after)[0].transpose(1, 0, 2).reshape(-1, 1)
        return found, found.T


class Windowed(Spatial, ABC):
    """A layer that averages over windows of an image."""

    @property
    @abstractmethod
    def window(self) -> Window:
        """The window around every position behind the layer."""

    def needs(self, shape: Point, offsets: tuple[int, ...]) -> tuple[int, ...]:
        found = self.window.offsets(Places(shape, (0,)), Places(self.positions(shape), offsets))
        return tuple(np.unique(found).tolist())

    def behind_places(self, before: Places) -> Places:
        return behind(self.window, before, self.positions(before.shape))

    def mean(self, values: Any, before: Places, after: Places) -> Any:
        return self.window.mean(values, before, after)

    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        return self.window.at_one(values, before, after)


class Ending(Spatial, ABC):
    """A layer behind which there are vectors."""

    def positions(self, shape: Point) -> Point:
        if not shape:
            raise ValueError(
                f"expected images or sequences in front of {self!r}, got vectors; remove it, or pass images "
                "(n_samples, channels, height, width)"
            )
        return ()

    def behind_places(self, before: Places) -> Places:
        return Places((), (0,), before.whole)

    def at_one(self, values: Any, before: Places, after: Places) -> Any:
        return self.mean(values, before, after)


def refuse_vectors(layer: Layer, shape: Point) -> NoReturn:
    """Refuse data whose positions do not have two axes."""
    raise ValueError(
        f"expected images (n_samples, channels, height, width) in front of {layer!r}, got "
        f"{'sequences' if shape else 'vectors'}; pass images, for example X.reshape(len(X), 1, 8, 8) or "
        "igb.gaussian_images(100, 3, 8, 8), and move Flatten() or GlobalAvgPool() behind it"
    )
