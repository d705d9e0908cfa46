"""Activation layers: a function phi of every unit."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.formulas import function_of
from igbtheory.formulas.function import Function
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.numbers import FLOAT64


@final
@dataclass(frozen=True, init=False)
class Activation(Layer):
    """Activation layer X = phi(Z), unit by unit.

    activation: a name of the catalogue ("relu"), a formula in x ("x*tanh(x)"), or a SymPy expression in one symbol.
    Over the nodes, with m(u) = E_z phi: mean = E phi, var_mu = E_u (m(u) - mean)^2, var_chi = E_u E_z (phi - m(u))^2.
    """

    phi: Function

    def __init__(self, activation: Any) -> None:
        object.__setattr__(self, "phi", function_of(activation))

    def law(self, node: LawNode) -> LawNode:
        return node.then(self.phi) if node.base.averages else super().law(node)

    def kernel(self, node: KernelNode) -> KernelNode:
        return node.then(self.phi) if node.base.averages else super().kernel(node)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del rng, width
        return np.asarray(self.phi(FLOAT64, x), dtype=x.dtype)

    def latex(self) -> str:
        return self.phi.latex()

    def __repr__(self) -> str:
        return f"Activation({self.phi.name!r})"
