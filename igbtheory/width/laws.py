"""The law of the guesses of networks that are drawn in a chain."""

from dataclasses import dataclass
from typing import final

import numpy as np

from igbtheory.guesses.dataset import DatasetGuessLaw
from igbtheory.guesses.varied import VariedGuessLaw, spread_of
from igbtheory.numbers.threads import one_thread
from igbtheory.width.chain import Array, Chain, FreshDense
from igbtheory.width.moments import kernels

FOUR, LEAST = 8, 200
"""Four data are drawn in one of so many networks, and in at least so many: the shape needs less than the variance."""
HEADS = 64
"""Number of outputs drawn in each of these networks, which takes less time than its layers."""
WORLDS, ENTRIES = 500, 2**23
"""Number of networks whose kernels give the law on a data set, and the largest number of entries of all of them."""


def law_of_four(variance: float, drawn: Chain, networks: int, seeds: np.random.SeedSequence) -> VariedGuessLaw:
    """Return the law with this variance, and with the fourth moment of networks with four data, or four batches.

    Given a network, data are independent, so that E (G0 - 1/2)^4 is the mean product of the signs of outputs at four
    data, over 16.
    """
    total, alive = 0.0, 0
    with one_thread():
        for seed, size in drawn.blocks(max(networks // FOUR, LEAST), seeds):
            *_, (x, dense) = drawn.features(seed, size)
            outputs = FreshDense(dense.sigma_w2, dense.sigma_b2, drawn.rows, HEADS)
            values = outputs.samples(x.reshape(-1, x.shape[2]), np.random.default_rng(seed.spawn(1)[0]), HEADS)
            products = np.sign(values).reshape(size, 4, -1, HEADS).prod(axis=1)
            total, alive = total + float(products.sum()), alive + np.count_nonzero(products)
    return VariedGuessLaw(variance, spread_of(variance, total / max(alive, 1) / 16))


def law_on_data(variance: float, drawn: Chain, seeds: np.random.SeedSequence) -> DatasetGuessLaw:
    """Return the law with this variance of networks with all data of a data set."""
    return DatasetGuessLaw(drawn.rows, variance, Kernels(drawn, int(seeds.generate_state(1)[0])))


@final
@dataclass(frozen=True)
class Kernels:
    """The covariances of an output at all data, one for each of many networks, which are drawn when it is called."""

    drawn: Chain
    seed: int

    def __call__(self) -> Array:
        """Return the covariances, shape (networks, data, data); networks without any signal are left out."""
        found, worlds = [], int(np.clip(ENTRIES // self.drawn.rows**2, 1, WORLDS))
        with one_thread():
            for seed, size in self.drawn.blocks(worlds, np.random.SeedSequence(self.seed)):
                *_, (x, dense) = self.drawn.features(seed, size)
                found.append(kernels(x, dense))
        kernel = np.concatenate(found)
        return np.asarray(kernel[np.einsum("maa->m", kernel) > 0])
