"""Mathematical symbols in plain sentences, such as sigma_w^2, gamma or <=, as LaTeX."""

import re
from collections.abc import Callable

GREEK = (
    *("alpha", "beta", "gamma", "delta", "eps", "epsilon", "theta", "kappa", "lambda", "mu", "xi", "pi", "rho"),
    *("sigma", "tau", "phi", "chi", "psi", "omega", "Delta", "Theta", "Phi", "Psi", "Sigma"),
)
LATEX = {name: f"\\{name}" for name in GREEK} | {"eps": r"\varepsilon", "sum": r"\sum", "G0": "G_0"}
"""The LaTeX of words that stand for a symbol."""
RELATIONS = {"<=": "≤", ">=": "≥", "->": "→", "+-": "±", "|->": "↦"}
_NAMES = "|".join(GREEK)
_INDEX = rf"(?:{_NAMES}|guess|\w{{1,3}})"
_POWER = r"(?:-?\d+|-?\w|\([^()\s]{1,7}\)|\{[^{}]{1,9}\})"
SYMBOL = re.compile(
    rf"(?:(?<![\w`\"'.\\])(?P<base>{_NAMES}|var|Var|mean|sum|[A-Za-z]|G0|\d+)(?P<tilde>~(?=_))?"
    rf"(?P<index>_\{{[^{{}}]{{1,9}}\}}|_{_INDEX})?(?P<power>\^{_POWER})?(?!\w|\^|[`\"']\w|=[\w\"']|\.\w)"
    rf"|\)(?P<outer>\^{_POWER}))"
)
ROOT = re.compile(r"\bsqrt\(((?:[^()]|\([^()]*\)){1,40})\)")


def typeset(text: str, formula: Callable[[str], str], plain: Callable[[str], str] = str) -> str:
    """Return a sentence whose symbols are replaced by what `formula` makes of their LaTeX.

    Greek letters, roots, and letters and numbers with an index or a power are symbols; letters alone may be words.
    plain: what is made of the rest, in which relations such as <= become one character.
    """
    made, end = [], 0
    for match in re.finditer(rf"{ROOT.pattern}|{SYMBOL.pattern}", text):
        latex = _root(match[1]) if match[1] else _latex(match)
        if latex:
            made += [plain(_relations(text[end : match.start()])), formula(latex)]
            end = match.end()
    return "".join(made) + plain(_relations(text[end:]))


def _root(inside: str) -> str:
    """Return the LaTeX of a square root; words in it stay upright."""
    words = typeset(inside, str, lambda rest: re.sub(r"[A-Za-z]{2,}", lambda word: rf"\mathrm{{{word[0]}}}", rest))
    return rf"\sqrt{{{words}}}"


def _latex(match: re.Match[str]) -> str:
    """Return the LaTeX of a symbol, or "" for a letter or a number alone, which may be a word."""
    if match["outer"]:
        return f")^{{{match['outer'][1:].strip('{}')}}}"
    base, index, power = match["base"], match["index"] or "", match["power"] or ""
    if not (index or power or base in GREEK or base == "G0") or (index and base.isdigit()):
        return ""
    subscript = index[1:].strip("{}")
    if base == "sigma" and not power and subscript.endswith("2"):  # the names of variances: sigma_w2
        subscript, power = subscript[:-1], "^2"
    pieces = [rf"\tilde{{{_letter(base)}}}" if match["tilde"] else _letter(base)]
    if subscript:
        word = len(subscript) > 2 and subscript.isalpha()  # two letters are two indices
        pieces.append(f"_{{{_letter(subscript) if word or subscript in GREEK else subscript}}}")
    if power:
        pieces.append(f"^{{{power[1:].strip('{}')}}}")
    return "".join(pieces)


def _letter(base: str) -> str:
    """Return the LaTeX of a letter or a word."""
    upright = len(base) > 1 and not base.isdigit()
    return LATEX.get(base, rf"\mathrm{{{base}}}" if upright else base)


def _relations(text: str) -> str:
    """Return a text with one character for each relation between spaces."""
    return re.sub(r"(?<= )(<=|>=|->|\+-|\|->)(?= )", lambda match: RELATIONS[match[0]], text)
