"""How the pictures look: colours told apart by everyone, fonts embedded, files the same every time."""

from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

THEORY = "#000000"
LIMIT = "#D55E00"
BARS = "#A6D3F0"
WIDTHS = ("#56B4E9", "#0072B2", "#003B5C")
"""Colours of the three widths, the narrowest first: Okabe and Ito's blues, and a darker one."""

STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "right",
    "axes.titley": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "svg.hashsalt": "igbtheory",
    "savefig.dpi": 180,
}


UNDATED: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
"""Metadata that leave the date out of a file, by its ending."""


def styled() -> Any:
    """The style of all pictures, as a context in which they are made and saved."""
    return rc_context(STYLE)


def points(axes: Any, x: Any, y: Any, error: Any, marker: str = "o", **how: Any) -> None:
    """Points with error bars."""
    axes.errorbar(x, y, error, fmt=marker, ms=3.2, lw=0, elinewidth=1, capsize=2, **how)


def shared_legend(figure: Figure, columns: int | None = None) -> None:
    """One legend above all panels, with every label once, in one row or in so many columns."""
    found: dict[Any, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        found.update(zip(labels, handles, strict=True))
    figure.legend(handles=found.values(), labels=found.keys(), loc="outside upper center", ncols=columns or len(found))


def save(figure: Figure, folder: Path, name: str) -> None:
    """The figure as PDF and PNG."""
    for suffix in (".pdf", ".png"):
        save_as(figure, folder / f"{name}{suffix}")


def save_as(figure: Figure, file: Path) -> None:
    """The figure as PDF, SVG or PNG by the file's ending, without a date: the same numbers make the same file."""
    figure.savefig(file, metadata=UNDATED[file.suffix.lower()])
