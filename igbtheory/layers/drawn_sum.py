"""Units of sums of independent nodes at given data."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.random import Generator

from igbtheory.layers.gaussian import GaussianPairs
from igbtheory.layers.node import Array, Averaged, KernelNode
from igbtheory.layers.pairs import Pairs


@final
@dataclass(frozen=True)
class DrawnSum:
    """Units of a sum: `others`, nodes with their factors, and one Gaussian unit with the covariance `kernel`."""

    others: tuple[tuple[float, KernelNode], ...]
    kernel: Any

    def __call__(self, rng: Generator, count: int) -> Array:
        total = sum((factor * node.units(rng, count) for factor, node in self.others), start=np.zeros(()))
        return np.asarray(total + self._gaussian.units(rng, count) if np.ndim(self.kernel) else total)

    @cached_property
    def _gaussian(self) -> GaussianPairs:
        q = np.diagonal(self.kernel)
        return GaussianPairs(Pairs(q, q, self.kernel))


def drawn_sum(*terms: tuple[float, KernelNode]) -> DrawnSum:
    """Units of a sum of nodes with factors; sums among them are taken apart, so that a long stream stays short."""
    parts = [(factor, _parts(node)) for factor, node in terms if factor]
    others = tuple((factor * share, other) for factor, part in parts for share, other in part.others)
    return DrawnSum(others, sum(factor**2 * part.kernel for factor, part in parts))


def _parts(node: KernelNode) -> DrawnSum:
    if node.gaussian:
        return DrawnSum((), node.averaged().q_ab)
    if isinstance(node.base, Averaged) and isinstance(node.base.drawn, DrawnSum):
        return node.base.drawn
    return DrawnSum(((1.0, node),), 0)
