"""The power of the factor of all weights that multiplies the outputs of a network."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.layers.activation import phi_of
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import entering, widths
from igbtheory.layers.dropout import Noisy
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.samples import undrawn

DATA, UNITS = 4, 32
"""Numbers of data, and of units that a layer with weights reads, with which each layer is tried."""


def matrices(layers: Sequence[Layer], data: NDArray[Any]) -> int:
    """Return the m with f(b x; a weights) = a^m b f(x; weights) for all factors a, b > 0, f the network.

    Each layer is tried with its own units of some of the data: factors of 2 are exact in double precision. ValueError:
    the network has biases, or a layer for which this does not hold, such as a norm.
    """
    norm, power = batch_of(layers), 0
    x = entering(layers, data)[: (norm and norm.batch_size) or DATA].astype(float)
    for layer, units in zip(layers, widths(layers, UNITS), strict=True):
        behind = _samples(layer, x, units)
        count = _power(layer, x, behind, units)
        if count is None:
            raise ValueError(
                "expected Dense and convolutions without biases, pools, and activations with phi(a x) = a phi(x), such "
                f"as relu, for weight decay, got {layer!r}; pass weight_decay=0"
            )
        x, power = behind, power + count
    return power


def _power(layer: Layer, x: NDArray[Any], behind: NDArray[Any], units: int) -> int | None:
    """Return the m of a layer with these samples behind the units x: 1 if it has weights, 0 if it has none."""
    if (phi := phi_of(layer)) is not None:
        return 0 if phi.degree == 1 else None
    if not np.array_equal(_samples(layer, 2 * x, units), 2 * behind):
        return None
    if isinstance(layer, Noisy) or undrawn(layer, x) is not None:
        return 0
    if layer.ways or not hasattr(layer, "sigma_w2"):  # paths with different numbers of weights; weights of a user
        return None
    heavier = copy(layer)
    object.__setattr__(heavier, "sigma_w2", 4 * layer.sigma_w2)
    return 1 if np.array_equal(_samples(heavier, x, units), 2 * behind) else None


def _samples(layer: Layer, x: NDArray[Any], units: int) -> NDArray[Any]:
    """Return samples behind a layer, with the same random numbers at each call."""
    return layer.samples(x, np.random.default_rng(0), units)
