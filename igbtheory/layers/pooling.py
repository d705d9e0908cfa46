"""Pooling over units: the maximum or the average of m units."""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.batches.normalised import Normalised
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode, LawNode

MOST = 1_000_000
"""Largest number of units over which a maximum is taken."""
SMALL = 8
"""Largest number of units over which samples of a maximum are computed unit by unit."""


@final
@dataclass(frozen=True, repr=False)
class MaxPool(Layer):
    """Maximum of m units: q_ab = E phi(M_a) phi(M_b), P(M_a < x, M_b < y) = P(h_a < x, h_b < y)^m.

    It commutes with an increasing activation in front of it. The next Dense reads `width` pooled units, and the Dense
    in front makes m times as many. Source: initial-guessing-bias, section 4.3 and appendix E.
    """

    m: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.whole("m", self.m, 1, MOST))

    @property
    def pooled(self) -> int:
        return self.m

    def law(self, node: LawNode) -> LawNode:
        # there is no rule for the maximum of normalised units at two data of one batch
        drawn = node.draws_within and isinstance(node.base, Normalised) and self.m > 1
        return super().law(node) if drawn else node.largest(self.m) or super().law(node)

    def kernel(self, node: KernelNode) -> KernelNode:
        return node.largest(self.m) or super().kernel(node)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        x = pools(x, self.m, "MaxPool")
        # for a small pool this takes a tenth of the time of x.max, whose inner loops are short
        return reduce(np.maximum, np.moveaxis(x, 2, 0)) if self.m <= SMALL else np.asarray(x.max(axis=2))

    def latex(self) -> str:
        return rf"\max_{{{self.m}}} x"


@final
@dataclass(frozen=True, repr=False)
class AvgPool(Layer):
    """Average of m units: the mean stays, both variances are divided by m.

    It is Gaussian if the units are. The next Dense reads `width` pooled units, and the Dense in front makes m times as
    many.
    """

    m: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.whole("m", self.m, 1, checks.LARGEST))

    @property
    def pooled(self) -> int:
        return self.m

    def law(self, node: LawNode) -> LawNode:
        if node.base.dependent:
            return super().law(node)
        x = node.averaged()
        within = None if x.within is None else x.within / self.m
        values = replace(x, var_mu=x.var_mu / self.m, var_chi=x.var_chi / self.m, within=within)
        return node.remade(self, values)

    def kernel(self, node: KernelNode) -> KernelNode:
        if node.base.dependent:
            return super().kernel(node)
        x, (a, b) = node.averaged(), node.means()
        q_a, q_b, q_ab = (
            product + (q - product) / self.m for q, product in ((x.q_a, a * a), (x.q_b, b * b), (x.q_ab, a * b))
        )
        values = replace(x, q_a=q_a, q_b=q_b, q_ab=q_ab)
        return node.remade(self, values, (a, b))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return np.asarray(pools(x, self.m, "AvgPool").mean(axis=2))

    def latex(self) -> str:
        return rf"\mathrm{{avg}}_{{{self.m}}} x"


def pools(x: NDArray[Any], m: int, name: str) -> NDArray[Any]:
    """Return samples in pools of m units, shape (n_samples, units/m, m, *positions)."""
    if x.shape[1] % m:
        raise ValueError(
            f"expected a number of units that {name}({m}) divides, got {x.shape[1]}; a Dense in front makes m * width"
        )
    return x.reshape(len(x), -1, m, *x.shape[2:])
