"""The predictions with which a simulation is compared: moments, and the law of the guesses among its data."""

from dataclasses import replace
from typing import Any

import numpy as np

from igbtheory.foundations.text import measured, table
from igbtheory.guesses.bias_of_guesses import MEANING, on_ties
from igbtheory.guesses.latent import fraction_variance
from igbtheory.layers.few import is_few
from igbtheory.layers.nodes.draws import SPARE
from igbtheory.networks.simulation.estimates import ESTIMATES, LayerEstimates, bias_of_guesses, on_few
from igbtheory.networks.simulation.kolmogorov import Cumulative, empirical
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.theory.prediction import PerLayer, Prediction

DRAWS = 10
"""Number of draws of a predicted G0 without a formula for every network of an ensemble: they add 5 % to the standard
error of a comparison."""


def observable(prediction: Prediction | WidthPrediction, simulation: Ensemble) -> LayerEstimates:
    """Return the predicted moments as a simulation shows them, with errors.

    With full batches, all pairs of data are pairs within one batch of the data that are simulated. In infinite width
    only predictions of layers with few weights are drawn: their standard error is error/SPARE. Errors of all others are
    far below those of the simulation.
    """
    if isinstance(prediction, WidthPrediction):
        return prediction.per_layer
    layers = prediction.per_layer
    if prediction.batch is not None and prediction.batch.size is None:
        layers = _within(prediction.batch.at(simulation.samples).per_layer)
    moments = [np.asarray(part, dtype=np.float64) for part in (layers.var_mu, layers.var_chi, layers.gamma)]
    few = any(map(is_few, simulation.network.layers))
    variance = fraction_variance(moments[2]) if layers.variance is None else layers.variance
    error = np.zeros_like(variance) if layers.variance_error is None else layers.variance_error
    guesses = np.asarray(layers.gamma_guess, dtype=np.float64), bias_of_guesses(variance, error)[1]
    scatter = [layers.error / SPARE * np.abs(part) if few else np.zeros_like(part) for part in moments]
    pairs = [*zip(moments, scatter, strict=True), (variance, error), guesses]
    return LayerEstimates(*[*(part for pair in pairs for part in pair), np.zeros_like(variance)])


def _within(moments: PerLayer) -> PerLayer:
    """Return the moments of pairs of data within a batch."""
    variance = np.arcsin(moments.c_within.astype(float)) / (2 * np.pi)
    apart = moments.var_mu + moments.var_chi - moments.within
    return replace(moments, var_mu=moments.within, var_chi=apart, variance=variance)


def beside_theory(simulation: Ensemble) -> str:
    """Return a table of the estimates of a simulation beside the prediction in infinite width."""
    prediction = simulation.network.predict(simulation.inputs)
    expected = observable(prediction, simulation)
    rows = []
    for name in ESTIMATES[::2]:
        theory, estimate = float(getattr(expected, name)[-1]), getattr(simulation, name)
        shown = measured(estimate, getattr(simulation, f"{name}_error"))
        rows.append([name, f"{theory:.6g}", shown])
    law: Any = prediction.G0
    size = simulation.samples
    deviation = law.std() if prediction.dataset is not None else law.finite(size).std() / size
    rows.append([f"sd of G0, {size} data", f"{float(deviation):.6g}", f"{simulation.G0.std(ddof=1):.6g}"])
    drawn = f"{simulation.networks} networks of width {simulation.width}, seed {simulation.seed}"
    rows_text = table(("output", "infinite width", f"width {simulation.width}"), rows)
    sentences = filter(None, [drawn, rows_text, on_ties(simulation.ties), MEANING])
    return "\n\n".join(sentences) + on_few(simulation.networks)


def guess_theory(prediction: Prediction | WidthPrediction, simulation: Ensemble) -> tuple[Cumulative, float]:
    """Return the distribution function of the number of guesses among the data of a simulation, and its draws.

    It is exact, of infinitely many draws, for Gaussian inputs in infinite width, and where gamma varies.
    """
    size, law = simulation.samples, prediction.G0
    if law.source.independent:
        return law.finite(size).cdf, np.inf
    rng, draws = np.random.default_rng(simulation.seed), DRAWS * simulation.networks
    shares = np.asarray(law.rvs(draws, random_state=rng))
    # given the weights, Gaussian data are independent
    counts = rng.binomial(size, shares) if simulation.gaussian else np.rint(shares * size).astype(np.int64)
    return empirical(counts), draws
