"""Examination of claims, several at a time, each with a time limit."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from inspect import getsourcefile, unwrap
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, final

from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, FAMILY, HOLDS, UNDECIDED, Finding, Trial, combined
from igbtheory.runs import Piece, TimeUp, chosen, in_order, kept, limited

UNTESTED = "not tested"
ALONE = Lock()
"""Threads examine one claim at a time: the precision of mpmath, and of SymPy with it, belongs to the whole process."""
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


def run(  # noqa: PLR0913 - the options of every run
    claims: Sequence[Claim],
    seed: int = 0,
    *,
    quick: bool = False,
    seconds: float = 120.0,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> list[Outcome]:
    """Return the outcomes of the claims, in the order of the claims.

    seconds: the time limit of one claim; workers, executor, store, progress: as of `simulate`. A store keeps no claim
    that raised an error or took too long.
    """
    work = examinations(claims, seed, quick=quick, seconds=seconds)
    label = "claims" if progress else None
    who = chosen(executor, workers, inf)
    configuration = {"claims": len(claims), "seed": seed, "quick": quick}
    with (
        kept(store, configuration, partial(texts, claims), "digest of the claims", who) as file,
        closing(in_order(work, executor=who, store=file, progress=label, raises=False)) as results,
    ):
        return list(map(examined, claims, results))


def examinations(claims: Sequence[Claim], seed: int, *, quick: bool, seconds: float) -> list[Piece]:
    """Return the pieces of work whose results `examined` turns into the outcomes of the claims."""
    count = max(1, sum(claim.derivation is not None for claim in claims))
    level = FAMILY / (20 * count)  # a claim makes a few tests, twenty at most
    return [partial(_findings, claim, Trial(claim.id, seed, quick, level), seconds) for claim in claims]


def examined(claim: Claim, result: Any) -> Outcome:
    """Return the outcome of a claim from the result of its examination, which may be an error."""
    if isinstance(result, BaseException):
        return Outcome(claim, trouble=str(result))
    return Outcome(claim, *result)


def texts(claims: Sequence[Claim]) -> list[str]:
    """Return the ids of the claims and the texts of the files that derive them."""
    derived = [one.derivation for claim in claims for one in (claim, claim.correction) if one and one.derivation]
    files = sorted({Path(getsourcefile(unwrap(derivation)) or "") for derivation in derived})
    return [claim.id for claim in claims] + [file.read_text(encoding="utf-8") for file in files if file.is_file()]


def _findings(claim: Claim, trial: Trial, seconds: float) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings of a claim, and those of its correction."""
    try:
        with ALONE, limited(seconds):
            findings = (*claim.findings(trial), *_countered(claim))
            return findings, tuple(claim.correction.findings(trial)) if claim.correction else ()
    except TimeUp:
        raise TimeoutError(f"not finished within its time limit of {seconds:g} s") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a derivation or a counter-example does wrong
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _countered(claim: Claim) -> Iterator[Finding]:
    """Return the finding that the claim fails, if its counter-example runs; what it raises is raised."""
    if claim.counter_example:
        exec(claim.program, {})  # noqa: S102 - the point of a counter-example
        yield Finding("counter-example", "the program runs", FAILS, "without an error")
