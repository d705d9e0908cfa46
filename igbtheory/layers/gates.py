"""Gates, which multiply a unit by a function of another one: GLU and its variants."""

from abc import ABC
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode, LawNode
from igbtheory.layers.pooling import pools
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64


class Gate(Layer, ABC):
    """Gate x phi(z) of two units: the first half of the units times phi of the second half.

    x and z are independent, so that second moments are products: E (x phi)_a (x phi)_b = E x_a x_b E phi_a phi_b.
    The next Dense reads `width` gated units, and the Dense in front makes twice as many.
    Source: Shazeer 2020, GLU variants improve transformer.
    """

    activation: ClassVar[str]
    """Name or formula of phi."""

    pooled = 2

    @property
    def gating(self) -> Function:
        """The function of the gating unit."""
        return function_of(self.activation)

    def law(self, node: LawNode) -> LawNode:
        if not node.base.averages or node.base.dependent:
            return super().law(node)
        x, y = node.averaged(), node.then(self.gating).averaged()
        shared = x.mean * x.mean + x.var_mu
        within = None
        if x.within is not None and y.within is not None:
            within = x.within * (y.mean * y.mean + y.within) + x.mean * x.mean * y.within
        values = Moments(
            0 if x.centred or y.centred else x.mean * y.mean,
            x.var_mu * (y.mean * y.mean + y.var_mu) + x.mean * x.mean * y.var_mu,
            x.var_chi * (y.mean * y.mean + y.variance) + shared * y.var_chi,
            x.error + y.error,
            within,
        )
        return node.with_moments(self, values)

    def kernel(self, node: KernelNode) -> KernelNode:
        if not node.base.averages or node.base.dependent:
            return super().kernel(node)
        gating = node.then(self.gating)
        x, y = node.averaged(), gating.averaged()
        values = replace(
            x,
            q_a=x.q_a * y.q_a,
            q_b=x.q_b * y.q_b,
            q_ab=x.q_ab * y.q_ab,
            error=x.error + y.error,
            rank=min(x.rank, y.rank),
        )
        (a, b), (c, d) = node.means(), gating.means()
        return node.with_moments(self, values, (a * c, b * d))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        pools(x, 2, type(self).__name__)  # refuses an odd number of units
        value, gating = np.split(x, 2, axis=1)
        return np.asarray(value * self.gating(FLOAT64, gating), dtype=x.dtype)

    def latex(self) -> str:
        return rf"x \cdot \left({self.gating.latex()}\right)(z)"


@final
@dataclass(frozen=True)
class GLU(Gate):
    """Gated linear unit x sigmoid(z)."""

    activation = "sigmoid"


@final
@dataclass(frozen=True)
class ReGLU(Gate):
    """Gate x relu(z)."""

    activation = "relu"


@final
@dataclass(frozen=True)
class GEGLU(Gate):
    """Gate x gelu(z)."""

    activation = "gelu"


@final
@dataclass(frozen=True)
class SwiGLU(Gate):
    """Gate x silu(z)."""

    activation = "silu"
