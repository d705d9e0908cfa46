"""The exact prediction at finite width, from pairs of data of many networks that are drawn in a chain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.guesses.dataset import DatasetGuessLaw
from igbtheory.guesses.varied import VariedGuessLaw, spread_of
from igbtheory.inputs import GaussianInputs
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import behind_undrawn
from igbtheory.layers.layer import Layer
from igbtheory.numbers.threads import one_thread
from igbtheory.simulation.estimates import layer_estimates, ratio_of_means
from igbtheory.width.chain import Array, Chain, FreshDense, chain
from igbtheory.width.data import GaussianData, RandomPairs, WholeData
from igbtheory.width.mixing import mixes
from igbtheory.width.moments import among, kernels, of_all, of_pairs
from igbtheory.width.result import WidthLayers, width_layers

MOST, LEAST, NUMBERS = 10_000, 200, 10**8
"""Default number of networks: at most, at least, and else with so many units in all, which take about two seconds."""
FOUR = 8
"""Four data are drawn in one of so many networks: the shape of the law needs fewer than its variance."""
HEADS = 64
"""Number of outputs drawn in each of these networks, which takes less time than its layers."""
WORLDS, ENTRIES = 500, 2**23
"""Number of networks whose kernels give the law on a data set, and the largest number of entries of all of them."""


@final
@dataclass(frozen=True)
class Found:
    """What pairs of data tell: moments after every Dense, the share of pairs without guesses, and the law of G0."""

    per_layer: WidthLayers
    dead: float
    G0: VariedGuessLaw | DatasetGuessLaw
    networks: int


def on_pairs(layers: Sequence[Layer], inputs: Any, units: Sequence[int], networks: int | None, seed: int) -> Found:
    """Return the prediction from pairs of data, or from all data of a batch where a layer mixes data.

    units: the features of the data and the units that each layer with weights makes, the output last. networks: None
    for as many as about two seconds allow.
    """
    if isinstance(inputs, GaussianInputs):
        return _on_gaussian_data(layers, inputs, units, networks, seed)
    return _on_data_set(layers, inputs, units, networks, seed)


def _on_gaussian_data(
    layers: Sequence[Layer], inputs: GaussianInputs, units: Sequence[int], networks: int | None, seed: int
) -> Found:
    batch = _batch(layers)

    def with_batches(count: int) -> Chain:
        data = GaussianData(inputs, count * batch, units[0])
        return chain(layers, units, data, count * batch, batch)

    drawn, count = _moments(with_batches(2), of_pairs, networks, seed)
    per_layer, dead = _estimated(drawn)
    variance = float(per_layer.var_G0[-1])
    fourth = _fourth_moment(with_batches(4), max(count // FOUR, LEAST), seed)
    return Found(per_layer, dead, VariedGuessLaw(variance, spread_of(variance, fourth)), count)


def _on_data_set(
    layers: Sequence[Layer], inputs: Array, units: Sequence[int], networks: int | None, seed: int
) -> Found:
    # layers without random weights act alike in every network
    rest, x = behind_undrawn(layers, inputs)
    units = (x.shape[1], *units[1:])
    size = len(x)
    whole = chain(rest, units, WholeData(x), size, size)
    if mixes(rest):
        batch = batch_of(rest)
        if batch is not None:
            batch.divides(size)
        drawn, count = _moments(whole, of_all, networks, seed)
    else:
        two = chain(rest, units, RandomPairs(x), 2, 1)
        drawn, count = _moments(two, lambda x, dense: among(size, of_pairs(x, dense)), networks, seed)
    per_layer, dead = _estimated(drawn)
    law = DatasetGuessLaw(size, float(per_layer.var_G0[-1]), Kernels(whole, seed))
    return Found(per_layer, dead, law, count)


def _batch(layers: Sequence[Layer]) -> int:
    """Return the number of data of a batch, 1 if every datum is on its own; a batch that is not given is refused."""
    batch = batch_of(layers)
    if batch is not None and batch.batch_size is not None:
        return batch.batch_size
    if mixes(layers):
        raise ValueError(
            "expected a layer that acts on every datum alone, or BatchNorm with a batch_size, got a layer that mixes "
            f"all Gaussian data, {batch or 'one of your own'!r}; give its batch_size, or predict on a data set"
        )
    return 1


def _moments(
    drawn: Chain, reading: Callable[[Array, FreshDense], Array], networks: int | None, seed: int
) -> tuple[Array, int]:
    """Return the four moments of every network after every Dense, (networks, dense layers, 4), and the networks."""
    count = networks or int(np.clip(NUMBERS // drawn.numbers, LEAST, MOST))
    blocks = []
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for seeds, size in drawn.blocks(count, seed):
            blocks.append(np.stack([reading(x, dense) for x, dense in drawn.features(seeds, size)], axis=1))
    found = np.concatenate(blocks)
    if not np.isfinite(found).all():
        raise ValueError(
            "expected activations within single precision, got overflow; scale the inputs or the variances down"
        )
    return found, count


def _estimated(moments: Array) -> tuple[WidthLayers, float]:
    """Return the estimates after every Dense, and the share of pairs without guesses."""
    whole = np.ones(1)
    variance, error = ratio_of_means(moments[None, ..., 2], moments[None, ..., 3], whole)
    return width_layers(layer_estimates(moments[None], whole), variance, error), float(1 - moments[:, -1, 3].mean())


def _fourth_moment(drawn: Chain, networks: int, seed: int) -> float:
    """Return E (G0 - 1/2)^4: the mean product of the signs of outputs at four data, over 16.

    drawn: networks with four data, or with four batches.
    """
    total, alive = 0.0, 0
    with one_thread():
        for seeds, size in drawn.blocks(networks, seed + 1):
            *_, (x, dense) = drawn.features(seeds, size)
            heads = FreshDense(dense.sigma_w2, dense.sigma_b2, drawn.rows, HEADS)
            outputs = heads.samples(x.reshape(-1, x.shape[2]), np.random.default_rng(seeds.spawn(1)[0]), HEADS)
            products = np.sign(outputs).reshape(size, 4, -1, HEADS).prod(axis=1)
            total, alive = total + products.sum(), alive + np.count_nonzero(products)
    return float(total) / max(alive, 1) / 16


@final
@dataclass(frozen=True)
class Kernels:
    """The covariances of an output at all data, one for each of many networks that are drawn when they are called."""

    drawn: Chain
    seed: int

    def __call__(self) -> Array:
        """Return the covariances, shape (networks, data, data); networks without any signal are left out."""
        worlds = int(np.clip(ENTRIES // self.drawn.rows**2, 1, WORLDS))
        found = []
        with one_thread():
            for seeds, size in self.drawn.blocks(worlds, self.seed + 2):
                *_, (x, dense) = self.drawn.features(seeds, size)
                found.append(kernels(x, dense))
        kernel = np.concatenate(found)
        return kernel[np.einsum("maa->m", kernel) > 0]
