"""The table of `igb predict --norms`: every norm in every placement, prediction beside simulation."""

from statistics import NormalDist
from typing import Any

from igbtheory.cli import output
from igbtheory.cli.options import Case
from igbtheory.report import cases, study
from igbtheory.report.study import Outcome

LEVEL = 1e-6
"""Probability at most that the whole table disagrees by chance."""
SEED = 0
TESTED = ("gamma", "var_G0")
COLUMNS = ("norm", "depth", "gamma", "of so many data", "simulated", "z", "Var(G0)", "simulated", "z", "KS p")


def compare_norms(case: Case) -> int:
    """Print the table and return the exit status: 0 where prediction and simulation agree in all of it, else 1."""
    values = case.values()
    _refuse_others(case)
    chosen = cases.compared_norms(case.activation, case.sigma_w2, case.sigma_b2)
    outcomes = study.study(chosen, SEED, output.tell, {"gaussian": values})
    # Bonferroni over the cases; each shares its part out over its own tests
    agreeing = [outcome.comparison.agrees(LEVEL / len(outcomes)) for outcome in outcomes]
    network = f"mlp(depth, {case.activation!r}, sigma_w2={case.sigma_w2}, sigma_b2={case.sigma_b2})"
    if case.json:
        rows = [as_dict(outcome, agrees=agrees) for outcome, agrees in zip(outcomes, agreeing, strict=True)]
        about = {"network": network, "inputs": case.text(values), "seed": SEED, "level": LEVEL}
        output.show_json({**about, "agrees": all(agreeing), "rows": rows})
    else:
        table = output.table(COLUMNS, map(_cells, outcomes))
        output.show(network, case.text(values), "", table, "", *_legend(outcomes, agreeing))
    return 0 if all(agreeing) else 1


def as_dict(outcome: Outcome, *, agrees: bool) -> dict[str, Any]:
    """Return the row as JSON has it."""
    case, worst = outcome.case, outcome.comparison.largest_z
    tested = {
        name: {field: getattr(row, field) for field in ("theory", "value", "error", "z")}
        for name, row in zip(TESTED, (outcome.gamma, outcome.variance), strict=True)
    }
    return {
        "norm": case.norm,
        "placement": None if case.norm is None else case.placement,
        "depth": case.depth,
        "networks": case.size.networks,
        "widths": [simulation.width for simulation in outcome.comparison.simulations],
        "samples": case.size.samples,
        "gamma_infinite_data": outcome.unlimited,
        **tested,
        "ks_pvalue": outcome.comparison.ks.pvalue,
        "largest_z": {"name": worst.name, "z": worst.z},
        "agrees": agrees,
    }


def _refuse_others(case: Case) -> None:
    """Refuse options that the table does not use."""
    usual = Case()
    for name in ("depth", "norm", "placement", "pool", "batch_size"):
        if getattr(case, name) != getattr(usual, name):
            raise ValueError(
                f"--norms has norms, placements and depths of its own, full batches and no pooling; leave "
                f"--{name.replace('_', '-')} out"
            )
    if case.data is not None:
        raise ValueError("--norms takes Gaussian inputs; leave --data out")


def _cells(outcome: Outcome) -> list[str]:
    case = outcome.case
    norm = "none" if case.norm is None else f"{cases.NORMS[case.norm]} {case.placement}"
    found = [norm, str(case.depth), f"{outcome.unlimited:.5g}"]
    for row in (outcome.gamma, outcome.variance):
        found += [f"{row.theory:.5g}", f"{row.value:.4g} ± {row.error:.1g}", f"{row.z:+.1f}"]
    return [*found, f"{outcome.comparison.ks.pvalue:.2g}"]


def _legend(outcomes: list[Outcome], agreeing: list[bool]) -> list[str]:
    sizes = {outcome.case.depth: outcome.case.size for outcome in outcomes}
    samples = " and ".join(sorted({str(size.samples) for size in sizes.values()}))
    drawn = "; ".join(
        f"depth {depth}: {size.networks} networks of each of the widths {size.width}, {2 * size.width}, "
        f"{4 * size.width}"
        for depth, size in sizes.items()
    )
    worst = max((outcome.comparison.largest_z for outcome in outcomes), key=lambda row: abs(row.z))
    total = sum(len(outcome.comparison.rows) for outcome in outcomes)
    count = agreeing.count(False)
    return [
        "gamma: of infinitely many data",
        f"of so many data: of two of the {samples} data simulated, the batch of BatchNorm; Var(G0) is for as many",
        "simulated: extrapolated to infinite width; z: its deviation in standard errors; KS p: of the law of G0",
        "what is simulated is not cut at 0, which would bias it: where the true value is near 0 it may be negative",
        drawn,
        f"the largest of {total} deviations, those of all layers, is that of {worst.name}: z = {worst.z:+.1f}",
        f"by chance alone the largest of so many would be about {_by_chance(total):.1f}",
        f"agreement at family-wise level {LEVEL:g} over the whole table: "
        + (f"no, {count} of {len(agreeing)} rows disagree" if count else "yes"),
    ]


def _by_chance(count: int) -> float:
    """Return the median of the largest absolute value of so many independent standard normal variables."""
    return NormalDist().inv_cdf(0.5 * (1 + 0.5 ** (1 / count)))
