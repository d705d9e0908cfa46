"""`igb report`: predictions and simulations as one page."""

from pathlib import Path

from igbtheory.foundations.progress import progress_bar
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Run
from igbtheory.presentation.cli.parameters import Seed


def report(
    *,
    out: Path = Path("igb-report"),
    seed: Seed = 0,
    quick: bool = False,
    pdf: bool = False,
    run: Run = Run(),
    json: bool = False,
) -> int:
    """Predict and simulate, and write both as one page with pictures (PNG) and tables (CSV).

    The report covers linear, tanh and ReLU networks of depth 1, 3 and 20 on Gaussian inputs and handwritten digits, and
    the claims of the papers with their verdicts. The page is there with its first pictures after some ten seconds, and
    complete after about a minute on two cores. The exit status is 1 if a prediction and a simulation disagree, or if a
    verdict differs from the recorded one; each is named.

    ```
    igb report --quick --out report
    ```

    Parameters
    ----------
    out
        The folder to write, which replaces only an earlier report. An interrupted report has what was done.
    quick
        Use small ensembles, which are somewhat faster and less accurate.
    pdf
        Write each picture as a PDF, too.
    json
        Print JSON: the path of the page, whether everything agrees, and what differs.

    """
    from igbtheory.presentation.report import write_report  # noqa: PLC0415 - --help must not load Matplotlib

    def begun(page: Path) -> None:
        output.tell(f"the first pictures are on {page}, which grows until everything is finished")

    with progress_bar():
        differing = write_report(out, seed, quick=quick, pdf=pdf, begun=begun, **vars(run))
    for line in differing:
        output.tell(f"igb: {line}")
    page = str(out / "index.html")
    if json:
        output.show_json({"page": page, "agrees": not differing, "differing": list(differing)})
    else:
        output.show(page)
    return int(bool(differing))
