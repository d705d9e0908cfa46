"""Draw the picture of the README: `python docs/picture.py` writes docs/picture.png."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import igbtheory as igb

DEPTHS = {1: "#0072B2", 3: "#009E73", 20: "#D55E00"}
"""Depths of the ReLU networks and their colours (by Okabe and Ito), which colour-blind readers can tell apart."""
STYLE: dict[Any, Any] = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}


def picture() -> Figure:
    """Draw the density of G0 for ReLU at depths 1, 3 and 20, and the point mass at 1/2 of odd activations."""
    figure = Figure(figsize=(6.0, 3.1), layout="constrained")
    axes = figure.subplots()
    g = np.linspace(0, 1, 2001)[1:-1]
    # an arrow stands for the point mass, as is usual for delta functions
    axes.annotate("", xy=(0.5, 3.05), xytext=(0.5, 0), arrowprops={"arrowstyle": "-|>", "color": "#555555", "lw": 1.6})
    axes.text(0.515, 2.72, "linear and tanh without biases:\n$\\gamma$ = 0, all mass at 1/2", color="#555555")
    for depth, colour in DEPTHS.items():
        prediction = igb.mlp(depth, "relu").predict()
        label = f"ReLU, depth {depth}: $\\gamma$ = {prediction.gamma:.3g}"
        axes.plot(g, prediction.G0.pdf(g), color=colour, lw=1.8, label=label)
    axes.set(xlim=(0, 1), ylim=(0, 3.2), xlabel="fraction $G_0$ of the data assigned to class 0")
    axes.set_ylabel("density of $G_0$ over initialisations")
    axes.legend(loc="upper left", bbox_to_anchor=(0.05, 1.0))
    return figure


if __name__ == "__main__":
    with rc_context(STYLE):
        picture().savefig(Path(__file__).with_suffix(".png"), dpi=200)
