"""A run of a figure: predictions, ensembles of finite networks, and a record of both."""

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.accuracy import AccuracyWarning
from igbtheory.inputs import GaussianInputs
from igbtheory.network import Network
from igbtheory.phases import Diagram, Gradients, diagram, gradients
from igbtheory.prediction import Prediction
from igbtheory.runs import Store
from igbtheory.simulation.estimates import LayerEstimates, layer_estimates, mean
from igbtheory.simulation.extrapolation import FACTORS, RICHARDSON

FEWEST = 12
"""Smallest number of networks of an ensemble, from which standard errors can be estimated."""


@final
@dataclass(frozen=True, eq=False)
class Ensemble:
    """Finite networks of three widths: G0, (widths, networks); moments, (widths, networks, dense layers, 2)."""

    widths: tuple[int, ...]
    samples: int
    G0: NDArray[np.float64]
    moments: NDArray[np.float64]

    @property
    def widest(self) -> NDArray[np.float64]:
        """G0 of the widest networks."""
        return np.asarray(self.G0[-1])

    @cached_property
    def limit(self) -> LayerEstimates:
        """Estimates after every Dense, extrapolated to infinite width, with standard errors."""
        return layer_estimates(self.moments, RICHARDSON)

    def at_limit(self, of_share: Callable[[Any], Any]) -> tuple[float, float]:
        """Return the mean of a function of G0, extrapolated to infinite width, and its standard error."""
        value, error = mean(of_share(self.G0), RICHARDSON)
        return float(value), float(error)


@final
@dataclass(frozen=True)
class Run:
    """A run of a figure.

    effort: 1 for print, less for fewer networks and points; who: `workers` or `executor`, as in `simulate`; store:
    keeps ensembles and diagrams; record: describes the predictions and simulations, for the JSON file of the figure.
    """

    effort: float = 1.0
    who: dict[str, Any] = field(default_factory=dict)
    store: Store | None = None
    record: list[dict[str, Any]] = field(default_factory=list)

    def some(self, number: int, least: int = FEWEST) -> int:
        """Return the number scaled by the effort, and at least `least`."""
        return max(least, round(self.effort * number))

    def predict(self, network: Network, inputs: Any = None) -> Prediction:
        """Return the prediction in infinite width; inputs: default N(0, 1)."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)  # the record holds the error
            found = network.predict(inputs)
        self._told("predicted", network, inputs, found.error)
        return found

    def gradients(self, network: Network, inputs: Any = None) -> Gradients:
        """Return the gradients at initialisation, in infinite width; inputs: default N(0, 1)."""
        found = gradients(network, inputs)
        self._told("gradients of", network, inputs, found.error)
        return found

    def diagram(self, activation: Any, sigma_w2: Any, sigma_b2: Any, depth: int, pool: Any = None) -> Diagram:
        """Return the phase diagram for inputs N(0, 1)."""
        axes = np.asarray(sigma_w2).tolist(), np.asarray(sigma_b2).tolist()
        found: Diagram = self._once(
            ("phase diagram", str(activation), repr(pool), depth, axes),
            lambda: diagram(activation, sigma_w2, sigma_b2, depth, pool=pool, **self.who),
        )
        self.record.append({"phase diagram of": found.title, "depth": depth, "relative_error": found.error})
        return found

    def _told(self, what: str, network: Network, inputs: Any, error: Any) -> None:
        self.record.append({what: repr(network), "inputs": described(inputs), "relative_error": float(np.max(error))})

    def ensemble(
        self, network: Network, networks: int, width: int, samples: int, seed: int = 0, inputs: Any = None
    ) -> Ensemble:
        """Return independent ensembles of finite networks at the width, twice and four times the width."""
        count = self.some(networks)
        widths = tuple(factor * width for factor in FACTORS)
        seeds = np.random.SeedSequence(seed).generate_state(len(FACTORS)).tolist()
        drawn = {"simulated": repr(network), "inputs": described(inputs), "networks": count}
        parts = []
        for wide, own in zip(widths, seeds, strict=True):
            told = {**drawn, "width": wide, "samples": samples, "seed": own}
            self.record.append(told)
            parts.append(self._once(told, lambda: network.simulate(count, wide, samples, own, inputs, **self.who)))  # noqa: B023
        G0, moments = (np.stack([getattr(part, name) for part in parts]) for name in ("G0", "moments"))  # noqa: N806
        return Ensemble(widths, parts[0].samples, G0, moments)

    def _once(self, what: Any, work: Callable[[], Any]) -> Any:
        """Return the result of some work, from the store if it is there."""
        return work() if self.store is None else self.store.once(what, work)


def described(inputs: Any) -> str:
    """Return a text that identifies the inputs."""
    if inputs is None or isinstance(inputs, GaussianInputs):
        return repr(inputs or GaussianInputs())
    array = np.ascontiguousarray(inputs)
    return f"data of shape {array.shape}, sha256 {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"
