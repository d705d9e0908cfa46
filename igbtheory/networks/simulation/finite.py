"""One finite network: its data, its layers, its moments and guesses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.device import products_on
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import behind_undrawn, drawn, read_by_next, shapes, widths
from igbtheory.layers.dense import Dense, condensed
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.layers.nodes.places import units_first
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.simulation.moments import pair_moments

Data = Callable[[Generator], NDArray[np.float32]]


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
        """Return var_mu and var_chi after every Dense, given the activations that enter it, (dense layers, 2), and G0.

        G0 needs one output only, because the difference of two outputs has the law of one, up to a factor.
        """
        # the ensemble refuses overflow with one error, so that its threads need not warn
        with np.errstate(over="ignore", invalid="ignore"), products_on(self.device):
            return self._measured(np.random.default_rng(seeds))

    def _measured(self, rng: Generator) -> tuple[NDArray[np.float64], float]:
        x: NDArray[Any] = self.data(rng)
        *hidden, output = self.layers
        found = []
        for layer, units in zip(hidden, widths(self.layers, self.width)[:-1], strict=True):
            before, x = x, layer.samples(x, rng, units)
            if isinstance(layer, Dense):
                found.append(self._behind(layer, before))
            elif layer.listed:
                found.append(pair_moments(x.reshape(len(x), -1), self.ddof, self.batch))
        found.append(self._behind(output, x))
        return np.array(found, dtype=np.float64), float((output.samples(x, rng, 1) > 0).mean())

    def outputs(self, seeds: np.random.SeedSequence, n_classes: int) -> NDArray[np.float64]:
        """Return the outputs of one network, (n_samples, n_classes), not finite if single precision overflows."""
        rng = np.random.default_rng(seeds)
        with np.errstate(over="ignore", invalid="ignore"):
            hidden = drawn(self.layers[:-1], self.data(rng), rng, self.width)
            return np.asarray(self.layers[-1].samples(hidden, rng, n_classes), dtype=np.float64)

    def _behind(self, dense: Layer, x: NDArray[Any]) -> tuple[float, float]:
        """Return var_mu and var_chi after a Dense, averaged over its weights by its law on the moments of x."""
        given = Moments(0, *pair_moments(x.reshape(len(x), -1), self.ddof, self.batch))
        found = dense.law(LawNode(FLOAT64, Gaussian(given))).averaged()
        return found.var_mu, found.var_chi


def finite_network(layers: tuple[Layer, ...], inputs: Any, samples: int, width: int) -> FiniteNetwork:
    """Return the finite network on `inputs`: new Gaussian data of dimension `width`, or a data set."""
    if isinstance(inputs, GaussianInputs):
        shapes(layers, ())
        data = partial(_gaussian, inputs, samples, width * read_by_next(layers))
        batch = batch_of(layers)
        return FiniteNetwork(layers, data, samples, width, 1, 1 if batch is None else batch.divides(samples))
    given = units_first(np.asarray(inputs))
    shapes(layers, given.shape[2:])
    with np.errstate(over="ignore", invalid="ignore"):
        # layers without random weights act alike in every network, so that their result is computed once
        rest, x = behind_undrawn(layers, given.astype(np.float32))
    if isinstance(rest[0], Dense) and x.ndim == 2 and len(x) < x.shape[1]:
        x = condensed(x)
    return FiniteNetwork(rest, partial(_same, x), len(x) * prod(given.shape[2:]), width, 0)


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
        return np.asarray(checks.data_set(inputs), dtype=np.float64)
    if np.ndim(inputs.shift) or np.ndim(inputs.variance):
        raise ValueError(f"expected inputs of one network, got a sweep {inputs!r}; loop over its values")
    return inputs
