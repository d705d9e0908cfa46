"""Several classes in the report: their shares of the data and what losses ask, in theory and of finite networks."""

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from igbtheory.guesses import accuracy_bound
from igbtheory.guesses.sampled import SampledLaw, ordered
from igbtheory.losses import LossAtStart, measured, usual_losses
from igbtheory.losses.outputs import limit_outputs
from igbtheory.processes import Task
from igbtheory.report.cases import Case
from igbtheory.simulation.ensemble import outputs
from igbtheory.simulation.extrapolation import FACTORS

CLASSES = 10
NETWORKS = 400
"""Infinitely wide networks drawn."""


@final
@dataclass(frozen=True, eq=False)
class ClassStudy:
    """A network with CLASSES outputs: laws over initialisations, predicted and of finite networks as they are.

    shares, found_shares: shares of as many data as were simulated, the favoured class first. losses, found_losses: by
    name of the loss.
    """

    case: Case
    width: int
    shares: SampledLaw
    found_shares: SampledLaw
    losses: dict[str, LossAtStart]
    found_losses: dict[str, LossAtStart]

    @property
    def accuracy(self) -> tuple[SampledLaw, SampledLaw]:
        """Largest accuracy that the guesses allow where classes are equally many: in theory, and of finite networks."""
        theory, found = (SampledLaw(accuracy_bound(law.draws)) for law in (self.shares, self.found_shares))
        return theory, found


def has_classes(case: Case) -> bool:
    """Return whether the case is studied with several classes: ReLU without norm on Gaussian inputs."""
    return (case.inputs, case.activation, case.norm) == ("gaussian", "relu", None)


def class_studies(cases: list[Case], seed: int) -> list[Task]:
    """Return the tasks that study the networks of the cases, each at the largest width of its ensemble."""
    return [partial(_study, case, seed) for case in cases]


def _study(case: Case, seed: int) -> ClassStudy:
    network, samples, width = case.network(), case.size.samples, FACTORS[-1] * case.size.width
    prediction = network.predict()
    found = list(outputs(network, CLASSES, case.size.networks, width, samples, seed))
    shares = np.array([np.bincount(array.argmax(axis=1), minlength=CLASSES) for array in found]) / samples
    expected = prediction.guesses(CLASSES).finite(samples).rvs(NETWORKS, np.random.default_rng(seed)) / samples
    draw, rng = limit_outputs(prediction, CLASSES, samples), np.random.default_rng(seed)
    limit = [draw(rng) for _ in range(NETWORKS)]
    losses = usual_losses()
    return ClassStudy(
        case,
        width,
        ordered(expected),
        ordered(shares),
        {name: measured(limit, loss) for name, loss in losses.items()},
        {name: measured(found, loss) for name, loss in losses.items()},
    )
