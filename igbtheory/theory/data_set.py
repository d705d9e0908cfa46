"""The prediction on a given data set, from its kernel, or as a mean over worlds: see `layers.few`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.given import real_data
from igbtheory.layers.chain import entering, shapes, swept, unlike
from igbtheory.layers.few import draws_of_few
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import USUAL, Passage
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.kernels import Watched, output_kernel
from igbtheory.theory.prediction import PerLayer, Prediction
from igbtheory.theory.refusals import refuse_lost
from igbtheory.theory.worlds import MOST_WORLDS, kernels_of_worlds, scatter

ROUNDED = 8
"""Largest difference of kernels, in rounding errors of q, that counts as zero."""


def union(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the data of both sets, those of the first in front, and the places of the data of the second in them.

    Data that are equal are one datum, but those that are equal within one set are as many as there.
    """
    waiting: dict[bytes, list[int]] = {}
    for i, key in reversed([*enumerate(_keys(first))]):
        waiting.setdefault(key, []).append(i)
    places: list[int] = []
    new: list[int] = []
    for j, key in enumerate(_keys(second)):
        if equal := waiting.get(key):
            places.append(equal.pop())
        else:
            places.append(len(first) + len(new))
            new.append(j)
    return np.concatenate([first, second[new]]), np.array(places, dtype=np.intp)


def _keys(data: NDArray[Any]) -> list[bytes]:
    """Return what equal data have in common; adding 0 makes -0 the same as 0."""
    return [(np.asarray(datum, dtype=float) + 0.0).tobytes() for datum in data]


def on_data_set(
    layers: Sequence[Layer],
    n: Kind,
    inputs: Any,
    watched: Watched | None = None,
    *,
    last: bool = False,
    passage: Passage = USUAL,
) -> Prediction:
    """Return the prediction for the data set `inputs`, whose kernel is computed in blocks.

    The moments behind layers that are watched come first in its layers. last: whether the moments of the last layer
    alone are computed. passage: that of the layers, but for the world.
    """
    if any(map(np.ndim, swept(layers))):
        raise ValueError("expected one network on a data set, got a sweep; loop over its values")
    from igbtheory.guesses.outputs_at_data import KernelOutputs  # noqa: PLC0415 - Gaussian inputs do not need it

    inputs = real_data(inputs)
    given = entering(layers, inputs)
    shapes(layers, given.shape[2:])
    with np.errstate(all="ignore"):  # numbers that are out of range are refused below
        worlds = kernels_of_worlds(output_kernel(layers, n, given, watched, last=last, passage=passage))
    first = worlds[0]
    q_ab, q = (np.mean([getattr(world, name) for world in worlds], axis=0) for name in ("q_ab", "q"))
    left_out = sum(layer.listed for layer in layers) - 1 if last else 0
    for i, variance in enumerate(q):
        if variance != 0:  # constants are refused if the outputs tie
            refuse_lost(n, variance, left_out + i + 1)
    # smaller values are rounding errors of a centred kernel, or of a kernel of equal data
    least = ROUNDED * n.epsilon * q
    q_ab, var_chi = (np.where(part > least, part, 0 * q) for part in (q_ab, q - q_ab))
    if len(worlds) == 1:
        error = first.error * np.asarray(n.ratio(q, var_chi), dtype=float) + first.of_draws
    else:
        draws = draws_of_few(layers, MOST_WORLDS)
        errors = (
            scatter(worlds, draws, lambda x: x.q_ab / q),
            scatter(worlds, draws, lambda x: (x.q - x.q_ab) / var_chi),
        )
        error = np.maximum(*errors)
    error = np.where(var_chi == 0, 0.0, error)
    # the sum of opposite arcsines is 0 up to rounding
    arcsines = np.maximum(np.mean([world.arcsines for world in worlds], axis=0), 0.0)
    kernel = worlds[0].kernel if len(worlds) == 1 else lambda: np.stack([world.kernel() for world in worlds])
    outputs = KernelOutputs(first.outputs, float(arcsines[-1]), kernel)
    per_layer = PerLayer(n, q_ab, var_chi, error, q_ab, arcsines, left_out=left_out)
    rank = min(world.rank for world in worlds)
    return Prediction(per_layer, outputs, None, rank, unlike(first.estimated), tuple(layers), inputs)
