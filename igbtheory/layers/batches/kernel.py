"""The kernel of a given data set behind BatchNorm, of Gaussian units and of other ones."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import ClassVar, final

import numpy as np

from igbtheory.layers.batches import homogeneous_kernel, scales
from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.control_variates import DrawnKernel, estimated
from igbtheory.layers.nodes.data import at_data, pairs_of, pairs_of_draws
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.gaussian import GaussianPairs
from igbtheory.layers.nodes.node import KernelNode, of_units, refuse_draws
from igbtheory.layers.nodes.samples import Ruled
from igbtheory.layers.nodes.scaling import deviations, over_root, variances
from igbtheory.mathematics.averages.state import Pairs
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind

MOST_BATCHES = 12
"""Largest number of batches whose pairs are computed exactly; twelve pairs take about a second."""


@final
@dataclass(frozen=True)
class Scaling:
    """BatchNorm of the units of the node `before`, whose second moments are `pairs`, over `size` consecutive data."""

    before: KernelNode
    pairs: Pairs
    size: int
    eps: float

    def by_own(self, units: Array) -> Array:
        """Return units, shape (data, count), centred and divided by their own scales over the batches."""
        apart = self._apart(units)
        square = variances(units.reshape(apart.shape), apart)
        scaled = over_root(np.where(square > 0, apart, 0.0), square, self.eps)
        return np.where(self.factor[:, None] > 0, scaled.reshape(units.shape), 0.0)

    def by_mean(self, units: Array) -> Array:
        """Return units, shape (data, count), centred and divided by the mean scales of the batches."""
        return self._apart(units).reshape(units.shape) * self.factor[:, None]

    def tangent(self, phi: Function | None) -> Array:
        """Return the tangent kernel behind phi of the norm, of which all data are one batch."""
        if self.size != len(self.kernel):
            raise ValueError(
                f"expected the full batch for a tangent kernel, got batches of {self.size} of {len(self.kernel)} data; "
                "use BatchNorm(), or LayerNorm()"
            )
        before = np.asarray(self.pairs.tangent, dtype=float)
        return homogeneous_kernel.tangent_kernel(phi, self.batches, before)

    def _apart(self, units: Array) -> Array:
        """Return the deviations from the means over the batches, shape (batches, size, count)."""
        return deviations(units.reshape(-1, self.size, units.shape[-1]), axis=1)

    @cached_property
    def kernel(self) -> Array:
        """The second moments in double precision."""
        return np.asarray(self.pairs.q_ab, dtype=float)

    @cached_property
    def batches(self) -> scales.Batches:
        """The batches, whose roots are computed once for all functions behind the norm."""
        return scales.Batches(self.kernel, self.size, self.eps)

    @cached_property
    def variances(self) -> Array:
        """The mean variances of all data over their batches."""
        return scales.mean_variances(self.kernel, self.size)

    @cached_property
    def factor(self) -> Array:
        """Inverses of the mean scales of all data, 0 for data of a batch that does not vary."""
        return scales.inverse_scales(self.variances, self.eps)

    def approximate(self, n: Kind) -> Pairs:
        """Return the second moments behind the norm for the mean scales."""
        kernel = scales.approximate(self.kernel, self.size, self.eps)
        behind = pairs_of(n, self.pairs, kernel, np.zeros(len(kernel)), self.error)
        rank = min(scales.effective_rank(self.kernel, self.size), self.pairs.errors.rank)
        return replace(behind, errors=replace(behind.errors, rank=rank))

    def drawn(self, q_ab: Array, mean: Array, phi: Function | None = None, m: int = 1) -> DrawnKernel:
        """Return the moments of phi(M), M the largest of m units divided by their own scales, from draws.

        q_ab, mean: the moments for the mean scales, as control variates.
        """

        def either(draws: Draws, count: int) -> tuple[Array, Array]:
            units = self.before.units(draws, count * m)
            return of_units(self.by_own(units), phi, m), of_units(self.by_mean(units), phi, m)

        return estimated(either, q_ab, mean, prod(self.before.shape), self.before.passage.sampling)

    def units(self, draws: Draws, count: int) -> Array:
        """Draw `count` units divided by their own scales, shape (data, count)."""
        return self.by_own(self.before.units(draws, count))

    @property
    def error(self) -> float:
        """Error of the second moments, with rounding errors that centring magnifies."""
        alive = self.variances > 0
        magnified = np.divide(np.diagonal(self.kernel), self.variances, out=np.ones(alive.size), where=alive)
        return self.pairs.error + 8 * FLOAT64.epsilon * float(np.max(magnified))


@final
@dataclass(frozen=True)
class NormalisedPairs(Base[Pairs]):
    """Gaussian unit at given data behind BatchNorm.

    Averages are exact for the identity and for homogeneous phi with closed forms. For any other phi, the average at the
    mean scale is corrected by draws; phi of degree 0, such as sign, needs no correction.
    """

    scaling: Scaling

    on_data: ClassVar[bool] = True

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        to = self.scaling
        if self._is_exact(phi, m):
            kernel, error = homogeneous_kernel.second_moments(phi, to.batches)
            mean = homogeneous_kernel.means(phi, to.batches)
            pairs = pairs_of(n, replace(to.pairs, tangent=None), kernel, mean, error + to.error)
            return pairs if to.pairs.tangent is None else replace(pairs, tangent=to.tangent(phi))
        if to.pairs.tangent is not None:
            raise ValueError(
                "expected an activation with phi(a x) = a^p phi(x), such as relu, behind BatchNorm for its tangent "
                f"kernel, got {phi if m == 1 else f'MaxPool({m})'}; use LayerNorm or RMSNorm"
            )
        return pairs_of_draws(n, *self._estimated(n, phi, m))

    def units(self, draws: Draws, count: int) -> Array:
        return self.scaling.units(draws, count)

    def _is_exact(self, phi: Function | None, m: int) -> bool:
        few = len(self.scaling.kernel) <= MOST_BATCHES * self.scaling.size
        return few and m == 1 and homogeneous_kernel.is_homogeneous(phi)

    def _estimated(self, n: Kind, phi: Function | None, m: int) -> tuple[Pairs, DrawnKernel]:
        """Return the second moments for the mean scales, and the moments for the scale of each unit."""
        to, dead = self.scaling, self.scaling.factor == 0
        scaled = to.approximate(n)
        # a batch that does not vary becomes 0, where phi has a value but no kernel
        by_mean = GaussianPairs(replace(scaled, q_a=scaled.q_a + dead[:, None], q_b=scaled.q_b + dead))
        pairs = by_mean.average(n, phi, m)
        mean, q_ab = at_data(pairs), pairs.q_ab.astype(float)
        if dead.any():
            mean = np.where(dead, 0.0 if phi is None else phi(FLOAT64, np.float64(0)), mean)
            q_ab = np.where(dead[:, None] | dead, np.multiply.outer(mean, mean), q_ab)
        if phi is not None and phi.degree == 0:  # it depends on signs alone
            errors = replace(pairs.errors, rank=to.pairs.errors.rank)
            return replace(pairs, errors=errors), DrawnKernel(q_ab, mean)
        return pairs, to.drawn(q_ab, mean, phi, m)


def of_function(layer: Ruled, to: Scaling) -> KernelNode:
    """Return the node of a unit that is not Gaussian behind BatchNorm: the mean scales, corrected by draws."""
    node = to.before
    refuse_draws(layer, node)
    pairs, mean = to.approximate(node.n), to.by_mean(at_data(to.pairs)[:, None])[:, 0]
    drawn = to.drawn(pairs.q_ab.astype(float), mean)
    return node.with_moments(to.units, pairs_of_draws(node.n, pairs, drawn)).naming(layer)
