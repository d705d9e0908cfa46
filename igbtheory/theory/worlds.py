"""Kernels of a data set in several worlds, in each of which weights that do not average out are drawn: `layers.few`."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import takewhile
from math import prod
from typing import Any

import numpy as np

from igbtheory.foundations.progress import counted
from igbtheory.foundations.threads import one_thread
from igbtheory.layers.chain import behind_undrawn, shapes
from igbtheory.layers.few import draws_of_few, is_few, settled
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.draws import SEED, SPARE, standard_error
from igbtheory.theory.kernels import THREADS, KernelMeans, OutputKernel, Passed, kernel_means

WORLDS, MOST_WORLDS, ENTRIES = 64, 128, 2**24
"""Smallest and largest number of worlds of a prediction, and the wanted number of entries of all their kernels."""
FIRST, SCATTER = 8, 1e-3
"""Number of worlds that are enough if the error of c is below SCATTER then, as where scores of attention are small."""


def kernels_of_worlds(kernel: OutputKernel) -> list[KernelMeans]:
    """Return the means in independent worlds, in each of which the few weights of the layers, if any, are drawn."""
    layers = kernel.layers
    if not any(map(is_few, layers)):
        return [kernel_means(kernel)]
    count = min(max(WORLDS, ENTRIES // _positions(layers, kernel.data) ** 2), MOST_WORLDS)
    front = _front(kernel)

    def world(rng: np.random.Generator) -> KernelMeans:
        with one_thread(), np.errstate(all="ignore"):
            chain = tuple(settled(layer, rng) if is_few(layer) else layer for layer in layers)
            number = 1 + int(rng.integers(2**32))
            passage = replace(kernel.passage, sampling=replace(kernel.passage.sampling, world=number))
            of_world = replace(kernel, layers=chain, passage=passage, front=front)
            if front is None:  # a settled layer in front draws nothing more
                chain, data = behind_undrawn(chain, kernel.data.astype(float))
                of_world = replace(of_world, layers=chain, data=kernel.n.number(data))
            means = of_world.means()
            of_outputs = means.kernel()
        return replace(means, kernel=lambda: of_outputs)

    rngs = np.random.default_rng(SEED).spawn(count)

    def enough() -> Iterator[KernelMeans]:
        """Yield the worlds, and end with the first ones where they hardly differ."""
        yield from (first := list(pool.map(world, rngs[:FIRST])))
        if not np.max(scatter(first, draws_of_few(layers, MOST_WORLDS), lambda x: x.q_ab / x.q)) < SCATTER:
            yield from pool.map(world, rngs[FIRST:])

    with ThreadPoolExecutor(THREADS) as pool:
        return list(counted(enough(), count, "kernels with the few weights drawn"))


def _front(kernel: OutputKernel) -> Passed | None:
    """Return what is behind the layers in front of the first one with few weights; None if it differs between worlds.

    It is None, too, if the first layer has few weights.
    """
    with np.errstate(all="ignore"):
        front = kernel.behind(sum(1 for _ in takewhile(lambda layer: not is_few(layer), kernel.layers)))
    return front if front.count and not front.block.node.estimated else None


def _positions(layers: Sequence[Layer], given: Any) -> int:
    """Return the largest number of positions of all data behind any of the layers."""
    return len(given) * max(prod(shape) for shape in shapes(layers, given.shape[2:])[1:])


def scatter(worlds: list[KernelMeans], draws: int, statistic: Callable[[KernelMeans], Any]) -> Any:
    """Return the error of the mean of a statistic over the worlds, of which every `draws`-th has some weights again."""
    with np.errstate(all="ignore"):
        values = np.array([statistic(world) for world in worlds], dtype=float)
        return SPARE * standard_error(np.array([values[i::draws].mean(axis=0) for i in range(min(draws, len(values)))]))
