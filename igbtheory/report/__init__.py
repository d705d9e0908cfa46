"""The main job: predictions beside finite networks, as pictures, tables and one page."""

import time
from collections.abc import Callable
from pathlib import Path

from igbtheory import checks
from igbtheory.report import cases, study
from igbtheory.report.folder import whole_folder
from igbtheory.report.page import versions, write_page
from igbtheory.report.pictures import draw
from igbtheory.report.tables import write_tables

__all__ = ["write_report"]


def write_report(
    target: Path, seed: int = 0, *, quick: bool = False, progress: Callable[[str], None] = lambda _: None
) -> bool:
    """Whether all predictions and simulations agree; the report is the folder `target`, whole or not at all.

    quick: small ensembles, for a look or a test. progress: told in words what is being done.
    ValueError: the folder cannot be made, or holds what no report wrote; known before anything is computed.
    """
    started = time.monotonic()
    about = {"seed": checks.whole("seed", seed, 0), "quick": quick, "versions": versions()}
    with whole_folder(target, about) as folder:
        sizes = cases.QUICK if quick else cases.FULL
        outcomes = study.study(cases.plain(sizes) + cases.normed(sizes), seed, progress)
        progress("pictures, tables and page")
        draw(outcomes, folder)
        write_tables(outcomes, folder)
        write_page(outcomes, folder, {**about, "seconds": time.monotonic() - started})
    return all(outcome.comparison.agrees() for outcome in outcomes)
