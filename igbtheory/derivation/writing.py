"""Expressions as text and as LaTeX, and how wide they are in print."""

import re
from collections.abc import Callable
from typing import Any, final

from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

COLUMN = 72.0
"""Estimated width in mm, at 10 pt, that a right side may have in a column of 80 mm: the estimate is 10 % too large."""
SQUARES = {
    r"sigma_w2": r"\sigma_w",
    r"sigma_b2": r"\sigma_b",
    r"var_mu": r"\sigma_\mu",
    r"var_chi": r"\sigma_\chi",
    r"v_mu_(\w+)": r"\\sigma_{\\mu,\1}",
    r"v_chi_(\w+)": r"\\sigma_{\\chi,\1}",
}
"""Roots in LaTeX of the symbols that stand for squares."""
BEFORE = "k"
"""Index that stands for l - 1 in text, where a name cannot contain a difference."""
_WIDE = {
    "=": 4.5,
    "+": 4.3,
    "-": 4.3,
    ",": 2.0,
    "(": 1.4,
    ")": 1.4,
    "int": 4.0,
    "iint": 6.0,
    "partial": 2.0,
    "pi": 2.1,
    "infty": 3.5,
}
_SPACED = {"sin", "cos", "arccos", "arcsin", "exp", "log", "tanh", "sinh", "cosh", "erf"}
_LETTER, _SMALL = 1.9, 0.72
"""Width of a letter in mm, and of one in an index relative to that."""


@final
class _Printer(LatexPrinter):  # type: ignore[misc]
    """LaTeX in the notation of the papers: variances are squares of sigma."""

    def __init__(self) -> None:
        super().__init__({"inv_trig_style": "full"})

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return _positive_first(super()._as_ordered_terms(expr, order))

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802 - SymPy's name
        root = _root(expr)
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
    """Text that SymPy reads, with terms in the order of the LaTeX."""

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        return _positive_first(super()._as_ordered_terms(expr, order))


def _positive_first(terms: list[Any]) -> list[Any]:
    """Return the terms of a sum, first those without a minus sign."""
    return sorted(terms, key=lambda term: term.could_extract_minus_sign())


def _root(symbol: Any) -> str:
    """Return the root of a symbol that stands for a square, "" of another one."""
    for pattern, root in SQUARES.items():
        if re.fullmatch(pattern, symbol.name):
            return re.sub(pattern, root, symbol.name).replace(f",{BEFORE}}}", ",l-1}") if "(" in pattern else root
    return ""


def latex(expression: Any) -> str:
    """Return the expression in LaTeX."""
    return str(_Printer().doprint(expression)).replace("f_{G0}", "f_{G_0}")


def text(expression: Any) -> str:
    """Return the expression as SymPy reads it."""
    return str(_TextPrinter().doprint(expression))


def width(expression: Any) -> float:
    """Return about how wide the expression is in print, in mm at 10 pt."""
    return _width(re.findall(r"\\[a-zA-Z]+|\\.|\S", latex(expression)))


def _width(marks: list[str]) -> float:
    """Return the width of marks, which are used up to the end of a group."""
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
    """Return the expression in rows that fit a column, each with so many of its terms; written: how a term is."""
    found: list[str] = []
    room = 0.0
    terms = _Printer()._as_ordered_terms(expression) if expression.is_Add else [expression]  # noqa: SLF001 - the printed order
    for term in terms:
        wide = width(term) + _WIDE["+"]
        text = _signed(term, written, first=not found)
        if found and wide <= room:
            found[-1] += f" {text}"
            room -= wide
        else:
            found.append(text)
            room = COLUMN - wide
    return found


def _signed(term: Any, written: Callable[[Any], str], *, first: bool) -> str:
    """Return a term with its sign; the first has none where it is positive."""
    text = written(term)
    minus = text.startswith("-")
    rest = text[1:].lstrip() if minus else text
    sign = ("-" if minus else "") if first else ("- " if minus else "+ ")
    return sign + rest
