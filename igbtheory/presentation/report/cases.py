"""The cases of the report: networks, their inputs, and the sizes of the simulated ensembles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import igbtheory as igb
from igbtheory.networks.network import Norm, Placement

ACTIVATIONS = {"linear": "linear", "tanh": "tanh", "relu": "ReLU"}
"""The activations, with their names in pictures and on the page."""
NORMS: dict[Norm, str] = {"batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}
PLACEMENTS: tuple[Placement, ...] = ("before", "after")
GAUSSIAN, DIGITS = "gaussian", "digits"
DATA = 100
"""Number of digits in the data set, as many as the text below says, and of Gaussian data for each network. It is the
same at every depth, because norms over the full batch depend on it."""
INPUTS = {
    GAUSSIAN: "Gaussian inputs N(0, 1)",
    DIGITS: "100 handwritten digits, standardised by the mean and standard deviation of all 1,797",
}
WIDTH = 100
"""Width at which networks are predicted and drawn wherever the theory of this width is known without drawing."""


@final
@dataclass(frozen=True)
class Size:
    """The sizes of the ensembles of a report.

    shown: networks of a case whose law figure 1 shows. others: of any other case at the width WIDTH. extrapolated: by
    depth, networks of each of the widths N, 2N and 4N, and the width N. classes: by depth, networks of ten classes, and
    their width, at which they are close to infinite width.
    """

    shown: int
    others: int
    extrapolated: Mapping[int, tuple[int, int]]
    classes: Mapping[int, tuple[int, int]]

    @property
    def depths(self) -> tuple[int, ...]:
        """The numbers of hidden layers, ascending."""
        return tuple(self.extrapolated)


# Deviations are of order depth/width: where they are extrapolated, deep networks are wider, and fewer to be quick.
FULL = Size(200, 60, {1: (100, 32), 3: (100, 32), 20: (40, 48)}, {1: (100, 128), 3: (100, 128), 20: (40, 256)})
QUICK = Size(60, 30, {1: (60, 16), 3: (60, 16), 20: (30, 32)}, {1: (60, 128), 3: (60, 128), 20: (30, 256)})


@final
@dataclass(frozen=True)
class Case:
    """A network on one kind of inputs."""

    inputs: str
    activation: str
    depth: int
    norm: Norm | None = None
    placement: Placement = "before"

    @property
    def title(self) -> str:
        """The name of the network on the page and in pictures."""
        norm = "" if self.norm is None else f", {NORMS[self.norm]} {self.placement}"
        return f"{ACTIVATIONS[self.activation]}{norm}, depth {self.depth}"

    @property
    def law_shown(self) -> bool:
        """Whether figure 1 shows the law of its guesses."""
        return self.inputs == GAUSSIAN and self.norm is None

    def network(self) -> igb.Network:
        """Return the network with the papers' variances for ReLU: 2 of the weights and 0 of the biases."""
        return igb.mlp(self.depth, self.activation, norm=self.norm, placement=self.placement)


def plain(depths: tuple[int, ...]) -> list[Case]:
    """Return the cases without norms at these depths."""
    return [Case(inputs, activation, depth) for inputs in INPUTS for activation in ACTIVATIONS for depth in depths]


def normed(depths: tuple[int, ...]) -> list[Case]:
    """Return the cases of ReLU with every norm in every placement at the least and the largest depth."""
    ends = (depths[0], depths[-1])
    return [Case(GAUSSIAN, "relu", depth, norm, place) for norm in NORMS for place in PLACEMENTS for depth in ends]


def input_values() -> dict[str, Any]:
    """Return the inputs by name, as the library takes them."""
    return {GAUSSIAN: igb.GaussianInputs(), DIGITS: igb.standardised(igb.digits())[:DATA]}
