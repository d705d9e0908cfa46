from igbtheory.presentation.pictures.library import Sheet as Sheet
from igbtheory.presentation.pictures.library import names as names
from igbtheory.presentation.pictures.library import sheets as sheets
from igbtheory.presentation.pictures.run import Ensemble as Ensemble
from igbtheory.presentation.pictures.run import Run as Run
from igbtheory.presentation.pictures.style import STYLES as STYLES
from igbtheory.presentation.pictures.style import Style as Style
from igbtheory.presentation.pictures.writing import write_figures as write_figures

__all__: tuple[str, ...]
