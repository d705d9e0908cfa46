"""The report: predictions, finite networks and the papers' claims, as pictures, tables and one page."""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from igbtheory.foundations import checks
from igbtheory.foundations.runs import refuse_unfit
from igbtheory.foundations.shipped import versions
from igbtheory.presentation.report import cases
from igbtheory.presentation.report.album import Album
from igbtheory.presentation.report.differences import differences
from igbtheory.presentation.report.draft import Draft
from igbtheory.presentation.report.folder import report_folder
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.page import COMPLETE, INTERRUPTED, PAGE

__all__ = ["write_report"]


def write_report(  # noqa: PLR0913 - the options of every run
    target: str | Path,
    seed: int = 0,
    *,
    quick: bool = False,
    pdf: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    begun: Callable[[Path], None] = lambda _: None,
) -> tuple[str, ...]:
    """Write the report, and return what differs: a line for each case or claim, none if all agrees.

    A case differs if its simulation disagrees with the theory, and a claim if its verdict is not the recorded one.

    The page is written when the first picture is there, and again as results come. Each file appears whole, so that an
    interrupted report is a page of what was done. The numbers do not depend on workers and executor.

    target: the folder. seed: of the simulations. quick: small ensembles, for a look or a test. pdf: whether each
    picture is also a PDF. workers, executor, store: as in `simulate`. begun: called with the page when it is first
    written. ValueError, before anything is computed: the folder cannot be made, or holds files that no report wrote, or
    the executor cannot be used.

    >>> igb.write_report("igb-report")  # doctest: +SKIP
    ()
    """
    refuse_unfit(executor)
    about = {"seed": checks.whole("seed", seed, 0), "quick": quick, "versions": versions()}
    kinds = (".png", ".pdf") if checks.flag("pdf", pdf) else (".png",)
    with report_folder(Path(target), about) as folder:
        jobs = Jobs(cases.QUICK if quick else cases.FULL, seed)
        draft = Draft(jobs, Album(jobs, kinds), folder, about)
        try:
            for _ in jobs.run(workers, executor, store):
                before = draft.begun
                draft.update()
                if draft.begun > before:
                    begun(folder.target / PAGE)
        except BaseException:
            if draft.begun:  # whatever ends the run, its page says what was done
                draft.finish(INTERRUPTED)
            raise
        draft.finish(COMPLETE)
    return differences(jobs.outcomes, jobs.verdicts)
