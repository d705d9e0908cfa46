"""Stochastic depth in training mode, which leaves a branch out for some data."""

from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.dropout import Noisy
from igbtheory.layers.few import Few
from igbtheory.layers.nodes.data import at_data, pairs_of
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.spatial import OfData


@final
@dataclass(frozen=True, repr=False)
class StochasticDepth(Few, Noisy, OfData):
    """All units of a datum times m/(1 - p), where m is 0 with probability p, else 1, independently for every datum.

    The end of the branch of a Residual, which the datum then skips. Given m, q_ab becomes q_ab m_a m_b/(1 - p)^2; a
    prediction is a mean over drawn m. It is PyTorch's training mode; for evaluation mode leave the layer out.
    Source: Huang et al. 2016, Deep networks with stochastic depth.

    p: probability of 0, at least 0 and below 1. seed: of the draws of m; None: a fixed one.

    >>> igb.Residual(igb.Activation("relu"), igb.Dense(), igb.StochasticDepth(0.2))
    Residual(Activation('relu'), Dense(2.0), StochasticDepth(0.2))
    """

    p: float = 0.5

    each_unit = True
    whole = True

    def __post_init__(self) -> None:
        checks.finite("p", self.p)
        if np.ndim(self.p) or not 0 <= self.p < 1:
            raise ValueError(f"expected a probability 0 <= p < 1 of leaving a branch out, one number, got {self.p!r}")

    def kernel(self, node: KernelNode) -> KernelNode:
        if not (node.passage.trains and self.p):
            return node
        x, count = node.averaged(), prod(node.shape)
        factor = np.repeat(self._factors(self.rng, len(x.q_ab) // count), count)
        q_ab = np.asarray(x.q_ab, dtype=float) * np.outer(factor, factor)
        behind = node.remade(self, pairs_of(node.n, x, q_ab, at_data(x) * factor, x.error))
        return behind.naming(self)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        factor = self._factors(rng if self.seed is None else self.rng, len(x)).astype(x.dtype)
        return np.asarray(x * factor.reshape(-1, *[1] * (x.ndim - 1)))

    def _factors(self, rng: Generator, data: int) -> NDArray[np.float64]:
        """Return the factors m/(1 - p) of all data."""
        return np.asarray((rng.random(data) >= self.p) / (1 - self.p))

    def latex(self) -> str:
        return rf"\frac{{m}}{{1 - {self.p}}} x"
