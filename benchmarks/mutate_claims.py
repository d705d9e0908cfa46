"""Change every number that a claim states, one at a time, and see whether its verdict changes.

    python benchmarks/mutate_claims.py [ids or papers ...]

If a claim holds, its printed formula is changed; if it fails, its correction. The verdict must then differ from the
recorded one. The program lists the mutants that survive; the docstring of the derivation gives the reason after
"Not noticed:".
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import HOLDS
from igbtheory.claims.formula import latex, parts
from igbtheory.claims.library import library
from igbtheory.claims.runner import run


def changed(claim: Claim) -> list[Claim]:
    """Return copies of the claim, each with one number of its right formula (printed or corrected) changed."""
    if claim.verdict == HOLDS:
        return [replace(claim, stated=stated) for stated in mutants(claim.stated)]
    if claim.correction is None:
        return []
    right = claim.correction
    return [replace(claim, correction=replace(right, stated=stated)) for stated in mutants(right.stated)]


def main(names: list[str]) -> None:
    """Print every mutant that no check notices, and the number of those that are noticed."""
    mutated = [mutant for claim in library().chosen(names) for mutant in changed(claim)]
    outcomes = run([replace(claim, id=f"{claim.id} {i}") for i, claim in enumerate(mutated)])
    survivors = [claim for claim, outcome in zip(mutated, outcomes, strict=True) if outcome.as_recorded]
    for claim in survivors:
        sys.stdout.write(f"{claim.id}: not noticed: {latex((claim.correction or claim).stated)}\n")
    sys.stdout.write(f"{len(mutated) - len(survivors)} of {len(mutated)} mutants of the claims are noticed\n")


def mutants(stated: Any) -> Iterator[Any]:
    """Yield the statement with each number on a right-hand side changed in turn: by a tenth, or from 0 to 1/10."""
    relations = parts(stated)
    for i, part in enumerate(relations):
        if isinstance(part, str):
            continue
        right = getattr(part, "rhs", part)
        for path in _numbers(right):
            changed = _changed(right, path)
            other = part.func(part.lhs, changed, evaluate=False) if hasattr(part, "rhs") else changed
            found = (*relations[:i], other, *relations[i + 1 :])
            yield found if isinstance(stated, tuple | list) else found[0]


def _numbers(expression: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield the paths to the numbers of an expression, except signs (factors -1) and infinity."""
    if isinstance(expression, sp.Number) or expression in (sp.pi, sp.E):
        if expression.is_finite and (expression != -1 or not path):
            yield path
        return
    for i, part in enumerate(expression.args):
        yield from _numbers(part, (*path, i))


def _changed(expression: Any, path: tuple[int, ...]) -> Any:
    if not path:
        return sp.Rational(1, 10) if expression == 0 else expression * sp.Rational(11, 10)
    arguments = list(expression.args)
    arguments[path[0]] = _changed(arguments[path[0]], path[1:])
    return expression.func(*arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
