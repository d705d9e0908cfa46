"""Examination of claims, several at a time, each with a time limit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, final

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, FAMILY, HOLDS, UNDECIDED, Finding, Trial, combined
from igbtheory.processes import Task, TaskLost, results

UNTESTED = "not tested"
STANDINGS = (HOLDS, FAILS, UNDECIDED, UNTESTED)


@final
@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim: its findings, those of its correction, and what kept it from being decided."""

    claim: Claim
    findings: tuple[Finding, ...] = ()
    corrected: tuple[Finding, ...] = ()
    trouble: str = ""

    @property
    def verdict(self) -> str:
        """The verdict: of all kinds of evidence together; a correction that does not hold leaves it undecided."""
        found = combined([finding.verdict for finding in self.findings])
        if self.trouble:
            return UNDECIDED
        if found == FAILS and self.claim.correction is not None and self.correction_verdict != HOLDS:
            return UNDECIDED
        return found

    @property
    def correction_verdict(self) -> str:
        """The verdict of the correction, undecided where there is none."""
        return combined([finding.verdict for finding in self.corrected])

    @property
    def standing(self) -> str:
        """The verdict, or that there is nothing to run: a definition, or what needs training runs or other data."""
        return UNTESTED if self.claim.derivation is None else self.verdict

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the one recorded with the claim."""
        return self.verdict == self.claim.verdict


def run(
    claims: Sequence[Claim],
    seed: int = 0,
    *,
    quick: bool = False,
    seconds: float = 120.0,
    workers: int | None = None,
    done: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Return the outcomes of the claims, in the order of the claims; `done` is called with each as it comes.

    seconds: the time limit of one claim; workers: the number of processes, by default one a core. An interruption
    keeps what is done; the other claims are undecided.
    """
    outcomes: dict[str, Outcome] = {}
    with suppress(KeyboardInterrupt):
        for number, result in results(examinations(claims, seed, quick=quick), workers, seconds):
            outcome = outcomes[claims[number].id] = examined(claims[number], result)
            done(outcome)
    return [outcomes.get(claim.id, Outcome(claim, trouble="interrupted before it was run")) for claim in claims]


def examinations(claims: Sequence[Claim], seed: int, *, quick: bool) -> list[Task]:
    """Return the tasks whose results `examined` turns into the outcomes of the claims."""
    count = max(1, sum(claim.derivation is not None for claim in claims))
    level = FAMILY / (20 * count)  # a claim makes a few tests, twenty at most
    return [partial(_findings, claim, Trial(claim.id, seed, quick, level)) for claim in claims]


def examined(claim: Claim, result: Any) -> Outcome:
    """Return the outcome of a claim from the result of its examination, which may be an exception."""
    if isinstance(result, TaskLost):
        return Outcome(claim, trouble=str(result))
    if isinstance(result, Exception):
        return Outcome(claim, trouble=f"{type(result).__name__}: {result}")
    findings, corrected, trouble = result
    return Outcome(claim, findings, corrected, trouble)


def _findings(claim: Claim, trial: Trial) -> tuple[tuple[Finding, ...], tuple[Finding, ...], str]:
    """Return the findings of a claim, those of its correction, and what went wrong after the former, if anything."""
    findings = tuple(claim.findings(trial))
    try:
        findings += tuple(_countered(claim))
        return findings, tuple(claim.correction.findings(trial)) if claim.correction else (), ""
    except Exception as error:  # noqa: BLE001 - whatever a derivation or a counter-example does wrong
        return findings, (), f"{type(error).__name__}: {error}"


def _countered(claim: Claim) -> Iterator[Finding]:
    """Return the finding that the claim fails, if its counter-example runs; what it raises is raised."""
    if claim.counter_example:
        exec(claim.program, {})  # noqa: S102 - the point of a counter-example
        yield Finding("counter-example", "the program runs", FAILS, "without an error")
