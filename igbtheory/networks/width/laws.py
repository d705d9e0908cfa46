"""The law of the guesses of networks that are drawn in a chain."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from igbtheory.foundations.threads import one_thread
from igbtheory.guesses.sampled import DRAWS
from igbtheory.guesses.varied import VariedOutputs, spread_of
from igbtheory.layers.dense import features
from igbtheory.networks.width.chain import Array, Chain

SEVERAL, FEWEST = 16, 4
"""Number of data, and least number of batches, of a network from which the shape of the law is estimated.

Sixteen data give the spread twice as precisely as four in four times as many networks.
"""
ENOUGH = 100
"""Number of these networks for which as much time is spent as on the pairs; for more, a quarter of this time is."""
HEADS = 256
"""Number of outputs drawn in each of these networks, which takes less time than its layers."""
CERTAIN = 4
"""Least number of errors above 0 at which a variance of G0 counts as positive."""
KEPT, NUMBERS_OF_FEATURES = 2**25, 5 * 10**8
"""Largest numbers of entries, 128 MiB in single precision, and of random numbers and products (about five seconds), of
all networks whose features are kept; but never fewer than FEWEST networks, nor more than draws by default."""
WORLDS, ENTRIES, NUMBERS, FEW = 500, 2**23, 2 * 10**9, 30
"""Number of networks whose kernels give the law on a data set, and the largest numbers of entries, and of random
numbers and products (about 20 seconds), of all of them; but never fewer than FEW for these."""


def several(batch: int) -> int:
    """Return the number of data, or of batches, of the networks that show the shape of the law."""
    return max(SEVERAL // batch, FEWEST)


def outputs_of_several(
    variance: float, error: float, drawn: Chain, count: int, networks: int, seeds: np.random.SeedSequence
) -> VariedOutputs:
    """Return outputs with this variance of G0; the shape of its law is that of networks with `count` data, or batches.

    networks: the number of those that gave the variance, with this error. Given a network, data are independent, so
    that E (G0 - 1/2)^2 is the mean product of the signs of outputs at two data, over 4, and E (G0 - 1/2)^4 that at four
    data, over 16. Both are taken from the same outputs, because their errors nearly cancel in the shape.
    """
    moments = np.zeros(3)
    with one_thread():
        for seed, size in drawn.blocks(max(networks // (2 * count), min(networks // 8, ENOUGH), 1), seeds):
            *_, (x, dense) = drawn.features(np.random.default_rng(seed), size)
            rng = np.random.default_rng(seed.spawn(1)[0])
            values = replace(dense, units=HEADS).samples(x.reshape(-1, x.shape[2]), rng, HEADS)
            moments += products_of_signs(np.sign(values).reshape(size, count, -1, HEADS))
    of_two, of_four, alive = moments
    # noise around a variance of 0, which may be negative, has no shape
    shaped = of_two > 0 and variance > CERTAIN * error
    spread = spread_of(of_two / alive / 4, of_four / alive / 16) if shaped else 0.0
    return VariedOutputs(max(variance, 0.0), spread)


def products_of_signs(signs: Array) -> Array:
    """Return the sums over networks and outputs of the mean products of two and of four signs, and their number.

    signs: shape (networks, data, batch, outputs). The mean products follow from the sums S of the signs of n data, by
    Newton's identities; networks in which a datum ties, which the law says do not occur, are left out.
    """
    n = signs.shape[1]
    square = np.square(signs.sum(axis=1)[signs.all(axis=1)])
    of_two = (square - n) / (n * (n - 1))
    of_four = (square**2 - (6 * n - 8) * square + 3 * n * (n - 2)) / (n * (n - 1) * (n - 2) * (n - 3))
    return np.array([of_two.sum(), of_four.sum(), square.size], dtype=np.float64)


@final
@dataclass(frozen=True)
class Kernels:
    """The covariances of an output at all data, one for each of many networks, which are drawn when it is called."""

    drawn: Chain
    seed: int

    def __call__(self) -> Array:
        """Return the covariances, shape (networks, data, data)."""
        of_networks, quick = [], max(NUMBERS // (self.drawn.numbers + self.drawn.rows**2), FEW)
        worlds = int(np.clip(ENTRIES // self.drawn.rows**2, 1, min(quick, WORLDS)))
        with one_thread():
            for seed, size in self.drawn.blocks(worlds, np.random.SeedSequence(self.seed)):
                *_, (x, dense) = self.drawn.features(np.random.default_rng(seed), size)
                h = features(x, dense.sigma_w2, dense.sigma_b2)
                of_networks.append(np.asarray(h @ h.swapaxes(1, 2), dtype=np.float64))
        return np.concatenate(of_networks)


@final
@dataclass(frozen=True)
class Features:
    """The features of many networks, which are drawn when it is called."""

    drawn: Chain
    seed: int

    def __call__(self) -> list[Array]:
        """Return of each network a matrix as `roots` yields it."""
        held, quick = KEPT // self.drawn.largest, NUMBERS_OF_FEATURES // self.drawn.numbers
        return list(roots(self.drawn, int(np.clip(min(held, quick), FEWEST, DRAWS)), self.seed))


def roots(drawn: Chain, networks: int, seed: int) -> Iterator[Array]:
    """Yield of so many new networks a matrix L, shape (rows, units), such that L L^T is the covariance of an output."""
    with one_thread():
        for seeds, size in drawn.blocks(networks, np.random.SeedSequence(seed)):
            *_, (x, dense) = drawn.features(np.random.default_rng(seeds), size)
            yield from features(x, dense.sigma_w2, dense.sigma_b2)
