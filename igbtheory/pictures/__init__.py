"""Pictures of single results, and the figures of the folder `figures/` with all their files."""

from igbtheory.pictures.library import Sheet, names, sheets
from igbtheory.pictures.run import Ensemble, Run
from igbtheory.pictures.style import STYLES, Style
from igbtheory.pictures.writing import write_figures

__all__ = ["STYLES", "Ensemble", "Run", "Sheet", "Style", "names", "sheets", "write_figures"]
