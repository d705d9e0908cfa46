"""Normalisation of every datum over groups of its units: GroupNorm."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.correlations import grouped
from igbtheory.averages.directions import one
from igbtheory.averages.kernel_tables import kernel
from igbtheory.averages.state import Moments, Pairs
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.layers.base import Base
from igbtheory.layers.draws import Array, Draws
from igbtheory.layers.gaussian import Gaussian, GaussianPairs
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.layers.scaling import norm_text, normalised
from igbtheory.numbers import Kind
from igbtheory.numbers.sweeps import at_points


@final
@dataclass(frozen=True, repr=False)
class GroupNorm(Layer):
    """GroupNorm: LayerNorm over each group of `size` units of a datum.

    In front of an activation: one datum follows the law of a batch of `size`, E phi(x_a) phi(x_b) = E_r K(r) over r,
    the sample correlation of `size` normal pairs, K the kernel of directions at the angle acos r. Units of a group
    depend on one another, so that they cannot be pooled. LayerNorm is the limit of large groups.
    """

    size: int
    eps: Any = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.whole("size", self.size, 2, checks.LARGEST))
        checks.epsilon(self.eps)

    def law(self, node: LawNode) -> LawNode:
        if not node.gaussian or self.eps:
            return super().law(node)
        return node.after(Grouped(node.averaged(), self.size))

    def kernel(self, node: KernelNode) -> KernelNode:
        if not node.gaussian or self.eps:
            return super().kernel(node)
        return node.after(GroupedPairs(node.averaged(), self.size))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        if x.shape[1] % self.size:
            raise ValueError(
                f"expected a number of units that groups of {self.size} divide, got {x.shape[1]}; choose another width "
                "or size"
            )
        return normalised(x.reshape(len(x), -1, self.size), self.eps, axis=2).reshape(x.shape)

    def latex(self) -> str:
        return rf"\mathrm{{GN}}_{{{self.size}}}(x)"

    def __repr__(self) -> str:
        return norm_text("GroupNorm", self.size, eps=self.eps)


@final
@dataclass(frozen=True)
class Grouped(Base[Moments]):
    """Gaussian unit centred and scaled over a group of `size` units of its datum; `values` before that."""

    values: Moments
    size: int

    @property
    def dependent(self) -> bool:
        return True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        del m  # units of a group are not pooled
        h, of = self.values, phi or FUNCTIONS["linear"]
        q, within = h.variance, None
        mean, var_mu, var_chi, error = at_points(partial(grouped, n, of, self.size), h.var_mu / q, h.var_chi / q)
        if h.within is not None:
            c = h.within / q
            _, within, _, _ = at_points(partial(grouped, n, of, self.size), c, 1 - c)
        return Moments(mean, var_mu, var_chi, h.error + np.asarray(error, dtype=float)[()], within)

    def units(self, draws: Draws, count: int) -> Array:
        return _in_groups(Gaussian(self.values), self.size, draws, count)


@final
@dataclass(frozen=True)
class GroupedPairs(Base[Pairs]):
    """The same for given data; `values` before the norm."""

    values: Pairs
    size: int

    @property
    def dependent(self) -> bool:
        return True

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        del m
        h, of = self.values, phi or FUNCTIONS["linear"]
        mean, variance, _ = one(n, of, self.size)
        q = mean * mean + variance

        def product(_a: Any, _b: Any, c: Any) -> tuple[Any, Any]:
            _, covariance, _, error = grouped(n, of, self.size, c, 1 - c)
            return mean * mean + covariance, error

        c = n.correlation(h.q_ab, n.sqrt(h.q_a * h.q_b))
        ones = 1 + 0 * h.q_a, 1 + 0 * h.q_b
        values, error = kernel(n, product, lambda _: q, (*ones, c), parity=of.parity)
        return replace(h, q_a=q * ones[0], q_b=q * ones[1], q_ab=np.where(h.same, q, values), error=h.error + error)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        del m
        mean = one(n, phi or FUNCTIONS["linear"], self.size)[0]
        return mean, mean

    def units(self, draws: Draws, count: int) -> Array:
        return _in_groups(self._before, self.size, draws, count)

    @cached_property
    def _before(self) -> GaussianPairs:
        return GaussianPairs(self.values)


def _in_groups(before: Base[Any], group: int, draws: Draws, count: int) -> Array:
    """Units of `before`, normalised in groups."""
    x = before.units(draws, -(-count // group) * group)
    return normalised(x.reshape(*x.shape[:-1], -1, group), 0, axis=-1).reshape(x.shape)[..., :count]
