"""Several classes in the report: their shares of the data and what losses ask, in theory and of finite networks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from igbtheory.guesses import ClassGuessLaw, accuracy_bound
from igbtheory.guesses.sampled import SampledLaw, ordered
from igbtheory.losses import LossAtStart, measured, usual_losses
from igbtheory.losses.outputs import limit_outputs
from igbtheory.report.cases import Case
from igbtheory.report.study import Outcome
from igbtheory.simulation.outputs import outputs

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


def study_classes(outcomes: list[Outcome], seed: int, progress: Callable[[str], None]) -> list[ClassStudy]:
    """Studies of the ReLU networks without norm on Gaussian inputs, of the widest ensembles."""
    cases = (o for o in outcomes if (o.case.inputs, o.case.activation, o.case.norm) == ("gaussian", "relu", None))
    return [_study(outcome, seed, progress) for outcome in cases]


def _study(outcome: Outcome, seed: int, progress: Callable[[str], None]) -> ClassStudy:
    case, width = outcome.case, outcome.widest.width
    progress(f"{CLASSES} classes, depth {case.depth}")
    found = list(outputs(case.network(), CLASSES, case.size.networks, width, case.size.samples, seed))
    shares = np.array([np.bincount(array.argmax(axis=1), minlength=CLASSES) for array in found]) / case.size.samples
    law = ClassGuessLaw(outcome.unlimited, CLASSES).finite(case.size.samples)
    expected = law.rvs(NETWORKS, np.random.default_rng(seed)) / case.size.samples
    losses = usual_losses()
    draw, rng = limit_outputs(outcome.prediction, CLASSES, case.size.samples), np.random.default_rng(seed)
    limit = [draw(rng) for _ in range(NETWORKS)]
    return ClassStudy(
        case,
        width,
        ordered(expected),
        ordered(shares),
        {name: measured(limit, loss) for name, loss in losses.items()},
        {name: measured(found, loss) for name, loss in losses.items()},
    )
