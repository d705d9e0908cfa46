"""Maps of the bias ratio over two variances, with the lines that separate the phases.

The axes are those of mean-field theory: the variance of the biases to the right, and that of the weights upwards.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from igbtheory.phases import Diagram
from igbtheory.presentation.pictures.marks import GAMMA, legend_above
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import GREY, LIMIT, THEORY

DECADES = (-2, 6)
"""Powers of ten of the smallest and the largest bias ratio with a shade of its own."""
NOTHING = 0.01
"""Largest part of an axis that may stay empty before its first point."""
NAMED, LOWEST = 0.5, 0.08
"""Where names of phases stand, as a part of the horizontal axis, and the part of the vertical one that a name needs."""
WEIGHTS, BIASES = "variance of the weights $\\sigma_w^2$", "variance of the biases $\\sigma_b^2$"
BORDER, EDGE = "bias ratio $\\gamma = 1$", "backward threshold: gradients neither vanish nor explode"
NEUTRAL = "neutrality line: $\\gamma$ tends to 1 with depth"


def grid(widest: float, count: int) -> Any:
    """Return `count` variances between 0 and the widest, denser near 0, where the logarithm of gamma is steep."""
    return widest * (np.arange(1, count + 1) / count) ** 2


def diagram(axes: Any, phases: Diagram, pen: Pen) -> None:
    """Draw the map of a diagram with the backward threshold, the neutrality line and the forward threshold."""
    pen.take_all("a map")
    shades = _with_lines(axes, phases, f"{BORDER} behind {phases.depth} layers")
    forward = np.full(phases.fine_backward.shape, phases.forward)
    if not np.allclose(forward, phases.fine_backward, rtol=1e-9):
        _line(axes, forward, phases.fine_sigma_b2, "forward threshold", color=LIMIT, ls=":")
    axes.set(xlabel=BIASES, ylabel=WEIGHTS)
    whole_map(axes, shades, f"{phases.title.replace('$', chr(92) + '$')}, {phases.depth} hidden layers")


def maps(figure: Figure, diagrams: dict[str, Diagram], columns: int, size: float) -> Figure:
    """Draw the diagrams, by their titles, into panels in rows of so many columns; return the figure."""
    panels = figure.subplots(len(diagrams) // columns, columns, sharex=True, sharey=True)
    depths = {phases.depth for phases in diagrams.values()}
    behind = f"{depths.pop()} layers" if len(depths) == 1 else "the layers of the panel"
    for axes, (title, phases) in zip(panels.flat, diagrams.items(), strict=True):
        shades = _with_lines(axes, phases, f"{BORDER} behind {behind}")
        axes.set_title(title)
    figure.supxlabel(BIASES, fontsize=size)
    figure.supylabel(WEIGHTS, fontsize=size)
    _bar(figure, panels, shades)
    how: Any = {"ncols": 2, "facecolor": "#999999", "frameon": True, "edgecolor": "none"}
    lines = {text: line for axes in panels.flat for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(lines.values(), lines.keys(), loc="outside upper center", **how)
    return figure


def name_phases(axes: Any, phases: Diagram) -> None:
    """Write the names of the phases of infinite depth into the map, and mark the edge where the variance settles."""
    at = axes.get_xlim()[1] * NAMED
    low, high = axes.get_ylim()
    edge, neutral = (
        float(np.interp(at, phases.fine_sigma_b2, line)) for line in (phases.fine_backward, phases.fine_neutrality)
    )
    ends = np.clip([low, *np.nan_to_num([edge, neutral], nan=high), high], low, high)
    deep = np.isnan(neutral)  # gamma grows without bound on both sides of the edge, as that of ReLU
    names = (
        "ordered: deep prejudice",
        "chaotic: deep prejudice" if deep else "chaotic: prejudice",
        "chaotic: neutrality",
    )
    for name, start, end in zip(names, ends[:-1], ends[1:], strict=True):
        if end - start > LOWEST * (high - low):
            text = axes.text(at, (start + end) / 2, name, ha="center", va="center", fontsize="small")
            text.set_path_effects([withStroke(linewidth=2, foreground="white")])
    if np.allclose(phases.fine_backward, phases.forward):
        axes.plot(0, phases.forward, "*", ms=9, color=LIMIT, clip_on=False, zorder=5, label="_edge of chaos")


def _with_lines(axes: Any, phases: Diagram, border: str) -> Any:
    """Draw the map and the lines of infinite depth; border: the label of the line gamma = 1 of the map."""
    shades = gamma_map(axes, phases.sigma_b2, phases.sigma_w2, phases.gamma.T, border)
    _line(axes, phases.fine_backward, phases.fine_sigma_b2, EDGE, color=THEORY, ls="--")
    _line(axes, phases.fine_neutrality, phases.fine_sigma_b2, NEUTRAL, color="white", ls=":")
    return shades


def gamma_map(axes: Any, x: Any, y: Any, gamma: Any, border: str = BORDER) -> Any:
    """Draw gamma, of shape (len(y), len(x)), with the line gamma = 1; return the shades, for `whole_map`."""
    least, most = DECADES
    with np.errstate(divide="ignore"):
        decades = np.clip(np.log10(gamma), least, most)
    how: Any = {"cmap": "cividis", "vmin": least, "vmax": most, "shading": "gouraud", "rasterized": True}
    shades = axes.pcolormesh(x, y, decades, label="_decimal logarithm of the bias ratio", **how)
    left, low = (0 if axis[0] < NOTHING * axis[-1] else axis[0] for axis in (x, y))
    axes.set(xlim=(left, x[-1]), ylim=(low, y[-1]))
    if np.any(gamma < 1) and np.any(gamma > 1):  # interpolated linearly in decades
        axes.contour(x, y, decades, [0.0], colors="white", linewidths=1.4).set_label(f"_{border}")
    axes.plot([], [], color="white", lw=1.4, label=border)
    return shades


def whole_map(axes: Any, shades: Any, title: str) -> None:
    """Add the bar of shades of a single map, its legend and its title."""
    _bar(axes.get_figure(), axes, shades)
    axes.set_facecolor(GREY)  # where gamma is NaN
    legend_above(axes, title, 1, facecolor="#999999", frameon=True, edgecolor="none")


def _line(axes: Any, sigma_w2: Any, sigma_b2: Any, label: str, **how: Any) -> None:
    """Draw a line, unless all of it lies outside the map."""
    low, high = axes.get_ylim()
    if np.any((sigma_w2 >= low) & (sigma_w2 <= high)):
        axes.plot(sigma_b2, sigma_w2, lw=1.4, label=label, **how)


def _bar(figure: Any, panels: Any, shades: Any) -> None:
    bar = figure.colorbar(shades, ax=panels, extend="both", pad=0.02)
    ticks = range(DECADES[0], DECADES[1] + 1, 2)
    bar.set_ticks(ticks, labels=[f"$10^{{{k}}}$" for k in ticks])
    bar.set_label(GAMMA)
    for part in bar.ax.collections:
        part.set_label("_shades")
    bar.ax.axhline(0, color="white", lw=1.4, label=f"_{BORDER}")
