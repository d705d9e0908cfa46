"""The pictures of the report with their captions, each drawn as soon as all results that it shows are computed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from matplotlib.figure import Figure

from igbtheory.presentation.pictures.caption import Drawn, caption
from igbtheory.presentation.pictures.style import write
from igbtheory.presentation.report import captions, class_pictures, network_pictures
from igbtheory.presentation.report.cases import INPUTS, Case
from igbtheory.presentation.report.classes import ClassStudy, has_classes
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.study import Outcome


@final
@dataclass(frozen=True)
class Picture:
    """A picture to draw: the name of its files, its title, what it shows in words, and the cases that it shows.

    draw: draws the results of these cases. networks: the finite networks of one result that are drawn.
    """

    name: str
    title: str
    about: str
    shows: Callable[[Case], bool]
    draw: Callable[[Any], Figure]
    networks: Callable[[Any], list[Drawn]]
    of_classes: bool = False


@final
class Album:
    """The pictures of the report that are not drawn yet, and the folder into which they are drawn."""

    def __init__(self, jobs: Jobs, folder: Path) -> None:
        self.jobs, self.folder = jobs, folder
        deepest = max(case.depth for case in jobs.cases)
        title = "Deviations of simulation from theory in standard errors, case by case"
        self.missing = [
            Picture("agreement", title, captions.AGREEMENT, lambda _: True, network_pictures.agreement, _of_all_widths)
        ]
        for name, text in INPUTS.items():
            self.missing += _of_inputs(name, text, deepest)
        shares = "Mean share of the data by rank of the class, theory and simulation"
        losses = "Gradient at the favoured class by loss and depth, theory and simulation"
        self.missing += [
            Picture(
                "classes", shares, captions.CLASSES, has_classes, class_pictures.shares, _of_classes, of_classes=True
            ),
            Picture(
                "losses", losses, captions.LOSSES, has_classes, class_pictures.losses, _of_classes, of_classes=True
            ),
        ]

    def draw(self) -> None:
        """Draw, as PDF and PNG, the pictures whose results are complete."""
        for picture in list(self.missing):
            done = self.jobs.studies if picture.of_classes else self.jobs.outcomes
            shown = [result for result in done if picture.shows(result.case)]
            if len(shown) == sum(map(picture.shows, self.jobs.cases)):
                self.missing.remove(picture)
                self._write(picture, shown)

    def _write(self, picture: Picture, shown: list[Any]) -> None:
        """Write the picture and its caption."""
        figure = write(picture.draw, shown, *(self.folder / f"{picture.name}{kind}" for kind in (".png", ".pdf")))
        networks = [drawn for result in shown for drawn in picture.networks(result)]
        text = caption(picture.title, picture.about, networks, (), [figure])
        (self.folder / f"{picture.name}.txt").write_text(text, encoding="utf-8")


def _of_inputs(name: str, text: str, deepest: int) -> list[Picture]:
    """Return the pictures of two classes on these inputs."""
    plain, of = partial(_plain, inputs=name), network_pictures
    guesses = f"The law of the guesses, theory over simulation, {text}"
    layers = f"The bias ratio over the layers, theory and simulation, {text}"
    widths = f"The bias ratio against 1/width, {text}"
    return [
        Picture(f"layers-{name}", layers, captions.LAYERS, partial(plain, depth=deepest), of.layers, _of_all_widths),
        Picture(f"guesses-{name}", guesses, captions.GUESSES[name], plain, of.guesses, _of_the_widest),
        Picture(f"widths-{name}", widths, captions.WIDTHS, plain, of.widths, _of_all_widths),
    ]


def _of_all_widths(outcome: Outcome) -> list[Drawn]:
    return [Drawn.by(simulation, _named(outcome)) for simulation in outcome.comparison.simulations]


def _of_the_widest(outcome: Outcome) -> list[Drawn]:
    return [Drawn.by(outcome.widest, _named(outcome))]


def _of_classes(study: ClassStudy) -> list[Drawn]:
    return [Drawn(study.case.title, len(study.simulated.draws), study.width, study.case.size.samples)]


def _named(outcome: Outcome) -> str:
    return f"{outcome.case.title}, {outcome.case.inputs}"


def _plain(case: Case, inputs: str, depth: int | None = None) -> bool:
    """Return whether the case has these inputs, no norm and, if one is given, this depth."""
    return case.inputs == inputs and case.norm is None and depth in {None, case.depth}
