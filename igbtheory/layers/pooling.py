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
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import Node

MOST = 1_000_000
"""Largest number of units over which a maximum is taken."""
NEAR = 1e-3
"""Relative error from which on a maximum is drawn, whose own error is as large."""
SMALL = 8
"""Largest number of units over which samples of a maximum are computed unit by unit."""


@final
@dataclass(frozen=True, repr=False)
class MaxPool(Layer):
    """Maximum of m units: q_ab = E phi(M_a) phi(M_b), P(M_a < x, M_b < y) = P(h_a < x, h_b < y)^m.

    It commutes with an increasing activation in front of it. The next Dense reads `width` pooled units, and the Dense
    in front makes m times as many. Source: initial-guessing-bias, section 4.3 and appendix E.

    m: number of units of which one is kept.

    >>> net = igb.Network(igb.Dense(), igb.Activation("relu"), igb.MaxPool(2), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    1.0415
    """

    m: int

    each_unit = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.counted("m", self.m, 1, MOST))

    @property
    def pooled(self) -> int:
        return self.m

    def rule(self, node: Node[Any]) -> Node[Any]:
        # there is no rule for the maximum of normalised units at two data of one batch
        drawn = node.passage.within and isinstance(node.base, Normalised) and self.m > 1
        if drawn:
            return super().rule(node)
        return node.largest(self.m) or self._of_values(node) or super().rule(node)

    def _of_values(self, node: Node[Any]) -> Node[Any] | None:
        """Return the node of the largest value of a function that does not increase, or None if draws are as near."""
        h, phi, lone = node.base, node.phi, node.maximum == node.batch == 1
        if not (isinstance(h, Gaussian) and phi and lone) or node.n.exact or node.passage.gradients or phi.doubt:
            return None
        from igbtheory.mathematics.averages import largest_value  # noqa: PLC0415 - few networks need it

        moments = largest_value.moments(phi, self.m, h.values)
        if moments is None or not np.max(moments.error) < NEAR:
            return None
        values = replace(
            moments, **{name: node.n.number(getattr(moments, name)) for name in ("mean", "var_mu", "var_chi")}
        )
        return node.with_moments(self, values).naming(self)

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

    m: number of units that are averaged.

    >>> net = igb.Network(igb.Dense(), igb.Activation("relu"), igb.AvgPool(2), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.9339
    """

    m: int

    each_unit = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", checks.counted("m", self.m, 1, checks.LARGEST))

    @property
    def pooled(self) -> int:
        return self.m

    def rule(self, node: Node[Any]) -> Node[Any]:
        return super().rule(node) if node.base.dependent or node.components else node.of_copies(self.m)

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
