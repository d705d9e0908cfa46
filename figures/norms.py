"""The law of G0 without a norm, with BatchNorm and with LayerNorm, before and after the activation, 1 and 20 layers.

Source: where-you-place-the-norm, Fig. 3. One page for Gaussian inputs, one for handwritten digits.
"""

from dataclasses import dataclass
from typing import Any

import igbtheory as igb
from igbtheory.networks.simulation import Simulation
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.marks import panel
from igbtheory.presentation.pictures.style import shared_legend

DEPTHS = (1, 20)
PLACES = {
    "ReLU": (None, "before"),
    "BN + ReLU": ("batch", "before"),
    "ReLU + BN": ("batch", "after"),
    "LN + ReLU": ("layer", "before"),
    "ReLU + LN": ("layer", "after"),
}
WIDTH = 384
DIGITS = 200
NOTHING = 1e-9
"""Bias ratio that is rounding."""


@dataclass(frozen=True)
class Case:
    """A network on one kind of inputs: its title, its gamma and law, and finite ones."""

    title: str
    gamma: float
    law: Any
    networks: Simulation


def compute(run: Run) -> dict[str, list[Case]]:
    """All networks on both kinds of inputs."""
    digits = igb.standardised(igb.digits())[:DIGITS]
    return {"gaussian": _cases(run, None, 400), "digits": _cases(run, digits, 500)}


def _cases(run: Run, inputs: Any, seed: int) -> list[Case]:
    found: list[Case] = []
    for depth in DEPTHS:
        for name, (norm, placement) in PLACES.items():
            network = igb.mlp(depth, "relu", norm=norm, placement=placement)
            prediction = run.predict(network, inputs)
            networks = run.simulate(network, 400, WIDTH, 200, seed + len(found), inputs)
            found.append(Case(name, float(prediction.gamma), prediction.G0, networks))
    return found


def draw(data: dict[str, list[Case]], style: Style) -> dict[str, Any]:
    """A page for each kind of inputs: a column a norm, a row a depth."""
    return {name: _page(cases, style) for name, cases in data.items()}


def _page(cases: list[Case], style: Style) -> Any:
    figure = style.figure(1.7)
    panels = figure.subplots(len(DEPTHS), len(PLACES))
    for axes, case in zip(panels.flat, cases, strict=True):
        panel(axes, case.networks.G0, case.networks.samples, case.law)
        gamma = case.gamma if case.gamma > NOTHING else 0
        axes.set_title(f"{case.title}\n$\\gamma$ = {gamma:.2g}")
        half = 0.5 - axes.get_xlim()[0]
        step = 0.5 if half > 0.4 else round(0.75 * half, 2)
        axes.set_xticks([0.5 - step, 0.5, 0.5 + step])
    for depth, axes in zip(DEPTHS, panels[:, 0], strict=True):
        axes.set_ylabel(f"{depth} layer{'s' * (depth > 1)}")
    figure.supxlabel("fraction of the data given to class 0, $G_0$", fontsize=style.size)
    figure.supylabel("density $f_{G_0}$", fontsize=style.size)
    shared_legend(figure)
    return figure
