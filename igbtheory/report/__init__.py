"""The main job: predictions beside finite networks and the papers' claims, as pictures, tables and one page."""

import time
from collections.abc import Callable
from pathlib import Path

from igbtheory import checks
from igbtheory.claims.report import write_reports
from igbtheory.report import cases, study, verdicts
from igbtheory.report.classes import study_classes
from igbtheory.report.folder import whole_folder
from igbtheory.report.page import versions, write_page
from igbtheory.report.pictures import draw
from igbtheory.report.tables import write_tables

__all__ = ["write_report"]


def write_report(
    target: Path, seed: int = 0, *, quick: bool = False, progress: Callable[[str], None] = lambda _: None
) -> bool:
    """Whether predictions agree with simulations and the claims' verdicts with the recorded ones.

    The report is the folder `target`, whole or not at all.

    quick: small ensembles, for a look or a test. progress: told in words what is being done.
    ValueError: the folder cannot be made, or holds what no report wrote; known before anything is computed.
    """
    started = time.monotonic()
    about = {"seed": checks.whole("seed", seed, 0), "quick": quick, "versions": versions()}
    with whole_folder(target, about) as folder:
        sizes = cases.QUICK if quick else cases.FULL
        outcomes = study.study(cases.plain(sizes) + cases.normed(sizes), seed, progress)
        classes = study_classes(outcomes, seed, progress)
        claims = verdicts.examined(seed, progress)
        progress("pictures, tables and page")
        draw(outcomes, classes, folder)
        write_tables(outcomes, classes, folder)
        write_reports(claims, folder, {"seed": seed, "quick": True, "problems": {}})
        write_page(outcomes, classes, claims, folder, {**about, "seconds": time.monotonic() - started})
    agree = all(outcome.comparison.agrees() for outcome in outcomes)
    return agree and all(outcome.as_recorded for outcome in claims)
