"""Batch-normalised units: what BatchNorm makes of Gaussian ones."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator

from igbtheory.averages import directions
from igbtheory.averages.state import Moments
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function, composed
from igbtheory.layers.dead import all_zero_in_batch, dead_batch
from igbtheory.layers.draws import Array, over_data
from igbtheory.layers.node import Base
from igbtheory.layers.scaling import by_others, normalised
from igbtheory.layers.single import Single
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class Normalised(Base[Moments]):
    """Gaussian unit centred and scaled over its batch of `size` data.

    estimator: "exact" or "proxy"; variance: of the unit over its batch, which only eps > 0 sees.
    """

    size: int
    estimator: str
    variance: Any
    eps: Any

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        phi = phi or FUNCTIONS["linear"]
        if not float(self.eps):
            return directions.moments(n, phi, m, self.size, self.estimator)
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" in BatchNorm({self.size}, eps={self.eps}), got "proxy"; or use eps=0'
            )
        points = [directions.with_eps(n, phi, m, self.size, v, self.eps) for v in np.ravel(self.variance)]
        parts = ([getattr(x, name) for x in points] for name in ("mean", "var_mu", "var_chi", "error", "within"))
        shape = np.shape(self.variance)
        return Moments(*(np.array(part).reshape(shape)[()] for part in parts))

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n
        largest = np.inf if self.estimator == "proxy" else np.sqrt(size - 1)
        return dead_batch(phi, m, size, copies, float(self.eps), largest)

    def zeros(self, phi: Function | None, m: int, size: int) -> Any:
        return 0.0 if phi is None else all_zero_in_batch(phi, m, size, self.size, float(self.eps))

    def single(self, phi: Function | None, m: int) -> Single | None:
        """Of two data B is a function of half their difference; of more, phi(B) one of the lengths of batches."""
        phi, size = phi or FUNCTIONS["linear"], self.size
        if m > 1 or self.estimator == "proxy":
            return None
        h = Moments(0, 0 * self.variance, self.variance * (size - 1) / size, within=-self.variance / size)
        if size > 2:
            return Single(h, phi, normed=self.eps) if phi.degree == 1 else None
        if not self.eps:
            return Single(h, composed(phi, FUNCTIONS["sign"]))
        return Single(
            replace(h, var_chi=h.var_chi / self.eps, within=h.within / self.eps), composed(phi, directions.OF_TWO)
        )

    def units(self, rng: Generator, count: int, size: int | None = None) -> Array:
        del size
        x = np.sqrt(over_data(self.variance)) * rng.standard_normal((self.size, count))
        return (normalised if self.estimator == "exact" else by_others)(x, float(self.eps), axis=-2)
