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
from igbtheory.presentation.report.cases import DATA, DIGITS, GAUSSIAN, INPUTS, Case
from igbtheory.presentation.report.classes import ClassStudy, has_classes
from igbtheory.presentation.report.jobs import Jobs
from igbtheory.presentation.report.study import Outcome

DPI = 120
"""Dots in an inch of a PNG: pictures of 7.2 inches are shown 736 points wide."""


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
    """The pictures of the report that are not drawn yet; kinds: the endings of their files."""

    def __init__(self, jobs: Jobs, kinds: tuple[str, ...]) -> None:
        self.jobs, self.kinds = jobs, kinds
        title = "Deviations of simulation from theory in standard errors, case by case"
        self.missing = [
            *_of_inputs(GAUSSIAN, max(jobs.size.depths)),
            *_of_inputs(DIGITS, max(jobs.size.depths)),
            _of_widths(),
            Picture("agreement", title, captions.AGREEMENT, lambda _: True, network_pictures.agreement, _of_all_widths),
            *_of_classes(),
        ]

    def due(self) -> list[tuple[Picture, list[Any]]]:
        """Return the pictures whose results are complete, with these results; they are not due again."""
        due = []
        for picture in list(self.missing):
            done = self.jobs.studies if picture.of_classes else self.jobs.outcomes
            shown = [result for result in done if picture.shows(result.case)]
            if len(shown) == sum(map(picture.shows, self.jobs.cases)):
                self.missing.remove(picture)
                due.append((picture, shown))
        return due

    def draw(self, picture: Picture, shown: list[Any], folder: Path) -> None:
        """Write the picture of these results and its caption into the folder."""
        figure = write(picture.draw, shown, *(folder / f"{picture.name}{kind}" for kind in self.kinds), dpi=DPI)
        networks = [drawn for result in shown for drawn in picture.networks(result)]
        text = caption(picture.title, picture.about, networks, (), [figure])
        (folder / f"{picture.name}.txt").write_text(text, encoding="utf-8")


def _of_inputs(name: str, deepest: int) -> list[Picture]:
    """Return the pictures of two classes on these inputs."""
    plain, of, text = partial(_plain, inputs=name), network_pictures, INPUTS[name]
    guesses = f"The law of the guesses, theory over simulation, {text}"
    layers = f"The bias ratio of the guesses over the layers, theory and simulation, {text}"
    deep = partial(plain, depth=deepest)
    return [
        Picture(f"guesses-{name}", guesses, captions.GUESSES[name], plain, of.guesses, _of_the_widest),
        Picture(f"layers-{name}", layers, captions.LAYERS[name], deep, of.layers, _of_all_widths),
    ]


def _of_widths() -> Picture:
    title = f"The variance of the guesses against 1/width, {INPUTS[DIGITS]}"
    plain = partial(_plain, inputs=DIGITS)
    return Picture("widths-digits", title, captions.WIDTHS, plain, network_pictures.widths, _of_all_widths)


def _of_classes() -> list[Picture]:
    """Return the pictures of ten classes."""
    pictures = {
        "classes": (
            "Mean share of the data by rank of the class, theory and simulation",
            captions.CLASSES,
            class_pictures.shares,
        ),
        "losses": (
            "Gradient at the favoured class by loss and depth, theory and simulation",
            captions.LOSSES,
            class_pictures.losses,
        ),
    }
    return [
        Picture(name, title, about, has_classes, draw, _of_a_study, of_classes=True)
        for name, (title, about, draw) in pictures.items()
    ]


def _of_all_widths(outcome: Outcome) -> list[Drawn]:
    return [Drawn.by(simulation, _named(outcome)) for simulation in outcome.comparison.simulations]


def _of_the_widest(outcome: Outcome) -> list[Drawn]:
    return [Drawn.by(outcome.widest, _named(outcome))]


def _of_a_study(study: ClassStudy) -> list[Drawn]:
    return [Drawn(study.case.title, len(study.simulated.draws), study.width, DATA)]


def _named(outcome: Outcome) -> str:
    return f"{outcome.case.title}, {outcome.case.inputs}"


def _plain(case: Case, inputs: str, depth: int | None = None) -> bool:
    """Return whether the case has these inputs, no norm and, if one is given, this depth."""
    return case.inputs == inputs and case.norm is None and depth in {None, case.depth}
