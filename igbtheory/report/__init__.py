"""The main job: predictions beside finite networks and the papers' claims, as pictures, tables and one page."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from igbtheory import checks
from igbtheory.claims.report import write_reports
from igbtheory.report import cases
from igbtheory.report.album import Album
from igbtheory.report.folder import whole_folder
from igbtheory.report.jobs import Jobs
from igbtheory.report.page import write_page
from igbtheory.report.tables import write_tables
from igbtheory.runs import refuse_unfit
from igbtheory.shipped import versions

__all__ = ["write_report"]


def write_report(  # noqa: PLR0913 - the options of every run
    target: Path,
    seed: int = 0,
    *,
    quick: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    begun: Callable[[Path], None] = lambda _: None,
    progress: Callable[[float, str], None] = lambda *_: None,
) -> bool:
    """Return whether predictions agree with simulations and the claims' verdicts with the recorded ones.

    The report is the folder `target`, whole or not at all. Its numbers do not depend on who computes them.

    quick: small ensembles, for a look or a test. workers, executor, store: as of `simulate`. begun: called with the
    folder in which pictures appear until the report is whole. progress: called with the part of the work that is done,
    0 to 1, and what is being done.
    ValueError: the folder cannot be made, or holds what no report wrote, or nobody can do the work; known before
    anything is computed.
    """
    refuse_unfit(executor)
    started = time.monotonic()
    about = {"seed": checks.whole("seed", seed, 0), "quick": quick, "versions": versions()}
    with whole_folder(target, about) as folder:
        begun(folder)
        jobs = Jobs(cases.QUICK if quick else cases.FULL, seed)
        album = Album(jobs, folder)
        for done, text in jobs.run(workers, executor, store):
            progress(done, text)
            album.draw()
        write_tables(jobs.outcomes, jobs.studies, folder)
        write_reports(jobs.verdicts, folder, seed=seed, quick=True, problems={})
        write_page(jobs.outcomes, jobs.studies, jobs.verdicts, folder, {**about, "seconds": time.monotonic() - started})
    agree = all(outcome.comparison.agrees() for outcome in jobs.outcomes)
    return agree and all(outcome.as_recorded for outcome in jobs.verdicts)
