"""What the report says of the papers' claims: every one examined, in a quick run."""

from collections.abc import Callable
from typing import Any

from igbtheory.claims.library import library
from igbtheory.claims.runner import Outcome, run


def examined(seed: int, progress: Callable[[str], None]) -> list[Outcome]:
    """Outcomes of all claims of the papers, with small ensembles.

    ValueError: a file of claims that cannot be used.
    """
    found = library()
    for name, problem in found.problems.items():
        raise ValueError(f"the claims in {name} cannot be examined: {problem}")
    progress(f"{len(found.claims)} claims of the papers")
    return run(found.chosen(()), seed, quick=True)


def by_paper(outcomes: list[Outcome]) -> dict[str, dict[str, Any]]:
    """Number of claims of every paper with each verdict."""
    counts: dict[str, dict[str, Any]] = {}
    for outcome in outcomes:
        paper = counts.setdefault(outcome.claim.id.split("-")[0], dict.fromkeys(("holds", "fails", "undecided"), 0))
        paper[outcome.verdict] += 1
    return dict(sorted(counts.items()))
