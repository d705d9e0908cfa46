"""Scaling of nodes and of samples, which all norms share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.averages.state import Moments
from igbtheory.layers.draws import Array, over_data
from igbtheory.layers.node import KernelNode, LawNode, OfNode
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata, powers

T = TypeVar("T")
ROUNDED = 1e-13
"""Deviations of a unit, relative to its values, that are rounding."""


def scaled_law(node: LawNode, x: Moments, q: Any, *, centred: bool) -> LawNode:
    """Node (x - centre)/sqrt(q), x the moments of `node`, the centre E x or 0: Gaussian where that is."""
    root = node.n.sqrt(q)
    mean, centre = (0, x.mean) if centred else (0 if x.centred else x.mean / root, 0)
    within = None if x.within is None else x.within / q
    values = replace(x, mean=mean, var_mu=x.var_mu / q, var_chi=x.var_chi / q, within=within)
    return node.remade(values, (mean, mean), Scaled(node, centre, root, over_data))


def scaled_pairs(node: KernelNode, eps: Any, *, centred: bool) -> KernelNode:
    """Node (x - m)/sqrt(E (x - m)^2 + eps) datum by datum, m its mean if `centred`, else 0."""
    x, n, (mean_a, mean_b) = node.averaged(), node.n, node.means()
    a, b = (mean_a, mean_b) if centred else (0, 0)
    var_a, var_b = x.q_a - a * a, x.q_b - b * b
    scale_a, scale_b = n.sqrt(var_a + eps), n.sqrt(var_b + eps)
    lost = np.max(np.asarray(x.q_a / var_a, dtype=float))  # digits that the means cost
    values = replace(
        x,
        q_a=var_a / (var_a + eps),
        q_b=var_b / (var_b + eps),
        q_ab=(x.q_ab - a * b) / (scale_a * scale_b),
        error=float(lost) * x.error,
    )
    centres = (0, 0) if centred else (mean_a / scale_a, mean_b / scale_b)
    return node.remade(values, centres, Scaled(node, a, scale_a, _float))


def divided_pairs(node: KernelNode, q: Any) -> KernelNode:
    """Node x/sqrt(q), q one number."""
    x, (a, b), root = node.averaged(), node.means(), node.n.sqrt(q)
    values = replace(x, q_a=x.q_a / q, q_b=x.q_b / q, q_ab=x.q_ab / q)
    return node.remade(values, (a / root, b / root), Scaled(node, 0, root, _float))


@final
@dataclass(frozen=True)
class Scaled(OfNode[T]):
    """Unit (x - centre)/scale of a node x; beside: numbers as they stand beside units."""

    centre: Any
    scale: Any
    beside: Callable[[Any], Array]

    @property
    def what(self) -> str:
        return "a normalised activation"

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        return np.asarray((self.node.units(rng, count, size) - self.beside(self.centre)) / self.beside(self.scale))

    def spread(self, strata: Strata, count: int) -> Array:
        mean, variance = np.split(self.node.spread(strata, count), 2, axis=-2)
        moved = np.broadcast_arrays(mean - self.beside(self.centre), variance)
        return np.asarray(np.concatenate(moved, axis=-2) / powers(self.scale))

    def single(self) -> Single | None:
        found = self.node.single()
        return found and found.scaled(self.centre, self.scale)


def _float(x: Any) -> Array:
    return np.asarray(x, dtype=float)


def normalised(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Samples less their mean and over their standard deviation along an axis; where they do not vary, 0."""
    apart = deviations(x, axis)
    return over_root(apart, np.mean(np.square(apart), axis=axis, keepdims=True), eps)


def by_others(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Samples less the mean, and over the standard deviation, of the others along an axis."""
    n, apart = x.shape[axis], deviations(x, axis)
    square = np.square(apart)
    # of the others: the mean is x - n/(n - 1) (x - <x>), and so on
    others = (square.sum(axis=axis, keepdims=True) - n / (n - 1) * square) / (n - 1)
    return over_root(n / (n - 1) * apart, others, eps)


def deviations(x: NDArray[Any], axis: int) -> NDArray[Any]:
    """Samples less their mean along an axis: from the first one, so that equal samples leave no rounding."""
    apart = x - x.take([0], axis=axis)
    return np.asarray(apart - apart.mean(axis=axis, keepdims=True))


def variances(x: NDArray[Any], apart: NDArray[Any]) -> NDArray[Any]:
    """Variances over the data of units x with these deviations, shape (..., 1, count); 0 where they are rounding."""
    square = np.mean(np.square(apart), axis=-2, keepdims=True)
    return np.where(square <= ROUNDED**2 * np.mean(np.square(x), axis=-2, keepdims=True), 0.0, square)


def over_root(x: NDArray[Any], q: NDArray[Any], eps: Any) -> NDArray[Any]:
    """Quotient x/sqrt(q + eps), 0 where that root is: the limit of small eps."""
    scale = np.sqrt(q + x.dtype.type(eps))
    return np.asarray(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))


def norm_text(name: str, *values: Any, eps: Any) -> str:
    """A norm as it prints: its name, its numbers, and eps where there is one."""
    given = [*map(str, values), *([f"eps={eps}"] if eps else [])]
    return f"{name}({', '.join(given)})"
