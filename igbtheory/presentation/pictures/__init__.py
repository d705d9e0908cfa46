"""Pictures of single results, and the figures of the folder `figures/` with all their files."""

from igbtheory.presentation.pictures.library import Sheet, names, sheets
from igbtheory.presentation.pictures.run import Ensemble, Run
from igbtheory.presentation.pictures.style import STYLES, Style
from igbtheory.presentation.pictures.writing import write_figures

__all__ = ["STYLES", "Ensemble", "Run", "Sheet", "Style", "names", "sheets", "write_figures"]
