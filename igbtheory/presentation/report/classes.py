"""Several classes in the report: their shares of the data and the gradients of losses, predicted and simulated."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.guesses import accuracy_bound, mean_shares
from igbtheory.guesses.sampled import SampledLaw
from igbtheory.networks.losses import LossAtStart, usual_losses
from igbtheory.networks.losses.outputs import limit_outputs
from igbtheory.networks.losses.start import each_measured
from igbtheory.networks.simulation.ensemble import outputs
from igbtheory.presentation.report.cases import DATA, GAUSSIAN, Case, Size

Array = NDArray[np.float64]

CLASSES = 10
"""Number of outputs of the networks, as of a classifier of digits."""
NETWORKS = 200
"""Number of infinitely wide networks that are drawn: means have errors of a fourteenth of a standard deviation."""


@final
@dataclass(frozen=True, eq=False)
class ClassStudy:
    """A network with CLASSES outputs: laws over initialisations, predicted and simulated at one width.

    Classes are ordered by their mean outputs, the favoured one first. mean: exact mean shares of as many data as were
    simulated. drawn, simulated: laws of the shares in infinitely wide networks and in finite ones. losses,
    simulated_losses: the gradients of the losses, by their names, in infinitely wide networks and in finite ones.
    """

    case: Case
    width: int
    mean: Array
    drawn: SampledLaw
    simulated: SampledLaw
    losses: dict[str, LossAtStart]
    simulated_losses: dict[str, LossAtStart]

    @property
    def accuracy(self) -> tuple[SampledLaw, SampledLaw]:
        """Largest accuracy that the guesses allow on balanced classes: predicted, and of finite networks."""
        theory, simulated = (SampledLaw(accuracy_bound(law.draws)) for law in (self.drawn, self.simulated))
        return theory, simulated


def has_classes(case: Case) -> bool:
    """Return whether several classes of the case are studied: ReLU without a norm on Gaussian inputs."""
    return (case.inputs, case.activation, case.norm) == (GAUSSIAN, "relu", None)


def class_study(case: Case, size: Size, seed: int) -> ClassStudy:
    """Return the study of the network of the case."""
    network, (networks, width) = case.network(), size.classes[case.depth]
    prediction = network.predict()
    simulated = list(outputs(network, CLASSES, networks, width, DATA, seed))
    draw, rng = limit_outputs(prediction, CLASSES, DATA), np.random.default_rng(seed)
    limit = [draw(rng) for _ in range(NETWORKS)]
    losses = usual_losses()
    return ClassStudy(
        case,
        width,
        mean_shares(float(prediction.gamma), CLASSES, DATA),
        _ranked(limit),
        _ranked(simulated),
        each_measured(limit, losses),
        each_measured(simulated, losses),
    )


def _ranked(drawn: list[Array]) -> SampledLaw:
    """Return the law of the shares of the classes, ordered by their mean outputs; drawn: arrays (data, classes)."""
    order = [np.argsort(-outputs.mean(axis=0)) for outputs in drawn]
    shares = [np.bincount(outputs.argmax(axis=1), minlength=CLASSES) / len(outputs) for outputs in drawn]
    return SampledLaw(np.take_along_axis(np.array(shares), np.array(order), axis=1))
