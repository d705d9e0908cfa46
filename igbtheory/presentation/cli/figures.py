"""`igb figures`: the figures of the papers and others."""

from ast import literal_eval
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from igbtheory.foundations.progress import progress_bar
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Run


def figures(
    *names: str,
    out: Path = Path("igb-figures"),
    style: str = "icml",
    quick: bool = False,
    changes: Annotated[tuple[str, ...], Parameter(name="--set", negative="")] = (),
    run: Run = Run(),
    json: bool = False,
) -> None:
    """Draw figures as PDF, SVG and PNG, with a caption, a CSV of the drawn data and a JSON of how they were computed.

    Each figure appears when all its files are written. The same command writes the same bytes. All figures take ten to
    twenty minutes on two cores, about five of them for norms.

    Parameters
    ----------
    names
        Names of figures, such as norms or atlas; by default all.
    out
        The folder to write into.
    style
        Sizes and fonts of a venue, icml, neurips or iclr, or of a screen.
    quick
        Use small ensembles: all figures take two to five minutes, with larger error bars.
    changes
        Another value of a constant of the named figures, such as DEPTH=30 or "POOLS=(2, 4)"; repeat it for each. The
        constants of a figure stand in capital letters at the top of its file.
    json
        Print JSON with the names of the files after all of them are written.

    """
    from igbtheory.foundations import checks  # noqa: PLC0415 - --help must not load Matplotlib
    from igbtheory.presentation import pictures  # noqa: PLC0415 - --help must not load Matplotlib

    chosen = pictures.STYLES[checks.known("style", style, pictures.STYLES)]
    with progress_bar():
        values = dict(_change(text) for text in changes)
        if values and not names:
            raise ValueError("expected names of figures with --set, got none; name the figure whose constant it is")
        files = pictures.write_figures(names, out, chosen, quick=quick, changes=values, **vars(run))
        if json:
            output.show_json({"files": [str(path) for path in files]})
        else:
            for path in files:
                output.show(str(path))


def _change(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; a value that is no number and no tuple is a text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"expected --set NAME=VALUE, got {text!r}; write for example --set DEPTH=30")
    try:
        return name.strip(), literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()
