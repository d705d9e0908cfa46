"""The exact prediction at finite width, from pairs of data of many networks that are drawn in a chain."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from igbtheory.foundations.accuracy import EstimateWarning
from igbtheory.networks.simulation.estimates import FEW, LayerEstimates, layer_estimates
from igbtheory.networks.simulation.values import Predictable
from igbtheory.networks.width.cases import Case, case_of, drawn_moments
from igbtheory.networks.width.chain import Array
from igbtheory.networks.width.result import WidthPrediction

MOST, LEAST, NUMBERS = 10_000, 200, 5 * 10**7
"""Default number of networks: at most, at least, and else with so many numbers in all, which take about two seconds."""
SECONDS, LONGEST = 4e-8, 60
"""Time that such a number takes, and longest time of networks whose number is not given."""
WITH_LAW = 2
"""Time for moments and for the law of the guesses, relative to that for the moments, of very wide networks."""
OF_IMAGES, LONGEST_OF_IMAGES = 1e-8, 600
"""The same times on images and sequences, most of whose numbers are products; their law is drawn when it is used."""
HEAVY, SHARE = 100, 0.1
"""Means that rest on fewer networks than this number, and than this share of all, have errors that are too small."""


def on_pairs(
    network: Predictable,
    inputs: Any,
    widths: Sequence[int],
    units: Sequence[int],
    networks: int | None,
    seed: int,
    refused: str,
) -> WidthPrediction:
    """Return the prediction from pairs of data, or from all data of a batch where a layer mixes data.

    units: the features of the data and the units that each layer with weights makes, the output last. networks: None
    for as many as about two seconds allow. refused: why there is no expansion, if it was tried.
    """
    case = case_of(network.layers, inputs, units)
    count = networks or _affordable(case, refused=bool(refused))
    for_moments, for_law = np.random.SeedSequence(seed).spawn(2)
    moments = drawn_moments(case, case.precision, count, for_moments)
    if moments[:, -1, 3].min() == 1:
        raise ValueError(
            f"expected networks that tell data apart, got {count} whose outputs tie exactly at all data; pass a larger "
            "width, or biases"
        )
    _warn_of_few(moments[:, -1, :2].sum(axis=1))
    per_layer = estimated(moments)
    source = case.source(per_layer, count, for_law)
    return WidthPrediction(per_layer, network, inputs, tuple(widths), units[0], "pairs", count, source, refused)


def _affordable(case: Case, *, refused: bool) -> int:
    """Return the default number of networks. ValueError: they take too long.

    refused: whether the expansion was tried in vain.
    """
    numbers = case.drawn("float32").numbers
    each, least, longest = WITH_LAW * SECONDS, LEAST, LONGEST
    if case.positions:
        each, least, longest = OF_IMAGES, FEW, LONGEST_OF_IMAGES
    if (seconds := each * least * numbers) > longest:
        expansion = "" if refused or case.positions else 'method="expansion", which draws none, '
        raise ValueError(
            f"expected networks that take at most {longest} seconds, got {least} of such a size, which take about "
            f"{seconds:.0f} seconds; pass {expansion}no width, for infinite width, or networks={least} to wait for them"
        )
    return int(np.clip(NUMBERS // numbers, least, MOST))


def on_pairs_everywhere(
    network: Predictable, inputs: Any, units: Sequence[int], networks: Callable[[int], int], seed: int
) -> tuple[LayerEstimates, int]:
    """Return estimates of the inputs, behind every layer and of the output, and the number of networks drawn.

    networks: returns this number from the number of random numbers, about, that a network takes.
    """
    case = case_of(network.layers, inputs, units)
    count = networks(case.drawn("float32").numbers)
    seeds = np.random.SeedSequence(seed)
    return estimated(drawn_moments(case, case.precision, count, seeds, everywhere=True)), count


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


def estimated(moments: Array, weights: Array | None = None) -> LayerEstimates:
    """Return the estimates after every Dense, with standard errors.

    weights: of several ensembles of networks, which come first in the shape of the moments then.
    """
    weights, moments = (np.ones(1), moments[None]) if weights is None else (weights, moments)
    return layer_estimates(moments[..., :2], weights, moments[..., 2], moments[..., 3])
