"""Pictures of the report: each module a function from outcomes to a figure."""

from pathlib import Path

from igbtheory.report.classes import ClassStudy
from igbtheory.report.pictures import classes
from igbtheory.report.pictures.agreement import agreement
from igbtheory.report.pictures.guesses import guesses
from igbtheory.report.pictures.layers import layers
from igbtheory.report.pictures.style import save, styled
from igbtheory.report.pictures.widths import widths
from igbtheory.report.study import Outcome


def draw(outcomes: list[Outcome], studies: list[ClassStudy], folder: Path) -> None:
    """All pictures of the outcomes, as PDF and PNG; networks with norms stand in the picture of agreement alone."""
    columns = len({outcome.case.depth for outcome in outcomes})
    with styled():
        save(agreement(outcomes), folder, "agreement")
        plain = [outcome for outcome in outcomes if outcome.case.norm is None]
        for inputs in dict.fromkeys(outcome.case.inputs for outcome in plain):
            own = [outcome for outcome in plain if outcome.case.inputs == inputs]
            save(guesses(own, columns), folder, f"guesses-{inputs}")
            save(layers(own), folder, f"layers-{inputs}")
            save(widths(own, columns), folder, f"widths-{inputs}")
        save(classes.shares(studies), folder, "classes")
        save(classes.losses(studies), folder, "losses")
