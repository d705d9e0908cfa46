"""About how long the kernel of given images or sequences takes, which decides whether it is computed."""

from collections.abc import Sequence
from math import ceil, isqrt, prod
from typing import Any

from igbtheory.layers.activation import phi_of
from igbtheory.layers.chain import behind_undrawn, each, entering, needs, shapes
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.places import Places
from igbtheory.layers.spatial import OfData
from igbtheory.theory.kernels import BLOCK
from igbtheory.theory.refusals import TooLargeError

ENTRY, CURVED, DRAWN = 5e-8, 3e-6, 2e-6
"""Seconds of one core that a layer takes for one entry of the kernel, a pair of data at a pair of positions: ENTRY for
most layers, CURVED for activations without a closed form, and DRAWN for layers that are estimated from draws. Measured
on convolutions, pools, ReLU and tanh; right to a factor of about three."""
OF_BLOCK = 2e-6
"""Seconds of a layer for a pair of positions of a block of data, however few they are."""


def refuse_long(layers: Sequence[Layer], data: Any, longest: float) -> None:
    """Refuse images and sequences whose kernel takes longer than so many seconds; that of vectors takes little."""
    x = entering(layers, data)
    shapes(layers, x.shape[2:])  # layers whose positions do not fit say so, which drawing them would not
    behind, x = behind_undrawn(layers, x)
    if x.ndim > 2 and (needed := _seconds(behind, len(x), x.shape[2:])) > longest:
        about = float(f"{needed:.1g}")
        raise TooLargeError(
            f"in infinite width the kernel of all pairs of data and positions would take about {about:g} seconds"
        )


def _seconds(layers: Sequence[Layer], count: int, shape: tuple[int, ...]) -> float:
    """Return about how many seconds the kernel of so many data with positions of this shape takes."""
    whole, sum_of = any(layer.whole for layer in layers), 0.0
    offsets: tuple[int, ...] = (0,)
    for layer, before in zip(reversed(layers), reversed(shapes(layers, shape)[:-1]), strict=True):
        if before and not whole:
            offsets = tuple(sorted({0, *needs(layer, before, offsets)}))
        pairs = prod(before) ** 2 if whole else Places(before, offsets).size
        blocks = 0 if whole else ceil(count / max(1, isqrt(BLOCK // pairs))) ** 2 / 2
        sum_of += sum(pairs * (OF_BLOCK * blocks + count**2 * _of_entry(one)) for one in each((layer,)))
    return sum_of


def _of_entry(layer: Layer) -> float:
    """Return the seconds that a layer takes for a pair of data at a pair of positions."""
    if (phi := phi_of(layer)) is not None and not phi.closed:
        return CURVED
    return DRAWN if isinstance(layer, OfData) and type(layer).kernel is OfData.kernel else ENTRY
