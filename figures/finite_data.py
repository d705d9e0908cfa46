"""The law of G0 over finitely many data: a mixture of binomials, and its standard deviation over D.

Source: initial-guessing-bias, Eqs. 1 to 4, before the limit of infinitely many data.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import Curve, curves, density, legend_above
from igbtheory.presentation.pictures.over_widths import joined
from igbtheory.presentation.pictures.style import SERIES

NETWORKS = {
    "linear": igb.mlp(1, "linear"),
    "ReLU": igb.mlp(1, "relu"),
    "ReLU + MaxPool(2)": igb.mlp(1, "relu", pool=2),
}
FEW = (4, 16, 64)
"""Numbers of data whose law is drawn."""
SIMULATED = (4, 16, 64, 256)
CURVE = np.unique(np.geomspace(2, 1000, 60).round().astype(int))


@dataclass(frozen=True)
class Data:
    """Gamma of the ReLU network; standard deviations of G0 of all networks over the data, and for infinitely many."""

    gamma: float
    spreads: list[Curve]
    limits: list[float]


def compute(run: Run) -> Data:
    """Laws and standard deviations."""
    laws = {name: run.predict(network).G0 for name, network in NETWORKS.items()}
    spreads = []
    for seed, (name, network) in enumerate(NETWORKS.items(), 20):
        ensembles = [run.ensemble(network, 2000, 100, size, 10 * seed + i) for i, size in enumerate(SIMULATED)]
        variances = joined([ensemble.mean(lambda share: (share - 0.5) ** 2) for ensemble in ensembles])
        deviations = variances.through(np.sqrt, lambda variance: 0.5 / np.sqrt(variance))
        curve = np.array([laws[name].finite(size).std() / size for size in CURVE])
        spreads.append(Curve(name, CURVE, curve, SIMULATED, deviations))
    return Data(float(laws["ReLU"].gamma), spreads, [float(law.std()) for law in laws.values()])


def draw(data: Data, style: Style) -> Any:
    """The law for several D, and the standard deviation over D."""
    figure = style.figure(1.25)
    left, right = figure.subplots(1, 2)
    law = igb.GuessLaw(data.gamma)
    for number, size in enumerate(FEW, 1):
        counts = np.arange(size + 1)
        edges = (np.arange(size + 2) - 0.5) / size
        how = {**SERIES[number], "lw": 1.0}
        left.stairs(size * law.finite(size).pmf(counts), edges, label=f"$D$ = {size}", **how)
    label = "$D = \\infty$: $e^{y^2/2-y^2/(2\\gamma)}/\\sqrt{\\gamma}$"
    density(left, data.gamma, label=label, **SERIES[0])
    left.set(xlim=(0, 1), ylim=(0, 1.6), xlabel="fraction given to class 0, $G_0$", ylabel="$D \\times$ probability")
    legend_above(left, "ReLU, one hidden layer, $y = \\Phi^{-1}(g)$")
    curves(right, data.spreads)
    for limit, curve, how in zip(data.limits, data.spreads, SERIES, strict=False):
        if limit:
            label = f"_{curve.label}, infinitely many data"
            right.axhline(limit, color=how["color"], lw=0.6, zorder=0, label=label)
    right.set(xscale="log", yscale="log", xlim=(2, 1000), ylim=(0.01, 0.5), xlabel="number of data $D$")
    right.set_ylabel("standard deviation of $G_0$")
    right.set_yticks([0.01, 0.03, 0.1, 0.3, 0.5], ["0.01", "0.03", "0.1", "0.3", "0.5"])
    right.minorticks_off()
    legend_above(right, "$\\sigma^2 = [1/4 + (D-1)\\,\\arcsin(c)/(2\\pi)]/D$")
    return figure
