"""Gates, which multiply a unit by a function of another one: GLU and its variants."""

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import Node
from igbtheory.layers.pooling import pools
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64


class Gate(Layer, ABC):
    """Gate x phi(z) of two units: the first half of the units times phi of the second half.

    x and z are independent, so that second moments are products: E (x phi)_a (x phi)_b = E x_a x_b E phi_a phi_b.
    The next Dense reads `width` gated units, and the Dense in front makes twice as many.
    Source: Shazeer 2020, GLU variants improve transformer.

    >>> net = igb.Network(igb.Dense(), igb.ReGLU(), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.0000
    """

    activation: ClassVar[str]
    """Name or formula of phi."""

    pooled = 2

    @property
    def gating(self) -> Function:
        """The function of the gating unit."""
        return function_of(self.activation)

    def rule(self, node: Node[Any]) -> Node[Any]:
        if not node.base.averages or node.base.dependent:
            return super().rule(node)
        return node.times(node.then(self.gating))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        pools(x, 2, type(self).__name__)  # refuses an odd number of units
        value, gating = np.split(x, 2, axis=1)
        return np.asarray(value * self.gating(FLOAT64, gating), dtype=x.dtype)

    def latex(self) -> str:
        return rf"x \cdot \left({self.gating.latex()}\right)(z)"


@final
@dataclass(frozen=True)
class GLU(Gate):
    """Gated linear unit x sigmoid(z).

    >>> print(f"{igb.Network(igb.Dense(), igb.GLU(), igb.Dense()).predict().gamma:.4f}")
    0.0000
    """

    activation = "sigmoid"


@final
@dataclass(frozen=True)
class ReGLU(Gate):
    """Gate x relu(z).

    >>> print(f"{igb.Network(igb.Dense(), igb.ReGLU(), igb.Dense()).predict().gamma:.4f}")
    0.0000
    """

    activation = "relu"


@final
@dataclass(frozen=True)
class GEGLU(Gate):
    """Gate x gelu(z).

    >>> print(f"{igb.Network(igb.Dense(), igb.GEGLU(), igb.Dense()).predict().gamma:.4f}")
    0.0000
    """

    activation = "gelu"


@final
@dataclass(frozen=True)
class SwiGLU(Gate):
    """Gate x silu(z).

    >>> print(f"{igb.mlp(2, igb.SwiGLU()).predict().gamma:.4f}")
    0.0000
    """

    activation = "silu"
