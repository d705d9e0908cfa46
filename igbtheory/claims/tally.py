"""How many claims hold, fail and are not tested, in one sentence that all pages repeat."""

from collections.abc import Iterable

from igbtheory.claims.claim import FALSE, LIMITED, MISPRINT, Claim
from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED


def tally(claims: Iterable[Claim]) -> str:
    """Return the recorded verdicts of claims in words; those of our own, of no paper, are counted apart."""
    every = list(claims)
    papers, ours = ([claim for claim in every if (claim.paper is None) == alone] for alone in (False, True))
    of = {verdict: [claim for claim in papers if claim.verdict == verdict] for verdict in (HOLDS, FAILS, UNDECIDED)}
    limited, false, misprints = (sum(claim.kind == kind for claim in papers) for kind in (LIMITED, FALSE, MISPRINT))
    stand_ins = sum(bool(claim.stand_in) for claim in of[HOLDS])
    definitions = sum(claim.definition for claim in of[UNDECIDED])
    return (
        f"Of {len(papers)} claims {len(of[HOLDS])} hold, {limited} of them under their assumptions only and "
        f"{stand_ins} for a stand-in, "
        f"{len(of[FAILS])} fail as printed, {misprints} of them by a misprint and {false} otherwise, and "
        f"{len(of[UNDECIDED])} are not tested, {definitions} of which are definitions and conventions; our own "
        f"{len(ours)} are counted apart."
    )
