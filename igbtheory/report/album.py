"""The pictures of the report, each drawn as soon as all results that it shows are computed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from matplotlib.figure import Figure

from igbtheory.pictures.style import write
from igbtheory.report import class_pictures, network_pictures
from igbtheory.report.cases import INPUTS, Case
from igbtheory.report.classes import has_classes
from igbtheory.report.jobs import Jobs


@final
@dataclass(frozen=True)
class Picture:
    """A picture to draw: the name of its files, the cases that it shows, and the function that draws their results."""

    name: str
    shows: Callable[[Case], bool]
    draw: Callable[[Any], Figure]
    of_classes: bool = False


@final
class Album:
    """The pictures of the report that are not drawn yet, and the folder into which they are drawn."""

    def __init__(self, jobs: Jobs, folder: Path) -> None:
        self.jobs, self.folder = jobs, folder
        deepest = max(case.depth for case in jobs.cases)
        self.missing = [Picture("agreement", lambda _: True, network_pictures.agreement)]
        for name in INPUTS:
            plain = partial(_plain, inputs=name)
            self.missing += [
                Picture(f"layers-{name}", partial(plain, depth=deepest), network_pictures.layers),
                Picture(f"guesses-{name}", plain, network_pictures.guesses),
                Picture(f"widths-{name}", plain, network_pictures.widths),
            ]
        self.missing += [
            Picture("classes", has_classes, class_pictures.shares, of_classes=True),
            Picture("losses", has_classes, class_pictures.losses, of_classes=True),
        ]

    def draw(self) -> None:
        """Draw, as PDF and PNG, the pictures whose results are complete."""
        for picture in list(self.missing):
            done = self.jobs.studies if picture.of_classes else self.jobs.outcomes
            shown = [result for result in done if picture.shows(result.case)]
            if len(shown) == sum(map(picture.shows, self.jobs.cases)):
                self.missing.remove(picture)
                write(picture.draw, shown, *(self.folder / f"{picture.name}{kind}" for kind in (".png", ".pdf")))


def _plain(case: Case, inputs: str, depth: int | None = None) -> bool:
    """Return whether the case has these inputs, no norm and, if one is given, this depth."""
    return case.inputs == inputs and case.norm is None and depth in {None, case.depth}
