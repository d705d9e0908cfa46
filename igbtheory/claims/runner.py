"""Examination of claims, several at a time, each with a time limit."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, final

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, FAMILY, HOLDS, UNDECIDED, Finding, Trial, combined
from igbtheory.runs import Piece, TimeUp, chosen, in_order, limited

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
    executor: Executor | str | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Return the outcomes of the claims, in the order of the claims.

    seconds: the time limit of one claim; workers, executor, progress: as of `simulate`. An interruption keeps what is
    done; the other claims are undecided.
    """
    work = examinations(claims, seed, quick=quick, seconds=seconds)
    label = "claims" if progress else None
    outcomes: list[Outcome] = []
    with (
        suppress(KeyboardInterrupt),
        closing(in_order(work, executor=chosen(executor, workers, inf), progress=label, raises=False)) as results,
    ):
        outcomes.extend(map(examined, claims, results))
    return outcomes + [Outcome(claim, trouble="interrupted before it was run") for claim in claims[len(outcomes) :]]


def examinations(claims: Sequence[Claim], seed: int, *, quick: bool, seconds: float) -> list[Piece]:
    """Return the pieces of work whose results `examined` turns into the outcomes of the claims."""
    count = max(1, sum(claim.derivation is not None for claim in claims))
    level = FAMILY / (20 * count)  # a claim makes a few tests, twenty at most
    return [partial(_findings, claim, Trial(claim.id, seed, quick, level), seconds) for claim in claims]


def examined(claim: Claim, result: Any) -> Outcome:
    """Return the outcome of a claim from the result of its examination, which may be the loss of its process."""
    if isinstance(result, BaseException):
        return Outcome(claim, trouble=str(result))
    return Outcome(claim, *result)


def _findings(claim: Claim, trial: Trial, seconds: float) -> tuple[tuple[Finding, ...], tuple[Finding, ...], str]:
    """Return the findings of a claim, those of its correction, and what went wrong amid them, if anything."""
    findings: tuple[Finding, ...] = ()
    try:
        with limited(seconds):
            findings = tuple(claim.findings(trial))
            findings += tuple(_countered(claim))
            return findings, tuple(claim.correction.findings(trial)) if claim.correction else (), ""
    except TimeUp:
        return findings, (), f"not finished within its time limit of {seconds:g} s"
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a derivation or a counter-example does wrong
        return findings, (), f"{type(error).__name__}: {error}"


def _countered(claim: Claim) -> Iterator[Finding]:
    """Return the finding that the claim fails, if its counter-example runs; what it raises is raised."""
    if claim.counter_example:
        exec(claim.program, {})  # noqa: S102 - the point of a counter-example
        yield Finding("counter-example", "the program runs", FAILS, "without an error")
