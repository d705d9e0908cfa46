"""The work of the report: what its processes have to do, and what they have found."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import astuple, dataclass
from math import inf
from pathlib import Path
from typing import Any, final

from igbtheory.claims.library import library
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.claims.runner import examinations, examined, texts
from igbtheory.report.cases import Case, Size, normed, plain
from igbtheory.report.classes import ClassStudy, class_studies, has_classes
from igbtheory.report.study import Outcome, comparisons
from igbtheory.runs import Piece, chosen, in_order, kept

NETWORKS, CLASSES, CLAIMS = "finite networks", "ten classes", "claims of the papers"
CLAIM = 200.0
"""The work that a claim is on average, in layers of networks drawn at three widths."""
LIMIT = 600.0
"""Time limit of one claim in seconds."""


@final
@dataclass(frozen=True)
class Job:
    """One job: the kind of its result, its number among those, its work in layers of networks, and what does it."""

    kind: str
    number: int
    work: float
    piece: Piece


@final
class Jobs:
    """All jobs of a report, and by kind and number the results of those that are done.

    ValueError: a file of claims that cannot be used.
    """

    def __init__(self, sizes: dict[int, Size], seed: int) -> None:
        found = library()
        for name, problem in found.problems.items():
            raise ValueError(f"the claims in {name} cannot be examined: {problem}")
        self.seed, self.sizes = seed, {str(depth): astuple(size) for depth, size in sizes.items()}
        self.cases: list[Case] = plain(sizes) + normed(sizes)
        self.claims = found.chosen(())
        of_classes = [case for case in self.cases if has_classes(case)]
        tasks = {
            NETWORKS: comparisons(self.cases, seed),
            CLASSES: class_studies(of_classes, seed),
            CLAIMS: examinations(self.claims, seed, quick=True, seconds=LIMIT),
        }
        work = {
            NETWORKS: [case.work for case in self.cases],
            CLASSES: [case.work for case in of_classes],
            CLAIMS: [CLAIM] * len(self.claims),
        }
        self.jobs = [Job(kind, i, work[kind][i], piece) for kind in tasks for i, piece in enumerate(tasks[kind])]
        self.found: dict[str, dict[int, Any]] = {kind: {} for kind in tasks}

    def run(
        self, workers: int | None, executor: Executor | str | None, store: str | Path | None
    ) -> Iterator[tuple[float, str]]:
        """Do all jobs, and yield after each the part of the work that is done and what is being done.

        The longest come first: the deep networks, which the first picture shows, and last the claims, so that no
        process waits long for the others in the end.
        """
        jobs = sorted(self.jobs, key=lambda job: -job.work)
        done, total = 0.0, sum(job.work for job in jobs)
        pieces, who = [job.piece for job in jobs], chosen(executor, workers, inf)
        configuration = {"results": "report", "sizes": self.sizes, "seed": self.seed}
        first = min((job for job in jobs if job.kind == NETWORKS), key=lambda job: job.work)
        with (
            kept(store, configuration, lambda: (first.piece(), self.cases, texts(self.claims))) as file,
            closing(in_order(pieces, executor=who, store=file, raises=False)) as results,
        ):
            for job, result in zip(jobs, results, strict=True):
                if job.kind == CLAIMS:
                    self.found[job.kind][job.number] = examined(self.claims[job.number], result)
                elif isinstance(result, BaseException):
                    raise result
                else:
                    self.found[job.kind][job.number] = result
                done += job.work
                count = sum(job.kind == other.kind for other in jobs)
                yield done / total, f"{job.kind} {len(self.found[job.kind])}/{count}"

    @property
    def outcomes(self) -> list[Outcome]:
        """The comparisons that are done, in the order of the cases."""
        return self._sorted(NETWORKS)

    @property
    def studies(self) -> list[ClassStudy]:
        """The studies of several classes that are done, in the order of the cases."""
        return self._sorted(CLASSES)

    @property
    def verdicts(self) -> list[Examined]:
        """The outcomes of the claims that are examined, in the order of the claims."""
        return self._sorted(CLAIMS)

    def _sorted(self, kind: str) -> list[Any]:
        return [result for _, result in sorted(self.found[kind].items())]
