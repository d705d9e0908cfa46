"""Normalisation of every datum over its units: LayerNorm and RMSNorm."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import swept_of
from igbtheory.layers.layer import Layer, refuse_sweep
from igbtheory.layers.nodes.mixture import over_root_of
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.nodes.scaling import normalised, over_root


@final
@dataclass(frozen=True, repr=False)
class LayerNorm(Layer):
    """LayerNorm (X_i - <X>)/sqrt(<(X - <X>)^2> + eps), averages over the units of one datum.

    In infinite width the averages are constants: mean = 0, both variances are divided by var_mu + var_chi + eps. On a
    given data set every datum has its own mean and norm. positions_too: averages over the positions of images too, as
    in PyTorch's LayerNorm([channels, height, width]), and in its GroupNorm if the groups are few and wide.
    Source: where-you-place-the-norm, Eq. 5 and appendix F.

    eps: what is added to the variance, a number or an array for a sweep.

    >>> net = igb.Network(igb.Dense(), igb.Activation("relu"), igb.LayerNorm(), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.0000
    """

    eps: Any = 0.0
    positions_too: bool = False

    centres = True

    def __post_init__(self) -> None:
        checks.non_negative("eps", self.eps)
        object.__setattr__(self, "eps", checks.sweep(self.eps))

    def rule(self, node: Node[Any]) -> Node[Any]:
        if node.components:  # averages over few units are no constants
            return super().rule(node)
        x = node.averaged()
        if self.positions_too and node.places is not None:
            square, centre = (node.places.averages(each) for each in (x.square, x.mean))
            return over_root_of(node, square - centre * centre + node.n.number(self.eps), centre)
        return over_root_of(node, x.variance + node.n.number(self.eps), x.mean)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        refuse_sweep(self, self.eps)
        if self.positions_too:
            return normalised(x.reshape(len(x), -1), self.eps, axis=1).reshape(x.shape)
        return normalised(x, self.eps, axis=1)

    def latex(self) -> str:
        return r"\mathrm{LN}(x)"


@final
@dataclass(frozen=True, repr=False)
class RMSNorm(Layer):
    """RMSNorm X_i/sqrt(<X^2> + eps), the average over the units of one datum.

    In infinite width the mean is divided by sqrt(q_aa + eps) and both variances by q_aa + eps, where q_aa = mean^2 +
    var_mu + var_chi.

    eps: what is added to the mean square, a number or an array for a sweep.

    >>> net = igb.Network(igb.Dense(), igb.Activation("relu"), igb.RMSNorm(), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.4669
    """

    eps: Any = 0.0

    centres = False

    def __post_init__(self) -> None:
        checks.non_negative("eps", self.eps)
        object.__setattr__(self, "eps", checks.sweep(self.eps))

    def rule(self, node: Node[Any]) -> Node[Any]:
        q = node.averaged().square + node.n.number(self.eps)
        return super().rule(node) if node.components else over_root_of(node, q)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        refuse_sweep(self, self.eps)
        return over_root(x, np.mean(np.square(x), axis=1, keepdims=True), self.eps)

    def latex(self) -> str:
        return r"\mathrm{RMS}(x)"


@swept_of.register
def _(owner: LayerNorm | RMSNorm) -> Mapping[str, Any]:
    return {"eps": owner.eps}
