"""Running of claims, each in a process of its own with a time limit."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, final

from threadpoolctl import threadpool_limits

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, FAMILY, HOLDS, KINDS, UNDECIDED, Finding, Trial, combined

UNTESTED = "not tested"
STANDINGS = (HOLDS, FAILS, UNDECIDED, UNTESTED)


@final
@dataclass(frozen=True)
class Outcome:
    """What a claim came to: its findings, those of its correction, and what kept it from being decided."""

    claim: Claim
    findings: tuple[Finding, ...] = ()
    corrected: tuple[Finding, ...] = ()
    trouble: str = ""

    @property
    def verdict(self) -> str:
        """The verdict: of all kinds of evidence together; a correction that does not hold leaves it undecided."""
        found = combined([finding.verdict for finding in self.findings])
        if self.trouble and found != FAILS:
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

    def by_kind(self) -> dict[str, str]:
        """Verdict of every kind of evidence that there is."""
        kinds = {kind: [f.verdict for f in self.findings if f.kind == kind] for kind in KINDS}
        return {kind: combined(verdicts) for kind, verdicts in kinds.items() if verdicts}


def run(
    claims: Sequence[Claim],
    seed: int = 0,
    *,
    quick: bool = False,
    seconds: float = 120.0,
    workers: int | None = None,
    done: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Outcomes of the claims, in their order; `done` is told each as it comes.

    seconds: time limit of one claim. An interruption keeps what is done; the other claims are undecided.
    """
    count = max(1, sum(claim.derivation is not None for claim in claims))
    level = FAMILY / (20 * count)  # a claim makes a few tests, twenty at most
    trials = {claim.id: Trial(claim.id, seed, quick, level) for claim in claims}
    outcomes: dict[str, Outcome] = {}
    with suppress(KeyboardInterrupt):
        for outcome in _outcomes(list(claims), trials, seconds, workers or os.cpu_count() or 1):
            outcomes[outcome.claim.id] = outcome
            done(outcome)
    return [outcomes.get(claim.id, Outcome(claim, trouble="interrupted before it was run")) for claim in claims]


def _outcomes(waiting: list[Claim], trials: dict[str, Trial], seconds: float, workers: int) -> Iterator[Outcome]:
    """Outcomes as they come, of `workers` processes at a time."""
    context = multiprocessing.get_context("fork")
    running: dict[Connection, tuple[Claim, Any, float]] = {}
    waiting.reverse()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                claim = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_examine, args=(claim, trials[claim.id], sender), daemon=True)
                process.start()
                sender.close()
                running[receiver] = (claim, process, monotonic() + seconds)
            ready = wait(list(running), timeout=0.1)
            for receiver in [receiver for receiver in running if receiver in ready]:
                claim, process, _ = running.pop(receiver)
                yield _received(claim, receiver)
                process.join()
            for receiver, (claim, process, end) in list(running.items()):
                if monotonic() > end:
                    running.pop(receiver)
                    process.kill()
                    yield Outcome(claim, trouble=f"not decided within its time limit of {seconds:g} s")
    finally:
        for _, process, _ in running.values():
            process.kill()


def _received(claim: Claim, receiver: Connection) -> Outcome:
    try:
        findings, corrected, trouble = receiver.recv()
    except EOFError:
        return Outcome(claim, trouble="its process ended without a result")
    return Outcome(claim, findings, corrected, trouble)


def _examine(claim: Claim, trial: Trial, sender: Connection) -> None:
    """Findings of a claim and of its correction, sent to the parent."""
    findings: tuple[Finding, ...] = ()
    corrected: tuple[Finding, ...] = ()
    trouble = ""
    try:
        with threadpool_limits(limits=1):
            findings = tuple(claim.findings(trial))
            corrected = tuple(claim.correction.findings(trial)) if claim.correction else ()
    except Exception as error:  # noqa: BLE001 - whatever a derivation does wrong
        trouble = f"{type(error).__name__}: {error}"
    sender.send((findings, corrected, trouble))
