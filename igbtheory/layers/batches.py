"""How the BatchNorm layers of a network divide its data into batches."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import each
from igbtheory.layers.layer import Layer
from igbtheory.layers.residual import Residual


def batch_of(layers: Iterable[Layer]) -> BatchNorm | None:
    """Return a BatchNorm of the network, whose batches are those of all; None without one. ValueError: two differ."""
    found = {layer.batch_size: layer for layer in _trained(layers)}
    if len(found) > 1:
        first, second, *_ = found.values()
        raise ValueError(f"expected the same batches in a whole network, got {first!r} and {second!r}")
    return next(iter(found.values()), None)


def sees_batches(layers: Iterable[Layer]) -> bool:
    """Return whether a BatchNorm with eps > 0 sees how data of a batch vary together in front of it."""
    return any(layer.batch_size is not None and bool(np.any(layer.eps)) for layer in _trained(layers))


def in_batches(layers: Sequence[Layer], size: int) -> tuple[Layer, ...]:
    """Return the layers with batches of `size` data in place of the full batch."""
    return tuple(_in_batch(layer, size) for layer in layers)


def _trained(layers: Iterable[Layer]) -> Iterator[BatchNorm]:
    return (layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains)


def _in_batch(layer: Layer, size: int) -> Layer:
    if isinstance(layer, BatchNorm) and layer.trains and layer.batch_size is None:
        return BatchNorm(size, layer.estimator, layer.eps)
    if isinstance(layer, Residual):
        return layer.mapped(lambda layers: in_batches(layers, size))
    return layer
