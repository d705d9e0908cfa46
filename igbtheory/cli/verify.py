"""`igb verify`: the claims of the papers, put to the test."""

import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path

from igbtheory import checks
from igbtheory.claims.library import library
from igbtheory.claims.report import as_dict, write_reports
from igbtheory.claims.runner import STANDINGS, UNTESTED, Outcome
from igbtheory.claims.runner import run as examine
from igbtheory.cli import output
from igbtheory.cli.options import Run, Seed
from igbtheory.text import table

WIDEST = 88
"""Characters of a claim that the table shows."""


def verify(
    *names: str,
    quick: bool = False,
    seed: Seed = 0,
    out: Path | None = None,
    folder: Path | None = None,
    seconds: float = 120.0,
    run: Run = Run(),
    json: bool = False,
) -> int:
    """Put claims of the papers to the test: identities, quadrature, simulations.

    Each claim holds, fails or stays undecided; one that fails carries what is right instead. Definitions, and what
    needs training runs or other data, are listed and not tested. Exit status 1 if a verdict differs from the recorded
    one.

    Parameters
    ----------
    names
        Ids of claims, such as E-Eq47, or papers, A to E; all unless named.
    quick
        Small ensembles.
    out
        A folder to write the report into: claims.md, claims.html, claims.tex, claims.json.
    folder
        A folder of Python files with claims of one's own, instead of the papers' ones.
    seconds
        Time limit of one claim.
    json
        Print JSON, a list of claims.

    """
    found = library(folder)
    chosen = found.chosen(names)
    if not 0 < seconds < inf:
        raise ValueError(f"expected --seconds > 0 and finite, got {seconds:g}")
    seed = checks.whole("seed", seed, 0)
    outcomes = examine(chosen, seed, quick=quick, seconds=seconds, **run.options())
    if out is not None:
        write_reports(outcomes, out, seed=seed, quick=quick, problems=found.problems)
    if json:
        output.show_json([as_dict(outcome) for outcome in outcomes])
    else:
        _show(outcomes, out)
    for name, problem in found.problems.items():
        sys.stderr.write(f"igb: warning: {name}: {problem}\n")
    return int(bool(found.problems) or not all(outcome.as_recorded for outcome in outcomes))


def _show(outcomes: Sequence[Outcome], out: Path | None) -> None:
    rows = [(o.claim.id, o.standing if o.as_recorded else f"{o.standing}!", _short(o)) for o in outcomes]
    counts = {standing: sum(o.standing == standing for o in outcomes) for standing in STANDINGS}
    why = " (definitions, or what needs training runs or other data)" if counts[UNTESTED] else ""
    said = ", ".join(f"{count} {standing}" for standing, count in counts.items())
    odd = [o for o in outcomes if not o.as_recorded]
    lines = [f"{o.claim.id}: {o.verdict}, recorded {o.claim.verdict}. {_why(o)}" for o in odd]
    report = [] if out is None else ["", str(out / "claims.html")]
    output.show(
        table(("id", "verdict", "claim, and what is right"), rows, words=True),
        "",
        f"{said}{why}",
        *lines,
        *report,
    )


def _short(outcome: Outcome) -> str:
    says = outcome.claim.says
    if outcome.verdict == "fails" and outcome.claim.correction is not None:
        says = f"{says}  ->  {outcome.claim.correction.says}"
    return says if len(says) <= WIDEST else says[: WIDEST - 3] + "..."


def _why(outcome: Outcome) -> str:
    findings = [f for f in (*outcome.findings, *outcome.corrected) if f.verdict != "holds"]
    return outcome.trouble or "; ".join(f"{f.label}: {f.verdict}, {f.detail}" for f in findings[:3])
