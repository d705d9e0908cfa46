"""The pictures of the report, each drawn as soon as all that it shows is computed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from matplotlib.figure import Figure

from igbtheory.pictures import classes, networks
from igbtheory.pictures.style import write
from igbtheory.report.cases import INPUTS, Case
from igbtheory.report.classes import has_classes
from igbtheory.report.jobs import Jobs


@final
@dataclass(frozen=True)
class Picture:
    """A picture to draw: the name of its files, the cases that it shows, and how it is drawn."""

    name: str
    shows: Callable[[Case], bool]
    draw: Callable[[Any], Figure]
    of_classes: bool = False


@final
class Album:
    """The pictures of the report's jobs that are still to be drawn, and the folder that they are drawn into."""

    def __init__(self, jobs: Jobs, folder: Path) -> None:
        self.jobs, self.folder = jobs, folder
        deepest = max(case.depth for case in jobs.cases)
        self.missing = [Picture("agreement", lambda _: True, networks.agreement)]
        for name in INPUTS:
            plain = partial(_plain, inputs=name)
            deep = partial(_plain, inputs=name, depth=deepest)
            self.missing += [
                Picture(f"layers-{name}", deep, networks.layers),
                Picture(f"guesses-{name}", plain, networks.guesses),
                Picture(f"widths-{name}", plain, networks.widths),
            ]
        self.missing += [
            Picture("classes", has_classes, classes.shares, of_classes=True),
            Picture("losses", has_classes, classes.losses, of_classes=True),
        ]

    def draw(self) -> None:
        """Draw as PDF and PNG what can be drawn by now; networks with norms stand in the picture of agreement alone."""
        for picture in list(self.missing):
            done = self.jobs.studies if picture.of_classes else self.jobs.outcomes
            shown = [result for result in done if picture.shows(result.case)]
            if len(shown) == sum(map(picture.shows, self.jobs.cases)):
                self.missing.remove(picture)
                write(picture.draw, shown, *(self.folder / f"{picture.name}{kind}" for kind in (".png", ".pdf")))


def _plain(case: Case, inputs: str, depth: int | None = None) -> bool:
    """Return whether the case has these inputs, no norm and, where one is given, this depth."""
    return case.inputs == inputs and case.norm is None and depth in {None, case.depth}
