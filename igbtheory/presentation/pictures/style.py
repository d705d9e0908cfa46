"""The look of all pictures: colours for colour-blind readers, embedded fonts, and reproducible files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Literal, final

from matplotlib import rc_context, rcParams
from matplotlib import style as matplotlib_style
from matplotlib.figure import Figure

from igbtheory.foundations import checks

THEORY = "#000000"
LIMIT = "#D55E00"
BARS = "#A6D3F0"
WIDTHS = ("#56B4E9", "#0072B2", "#003B5C")
"""Colours of the three widths, the smallest first: Okabe and Ito's blues, and a darker one."""
GREY = "#BBBBBB"
"""Colour of guide lines."""
REGIONS = ("#F2F2F2", "#CFE3F2", "#F3CDB4")
"""Colours of areas."""
SERIES: tuple[dict[str, Any], ...] = (
    {"color": THEORY, "ls": "-"},
    {"color": "#0072B2", "ls": "--"},
    {"color": "#D55E00", "ls": "-."},
    {"color": "#009E73", "ls": ":"},
    {"color": "#CC79A7", "ls": (0, (5, 1, 1, 1, 1, 1))},
    {"color": "#E69F00", "ls": (0, (8, 2))},
)
"""Colours and dashes of lines, distinguishable in grey: the colours of Okabe and Ito."""
LOGARITHMIC = 20.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic: on a linear axis of 2.5 inches, the
smallest would lie 3 mm above 0."""
MARKERS = "osD^vP"
"""Markers of points, by the number of their line."""
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
"""Metadata without a date, by the ending of the file."""


def look() -> Any:
    """Return the context of the pictures of the report and of results, independent of the user's style.

    It is that of `style` while this lasts.
    """
    return matplotlib_style.context(["default", STYLE]) if _CHOSEN.get() is None else nullcontext()


def write(picture: Callable[[Any], Figure], shown: Any, *files: Path, dpi: float | None = None) -> Figure:
    """Write the picture of `shown` in the style of the report and of results, and return it; files: PDF, SVG or PNG.

    dpi: dots in an inch of a PNG, None for those of the style.
    """
    with look(), rc_context({} if dpi is None else {"savefig.dpi": dpi}):
        figure = picture(shown)
        letter(figure)
        save(figure, *files)
    return figure


def letter(figure: Figure) -> None:
    """Begin the titles of the panels with (a), (b), ... if there are several; colour bars are no panels."""
    panels = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
    if len(panels) == 1:
        return
    for axes, name in zip(panels, ascii_lowercase, strict=False):
        legend = axes.get_legend()
        if legend is not None and legend.get_title().get_text():  # see `legend_above`
            legend.set_title(f"({name}) {legend.get_title().get_text()}")
            continue
        loc: Any = next((loc for loc in ("center", "right") if axes.get_title(loc)), rcParams["axes.titlelocation"])
        axes.set_title(f"({name}) {axes.get_title(loc)}".strip(), loc=loc)


@final
@dataclass(frozen=True)
class Style:
    """The style of a venue: widths of its text and of a column and height of a row, in inches, and its fonts."""

    name: str
    text: float
    column: float
    row: float
    size: float
    font: str
    mathematics: str
    dpi: int = 300

    def context(self) -> Any:
        """Return the context in which figures of this style are made and saved."""
        return rc_context(
            {
                **STYLE,
                "font.family": self.font,
                "mathtext.fontset": self.mathematics,
                "font.size": self.size,
                "axes.titlesize": self.size,
                "axes.titlelocation": "center",
                "legend.fontsize": self.size - 1,
                "xtick.labelsize": self.size - 1,
                "ytick.labelsize": self.size - 1,
                "axes.labelpad": 2,
                "legend.handlelength": 2.2,
                "legend.columnspacing": 1.2,
                "savefig.dpi": self.dpi,
            }
        )

    def figure(self, rows: float = 1.0, *, single: bool = False) -> Figure:
        """Return an empty figure as high as so many rows of panels, as wide as the text or as one column."""
        return Figure(figsize=(self.column if single else self.text, rows * self.row))


StyleName = Literal["icml", "neurips", "iclr", "screen"]
STYLES = {
    style.name: style
    for style in (
        Style("icml", 6.75, 3.25, 2.1, 8, "STIXGeneral", "stix"),
        Style("neurips", 5.5, 3.2, 1.9, 8, "STIXGeneral", "stix"),
        Style("iclr", 5.5, 3.2, 1.9, 8, "STIXGeneral", "stix"),
        Style("screen", 9.6, 5.2, 3.0, 11, "DejaVu Sans", "dejavusans", 150),
    )
}


_CHOSEN: ContextVar[Style | None] = ContextVar("style", default=None)
"""The style of the context in which pictures are made."""


@contextmanager
def style(name: StyleName) -> Iterator[None]:
    """Give pictures the fonts of a venue and the width of its columns while the context lasts.

    Figures of your own, from plt.subplots(), have them too.
    name: that of the venue, or "screen". ValueError: an unknown style (with the nearest one).

    >>> with igb.style("icml"):
    ...     igb.mlp(20, "relu").predict().plot()    # doctest: +SKIP
    """
    chosen = STYLES[checks.known("style", name, STYLES)]
    token = _CHOSEN.set(chosen)
    try:
        with chosen.context(), rc_context({"figure.figsize": (chosen.column, chosen.row)}):
            yield
    finally:
        _CHOSEN.reset(token)


def fitted(width: float, height: float, *, single: bool = True) -> tuple[float, float]:
    """Return the size of a picture, as wide as a column of the style, or as its text, if there is one."""
    chosen = _CHOSEN.get()
    if chosen is None:
        return width, height
    wide = chosen.column if single else chosen.text
    return wide, height * wide / width


def shared_legend(figure: Figure, columns: int | None = None) -> None:
    """Add one legend above all panels, with every label once, by default in one row."""
    by_label: dict[Any, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        by_label.update(zip(labels, handles, strict=True))
    figure.legend(
        handles=by_label.values(), labels=by_label.keys(), loc="outside upper center", ncols=columns or len(by_label)
    )


def save(figure: Figure, *files: Path) -> None:
    """Write the figure to files, PDF, SVG or PNG by their endings, without a date, so that bytes are reproducible."""
    for file in files:
        figure.savefig(file, metadata=UNDATED[file.suffix.lower()])
        with rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
            figure.set_layout_engine(None)  # computing the layout again would take as long as drawing
