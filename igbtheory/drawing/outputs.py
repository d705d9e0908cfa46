"""Outputs of one finite network, several at a time."""

from typing import Any

import numpy as np

from igbtheory.network import Network


def outputs(network: Network, width: int, samples: int, units: int, rng: np.random.Generator) -> Any:
    """Outputs of a network of this width for fresh Gaussian data N(0, 1), (samples, units), single precision."""
    x = rng.standard_normal((samples, width), dtype=np.float32)
    *hidden, last = network.layers
    for layer in hidden:
        x = layer.samples(x, rng, width)
    return last.samples(x, rng, units)
