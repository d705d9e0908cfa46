"""What the report says of the papers' claims: every one examined, in a quick run."""

from collections.abc import Callable
from itertools import count
from typing import Any

from igbtheory.claims.library import library
from igbtheory.claims.runner import STANDINGS, Outcome, run

TOLD = 20
"""Claims after which the number of those that are done is told."""


def examined(seed: int, progress: Callable[[str], None]) -> list[Outcome]:
    """Outcomes of all claims of the papers, with small ensembles.

    ValueError: a file of claims that cannot be used.
    """
    found = library()
    for name, problem in found.problems.items():
        raise ValueError(f"the claims in {name} cannot be examined: {problem}")
    total, numbers = len(found.claims), count(1)

    def done(_: Outcome) -> None:
        number = next(numbers)
        if number % TOLD == 0 or number == total:
            progress(f"{number}/{total} claims of the papers")

    progress(f"{total} claims of the papers")
    return run(found.chosen(()), seed, quick=True, done=done)


def by_paper(outcomes: list[Outcome]) -> dict[str, dict[str, Any]]:
    """Number of claims of every paper with each standing."""
    counts: dict[str, dict[str, Any]] = {}
    for outcome in outcomes:
        paper = counts.setdefault(outcome.claim.id.split("-")[0], dict.fromkeys(STANDINGS, 0))
        paper[outcome.standing] += 1
    return dict(sorted(counts.items()))
