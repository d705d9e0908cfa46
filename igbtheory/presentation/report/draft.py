"""The report while its results come: pictures are drawn, and the page is written again with each of them."""

import time
from pathlib import Path
from typing import Any, final

from igbtheory.claims.report import write_reports
from igbtheory.presentation.report.album import Album
from igbtheory.presentation.report.folder import ReportFolder
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.page import COMPLETE, PAGE, RUNNING, Shown, shown_in, write_page
from igbtheory.presentation.report.tables import write_tables

OFTEN = 15.0
"""Seconds after which the page is written again without a new picture, while claims are examined."""


@final
class Draft:
    """The report of the results that are there. about: what the page says of the run besides them."""

    def __init__(self, jobs: Jobs, album: Album, folder: ReportFolder, about: dict[str, Any]) -> None:
        self.jobs, self.album, self.folder, self.about = jobs, album, folder, about
        self.pictures: dict[str, Shown] = {}
        self.started = self.written = time.monotonic()

    @property
    def begun(self) -> bool:
        """Whether there is a page."""
        return bool(self.pictures)

    def update(self) -> None:
        """Draw the pictures whose results have become complete, and write the page with each of them."""
        for picture, results in self.album.due():
            with self.folder.filling() as work:
                self.album.draw(picture, results, work)
                self.pictures[picture.name] = shown_in(work, picture.name)
                self._write(work, RUNNING)
        if self.begun and time.monotonic() > self.written + OFTEN:
            with self.folder.filling() as work:
                self._write(work, RUNNING)

    def finish(self, state: str) -> None:
        """Write the last page; if it is complete, with all claims."""
        complete = state == COMPLETE
        with self.folder.filling(complete=complete) as work:
            if complete:
                write_reports(self.jobs.verdicts, work, seed=self.jobs.seed, quick=True, problems={})
            self._write(work, state)

    def _write(self, work: Path, state: str) -> None:
        """Write the tables and the page into a folder."""
        write_tables(self.jobs.outcomes, self.jobs.studies, work)
        self.written = time.monotonic()
        write_page(self.jobs, self.pictures, state, work / PAGE, {**self.about, "seconds": self.written - self.started})
