"""Which layers mix data, so that pairs of data are not enough."""

from collections.abc import Iterable

import numpy as np

from igbtheory.foundations.saved import PACKAGE
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import each
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.samples import in_front

UNITS = 8
"""Number of units behind a layer by which it is tested."""


def is_of_user(layer: Layer) -> bool:
    """Return whether a layer is the user's own, so that nothing but its samples says what it does."""
    return type(layer).__module__.partition(".")[0] != PACKAGE


def mixes(layers: Iterable[Layer]) -> bool:
    """Return whether a layer makes units of a datum from other data as well."""
    layers = tuple(layers)
    return batch_of(layers) is not None or any(_mixes(layer) for layer in each(layers) if is_of_user(layer))


def _mixes(layer: Layer) -> bool:
    """Return whether the first datum is changed by the second one, with the same random numbers."""
    x = np.random.default_rng(0).standard_normal((2, in_front(layer, UNITS)))
    changed = np.stack([x[0], 2 * x[1] + 1])
    first, other = (layer.samples(data, np.random.default_rng(0), UNITS)[0] for data in (x, changed))
    return not np.array_equal(first, other)
