"""Convolutions of images, with independent Gaussian weights and biases."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.layers.dense import weighted
from igbtheory.layers.node import KernelNode
from igbtheory.layers.places import Places, Point, Window
from igbtheory.layers.spatial import Windowed, refuse_vectors

PADDINGS = ("zeros", "circular")


@final
@dataclass(frozen=True, init=False, repr=False)
class Conv2d(Windowed):
    """Convolution Z_i(p) = sum_j sum_d W_ij(d) X_j(stride p + d) + B_i over a window of size x size points d.

    W_ij(d) ~ N(0, sigma_w2/(size^2 channels of X)), B_i ~ N(0, sigma_b2): q_ab(p, p') = sigma_w2 <q_ab(stride p + d,
    stride p' + d)>_d + sigma_b2. Beyond the edges there are zeros, which lower the variance there, or the other side.
    As PyTorch's Conv2d with padding size//2 (padding="same" for an even size). Sources: Novak et al. 2019, Bayesian
    deep convolutional networks with many channels are Gaussian processes; Garriga-Alonso et al. 2019.
    """

    size: int
    stride: int
    padding: str
    sigma_w2: Any
    sigma_b2: Any

    def __init__(
        self, kernel: int, stride: int = 1, padding: str = "zeros", sigma_w2: Any = 2.0, sigma_b2: Any = 0.0
    ) -> None:
        for name, value in (("sigma_w2", sigma_w2), ("sigma_b2", sigma_b2)):
            checks.non_negative(name, value)
            if np.ndim(value):
                raise ValueError(f"expected {name} of a Conv2d to be one number, got a sweep; loop over its values")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "size", checks.whole("kernel", kernel, 1))
        object.__setattr__(self, "stride", checks.whole("stride", stride, 1))
        object.__setattr__(self, "padding", checks.known("padding", padding, PADDINGS))

    @property
    def listed(self) -> bool:
        return True

    @property
    def weighs(self) -> bool:
        return True

    @property
    def before(self) -> int:
        """Points of the window in front of its centre, along either axis."""
        return (self.size - 1) // 2

    @property
    def window(self) -> Window:
        points = tuple((i - self.before, j - self.before) for i, j in np.ndindex(self.size, self.size))
        return Window(self.stride, points, apart=False, circular=self.padding == "circular")

    def positions(self, shape: Point) -> Point:
        if len(shape) != 2:
            refuse_vectors(self, shape)
        image = f"{shape[0]} x {shape[1]} positions"
        if self.size > min(shape):
            raise ValueError(
                f"expected images of at least {self.size} x {self.size} positions in front of {self!r}, got {image}; "
                "take a smaller kernel, or pool less in front of it"
            )
        if any(length % self.stride for length in shape):
            raise ValueError(
                f"expected images whose height and width the stride of {self!r} divides, got {image}; crop or pad them"
            )
        return shape[0] // self.stride, shape[1] // self.stride

    def kernel(self, node: KernelNode) -> KernelNode:
        if node.places is None:
            refuse_vectors(self, ())
        after = self.behind_places(node.places)
        sigma_w2, sigma_b2 = map(node.n.number, (self.sigma_w2, self.sigma_b2))
        x = self.moved(node.averaged(), node.places, after)
        return replace(node.after(weighted(node.n, x, sigma_w2, sigma_b2)), places=after)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        height, breadth = self.positions(x.shape[2:])
        scale_w, scale_b = np.sqrt([self.sigma_w2 / (x.shape[1] * self.size**2), self.sigma_b2]).astype(x.dtype)
        sides = (self.before, self.size - 1 - self.before)
        mode: Any = "wrap" if self.padding == "circular" else "constant"
        padded = np.pad(np.moveaxis(x, 1, -1), [(0, 0), sides, sides, (0, 0)], mode=mode)
        z = np.zeros((len(x) * height * breadth, width), dtype=x.dtype)
        for i, j in np.ndindex(self.size, self.size):
            read = padded[:, i : i + self.stride * height : self.stride, j : j + self.stride * breadth : self.stride]
            z += read.reshape(len(z), -1) @ rng.standard_normal((x.shape[1], width), dtype=x.dtype)
        z *= scale_w
        z += scale_b * rng.standard_normal(width, dtype=x.dtype)
        return np.asarray(Places((height, breadth), (0,)).images(z))

    def latex(self) -> str:
        size = rf"{self.size} \times {self.size}"
        return rf"W_{{{size}}} * x + b,\; \sigma_w^2 = {self.sigma_w2},\; \sigma_b^2 = {self.sigma_b2}"

    def __repr__(self) -> str:
        stride = "" if self.stride == 1 else f", stride={self.stride}"
        bias = "" if self.sigma_b2 == 0 else f", sigma_b2={self.sigma_b2}"
        return f"Conv2d({self.size}{stride}, padding={self.padding!r}, sigma_w2={self.sigma_w2}{bias})"
