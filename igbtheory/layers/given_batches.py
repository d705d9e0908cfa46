"""BatchNorm on a given data set: of Gaussian units, and of functions of them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from igbtheory.averages.state import Pairs
from igbtheory.formulas.function import Function
from igbtheory.layers import given_batches_exact, given_batches_scaled
from igbtheory.layers.control_variates import DrawnKernel, estimated
from igbtheory.layers.draws import Array, Draws
from igbtheory.layers.gaussian import GaussianPairs
from igbtheory.layers.general import either_way, pairs_of, refuse_exact
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import Base, KernelNode, of_units
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

    def either(self, units: Array) -> tuple[Array, Array]:
        """Units by their own scales, and by the mean scale."""
        apart = self._apart(units)
        return self._by_own(units, apart), self._by_mean(apart)

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
        return given_batches_scaled.mean_variances(self.kernel, self.size)

    @cached_property
    def factor(self) -> Array:
        """The mean scales of all data."""
        return given_batches_scaled.scales(self.variances, self.eps)

    def approximate(self, n: Kind) -> Pairs:
        """Second moments by the mean scale."""
        kernel = given_batches_scaled.approximate(self.kernel, self.size, self.eps)
        rank = min(given_batches_scaled.effective_rank(self.kernel, self.size), self.pairs.rank)
        return replace(pairs_of(n, self.pairs, kernel, self.error), rank=rank)

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
            kernel, error = given_batches_exact.homogeneous(phi, to.kernel, to.size, to.eps)
            return pairs_of(n, to.pairs, kernel, error + to.error)
        known, found = self._estimated(n, phi, m)
        return pairs_of(n, known, found.q_ab, known.error + found.error)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        to = self.scaling
        if self._is_exact(phi, m):
            return either_way(n, given_batches_exact.means(phi, to.kernel, to.size, to.eps))
        return either_way(n, self._estimated(n, phi, m)[1].mean)

    def units(self, draws: Draws, count: int) -> Array:
        return self.scaling.of(self._before.units(draws, count))

    @cached_property
    def _before(self) -> GaussianPairs:
        return GaussianPairs(self.scaling.pairs)

    def _is_exact(self, phi: Function | None, m: int) -> bool:
        if m > 1 or not given_batches_exact.is_homogeneous(phi):
            return False
        # a phi of degree 0 takes no integral
        few = len(self.scaling.kernel) <= MOST_BATCHES * self.scaling.size
        return few or (phi is not None and phi.degree == 0)

    def _estimated(self, n: Kind, phi: Function | None, m: int) -> tuple[Pairs, DrawnKernel]:
        """Second moments by the mean scale, and moments by the scale of every unit."""
        scaled, dead = self.scaling.approximate(n), self.scaling.factor == 0
        # a dead batch is 0, where phi has a value and no kernel
        by_mean = GaussianPairs(replace(scaled, q_a=scaled.q_a + dead[:, None], q_b=scaled.q_b + dead))
        known = by_mean.average(n, phi, m)
        mean, q_ab = _column(by_mean.means(n, phi, m)[0], dead.size), known.q_ab.astype(float)
        if dead.any():
            mean = np.where(dead, 0.0 if phi is None else phi(FLOAT64, np.float64(0)), mean)
            q_ab = np.where(dead[:, None] | dead, np.multiply.outer(mean, mean), q_ab)

        def either(draws: Draws, count: int) -> tuple[Array, Array]:
            own, by_mean = self.scaling.either(self._before.units(draws, count * m))
            return of_units(own, phi, m), of_units(by_mean, phi, m)

        return known, estimated(either, q_ab, mean)


def of_function(layer: Layer, node: KernelNode, to: Scaling) -> KernelNode:
    """Return the node of a unit that is not Gaussian, centred and scaled over batches: its mean scale, and draws."""
    refuse_exact(layer, node.n)
    known = to.approximate(node.n)
    mean = to.by_mean(_column(node.means()[0], len(to.kernel)))
    found = estimated(lambda draws, count: to.either(node.units(draws, count)), known.q_ab.astype(float), mean)
    values = pairs_of(node.n, known, found.q_ab, known.error + found.error)
    drawn = node.with_moments(
        lambda draws, count: to.of(node.units(draws, count)), values, either_way(node.n, found.mean)
    )
    return drawn.naming(layer)


def _column(mean: Any, count: int) -> Array:
    """Means at the data a of pairs, one of each datum."""
    return np.ravel(np.broadcast_to(np.asarray(mean, dtype=float), (count, 1)))
