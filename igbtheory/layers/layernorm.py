"""Normalisation of every datum over its units: LayerNorm and RMSNorm."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode, LawNode
from igbtheory.layers.nodes.scaling import normalised, over_root, scaled_law, scaled_pairs


@final
@dataclass(frozen=True, repr=False)
class LayerNorm(Layer):
    """LayerNorm (X_i - <X>)/sqrt(<(X - <X>)^2> + eps), averages over the units of one datum.

    In infinite width the averages are constants: mean = 0, both variances are divided by var_mu + var_chi + eps. On a
    given data set every datum has its own mean and norm. positions_too: averages over the positions of images too, as
    in PyTorch's LayerNorm([channels, height, width]), and in its GroupNorm if the groups are few and wide.
    Source: where-you-place-the-norm, Eq. 5 and appendix F.
    """

    eps: Any = 0.0
    positions_too: bool = False

    def __post_init__(self) -> None:
        checks.epsilon(self.eps)

    def law(self, node: LawNode) -> LawNode:
        x = node.averaged()
        return scaled_law(node, x, x.variance + node.n.number(self.eps), centred=True)

    def kernel(self, node: KernelNode) -> KernelNode:
        x, means, eps = node.averaged(), node.means(), node.n.number(self.eps)
        squares, centres = (x.q_a, x.q_b), means
        if self.positions_too and node.places is not None:
            squares, centres = (node.places.averages(pair) for pair in (squares, centres))
        q = squares[0] - centres[0] ** 2 + eps, squares[1] - centres[1] ** 2 + eps
        return scaled_pairs(node, x, q, means, centres)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
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
    """

    eps: Any = 0.0

    def __post_init__(self) -> None:
        checks.epsilon(self.eps)

    def law(self, node: LawNode) -> LawNode:
        x = node.averaged()
        q = x.mean * x.mean + x.variance + node.n.number(self.eps)
        return scaled_law(node, x, q, centred=False)

    def kernel(self, node: KernelNode) -> KernelNode:
        x, eps = node.averaged(), node.n.number(self.eps)
        return scaled_pairs(node, x, (x.q_a + eps, x.q_b + eps), node.means())

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return over_root(x, np.mean(np.square(x), axis=1, keepdims=True), self.eps)

    def latex(self) -> str:
        return r"\mathrm{RMS}(x)"
