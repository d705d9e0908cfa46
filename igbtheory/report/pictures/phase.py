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
    shades = gamma_shades(axes, found.sigma_w2, found.sigma_b2, found.gamma)
    _line(axes, found, found.neutrality, "neutrality line, $c^* = 1/2$", color="white", ls="-")
    _line(axes, found, found.edge, "edge of chaos (backward threshold)", color=THEORY, ls="--")
    forward = np.full(found.sigma_b2.shape, found.forward)
    if not np.allclose(forward, found.edge, rtol=1e-9):
        _line(axes, found, forward, "forward threshold", color=LIMIT, ls=":")
    axes.set(
        xlabel="variance of the weights $\\sigma_w^2$",
        ylabel="variance of the biases $\\sigma_b^2$",
        title=f"{found.title.replace('$', chr(92) + '$')}, {found.depth} hidden layers",
    )
    gamma_bar(figure, axes, shades)
    if axes.get_legend_handles_labels()[1]:
        figure.legend(loc="outside upper center", ncols=2, facecolor="#AAAAAA", frameon=True, edgecolor="none")
    return figure


def gamma_shades(axes: Any, sigma_w2: Any, sigma_b2: Any, gamma: Any) -> Any:
    """Gamma, (sigma_b2, sigma_w2), by shade, the axes ending with it; what `gamma_bar` explains."""
    low, high = DECADES
    with np.errstate(divide="ignore"):
        decades = np.clip(np.log10(gamma), low, high)
    axes.set(xlim=(sigma_w2[0], sigma_w2[-1]), ylim=(sigma_b2[0], sigma_b2[-1]))
    return axes.pcolormesh(
        sigma_w2, sigma_b2, decades, cmap="cividis", vmin=low, vmax=high, shading="nearest", rasterized=True
    )


def gamma_bar(figure: Figure, panels: Any, shades: Any) -> Any:
    """The bar of shades beside the panels."""
    bar = figure.colorbar(shades, ax=panels, extend="both", pad=0.02)
    ticks = range(DECADES[0], DECADES[1] + 1)
    bar.set_ticks(ticks, labels=[f"$10^{{{k}}}$" for k in ticks])
    bar.set_label("bias ratio $\\gamma$")
    return bar


def _line(axes: Any, found: Diagram, sigma_w2: Any, label: str, **how: Any) -> None:
    """A line where the diagram shows any of it."""
    if np.any((sigma_w2 >= found.sigma_w2[0]) & (sigma_w2 <= found.sigma_w2[-1])):
        axes.plot(sigma_w2, found.sigma_b2, lw=1.4, label=label, **how)
