"""Dropout in training mode: noise of the data."""

from dataclasses import dataclass, replace
from typing import Any, TypeVar, final

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.layers.dead import refuse_sums
from igbtheory.layers.draws import Array
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import Averaged, KernelNode, LawNode, Node, OfNode
from igbtheory.layers.single import Single
from igbtheory.layers.strata import Strata
from igbtheory.numerics.log_binomial import log_binomial

T = TypeVar("T")
NEVER = 1e-18
"""Probability of a count of data that are kept which is none."""


@final
@dataclass(frozen=True)
class Dropout(Layer):
    """Dropout X_i m_i/(1 - p), m_i = 0 with probability p, else 1, anew for every unit and datum.

    q_aa/(1 - p); the covariance of two data stays: var_chi + q_aa p/(1 - p). As PyTorch in training mode; in evaluation
    mode leave the layer out.
    """

    p: Any = 0.5

    def __post_init__(self) -> None:
        checks.finite("p", self.p)
        if np.ndim(self.p) or not 0 <= self.p < 1:
            raise ValueError(f"expected a dropout probability 0 <= p < 1, one number, got {self.p!r}")

    def law(self, node: LawNode) -> LawNode:
        if self.p == 0:
            return node
        x, p = node.averaged(), node.n.number(self.p)
        q = x.mean * x.mean + x.variance
        values = replace(x, var_chi=x.var_chi + q * p / (1 - p))
        return Node(node.n, Averaged(values, (x.mean, x.mean), Dropped(node, self)))

    def kernel(self, node: KernelNode) -> KernelNode:
        if self.p == 0:
            return node
        x, kept = node.averaged(), 1 - node.n.number(self.p)
        q_ab = np.where(x.same, x.q_ab / kept, x.q_ab)
        values = replace(x, q_a=x.q_a / kept, q_b=x.q_b / kept, q_ab=q_ab)
        return Node(node.n, Averaged(values, node.means(), Dropped(node, self)))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del width
        return self.of_kept(x, rng.random(x.shape, dtype=np.float32))

    def of_kept(self, x: NDArray[Any], u: NDArray[Any]) -> NDArray[Any]:
        """Units where the uniform u keep them."""
        return np.asarray(x * (u >= self.p) / x.dtype.type(1 - self.p))

    def latex(self) -> str:
        return rf"\mathrm{{dropout}}_{{{self.p}}} x"

    def __repr__(self) -> str:
        return f"Dropout({self.p})"


@final
@dataclass(frozen=True)
class Dropped(OfNode[T]):
    """Unit of a node with dropout; the points of a sweep share what is dropped."""

    dropout: Dropout

    @property
    def what(self) -> str:
        return "a unit with dropout"

    @property
    def draws(self) -> int:
        return self.node.draws + 1

    def units(self, rng: Generator, count: int, size: int | None) -> Array:
        x = self.node.units(rng, count, size)
        return self.dropout.of_kept(x, rng.random(x.shape[-2:]))

    def spread(self, strata: Strata, count: int) -> Array:
        p = self.dropout.p
        mean, variance = np.split(self.node.spread(strata, count), 2, axis=-2)
        return np.concatenate([mean, (variance + p * mean**2) / (1 - p)], axis=-2)

    def single(self) -> Single | None:
        found = self.node.single()
        return found and found.dropped(1 - self.node.n.number(self.dropout.p))

    def constant(self, size: int, copies: int) -> Any:
        """What is kept of a unit is 0, or all is kept and one value.

        All data are 0 where those that are kept are 0; all at another value only where all are kept.
        """
        refuse_sums(self.what, size, copies)
        share = np.asarray(scipy.special.ndtri(1 - float(self.dropout.p)))
        kept = np.exp(log_binomial(size, np.arange(size + 1.0), share))
        zero = sum(kept[k] * np.asarray(self.node.zeros(k)) for k in range(1, size) if kept[k] > NEVER)
        return (kept[0] + zero + kept[-1] * np.asarray(self.node.constant(size)))[()]
