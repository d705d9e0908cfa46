"""Expressions as text and as LaTeX, in rows that fit a column of a paper."""

import re
from collections.abc import Callable
from typing import Any, final

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

COLUMN = 72.0
"""Largest estimated width in mm, at 10 pt, of a row in a column of 80 mm. The estimate is 10 % too large."""
SQUARES = {
    r"sigma_w2": r"\sigma_w",
    r"sigma_b2": r"\sigma_b",
    r"var_mu": r"\sigma_\mu",
    r"var_chi": r"\sigma_\chi",
    r"v_mu_(\w+)": r"\\sigma_{\\mu,\1}",
    r"v_chi_(\w+)": r"\\sigma_{\\chi,\1}",
}
"""LaTeX of the square roots of symbols that stand for variances."""
SEVERAL = "([AKm])([a-h])_(.+)"
"""Symbol of a second or later average of a layer: its letter, what tells it from the first one, and its index."""
BEFORE = "k"
"""Index that means l - 1 in text, since a name cannot contain a difference."""
_WIDE = {"=": 4.5, "+": 4.3, "-": 4.3, "(": 1.4, ")": 1.4, "int": 4.0, "iint": 6.0, "infty": 3.5}
_SPACED = {"sin", "cos", "arccos", "arcsin", "exp", "log", "tanh", "sinh", "cosh", "erf"}
_LETTER, _SMALL = 1.9, 0.72
"""Width of a letter in mm, and the ratio of the width of a letter in an index to it."""


@final
class _Printer(LatexPrinter):  # type: ignore[misc]
    """LaTeX in the notation of the papers, in which variances are squares of sigma."""

    def __init__(self) -> None:
        super().__init__({"inv_trig_style": "full"})

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return _positive_first(super()._as_ordered_terms(expr, order))

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802 - SymPy's name
        root = _root(expr)
        if several := re.fullmatch(SEVERAL, expr.name):
            letter, mark, index = several.groups()
            return rf"{letter}_{{\mathrm{{{mark}}},{'l-1' if index == BEFORE else index}}}"
        plain = str(super()._print_Symbol(expr, style)).replace(f" {BEFORE}}}", ",l-1}")
        return f"{root}^2" if root else plain.replace(f"_{{{BEFORE}}}", "_{l-1}")

    def _print_Pow(self, expr: Any) -> str:  # noqa: N802 - SymPy's name
        root = _root(expr.base) if expr.base.is_Symbol else ""
        power = 2 * expr.exp
        if not root or not power.is_Integer or power < 0:
            return str(super()._print_Pow(expr))
        return root if power == 1 else f"{root}^{{{power}}}"

    def _print_Integral(self, expr: Any) -> str:  # noqa: N802 - SymPy's name
        if len(expr.limits) == 1:
            return str(super()._print_Integral(expr))
        return rf"\iint {self._print(expr.function)}\, dx\, dy"  # over the plane


@final
class _TextPrinter(StrPrinter):  # type: ignore[misc]
    """Text that SymPy can read, with the terms of a sum in the order of the LaTeX."""

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return _positive_first(super()._as_ordered_terms(expr, order))


def _positive_first(terms: list[Any]) -> list[Any]:
    """Return the terms of a sum, those without a minus sign first."""
    return sorted(terms, key=lambda term: term.could_extract_minus_sign())


def _root(symbol: Any) -> str:
    """Return the LaTeX of the square root of a symbol that stands for a variance, or "" for any other symbol."""
    for pattern, root in SQUARES.items():
        if re.fullmatch(pattern, symbol.name):
            return re.sub(pattern, root, symbol.name).replace(f",{BEFORE}}}", ",l-1}") if "(" in pattern else root
    return ""


def latex(expression: Any) -> str:
    """Return the expression in LaTeX."""
    return str(_Printer().doprint(expression)).replace("f_{G0}", "f_{G_0}")


def text(expression: Any) -> str:
    """Return the expression as text that SymPy can read."""
    return str(_TextPrinter().doprint(expression))


def width(expression: Any) -> float:
    """Return the estimated width of the expression in print, in mm at 10 pt."""
    return _width(re.findall(r"\\[a-zA-Z]+|\\.|\S", latex(expression)))


def _width(marks: list[str]) -> float:
    """Return the width of LaTeX marks up to the end of a group, and remove them from the list."""
    total = 0.0
    while marks:
        mark = marks.pop(0)
        if mark == "}":
            break
        if mark == "{":
            total += _width(marks)
        elif mark == r"\frac":
            total += max(_argument(marks), _argument(marks)) + 1
        elif mark in ("^", "_"):
            total += _SMALL * _argument(marks)
        elif mark == r"\sqrt":
            total += 3 + _argument(marks)
        elif mark not in (r"\left", r"\right", r"\operatorname", "&", r"\,"):
            name = mark.lstrip("\\")
            total += 1 + 1.6 * len(name) if name in _SPACED else _WIDE.get(name, _LETTER)
    return total


def _argument(marks: list[str]) -> float:
    mark = marks.pop(0)
    return _width(marks) if mark == "{" else _width([mark])


def rows(expression: Any, written: Callable[[Any], str]) -> list[str]:
    """Return the expression as rows that fit a column, with as many terms as fit each. `written` writes a term.

    A product that is too wide is expanded into a sum. A term that is still too wide has a row of its own.
    """
    lines: list[str] = []
    room = 0.0
    expanded = _expanded(expression)
    terms = _Printer()._as_ordered_terms(expanded) if expanded.is_Add else [expanded]  # noqa: SLF001 - the printed order
    for term in terms:
        wide = width(term) + _WIDE["+"]
        text = _signed(term, written, first=not lines)
        if lines and wide <= room:
            lines[-1] += f" {text}"
            room -= wide
        else:
            lines.append(text)
            room = COLUMN - wide
    return lines


def _expanded(expression: Any) -> Any:
    """Return the expression with the products that are too wide for a row expanded into sums."""
    if expression.is_Add:
        return sp.Add(*map(_expanded, expression.args))
    total = next((factor for factor in sp.Mul.make_args(expression) if factor.is_Add), None)
    if total is None or width(expression) <= COLUMN:
        return expression
    rest = sp.Mul(*(factor for factor in expression.args if factor != total))
    return _expanded(sp.Add(*(rest * term for term in total.args)))


def _signed(term: Any, written: Callable[[Any], str], *, first: bool) -> str:
    """Return a term with its sign, which is omitted for a positive first term."""
    text = written(term)
    minus = text.startswith("-")
    rest = text[1:].lstrip() if minus else text
    sign = ("-" if minus else "") if first else ("- " if minus else "+ ")
    return sign + rest
