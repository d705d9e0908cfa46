"""The batches into which the BatchNorm layers of a network divide its data."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from igbtheory.layers.activation import Activation
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import each
from igbtheory.layers.layer import Layer
from igbtheory.layers.pooling import MaxPool


def batch_of(layers: Iterable[Layer]) -> BatchNorm | None:
    """Return a BatchNorm of the network, or None if there is none. Layers with different batches are refused."""
    norms = {layer.batch_size: layer for layer in _trained(layers)}
    if len(norms) > 1:
        first, second, *_ = norms.values()
        raise ValueError(f"expected the same batches in a whole network, got {first!r} and {second!r}")
    return next(iter(norms.values()), None)


def sees_batches(layers: Iterable[Layer]) -> bool:
    """Return whether covariances within a batch count in front of a BatchNorm: it has eps > 0, or reads a function.

    Without eps the scale of a unit counts for nothing, but a function such as ReLU may be constant over a batch.
    """
    return any(
        isinstance(layer, BatchNorm)
        and layer.trains
        and layer.batch_size is not None
        and (bool(np.any(layer.eps)) or isinstance(before, Activation | MaxPool))
        for before, layer in pairwise((None, *each(layers)))
    )


def _trained(layers: Iterable[Layer]) -> Iterator[BatchNorm]:
    return (layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains)
