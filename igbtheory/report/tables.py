"""Tables of the report: CSV files whose numbers are those of the library, digit by digit."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from igbtheory.report.classes import ClassStudy
from igbtheory.report.study import Outcome

TABLES = ("summary", "widths", "layers", "guesses", "classes", "losses")
"""Names of the tables."""
CASE = ("inputs", "activation", "norm", "placement", "depth")


def write_tables(outcomes: list[Outcome], studies: list[ClassStudy], folder: Path) -> None:
    """All tables: one row a case, a quantity, a layer, a network."""
    summary = (*CASE, "regime", "gamma", "gamma_simulated", "gamma_error", "gamma_z")
    variance = ("var_G0", "var_G0_simulated", "var_G0_error", "var_G0_z")
    _write(folder / "summary.csv", (*summary, *variance, "ks_p_value", "agrees"), _summary(outcomes))
    widths = (*CASE, "quantity", "theory", "width", "value", "error")
    _write(folder / "widths.csv", widths, _widths(outcomes))
    layers = (*CASE, "layer", "width", "var_mu", "var_chi", "gamma", "gamma_error")
    _write(folder / "layers.csv", layers, _layers(outcomes))
    _write(folder / "guesses.csv", (*CASE, "width", "network", "G0"), _guesses(outcomes))
    pair = ("theory", "theory_error", "width", "simulated", "simulated_error")
    _write(folder / "classes.csv", ("depth", "rank", *pair), _classes(studies))
    _write(folder / "losses.csv", ("depth", "loss", "quantity", *pair), _losses(studies))


def _write(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def _case(outcome: Outcome) -> tuple[Any, ...]:
    case = outcome.case
    placement = "" if case.norm is None else case.placement
    return case.inputs, case.activation, case.norm or "", placement, case.depth


def _summary(outcomes: list[Outcome]) -> Iterator[tuple[Any, ...]]:
    for outcome in outcomes:
        tests = [
            number for row in (outcome.gamma, outcome.variance) for number in (row.theory, row.value, row.error, row.z)
        ]
        regime, comparison = outcome.prediction.regime, outcome.comparison
        yield *_case(outcome), regime, *tests, comparison.ks.pvalue, comparison.agrees()


def _widths(outcomes: list[Outcome]) -> Iterator[tuple[Any, ...]]:
    """Every quantity of the comparisons at every width; "inf" is the extrapolation."""
    for outcome in outcomes:
        widths = [simulation.width for simulation in outcome.comparison.simulations]
        for row in outcome.comparison.rows:
            for width, value, error in zip(
                (*widths, "inf"), (*row.values, row.value), (*row.errors, row.error), strict=True
            ):
                yield *_case(outcome), row.name, row.theory, width, value, error


def _layers(outcomes: list[Outcome]) -> Iterator[tuple[Any, ...]]:
    """Every Dense layer in theory (width "inf", no error) and at every width."""
    for outcome in outcomes:
        found: list[tuple[Any, Any]] = [("inf", outcome.prediction.per_layer)]
        found += [(s.width, s.per_layer) for s in outcome.comparison.simulations]
        for width, part in found:
            for i in range(outcome.case.depth + 1):
                error = 0.0 if width == "inf" else float(part.gamma_error[i])
                numbers = (float(part.var_mu[i]), float(part.var_chi[i]), float(part.gamma[i]))
                yield *_case(outcome), i + 1, width, *numbers, error


def _guesses(outcomes: list[Outcome]) -> Iterator[tuple[Any, ...]]:
    for outcome in outcomes:
        for simulation in outcome.comparison.simulations:
            for network, share in enumerate(simulation.G0.tolist()):
                yield *_case(outcome), simulation.width, network, share


def _classes(studies: list[ClassStudy]) -> Iterator[tuple[Any, ...]]:
    """Mean share of every rank, and the largest accuracy."""
    for study in studies:
        found = study.found.mean()
        for rank, (mean, *simulated) in enumerate(zip(study.mean, found.value, found.error, strict=True), 1):
            yield study.case.depth, rank, mean, 0.0, study.width, *simulated
        bound, measured = (law.mean() for law in study.accuracy)
        yield study.case.depth, "accuracy bound", bound.value, bound.error, study.width, measured.value, measured.error


def _losses(studies: list[ClassStudy]) -> Iterator[tuple[Any, ...]]:
    """Strength and steering of every loss."""
    for study in studies:
        for name, law in study.losses.items():
            for quantity in ("strength", "steering"):
                theory, found = (getattr(x, quantity)() for x in (law, study.found_losses[name]))
                errors = theory.value, theory.error, study.width, found.value, found.error
                yield study.case.depth, name, quantity, *errors
