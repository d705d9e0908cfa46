"""The values of an ensemble of finite networks: guesses and moments."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.networks.simulation.estimates import ESTIMATES, LayerEstimates, OutputEstimates, layer_estimates
from igbtheory.theory.prediction import Prediction


class Predictable(Protocol):
    """What an ensemble knows of its networks: their layers, and their prediction in infinite width."""

    @property
    def layers(self) -> tuple[Layer, ...]: ...

    def predict(self, inputs: Any) -> Prediction: ...


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble(OutputEstimates):
    """Ensemble of finite networks: G0 of every network, and the moments and bias ratios at its width, with errors.

    network to inputs: the arguments of the simulation. G0: (networks,). moments: var_mu and var_chi after every Dense
    of every network, given the activations that enter it, (networks, dense layers, 2). guess_variances: E (G0 - 1/2)^2
    over the weights of this Dense, given these activations, (networks, dense layers), from up to 1024 pairs of data:
    without the noise of finitely many data if the inputs are Gaussian, and on a data set with each datum paired with
    itself. tied: the share of the data at which outputs of this Dense tie, (networks, dense layers).
    The estimates have no bias from the finite number of data or networks. They differ from the theory of infinite width
    only because the width is finite.
    """

    network: Predictable
    networks: int
    width: int
    samples: int
    seed: int
    inputs: Any
    G0: NDArray[np.float64]
    moments: NDArray[np.float64]
    guess_variances: NDArray[np.float64] | float = np.nan
    tied: NDArray[np.float64] | float = 0.0

    @cached_property
    def per_layer(self) -> LayerEstimates:
        """Estimates after every Dense layer."""
        return layer_estimates(self.moments[None], np.ones(1), self.guess_variances, self.tied)

    @property
    def gaussian(self) -> bool:
        """Whether the inputs are Gaussian and not a data set."""
        return isinstance(self.inputs, GaussianInputs)

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain values, with G0 of every network."""
        return {
            **{name: getattr(self, name) for name in ("networks", "width", "samples", "seed", *ESTIMATES, "ties")},
            "G0": self.G0,
            "per_layer": {name: getattr(self.per_layer, name) for name in (*ESTIMATES, "ties")},
        }

    def __repr__(self) -> str:
        inputs = repr(self.inputs) if self.gaussian else f"data set of shape {self.inputs.shape}"
        return (
            f"Simulation({self.network!r}: {self.networks} networks, width={self.width}, samples={self.samples}, "
            f"seed={self.seed}, inputs={inputs}; {self._estimates()})"
        )
