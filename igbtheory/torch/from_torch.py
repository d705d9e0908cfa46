"""Networks of the theory from PyTorch models."""

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from igbtheory.foundations import checks
from igbtheory.foundations.accuracy import EstimateWarning
from igbtheory.foundations.device import require_torch
from igbtheory.foundations.text import measured

if TYPE_CHECKING:
    from igbtheory.networks.network import Network


def from_torch(
    model: Any,
    X: Any,  # noqa: N803 - as scikit-learn spells data
    *,
    seed: int = 0,
    output: str | int | None = None,
) -> "Network":
    """Return the network of the theory that corresponds to a PyTorch model, with the variances of its weights.

    model: a torch.nn.Module, or a function without arguments that makes new ones; some are drawn, as in `measure`.
    Of a model of more than 1 GiB the function draws few weights beyond, so that it may be larger than the memory.
    Models stay in the mode in which they come. X, output: as in `measure`; a few of the data pass through the model.
    If a known initialiser fits the weights (PyTorch's default, Kaiming, Xavier, orthogonal, usual standard deviations),
    they have its variance; otherwise the variance is measured over the weights, and EstimateWarning gives its error.
    A first layer of uniform weights that reads vectors of fewer than 32 numbers, whose sums are not normal, is drawn as
    it is where this changes gamma behind the next functions by over 5 %; `train` and Gaussian inputs keep normal ones.
    Outputs for every token, as of language models, stand behind an EachToken; a UserWarning tells if they have the
    weights of the embedding. A last layer of zeros, whose guesses tie, is replaced by one with random weights, of which
    a UserWarning tells.

    seed: of the models that are drawn.

    ValueError: a part cannot be read; the error names it, and the layers in front of it.
    ImportError: PyTorch is not installed.

    >>> import torch.nn as nn
    >>> model = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 2))
    >>> print(type(igb.from_torch(model, igb.digits()[:10])).__name__)
    Network
    """
    require_torch()
    from igbtheory.theory.tied import ids_read  # noqa: PLC0415 - few models have tied weights
    from igbtheory.torch.data import checked_data  # noqa: PLC0415 - it loads PyTorch
    from igbtheory.torch.moments import refuse_loops  # noqa: PLC0415 - as above
    from igbtheory.torch.path import layers_of  # noqa: PLC0415 - as above
    from igbtheory.torch.reading import reading  # noqa: PLC0415 - as above
    from igbtheory.torch.tracing import draws_of  # noqa: PLC0415 - as above

    data = checked_data(X)
    read = reading(draws_of(model, checks.whole("seed", seed, 0)), data, output)
    if read.unread:  # weights that each datum passes by itself would look as if they stood in several places
        with suppress(RuntimeError):
            refuse_loops(read, data, output)
    if read.zeros:
        said = (
            f"{read.zeros[-1].name!r} starts at 0, so that all guesses tie; the network has random weights there, and "
        )
        warnings.warn(f"{said}so tells what the features in front of it make of them", UserWarning, stacklevel=2)
        return read.network_of_features()
    tied = read.tied if read.tied and ids_read(layers_of(read.tied.path), data) is not None else None
    if tied:
        read = replace(read, streams={**read.streams, read.output: tied})
    network = read.network()
    if tied:
        said = (
            f"the outputs {tied.path[-1].name!r} have the weights of the embedding; the network has weights of its own "
            f"there, and prediction.vocabulary(size, tied={network.widths[-1]}) takes the tie into account"
        )
        warnings.warn(said, UserWarning, stacklevel=2)
    vague = [
        f"{name} of {step.name} is {measured(part.value, part.error)}"
        for step in read.paths[read.output]
        for name, part in step.read.items()
        if part.error
    ]
    if vague:
        said = f"measured over the weights, whose initialiser is not known: {'; '.join(vague)}"
        warnings.warn(said, EstimateWarning, stacklevel=2)
    return network
