"""Gradients of cross-entropy class by class over the layers, in the ordered and in the chaotic phase.

Class 0 is the one that a network favours at the start. Backwards, gradients vanish in the ordered phase of ReLU, stay
at the edge of chaos and explode in the chaotic phase, where those of class 1 are nine times as large as those of class
0, because the outputs are large. Lines are means over infinitely wide networks of the squared gradient by the units of
a layer. Source: bias-meets-trainability, gradients per class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.marks import legend_above, points, theory
from igbtheory.presentation.pictures.style import MARKERS, SERIES

DEPTH = 10
SIGMA_W2 = (1.5, 2.0, 2.5)
"""Variances of the weights: in the ordered phase, at the edge of chaos, and in the chaotic phase."""
NETWORKS, WIDTH, SAMPLES, SEED = 200, 200, 100, 6
DRAWS = 4000


@dataclass(frozen=True)
class Case:
    """Squared gradients from the first layer to the output, of the favoured class and of the other one.

    theory: (classes, layers); finite: (networks, classes, layers).
    """

    sigma_w2: float
    theory: Any
    finite: Any


def compute(run: Run) -> list[Case]:
    """Means in theory, and finite networks."""
    return [_case(run, sigma_w2) for sigma_w2 in SIGMA_W2]


def _case(run: Run, sigma_w2: float) -> Case:
    network = igb.mlp(DEPTH, "relu", sigma_w2=sigma_w2)
    by_class = igb.phases.class_gradients(run.predict(network)).rvs(run.some(DRAWS, 400), SEED).mean(axis=0)
    expected = by_class[:, None] * run.gradients(network).squared
    count, rng = run.some(NETWORKS), np.random.default_rng(SEED)
    run.record.append({"gradients of": repr(network), "networks": count, "width": WIDTH, "samples": SAMPLES})
    run.drawn.append(Drawn(repr(network), count, WIDTH, SAMPLES))
    return Case(sigma_w2, expected, np.array([_squared(rng, sigma_w2) for _ in range(count)]))


def _squared(rng: np.random.Generator, sigma_w2: float) -> Any:
    """Return the mean squared gradients of one network by its layers, (classes, layers), the favoured class first."""
    scale = np.sqrt(sigma_w2 / WIDTH)
    x, weights, active = rng.standard_normal((SAMPLES, WIDTH)), [], []
    for _ in range(DEPTH):
        weights.append(scale * rng.standard_normal((WIDTH, WIDTH)))
        z = x @ weights[-1]
        active.append(z > 0)
        x = np.maximum(z, 0)
    last = scale * rng.standard_normal((WIDTH, 2))
    outputs = x @ last
    p = 1 / (1 + np.exp(outputs[:, ::-1] - outputs))
    favoured = int(outputs[:, 1].mean() > outputs[:, 0].mean())
    return np.array([_backwards(p - np.eye(2)[k], [*weights[1:], last], active) for k in (favoured, 1 - favoured)])


def _backwards(slope: Any, weights: list[Any], active: list[Any]) -> list[float]:
    squares = [np.square(slope).sum(axis=1).mean()]
    for weight, is_active in zip(reversed(weights), reversed(active), strict=True):
        slope = (slope @ weight.T) * is_active
        squares.append(np.square(slope).sum(axis=1).mean())
    return squares[::-1]


def draw(data: list[Case], style: Style) -> Any:
    """One panel a variance of the weights."""
    figure = style.figure(1.3)
    layers = np.arange(1, DEPTH + 2)
    for axes, case in zip(figure.subplots(1, len(data), sharey=True), data, strict=True):
        for k in (0, 1):
            theory(axes, k, layers, case.theory[k], f"class {k}")
            pale = tuple(0.4 + 0.6 * np.array(to_rgb(SERIES[k]["color"])))
            error = case.finite[:, k].std(axis=0, ddof=1) / np.sqrt(len(case.finite))
            how: Any = {"color": pale, "label": f"_finite networks: class {k}"}
            points(axes, layers, case.finite[:, k].mean(axis=0), error, MARKERS[k], **how)
        axes.set(yscale="log", xlim=(0.5, DEPTH + 1.5))
        legend_above(axes, f"ReLU, $\\sigma_w^2$ = {case.sigma_w2:g}")
    figure.supxlabel("layer; the last one is the output", fontsize=style.size)
    figure.supylabel("squared gradient of the loss", fontsize=style.size)
    return figure
