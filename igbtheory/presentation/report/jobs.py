"""The jobs of the report, and the results of those that are done."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, final

from igbtheory.claims.claim import Claim
from igbtheory.claims.library import library
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.claims.runner import examinations, examined, texts
from igbtheory.foundations.runs import Piece, Store, chosen, in_order, kept
from igbtheory.presentation.report.cases import Size, normed, plain
from igbtheory.presentation.report.classes import ClassStudy, class_study, has_classes
from igbtheory.presentation.report.study import Outcome, comparisons, expectations

LIMIT = 600.0
"""Time limit of one claim in seconds."""


@final
class Jobs:
    """All jobs of a report with their results. ValueError: a file of claims that cannot be used.

    expected: all predictions, which are there from the beginning. outcomes, studies: the comparisons and the studies of
    several classes that are done, in the order of the cases. claims: all claims, and verdicts: of those that are done.
    """

    def __init__(self, size: Size, seed: int) -> None:
        self.seed, self.size = seed, size
        self.cases = plain(size.depths) + normed(size.depths)
        self.expected = expectations(self.cases)
        self.outcomes: list[Outcome] = []
        self.studies: list[ClassStudy] = []
        self.claims: list[Claim] = []
        self.verdicts: list[Examined] = []

    def run(self, workers: int | None, executor: Executor | str | None, store: str | Path | None) -> Iterator[None]:
        """Do all jobs, and yield whenever one is done: first the networks that figure 1 shows, and last the claims."""
        who = chosen(executor, workers, inf)
        work: list[Piece] = comparisons(self.expected, self.size, self.seed)
        classes = [case for case in self.cases if has_classes(case)]
        studies: list[Piece] = [partial(class_study, case, self.size, self.seed) for case in classes]
        configuration = {"results": "report", "size": repr(asdict(self.size)), "seed": self.seed}
        with kept(store, configuration, lambda: (work[0](), self.cases, texts(claims_of_papers()))) as file:
            for result in _done([*work, *studies], "networks", who, file):
                if isinstance(result, BaseException):
                    raise result
                (self.outcomes if isinstance(result, Outcome) else self.studies).append(result)
                yield
            self.claims = claims_of_papers()
            pieces = examinations(self.claims, self.seed, quick=True, seconds=LIMIT)
            for claim, result in zip(self.claims, _done(pieces, "claims of the papers", who, file), strict=True):
                self.verdicts.append(examined(claim, result))
                yield


def _done(pieces: Sequence[Piece], what: str, who: Executor | str | None, store: Store | None) -> Iterator[Any]:
    """Yield the results of pieces of work of one kind, or their exceptions, in their order."""
    names = [[what, number] for number in range(len(pieces))]
    with closing(in_order(pieces, executor=who, store=store, names=names, what=what, raises=False)) as results:
        yield from results


def claims_of_papers() -> list[Claim]:
    """Return the claims of the papers. ValueError: a file of claims that cannot be used."""
    claim_library = library()
    for name, problem in claim_library.problems.items():
        raise ValueError(f"the claims in {name} cannot be examined: {problem}")
    return claim_library.chosen(())
