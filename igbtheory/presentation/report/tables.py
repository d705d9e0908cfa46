"""Tables of the report: CSV files whose numbers are those of the library, digit by digit."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from igbtheory.presentation.report.classes import ClassStudy
from igbtheory.presentation.report.study import Outcome

Rows = Iterator[tuple[Any, ...]]
BIASES = ("gamma", "gamma_guess")


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
    limit, comparison = outcome.expected.limit, outcome.comparison
    compared = outcome.widest.width if outcome.expected.at_width else "inf"
    tests = [
        number
        for row in (outcome.variance, outcome.gamma)
        for number in (row.theory, row.theory_error, row.value, row.error, row.z, outcome.visible(row))
    ]
    yield limit.regime, float(limit.gamma_guess), compared, *tests, comparison.ks.pvalue, outcome.agrees


def _widths(outcome: Outcome) -> Rows:
    """Yield every quantity at every width; the width "inf" stands for the extrapolation."""
    widths = [str(simulation.width) for simulation in outcome.comparison.simulations]
    for row in outcome.comparison.rows:
        estimates = [*zip(widths, row.values, row.errors, strict=True)]
        estimates += [("inf", row.value, row.error)] * (len(widths) > 1)
        for estimate in estimates:
            yield row.name, row.theory, row.theory_error, *estimate


def _layers(outcome: Outcome) -> Rows:
    """Yield the moments after every Dense layer: in theory, in infinite width and at the width, and of networks."""
    expected, limit = outcome.expected, outcome.expected.limit.per_layer
    sources: list[tuple[str, Any, Any]] = [("theory", "inf", limit)]
    if expected.at_width is not None:
        sources.append(("theory", outcome.widest.width, expected.at_width.per_layer))
    sources += [("networks", one.width, one.per_layer) for one in outcome.comparison.simulations]
    exact = np.zeros(len(limit.gamma))
    for source, width, layers in sources:
        columns = [getattr(layers, name) for name in ("var_mu", "var_chi")]
        columns += [
            values for name in BIASES for values in (getattr(layers, name), getattr(layers, f"{name}_error", exact))
        ]
        for i, numbers in enumerate(zip(*columns, strict=True), 1):
            yield i, source, width, *map(float, numbers)


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


TESTED = ("", "_theory_error", "_simulated", "_error", "_z", "_visible")
PAIR = ("theory", "theory_error", "width", "simulated", "simulated_error")
OF_NETWORKS = {
    "summary": (
        (
            *("regime", "gamma_guess_infinite_width", "compared_at_width"),
            *(f"{name}{part}" for name in ("var_G0", "gamma") for part in TESTED),
            *("ks_p_value", "agrees"),
        ),
        _summary,
    ),
    "widths": (("quantity", "theory", "theory_error", "width", "value", "error"), _widths),
    "layers": (
        (
            "layer",
            "source",
            "width",
            "var_mu",
            "var_chi",
            *(f"{name}{part}" for name in BIASES for part in ("", "_error")),
        ),
        _layers,
    ),
    "guesses": (("width", "network", "G0"), _guesses),
}
OF_CLASSES = {"classes": (("rank", *PAIR), _classes), "losses": (("loss", "quantity", *PAIR), _losses)}
"""Columns and rows of the tables, by their names: rows of one case, and of one study of several classes."""
TABLES = (*OF_NETWORKS, *OF_CLASSES)
