"""Gaussian units: the base that every Dense makes."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.random import Generator

from igbtheory.averages import gaussian
from igbtheory.averages.batches import Mix
from igbtheory.averages.gaussian import steepness
from igbtheory.averages.given_weights import given_weights
from igbtheory.averages.maximum import IDENTITY
from igbtheory.averages.state import Moments, Pairs, kernel_root
from igbtheory.formulas.function import Function
from igbtheory.layers.dead import all_zero, dead
from igbtheory.layers.draws import Array, over_data
from igbtheory.layers.node import Base
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class Gaussian(Base[Moments]):
    """Unit h = mean + sqrt(var_mu) u + sqrt(var_chi) z, u per unit, z per unit and datum."""

    values: Moments

    @property
    def gaussian(self) -> bool:
        return True

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        h = self.values
        found = gaussian.moments(n, phi, m, h)
        if h.within is None or found is h:
            return found
        pair, error = gaussian.product(n, phi, m, (h.variance, h.variance, h.within), h.mean)
        return replace(found, within=pair - found.mean * found.mean, error=found.error + error)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n
        return 0.0 if phi is None else dead(phi, m, size, copies, self.values)

    def zeros(self, phi: Function | None, m: int, size: int) -> Any:
        return 0.0 if phi is None else all_zero(phi, m, size, self.values)

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        h, z = self.values, rng.standard_normal((size or 1, count))
        own, shared = (over_data(part) for part in (h.own, h.covariance))
        mean = z.mean(axis=0)
        # the mean apart: its variance is own/size + shared, whatever the sign of what the data share
        common = np.sqrt(np.maximum(own + len(z) * shared, 0)) * mean
        return np.asarray(over_data(h.mean) + np.sqrt(own) * (z - mean) + common)

    def spread(self, phi: Function | None, m: int, strata: Strata, count: int) -> Array:
        h, u = self.values, strata.normal(m, count)
        parts = np.broadcast_arrays(h.mean, h.var_mu, h.var_chi)
        found = [given_weights(phi, u, *map(float, point)) for point in zip(*map(np.ravel, parts), strict=True)]
        return np.reshape(found, (*parts[0].shape, 2, count))

    def single(self, phi: Function | None, m: int) -> Single | None:
        if m > 1 and np.any(self.values.covariance != 0):
            return None  # data share several units
        return Single(self.values, phi or IDENTITY, Mix(maximum=m))

    @property
    def error(self) -> Any:
        return self.values.error


@final
@dataclass(frozen=True)
class GaussianPairs(Base[Pairs]):
    """Unit that is centred Gaussian over W; `values` is a block of its covariance over the data."""

    values: Pairs

    @property
    def gaussian(self) -> bool:
        return True

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        h = self.values
        if phi is None and m == 1:
            return h
        # the diagonal on its own: at c = 1 the kernel of a jump loses half its digits
        q_a, q_b = (gaussian.second_moment(n, phi, m, q) for q in (h.q_a, h.q_b))
        q_ab, error = gaussian.product(n, phi, m, (h.q_a, h.q_b, h.q_ab))
        factor = 1.0 if phi is None else steepness(n, phi, h.q_a, h.q_b, h.q_ab)
        return replace(h, q_a=q_a, q_b=q_b, q_ab=np.where(h.same, q_a, q_ab), error=factor * h.error + error)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        if phi is None and m == 1:
            return 0, 0
        at_a, at_b = (gaussian.moments(n, phi, m, Moments(0, 0 * q, q)) for q in (self.values.q_a, self.values.q_b))
        return at_a.mean, at_b.mean

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        del size
        return self._root @ rng.standard_normal((self._root.shape[1], count))

    @cached_property
    def _root(self) -> Array:
        """Root L of the kernel L L^T of all data, shape (data, rank)."""
        return kernel_root(self.values.q_ab.astype(float))
