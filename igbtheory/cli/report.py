"""`igb report`: the main job."""

from pathlib import Path
from typing import Any

from igbtheory.cli import output
from igbtheory.cli.options import Run, Seed


def report(
    *,
    out: Path = Path("igb-report"),
    seed: Seed = 0,
    quick: bool = False,
    run: Run = Run(),
    json: bool = False,
) -> int:
    """Predict and simulate, and write both as one page with its pictures (PDF, PNG) and tables (CSV).

    Gaussian inputs and handwritten digits; linear, tanh and ReLU networks of depth 1, 3 and 20; the claims of the
    papers and their verdicts. Takes about a minute on two cores. Exit status 1 if prediction and simulation disagree
    anywhere, or a verdict is not the recorded one.

    Parameters
    ----------
    out
        The folder to write. It appears when all is done, and replaces only an earlier report.
    quick
        Small ensembles: somewhat faster, larger errors.
    json
        Print JSON: the page, and whether everything agrees.

    """
    from igbtheory.report import write_report  # noqa: PLC0415 - as would Matplotlib
    from igbtheory.runs.progress import progress_bar  # noqa: PLC0415 - rich would slow down `igb --help`

    def begun(folder: Path) -> None:
        output.tell(f"until all is done, pictures appear in {folder}")

    with progress_bar() as advanced:
        who: dict[str, Any] = run.options() | {"progress": advanced}
        agrees = write_report(out, seed, quick=quick, begun=begun, **who)
    page = str(out / "index.html")
    if json:
        output.show_json({"page": page, "agrees": agrees})
    else:
        output.show(page)
    return 0 if agrees else 1
