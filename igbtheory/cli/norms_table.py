"""The table of `igb predict --norms`: every norm in every placement, theory beside simulation."""

from typing import Any

from rich.console import Console
from rich.progress import Progress

from igbtheory.cli import output
from igbtheory.cli.options import Architecture
from igbtheory.report.cases import Case, Size, placements
from igbtheory.report.study import Outcome, study

SIZES = {1: Size(200, 48, 200), 20: Size(60, 64, 120)}
"""Ensembles by depth."""
FAMILY = 1e-6
"""Probability that any test of the table rejects what is true."""
SEED = 0
SHORT = {"batch": "BN", "layer": "LN", "rms": "RMS"}


def show(architecture: Architecture, *, json: bool) -> int:
    """Exit status: 1 where prediction and simulation disagree in any cell."""
    if (architecture.norm, architecture.pool, architecture.batch_size) != (None, None, None):
        raise ValueError("--norms shows all norms; leave --norm, --pool and --batch-size out")
    variances = {"sigma_w2": architecture.sigma_w2, "sigma_b2": architecture.sigma_b2}
    outcomes = _outcomes(placements(SIZES, architecture.activation, **variances))
    agree = [outcome.comparison.agrees(FAMILY / len(outcomes)) for outcome in outcomes]
    rows = [_row(outcome, agrees) for outcome, agrees in zip(outcomes, agree, strict=True)]
    if json:
        output.show_json_list(rows)
    else:
        _print(architecture, rows)
    return int(not all(agree))


def _outcomes(cases: list[Case]) -> list[Outcome]:
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("finite networks", total=len(cases))
        return study(cases, SEED, lambda _: bar.advance(task))


def _row(outcome: Outcome, agrees: Any) -> dict[str, Any]:
    case, gamma, variance = outcome.case, outcome.gamma, outcome.variance
    return {
        "norm": case.norm,
        "placement": None if case.norm is None else case.placement,
        "depth": case.depth,
        "gamma": gamma.theory,
        "gamma_simulated": gamma.value,
        "gamma_error": gamma.error,
        "gamma_z": gamma.z,
        "var_G0": variance.theory,
        "var_G0_simulated": variance.value,
        "var_G0_error": variance.error,
        "var_G0_z": variance.z,
        "ks_p_value": outcome.comparison.ks.pvalue,
        "agrees": bool(agrees),
    }


def _print(architecture: Architecture, rows: list[dict[str, Any]]) -> None:
    columns = ("norm", "depth", "gamma", "simulated", "z", "Var(G0)", "z", "p")
    lines = [
        (
            "none" if row["norm"] is None else f"{SHORT[row['norm']]} {row['placement']}",
            str(row["depth"]),
            f"{row['gamma']:.4g}",
            f"{row['gamma_simulated']:.3g} ± {row['gamma_error']:.1g}",
            f"{row['gamma_z']:+.1f}",
            f"{row['var_G0']:.3g}",
            f"{row['var_G0_z']:+.1f}",
            f"{row['ks_p_value']:.2f}" if row["agrees"] else "disagrees",
        )
        for row in rows
    ]
    samples = ", ".join(f"{size.samples} at depth {depth}" for depth, size in SIZES.items())
    output.show(
        f"{architecture.activation}, sigma_w2 = {architecture.sigma_w2:g}, sigma_b2 = {architecture.sigma_b2:g}",
        f"BN: the full batch of the data that are simulated, {samples}; gamma of two of them",
        "",
        output.table(columns, lines),
        "",
        "simulated: extrapolated to infinite width; z: deviation in standard errors; p: of the law of G0",
    )
