"""About how long the kernel of given images or sequences takes, which decides whether it is computed."""

from collections.abc import Sequence
from math import prod

from igbtheory.layers.chain import each, shapes
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Places, Point

ENTRY = 2e-6
"""Seconds of one core that a layer takes for a pair of data at a pair of positions, right to a factor of about four:
measured on convolutions, pools, ReLU (1e-6) and tanh (6e-6)."""


def seconds(layers: Sequence[Layer], count: int, shape: Point) -> float:
    """Return the seconds that the kernel of so many data with positions of this shape takes, about."""
    whole, entries = any(layer.whole for layer in layers), 0
    offsets: tuple[int, ...] = (0,)
    for layer, before in zip(reversed(layers), reversed(shapes(layers, shape)[:-1]), strict=True):
        if before and not whole:
            offsets = tuple(sorted({0, *layer.needs(before, offsets)}))
        pairs = prod(before) ** 2 if whole else Places(before, offsets).size
        entries += pairs * len([*each((layer,))])
    return ENTRY * count**2 * entries
