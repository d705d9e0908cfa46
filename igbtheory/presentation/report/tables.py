"""Tables of the report: CSV files whose numbers are those of the library, digit by digit."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from igbtheory.presentation.report.classes import ClassStudy
from igbtheory.presentation.report.study import Outcome

Rows = Iterator[tuple[Any, ...]]


def write_tables(outcomes: list[Outcome], studies: list[ClassStudy], folder: Path) -> None:
    """Write all tables into the folder."""
    for name, (head, rows) in OF_NETWORKS.items():
        table = [(*_case(outcome), *row) for outcome in outcomes for row in rows(outcome)]
        _write(folder / f"{name}.csv", ("inputs", "activation", "norm", "placement", "depth", *head), table)
    for name, (head, rows_of_study) in OF_CLASSES.items():
        table = [(study.case.depth, *row) for study in studies for row in rows_of_study(study)]
        _write(folder / f"{name}.csv", ("depth", *head), table)


def _write(path: Path, head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def _case(outcome: Outcome) -> tuple[Any, ...]:
    case = outcome.case
    placement = "" if case.norm is None else case.placement
    return case.inputs, case.activation, case.norm or "", placement, case.depth


def _summary(outcome: Outcome) -> Rows:
    comparison = outcome.comparison
    tests = [x for row in (outcome.gamma, outcome.variance) for x in (row.theory, row.value, row.error, row.z)]
    yield outcome.prediction.regime, *tests, comparison.ks.pvalue, comparison.agrees()


def _widths(outcome: Outcome) -> Rows:
    """Yield every quantity at every width; the width "inf" stands for the extrapolation."""
    widths = [*(simulation.width for simulation in outcome.comparison.simulations), "inf"]
    for row in outcome.comparison.rows:
        for width, *estimate in zip(widths, (*row.values, row.value), (*row.errors, row.error), strict=True):
            yield row.name, row.theory, width, *estimate


def _layers(outcome: Outcome) -> Rows:
    """Yield the moments after every Dense layer, in theory (width "inf", error 0) and at every width."""
    theory = outcome.prediction.per_layer
    exact = np.zeros(len(theory.gamma))
    blocks: list[tuple[Any, Any, Any, Any]] = [("inf", theory, exact, exact)]
    for simulation in outcome.comparison.simulations:
        layers = simulation.per_layer
        blocks.append((simulation.width, layers, layers.gamma_error, layers.gamma_guess_error))
    for width, part, *errors in blocks:
        columns = (part.var_mu, part.var_chi, part.gamma, errors[0], part.gamma_guess, errors[1])
        for i, numbers in enumerate(zip(*columns, strict=True), 1):
            yield i, width, *map(float, numbers)


def _guesses(outcome: Outcome) -> Rows:
    for simulation in outcome.comparison.simulations:
        for network, share in enumerate(simulation.G0.tolist()):
            yield simulation.width, network, share


def _classes(study: ClassStudy) -> Rows:
    """Yield the mean share of every rank, and the largest accuracy."""
    shares = study.simulated.mean()
    for rank, (mean, *simulated) in enumerate(zip(study.mean, shares.value, shares.error, strict=True), 1):
        yield rank, mean, 0.0, study.width, *simulated
    bound, measured = (law.mean() for law in study.accuracy)
    yield "accuracy bound", bound.value, bound.error, study.width, measured.value, measured.error


def _losses(study: ClassStudy) -> Rows:
    """Yield the strength and the steering of every loss."""
    for name, law in study.losses.items():
        for quantity in ("strength", "steering"):
            theory, measured = (getattr(x, quantity)() for x in (law, study.simulated_losses[name]))
            yield name, quantity, theory.value, theory.error, study.width, measured.value, measured.error


VARIANCE = ("var_G0", "var_G0_simulated", "var_G0_error", "var_G0_z")
BIASES = ("gamma", "gamma_error", "gamma_guess", "gamma_guess_error")
PAIR = ("theory", "theory_error", "width", "simulated", "simulated_error")
OF_NETWORKS = {
    "summary": (
        ("regime", "gamma", "gamma_simulated", "gamma_error", "gamma_z", *VARIANCE, "ks_p_value", "agrees"),
        _summary,
    ),
    "widths": (("quantity", "theory", "width", "value", "error"), _widths),
    "layers": (("layer", "width", "var_mu", "var_chi", *BIASES), _layers),
    "guesses": (("width", "network", "G0"), _guesses),
}
OF_CLASSES = {"classes": (("rank", *PAIR), _classes), "losses": (("loss", "quantity", *PAIR), _losses)}
"""Columns and rows of the tables, by their names: rows of one case, and of one study of several classes."""
TABLES = (*OF_NETWORKS, *OF_CLASSES)
