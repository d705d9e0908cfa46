"""Second transcriptions of what a document prints, made apart from the claims, with which the claims are compared.

A folder of claims may contain `as_printed.toml`. It has a table for an id, with `quote`, the text of the document, and
`printed`, the formulas of the document in SymPy's syntax. A table for the letter of a paper has what the paper says of
its setting, by the place. A slip in a claim that misquotes its document is noticed so (`bound`).
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from igbtheory.claims.finding import FAILS, HOLDS, Finding
from igbtheory.claims.formula import equation, latex, relations_of
from igbtheory.claims.points import points

FILE = "as_printed.toml"
DIGITS = 15
"""Digits to which two transcriptions of a formula agree: they are the same expression and differ by rounding only."""
STATEMENTS = Relational, BooleanFunction
"""What is compared by its kind and its sides."""
SYMBOLIC = AppliedUndef, sp.DiracDelta, sp.Heaviside
"""Functions whose values count only as symbols."""
STYLE = re.compile(r"\\(mathrm|mathbb|mathcal|mathbf|text|operatorname|bar|,)|'")
"""What the name of a symbol in SymPy's syntax leaves out of LaTeX; a prime and a bar are spelled out."""
SPELLED = {"'": "prime", r"\bar": "bar"}


@final
@dataclass(frozen=True)
class Transcription:
    """What a document prints: its words, and its formulas in SymPy's syntax, one for each formula of the claim.

    quote: what stands in the place of the claim; ` ... ` where something is left out. printed: empty if the formulas
    are not compared. setting: what the document says of its setting, by the place.
    """

    quote: str = ""
    printed: tuple[str, ...] = ()
    setting: Mapping[str, str] = field(default_factory=dict)

    def formulas(self, stated: Any) -> Iterator[Finding]:
        """Yield the findings that formulas are those of the document; right-hand sides are compared at points."""
        formulas = [part for part in relations_of(stated) if not isinstance(part, str)]
        if self.printed and len(formulas) != len(self.printed):
            detail = f"{len(self.printed)} formulas for {len(formulas)} of the claim"
            yield Finding("transcription", "formulas", FAILS, detail)
            return
        for part, text in zip(formulas, self.printed, strict=False):
            same = _same(part, sp.sympify(text, locals={"Eq": equation, **names(part)}, evaluate=False))
            yield Finding("transcription", "formula", HOLDS if same else FAILS, text, latex(part))


def read(folder: Path, ids: Iterable[str]) -> dict[str, Transcription]:
    """Return the transcriptions of a folder of claims by the ids of the claims; none if it has no such file.

    A table whose name is the letter of a paper has what the paper says of its setting; then all claims of this paper
    have a transcription.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    settings = {name: table for name, table in tables.items() if "-" not in name}
    of_claims = {name: table for name, table in tables.items() if name not in settings}
    empty: dict[str, dict[str, Any]] = {name: {"quote": ""} for name in ids if name.split("-")[0] in settings}
    return {
        name: Transcription(table["quote"], tuple(table.get("printed", ())), settings.get(name.split("-")[0], {}))
        for name, table in (empty | of_claims).items()
    }


def names(part: Any) -> dict[str, Any]:
    r"""Return the symbols and functions of a formula by the names that they have in a transcription.

    The name of a symbol is its LaTeX without commands of style, with an underscore for all that is no letter or digit:
    `hat_mu_a` for `\hat\mu_a`.
    """
    symbols = {name: symbol for symbol in part.atoms(sp.Symbol) if (name := _identifier(symbol.name))}
    functions = {applied.func for applied in part.atoms(AppliedUndef)} | part.atoms(UndefinedFunction)
    indexed = {_identifier(str(base.label)): base for base in part.atoms(sp.IndexedBase)}
    return symbols | indexed | {_identifier(function.__name__): function for function in functions}


def _identifier(name: str) -> str:
    plain = STYLE.sub(lambda match: f" {SPELLED[match[0]]} " if match[0] in SPELLED else "", name)
    return re.sub(r"[^0-9A-Za-z]+", "_", plain).strip("_")


def _same(part: Any, other: Any) -> bool:
    """Return whether two formulas are the same: relations of equal sides; sides are compared at points."""
    if isinstance(part, STATEMENTS) or isinstance(other, STATEMENTS):
        alike = part.func is other.func and len(part.args) == len(other.args)
        return alike and all(map(_same, part.args, other.args))
    return _equal(part, other)


def _equal(left: Any, right: Any) -> bool:
    left, right = _evaluated(left), _evaluated(right)
    if left == right:
        return True
    # a jump is compared by its place, which no point would hit
    symbolic = sorted(left.atoms(*SYMBOLIC) | right.atoms(*SYMBOLIC), key=str)
    hidden = {applied: sp.Dummy(positive=True) for applied in symbolic}
    left, right = left.subs(hidden), right.subs(hidden)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    for values in points(symbols, 3):
        one, other = (sp.N(side.subs(values), DIGITS + 5) for side in (left, right))
        if not (one.is_comparable and other.is_comparable and abs(one - other) <= abs(one) * sp.Float(10) ** -DIGITS):
            return False
    return True


def _evaluated(expression: Any) -> Any:
    """Return an expression as SymPy writes it; a transcription is read as it stands, so that 0 = 1 stays a relation."""
    return expression.func(*map(_evaluated, expression.args)) if expression.args else expression
