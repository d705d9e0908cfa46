"""Atlas of activations: what each does to the guesses and to the gradients of an untrained network.

Every activation has a page with the function, gamma over depth with finite networks, the law of G0 and the backward
threshold, below which gradients vanish and above which they explode: the edge of chaos where the variance settles.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.phases import Verdict, backward_line, verdict
from igbtheory.phases.diagram import near_zero
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import GAMMA, extrapolated, legend_above
from igbtheory.presentation.pictures.over_widths import OverWidths
from igbtheory.presentation.pictures.phase_maps import BIASES, WEIGHTS
from igbtheory.presentation.pictures.style import GREY, SERIES
from igbtheory.presentation.pictures.verdict import course_panel, function_panel, law_panel

NAMES = tuple(FUNCTIONS)
SIMULATED = 4
"""Layers of the finite networks; one if the activation grows faster than x, since their variances explode."""
CEILING = 1e6
"""Largest bias ratio on an axis."""
SIGMA_W2, SIGMA_B2 = (0, 6), (0, 1)


@dataclass(frozen=True)
class Page:
    """An activation: its verdict, gamma of finite networks after every hidden layer, and its backward threshold.

    threshold: the backward threshold at the variances sigma_b2 of the biases, or None if the activation jumps.
    """

    verdict: Verdict
    gamma: OverWidths
    sigma_b2: Any
    threshold: Any


def compute(run: Run) -> dict[str, Page]:
    """Pages by the name of the activation."""
    return {name: _page(run, name, seed) for seed, name in enumerate(NAMES)}


def _page(run: Run, name: str, seed: int) -> Page:
    depth = SIMULATED if (FUNCTIONS[name].degree or 1) <= 1 else 1
    gamma = run.ensemble(igb.mlp(depth, name), 150, 64, 64, 900 + seed).gamma.at(slice(1, None))
    along = near_zero(SIGMA_B2[1], run.some(101, 31))
    run.record.append({"verdict on": name, "backward threshold up to sigma_b2": SIGMA_B2[1]})
    try:
        threshold = backward_line(name, along)
    except ValueError:
        threshold = None
    return Page(verdict(name), gamma, along, threshold)


def draw(data: dict[str, Page], style: Style) -> dict[str, Any]:
    """Four panels a page."""
    return {name: _drawn(page, style) for name, page in data.items()}


def _drawn(page: Page, style: Style) -> Any:
    figure = style.figure(2.3)
    panels = figure.subplots(2, 2)
    function_panel(panels[0, 0], page.verdict)
    _course(panels[0, 1], page)
    law_panel(panels[1, 0], page.verdict.course)
    _threshold(panels[1, 1], page)
    for axes, label in zip(panels.flat, ("$\\phi(x)$", "$\\gamma$", "$f_{G_0}$"), strict=False):
        axes.set_ylabel(label)
    phi = page.verdict.phi
    figure.suptitle(f"{phi.name} ({phi.source}), $\\sigma_w^2$ = {page.verdict.sigma_w2:g}", fontsize=style.size + 1)
    return figure


def _course(axes: Any, page: Page) -> None:
    course_panel(axes, page.verdict.course, page.verdict.shifted if page.verdict.shift else None)
    if axes.get_yscale() == "log":  # not of an activation whose gamma is 0 at every depth
        low, high = axes.get_ylim()
        axes.set_ylim(low, min(high, CEILING))
        extrapolated(axes, 0, np.arange(1, page.gamma.values.shape[1] + 1), page.gamma)
        axes.set_title("")
        legend_above(axes, GAMMA, 3, handlelength=1.4, columnspacing=0.8)


def _threshold(axes: Any, page: Page) -> None:
    axes.set(
        title="backward threshold (grey: other panels)", xlim=SIGMA_W2, ylim=SIGMA_B2, xlabel=WEIGHTS, ylabel=BIASES
    )
    if page.threshold is None or not np.any(page.threshold <= SIGMA_W2[1]):
        why = "none: it jumps" if page.threshold is None else "none in this range"
        axes.text(0.5, 0.5, why, ha="center", va="center", transform=axes.transAxes)
        return
    axes.plot(page.threshold, page.sigma_b2, label="_backward threshold", **SERIES[0])
    axes.axvline(2, color=GREY, lw=0.7, zorder=0, label="_other panels")
