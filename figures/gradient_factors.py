"""Gradients at initialisation: the factor that a layer multiplies them by, and their course over the layers.

Source: bias-and-trainability-slides (phases by their gradients): they vanish backwards where the factor is below 1,
explode where it is above.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.marks import Curve, curves, legend_above, level, theory
from igbtheory.presentation.pictures.over_widths import over_widths

DEPTH, DEEP = 10, 200
SIGMA_B2 = 0.05
NAMES = {"relu": "ReLU, $\\sigma_w^2/2$", "tanh": "tanh", "erf": "erf", "gelu": "GELU"}
GRID = np.linspace(0.25, 4.0, 61)
JUMP = 0.2
"""Step between neighbouring factors that is no slope."""
DRAWN = (1.0, 1.76, 3.0)
"""Variances of the weights whose courses are drawn, of tanh."""
WIDTHS, SEED = (48, 96, 192), 11


@dataclass(frozen=True)
class Data:
    """Factors in deep layers over GRID by activation; squared gradients of tanh from the output backwards."""

    factors: dict[str, Any]
    squared: list[Curve]


def compute(run: Run) -> Data:
    """Factors of several activations, and squared gradients of tanh."""
    factors = {
        name: run.gradients(igb.mlp(DEEP, name, sigma_w2=GRID, sigma_b2=SIGMA_B2)).factor[DEEP // 2] for name in NAMES
    }
    return Data(factors, [_squared(run, sigma_w2) for sigma_w2 in DRAWN])


def _squared(run: Run, sigma_w2: float) -> Curve:
    squared = run.gradients(igb.mlp(DEPTH, "tanh", sigma_w2=sigma_w2, sigma_b2=SIGMA_B2)).squared[::-1]
    count = run.some(400)
    network = f"mlp({DEPTH}, 'tanh', sigma_w2={sigma_w2}, sigma_b2={SIGMA_B2})"
    run.record.append({"gradients of": network, "networks": count, "widths": WIDTHS, "seed": SEED})
    run.drawn.extend(Drawn(network, count, width, 1) for width in WIDTHS)
    found = over_widths(WIDTHS, _simulated(count, sigma_w2)).at(slice(1, None))
    label, layers = f"$\\sigma_w^2$ = {sigma_w2:g}", np.arange(DEPTH + 1)
    return Curve(label, layers, squared, layers[1:], found)


def _simulated(networks: int, sigma_w2: float) -> Any:
    """Squared gradients of an output at one datum, from the output backwards: (widths, networks, layers)."""
    rng = np.random.default_rng(SEED)
    return np.array([[_backwards(rng, width, sigma_w2) for _ in range(networks)] for width in WIDTHS])


def _backwards(rng: np.random.Generator, width: int, sigma_w2: float) -> list[float]:
    phi = function_of("tanh")
    scale = np.sqrt(sigma_w2 / width)
    x, weights, slopes = rng.standard_normal(width), [], []
    for _ in range(DEPTH):
        weights.append(scale * rng.standard_normal((width, width)))
        z = weights[-1] @ x + np.sqrt(SIGMA_B2) * rng.standard_normal(width)
        x = np.asarray(phi(FLOAT64, z))
        slopes.append(np.asarray(phi.slope(FLOAT64, z)))
    found, by_x = [1.0], scale * rng.standard_normal(width)
    for weight, slope in zip(reversed(weights), reversed(slopes), strict=True):
        by_z = by_x * slope
        found.append(float(by_z @ by_z))
        by_x = by_z @ weight
    return found


def _broken(factors: Any) -> Any:
    """Return the factors with a gap behind a jump: GELU has one where its variance no longer settles."""
    return np.where(np.abs(np.diff(factors, prepend=factors[0])) > JUMP, np.nan, factors)


def draw(data: Data, style: Style) -> Any:
    """Factors over the variance of the weights, and courses from the output to the input."""
    figure = style.figure(1.25)
    left, right = figure.subplots(1, 2)
    for number, (name, label) in enumerate(NAMES.items()):
        theory(left, number, GRID, _broken(data.factors[name]), label)
    level(left, 1)
    left.set(xlim=(0, 4), ylim=(0, 2.9), xlabel="variance of the weights $\\sigma_w^2$")
    left.set_ylabel("factor per layer, deep down")
    legend_above(left, f"$\\sigma_b^2$ = {SIGMA_B2}")
    curves(right, data.squared)
    right.set(yscale="log", xlim=(-0.3, DEPTH + 0.3), ylim=(0.01, 100), xlabel="layers from the output")
    right.set_ylabel("$E\\,|\\partial O/\\partial Z_l|^2$")
    legend_above(right, f"tanh, $\\sigma_b^2$ = {SIGMA_B2}")
    return figure
