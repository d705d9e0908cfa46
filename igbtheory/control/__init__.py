"""Control of the bias: networks designed for a given gamma, and initialisations drawn for a given range of G0."""

from igbtheory.control.design import Design, design
from igbtheory.control.draw import Drawn, draw

__all__ = ["Design", "Drawn", "design", "draw"]
