"""Change what the claims print, one thing at a time, and see whether `igb verify` notices.

    python benchmarks/mutate_claims.py [--number 200] [--seed 0] [--store mutants.db] [ids or papers ...]

These changes are made to a claim and to its correction: a number on the right-hand side; the left-hand side (a ratio
upside down, a power, the argument of a function); the direction of a relation; a number, or a word that says a
direction or a quantity, in the statement, in an assumption or in a stand-in; a word left out of a quotation. A change
is noticed if the verdict differs from the recorded one, or if what is printed is no longer bound. A number in the prose
of README or of a page is changed, too, which is noticed if it then has no source (`docs/sources.py`). Untested claims
are left out: they have no evidence. The program draws a sample, continues where the store ends, prints the survivors
and how many of every kind are noticed. The docstring of a derivation gives the reason after "Not noticed:".
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from igbtheory.claims.claim import Claim
from igbtheory.claims.formula import latex, relations_of
from igbtheory.claims.library import library
from igbtheory.claims.runner import run
from igbtheory.claims.words import DECIDING, OPPOSITE, QUOTED
from igbtheory.foundations.shipped import load_file

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))
PAGES, SOURCES = (load_file(ROOT / "docs" / f"{name}.py") for name in ("prose", "sources"))

FLIPPED = {sp.Lt: sp.Gt, sp.Le: sp.Ge, sp.Gt: sp.Lt, sp.Ge: sp.Le, sp.Ne: sp.Eq}
"""Relations by those that take their place."""
SECONDS = 600.0
"""Time limit for a mutant: five times that of a claim, because a formula that does not simplify takes longer."""
PROSE = 1 / 4
"""Share of the changes that are made to README and to the pages."""
IDEMPOTENT = (0, 1, sp.oo)
"""Right-hand sides that are their own squares: to square the left-hand side then changes nothing."""


def main(arguments: list[str]) -> None:
    """Print every mutant of a sample that nothing notices, and the share of every kind that is noticed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args(arguments)
    every = [mutant for claim in library().chosen(options.names) if claim.derivation for mutant in mutants(claim)]
    rng = random.Random(options.seed)  # noqa: S311 - no secret
    drawn, noticed = Counter[str](), Counter[str]()
    if not options.names:
        pages = list(islice(misprints(rng), int(PROSE * options.number)))
        for name, page, change in pages:
            drawn["prose"] += 1
            noticed["prose"] += bool(SOURCES.unsourced(name, page))
            if not SOURCES.unsourced(name, page):
                sys.stdout.write(f"{name}: prose, not noticed: {change}\n")
    sample = rng.sample(every, min(options.number - drawn.total(), len(every)))
    claims = [replace(claim, id=f"{claim.id} {i}") for i, (_, claim) in enumerate(sample)]
    outcomes = run(claims, seconds=SECONDS, store=options.store, progress=True)
    for (kind, claim), outcome in zip(sample, outcomes, strict=True):
        drawn[kind] += 1
        late = "time limit" in outcome.trouble  # says nothing of the change
        noticed[kind] += not (outcome.as_recorded or late)
        if outcome.as_recorded or late:
            why = outcome.trouble if late else "not noticed"
            sys.stdout.write(f"{claim.id}: {kind}, {why}: {_text(claim)}\n")
    for kind in sorted(drawn):
        sys.stdout.write(f"{noticed[kind]} of {drawn[kind]} of kind {kind}\n")
    sys.stdout.write(f"{noticed.total()} of {drawn.total()} mutants are noticed\n")


