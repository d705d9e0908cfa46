"""Tests of claims, several at a time, each with a time limit."""

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

from igbtheory.claims.bound import bound
from igbtheory.claims.claim import LIMITED, Claim
from igbtheory.claims.finding import FAILS, FAMILY, HOLDS, UNDECIDED, Finding, Trial, combined
from igbtheory.foundations import checks
from igbtheory.foundations.progress import progress_bar
from igbtheory.foundations.runs import Piece, TimeUp, chosen, in_order, kept, limited

UNTESTED = "not tested"
FOR_STAND_IN = "holds for a stand-in"
"""Standing of a claim that holds, if the evidence has something else in the place of what the document has."""
ALONE = Lock()
"""Lock that lets threads test one claim at a time, because mpmath's precision belongs to the whole process."""
STANDINGS = (HOLDS, FOR_STAND_IN, FAILS, UNDECIDED, UNTESTED)


@final
@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim: its findings, the findings of its correction, those on whether its words and formulas are
    bound to the document and to the evidence, and the error that stopped its test.
    """

    claim: Claim
    findings: tuple[Finding, ...] = ()
    corrected: tuple[Finding, ...] = ()
    bound: tuple[Finding, ...] = ()
    trouble: str = ""

    @property
    def verdict(self) -> str:
        """Verdict of all findings together; undecided if the claim has a correction that does not hold."""
        if self.trouble or (self.claim.correction is not None and self.correction_verdict != HOLDS):
            return UNDECIDED
        return combined([finding.verdict for finding in self.findings])

    @property
    def correction_verdict(self) -> str:
        """Verdict of the correction; undecided if there is none."""
        return combined([finding.verdict for finding in self.corrected])

    @property
    def standing(self) -> str:
        """Verdict in the words of reports, see `standing`."""
        return standing(self.claim, self.verdict)

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict equals the one recorded with the claim, and its words and formulas are bound."""
        return self.verdict == self.claim.verdict and all(finding.verdict == HOLDS for finding in self.bound)


def standing(claim: Claim, verdict: str) -> str:
    """Return the verdict, or "not tested" for definitions and for claims that need training runs or other data, or
    "holds for a stand-in".
    """
    if claim.derivation is None:
        return UNTESTED
    return FOR_STAND_IN if claim.stand_in and verdict == HOLDS else verdict


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
    """Return the outcomes of the claims in their order.

    seconds: the time limit for each claim. workers, executor, store, progress: as in `simulate`. A store does not keep
    claims that raised an error or exceeded the time limit.

    claims: an iterable of them. seed: of the simulations. quick: small ensembles.

    >>> igb.claims.run([])
    []
    """
    checks.of_kind("claims in a sequence", claims, Sequence, "those of igbtheory.claims")
    for claim in claims:
        checks.of_kind("claims", claim, Claim, "those of igbtheory.claims")
    work = examinations(claims, seed, quick=quick, seconds=seconds)
    wanted = checks.flag("progress", progress)
    who = chosen(executor, workers, inf)
    configuration = {"claims": len(claims), "seed": seed, "quick": quick}
    with (
        kept(store, configuration, partial(texts, claims), "digest of the claims", who) as file,
        progress_bar(wanted=wanted),
        closing(in_order(work, executor=who, store=file, what="claims", raises=False)) as results,
    ):
        return list(map(examined, claims, results))


def examinations(claims: Sequence[Claim], seed: int, *, quick: bool, seconds: float) -> list[Piece]:
    """Return the pieces of work that test the claims; `examined` turns their results into outcomes."""
    count = max(1, sum(claim.derivation is not None for claim in claims))
    level = FAMILY / (20 * count)  # a claim makes twenty tests at most
    return [partial(_findings, claim, Trial(claim.id, seed, quick, level), seconds) for claim in claims]


def examined(claim: Claim, result: Any) -> Outcome:
    """Return the outcome of a claim from the result of its piece of work, which may be an exception."""
    if isinstance(result, BaseException):
        return Outcome(claim, trouble=str(result))
    return Outcome(claim, *result)


def texts(claims: Sequence[Claim]) -> list[str]:
    """Return the ids of the claims and the texts of the files with their derivations."""
    derived = [one.derivation for claim in claims for one in (claim, claim.correction) if one and one.derivation]
    files = sorted({Path(getsourcefile(unwrap(derivation)) or "") for derivation in derived})
    return [claim.id for claim in claims] + [file.read_text(encoding="utf-8") for file in files if file.is_file()]


def _findings(claim: Claim, trial: Trial, seconds: float) -> tuple[tuple[Finding, ...], ...]:
    """Return the findings of a claim, of its correction, and on whether what is printed of both is bound."""
    try:
        with ALONE, limited(seconds):
            # the words of what fails are those of its document: that evidence has other ones does not make it fail
            evidence = [item for item in claim.findings(trial) if item.kind != "words" or claim.verdict == HOLDS]
            findings = (*evidence, *_countered(claim))
            corrected = tuple(claim.correction.findings(trial)) if claim.correction else ()
            return findings, corrected, tuple(bound(claim, findings, corrected))
    except TimeUp:
        raise TimeoutError(f"not finished within its time limit of {seconds:g} s") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a derivation or a counter-example may raise anything
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _countered(claim: Claim) -> Iterator[Finding]:
    """Yield the finding that a counter-example runs, with which the claim fails, or, if it is limited, its limit holds.

    An error of the counter-example is raised.
    """
    if claim.counter_example:
        exec(claim.program, {})  # noqa: S102 - the point of a counter-example
        verdict = HOLDS if claim.kind == LIMITED else FAILS
        yield Finding("counter-example", "the program runs", verdict, "without an error")
