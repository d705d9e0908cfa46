"""Activation layers: a function phi of every unit."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Base
from igbtheory.layers.nodes.draws import Draws
from igbtheory.layers.nodes.node import LawNode, Node
from igbtheory.mathematics.averages.mesh import is_resolved
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.parameters import name_of
from igbtheory.mathematics.numbers import FLOAT64, Kind

USUAL = 8.0
"""Distance from 0 up to which panels must resolve a formula."""


@final
@dataclass(frozen=True, init=False)
class Activation(Layer):
    """Activation layer X = phi(Z), unit by unit.

    activation: a name of the catalogue ("relu"), a formula in x ("x*tanh(x)"), a SymPy expression in one symbol, or a
    callable of an array, of NumPy, SciPy or PyTorch. A callable is recorded as a formula if possible, else approximated
    by polynomials, whose distance from it is part of every error. A table (x, y) of knots is the piecewise linear
    function through them, which goes straight on beyond its ends. parameters: values of other names in the formula, of
    symbols in the expression, or keywords of the callable: Activation("x + sin(a*x)**2/a", a=5). Arrays of values make
    a sweep, and broadcast with other sweeps.
    Over Gaussian units, with m(u) = E_z phi: mean = E phi, var_mu = E_u (m(u) - mean)^2, var_chi = E_u E_z
    (phi - m(u))^2. The layer only adds phi to the node; the next layer that needs moments computes the average.

    >>> net = igb.Network(igb.Dense(), igb.Activation("x + sin(a*x)**2/a", a=5), igb.Dense())
    >>> print(f"{net.predict().gamma:.4f}")
    0.0050
    """

    phi: Function
    phis: tuple[Function, ...]
    """The functions of a sweep, () without one."""
    parameters: tuple[tuple[str, Any], ...]
    """Names and values of the parameters of a sweep."""

    each_unit = True

    def __init__(self, activation: Any, **parameters: Any) -> None:
        values = {name: value if np.ndim(value) == 0 else np.asarray(value) for name, value in parameters.items()}
        points = np.broadcast(*values.values()) if checks.broadcast("parameters", values.items()) else ()
        phis = [function_of(activation, **dict(zip(values, map(_plain, point), strict=True))) for point in points]
        text = activation if isinstance(activation, str) else name_of(activation)
        phi = replace(phis[0], name=text) if phis else function_of(activation, **values)
        object.__setattr__(self, "phi", phi)
        object.__setattr__(self, "phis", tuple(phis))
        object.__setattr__(self, "parameters", tuple(values.items()) if phis else ())

    def rule(self, node: Node[Any]) -> Node[Any]:
        if self.phis and node.base.averages:
            return self._of_each(node)
        return node.then(self.phi) if self._has_rule(node) else super().rule(node)

    def _has_rule(self, node: Node[Any]) -> bool:
        """Return whether phi of the node can be averaged.

        For maxima and batch-normalised units, panels must resolve phi, except in formulas and proven enclosures.
        """
        one_gaussian = node.maximum == 1 and node.base.gaussian
        return node.base.averages and (one_gaussian or node.n.exact or is_resolved(self.phi, USUAL))

    def _of_each(self, node: LawNode) -> LawNode:
        """Return the node behind the layer, which has each function at its own points of the sweep."""
        which = np.arange(len(self.phis)).reshape(
            np.broadcast_shapes(*(np.shape(value) for _, value in self.parameters))
        )
        return node.after(Swept(tuple(map(node.then, self.phis)), which))

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        if self.phis:
            raise ValueError(f"expected one activation to draw units of, got the sweep {self!r}; loop over its values")
        return np.asarray(self.phi(FLOAT64, x), dtype=x.dtype)

    def latex(self) -> str:
        return self.phi.latex()

    def __repr__(self) -> str:
        return (
            f"Activation({', '.join([repr(self.phi.name), *(f'{name}={value!r}' for name, value in self.parameters)])})"
        )


def phi_of(layer: Layer) -> Function | None:
    """Return the function that a layer applies to every unit, None if it is no activation."""
    return layer.phi if type(layer) is Activation else None  # no class is below it, and this is asked often


def _plain(value: Any) -> Any:
    """Return a number of NumPy as Python's own, which prints its digits alone."""
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


@final
@dataclass(frozen=True, eq=False)
class Swept(Base[Moments]):
    """Unit of a sweep over activations: at point i of the sweep it is the unit of `nodes[which[i]]`."""

    nodes: tuple[LawNode, ...]
    which: NDArray[np.intp]

    @property
    def dependent(self) -> bool:
        return any(node.base.dependent for node in self.nodes)

    @property
    def error(self) -> Any:
        return self._chosen([node.base.error for node in self.nodes])

    def increases(self, phi: Function | None, m: int) -> bool:
        each = all(node.base.increases(node.phi, m) for node in self.nodes)
        return each and super().increases(phi, m)

    def average(self, n: Kind, phi: Function | None, m: int) -> Moments:
        nodes = [replace(node, maximum=node.maximum * m) for node in self.nodes]
        moments = [(node if phi is None else node.then(phi)).averaged() for node in nodes]
        merged: Moments = self._merged(moments)
        return merged

    def _merged(self, moments: list[Any]) -> Any:
        """Return moments whose numbers at a point of the sweep are those of its node."""
        first = moments[0]
        if not is_dataclass(first):
            return self._chosen(moments)
        names = [field.name for field in fields(first)]
        return replace(first, **{name: self._merged([getattr(one, name) for one in moments]) for name in names})  # type: ignore[type-var]

    def units(self, draws: Draws, count: int) -> NDArray[np.float64]:
        """Draw `count` units at each point of the sweep, shape (*sweep, data, count)."""
        return np.asarray(self._chosen([node.units(draws, count) for node in self.nodes], inner_axes=2))

    def _chosen(self, values: list[Any], inner_axes: int = 0) -> Any:
        """Return the array that equals `values[which[i]]` at point i of the sweep.

        values: a number or an array for each node. The last `inner_axes` axes belong to one value, the others to the
        sweep.
        """
        if all(value is values[0] for value in values):
            return values[0]
        which = self.which.reshape(*self.which.shape, *(1,) * inner_axes)
        shape = np.broadcast_shapes(which.shape, *map(np.shape, values))
        stacked = np.stack([np.broadcast_to(value, shape) for value in values])
        return np.take_along_axis(stacked, np.broadcast_to(which, shape)[None], axis=0)[0]
