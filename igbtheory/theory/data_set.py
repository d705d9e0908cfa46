"""The prediction on a given data set, from its kernel, or as a mean over worlds: see `layers.few`."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted
from igbtheory.foundations.threads import one_thread
from igbtheory.layers.chain import each, entering, shapes, swept, unlike
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.draws import SEED, SPARE, standard_error
from igbtheory.layers.nodes.node import USUAL, Passage
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.kernels import THREADS, KernelMeans, Watched, kernel_means
from igbtheory.theory.prediction import PerLayer, Prediction
from igbtheory.theory.refusals import refuse_lost

ROUNDED = 8
"""Largest difference of kernels, in rounding errors of q, that counts as zero."""
WORLDS, MOST_WORLDS, ENTRIES = 64, 128, 2**24
"""Smallest and largest number of worlds of a prediction, and the wanted number of entries of all their kernels."""
FIRST, SCATTER = 8, 1e-3
"""Number of worlds that are enough if the error of c is below SCATTER then, as where scores of attention are small."""


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
    from igbtheory.guesses.dataset import DatasetGuessLaw  # noqa: PLC0415 - Gaussian inputs do not need it

    inputs = checks.real_data(inputs)
    given = entering(layers, inputs)
    shapes(layers, given.shape[2:])
    with np.errstate(all="ignore"):  # numbers that are out of range are refused below
        few = any(layer.few for layer in layers)
        means = partial(kernel_means, watched=watched, last=last, passage=passage)
        worlds = _worlds(layers, n, given, means) if few else [means(layers, n, given)]
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
        error = first.error * np.asarray(n.ratio(q, var_chi), dtype=float)
    else:
        draws = _draws(layers)
        errors = (
            _scatter(worlds, draws, lambda x: x.q_ab / q),
            _scatter(worlds, draws, lambda x: (x.q - x.q_ab) / var_chi),
        )
        error = np.maximum(*errors)
    error = np.where(var_chi == 0, 0.0, error)
    # the sum of opposite arcsines is 0 up to rounding
    arcsines = np.maximum(np.mean([world.arcsines for world in worlds], axis=0), 0.0)
    kernel = worlds[0].kernel if len(worlds) == 1 else lambda: np.stack([world.kernel() for world in worlds])
    law = DatasetGuessLaw(first.outputs, float(arcsines[-1]), kernel)
    per_layer = PerLayer(n, q_ab, var_chi, error, q_ab, arcsines, left_out=left_out)
    rank = min(world.rank for world in worlds)
    return Prediction(per_layer, law, None, rank, unlike(first.estimated), tuple(layers), inputs)


def _worlds(layers: Sequence[Layer], n: Kind, given: Any, means_of: Callable[..., KernelMeans]) -> list[KernelMeans]:
    """Return the means in independent worlds, in each of which the few weights of the layers are drawn."""
    count = min(max(WORLDS, ENTRIES // _positions(layers, given) ** 2), MOST_WORLDS)

    def world(rng: np.random.Generator) -> KernelMeans:
        with one_thread(), np.errstate(all="ignore"):
            settled = tuple(layer.settled(rng) for layer in layers)
            number = 1 + int(rng.integers(2**32))
            means = means_of(settled, n, given, number)
            kernel = means.kernel()
        return replace(means, kernel=lambda: kernel)

    rngs = np.random.default_rng(SEED).spawn(count)

    def enough() -> Iterator[KernelMeans]:
        """Yield the worlds, and end with the first ones where they hardly differ."""
        yield from (first := list(pool.map(world, rngs[:FIRST])))
        if not np.max(_scatter(first, _draws(layers), lambda x: x.q_ab / x.q)) < SCATTER:
            yield from pool.map(world, rngs[FIRST:])

    with ThreadPoolExecutor(THREADS) as pool:
        return list(counted(enough(), count, "kernels with the few weights drawn"))


def _positions(layers: Sequence[Layer], given: Any) -> int:
    """Return the largest number of positions of all data behind any of the layers."""
    return len(given) * max(prod(shape) for shape in shapes(layers, given.shape[2:])[1:])


def _draws(layers: Sequence[Layer]) -> int:
    """Return the number of different draws of the few weights of any layer, which the worlds take in turns."""
    return min((layer.worlds for layer in each(layers) if layer.worlds), default=MOST_WORLDS)


def _scatter(worlds: list[KernelMeans], draws: int, statistic: Callable[[KernelMeans], Any]) -> Any:
    """Return the error of the mean of a statistic over the worlds, of which every `draws`-th has some weights again."""
    with np.errstate(all="ignore"):
        values = np.array([statistic(world) for world in worlds], dtype=float)
        return SPARE * standard_error(np.array([values[i::draws].mean(axis=0) for i in range(min(draws, len(values)))]))
