"""Finite networks, drawn one by one: their moments, guesses and outputs."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations.device import products_on
from igbtheory.foundations.given import data_set
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import behind_undrawn, entering, shapes
from igbtheory.layers.dense import Dense, roots
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.networks.width.chain import Chain, Data, chain
from igbtheory.networks.width.data import GaussianData, RandomData
from igbtheory.networks.width.moments import Pairs, moments_of, pairs_of_data
from igbtheory.networks.width.widths import units_made, units_read

PAIRED = 1024
"""Largest number of pairs of data whose directions are compared: their scatter is then less than that of networks."""


@final
@dataclass(frozen=True)
class FiniteNetworks:
    """Finite networks to draw one by one, each from seeds of its own.

    size: number of data times number of positions. width: the units of every Dense but the last. batch, itself: see
    `moments_of`. device: see `products_on`.
    """

    chain: Chain
    size: int
    width: int
    batch: int
    itself: bool
    device: Any = None

    @property
    def seconds(self) -> float:
        """Estimated time for a network, within a factor of about three: 40 us a layer, 5 ns a unit, 10 ps a product."""
        return (len(self.chain.hidden) + 1) * (4e-5 + self.size * self.width * (5e-9 + 1e-11 * self.width))

    def measured(self, seeds: np.random.SeedSequence) -> tuple[NDArray[np.float64], float]:
        """Return moments of every Dense, given what enters it, (dense layers, 4), and G0.

        G0 needs one output only, because the difference of two outputs has the law of one, up to a factor.
        """
        rng, choice = np.random.default_rng(seeds), np.random.default_rng(seeds.spawn(1)[0])
        moments, pairs = [], self._pairs(self.chain.data.rows, choice)
        # the ensemble refuses overflow with one error, so that its threads need not warn
        with np.errstate(over="ignore", invalid="ignore"), products_on(self.device):
            for x, dense in self.chain.features(rng, 1):
                of_layer = moments_of(
                    x, dense.sigma_w2, dense.sigma_b2, pairs=pairs, batch=self.batch, itself=self.itself
                )
                moments.append(of_layer[0])
            return np.array(moments), float((dense.samples(x[0], rng, 1) >= 0).mean())

    def outputs(self, seeds: np.random.SeedSequence, n_classes: int) -> NDArray[np.float64]:
        """Return the outputs of one network, (n_samples, n_classes), not finite if single precision overflows."""
        rng = np.random.default_rng(seeds)
        with np.errstate(over="ignore", invalid="ignore"):
            *_, (x, dense) = self.chain.features(rng, 1)
            return np.asarray(replace(dense, units=n_classes).samples(x[0], rng, n_classes), dtype=np.float64)

    def _pairs(self, size: int, choice: Generator) -> Pairs:
        """Return pairs of different data: those of a data set in a drawn order, Gaussian ones in different batches."""
        order = choice.permutation(size) if self.itself else np.arange(size)
        return pairs_of_data(order, min(size, PAIRED), 1 if self.itself or self.batch >= size else self.batch)


def finite_networks(layers: tuple[Layer, ...], inputs: Any, samples: int, width: int) -> FiniteNetworks:
    """Return the finite networks on `inputs`: new Gaussian data of dimension `width`, or a data set."""
    data: Data
    if isinstance(inputs, GaussianInputs):
        shapes(layers, ())
        made, features = units_made(layers, units_read(layers, width), None)
        data = GaussianData(inputs, samples, features, "float32")
        batch = batch_of(layers)
        in_batch = 1 if batch is None else batch.divides(samples)
        drawn = chain(layers, (features, *made), data, samples, "float32")
        return FiniteNetworks(drawn, samples, width, in_batch, itself=False)
    given = entering(layers, np.asarray(inputs))
    shapes(layers, given.shape[2:])
    with np.errstate(over="ignore", invalid="ignore"):
        # layers without random weights act alike in every network, so that their result is computed once
        rest, x = behind_undrawn(layers, given.astype(np.float32))
    if isinstance(rest[0], Dense) and x.ndim == 2 and len(x) < x.shape[1]:
        x = (roots(x[None])[0] * np.sqrt(len(x) / x.shape[1])).astype(np.float32)
    made, _ = units_made(rest, units_read(rest, width, x.shape[1]), None)
    data = RandomData(x, len(x))
    drawn = chain(rest, (x.shape[1], *made), data, len(x), "float32")
    return FiniteNetworks(drawn, len(x) * prod(given.shape[2:]), width, 1, itself=True)


def checked_inputs(inputs: Any) -> Any:
    """Return the inputs of one ensemble: GaussianInputs without a sweep, or a data set in double precision."""
    if not isinstance(inputs, GaussianInputs):
        return np.asarray(data_set(inputs), dtype=np.float64)
    if np.ndim(inputs.shift) or np.ndim(inputs.variance):
        raise ValueError(f"expected inputs of one network, got a sweep {inputs!r}; loop over its values")
    return inputs
