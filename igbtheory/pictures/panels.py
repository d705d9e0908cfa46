"""Parts that several pictures are made of."""

from typing import Any

import numpy as np

from igbtheory.guesses.binary import GuessLaw
from igbtheory.pictures.style import GREY, MARKERS, SERIES


def points(axes: Any, x: Any, y: Any, error: Any, marker: str = "o", **how: Any) -> None:
    """Draw points with error bars."""
    axes.errorbar(x, y, error, fmt=marker, ms=3.2, lw=0, elinewidth=1, capsize=2, **how)


def theory(axes: Any, number: int, x: Any, y: Any, label: str = "", **how: Any) -> None:
    """Draw the line of theory of that number."""
    axes.plot(x, y, label=label or None, **SERIES[number], **how)


def simulated(axes: Any, number: int, x: Any, y: Any, error: Any, label: str = "") -> None:
    """Draw simulated networks as points with error bars, in the colour of the theory of the same number."""
    points(axes, x, y, error, MARKERS[number], color=SERIES[number]["color"], mfc="white", label=label or None)


def density(axes: Any, gamma: float, **how: Any) -> None:
    """Draw the density of G0 for infinitely many data; a line across the panel where all mass is at 1/2."""
    if gamma == 0:
        axes.axvline(0.5, **how)
        return
    law = GuessLaw(gamma)
    ends = (1 - np.cos(np.linspace(0, np.pi, 803))) / 2  # dense at both ends, where the poles are
    g = np.union1d(ends, law.ppf(np.linspace(0, 1, 401)))[1:-1]
    axes.plot(g, law.pdf(g), **how)


def guesses_axis(axes: Any, top: float) -> None:
    """Set the limits and labels of a panel that shows a density of G0."""
    axes.set(xlim=(0, 1), ylim=(0, top), xlabel="fraction given to class 0, $G_0$", ylabel="density $f_{G_0}$")


def level(axes: Any, y: float) -> None:
    """Draw a thin line across the panel, which guides the eye."""
    axes.axhline(y, color=GREY, lw=0.7, zorder=0)


def legend_above(axes: Any, title: str, columns: int = 2) -> None:
    """Put the legend of a panel above it, under its title, where it hides nothing."""
    anchor = (0.5, 1.0)
    axes.legend(loc="lower center", bbox_to_anchor=anchor, ncols=columns, title=title, borderaxespad=0.2)
