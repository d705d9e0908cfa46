"""Batch-normalised Gaussian units: the base of the node behind BatchNorm."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.draws import Array, Draws, beside
from igbtheory.layers.nodes.scaling import by_others, normalised
from igbtheory.mathematics.averages.noise import Noise
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import X, mul
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numbers.sweeps import at_points


@final
@dataclass(frozen=True)
class Normalised(Base[Moments]):
    """Gaussian unit centred and scaled over its batch of `size` data.

    estimator is "exact" or "proxy"; noise is that of the unit over the square of its scale, None if no gradients are
    asked for; variance is the variance of the unit over its batch, which matters only if eps > 0;
    variance_error is the relative error that follows from the error of the variance. The covariance of a maximum at two
    data of one batch has no rule and is NaN.
    """

    size: int
    estimator: str
    variance: Any
    eps: Any
    variance_error: Any = 0.0
    noise: Noise | None = None

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        moments = self._average(n, phi or FUNCTIONS["linear"], m)
        noise = self.noise and self._noise(n, phi, self.noise)
        moments = replace(moments, error=moments.error + self.variance_error, noise=noise)
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

    def _noise(self, n: Kind, phi: Function | None, noise: Noise) -> Noise:
        """Return the noise behind phi, by the slopes phi'(b_a) (1_ab - 1/size - b_a b_b/size) over the scale."""
        from igbtheory.mathematics.averages.slopes import refuse_jumps  # noqa: PLC0415 - gradients alone need it

        outer = phi or FUNCTIONS["linear"]
        refuse_jumps(outer)
        slope = outer.derivative
        alone, with_b = (self._average(n, f, 1) for f in (slope, Function(f"x times {slope}", mul(X, slope.tree))))
        pair = sum(x.mean * x.mean + x.within for x in (alone, with_b))
        each = alone.square * (1 - n.number(1) / self.size) - with_b.square / self.size
        error = noise.error + alone.error + with_b.error
        return Noise(noise.variance * each, error, -noise.variance * pair / self.size)

    def units(self, draws: Draws, count: int) -> Array:
        x = np.sqrt(beside(self.variance)[..., None]) * draws.stratified(count)
        normed = (normalised if self.estimator == "exact" else by_others)(x, float(self.eps), axis=-2)
        return normed.reshape(*normed.shape[:-3], -1, count)