def misprints(rng: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield the name of a page, its text with one number of the prose changed, and the change, without end."""
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in SOURCES.pages()}
    places = [(name, match) for name, page in pages.items() for match in PAGES.NUMBER.finditer(page)]
    while True:
        name, match = rng.choice(places)
        page, other = pages[name], number(match[0])
        changed = page[: match.start()] + other + page[match.end() :]
        before, after = ([passage.text for passage in PAGES.passages(text)] for text in (page, changed))
        if match[0] not in PAGES.NAMES and before != after:  # not in an example or a formula
            yield name, changed, f"{page[max(0, match.start() - 60) : match.start()]}[{match[0]} -> {other}]"


def mutants(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """Yield the kind of every mutant of a claim, and the claim with the change in its statement or its correction."""
    yield from _of_statement(claim)
    if claim.correction is not None:
        for kind, other in _of_statement(claim.correction):
            yield f"{kind} of the correction", replace(claim, correction=other)


def _of_statement(claim: Claim) -> Iterator[tuple[str, Claim]]:
    for kind, stated in formulas(claim.stated):
        yield kind, replace(claim, stated=stated)
    for kind, says in sentences(claim.says):
        yield kind, replace(claim, says=says)
    changed = [(kind, replace(claim, assumes=text)) for kind, text in sentences(claim.assumes)]
    changed += [(kind, replace(claim, stand_in=text)) for kind, text in sentences(claim.stand_in)]
    yield from ((kind if kind == "quotation" else f"{kind} of an assumption", other) for kind, other in changed)


def formulas(stated: Any) -> Iterator[tuple[str, Any]]:
    """Yield the statement with one thing changed in one of its relations, and the kind of the change."""
    relations = relations_of(stated)
    for i, part in enumerate(relations):
        for kind, other in () if isinstance(part, str) else _changed(part):
            whole = (*relations[:i], other, *relations[i + 1 :])
            yield kind, whole if isinstance(stated, tuple | list) else whole[0]


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with one of its deciding words or numbers changed, or with the middle word of a quotation left out,
    and the kind of the change.
    """
    for match in DECIDING.finditer(text):
        kind, other = (
            ("number in words", number(match[0])) if match[0][0].isdigit() else ("word", OPPOSITE[match[0].lower()])
        )
        yield kind, text[: match.start()] + other + text[match.end() :]
    for match in QUOTED.finditer(text):
        words = match[1].split()
        if len(words) > 2:  # a quotation that only ends sooner is still one
            shorter = " ".join(words[: len(words) // 2] + words[len(words) // 2 + 1 :])
            yield "quotation", text[: match.start(1)] + shorter + text[match.end(1) :]


def number(text: str) -> str:
    """Return the number with its last digit raised by one."""
    digits = len(text.partition(".")[2])
    if "e" in text:
        return f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
    larger = f"{float(text.replace(',', '')) + 10**-digits:{',' if ',' in text else ''}.{digits}f}"
    return larger.removeprefix("0") if text.startswith(".") else larger


def _changed(part: Any) -> Iterator[tuple[str, Any]]:
    """Yield a relation with one thing changed; of conjunctions and implications their relations are changed."""
    if getattr(part, "is_Relational", False):
        left, right = part.args
        if part.func in FLIPPED:
            yield "relation", FLIPPED[part.func](left, right, evaluate=False)
        for path in _numbers(right):
            yield "number", part.func(left, _put(right, path, _larger), evaluate=False)
        for other in _lefts(left, square=right not in IDEMPOTENT):
            yield "left-hand side", part.func(other, right, evaluate=False)
    elif part.is_Boolean:
        for i, inner in enumerate(part.args):
            for kind, other in _changed(inner):
                yield kind, part.func(*part.args[:i], other, *part.args[i + 1 :], evaluate=False)
    else:
        for path in _numbers(part):
            yield "number", _put(part, path, _larger)


def _lefts(left: Any, *, square: bool) -> Iterator[Any]:
    """Yield a left-hand side squared, upside down if it is a ratio, and with each argument or power changed."""
    if square:
        yield left**2
    if left.is_Mul or left.is_Pow:
        yield 1 / left
    for path in _paths(left):
        place = _at(left, path)
        if place.is_Pow and place.exp.is_number:
            yield _put(left, path, lambda power: power.base ** (power.exp + 1))
        elif isinstance(place, AppliedUndef):
            yield _put(left, path, lambda applied: applied.func(*(argument**2 for argument in applied.args)))


def _paths(expression: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    for i, part in enumerate(expression.args):
        yield from _paths(part, (*path, i))


def _numbers(expression: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the paths to the numbers of an expression, except signs (factors -1) and infinity."""
    if isinstance(expression, sp.Number) or expression in (sp.pi, sp.E):
        if expression.is_finite and (expression != -1 or not path):
            yield path
        return
    for i, part in enumerate(expression.args):
        yield from _numbers(part, (*path, i))


def _at(expression: Any, path: tuple[int, ...]) -> Any:
    return _at(expression.args[path[0]], path[1:]) if path else expression


def _put(expression: Any, path: tuple[int, ...], change: Any) -> Any:
    """Return the expression with the part at the path changed."""
    if not path:
        return change(expression)
    arguments = list(expression.args)
    arguments[path[0]] = _put(arguments[path[0]], path[1:], change)
    return expression.func(*arguments)


def _larger(number: Any) -> Any:
    """Return a number larger by a tenth, or 1/10 for 0."""
    return sp.Rational(1, 10) if number == 0 else number * sp.Rational(11, 10)


def _text(claim: Claim) -> str:
    statements = [claim, *([claim.correction] if claim.correction else [])]
    return " | ".join(f"{one.sentence} {latex(one.stated)}" for one in statements)


if __name__ == "__main__":
    main(sys.argv[1:])
