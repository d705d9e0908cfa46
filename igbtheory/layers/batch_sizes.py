"""The batches into which the BatchNorm layers of a network divide its data."""

from collections.abc import Iterable, Iterator

import numpy as np

from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import each
from igbtheory.layers.layer import Layer


def batch_of(layers: Iterable[Layer]) -> BatchNorm | None:
    """Return a BatchNorm of the network, or None if there is none. Layers with different batches are refused."""
    found = {layer.batch_size: layer for layer in _trained(layers)}
    if len(found) > 1:
        first, second, *_ = found.values()
        raise ValueError(f"expected the same batches in a whole network, got {first!r} and {second!r}")
    return next(iter(found.values()), None)


def sees_batches(layers: Iterable[Layer]) -> bool:
    """Return whether a BatchNorm in batches has eps > 0, so that covariances within a batch in front of it count."""
    return any(layer.batch_size is not None and bool(np.any(layer.eps)) for layer in _trained(layers))


def _trained(layers: Iterable[Layer]) -> Iterator[BatchNorm]:
    return (layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains)
