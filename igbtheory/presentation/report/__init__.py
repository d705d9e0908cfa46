"""The report: predictions, finite networks and the papers' claims, as pictures, tables and one page."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from igbtheory.claims.report import write_reports
from igbtheory.foundations import checks
from igbtheory.foundations.runs import refuse_unfit
from igbtheory.foundations.shipped import versions
from igbtheory.presentation.report import cases
from igbtheory.presentation.report.album import Album
from igbtheory.presentation.report.differences import differences
from igbtheory.presentation.report.folder import whole_folder
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.page import write_page
from igbtheory.presentation.report.tables import write_tables

__all__ = ["write_report"]


def write_report(
    target: str | Path,
    seed: int = 0,
    *,
    quick: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    begun: Callable[[Path], None] = lambda _: None,
) -> tuple[str, ...]:
    """Write the report, and return what differs: a line for each case or claim, none if all agrees.

    A case differs if its simulation disagrees with the theory, and a claim if its verdict is not the recorded one.

    The folder `target` appears whole or not at all. Its numbers do not depend on workers and executor.

    target: the folder. seed: of the simulations. quick: small ensembles, for a look or a test. workers, executor,
    store: as in `simulate`. begun: called with the folder in which pictures appear until the report is complete.
    ValueError, before anything is computed: the folder cannot be made, or holds files that no report wrote, or the
    executor cannot be used.

    >>> igb.write_report("igb-report")  # doctest: +SKIP
    ()
    """
    refuse_unfit(executor)
    started = time.monotonic()
    about = {"seed": checks.whole("seed", seed, 0), "quick": quick, "versions": versions()}
    with whole_folder(Path(target), about) as folder:
        begun(folder)
        jobs = Jobs(cases.QUICK if quick else cases.FULL, seed)
        album = Album(jobs, folder)
        for _ in jobs.run(workers, executor, store):
            album.draw()
        write_tables(jobs.outcomes, jobs.studies, folder)
        write_reports(jobs.verdicts, folder, seed=seed, quick=True, problems={})
        write_page(jobs.outcomes, jobs.studies, jobs.verdicts, folder, {**about, "seconds": time.monotonic() - started})
    return differences(jobs.outcomes, jobs.verdicts)
