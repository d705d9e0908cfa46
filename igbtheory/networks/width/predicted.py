"""`Network.predict(width=...)`: what is asked is checked, and predicted by the method that holds."""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from igbtheory.foundations import checks
from igbtheory.layers.chain import entering, shapes, swept
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.simulation.estimates import LayerEstimates, bias_of_guesses
from igbtheory.networks.simulation.finite import checked_inputs
from igbtheory.networks.simulation.values import Predictable
from igbtheory.networks.width.blocks import DoesNotHoldError
from igbtheory.networks.width.expansion import expand
from igbtheory.networks.width.pairs import on_pairs, on_pairs_everywhere
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.networks.width.widths import units_made, units_read

Method = Literal["expansion", "pairs"]
METHODS = get_args(Method)


def at_width(
    network: Predictable,
    inputs: Any,
    width: Any,
    *,
    features: int | None = None,
    method: Method | None = None,
    networks: int | None = None,
    seed: int = 0,
) -> WidthPrediction:
    """Return the prediction for networks of finite width.

    width: the number of units that every Dense but the first reads, or these numbers one by one, in the order of the
    layers; the Dense in front of MaxPool(m) makes m times as many. On images and sequences it counts channels, and
    convolutions and attention count as Dense. features: the number of components of Gaussian inputs, by default the
    first width. method: "pairs" draws many networks without their weights, exactly; "expansion" is of first order in
    1/width; None: the expansion on Gaussian inputs where it holds, else pairs. networks: how many of them, None for as
    many as about two seconds allow. seed: the same seed gives the same numbers. ValueError, TypeError: sweeps, widths
    that do not match the layers, and what the expansion refuses.

    network, inputs: as in `Network.predict`, which calls this function.

    >>> prediction = igb.mlp(3, "relu").predict(width=100)
    >>> print(f"{prediction.gamma_guess:.3f}")
    1.584
    """
    checks.known("method", "pairs" if method is None else method, METHODS)
    count = None if networks is None else checks.whole("networks", networks, 2)
    seed = checks.whole("seed", seed, 0)
    inputs = checked_inputs(inputs)
    widths, units = units_at(network, inputs, width, features)
    if not widths and units[0] != width:
        raise ValueError(
            f"expected a network whose second Dense has a width, got one Dense, which reads the data, and {width=}; "
            "leave it out, for infinite width"
        )
    refused = ""
    if method == "expansion" and count is not None:
        raise ValueError('expected networks= with method="pairs" only, got method="expansion", which draws no networks')
    if method == "expansion" or (method is None and isinstance(inputs, GaussianInputs) and count is None):
        try:
            return _expanded(network, inputs, widths, units[0])
        except DoesNotHoldError as error:
            if method:
                raise DoesNotHoldError(f'{error}; pass method="pairs", which draws networks') from None
            refused = str(error)
    return on_pairs(network, inputs, widths, units, count, seed, refused)


def behind_layers(
    network: Predictable, inputs: Any, width: Any, networks: Callable[[int], int], seed: int
) -> tuple[LayerEstimates, int]:
    """Return estimates of the inputs, behind every layer, and of the output, and the number of networks drawn.

    They are what a Dense that reads the units there sees. networks: returns the number of networks from the number of
    random numbers, about, that one of them takes; the other arguments as in `at_width`. ValueError: as there.
    """
    inputs = checked_inputs(inputs)
    _, units = units_at(network, inputs, width)
    return on_pairs_everywhere(network, inputs, units, networks, seed)


def units_at(
    network: Predictable, inputs: Any, width: Any, features: Any = None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what the second and later Dense layers read, and the features and what the layers with weights make."""
    if any(map(np.ndim, swept(network.layers))):
        raise ValueError("expected one network with width=, got a sweep; loop over its values")
    _refuse_inputs(inputs, features)
    given = None if isinstance(inputs, GaussianInputs) else entering(network.layers, inputs).shape[1:]
    shapes(network.layers, given[1:] if given else ())
    components = None if features is None else checks.whole("features", features, 1)
    read = units_read(network.layers, width, given[0] if given else components)
    made, front = units_made(network.layers, read, components)
    return tuple(read[: len(made) - 1]), (given[0] if given else front, *made)


def _expanded(network: Predictable, inputs: Any, widths: tuple[int, ...], features: int) -> WidthPrediction:
    """Return the prediction to first order in 1/width."""
    expansion = expand(network.layers, widths, inputs, features)
    moments = (expansion.var_mu, expansion.var_chi, expansion.gamma)
    pairs = [(value, expansion.moments_error * value) for value in moments]
    of_guesses = (expansion.var_g0, expansion.error * expansion.var_g0)
    pairs += [of_guesses, bias_of_guesses(*of_guesses)]
    per_layer = LayerEstimates(*[*(part for pair in pairs for part in pair), 0 * expansion.var_g0])
    return WidthPrediction(per_layer, network, inputs, widths, features, "expansion", 0, expansion.source())


def _refuse_inputs(inputs: Any, features: Any) -> None:
    """Refuse data that are all equal, and a number of features that the data have already."""
    gaussian = isinstance(inputs, GaussianInputs)
    if not gaussian and features is not None:
        raise ValueError(f"expected features= of Gaussian inputs, got data of {inputs.shape[1]} features; leave it out")
    if inputs.variance == 0 if gaussian else np.ptp(inputs, axis=0).max() == 0:
        raise ValueError(
            "expected data that differ, got equal ones (c = 1), of which every network makes one guess; pass data that "
            "vary"
        )
