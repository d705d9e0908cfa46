"""Outputs of one untrained network over the data, and where their centres lie over the networks.

Below, the difference of the two outputs: the shaded mass, where output 0 is the larger one, is G0. Source:
initial-guessing-bias, Figs. 2 and 3 with their insets: two output nodes, and the extreme scenarios without bias and
with a strong one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.style import BARS as BAR
from igbtheory.presentation.pictures.style import GREY, REGIONS, SERIES, shared_legend

CASES = {
    "no bias: linear, $\\gamma = 0$": (igb.mlp(1, "linear"), 7),
    "one layer: ReLU, $\\gamma = 1/(\\pi-1)$": (igb.mlp(1, "relu"), 1),
    "20 layers: ReLU, $\\gamma$ = {:.3g}": (igb.mlp(20, "relu"), 7),
}
WIDTH = 1500
BARS = 30
REACH = 4.0
"""Outputs are shown up to so many of their standard deviations over data and networks."""


@dataclass(frozen=True)
class Case:
    """A network: its title, var_mu and var_chi in infinite width, and the outputs of a finite one, (data, 2)."""

    title: str
    var_mu: float
    var_chi: float
    outputs: Any


def compute(run: Run) -> list[Case]:
    """The two extremes, and what lies between."""
    found = []
    for title, (network, seed) in CASES.items():
        prediction = run.predict(network)
        name = title.format(prediction.gamma)
        drawn = _simulated(run, network, seed)
        found.append(Case(name, float(prediction.var_mu), float(prediction.var_chi), drawn))
    return found


def _simulated(run: Run, network: igb.Network, seed: int) -> Any:
    return next(run.outputs(network, 2, 1, WIDTH, run.some(6000, 400), seed))


def draw(data: list[Case], style: Style) -> Any:
    """Histograms of two outputs, the Gaussians of theory around their centres, and the law of the centres."""
    figure = style.figure(2.1)
    for (axes, below), case in zip(figure.subplots(2, len(data), sharex=True).T, data, strict=True):
        _panel(axes, case)
        _difference(below, case)
        axes.set_title(case.title)
    figure.supxlabel("output $O_c$, and below the difference $\\Delta_O = O_0 - O_1$", fontsize=style.size)
    figure.supylabel("probability density", fontsize=style.size)
    shared_legend(figure, 3)
    return figure


def _panel(axes: Any, case: Case) -> None:
    scale = np.sqrt(case.var_mu + case.var_chi)
    values, spread = case.outputs / scale, np.sqrt(case.var_chi) / scale
    tallest = scipy.stats.norm.pdf(0) / spread
    for c, (column, series) in enumerate(zip(values.T, SERIES[1:], strict=False)):
        centre = column.mean()
        edges = np.linspace(centre - 4 * spread, centre + 4 * spread, BARS + 1)
        heights, _ = np.histogram(column, edges, density=True)
        axes.stairs(heights, edges, fill=True, color=series["color"], alpha=0.3, label=f"output {c} of one network")
        x = np.linspace(edges[0], edges[-1], 201)
        label = f"theory, $N(\\mu_{c}, \\mathrm{{Var}}_\\chi)$"
        axes.plot(x, scipy.stats.norm.pdf(x, centre, spread), **series, label=label)
    x = np.linspace(-REACH, REACH, 401)
    label = "centres over networks, $N(0, \\mathrm{Var}_W)$"
    if case.var_mu:
        centres = scipy.stats.norm.pdf(x, 0, np.sqrt(case.var_mu) / scale)
        axes.plot(x, centres, **SERIES[0], label=label)
        tallest = max(tallest, centres.max())
    else:
        axes.axvline(0, **SERIES[0], label=f"_{label}")
    axes.axvline(0, color=GREY, lw=0.7, zorder=0, label="_level")
    axes.set(xlim=(-REACH, REACH), ylim=(0, 1.3 * tallest))


def _difference(axes: Any, case: Case) -> None:
    """Draw the difference of the outputs over the data, its Gaussian, and the mass that is G0."""
    scale = np.sqrt(case.var_mu + case.var_chi)
    values, spread = (case.outputs[:, 0] - case.outputs[:, 1]) / scale, np.sqrt(2 * case.var_chi) / scale
    centre = values.mean()
    edges = np.linspace(centre - 4 * spread, centre + 4 * spread, BARS + 1)
    heights, _ = np.histogram(values, edges, density=True)
    axes.stairs(heights, edges, fill=True, color=BAR, label="difference $\\Delta_O$ of one network")
    x = np.union1d(np.linspace(edges[0], edges[-1], 201), [0.0])
    gaussian = scipy.stats.norm.pdf(x, centre, spread)
    axes.plot(x, gaussian, **SERIES[3], label="theory, $N(\\mu_0 - \\mu_1, 2\\,\\mathrm{Var}_\\chi)$")
    share = (values > 0).mean()
    inside = x >= 0
    label = "mass that is $G_0$"
    axes.fill_between(x[inside], gaussian[inside], color=REGIONS[2], alpha=0.7, label=label)
    axes.axvline(0, color=GREY, lw=0.7, zorder=0, label="_level")
    axes.set(ylim=(0, 1.35 * gaussian.max()))
    axes.text(0.03, 0.97, f"$G_0$ = {share:.2f}", transform=axes.transAxes, va="top")
