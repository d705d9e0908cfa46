"""The cases of the report: which networks, on which inputs, simulated how widely."""

from dataclasses import dataclass, replace
from typing import Any, final

import igbtheory as igb

ACTIVATIONS = {"linear": "linear", "tanh": "tanh", "relu": "ReLU"}
"""The activations, and how a person writes them."""
NORMS = {"batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}
PLACEMENTS = ("before", "after")
INPUTS = {
    "gaussian": "Gaussian inputs N(0, 1)",
    "digits": "200 handwritten digits, standardised by the mean and standard deviation of all 1,797",
}
DIGITS = 200


@final
@dataclass(frozen=True)
class Size:
    """An ensemble: so many networks of the width, of twice and of four times the width, and Gaussian data for each."""

    networks: int
    width: int
    samples: int


# standard errors aimed at: at most 2%, 4% and 17% of gamma of ReLU at depths 1, 3 and 20
# deviations are of order depth/width: deep networks must be wide to show a trend in 1/width, and few to be quick
# as many data at every depth: full-batch norms depend on their number
FULL = {1: Size(400, 48, 100), 3: Size(300, 48, 100), 20: Size(40, 96, 100)}
QUICK = {1: Size(100, 32, 100), 3: Size(100, 32, 100), 20: Size(40, 48, 100)}
NORMED = 100
"""Networks at most of a case with a norm: the error of its gamma stays below 0.003 at depth 1."""


@final
@dataclass(frozen=True)
class Case:
    """One network on one kind of inputs, and the ensemble that is drawn beside the prediction."""

    inputs: str
    activation: str
    depth: int
    size: Size
    norm: str | None = None
    placement: str = "before"

    @property
    def title(self) -> str:
        """The network as the page and the pictures name it."""
        norm = "" if self.norm is None else f", {NORMS[self.norm]} {self.placement}"
        return f"{ACTIVATIONS[self.activation]}{norm}, depth {self.depth}"

    @property
    def work(self) -> float:
        """The work of drawing the ensemble: the number of layers drawn, which its time grows with."""
        return float(self.size.networks * (self.depth + 1))

    def network(self) -> igb.Network:
        """Return the network with the variances that the papers take for ReLU, 2 of the weights and 0 of the biases."""
        return igb.mlp(self.depth, self.activation, norm=self.norm, placement=self.placement)


def plain(sizes: dict[int, Size]) -> list[Case]:
    """Return the cases without norms, one ensemble size a depth; the depths are those of `sizes`."""
    return [Case(i, a, d, size) for i in INPUTS for a in ACTIVATIONS for d, size in sizes.items()]


def normed(sizes: dict[int, Size]) -> list[Case]:
    """Return the cases of ReLU with every norm in every placement, shallow and deep, on Gaussian inputs."""
    few = {d: replace(sizes[d], networks=min(sizes[d].networks, NORMED)) for d in (min(sizes), max(sizes))}
    return [Case("gaussian", "relu", d, size, n, p) for n in NORMS for p in PLACEMENTS for d, size in few.items()]


def input_values() -> dict[str, Any]:
    """Return the inputs by name, as the library takes them."""
    return {"gaussian": igb.GaussianInputs(), "digits": igb.standardised(igb.digits())[:DIGITS]}
