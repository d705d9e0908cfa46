"""Symbols for the unit before a layer, and the rule of a layer in these symbols."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import sympy as sp

from igbtheory.mathematics.averages.state import Moments
from igbtheory.theory.derivation.average import Average
from igbtheory.theory.derivation.form import simplified


@final
class UnitSymbol(sp.Symbol):  # type: ignore[misc]
    """Symbol for a property of a unit: "q" of any unit, "q_2" of the units after the second Dense."""

    @property
    def letter_and_index(self) -> tuple[str, str]:
        """Return the letter and the index, which is "" for any unit."""
        letter, _, index = self.name.rpartition("_")
        return (letter, index) if index not in ("mu", "chi") and letter else (self.name, "")

    def at(self, index: Any) -> "UnitSymbol":
        """Return the symbol of the units with an index."""
        return UnitSymbol(f"{self.letter_and_index[0]}_{index}", **self.assumptions0)

    @property
    def generic(self) -> "UnitSymbol":
        """Return the symbol of any unit."""
        return UnitSymbol(self.letter_and_index[0], **self.assumptions0)


V, S, Q, C, THETA = (UnitSymbol(name, positive=True) for name in ("v_mu", "v_chi", "q", "c", "theta"))
"""Properties of a unit: var_mu (the covariance of two data), var_chi, their sum q, the correlation c = cos theta."""
OF_UNIT = {Q: V + S, C: V / Q, THETA: sp.acos(C)}
MANY = "l"
"""Index of a formula that holds for several layers."""
LETTERS = {"mean": "m", "product": "K", "square": "A"}
"""Letters of the symbols for unevaluated averages."""


@final
@dataclass(frozen=True)
class Rule:
    """Variances after a layer in the symbols of the unit before it.

    terms: pairs of a further symbol in var_mu and var_chi and the unevaluated average that it stands for.
    """

    var_mu: Any
    var_chi: Any
    terms: tuple[tuple[Any, Any], ...] = ()

    @property
    def meanings(self) -> dict[Any, Any]:
        """Return the definitions of all symbols except V and S, later ones in terms of earlier ones."""
        return OF_UNIT | dict(self.terms)

    @cached_property
    def local(self) -> tuple[Any, Any]:
        """Return the variances after the layer in v_mu and v_chi alone."""
        return self.given(V, S)

    def given(self, var_mu: Any, var_chi: Any) -> tuple[Any, Any]:
        """Return the variances after the layer for these variances before it."""
        values = {V: var_mu, S: var_chi}
        if not self.symbols:
            return self.var_mu, self.var_chi
        for symbol, meaning in self.meanings.items():
            values[symbol] = simplified(meaning.xreplace(values))
        return self.var_mu.xreplace(values), self.var_chi.xreplace(values)

    @property
    def symbols(self) -> set[UnitSymbol]:
        """Return the symbols of the unit before that the rule contains."""
        symbols: set[UnitSymbol] = self.var_mu.atoms(UnitSymbol) | self.var_chi.atoms(UnitSymbol)
        return symbols


def at(expression: Any, index: Any) -> Any:
    """Return an expression of any unit as one of the units with an index."""
    return expression.xreplace({symbol: symbol.at(index) for symbol in expression.atoms(UnitSymbol)})


def rule(x: Moments) -> Rule:
    """Return the rule of a layer after which the moments are x, with a symbol for each unevaluated average."""
    variances = [sp.sympify(part).replace(*_SPREAD).xreplace({V + S: Q}) for part in (x.var_mu, x.var_chi)]
    averages = sorted({average for part in variances for average in part.atoms(Average)}, key=sp.default_sort_key)
    symbols: dict[Any, Any] = {}
    for average in averages:
        letter = LETTERS[average.part]
        count = sum(str(symbol).startswith(letter) for symbol in symbols.values())
        symbols[average] = UnitSymbol(letter + "abcdefgh"[count - 1 : count] * (count > 0), real=True)
    variances = [_in_angle(part.xreplace(symbols)) for part in variances]
    return Rule(variances[0], variances[1], tuple((symbol, average) for average, symbol in symbols.items()))


_SPREAD = (lambda part: isinstance(part, Average) and part.part == "spread", lambda part: part.difference())


def _in_angle(expression: Any) -> Any:
    """Return the expression with acos c written as theta and sqrt(1 - c^2) as sin theta."""
    turned = expression.xreplace({sp.acos(C): THETA}).replace(
        lambda part: part.is_Pow and not part.exp.is_integer and sp.expand(part.base - 1 + C**2) == 0,
        lambda root: sp.sin(THETA) ** (2 * root.exp),
    )
    return turned.replace(  # the angle pi - theta is positive
        lambda part: part.is_Mul and THETA - sp.pi in part.args,
        lambda part: sp.Mul(-1, *(sp.pi - THETA if x == THETA - sp.pi else x for x in part.args)),
    )


def in_symbols(x: Moments) -> Moments:
    """Return the moments of a Gaussian unit in symbols, except for moments that are 0."""
    shared, spread = sp.sympify(x.var_mu), sp.sympify(x.var_chi)
    mean = 0 if x.centred else x.mean
    # c q and q - c q would hide that one of them is 0
    v, s = (shared and V, spread and S) if shared == 0 or spread == 0 else (C * Q, Q - C * Q)
    within = None
    if x.within is not None:  # such as var_mu - var_chi/(n - 1) behind BatchNorm(n)
        within = sp.nan if spread == 0 else v + s * sp.simplify((x.within - shared) / spread)
    return Moments(mean, v, s, within=within)
