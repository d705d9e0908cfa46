"""The printed equations of a derivation: short formulas in full, and long ones in symbols that further lines define."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

import sympy as sp

from igbtheory.theory.derivation import integrals, writing
from igbtheory.theory.derivation.average import Average
from igbtheory.theory.derivation.depth import first_equal
from igbtheory.theory.derivation.document import (
    CHI,
    GAMMA,
    LAW,
    MU,
    OUTPUT,
    ROOT,
    Document,
    Equation,
    density,
    quantile,
)
from igbtheory.theory.derivation.functions import definitions, told_apart
from igbtheory.theory.derivation.layers import DerivedLayer
from igbtheory.theory.derivation.states import MANY, C, Q, S, UnitSymbol, V, at


def documented(layers: Sequence[DerivedLayer]) -> Document:
    """Return the equations of the output, and the definitions of all symbols and functions in them."""
    shorthands = _Shorthands(layers, _run(layers))
    output = shorthands.output()
    where = shorthands.needed(output)
    averages = {part for layer in layers for _, meaning in layer.rule.terms for part in meaning.atoms(Average)}
    equations = told_apart([*output, *where, *definitions(averages, where)])
    return Document(tuple(equations[: len(output)]), tuple(equations[len(output) :]))


def _run(layers: Sequence[DerivedLayer]) -> tuple[int, int]:
    """Return the first and the last of the layers at the end that have one rule in the symbols of the layer before."""
    first, last = first_equal(layers), len(layers)
    return (first, last) if first < last == layers[-1].before + 1 else (last + 1, last)


@final
@dataclass(frozen=True)
class _Shorthands:
    """Symbols of units and their definitions. run: the first and last layer for which one equation in l is printed."""

    layers: Sequence[DerivedLayer]
    run: tuple[int, int]

    def output(self) -> list[Equation]:
        """Return the equations of var_mu, var_chi, gamma, c, and of the density of G0."""
        last = self.layers[-1]
        variances = [self._variance(symbol, len(self.layers), MU) for symbol in (V, S)]
        ratios = [sp.Integer(0), sp.Integer(0)] if last.var_mu == 0 else [MU / CHI, GAMMA / (1 + GAMMA)]
        if last.explicit:
            explicit = (last.gamma, last.c)
            ratios = [value if _fits(value) else other for value, other in zip(explicit, ratios, strict=True)]
        equations = [Equation(*pair) for pair in zip(OUTPUT, (*variances, *ratios), strict=True)]
        if last.var_mu == 0:
            return [*equations, Equation(LAW, sp.DiracDelta(integrals.G - sp.Rational(1, 2)))]
        return [*equations, Equation(LAW, density(GAMMA, ROOT)), Equation(ROOT, quantile(integrals.G))]

    def _variance(self, symbol: UnitSymbol, index: int, left: Any) -> Any:
        """Return var_mu or var_chi behind a layer: in full if that is short, else in symbols of the layer before."""
        layer = self.layers[index - 1]
        value, rule = (layer.var_mu, layer.rule.var_mu) if symbol == V else (layer.var_chi, layer.rule.var_chi)
        if layer.explicit and _fits(value):
            return value
        repeated = left in OUTPUT and self.run[0] <= index <= self.run[1]
        return at(symbol, index) if repeated else at(rule, layer.before)

    def needed(self, output: Iterable[Equation]) -> list[Equation]:
        """Return the definitions of all symbols of units in these equations, and of the symbols in the definitions."""
        meanings: dict[Any, Equation] = {}
        waiting = _symbols(output)
        while waiting:
            symbol = waiting.pop(0)
            symbol = symbol.at(MANY) if self._repeated(symbol) else symbol
            if symbol in meanings:
                continue
            meanings[symbol] = self._meaning(symbol)
            waiting += _symbols([meanings[symbol]])
            if meanings[symbol].layers:
                waiting += [at(part, self.run[0] - 1) for part in (V, S)]
        return list(meanings.values())

    def _repeated(self, symbol: UnitSymbol) -> bool:
        index = symbol.letter_and_index[1]
        return not index.isdigit() or self.run[0] <= int(index) <= self.run[1]

    def _meaning(self, symbol: UnitSymbol) -> Equation:
        """Return the definition of a symbol."""
        generic, index, last = symbol.generic, symbol.letter_and_index[1], self.layers[-1].rule
        if generic not in (V, S):
            rules = (x.rule for x in self.layers if str(x.before) == index and generic in x.rule.meanings)
            rule = last if index == MANY else next(rules)
            return Equation(symbol, at(_written(rule.meanings[generic]), index))
        if index == MANY:
            return Equation(symbol, at(last.var_mu if generic == V else last.var_chi, writing.BEFORE), self.run)
        return Equation(symbol, self._variance(generic, int(index), symbol))


def _written(meaning: Any) -> Any:
    """Return averages, and those inside them, as integrals in q and c, the variance and correlation of the unit."""
    if not isinstance(meaning, Average):
        return meaning
    integral = meaning
    while integral.has(Average):
        integral = integral.replace(lambda part: isinstance(part, Average), lambda part: part.printed())
    return integral.xreplace({V + S: Q}).xreplace({V / Q: C})


def _symbols(equations: Iterable[Equation]) -> list[UnitSymbol]:
    """Return the symbols of units on the right sides, variances first."""
    symbols = {symbol for equation in equations for symbol in equation.right.atoms(UnitSymbol)}
    return sorted(symbols, key=lambda symbol: (symbol.generic not in (V, S), symbol.generic == S, symbol.name))


def _fits(expression: Any) -> bool:
    """Return whether an expression has no averages and fits a line."""
    return not expression.has(Average) and writing.width(expression) <= writing.COLUMN
