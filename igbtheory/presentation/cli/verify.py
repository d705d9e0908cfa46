"""`igb verify`: the claims of the papers, put to the test."""

import shutil
import sys
from math import inf
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from igbtheory.foundations.progress import progress_bar
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.names import claims
from igbtheory.presentation.cli.options import Run
from igbtheory.presentation.cli.parameters import Seed


def verify(
    *names: Annotated[str, Parameter(completer=claims)],
    quick: bool = False,
    seed: Seed = 0,
    out: Path | None = None,
    folder: Path | None = None,
    seconds: float = 120.0,
    run: Run = Run(),
    json: bool = False,
) -> int:
    """Put claims of the papers to the test by identities, quadrature and simulations.

    Each claim holds, fails or stays undecided; a claim that fails comes with a correction. Definitions, and claims that
    need training runs or other data, are listed but not tested. The exit status is 1 if a verdict differs from the
    recorded one.

    ```
    igb verify E-Eq47
    igb verify A B --quick --out claims
    igb verify --folder my_claims
    ```

    Parameters
    ----------
    names
        Ids of claims, such as E-Eq47, or papers, A to E; by default all.
    quick
        Use small ensembles.
    out
        A folder for the report: claims.md, claims.html, claims.tex, claims.json.
    folder
        A folder of Python files with your own claims, instead of those of the papers.
    seconds
        Time limit for each claim.
    json
        Print JSON: a list of claims.

    """
    # --help must not load SymPy and SciPy
    from igbtheory.claims.library import library  # noqa: PLC0415 - as above
    from igbtheory.claims.report import as_dict, summary, write_reports  # noqa: PLC0415 - as above
    from igbtheory.claims.runner import run as examine  # noqa: PLC0415 - as above
    from igbtheory.foundations import checks  # noqa: PLC0415 - as above

    all_claims = library(folder)
    chosen = all_claims.chosen(names)
    if not 0 < seconds < inf:
        raise ValueError(f"expected --seconds > 0 and finite, got {seconds:g}")
    seed = checks.whole("seed", seed, 0)
    with progress_bar():
        outcomes = examine(chosen, seed, quick=quick, seconds=seconds, **vars(run))
    if out is not None:
        write_reports(outcomes, out, seed=seed, quick=quick, problems=all_claims.problems)
    if json:
        output.show_json([as_dict(outcome) for outcome in outcomes])
    else:
        width = shutil.get_terminal_size().columns
        output.show(summary(outcomes, width), *([] if out is None else ["", str(out / "claims.html")]))
    for name, problem in all_claims.problems.items():
        sys.stderr.write(f"igb: warning: {name}: {problem}\n")
    return int(bool(all_claims.problems) or not all(outcome.as_recorded for outcome in outcomes))
