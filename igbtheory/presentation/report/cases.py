"""The cases of the report: networks, their inputs, and the sizes of the simulated ensembles."""

from dataclasses import dataclass, replace
from typing import Any, final

import igbtheory as igb
from igbtheory.networks.network import Norm, Placement

ACTIVATIONS = {"linear": "linear", "tanh": "tanh", "relu": "ReLU"}
"""The activations, with their names in pictures and on the page."""
NORMS: dict[Norm, str] = {"batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}
PLACEMENTS: tuple[Placement, ...] = ("before", "after")
INPUTS = {
    "gaussian": "Gaussian inputs N(0, 1)",
    "digits": "100 handwritten digits, standardised by the mean and standard deviation of all 1,797",
}
DIGITS = 100
"""Number of digits in the data set, as many as the text above says."""


@final
@dataclass(frozen=True)
class Size:
    """An ensemble: its networks at each of the widths N, 2N and 4N, the width N, and the Gaussian data for each."""

    networks: int
    width: int
    samples: int


# Standard errors of gamma of ReLU are at most 3%, 6% and 25% at depths 1, 3 and 20.
# Deviations are of order depth/width: deep networks must be wide to show a trend in 1/width, and few to be quick.
# The number of data is the same at every depth, because full-batch norms depend on it.
FULL = {1: Size(300, 32, 100), 3: Size(200, 32, 100), 20: Size(40, 96, 100)}
QUICK = {1: Size(100, 32, 100), 3: Size(100, 32, 100), 20: Size(40, 48, 100)}
NORMED = 100
"""Largest number of networks of a case with a norm: the error of its gamma stays below 0.003 at depth 1."""


@final
@dataclass(frozen=True)
class Case:
    """A network on one kind of inputs, and the size of the ensemble that is compared with the prediction."""

    inputs: str
    activation: str
    depth: int
    size: Size
    norm: Norm | None = None
    placement: Placement = "before"

    @property
    def title(self) -> str:
        """The name of the network on the page and in pictures."""
        norm = "" if self.norm is None else f", {NORMS[self.norm]} {self.placement}"
        return f"{ACTIVATIONS[self.activation]}{norm}, depth {self.depth}"

    @property
    def work(self) -> float:
        """The work of drawing the ensemble, as the number of layers drawn at each width."""
        return float(self.size.networks * (self.depth + 1))

    def network(self) -> igb.Network:
        """Return the network with the papers' variances for ReLU: 2 of the weights and 0 of the biases."""
        return igb.mlp(self.depth, self.activation, norm=self.norm, placement=self.placement)


def plain(sizes: dict[int, Size]) -> list[Case]:
    """Return the cases without norms at all depths; sizes: of the ensembles by depth."""
    return [Case(i, a, d, size) for i in INPUTS for a in ACTIVATIONS for d, size in sizes.items()]


def normed(sizes: dict[int, Size]) -> list[Case]:
    """Return the cases of ReLU with every norm in every placement at two depths, on Gaussian inputs."""
    few = {d: replace(sizes[d], networks=min(sizes[d].networks, NORMED)) for d in (min(sizes), max(sizes))}
    return [Case("gaussian", "relu", d, size, n, p) for n in NORMS for p in PLACEMENTS for d, size in few.items()]


def input_values() -> dict[str, Any]:
    """Return the inputs by name, as the library takes them."""
    return {"gaussian": igb.GaussianInputs(), "digits": igb.standardised(igb.digits())[:DIGITS]}
