"""Figures as files: PDF, SVG, PNG, a caption, a CSV table of the numbers, and a JSON record of their computation."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_pdf import PdfPages

import igbtheory as igb
from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted, progress_bar
from igbtheory.foundations.runs import kept, refuse_unfit
from igbtheory.foundations.shipped import versions
from igbtheory.foundations.threads import one_thread
from igbtheory.foundations.whole_files import whole_files
from igbtheory.presentation.pictures.library import Sheet, sheets
from igbtheory.presentation.pictures.run import Run
from igbtheory.presentation.pictures.style import STYLES, UNDATED, Style, StyleName, save
from igbtheory.presentation.pictures.table import Row, rows

QUICK = 0.08
"""Effort of a run with --quick."""


def write_figures(  # noqa: PLR0913 - the options of every run
    *names: str,
    out: str | Path = "igb-figures",
    style: StyleName = "icml",
    quick: bool = False,
    folder: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> tuple[Path, ...]:
    """Write figures of the papers, or of a folder of your own, and return the paths of their PDF files.

    Each also has SVG and PNG files, a caption, a CSV of what is drawn and a JSON of how it was computed.

    names: of figures, such as "norms"; by default all, which takes ten to twenty minutes. out: the folder to write
    into. style: a venue, or "screen". quick: use small ensembles. folder: of Python files with your own figures,
    instead of those of the package. parameters: other values of the names in capitals in the file of a figure. workers,
    executor, store, progress: as in `simulate`.
    ValueError, before anything is computed: an unknown name or parameter (with the nearest one), or a folder that
    cannot be written.

    >>> igb.write_figures("gamma_of_layers", style="neurips", parameters={"DEPTH": 10})    # doctest: +SKIP
    """
    chosen, path = STYLES[checks.known("style", style, STYLES)], None if folder is None else Path(folder)
    values = {name: str(value) for name, value in (parameters or {}).items()}
    who: dict[str, Any] = {"workers": workers, "executor": executor, "store": store}
    with progress_bar() if progress else nullcontext():
        files = written_figures(
            names, Path(out), chosen, quick=checks.flag("quick", quick), folder=path, parameters=values, **who
        )
        return tuple(files)


def written_figures(
    names: Sequence[str],
    out: Path,
    style: Style,
    *,
    quick: bool,
    folder: Path | None = None,
    parameters: Mapping[str, str] | None = None,
    store: str | Path | None = None,
    **who: Any,
) -> Iterator[Path]:
    """Yield the path of the PDF of every figure as soon as all its files are written into `out`.

    An interruption leaves only complete figures. folder: as in `sheets`, and parameters: as its values. store: a file
    that keeps ensembles and phase diagrams of any figures.
    who: workers, executor, as in `simulate`.
    ValueError, before anything is computed: an unknown figure or executor, or a folder that cannot be written.
    """
    chosen = sheets(names, folder, parameters)
    refuse_unfit(who.get("executor"))
    # check the folder first, before anything is computed
    with whole_files(out, "--out"), kept(store, {"results": "figures"}, _first) as file:
        for sheet in counted(chosen, len(chosen), "figures"):
            run = Run(QUICK if quick else 1.0, who, file)
            with whole_files(out, "--out") as work:
                write(sheet, run, style, work)
            yield out / f"{sheet.name}.pdf"


def _first() -> Any:
    """Return the moments of some small networks, which depend on the code and the processor."""
    return igb.mlp(2, "tanh", norm="layer").simulate(4, 64, 64, executor="threads:1").moments


def write(sheet: Sheet, run: Run, style: Style, folder: Path) -> None:
    """Write the files of one figure; every page has its own SVG and PNG."""
    # one thread for BLAS, so that sums and bytes do not depend on the number of cores
    with style.context(), one_thread():
        pages = sheet.pages(sheet.compute(run), style)
        with PdfPages(folder / f"{sheet.name}.pdf", metadata=UNDATED[".pdf"]) as pdf:
            for page, figure in pages.items():
                pdf.savefig(figure)
                stem = f"{sheet.name}-{page}" if page else sheet.name
                save(figure, folder / f"{stem}.svg", folder / f"{stem}.png")
    (folder / f"{sheet.name}.txt").write_text(sheet.caption(run, pages), encoding="utf-8")
    with (folder / f"{sheet.name}.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("page", *Row._fields))
        for page, figure in pages.items():
            table.writerows((page, *row) for row in rows(figure))
    files = sorted(path.name for path in folder.iterdir())
    about: dict[str, Any] = {"figure": sheet.name, "title": sheet.title, "style": style.name, "effort": run.effort}
    if sheet.parameters:
        about["parameters"] = sheet.parameters
    computed = [entry for i, entry in enumerate(run.record) if entry not in run.record[:i]]
    text = json.dumps({**about, "versions": versions(), "files": files, "computed": computed}, indent=2)
    (folder / f"{sheet.name}.json").write_text(text + "\n", encoding="utf-8")
