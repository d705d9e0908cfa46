"""Drawing of figures: each file of `figures/` is a function from numbers to a picture, this writes them down."""

from igbtheory.drawing.library import Sheet, names, sheets
from igbtheory.drawing.memory import Memory, users_folder
from igbtheory.drawing.run import Ensemble, Run
from igbtheory.drawing.style import STYLES, Style
from igbtheory.drawing.writing import write_figures

__all__ = ["STYLES", "Ensemble", "Memory", "Run", "Sheet", "Style", "names", "sheets", "users_folder", "write_figures"]
