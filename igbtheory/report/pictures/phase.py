"""The picture of a phase diagram: gamma by shade, with the lines that part the phases."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from igbtheory.phases import Diagram
from igbtheory.report.pictures.style import LIMIT, THEORY, save_as, styled

DECADES = (-3, 3)
"""Powers of ten of the bias ratios told apart by shade."""


def write(found: Diagram, file: Path) -> None:
    """Write the picture to the file, as PNG or PDF by its ending, without a date."""
    with styled():
        save_as(picture(found), file)


def picture(found: Diagram) -> Figure:
    """Gamma over the variances of weights and biases; edge of chaos (backward), forward threshold, neutrality line."""
    figure = Figure(figsize=(5.2, 3.6))
    axes = figure.subplots()
    low, high = DECADES
    with np.errstate(divide="ignore"):
        decades = np.clip(np.log10(found.gamma), low, high)
    shades = axes.pcolormesh(
        found.sigma_w2,
        found.sigma_b2,
        decades,
        cmap="cividis",
        vmin=low,
        vmax=high,
        shading="nearest",
        rasterized=True,
    )
    _line(axes, found, found.neutrality, "neutrality line, $c^* = 1/2$", color="white", ls="-")
    _line(axes, found, found.edge, "edge of chaos (backward threshold)", color=THEORY, ls="--")
    forward = np.full(found.sigma_b2.shape, found.forward)
    if not np.allclose(forward, found.edge, rtol=1e-9):
        _line(axes, found, forward, "forward threshold", color=LIMIT, ls=":")
    axes.set(
        xlim=(found.sigma_w2[0], found.sigma_w2[-1]),
        ylim=(found.sigma_b2[0], found.sigma_b2[-1]),
        xlabel="variance of the weights $\\sigma_w^2$",
        ylabel="variance of the biases $\\sigma_b^2$",
        title=f"{found.title.replace('$', chr(92) + '$')}, {found.depth} hidden layers",
    )
    bar = figure.colorbar(shades, ax=axes, extend="both", pad=0.02)
    ticks = range(low, high + 1)
    bar.set_ticks(ticks, labels=[f"$10^{{{k}}}$" for k in ticks])
    bar.set_label("bias ratio $\\gamma$")
    if axes.get_legend_handles_labels()[1]:
        figure.legend(loc="outside upper center", ncols=2, facecolor="#AAAAAA", frameon=True, edgecolor="none")
    return figure


def _line(axes: Any, found: Diagram, sigma_w2: Any, label: str, **how: Any) -> None:
    """A line where the diagram shows any of it."""
    if np.any((sigma_w2 >= found.sigma_w2[0]) & (sigma_w2 <= found.sigma_w2[-1])):
        axes.plot(sigma_w2, found.sigma_b2, lw=1.4, label=label, **how)
