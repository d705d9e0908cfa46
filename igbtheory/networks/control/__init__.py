"""Control of the bias: networks designed for a given gamma, and initialisations drawn for a given range of G0."""

from igbtheory.networks.control.design import Design, design
from igbtheory.networks.control.draw import Drawn, draw

__all__ = ["Design", "Drawn", "design", "draw"]
