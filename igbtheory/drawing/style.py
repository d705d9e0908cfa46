"""Styles of the venues: their widths and fonts, over the look that all pictures of the project share."""

from dataclasses import dataclass
from typing import Any, final

from matplotlib import rc_context
from matplotlib.figure import Figure

from igbtheory.report.pictures.style import STYLE, THEORY

SERIES: tuple[dict[str, Any], ...] = (
    {"color": THEORY, "ls": "-"},
    {"color": "#0072B2", "ls": "--"},
    {"color": "#D55E00", "ls": "-."},
    {"color": "#009E73", "ls": ":"},
    {"color": "#CC79A7", "ls": (0, (5, 1, 1, 1, 1, 1))},
    {"color": "#E69F00", "ls": (0, (8, 2))},
)
"""Lines that everyone tells apart, in grey too: the colours of Okabe and Ito, and dashes."""
MARKERS = "osD^vP"
"""Markers of the points beside the line of the same number."""
GREY = "#BBBBBB"
"""What only guides the eye."""
REGIONS = ("#F2F2F2", "#CFE3F2", "#F3CDB4")
"""Areas under lines: the lightest, light and darker ones."""


@final
@dataclass(frozen=True)
class Style:
    """Style of a venue: widths of its text and of a single panel, height of a row of panels, in inches; its fonts."""

    name: str
    text: float
    column: float
    row: float
    size: float
    font: str
    mathematics: str
    dpi: int = 300

    def context(self) -> Any:
        """The context in which figures of this style are made and saved."""
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
        """An empty figure as high as so many rows of panels, as wide as the text, or as one panel."""
        return Figure(figsize=(self.column if single else self.text, rows * self.row))


STYLES = {
    style.name: style
    for style in (
        Style("icml", 6.75, 3.25, 2.1, 8, "STIXGeneral", "stix"),
        Style("neurips", 5.5, 3.2, 1.9, 8, "STIXGeneral", "stix"),
        Style("iclr", 5.5, 3.2, 1.9, 8, "STIXGeneral", "stix"),
        Style("screen", 9.6, 5.2, 3.0, 11, "DejaVu Sans", "dejavusans", 150),
    )
}
