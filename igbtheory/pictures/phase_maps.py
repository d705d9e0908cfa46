"""Maps over the variances of weights and biases: the bias ratio by shade, and the lines that part the phases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, final

import numpy as np
from matplotlib.figure import Figure

from igbtheory.phases import Diagram, edge_of_chaos
from igbtheory.phases.diagram import near_zero
from igbtheory.pictures.marks import GAMMA, legend_above
from igbtheory.pictures.run import Run
from igbtheory.pictures.style import GREY, LIMIT, THEORY

DECADES = (-2, 6)
"""Powers of ten of the smallest and the largest bias ratio that has a shade of its own."""
NOTHING = 0.01
"""Part of an axis that may stay empty in front of the first point."""
ALONG, FEW = 101, 31
"""Points of an edge of chaos, and at least."""
WEIGHTS, BIASES = "variance of the weights $\\sigma_w^2$", "variance of the biases $\\sigma_b^2$"
BORDER, EDGE = "bias ratio $\\gamma = 1$", "backward threshold: gradients neither vanish nor explode"


@final
@dataclass(frozen=True)
class Edge:
    """Edge of chaos as a curve: variances of weights and biases, NaN where there is none."""

    sigma_w2: Any
    sigma_b2: Any


def grid(widest: float, count: int) -> Any:
    """Return so many variances between 0 and the widest, denser near 0, where the logarithm of gamma is steep."""
    return widest * (np.arange(1, count + 1) / count) ** 2


def edges(run: Run, activations: Sequence[str], sigma_b2: float, pools: Sequence[Any] = (None,)) -> list[Edge | None]:
    """Return the edges of chaos up to a variance of the biases, of every activation with every pool.

    None: the activation jumps, and has no gradient.
    """
    along = near_zero(sigma_b2, run.some(ALONG, FEW))
    both = list(product(activations, pools))
    names = [{"edge of chaos of": activation, "pool": repr(pool), "sigma_b2": sigma_b2} for activation, pool in both]
    run.record.extend(names)
    pieces = [partial(_edge, along, activation, pool) for activation, pool in both]
    return run.each([(name, len(along)) for name in names], pieces)


def _edge(along: Any, activation: str, pool: Any) -> Edge | None:
    try:
        return Edge(edge_of_chaos(activation, along, pool=pool), along)
    except ValueError:
        return None


def diagram(axes: Any, found: Diagram) -> None:
    """Draw the map of a diagram, with its neutrality line and its forward threshold."""
    shades = gamma_map(axes, found.sigma_w2, found.sigma_b2, found.gamma, Edge(found.fine_edge, found.fine_sigma_b2))
    _line(axes, found.fine_neutrality, found.fine_sigma_b2, "neutrality line, $c^* = 1/2$", color="white", ls=":")
    forward = np.full(found.fine_edge.shape, found.forward)
    if not np.allclose(forward, found.fine_edge, rtol=1e-9):
        _line(axes, forward, found.fine_sigma_b2, "forward threshold", color=LIMIT, ls=":")
    axes.set(xlabel=WEIGHTS, ylabel=BIASES)
    whole_map(axes, shades, f"{found.title.replace('$', chr(92) + '$')}, {found.depth} hidden layers")


def gamma_map(axes: Any, sigma_w2: Any, sigma_b2: Any, gamma: Any, line: Edge | None) -> Any:
    """Draw gamma, (sigma_b2, sigma_w2), with the line gamma = 1 and the edge of chaos; return the shades, for a bar."""
    least, most = DECADES
    with np.errstate(divide="ignore"):
        decades = np.clip(np.log10(gamma), least, most)
    how: Any = {"cmap": "cividis", "vmin": least, "vmax": most, "shading": "gouraud", "rasterized": True}
    shades = axes.pcolormesh(sigma_w2, sigma_b2, decades, label="_decimal logarithm of the bias ratio", **how)
    left, low = (0 if axis[0] < NOTHING * axis[-1] else axis[0] for axis in (sigma_w2, sigma_b2))
    axes.set(xlim=(left, sigma_w2[-1]), ylim=(low, sigma_b2[-1]))
    if np.any(gamma < 1) and np.any(gamma > 1):  # in decades, between which a straight line is a good one
        axes.contour(sigma_w2, sigma_b2, decades, [0.0], colors="white", linewidths=1.4).set_label(f"_{BORDER}")
    axes.plot([], [], color="white", lw=1.4, label=BORDER)
    if line is not None:
        _line(axes, line.sigma_w2, line.sigma_b2, EDGE, color=THEORY, ls="--")
    return shades


def whole_map(axes: Any, shades: Any, title: str) -> None:
    """Add the bar of shades of a single map, its legend and its title."""
    _bar(axes.get_figure(), axes, shades)
    axes.set_facecolor(GREY)  # a gamma that is not known has no shade
    legend_above(axes, title, 1, facecolor="#999999", frameon=True, edgecolor="none")


def _line(axes: Any, sigma_w2: Any, sigma_b2: Any, label: str, **how: Any) -> None:
    """Draw a line where the map shows any of it."""
    low, high = axes.get_xlim()
    if np.any((sigma_w2 >= low) & (sigma_w2 <= high)):
        axes.plot(sigma_w2, sigma_b2, lw=1.4, label=label, **how)


def finished(figure: Figure, panels: Any, shades: Any, size: float) -> Figure:
    """Return the figure with its bar of shades, its legend and the names of its axes."""
    figure.supxlabel(WEIGHTS, fontsize=size)
    figure.supylabel(BIASES, fontsize=size)
    _bar(figure, panels, shades)
    lines, labels = np.ravel(panels)[0].get_legend_handles_labels()
    figure.legend(
        lines, labels, loc="outside upper center", ncols=2, facecolor="#999999", frameon=True, edgecolor="none"
    )
    return figure


def _bar(figure: Any, panels: Any, shades: Any) -> None:
    bar = figure.colorbar(shades, ax=panels, extend="both", pad=0.02)
    ticks = range(DECADES[0], DECADES[1] + 1, 2)
    bar.set_ticks(ticks, labels=[f"$10^{{{k}}}$" for k in ticks])
    bar.set_label(GAMMA)
    for part in bar.ax.collections:
        part.set_label("_shades")
    bar.ax.axhline(0, color="white", lw=1.4, label=f"_{BORDER}")
