"""The exact prediction at finite width, from pairs of data of many networks that are drawn in a chain."""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.accuracy import EstimateWarning
from igbtheory.inputs import GaussianInputs
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.layer import Layer
from igbtheory.numbers.threads import one_thread
from igbtheory.simulation.estimates import layer_estimates, ratio_of_means
from igbtheory.width.chain import Array, Chain, FreshDense, chain
from igbtheory.width.data import GaussianData, RandomPairs, WholeData
from igbtheory.width.laws import law_of_several, law_on_data, several
from igbtheory.width.mixing import mixes
from igbtheory.width.moments import among, of_all, of_pairs
from igbtheory.width.result import WidthLayers, WidthPrediction, width_layers

if TYPE_CHECKING:
    from igbtheory.guesses.dataset import DatasetGuessLaw
    from igbtheory.guesses.varied import VariedGuessLaw
    from igbtheory.network import Network

Reading = Callable[[Array, FreshDense], Array]
"""A function in `moments`: it returns four moments of every network from what a Dense reads, and the Dense."""
MOST, LEAST, NUMBERS = 10_000, 200, 10**8
"""Default number of networks: at most, at least, and else with so many units in all, which take about two seconds."""
HEAVY, SHARE = 100, 0.1
"""Means that rest on fewer networks than this number, and than this share of all, have errors that are too small."""


def on_pairs(
    network: "Network", inputs: Any, widths: Sequence[int], units: Sequence[int], networks: int | None, seed: int
) -> WidthPrediction:
    """Return the prediction from pairs of data, or from all data of a batch where a layer mixes data.

    units: the features of the data and the units that each layer with weights makes, the output last. networks: None
    for as many as about two seconds allow.
    """
    for_moments, for_law = np.random.SeedSequence(seed).spawn(2)
    layers = network.layers
    law: VariedGuessLaw | DatasetGuessLaw
    if isinstance(inputs, GaussianInputs):
        batch = _batch(layers)
        pair, many = (gaussian_batches(layers, inputs, units, batch, count) for count in (2, several(batch)))
        moments = drawn_moments(pair, of_pairs, networks, for_moments)
        per_layer = estimated(moments)
        law = law_of_several(float(per_layer.var_g0[-1]), many, several(batch), len(moments), for_law)
    else:
        moments = drawn_moments(*_on_data_set(layers, inputs, units), networks, for_moments)
        per_layer = estimated(moments)
        whole = chain(layers, units, WholeData(inputs), len(inputs), len(inputs))
        law = law_on_data(float(per_layer.var_g0[-1]), whole, for_law)
    _warn_of_few(moments[:, -1, :2].sum(axis=1))
    dead = float(1 - moments[:, -1, 3].mean())
    return WidthPrediction(per_layer, network, inputs, tuple(widths), units[0], "pairs", len(moments), dead, law)


def gaussian_batches(
    layers: Sequence[Layer], inputs: GaussianInputs, units: Sequence[int], batch: int, count: int
) -> Chain:
    """Return networks with `count` batches of `batch` Gaussian data."""
    return chain(layers, units, GaussianData(inputs, count * batch, units[0]), count * batch, batch)


def _on_data_set(layers: Sequence[Layer], inputs: Array, units: Sequence[int]) -> tuple[Chain, Reading]:
    """Return networks with a random pair of the data, or with all if a layer mixes data, and how to read them."""
    size = len(inputs)
    if not mixes(layers):
        return chain(layers, units, RandomPairs(inputs), 2, 1), lambda x, dense: among(size, of_pairs(x, dense))
    if (batch := batch_of(layers)) is not None:
        batch.divides(size)
    return chain(layers, units, WholeData(inputs), size, size), of_all


def _batch(layers: Sequence[Layer]) -> int:
    """Return the number of data of a batch, 1 if every datum is on its own; a batch that is not given is refused."""
    batch = batch_of(layers)
    if batch is not None and batch.batch_size is not None:
        return batch.batch_size
    if mixes(layers):
        raise ValueError(
            "expected layers that act on every datum alone, or BatchNorm with a batch_size, got "
            f"{batch or 'a layer of your own'!r}, which mixes all Gaussian data; give its batch_size, or predict on a "
            "data set"
        )
    return 1


def drawn_moments(drawn: Chain, reading: Reading, networks: int | None, seeds: np.random.SeedSequence) -> Array:
    """Return four moments of every network after every Dense, shape (networks, dense layers, 4)."""
    count = networks or int(np.clip(NUMBERS // drawn.numbers, LEAST, MOST))
    blocks = []
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for seed, size in drawn.blocks(count, seeds):
            blocks.append(np.stack([reading(x, dense) for x, dense in drawn.features(seed, size)], axis=1))
    found = np.concatenate(blocks)
    if not np.isfinite(found).all():
        raise ValueError(
            "expected activations within single precision, got overflow; scale the inputs or the variances down"
        )
    return found


def _warn_of_few(squares: Array) -> None:
    """Warn if few networks make up most of the mean square of an output, as in narrow and deep networks without norms.

    squares: the mean square of each network.
    """
    total = squares.sum()
    effective = total**2 / np.square(squares).sum() if total else len(squares)
    if effective < min(HEAVY, SHARE * len(squares)):
        message = (
            f"var_mu, var_chi and gamma are means that rest on about {effective:.0f} of {len(squares)} networks, whose "
            "outputs are by far the largest: their errors may be too small; var_g0, gamma_guess and G0 are not affected"
        )
        warnings.warn(message, EstimateWarning, stacklevel=5)


def estimated(moments: Array) -> WidthLayers:
    """Return the estimates after every Dense, with standard errors."""
    whole = np.ones(1)
    variance, error = ratio_of_means(moments[None, ..., 2], moments[None, ..., 3], whole)
    return width_layers(layer_estimates(moments[None], whole), variance, error)
