"""A run of a figure: predictions, ensembles of finite networks, and a record of both for its caption and JSON file."""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.accuracy import AccuracyWarning
from igbtheory.foundations.runs import Store
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.network import Network
from igbtheory.networks.simulation import Simulation
from igbtheory.networks.simulation.ensemble import outputs
from igbtheory.networks.simulation.extrapolation import FACTORS
from igbtheory.phases import Diagram, Gradients, diagram, gradients
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.over_widths import OverWidths, gamma_over_widths, over_widths
from igbtheory.theory.prediction import Prediction

FEWEST = 12
"""Smallest number of networks of an ensemble, from which standard errors can be estimated."""


@final
@dataclass(frozen=True, eq=False)
class Ensemble:
    """Finite networks of three widths: G0, (widths, networks); moments, (widths, networks, dense layers, 2)."""

    widths: tuple[int, ...]
    G0: NDArray[np.float64]
    moments: NDArray[np.float64]

    @property
    def gamma(self) -> OverWidths:
        """Gamma after every Dense."""
        return gamma_over_widths(self.widths, self.moments)

    def mean(self, of_share: Callable[[Any], Any]) -> OverWidths:
        """Return the mean of a function of G0, as a quantity at one place."""
        return over_widths(self.widths, of_share(self.G0)[..., None])


@final
@dataclass(frozen=True)
class Run:
    """A run of a figure.

    effort: 1 for print, less for fewer networks and points; who: `workers` or `executor`, as in `simulate`; store:
    keeps ensembles and diagrams. record: what was computed, for the JSON file of the figure. drawn, facts: the
    finite networks, and sentences about other draws, for the caption of the figure.
    """

    effort: float = 1.0
    who: dict[str, Any] = field(default_factory=dict)
    store: Store | None = None
    record: list[dict[str, Any]] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def some(self, number: int, least: int = FEWEST) -> int:
        """Return the number scaled by the effort, and at least `least`."""
        return max(least, round(self.effort * number))

    def predict(self, network: Network, inputs: Any = None) -> Prediction:
        """Return the prediction in infinite width; inputs: default N(0, 1)."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)  # the record holds the error
            prediction = network.predict(inputs)
        self._told("predicted", network, inputs, prediction.error)
        return prediction

    def gradients(self, network: Network, inputs: Any = None) -> Gradients:
        """Return the gradients at initialisation, in infinite width; inputs: default N(0, 1)."""
        backward = gradients(network, inputs)
        self._told("gradients of", network, inputs, backward.error)
        return backward

    def diagram(self, activation: Any, sigma_w2: Any, sigma_b2: Any, depth: int, pool: Any = None) -> Diagram:
        """Return the phase diagram for inputs N(0, 1)."""
        axes = np.asarray(sigma_w2).tolist(), np.asarray(sigma_b2).tolist()
        phases: Diagram = self._once(
            ("phase diagram", str(activation), repr(pool), depth, axes),
            lambda: diagram(activation, sigma_w2, sigma_b2, depth, pool=pool, **self.who),
        )
        self.record.append({"phase diagram of": phases.title, "depth": depth, "relative_error": phases.error})
        return phases

    def _told(self, what: str, network: Network, inputs: Any, error: Any) -> None:
        self.record.append({what: repr(network), "inputs": described(inputs), "relative_error": float(np.max(error))})

    def ensemble(
        self, network: Network, networks: int, width: int, samples: int, seed: int = 0, inputs: Any = None
    ) -> Ensemble:
        """Return independent ensembles of finite networks at the width, twice and four times the width."""
        widths = tuple(factor * width for factor in FACTORS)
        seeds = np.random.SeedSequence(seed).generate_state(len(FACTORS)).tolist()
        simulations = [
            self.simulate(network, networks, wide, samples, one_seed, inputs)
            for wide, one_seed in zip(widths, seeds, strict=True)
        ]
        G0, moments = (np.stack([getattr(part, name) for part in simulations]) for name in ("G0", "moments"))  # noqa: N806
        return Ensemble(widths, G0, moments)

    def simulate(
        self, network: Network, networks: int, width: int, samples: int, seed: int = 0, inputs: Any = None
    ) -> Simulation:
        """Return an ensemble of finite networks of one width; networks: their number at full effort."""
        count = self.some(networks)
        told = {"simulated": repr(network), "inputs": described(inputs), "networks": count, "width": width}
        told |= {"samples": samples, "seed": seed}
        self.record.append(told)
        simulation: Simulation = self._once(
            told, lambda: network.simulate(count, width, samples, seed, inputs, **self.who)
        )
        self.drawn.append(Drawn.by(simulation, f"{network!r} on {described(inputs)}"))
        return simulation

    def outputs(
        self, network: Network, n_classes: int, networks: int, width: int, samples: int, seed: int
    ) -> Iterator[NDArray[np.float64]]:
        """Return an iterator over the outputs of so many finite networks on Gaussian data, (samples, n_classes)."""
        told = {"outputs of": repr(network), "n_classes": n_classes, "networks": networks, "width": width}
        self.record.append(told | {"samples": samples, "seed": seed})
        self.drawn.append(Drawn(repr(network), networks, width, samples))
        return outputs(network, n_classes, networks, width, samples, seed)

    def _once(self, what: Any, work: Callable[[], Any]) -> Any:
        """Return the result of some work, from the store if it is there."""
        return work() if self.store is None else self.store.once(what, work)


def described(inputs: Any) -> str:
    """Return a text that identifies the inputs."""
    if inputs is None or isinstance(inputs, GaussianInputs):
        return repr(inputs or GaussianInputs())
    array = np.ascontiguousarray(inputs)
    return f"data of shape {array.shape}, sha256 {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"
