"""Change every number that a claim states, one at a time, and see whether its verdict changes.

    python benchmarks/mutate_claims.py [ids or papers ...]

If a claim holds, its printed formula is changed; if it fails, its correction. The verdict must then differ from the
recorded one. The program lists the mutants that survive; the docstring of the derivation gives the reason after
"Not noticed:".
"""

import sys
from dataclasses import replace

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import HOLDS
from igbtheory.claims.formula import latex, mutants
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


if __name__ == "__main__":
    main(sys.argv[1:])
