"""Outputs of several classes of finite networks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.inputs import GaussianInputs
from igbtheory.numbers.threads import one_thread
from igbtheory.simulation.finite import FiniteNetwork, checked_inputs, finite_network
from igbtheory.simulation.result import Simulated


def outputs(
    network: Simulated,
    n_classes: int,
    networks: int = 200,
    width: int = 256,
    samples: int = 1000,
    seed: int = 0,
    inputs: Any = None,
) -> Iterator[NDArray[np.float64]]:
    """Outputs of finite networks one after the other, arrays (n_samples, n_classes); numbers as in `simulate`.

    Network i draws from SeedSequence(seed, spawn_key=(i,)). What single precision cannot hold comes as inf or NaN.
    """
    classes = checks.whole("n_classes", n_classes, 1)
    networks, width = checks.whole("networks", networks, 1), checks.whole("width", width, 1)
    seed = checks.whole("seed", seed, 0)
    inputs = checked_inputs(GaussianInputs() if inputs is None else inputs)
    size = checks.whole("samples", samples, 1) if isinstance(inputs, GaussianInputs) else len(inputs)
    drawn = finite_network(network.layers, inputs, size, width)
    return _drawn(drawn, classes, [np.random.SeedSequence(seed, spawn_key=(i,)) for i in range(networks)])


def _drawn(
    network: FiniteNetwork, n_classes: int, seeds: list[np.random.SeedSequence]
) -> Iterator[NDArray[np.float64]]:
    """Return the outputs network by network; BLAS has one thread, so that its sums do not depend on the cores."""
    for seed in seeds:
        with one_thread():
            found = network.outputs(seed, n_classes)
        yield found
