"""One finite network: its data, its layers, its moments and guesses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations.device import products_on
from igbtheory.foundations.given import data_set
from igbtheory.guesses.bias_of_guesses import with_itself
from igbtheory.guesses.directions import Pairs, guesses_of_features, pairs_of_data
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import behind_undrawn, drawn, entering, read_by_next, shapes, widths
from igbtheory.layers.dense import Dense, condensed, read_out
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.averages.state import Moments
from igbtheory.networks.simulation.moments import pair_moments

Data = Callable[[Generator], NDArray[np.float32]]
PAIRED = 1024
"""Largest number of pairs of data whose directions are compared: their scatter is then less than that of networks."""


@final
@dataclass(frozen=True)
class FiniteNetwork:
    """A finite network to draw; `width` sets the units of every Dense but the last, over which moments are averaged.

    data: returns the data of a network, (n_samples, units), from its random generator. size: number of data times
    number of positions. ddof, batch: see `pair_moments`. device: see `products_on`.
    """

    layers: tuple[Layer, ...]
    data: Data
    size: int
    width: int
    ddof: int
    batch: int = 1
    device: Any = None

    @property
    def seconds(self) -> float:
        """Estimated time for a network, within a factor of about three: 40 us a layer, 5 ns a unit, 10 ps a product."""
        return len(self.layers) * (4e-5 + self.size * self.width * (5e-9 + 1e-11 * self.width))

    def measured(self, seeds: np.random.SeedSequence) -> tuple[NDArray[np.float64], float]:
        """Return moments of every Dense, given what enters it, (dense layers, 4), and G0.

        They are var_mu, var_chi, and E (G0 - 1/2)^2 and the share of ties of outputs that read what it reads.

        G0 needs one output only, because the difference of two outputs has the law of one, up to a factor.
        """
        # the ensemble refuses overflow with one error, so that its threads need not warn
        with np.errstate(over="ignore", invalid="ignore"), products_on(self.device):
            return self._measured(np.random.default_rng(seeds), np.random.default_rng(seeds.spawn(1)[0]))

    def _measured(self, rng: Generator, choice: Generator) -> tuple[NDArray[np.float64], float]:
        """Return the same from the generator of the network, and from one that chooses pairs of data."""
        x: NDArray[Any] = self.data(rng)
        pairs = self._pairs(len(x), choice)
        moments = []
        for layer, units in zip(self.layers, [*widths(self.layers, self.width)[:-1], 1], strict=True):
            before, x = x, layer.samples(x, rng, units)
            if layer.listed:
                moments.append(self._of_sums(*read_out(layer, before, x), pairs))
        return np.array(moments, dtype=np.float64), float((x >= 0).mean())

    def outputs(self, seeds: np.random.SeedSequence, n_classes: int) -> NDArray[np.float64]:
        """Return the outputs of one network, (n_samples, n_classes), not finite if single precision overflows."""
        rng = np.random.default_rng(seeds)
        with np.errstate(over="ignore", invalid="ignore"):
            hidden = drawn(self.layers[:-1], self.data(rng), rng, self.width)
            return np.asarray(self.layers[-1].samples(hidden, rng, n_classes), dtype=np.float64)

    def _of_sums(self, x: NDArray[Any], sigma_w2: float, sigma_b2: float, pairs: Pairs) -> tuple[float, ...]:
        """Return the four moments of sums of the units x, averaged over their weights."""
        given = Moments(0, *pair_moments(x.reshape(len(x), -1), self.ddof, self.batch))
        moments = given.weighted(sigma_w2, sigma_b2, 0.0)
        if sigma_b2 or not sigma_w2:  # else directions do not depend on the scale
            x = x * np.sqrt(sigma_w2, dtype=x.dtype)
        square, ties = guesses_of_features(x, pairs, sigma_b2)
        # over all pairs if the data are a given set
        square = square if self.ddof else float(with_itself(square, len(x)))
        return moments.var_mu, moments.var_chi, square, ties

    def _pairs(self, size: int, choice: Generator) -> Pairs:
        """Return pairs of different data: those of a data set in a drawn order, Gaussian ones in different batches."""
        given = self.ddof == 0
        order = choice.permutation(size) if given else np.arange(size)
        return pairs_of_data(order, min(size, PAIRED), 1 if given or self.batch >= size else self.batch)


def finite_network(layers: tuple[Layer, ...], inputs: Any, samples: int, width: int) -> FiniteNetwork:
    """Return the finite network on `inputs`: new Gaussian data of dimension `width`, or a data set."""
    if isinstance(inputs, GaussianInputs):
        shapes(layers, ())
        data = partial(_gaussian, inputs, samples, width * read_by_next(layers))
        batch = batch_of(layers)
        return FiniteNetwork(layers, data, samples, width, 1, 1 if batch is None else batch.divides(samples))
    given = entering(layers, np.asarray(inputs))
    shapes(layers, given.shape[2:])
    with np.errstate(over="ignore", invalid="ignore"):
        # layers without random weights act alike in every network, so that their result is computed once
        rest, x = behind_undrawn(layers, given.astype(np.float32))
    if isinstance(rest[0], Dense) and x.ndim == 2 and len(x) < x.shape[1]:
        x = condensed(x)
    data = partial(_same, x)
    return FiniteNetwork(rest, data, len(x) * prod(given.shape[2:]), width, 0)


def _same(x: NDArray[np.float32], _: Generator) -> NDArray[np.float32]:
    return x


def _gaussian(inputs: GaussianInputs, samples: int, width: int, rng: Generator) -> NDArray[np.float32]:
    x = rng.standard_normal((samples, width), dtype=np.float32)
    x *= np.float32(np.sqrt(inputs.variance))
    x += np.float32(inputs.shift)
    return x


def checked_inputs(inputs: Any) -> Any:
    """Return the inputs of one ensemble: GaussianInputs without a sweep, or a data set in double precision."""
    if not isinstance(inputs, GaussianInputs):
        return np.asarray(data_set(inputs), dtype=np.float64)
    if np.ndim(inputs.shift) or np.ndim(inputs.variance):
        raise ValueError(f"expected inputs of one network, got a sweep {inputs!r}; loop over its values")
    return inputs
