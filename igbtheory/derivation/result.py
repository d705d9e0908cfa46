"""The result of `Network.derive`: formulas for the variances, the bias ratio and the density of G0."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import sympy as sp

from igbtheory.derivation.form import simplified
from igbtheory.output_layer import OutputLayer

CHAINED = 2
"""Hidden layers from which on formulas are given in terms of the layer before."""
QUANTITIES = ("var_mu", "var_chi", "gamma", "c")
BEFORE = tuple(sp.Symbol(f"v_{name}", positive=True) for name in ("mu", "chi"))
"""Variances of the layer before, whichever it is: equal layers have one formula, simplified once."""
NAMES = {"sigma_w2": r"\sigma_w^2", "sigma_b2": r"\sigma_b^2"}
"""Symbols that the papers write in another way."""


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
        """Value with so many digits, the free symbols replaced by `subs`; ValueError: a symbol without a value."""
        missing = sorted(map(str, self.free_symbols - set(subs or ())))
        if missing:
            raise ValueError(f"expected a value for {', '.join(missing)}, as in evalf(15, {{{missing[0]}: 2}})")
        values = {symbol: sp.nsimplify(value, rational=True) for symbol, value in (subs or {}).items()}
        guard = digits + 10 + len(self.layers)
        for layer, symbols in zip(self.layers, self.symbols, strict=True):
            parts = (sp.sympify(part).xreplace(values) for part in (layer.var_mu, layer.var_chi))
            values |= {symbol: sp.N(part, guard) for symbol, part in zip(symbols, parts, strict=True)}
        return sp.N(getattr(DerivedLayer(*(values[symbol] for symbol in self.symbols[-1])), self.name), digits)

    @property
    def free_symbols(self) -> set[Any]:
        """Symbols that need values, those of the layers left out."""
        parts = (part for layer in self.layers for part in (layer.var_mu, layer.var_chi))
        free = {symbol for part in parts for symbol in sp.sympify(part).free_symbols}
        return free - {symbol for pair in self.symbols for symbol in pair}

    def doit(self) -> Any:
        """Return the formula in full."""
        values: dict[Any, Any] = {}
        for layer, symbols in zip(self.layers, self.symbols, strict=True):
            parts = (sp.sympify(part).xreplace(values) for part in (layer.var_mu, layer.var_chi))
            values |= dict(zip(symbols, parts, strict=True))
        return getattr(DerivedLayer(*(values[symbol] for symbol in self.symbols[-1])), self.name)

    def __str__(self) -> str:
        names = ", ".join(sorted(map(str, self.free_symbols)))
        value = f" in {names}" if names else f": {sp.sstr(self.evalf(15))}"
        return f"{self.name} of layer {len(self.layers)}, by recursion{value}"


@final
@dataclass(frozen=True)
class Derivation(OutputLayer):
    """Formulas for a network in infinite width: var_mu, var_chi, gamma, c of the output, and the density of G0.

    per_layer: the same after every Dense. With more than two hidden layers those from the third Dense on are in the
    symbols v_mu_l, v_chi_l of the layer before, and gamma, c and the variances are `Chained`.
    """

    per_layer: tuple[DerivedLayer, ...]
    symbols: tuple[tuple[Any, Any], ...]

    @property
    def chained(self) -> bool:
        """Whether layers are given in terms of the layers before."""
        return bool(self.symbols)

    def _output(self, name: str) -> Any:
        if not self.chained:
            return getattr(self.per_layer[-1], name)
        return Chained(name, self.per_layer, self.symbols)

    def pdf(self, g: Any) -> Any:
        """Density of G0, exp(y^2/2 - y^2/(2 gamma))/sqrt(gamma) with y = Phi^-1(g) = sqrt(2) erfinv(2 g - 1)."""
        gamma = self.gamma.doit() if self.chained else self.gamma
        if gamma == 0:
            return sp.DiracDelta(sp.sympify(g) - sp.Rational(1, 2))
        y = sp.sqrt(2) * sp.erfinv(2 * sp.sympify(g) - 1)
        return sp.exp(y**2 * sp.simplify((1 - 1 / gamma) / 2)) / sp.sqrt(gamma)

    def latex(self) -> str:
        """Return the formulas in LaTeX, of a deep network the recursion; equal layers share a line."""
        lines = [_line(layer, first, last) for layer, first, last in self._runs()]
        if not self.chained:
            gamma, c = (_latex(part, {}) for part in (self.gamma, self.c))
            lines.append(rf"\gamma &= {gamma}, & c &= {c}")
        return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"

    def _runs(self) -> list[tuple[DerivedLayer, int, int]]:
        """Return the formulas in terms of the layer before, with the first and the last Dense that they hold for."""
        runs: list[tuple[DerivedLayer, int, int]] = []
        for i, layer in enumerate(self.per_layer, 1):
            own = dict(zip(self.symbols[i - 2], BEFORE, strict=True)) if self.chained and i > 1 else {}
            general = DerivedLayer(*(sp.sympify(part).xreplace(own) for part in (layer.var_mu, layer.var_chi)))
            if runs and own and runs[-1][0] == general:
                runs[-1] = (general, runs[-1][1], i)
            else:
                runs.append((general, i, i))
        return runs

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def to_dict(self) -> dict[str, Any]:
        """Return every formula as text, with all layers and the LaTeX of all."""
        return {
            **{name: str(getattr(self, name)) for name in QUANTITIES},
            "latex": self.latex(),
            "per_layer": [{name: str(getattr(layer, name)) for name in QUANTITIES[:2]} for layer in self.per_layer],
        }

    def __str__(self) -> str:
        layers = [
            f"layer {i}: {name} = {getattr(layer, name)}"
            for i, layer in enumerate(self.per_layer if self.chained else (), 1)
            for name in QUANTITIES[:2]
        ]
        output = ((name, getattr(self, name)) for name in QUANTITIES)
        lines = [f"{name} = {text}{'' if self.chained else _digits(text)}" for name, text in output]
        return "\n".join([*layers, *[""] * self.chained, *lines])


def _digits(formula: Any) -> str:
    """Return the digits of a formula without symbols; a number that stands for itself needs none."""
    value = formula.evalf(15)
    return f" = {value}" if value.is_Float and not formula.is_Atom else ""


def _line(layer: DerivedLayer, first: int, last: int) -> str:
    """Return the line of one layer, or of those from `first` to `last`."""
    here, before = (str(first), str(first - 1)) if first == last else ("l", "l-1")
    names = dict(zip(BEFORE, (rf"\sigma^{{2\,({before})}}_{{\{of}}}" for of in ("mu", "chi")), strict=True))
    of_mu, of_chi = (_latex(part, names) for part in (layer.var_mu, layer.var_chi))
    where = "" if first == last else rf", \quad l = {first}, \dots, {last}"
    return rf"\sigma^{{2\,({here})}}_{{\mu}} &= {of_mu}, & \sigma^{{2\,({here})}}_{{\chi}} &= {of_chi}{where}"


def _latex(expression: Any, names: dict[Any, str]) -> str:
    own = {part: NAMES[part.name] for part in sp.sympify(expression).free_symbols if part.name in NAMES}
    return str(sp.latex(expression, symbol_names=own | names, inv_trig_style="full"))
