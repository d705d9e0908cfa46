"""Predictions behind every layer of a model at the model's own widths."""

import warnings

import numpy as np
from numpy.typing import NDArray

from igbtheory.networks.simulation.estimates import FEW, LayerEstimates
from igbtheory.networks.width.predicted import behind_layers
from igbtheory.torch.at_widths import AtWidths
from igbtheory.torch.moments import at_class_token
from igbtheory.torch.reading import Reading

Array = NDArray[np.float64]
FOR_EACH = 100
"""Number of networks that are drawn for each model that is measured: on their pairs of data gamma has about half the
error that it has on all data of the models."""
NUMBERS = 5 * 10**7
"""Number of random numbers that are drawn for an explanation, which take about two seconds; more for FEW networks."""
OTHER_LAWS = {"uniform": 0.2, "orthogonal": 0.5}
"""Change of log gamma, relative to the sum of 1/width over the layers, if all weights are drawn from other laws than a
normal one: measured on ReLU networks of widths 8 to 64 and depths 3 to 10; of tanh it is 0.03 for uniform weights."""


def at_widths(
    reading: Reading, data: Array, names: list[str], draws: tuple[int, int], wanted: int | None = None
) -> AtWidths:
    """Return the estimates behind the named nodes.

    draws: the number of measured models, and the seed. wanted: the largest number of networks, by default FOR_EACH for
    each of these models.
    """
    try:
        network = reading.network()
    except ValueError as error:  # a sentence of its own says what is not read
        return AtWidths(refused="the model is not read as a whole" if reading.unread else str(error))
    # a step has the widths of all layers inside its block; the first number of all is that of the data
    blocks = [step.channels for step in reading.trunk if step.channels]
    blocks[0] = blocks[0][1:]
    size = sum(float(np.mean(1 / np.array(channels))) for channels in blocks if channels)
    read = {step for path in reading.paths.values() for step in path if step.read}
    laws = ",".join(law for step in read for law in next(iter(step.read.values())).laws)
    of_weights = size * max((change for law, change in OTHER_LAWS.items() if law in laws), default=0.0)
    most = wanted or FOR_EACH * draws[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the errors are part of the result
            estimates, count = behind_layers(
                network,
                data,
                network.widths or 1,
                lambda numbers: int(np.clip(NUMBERS // numbers, min(most, FEW), most)),
                draws[1],
            )
    except ValueError as error:
        return AtWidths(network.widths, size, refused=str(error))
    places = np.array([_place(reading, name) for name in names])
    columns = {
        name: np.where(places >= 0, np.append(values, np.nan)[places], np.nan)
        for name, values in vars(estimates).items()
    }
    return AtWidths(network.widths, size, count, LayerEstimates(**columns), of_weights=of_weights)


def _place(reading: Reading, name: str) -> int:
    """Return the number of layers of the network in front of a node, -1 if there are no estimates at it."""
    path, trunk = reading.paths.get(name, ()), reading.trunk
    on_trunk = all(a is b for a, b in zip(path, trunk, strict=False))
    return len(path) if path and on_trunk and not at_class_token(path, trunk) else -1
