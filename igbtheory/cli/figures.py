"""`igb figures`: the figures of the papers, and others."""

from pathlib import Path

from igbtheory.cli import output
from igbtheory.cli.options import Run


def figures(
    *names: str,
    out: Path = Path("igb-figures"),
    style: str = "icml",
    quick: bool = False,
    run: Run = Run(),
    json: bool = False,
) -> None:
    """Draw figures: PDF, SVG, PNG, a CSV of exactly what is drawn, and a JSON of what it was computed with.

    Each figure appears when all its files are written. The same command writes the same bytes. The whole set takes ten
    to twenty minutes on two cores, some five of them for norms.

    Parameters
    ----------
    names
        Which figures, such as norms or atlas; all unless named.
    out
        The folder to write into.
    style
        Sizes and fonts of a venue: icml, neurips, iclr; or screen.
    quick
        Small ensembles: all figures in two to five minutes, with larger error bars.
    json
        Print JSON with the names of the files, when all are written.

    """
    from igbtheory import checks, pictures  # noqa: PLC0415 - Matplotlib would slow down `igb --help`
    from igbtheory.runs.progress import progress_bar  # noqa: PLC0415 - as would rich

    chosen = pictures.STYLES[checks.known("style", style, pictures.STYLES)]
    with progress_bar() as advanced:
        who = run.options() | {"progress": advanced}
        files = pictures.write_figures(names, out, chosen, quick=quick, **who)
        if json:
            output.show_json({"files": [str(path) for path in files]})
        else:
            for path in files:
                output.show(str(path))
