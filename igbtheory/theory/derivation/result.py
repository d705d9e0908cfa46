"""The result of `Network.derive`: formulas for the variances, the bias ratio and the density of G0."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import sympy as sp

from igbtheory.foundations import checks
from igbtheory.foundations.saved import maker
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.averages.mesh import UnresolvedError
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation.average import Average
from igbtheory.theory.derivation.depth import AtDepth, at_depth
from igbtheory.theory.derivation.document import Document, density, quantile
from igbtheory.theory.derivation.evaluated import number
from igbtheory.theory.derivation.layers import DerivedLayer, layers_of
from igbtheory.theory.derivation.nodes import FormalGaussian, behind
from igbtheory.theory.derivation.recursion import Recursion
from igbtheory.theory.derivation.shorthands import documented
from igbtheory.theory.derivation.states import S, V, at, in_symbols, rule
from igbtheory.theory.exact import refuse_inexact
from igbtheory.theory.output_layer import OutputLayer

FEW = 8
"""Number of digits that are printed of a value from quadrature."""
QUANTITIES = ("var_mu", "var_chi", "gamma", "c")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Derivation(OutputLayer[Any]):
    """Formulas for a network in infinite width: var_mu, var_chi, gamma, c of the output, and the density of G0.

    per_layer: the formulas after every Dense. Very long ones, and long ones behind three hidden layers, are in symbols
    v_mu_l, v_chi_l of the layer before. gamma, c and the variances are then evaluated layer by layer, and
    `gamma.doit()` is the formula in full. layers, inputs: the network and its inputs.

    >>> derivation = igb.mlp(1, "relu").derive()
    >>> derivation.gamma
    1/(-1 + pi)
    """

    per_layer: tuple[DerivedLayer, ...]
    layers: tuple[Layer, ...]
    inputs: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return derive, (self.layers, self.inputs)

    def _output(self, name: str) -> Any:
        last = self.per_layer[-1]
        if last.explicit:
            return getattr(last, name)
        depth = len(self.per_layer)
        mu, chi = (at(symbol, depth) for symbol in (V, S))
        result = {"var_mu": mu, "var_chi": chi, "gamma": mu / chi, "c": mu / (mu + chi)}[name]
        return Recursion(sp.Symbol(f"{name}_{depth}", positive=True), result, self._steps)

    @cached_property
    def _steps(self) -> Any:
        layers = enumerate(self.per_layer, 1)
        return sp.Tuple(
            *(
                sp.Tuple(at(symbol, i), part)
                for i, layer in layers
                for symbol, part in ((V, layer.var_mu), (S, layer.var_chi))
            )
        )

    def pdf(self, g: Any) -> Any:
        """Return the density exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma) of G0, with y = sqrt(2) erfinv(2 g - 1)."""
        with suppress(sp.SympifyError):
            g = sp.sympify(g)
        checks.of_kind("g as a number or a SymPy expression", g, sp.Expr, "sympy.Symbol('g')")
        if g.is_number and not (g.is_real and 0 <= g <= 1):
            raise ValueError(f"expected g from 0 to 1, a fraction of the data, got {g}; pass for example 0.3")
        if self.gamma == 0:
            return sp.DiracDelta(g - sp.Rational(1, 2))
        return density(self.gamma, quantile(g))

    def at_depth(self, depth: Any) -> AtDepth:
        """Return gamma for a symbol `depth` of hidden layers that are all equal to those of this network.

        It is a closed solution of the recursion, or its leading term at large depth. ValueError if neither is known.
        """
        checks.of_kind("depth as a symbol or a number", depth, (int, sp.Expr), "sympy.Symbol('L')")
        return at_depth(self.per_layer, depth)

    def value(self) -> float:
        """Return gamma, proven to a relative error of 1e-13. TypeError if it contains symbols."""
        symbols = sorted(self.gamma.free_symbols, key=str)
        if symbols:
            raise TypeError(
                f"expected a gamma without symbols, got one in {', '.join(map(str, symbols))}; substitute numbers for "
                "them in the network, and derive or predict again"
            )
        return float(number(self.gamma, FLOAT64.goal))

    @cached_property
    def _document(self) -> Document:
        return documented(self.per_layer)

    def latex(self) -> str:
        """Return the formulas as an align* environment of LaTeX, in rows for a column of 80 mm.

        A single term that cannot be split, such as a nested integral, may be slightly wider.
        """
        return self._document.latex()

    def _repr_latex_(self) -> str:
        return self.latex()

    def to_dict(self) -> dict[str, Any]:
        """Return the formulas as text with their digits, all printed equations, their LaTeX, and the layers."""
        return {
            **{name: f"{getattr(self, name)}{_digits(getattr(self, name))}" for name in QUANTITIES},
            "equations": self._document.texts(),
            "latex": self.latex(),
            "per_layer": [{name: str(getattr(layer, name)) for name in QUANTITIES[:2]} for layer in self.per_layer],
        }

    def __repr__(self) -> str:
        return f"Derivation(gamma={self.gamma if self.per_layer[-1].explicit else 'by recursion'})"

    def __str__(self) -> str:
        return self._document.text({name: _digits(getattr(self, name)) for name in QUANTITIES})


def _digits(formula: Any) -> str:
    """Return the text " = digits" of a formula.

    It is "" if the formula is a number itself, has symbols, or has an average that quadrature does not resolve.
    """
    if formula.free_symbols or (formula.is_Atom and formula.is_Number):
        return ""
    try:
        if formula.has(Average):
            return f" = {number(formula, 10.0**-FEW).evalf(FEW)}"
        return f" = {formula.evalf()}"
    except UnresolvedError:
        return ""


@maker
def derive(layers: Sequence[Layer], inputs: Any) -> Derivation:
    """Return the formulas for Gaussian `inputs`; those of deep networks are evaluated layer by layer.

    TypeError: a data set. ValueError: a sweep, or a layer whose rule has no formula.
    """
    refuse_inexact(layers, inputs, "derive")
    passage = Passage(applied=behind)
    node = LawNode(SYMBOLIC, FormalGaussian(inputs.moments(SYMBOLIC)), passage=passage)
    rules, before = [], [0]
    for listed in passage.listed(layers, node, _in_symbols):
        rules.append(rule(listed.averaged()))
        before.append(len(rules) if listed.gaussian else before[-1])
    return Derivation(layers_of(rules, before), tuple(layers), inputs)


def _in_symbols(node: LawNode) -> LawNode:
    """Return a Gaussian node with symbols for its moments, so that the next rule is one in these symbols."""
    return node.after(FormalGaussian(in_symbols(node.averaged()))) if node.gaussian else node
