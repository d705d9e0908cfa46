"""Ensembles of finite networks: their guesses and moments, and the outputs of several classes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.threads import one_thread
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.simulation.finite import FiniteNetworks, checked_inputs, finite_networks
from igbtheory.networks.simulation.values import Predictable


def block_of(drawn: FiniteNetworks, seed: int, block: range) -> dict[str, NDArray[np.float64]]:
    """Return the moments, E (G0 - 1/2)^2 and the ties behind every layer, and the guesses of a block of networks."""
    measured, guesses = zip(*(drawn.measured(SeedSequence(seed, spawn_key=(i,))) for i in block), strict=True)
    moments = np.stack(measured)
    of_guesses = {"guess_variances": moments[..., 2], "ties": moments[..., 3], "guesses": np.array(guesses)}
    return {"moments": moments[..., :2], **of_guesses}


def outputs(
    network: Predictable,
    n_classes: int,
    networks: int = 200,
    width: int = 256,
    samples: int = 1000,
    seed: int = 0,
    inputs: Any = None,
) -> Iterator[NDArray[np.float64]]:
    """Return an iterator over the outputs of finite networks, arrays (n_samples, n_classes); options as in `simulate`.

    Network i draws from SeedSequence(seed, spawn_key=(i,)). Outputs that overflow in single precision are inf or NaN.

    network, networks, width, samples, seed, inputs: as in `simulate`. n_classes: number of outputs.

    >>> next(igb.simulation.outputs(igb.mlp(1, "relu"), n_classes=3, networks=2, width=20, samples=5)).shape
    (5, 3)
    """
    classes = checks.whole("n_classes", n_classes, 1)
    inputs = checked_inputs(GaussianInputs() if inputs is None else inputs)
    drawn, _, count, seed = checked(network, networks, width, samples, seed, inputs, least=1)
    return (_outputs(drawn, SeedSequence(seed, spawn_key=(i,)), classes) for i in range(count))


def _outputs(drawn: FiniteNetworks, seeds: SeedSequence, n_classes: int) -> NDArray[np.float64]:
    with one_thread():  # so that BLAS sums in the same order on any number of cores
        return drawn.outputs(seeds, n_classes)


def checked(
    network: Predictable, networks: Any, width: Any, samples: Any, seed: Any, inputs: Any, *, least: int
) -> tuple[FiniteNetworks, int, int, int]:
    """Return the network to draw, the numbers of data and networks (both at least `least`), and the seed."""
    count, width = checks.whole("networks", networks, least), checks.whole("width", width, 1)
    seed = checks.whole("seed", seed, 0)
    size = checks.whole("samples", samples, least) if isinstance(inputs, GaussianInputs) else len(inputs)
    return finite_networks(checks.network(network).layers, inputs, size, width), size, count, seed
