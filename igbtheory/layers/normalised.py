"""Batch-normalised units: what BatchNorm makes of Gaussian ones."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.activations import FUNCTIONS, batched
from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.layers import batch_kernel
from igbtheory.layers.dead import dead_batch
from igbtheory.layers.gaussian import GaussianPairs
from igbtheory.layers.node import Base
from igbtheory.layers.pairs import Pairs
from igbtheory.numbers import Kind

MOST_BATCHES = 12
"""Batches of given data at most whose pairs are computed exactly, at about a second for every twelve pairs."""


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
            return batched.moments(n, phi, m, self.size, self.estimator)
        if m > 1:
            raise ValueError(
                f"expected eps=0 in BatchNorm({self.size}) in front of a maximum of {m} units, got eps={self.eps}"
            )
        if self.estimator == "proxy":
            raise ValueError(
                f'expected law="exact" in BatchNorm({self.size}, eps={self.eps}), got "proxy"; or use eps=0'
            )
        points = [batched.with_eps(n, phi, self.size, v, self.eps) for v in np.ravel(self.variance)]
        parts = ([getattr(x, name) for x in points] for name in ("mean", "var_mu", "var_chi", "error", "within"))
        shape = np.shape(self.variance)
        return Moments(*(np.array(part).reshape(shape)[()] for part in parts))

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        mean = self.average(n, phi, m).mean
        return mean, mean

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n
        return dead_batch(phi, m, size, copies, float(self.eps))


@final
@dataclass(frozen=True)
class NormalisedPairs(Base[Pairs]):
    """Unit of given data, centred Gaussian with the covariance `values`, centred and scaled over batches of `size`.

    Exact for homogeneous phi with a closed form and for the identity; else the scale is taken to be that of its mean
    square, with a relative error of about 1/rank.
    """

    values: Pairs
    size: int
    eps: Any

    def average(self, n: Kind, phi: Function | None, m: int) -> Pairs:
        batches = len(self.values.q_ab) // self.size
        if m == 1 and _is_exact(phi) and batches <= MOST_BATCHES:
            kernel, error = batch_kernel.homogeneous_batches(
                phi, self.values.q_ab.astype(float), self.size, float(self.eps)
            )
            return _pairs(n, self.values, kernel, error + self.values.error)
        return self._approximate(n).average(n, phi, m)

    def means(self, n: Kind, phi: Function | None, m: int) -> tuple[Any, Any]:
        return self._approximate(n).means(n, phi, m)

    def constant(self, n: Kind, phi: Function | None, m: int, size: int, copies: int = 1) -> Any:
        del n, phi, m, size, copies
        return 0.0  # no kernel of given data asks

    def _approximate(self, n: Kind) -> GaussianPairs:
        return GaussianPairs(approximated(n, self.values, self.size, self.eps))


def approximated(n: Kind, x: Pairs, size: int, eps: Any) -> Pairs:
    """Second moments of a unit centred and divided by the root of its mean square over each batch."""
    kernel = x.q_ab.astype(float)
    rank = batch_kernel.effective_rank(kernel, size)
    found = _pairs(n, x, batch_kernel.approximate(kernel, size, float(eps)), x.error + 1 / rank)
    return replace(found, rank=min(rank, x.rank))


def _is_exact(phi: Function | None) -> bool:
    return phi is None or (phi.degree is not None and phi.closed is not None)


def _pairs(n: Kind, x: Pairs, kernel: Any, error: float) -> Pairs:
    kernel = n.number(kernel)
    q = np.diagonal(kernel)
    return replace(x, q_a=q[:, None], q_b=q[None, :], q_ab=kernel, error=error)
