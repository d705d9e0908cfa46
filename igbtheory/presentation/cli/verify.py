"""`igb verify`: the claims of the papers, put to the test."""

import sys
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
    from igbtheory.claims.verification import verify as put_to_the_test  # noqa: PLC0415 - --help must not load SymPy

    with progress_bar():
        verification = put_to_the_test(*names, quick=quick, seed=seed, folder=folder, seconds=seconds, **vars(run))
    if out is not None:
        verification.write(out)
    if json:
        output.show_json(list(verification.to_dict().values()))
    else:
        output.show(str(verification), *([] if out is None else ["", str(out / "claims.html")]))
    for name, problem in verification.problems.items():
        sys.stderr.write(f"igb: warning: {name}: {problem}\n")
    return int(not verification.as_recorded)
