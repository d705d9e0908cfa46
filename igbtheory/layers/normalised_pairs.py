"""BatchNorm on a given data set: of Gaussian units, and of functions of them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.random import Generator

from igbtheory.averages.state import Pairs
from igbtheory.formulas.function import Function
from igbtheory.layers import batch_kernel, batch_scaling
from igbtheory.layers.draws import Array, extended
from igbtheory.layers.estimated import Estimate, estimated
from igbtheory.layers.gaussian import GaussianPairs
from igbtheory.layers.node import Averaged, Base, KernelNode, Node, OfNode
from igbtheory.layers.scaling import deviations, over_root, variances
from igbtheory.numbers import FLOAT64, Kind

MOST_BATCHES = 12
"""Batches of given data at most whose pairs are computed exactly, at about a second for every twelve pairs."""


@final
@dataclass(frozen=True)
class Scaling:
    """BatchNorm of the units of a node: batches of `size` data, eps, and the second moments `pairs` before it."""

    pairs: Pairs
    size: int
    eps: float

    def of(self, units: Array) -> Array:
        """Units, shape (data, count), by their own scales."""
        return self._by_own(units, self._apart(units))

    def either(self, units: Array) -> Array:
        """Units by their own scales, and by the mean scale, in one array."""
        apart = self._apart(units)
        return np.stack([self._by_own(units, apart), self._by_mean(apart)])

    def by_mean(self, mean: Array) -> Array:
        """Means of all data, shape (D,), by the mean scale."""
        return self._by_mean(self._apart(mean[:, None]))[:, 0]

    def _apart(self, x: Array) -> Array:
        """Deviations over the batches, shape (batches, data of one, count)."""
        return deviations(x.reshape(-1, self.size, x.shape[-1]), axis=1)

    def _by_mean(self, apart: Array) -> Array:
        return apart.reshape(-1, apart.shape[-1]) * self.factor[:, None]

    def _by_own(self, units: Array, apart: Array) -> Array:
        square = variances(units.reshape(apart.shape), apart)
        return over_root(np.where(square > 0, apart, 0.0), square, self.eps).reshape(units.shape) * (
            self.factor[:, None] > 0
        )

    @cached_property
    def kernel(self) -> Array:
        """The second moments in double precision."""
        return np.asarray(self.pairs.q_ab, dtype=float)

    @cached_property
    def variances(self) -> Array:
        """The mean variances of all data over their batches."""
        return batch_scaling.mean_variances(self.kernel, self.size)

    @cached_property
    def factor(self) -> Array:
        """The mean scales of all data."""
        return batch_scaling.scales(self.variances, self.eps)

    def approximate(self, n: Kind) -> Pairs:
        """Second moments by the mean scale."""
        kernel = batch_scaling.approximate(self.kernel, self.size, self.eps)
        rank = min(batch_scaling.effective_rank(self.kernel, self.size), self.pairs.rank)
        return replace(_remade(n, self.pairs, kernel, self.error), rank=rank)

    @property
    def error(self) -> float:
        """Error of the second moments, and the rounding that centring magnifies."""
        alive = self.variances > 0
        lost = np.divide(np.diagonal(self.kernel), self.variances, out=np.ones(alive.size), where=alive)
        return self.pairs.error + 8 * FLOAT64.epsilon * float(np.max(lost))


@final
@dataclass(frozen=True)
class NormalisedPairs(Base[Pairs]):
    """Unit of given data, centred Gaussian in front of the norm.

    Exact for homogeneous phi with a closed form and for the identity; else the scale is taken to be that of its mean
    square, and what that changes is estimated from draws.
    """

    scaling: Scaling

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        to = self.scaling
        if self._is_exact(phi, m):
            kernel, error = batch_kernel.homogeneous(phi, to.kernel, to.size, to.eps)
            return _remade(n, to.pairs, kernel, error + to.error)
        known, found = self._estimated(n, phi, m)
        return _remade(n, known, found.q_ab, known.error + found.error)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        to = self.scaling
        if self._is_exact(phi, m):
            return _either_way(n, batch_kernel.means(phi, to.kernel, to.size, to.eps))
        return _either_way(n, self._estimated(n, phi, m)[1].mean)

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        return self.scaling.of(self._before.units(rng, count, size))

    @cached_property
    def _before(self) -> GaussianPairs:
        return GaussianPairs(self.scaling.pairs)

    def _is_exact(self, phi: Function | None, m: int) -> bool:
        if m > 1 or not batch_kernel.is_homogeneous(phi):
            return False
        # a phi of degree 0 takes no integral
        few = len(self.scaling.kernel) <= MOST_BATCHES * self.scaling.size
        return few or (phi is not None and phi.degree == 0)

    def _estimated(self, n: Kind, phi: Function | None, m: int) -> tuple[Pairs, Estimate]:
        """Second moments by the mean scale, and moments by the scale of every unit."""
        scaled, dead = self.scaling.approximate(n), self.scaling.factor == 0
        # a dead batch is 0, where phi has a value and no kernel
        by_mean = GaussianPairs(replace(scaled, q_a=scaled.q_a + dead[:, None], q_b=scaled.q_b + dead))
        known = by_mean.average(n, phi, m)
        mean, q_ab = _column(by_mean.means(n, phi, m)[0], dead.size), known.q_ab.astype(float)
        if dead.any():
            mean = np.where(dead, 0.0 if phi is None else phi(FLOAT64, np.float64(0)), mean)
            q_ab = np.where(dead[:, None] | dead, np.multiply.outer(mean, mean), q_ab)

        def draw(rng: Generator, count: int) -> Array:
            return extended(lambda some: self.scaling.either(self._before.units(rng, some)), phi, m, count)

        return known, estimated(draw, q_ab, mean, m)


def of_function(node: KernelNode, to: Scaling) -> KernelNode:
    """Node of a unit that is no Gaussian one, centred and scaled over batches: by its mean scale, and draws."""
    known = to.approximate(node.n)
    mean = to.by_mean(_column(node.means()[0], len(to.kernel)))
    found = estimated(
        lambda rng, count: to.either(node.units(rng, count)), known.q_ab.astype(float), mean, node.maximum
    )
    values = _remade(node.n, known, found.q_ab, known.error + found.error)
    return Node(node.n, Averaged(values, _either_way(node.n, found.mean), OfFunction(node, to)))


@final
@dataclass(frozen=True)
class OfFunction(OfNode[Pairs]):
    """Unit of a node centred and scaled over batches of given data."""

    scaling: Scaling

    @property
    def what(self) -> str:
        return "a batch-normalised activation"

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        return self.scaling.of(self.node.units(rng, count, size))


def _remade(n: Kind, x: Pairs, kernel: Array, error: float) -> Pairs:
    """Second moments of all pairs of data from a kernel in double precision."""
    found = n.number(kernel)
    q = np.diagonal(found)
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=found, error=error)


def _either_way(n: Kind, mean: Array) -> tuple[Any, Any]:
    """Means at the data a and b of pairs."""
    found = n.number(mean)
    return found[:, None], found[None, :]


def _column(mean: Any, count: int) -> Array:
    """Means at the data a of pairs, one of each datum."""
    return np.ravel(np.broadcast_to(np.asarray(mean, dtype=float), (count, 1)))
