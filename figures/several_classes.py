"""Several classes: the share of the data that the favoured one gets, from two classes to a hundred.

Outputs are O_c = mu_c + z_c with mu_c ~ N(0, gamma) over networks and z_c ~ N(0, 1) over data; given the centres, class
c gets the share int f(o - mu_c) prod_{d != c} F(o - mu_d) do, f and F the normal density and distribution.
Source: initial-guessing-bias, extension to several classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.guesses.several import ClassGuessLaw
from igbtheory.pictures import Run, Style
from igbtheory.pictures.marks import simulated, theory
from igbtheory.pictures.style import SERIES
from igbtheory.simulation.ensemble import outputs

CLASSES = (2, 10, 100)
DEPTHS = (1, 2, 4, 8)
SHOWN = 4
"""Depth whose law is drawn."""
GRID = np.geomspace(0.05, 50, 16)
WIDTH, SAMPLES, SEED = 400, 500, 5
BINS = 16


@dataclass(frozen=True)
class Data:
    """Gamma of the depths; by number of classes, the largest share: theory over GRID and draws at SHOWN, networks."""

    gamma: Any
    theory: dict[int, Any]
    draws: dict[int, Any]
    networks: dict[int, Any]


def largest(gamma: float, classes: int, draws: int) -> Any:
    """Draws of the largest share of SAMPLES data over networks; the same random numbers for every gamma."""
    found = ClassGuessLaw(gamma, classes).rvs(draws, SEED)
    return np.random.default_rng(SEED).multinomial(SAMPLES, found).max(axis=1) / SAMPLES


def compute(run: Run) -> Data:
    """Theory and finite ReLU networks."""
    draws = run.some(4000, 400)
    gamma = np.array([float(run.predict(igb.mlp(depth, "relu")).gamma) for depth in DEPTHS])
    found = np.array([_networks(run, depth) for depth in DEPTHS])
    at = DEPTHS.index(SHOWN)
    return Data(
        gamma,
        {n: np.array([largest(x, n, draws).mean() for x in GRID]) for n in CLASSES},
        {n: largest(gamma[at], n, draws) for n in CLASSES},
        {n: found[:, i] for i, n in enumerate(CLASSES)},
    )


def _networks(run: Run, depth: int) -> Any:
    network, count = igb.mlp(depth, "relu"), run.some(300)
    parameters = {"classes of": repr(network), "numbers": list(CLASSES), "networks": count, "width": WIDTH}
    parameters |= {"samples": SAMPLES, "seed": SEED}
    run.record.append(parameters)
    return _guessed(network, count)


def _guessed(network: igb.Network, count: int) -> Any:
    """Largest shares of finite networks, (numbers of classes, networks): n classes are the first n outputs."""
    found = []
    for values in outputs(network, max(CLASSES), count, WIDTH, SAMPLES, SEED):
        guesses = [np.bincount(values[:, :n].argmax(axis=1), minlength=n).max() / SAMPLES for n in CLASSES]
        found.append(guesses)
    return np.array(found).T


def draw(data: Data, style: Style) -> Any:
    """The law of the largest share at one depth, and its mean over gamma."""
    figure = style.figure(1.3)
    left, right = figure.subplots(1, 2)
    edges = (np.round(np.linspace(0, 1, BINS + 1) * SAMPLES) - 0.5) / SAMPLES
    edges[-1] += 1 / SAMPLES
    for number, n in enumerate(CLASSES):
        name = f"{n} classes"
        heights, _ = np.histogram(data.draws[n], edges, density=True)
        left.stairs(heights, edges, **SERIES[number], label=name)
        found = data.networks[n][DEPTHS.index(SHOWN)]
        counts, _ = np.histogram(found, edges)
        seen, widths = counts > 0, len(found) * np.diff(edges)
        errors = np.sqrt(counts * (1 - counts / len(found))) / widths
        simulated(left, number, ((edges[:-1] + edges[1:]) / 2)[seen], (counts / widths)[seen], errors[seen])
        theory(right, number, GRID, data.theory[n], name)
        mean, error = data.networks[n].mean(axis=1), data.networks[n].std(axis=1, ddof=1) / np.sqrt(len(found))
        simulated(right, number, data.gamma, mean, error, "finite ReLU networks" if number == 0 else "")
    left.set(xlim=(0, 1), ylim=(0, 7.5), xlabel="largest share of guesses, $\\max_c G_c$", ylabel="density")
    left.set_title(f"ReLU, {SHOWN} layers, $\\gamma$ = {data.gamma[DEPTHS.index(SHOWN)]:.3g}")
    left.legend(loc="upper left")
    right.set(xscale="log", xlim=(GRID[0], GRID[-1]), ylim=(0, 1.45), xlabel="bias ratio $\\gamma$")
    right.set_ylabel("mean of $\\max_c G_c$")
    right.set_title(f"{SAMPLES} data")
    right.set_yticks(np.linspace(0, 1, 6))
    right.legend(loc="upper left", ncols=2)
    return figure
