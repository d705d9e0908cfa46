"""The result of `Network.derive`: formulas for the variances, the bias ratio and the density of G0."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import sympy as sp

CHAINED = 2
"""Hidden layers from which on formulas are told in terms of the layer before."""


def simplified(expression: Any) -> Any:
    """The expression as a person would print it: the shorter of what SymPy's simplifications give."""
    found = sp.gammasimp(sp.simplify(expression))
    return min((found, sp.factor(found), sp.simplify(sp.together(expression))), key=sp.count_ops)


@final
@dataclass(frozen=True)
class DerivedLayer:
    """Variances after a Dense, in the symbols of the network or in those of the layer before: var_mu, var_chi."""

    var_mu: Any
    var_chi: Any

    @cached_property
    def gamma(self) -> Any:
        """Bias ratio var_mu/var_chi."""
        return simplified(self.var_mu / self.var_chi)

    @cached_property
    def c(self) -> Any:
        """Correlation var_mu/(var_mu + var_chi) of two data."""
        return simplified(self.var_mu / (self.var_mu + self.var_chi))


@final
@dataclass(frozen=True)
class Chained:
    """A quantity of the output of a deep network, evaluated layer by layer; its formula in full would be too long.

    `evalf(digits, subs)` is its value, `doit()` the formula in full.
    """

    name: str
    layers: tuple[DerivedLayer, ...]
    symbols: tuple[tuple[Any, Any], ...]

    def evalf(self, digits: int = 15, subs: Mapping[Any, Any] | None = None) -> Any:
        """Value with so many digits, the free symbols replaced by `subs`."""
        values = {symbol: sp.nsimplify(value, rational=True) for symbol, value in (subs or {}).items()}
        guard = digits + 10 + len(self.layers)
        for layer, (mu, chi) in zip(self.layers, (*self.symbols, (None, None)), strict=True):
            found = [sp.N(sp.sympify(part).subs(values), guard) for part in (layer.var_mu, layer.var_chi)]
            values |= {mu: found[0], chi: found[1]}
        last = DerivedLayer(*found)
        return sp.N(getattr(last, self.name), digits)

    def doit(self) -> Any:
        """The formula in full."""
        values: dict[Any, Any] = {}
        for layer, (mu, chi) in zip(self.layers, (*self.symbols, (None, None)), strict=True):
            found = [sp.sympify(part).subs(values) for part in (layer.var_mu, layer.var_chi)]
            values |= {mu: found[0], chi: found[1]}
        return getattr(DerivedLayer(*found), self.name)

    def __str__(self) -> str:
        return f"{self.name} of layer {len(self.layers)}, by recursion: {sp.sstr(self.evalf(15))}"


@final
@dataclass(frozen=True)
class Derivation:
    """Formulas for a network in infinite width: var_mu, var_chi, gamma, c of the output, and the density of G0.

    per_layer: the same after every Dense. With more than two hidden layers those from the third Dense on are in the
    symbols v_mu_l, v_chi_l of the layer before, and gamma, c and the variances are `Chained`.
    """

    per_layer: tuple[DerivedLayer, ...]
    symbols: tuple[tuple[Any, Any], ...]

    @property
    def chained(self) -> bool:
        """Whether layers are told in terms of the layers before."""
        return bool(self.symbols)

    def _output(self, name: str) -> Any:
        if not self.chained:
            return getattr(self.per_layer[-1], name)
        return Chained(name, self.per_layer, self.symbols)

    @property
    def var_mu(self) -> Any:
        """Variance over the weights of an output's centre."""
        return self._output("var_mu")

    @property
    def var_chi(self) -> Any:
        """Variance over the data of an output, the weights fixed."""
        return self._output("var_chi")

    @property
    def gamma(self) -> Any:
        """Bias ratio of the output layer."""
        return self._output("gamma")

    @property
    def c(self) -> Any:
        """Correlation of an output at two data."""
        return self._output("c")

    def pdf(self, g: Any) -> Any:
        """Density of G0, exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma) with y = Phi^-1(g) = sqrt(2) erfinv(2 g - 1)."""
        gamma = self.gamma.doit() if self.chained else self.gamma
        if gamma == 0:
            return sp.DiracDelta(sp.sympify(g) - sp.Rational(1, 2))
        y = sp.sqrt(2) * sp.erfinv(2 * sp.sympify(g) - 1)
        return sp.exp(y**2 * sp.simplify((1 - 1 / gamma) / 2)) / sp.sqrt(gamma)

    def latex(self) -> str:
        """The formulas in LaTeX, of a deep network layer by layer."""
        lines = [
            rf"\sigma^{{2\,({i})}}_{{\mu}} &= {sp.latex(layer.var_mu)}, & "
            rf"\sigma^{{2\,({i})}}_{{\chi}} &= {sp.latex(layer.var_chi)}"
            for i, layer in enumerate(self.per_layer, 1)
        ]
        if not self.chained:
            lines.append(rf"\gamma &= {sp.latex(self.gamma)}, & c &= {sp.latex(self.c)}")
        return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        return f"Derivation(gamma = {self.gamma}, var_mu = {self.var_mu}, var_chi = {self.var_chi})"
