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

    activation: a name of the catalogue ("relu"), a formula in x ("x*tanh(x)"), a SymPy expression in one symbol, or a
    callable of an array: of NumPy, SciPy or PyTorch, recorded as a formula where it can be, else approximated by
    polynomials, whose distance from it is part of every error. Or a table (x, y) of knots, of which it is the piecewise
    linear function, straight on beyond its ends. parameters: values of other names in the formula, of symbols in the
    expression, or keywords of the callable: Activation("x + sin(a*x)**2/a", a=5).
    Over the nodes, with m(u) = E_z phi: mean = E phi, var_mu = E_u (m(u) - mean)^2, var_chi = E_u E_z (phi - m(u))^2.
    """

    phi: Function

    def __init__(self, activation: Any, **parameters: Any) -> None:
        object.__setattr__(self, "phi", function_of(activation, **parameters))

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
