"""The equations that a derivation prints: those of the output, and the definitions of the symbols in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import sympy as sp

from igbtheory.theory.derivation import integrals, writing

OUTPUT = MU, CHI, GAMMA, CORRELATION = tuple(
    sp.Symbol(name, positive=True) for name in ("var_mu", "var_chi", "gamma", "c")
)
ROOT = sp.Symbol("y", real=True)
LAW = sp.Function("f_G0")(integrals.G)


@final
@dataclass(frozen=True)
class Equation:
    """An equation left = right. layers: the first and last l for which it holds, if it is an equation in l."""

    left: Any
    right: Any
    layers: tuple[int, int] | None = None

    def text(self, digits: str = "") -> str:
        """Return the equation in the syntax of SymPy, over several lines if it is long, with its `digits`."""
        held = "" if self.layers is None else f"  for l = {_listed(*self.layers, '...')} with k = l - 1"
        return f"{self.left} = " + "\n    ".join(writing.rows(self.right, writing.text)) + digits + held

    def latex(self) -> str:
        """Return the equation as rows of an align environment."""
        held = "" if self.layers is None else r" \\ &\qquad l = " + _listed(*self.layers, r"\dots")
        return f"{writing.latex(self.left)} &= " + r" \\ &\quad ".join(writing.rows(self.right, writing.latex)) + held


@final
@dataclass(frozen=True)
class Document:
    """Equations of the output, and the definitions of the symbols in them."""

    output: tuple[Equation, ...]
    where: tuple[Equation, ...]

    def text(self, digits: Mapping[str, str]) -> str:
        """Return the equations as text. digits: the text after an equation of the output, by its left side."""
        lines = [equation.text(digits.get(str(equation.left), "")) for equation in self.output]
        return "\n".join([*lines, *["where"][: len(self.where)], *(equation.text() for equation in self.where)])

    def texts(self) -> list[str]:
        """Return all equations as text."""
        return [equation.text() for equation in (*self.output, *self.where)]

    def latex(self) -> str:
        """Return the equations as an align* environment."""
        where = [r"& \text{where}", *(equation.latex() for equation in self.where)] if self.where else []
        rows = [*(equation.latex() for equation in self.output), *where]
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def density(gamma: Any, y: Any) -> Any:
    """Return the density of G0 at g, where y is the quantile of the standard normal law at g."""
    return sp.exp(y**2 * (1 - 1 / gamma) / 2) / sp.sqrt(gamma)


def quantile(g: Any) -> Any:
    """Return the quantile of the standard normal law at g."""
    return sp.sqrt(2) * sp.erfinv(2 * g - 1)


def _listed(first: int, last: int, dots: str) -> str:
    """Return the numbers from the first to the last, with dots for those in between."""
    return ", ".join([str(first), *[dots][: last - first - 1], str(last)])
