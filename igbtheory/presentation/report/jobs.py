"""The jobs of the report, and the results of those that are done."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import astuple, dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, final

from igbtheory.claims.library import library
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.claims.runner import examinations, examined, texts
from igbtheory.foundations.runs import Piece, chosen, in_order, kept
from igbtheory.presentation.report.cases import Size, normed, plain
from igbtheory.presentation.report.classes import ClassStudy, class_study, has_classes
from igbtheory.presentation.report.study import Outcome, comparisons

NETWORKS, CLASSES, CLAIMS = "finite networks", "ten classes", "claims of the papers"
CLAIM = 200.0
"""The average work of a claim, as a number of layers drawn at three widths."""
LIMIT = 600.0
"""Time limit of one claim in seconds."""


@final
@dataclass
class Job:
    """A job: the kind of its result, its work in layers of networks, what does it, and its result or None."""

    kind: str
    work: float
    piece: Piece
    result: Any = None


@final
class Jobs:
    """All jobs of a report with their results. ValueError: a file of claims that cannot be used."""

    def __init__(self, sizes: dict[int, Size], seed: int) -> None:
        claim_library = library()
        for name, problem in claim_library.problems.items():
            raise ValueError(f"the claims in {name} cannot be examined: {problem}")
        self.seed, self.sizes = seed, {str(depth): astuple(size) for depth, size in sizes.items()}
        self.cases = plain(sizes) + normed(sizes)
        self.claims = claim_library.chosen(())
        pieces = comparisons(self.cases, seed)
        self.jobs = [Job(NETWORKS, case.work, piece) for case, piece in zip(self.cases, pieces, strict=True)]
        self.jobs += [
            Job(CLASSES, case.work, partial(class_study, case, seed)) for case in self.cases if has_classes(case)
        ]
        self.jobs += [Job(CLAIMS, CLAIM, x) for x in examinations(self.claims, seed, quick=True, seconds=LIMIT)]

    def run(self, workers: int | None, executor: Executor | str | None, store: str | Path | None) -> Iterator[Job]:
        """Do all jobs, and yield each when it is done.

        The longest jobs come first: the deep networks, which the first picture shows. The claims come last, so that no
        process waits long for the others in the end.
        """
        jobs = sorted(self.jobs, key=lambda job: -job.work)
        pieces, who = [job.piece for job in jobs], chosen(executor, workers, inf)
        configuration = {"results": "report", "sizes": self.sizes, "seed": self.seed}
        first = min((job for job in jobs if job.kind == NETWORKS), key=lambda job: job.work)
        with (
            kept(store, configuration, lambda: (first.piece(), self.cases, texts(self.claims))) as file,
            closing(in_order(pieces, executor=who, store=file, what="networks and claims", raises=False)) as results,
        ):
            for job, result in zip(jobs, results, strict=True):
                if isinstance(result, BaseException) and job.kind != CLAIMS:
                    raise result
                job.result = result
                yield job

    @property
    def outcomes(self) -> list[Outcome]:
        """The comparisons that are done, in the order of the cases."""
        return self._done(NETWORKS)

    @property
    def studies(self) -> list[ClassStudy]:
        """The studies of several classes that are done, in the order of the cases."""
        return self._done(CLASSES)

    @property
    def verdicts(self) -> list[Examined]:
        """The outcomes of all claims, once all jobs are done."""
        return list(map(examined, self.claims, self._done(CLAIMS)))

    def _done(self, kind: str) -> list[Any]:
        return [job.result for job in self.jobs if job.kind == kind and job.result is not None]
