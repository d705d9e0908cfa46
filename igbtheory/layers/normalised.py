"""Batch-normalised units: what BatchNorm makes of Gaussian ones."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.averages import directions
from igbtheory.averages.state import Moments
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.function import Function
from igbtheory.layers import constant
from igbtheory.layers.draws import SPARE, Array, Draws, beside, replicated, standard_error
from igbtheory.layers.node import Base, Node
from igbtheory.layers.scaling import by_others, normalised
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class Normalised(Base[Moments]):
    """Gaussian unit centred and scaled over its batch of `size` data.

    estimator is "exact" or "proxy"; variance is that of the unit over its batch, which only eps > 0 sees. No rule gives
    the covariance of a maximum at two data of one batch: it is drawn where `draws_within` asks for it, else it is not a
    number. lost is the relative error of the variance, as far as eps sees it.
    """

    size: int
    estimator: str
    variance: Any
    eps: Any
    draws_within: bool = False
    lost: Any = 0.0

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        found = self._average(n, phi or FUNCTIONS["linear"], m)
        found = replace(found, error=found.error + self.lost)
        if m == 1:
            return found
        if not self.draws_within:
            return replace(found, within=n.number(np.nan) + 0 * found.var_chi)
        within, error = self._covariance(Node(n, self, m, phi), found.mean)
        # only later layers with an eps see it: an error for all of them, at most
        lost = np.max(error / np.asarray(found.var_chi, dtype=float))
        return replace(found, within=n.number(within), error=found.error + lost)

    def _average(self, n: Kind, phi: Function, m: int) -> Moments:
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

    def _covariance(self, node: Node[Moments], mean: Any) -> tuple[Any, Any]:
        """Covariance of the node at two data of one batch, from draws, and its error."""

        def products(draws: Draws) -> Array:
            y = node.units(draws, draws.points) - beside(mean)
            together = np.square(y.sum(axis=-2)) - np.square(y).sum(axis=-2)
            return np.asarray(together.mean(axis=-1) / (self.size * (self.size - 1)))

        found = replicated(products, 1, self.size)
        return found.mean(axis=0), SPARE * standard_error(found)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n
        return constant.of_normalised(phi, m, size, copies, float(self.eps))

    def units(self, draws: Draws, count: int) -> Array:
        x = np.sqrt(beside(self.variance)[..., None]) * draws.stratified(count)
        found = (normalised if self.estimator == "exact" else by_others)(x, float(self.eps), axis=-2)
        return found.reshape(*found.shape[:-3], -1, count)
