"""The axes and the files of the phase diagrams of `igb phase --diagram`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.foundations import checks
from igbtheory.foundations.whole_files import whole_files
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Printed


def axes(points: int, widest_w2: float, widest_b2: float) -> list[NDArray[np.float64]]:
    """Return the values of sigma_w2 and of sigma_b2 along the axes of a diagram."""
    points = checks.whole("--points", points, 2)
    for option, widest in (("--widest-w2", widest_w2), ("--widest-b2", widest_b2)):
        if not 0 < widest < np.inf:
            raise ValueError(f"expected {option} > 0 and finite, got {widest:g}")
    return [np.linspace(widest / points, widest, points) for widest in (widest_w2, widest_b2)]


def write(printed: Printed, out: Path, stem: str, diagram: Callable[[], igb.phases.Diagram]) -> None:
    """Compute a diagram and write its picture and its table, `stem`.png and `stem`.csv."""
    from igbtheory.presentation.pictures import plots, style  # noqa: PLC0415 - Matplotlib loads slowly

    # an unwritable folder is refused before the diagram is computed
    with whole_files(out, "--out") as work:
        phases = printed.drawn(diagram)
        style.write(plots.picture, phases, work / f"{stem}.png")
        table = phases.columns()
        rows = np.column_stack(list(table.values()))
        np.savetxt(work / f"{stem}.csv", rows, "%.17g", ",", header=",".join(table), comments="")
    if printed.json:
        output.show_json(phases.to_dict())
    else:
        why = [f"no edge of chaos: {phases.no_edge}"] if phases.no_edge else []
        output.show(*why, *(str(out / f"{stem}{suffix}") for suffix in (".png", ".csv")))
