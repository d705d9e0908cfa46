"""Batch-normalised Gaussian units: the base of the node behind BatchNorm."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.scaling import by_others, normalised
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.sweeps import at_points


@final
@dataclass(frozen=True)
class Normalised(Base[Moments]):
    """Gaussian unit centred and scaled over its batch of `size` data.

    estimator is "exact" or "proxy"; variance is the variance of the unit over its batch, which matters only if eps > 0;
    variance_error is the relative error that follows from the error of the variance. The covariance of a maximum at two
    data of one batch has no rule and is NaN.
    """

    size: int
    estimator: str
    variance: Any
    eps: Any
    variance_error: Any = 0.0

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        moments = self._average(n, phi or FUNCTIONS["linear"], m)
        moments = replace(moments, error=moments.error + self.variance_error)
        return moments if m == 1 else replace(moments, within=n.number(np.nan) + 0 * moments.var_chi)

    def _average(self, n: Kind, phi: Function, m: int) -> Moments:
        from igbtheory.layers.batches import law  # noqa: PLC0415 - networks without BatchNorm do not need it

        if not float(self.eps):
            return law.moments(n, phi, m, self.size, self.estimator)
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" in BatchNorm({self.size}, eps={self.eps}), got "proxy"; or use eps=0'
            )

        def at_one(variance: Any) -> tuple[Any, ...]:
            x = law.moments(n, phi, m, self.size, "exact", variance, self.eps)
            return x.mean, x.var_mu, x.var_chi, x.error, x.within

        return Moments(*at_points(at_one, self.variance))

    def units(self, draws: Draws, count: int) -> Array:
        x = np.sqrt(beside(self.variance)[..., None]) * draws.stratified(count)
        normed = (normalised if self.estimator == "exact" else by_others)(x, float(self.eps), axis=-2)
        return normed.reshape(*normed.shape[:-3], -1, count)
