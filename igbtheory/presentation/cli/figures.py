"""`igb figures`: the figures of the papers and others."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from igbtheory.foundations.progress import progress_bar
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.names import figures as known
from igbtheory.presentation.cli.options import Run, assigned
from igbtheory.presentation.cli.parameters import Choice, Style


def figures(
    *names: Annotated[str, Parameter(completer=known)],
    out: Path = Path("igb-figures"),
    style: Annotated[Style, Choice] = "icml",
    folder: Path | None = None,
    param: Annotated[tuple[str, ...], Parameter(name="--param", negative="")] = (),
    quick: bool = False,
    run: Run = Run(),
    json: bool = False,
) -> None:
    """Draw figures as PDF, SVG and PNG, with a caption, a CSV of the drawn data and a JSON of how they were computed.

    Each figure appears when all its files are written. The same command writes the same bytes. All figures take ten to
    twenty minutes on two cores, about five of them for norms.

    ```
    igb figures norms --quick
    igb figures gamma_of_layers --param DEPTH=10 --style neurips
    igb figures --folder my_figures
    ```

    Parameters
    ----------
    names
        Names of figures, such as norms or atlas; by default all.
    out
        The folder to write into.
    style
        Sizes and fonts of a venue, or of a screen.
    folder
        A folder of Python files with your own figures, instead of those of the package: functions compute and draw.
    param
        Another value of a parameter, DEPTH=10 or "DEPTHS=(1, 5)"; repeat it for each. The parameters of a figure are
        the names in capitals in its file; a wrong name is answered by the right ones.
    quick
        Use small ensembles: all figures take two to five minutes, with larger error bars.
    json
        Print JSON with the names of the files after all of them are written.

    """
    from igbtheory.foundations import checks  # noqa: PLC0415 - --help must not load Matplotlib
    from igbtheory.presentation.pictures.style import STYLES  # noqa: PLC0415 - --help must not load Matplotlib
    from igbtheory.presentation.pictures.writing import written_figures  # noqa: PLC0415 - as above

    chosen = STYLES[checks.known("style", style, STYLES)]
    with progress_bar():
        files = written_figures(names, out, chosen, quick=quick, folder=folder, parameters=assigned(param), **vars(run))
        if json:
            output.show_json({"files": [str(path) for path in files]})
        else:
            for path in files:
                output.show(str(path))
