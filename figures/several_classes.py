"""Several classes: the share of the data that the favoured one gets, from two classes to a hundred.

Outputs are O_c = mu_c + z_c with mu_c ~ N(0, gamma) over networks and z_c ~ N(0, 1) over data. The favoured class is
the one with the largest mean output. The mean of its share is an integral over two normal variables, for finitely many
data too; its law for infinitely many data is a mean over centres of the other classes, in which that of the favoured
one is integrated out. Source: initial-guessing-bias, extension to several classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import igbtheory as igb
from igbtheory.guesses import ClassGuessLaw, mean_shares
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import legend_above, simulated, theory

CLASSES = (2, 10, 100)
DEPTHS = (1, 2, 4, 8)
SHOWN = 4
"""Depth whose law is drawn."""
GRID = np.geomspace(0.05, 50, 61)
WIDTH, SAMPLES, SEED = 400, 500, 5
NORMAL = np.linspace(-3.2, 5.5, 175)
"""Normal quantiles of the shares at which the law is computed."""
AT = np.linspace(0, 1, 16)[1:-1]
"""Shares at which the law of finite networks is drawn."""


@dataclass(frozen=True)
class Data:
    """Gamma of the depths; by number of classes, of the favoured one: mean over GRID, law over NORMAL, networks."""

    gamma: Any
    mean: dict[int, Any]
    law: dict[int, Any]
    networks: dict[int, Any]


def law(gamma: float, classes: int, draws: int) -> Any:
    """Distribution function of the share of the favoured class, over NORMAL."""
    shares = scipy.special.ndtr(NORMAL)
    slope = ClassGuessLaw(gamma, classes).largest_pdf(shares, draws).value * FLOAT64.npdf(NORMAL)
    found = scipy.integrate.cumulative_trapezoid(slope, NORMAL, initial=0)
    return found / found[-1]


def compute(run: Run) -> Data:
    """Theory and finite ReLU networks."""
    gamma = np.array([float(run.predict(igb.mlp(depth, "relu")).gamma) for depth in DEPTHS])
    found = np.array([_networks(run, depth) for depth in DEPTHS])
    at = float(gamma[DEPTHS.index(SHOWN)])
    return Data(
        gamma,
        {n: np.array([mean_shares(x, n, SAMPLES, ranks=1)[0] for x in GRID]) for n in CLASSES},
        {n: law(at, n, run.some(1000, 200)) for n in CLASSES},
        {n: found[:, i] for i, n in enumerate(CLASSES)},
    )


def _networks(run: Run, depth: int) -> Any:
    """Shares of the favoured class, (numbers of classes, networks): n classes are the first n outputs."""
    found = []
    for values in run.outputs(igb.mlp(depth, "relu"), max(CLASSES), run.some(300), WIDTH, SAMPLES, SEED):
        favoured = [np.mean(values[:, :n].argmax(axis=1) == values[:, :n].mean(axis=0).argmax()) for n in CLASSES]
        found.append(favoured)
    return np.array(found).T


def draw(data: Data, style: Style) -> Any:
    """The law of the share of the favoured class at one depth, and its mean over gamma."""
    figure = style.figure(1.3)
    left, right = figure.subplots(1, 2)
    for number, n in enumerate(CLASSES):
        name = f"{n} classes"
        networks = "finite networks" if number == 0 else f"_finite networks, {name}"
        theory(left, number, scipy.special.ndtr(NORMAL), data.law[n], name)
        found = data.networks[n][DEPTHS.index(SHOWN)]
        below = np.mean(found[:, None] <= AT, axis=0)
        seen = (below > 0) & (below < 1)
        errors = np.sqrt(below * (1 - below) / len(found))
        simulated(left, number, AT[seen], below[seen], errors[seen], networks)
        theory(right, number, GRID, data.mean[n], name)
        mean, error = data.networks[n].mean(axis=1), data.networks[n].std(axis=1, ddof=1) / np.sqrt(len(found))
        simulated(right, number, data.gamma, mean, error, networks)
    left.set(xlim=(0, 1), ylim=(0, 1), xlabel="share of the favoured class", ylabel="distribution function")
    legend_above(left, f"ReLU, {SHOWN} layers, $\\gamma$ = {data.gamma[DEPTHS.index(SHOWN)]:.3g}")
    right.set(xscale="log", xlim=(GRID[0], GRID[-1]), ylim=(0, 1), xlabel="bias ratio $\\gamma$")
    right.set_ylabel("mean share of the favoured class")
    legend_above(right, f"ReLU, 1 to 8 layers; {SAMPLES} data")
    return figure
