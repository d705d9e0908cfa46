"""Convolutions of images and sequences, with independent Gaussian weights and biases."""

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import product
from igbtheory.layers.chain import products, reading
from igbtheory.layers.dense import Dense, condenses
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import GaussianPairs
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import VECTORS, Point, Window, images
from igbtheory.layers.spatial import WHAT, Windowed, lengths, refuse_small
from igbtheory.mathematics.averages.state import CENTRED, Pairs

PADDINGS = ("zeros", "circular")


@dataclass(frozen=True, init=False, repr=False)
class Convolution(Windowed, ABC):
    """Convolution Z_i(p) = sum_j sum_d W_ij(d) X_j(stride p + d) + B_i, a window has `size` points d along each axis.

    W_ij(d) ~ N(0, sigma_w2/(points of the window x channels j)), B_i ~ N(0, sigma_b2): q_ab(p, p') = sigma_w2
    <q_ab(stride p + d, stride p' + d)>_d + sigma_b2. padding: "zeros" or "circular", with which a stride of 1 keeps the
    positions, or the number of zeros beyond each edge, as in PyTorch. groups: the channels are divided into so many
    parts, each of which reads its own part of the channels in front. dilation: distance between neighbouring points of
    the window.
    """

    size: int
    stride: int = 1
    padding: str | int = "zeros"
    sigma_w2: Any = 2.0
    sigma_b2: Any = 0.0
    groups: int = 1
    dilation: int = 1

    listed = True

    def __init__(
        self,
        kernel: int,
        stride: int = 1,
        padding: str | int = "zeros",
        sigma_w2: Any = 2.0,
        sigma_b2: Any = 0.0,
        groups: int = 1,
        *,
        dilation: int = 1,
    ) -> None:
        for name, value in (("sigma_w2", sigma_w2), ("sigma_b2", sigma_b2)):
            checks.variance(name, value, f"a {type(self).__name__}")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "size", checks.counted("kernel", kernel, 1, variance="sigma_w2"))
        for name, value in (("stride", stride), ("groups", groups), ("dilation", dilation)):
            object.__setattr__(self, name, checks.counted(name, value, 1, variance="sigma_w2"))
        named = isinstance(padding, str)
        pad = checks.known("padding", padding, PADDINGS) if named else checks.counted("padding", padding, 0)
        object.__setattr__(self, "padding", pad)

    @property
    def weighs(self) -> bool:
        return True

    @cached_property
    def window(self) -> Window:
        reach = self.dilation * (self.size - 1)
        pad = (reach // 2, reach - reach // 2) if isinstance(self.padding, str) else (self.padding, self.padding)
        circular = self.padding == "circular"
        return Window(self.size, self.stride, pad, self.axes, circular=circular, dilation=self.dilation)

    def positions(self, shape: Point) -> Point:
        positions = super().positions(shape)
        if isinstance(self.padding, str):
            refuse_small(self, shape, self.window.span)
            if any(length % self.stride for length in shape):
                raise ValueError(
                    f"expected {WHAT[self.axes]} whose sides the stride of {self!r} divides, got {lengths(shape)} "
                    f"positions; crop or pad them, or take padding={self.window.span // 2}, which leaves the rest out"
                )
        return positions

    def kernel(self, node: KernelNode) -> KernelNode:
        if self.groups > 1 and node.components:
            raise ValueError(
                f"expected a layer with weights in front of {self!r}, got the data, whose channels are few and differ; "
                f"take groups=1 in the first {type(self).__name__}"
            )
        before = node.places or VECTORS
        after = self.behind_places(before)
        x = replace(node.averaged(), mean=CENTRED)  # sums with random weights have no mean, whatever they read
        values = node.sums(self.moved(x, before, after), self.sigma_w2, self.sigma_b2)
        return replace(self.summed(node, values), places=after)

    def summed(self, node: KernelNode, values: Pairs) -> KernelNode:
        """Return the node behind the layer, given its moments, of units that are sums over many channels."""
        return node.after(GaussianPairs(values))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        shape = self.positions(x.shape[2:])
        if self._condenses(x, width):
            return Dense(self.sigma_w2, self.sigma_b2).samples(self.window.patches(x), rng, width)
        scale_b = np.sqrt(np.asarray(self.sigma_b2, dtype=float)).astype(x.dtype)
        reads = (read.reshape(-1, x.shape[1]) for read in self.window.reads(np.moveaxis(x, 1, -1)))
        z = self.sums(reads, rng, width)
        z += scale_b * rng.standard_normal(z.shape[1], dtype=x.dtype)
        return images(z, shape)

    def _condenses(self, x: NDArray[Any], width: int) -> bool:
        """Return whether a Dense that reads the windows as units draws fewer numbers than there are weights."""
        windows = len(x) * prod(self.positions(x.shape[2:])), products(self, x.shape[1])
        alone = self.weighs and x.dtype == np.float32 and self.parts(x.shape[1], width)[0] == 1
        return alone and condenses(windows, width)

    def sums(self, reads: Iterator[NDArray[Any]], rng: Generator, width: int) -> NDArray[Any]:
        """Return weighted sums of what the points of the window read, arrays (data x positions, channels)."""
        total: Any = 0
        for read in reads:
            groups, behind = self.parts(read.shape[1], width)
            by_group = read.reshape(len(read), groups, -1).swapaxes(0, 1)
            shape = (*by_group.shape[::2], behind)
            total += product(by_group, rng.standard_normal(shape, dtype=read.dtype))
        scale = np.sqrt(self.sigma_w2 / (shape[1] * self.size**self.axes))
        return np.asarray(total.swapaxes(0, 1).reshape(len(read), -1) * read.dtype.type(scale))

    def parts(self, channels: int, width: int) -> tuple[int, int]:
        """Return the number of groups of so many channels in front, and how many of the `width` behind each makes."""
        if channels % self.groups or width % self.groups:
            raise ValueError(
                f"expected channels that the {self.groups} groups of {self!r} divide, got {channels} in front and "
                f"{width} behind; choose another width or number of groups"
            )
        return self.groups, width // self.groups

    def latex(self) -> str:
        size = r" \times ".join([str(self.size)] * self.axes)
        return rf"W_{{{size}}} * x + b,\; \sigma_w^2 = {self.sigma_w2},\; \sigma_b^2 = {self.sigma_b2}"


@products.register
def _(layer: Convolution, units: int) -> int:
    points: int = layer.size**layer.axes
    return points * units // layer.groups


@final
@dataclass(frozen=True, init=False, repr=False)
class Conv2d(Convolution):
    """Convolution Z_i(p) = sum_j sum_d W_ij(d) X_j(stride p + d) + B_i over a window of size x size points d.

    W_ij(d) ~ N(0, sigma_w2/(size^2 channels of X)), B_i ~ N(0, sigma_b2): q_ab(p, p') = sigma_w2 <q_ab(stride p + d,
    stride p' + d)>_d + sigma_b2. Beyond the edges there are zeros, which lower the variance there, or with
    padding="circular" the opposite side. With a number as `padding`, windows reach so many positions beyond each edge,
    and positions that the stride leaves over are not read, as in PyTorch; "zeros" is PyTorch's padding=size//2
    (padding="same" for an even size). groups: the channels are divided into so many parts, each of which reads its own
    part of the channels in front; with many channels this changes nothing. dilation: distance between neighbouring
    points of the window. Sources: Novak et al. 2019, Bayesian deep convolutional networks with many channels are
    Gaussian processes; Garriga-Alonso et al. 2019.

    kernel: side of the window, called size above. stride: distance between neighbouring windows. padding: "zeros",
    "circular", or a number, as above. sigma_w2, sigma_b2: variances of the weights and biases.

    >>> net = igb.Network(igb.Conv2d(3), igb.Activation("relu"), igb.GlobalAvgPool(), igb.Dense())
    >>> images = igb.gaussian_images(10, channels=3, height=6, width=6)
    >>> print(f"{net.predict(images).gamma:.3f}")
    17.639
    """

    axes = 2


@reading.register
def _(layer: Conv2d, x: NDArray[Any]) -> tuple[Layer, NDArray[Any]]:
    if layer.stride == 1 or layer.groups > 1:
        return layer, x
    # there are fewer windows than positions of the images
    layer.positions(x.shape[2:])
    return Conv2d(1, sigma_w2=layer.sigma_w2, sigma_b2=layer.sigma_b2), layer.window.patches(x)


@final
@dataclass(frozen=True, init=False, repr=False)
class Conv1d(Convolution):
    """Convolution of sequences, over a window of `size` tokens: otherwise as Conv2d.

    kernel, stride, padding, sigma_w2, sigma_b2, groups, dilation: as in `Conv2d`, along one axis.

    >>> net = igb.Network(igb.Conv1d(3), igb.Activation("relu"), igb.Flatten(), igb.Dense())
    >>> sequences = np.random.default_rng(0).standard_normal((10, 6, 4))
    >>> print(f"{net.predict(sequences).gamma:.3f}")
    0.701
    """

    axes = 1


@final
@dataclass(frozen=True, init=False, repr=False)
class DepthwiseConv2d(Convolution):
    """Convolution of every channel alone: Z_i(p) = sum_d W_i(d) X_i(stride p + d) + B_i.

    W_i(d) ~ N(0, sigma_w2/size^2), B_i ~ N(0, sigma_b2). It is PyTorch's Conv2d with as many groups as channels; a
    Conv2d(1) usually follows. The second moments behind it are those of Conv2d, but its units are not Gaussian.

    kernel, stride, padding, sigma_w2, sigma_b2, dilation: as in `Conv2d`.

    >>> igb.Network(igb.DepthwiseConv2d(3), igb.Conv2d(1), igb.Activation("relu"), igb.Flatten(), igb.Dense())
    Network(DepthwiseConv2d(3, sigma_w2=2.0), Conv2d(1, sigma_w2=2.0), Activation('relu'), Flatten(), Dense(2.0))
    """

    axes = 2
    each_unit = True
    weighs = False

    def __init__(
        self,
        kernel: int,
        stride: int = 1,
        padding: str | int = "zeros",
        sigma_w2: Any = 2.0,
        sigma_b2: Any = 0.0,
        *,
        dilation: int = 1,
    ) -> None:
        super().__init__(kernel, stride, padding, sigma_w2, sigma_b2, dilation=dilation)

    def summed(self, node: KernelNode, values: Pairs) -> KernelNode:
        return node.with_moments(self, values)

    def sums(self, reads: Iterator[NDArray[Any]], rng: Generator, width: int) -> NDArray[Any]:
        total: Any = 0
        for read in reads:
            total += read * rng.standard_normal(read.shape[1], dtype=read.dtype)
        return np.asarray(total * read.dtype.type(np.sqrt(self.sigma_w2) / self.size))


@products.register
def _(layer: DepthwiseConv2d, units: int) -> int:
    return layer.size**2
