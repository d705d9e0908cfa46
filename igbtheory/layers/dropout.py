"""Dropout in training mode, which adds noise to the data."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import swept_of
from igbtheory.layers.layer import Layer, refuse_sweep, shown_as
from igbtheory.layers.nodes.node import Node


class Noisy(Layer, ABC):
    """A layer that adds noise to every datum in training mode, and is the identity in evaluation mode."""


@final
@dataclass(frozen=True, repr=False)
class Dropout(Noisy):
    """Dropout X_i m_i/(1 - p), where m_i is 0 with probability p, else 1, independently for every unit and datum.

    It divides q_aa by 1 - p and keeps the covariance of two data: var_chi + q_aa p/(1 - p). This is PyTorch's training
    mode; for evaluation mode leave the layer out.

    p: probability of 0, at least 0 and below 1, a number or an array for a sweep.

    >>> net = igb.Network(igb.Dense(), igb.Activation("relu"), igb.Dropout(0.5), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.1893
    """

    p: Any = 0.5

    each_unit = True

    def __post_init__(self) -> None:
        checks.finite("p", self.p)
        object.__setattr__(self, "p", checks.sweep(self.p))
        if not checks.is_symbolic(self.p) and np.any((np.asarray(self.p) < 0) | (np.asarray(self.p) >= 1)):
            raise ValueError(f"expected a dropout probability 0 <= p < 1, or an array of them, got {self.p!r}")

    def rule(self, node: Node[Any]) -> Node[Any]:
        return node.dropped(self.p) if np.any(self.p) else node

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        refuse_sweep(self, self.p)
        kept = rng.random(x.shape, dtype=np.float32) >= self.p
        return np.asarray(x * kept / x.dtype.type(1 - self.p))

    def latex(self) -> str:
        return rf"\mathrm{{dropout}}_{{{shown_as(self.p)}}} x"


@swept_of.register
def _(owner: Dropout) -> Mapping[str, Any]:
    return {"p": owner.p}
