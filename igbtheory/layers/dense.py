"""Dense layers: W x + b with independent Gaussian weights and biases."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import product
from igbtheory.layers.layer import Layer, refuse_sweep, shown_as
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.places import Point, at_positions, images

DRAW = 500
"""Cost of drawing a normal number, in multiplications of a matrix product in single precision: 400 on one core of an
EPYC processor."""


@final
@dataclass(frozen=True)
class Dense(Layer):
    """Dense layer Z_i = sum_j W_ij X_j + B_i, W_ij ~ N(0, sigma_w2/units of X), B_i ~ N(0, sigma_b2).

    mean = 0, var_mu = sigma_w2 (mean^2 + var_mu) + sigma_b2, var_chi = sigma_w2 var_chi;
    q_ab = sigma_w2 q_ab + sigma_b2. All tokens of a sequence have the same weights.
    sigma_w2, sigma_b2: variances, numbers or arrays for a sweep. Source: bias-and-trainability-slides (Y and its
    initialisation); where-you-place-the-norm, Eq. 1 (sigma_b2 = 0).

    >>> prediction = igb.Network(igb.Dense(2.0), igb.Activation("tanh"), igb.Dense(1.5, sigma_b2=0.1)).predict()
    >>> print(f"{prediction.var_mu:.4f} {prediction.var_chi:.4f}")
    0.1000 0.7800
    """

    sigma_w2: Any = 2.0
    sigma_b2: Any = 0.0

    listed = True
    weighs = True

    def __post_init__(self) -> None:
        for name in ("sigma_w2", "sigma_b2"):
            value = getattr(self, name)
            checks.non_negative(name, value)
            object.__setattr__(self, name, checks.sweep(value))

    def positions(self, shape: Point) -> Point:
        if len(shape) > 1:
            raise ValueError(
                f"expected vectors in front of {self!r}, got images of {' x '.join(map(str, shape))} positions; put "
                "Flatten() or GlobalAvgPool() in front of it"
            )
        return shape

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node.weighted(self.sigma_w2, self.sigma_b2)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        refuse_sweep(self, self.sigma_w2, self.sigma_b2)
        units = at_positions(x)
        few = x.dtype == np.float32 and condenses(units.shape, width)
        z = sums(units[None], self.sigma_w2, self.sigma_b2, rng, width, x.dtype, few=few)[0]
        return images(z, x.shape[2:])

    def latex(self) -> str:
        return rf"W x + b,\; \sigma_w^2 = {shown_as(self.sigma_w2)},\; \sigma_b^2 = {shown_as(self.sigma_b2)}"

    def __repr__(self) -> str:
        bias = "" if np.ndim(self.sigma_b2) == 0 and self.sigma_b2 == 0 else f", {shown_as(self.sigma_b2)}"
        return f"Dense({shown_as(self.sigma_w2)}{bias})"


@singledispatch
def read_out(layer: Layer, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
    """Return units x and variances sigma_w2, sigma_b2, such that a Dense makes of x the moments behind a layer.

    before, behind: samples in front of the layer and behind it. Moments behind a Dense are averages over its own
    weights; those of the units behind other layers are moments behind a Dense(1.0) that reads them.
    """
    return behind, 1.0, 0.0


@read_out.register
def _(layer: Dense, before: NDArray[Any], behind: NDArray[Any]) -> tuple[NDArray[Any], Any, Any]:
    return before, layer.sigma_w2, layer.sigma_b2


def sums(
    x: NDArray[Any], sigma_w2: Any, sigma_b2: Any, rng: Generator, width: int, precision: Any, *, few: bool
) -> NDArray[Any]:
    """Return `width` sums of units with new normal weights and biases in every network, (networks, D, width).

    x: shape (networks, D, units). few: whether the weights are not drawn. Given the features F of the data, see
    `features`, the sums are independent draws of N(0, F F^T), and so are products of a root L, L L^T = F F^T, with D
    normal numbers each.
    """
    if few:
        left = roots(features(x, sigma_w2, sigma_b2)).astype(precision)
        return product(left, rng.standard_normal((*left.shape[::2], width), dtype=precision))
    normal = rng.standard_normal((len(x), x.shape[2] + 1, width), dtype=precision)
    scale_w, scale_b = np.sqrt([sigma_w2 / x.shape[2], sigma_b2]).astype(precision)
    z = product(x.astype(precision, copy=False), normal[:, :-1])
    z *= scale_w
    z += scale_b * normal[:, -1:]
    return z


def features(x: NDArray[Any], sigma_w2: Any, sigma_b2: Any) -> NDArray[Any]:
    """Return features whose products are the covariances of a sum of units: the bias is one more of them.

    x: shape (networks, D, units).
    """
    scaled = np.empty((*x.shape[:2], x.shape[2] + 1), dtype=x.dtype)
    np.multiply(x, x.dtype.type(np.sqrt(sigma_w2 / x.shape[2])), out=scaled[..., :-1])
    scaled[..., -1] = np.sqrt(sigma_b2)
    return scaled


def roots(x: NDArray[Any]) -> NDArray[np.float64]:
    """Return lower triangular L with L L^T = x x^T for every network, (networks, D, D), D at most the number of units.

    The rows of x are made orthogonal one after the other, in double precision, instead of a Cholesky root of x x^T: so
    small angles between data keep their digits. Data that depend on those before them, or are 0, do no harm.
    """
    upper = np.asarray(np.linalg.qr(x.astype(np.float64).swapaxes(1, 2), mode="r"))
    signs = np.copysign(1.0, np.einsum("maa->ma", upper))
    return np.asarray((upper * signs[..., None]).swapaxes(1, 2))


def condenses(shape: tuple[int, ...], width: int) -> bool:
    """Return whether sums from roots take less time than from weights, counted in multiplications."""
    size, units = shape
    return size**2 * (units + size) < (units - size) * width * (size + DRAW)
