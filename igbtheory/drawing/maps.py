"""Maps over the variances of weights and biases: the bias ratio by shade, its border gamma = 1, the edge of chaos."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from matplotlib.figure import Figure

from igbtheory.drawing.run import Run
from igbtheory.phases import edge_of_chaos
from igbtheory.report.pictures.phase import gamma_bar, gamma_shades
from igbtheory.report.pictures.style import THEORY

ALONG, FEW = 101, 31
"""Points of an edge of chaos, and at least."""
BORDER, EDGE = "bias ratio $\\gamma = 1$", "edge of chaos: gradients neither vanish nor explode"


@final
@dataclass(frozen=True)
class Edge:
    """Edge of chaos as a curve: variances of weights and biases, NaN where there is none."""

    sigma_w2: Any
    sigma_b2: Any


def edge(run: Run, activation: str, sigma_b2: tuple[float, float], pool: Any = None) -> Edge:
    """The edge of chaos over a range of variances of the biases."""
    along = np.linspace(*sigma_b2, run.some(ALONG, FEW))
    run.record.append({"edge of chaos of": activation, "pool": repr(pool), "sigma_b2": sigma_b2})
    return Edge(edge_of_chaos(activation, along, pool=pool), along)


def gamma_map(axes: Any, sigma_w2: Any, sigma_b2: Any, gamma: Any, line: Edge) -> Any:
    """The map of gamma, (sigma_b2, sigma_w2), with both lines; its shades, for a bar."""
    shades = gamma_shades(axes, sigma_w2, sigma_b2, gamma)
    axes.contour(sigma_w2, sigma_b2, gamma, [1.0], colors="white", linewidths=1.4)
    axes.plot([], [], color="white", lw=1.4, label=BORDER)
    axes.plot(line.sigma_w2, line.sigma_b2, color=THEORY, ls="--", lw=1.4, label=EDGE)
    return shades


def finished(figure: Figure, panels: Any, shades: Any, size: float) -> Figure:
    """The figure with its bar of shades, its legend and the names of its axes."""
    figure.supxlabel("variance of the weights $\\sigma_w^2$", fontsize=size)
    figure.supylabel("variance of the biases $\\sigma_b^2$", fontsize=size)
    bar = gamma_bar(figure, panels, shades)
    bar.ax.axhline(0, color="white", lw=1.4)
    lines, labels = np.ravel(panels)[0].get_legend_handles_labels()
    figure.legend(
        lines, labels, loc="outside upper center", ncols=2, facecolor="#999999", frameon=True, edgecolor="none"
    )
    return figure
