"""The predictions with which a simulation is compared: moments, and the law of the guesses among its data."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.foundations.text import measured, table
from igbtheory.guesses.bias_of_guesses import MEANING, on_ties
from igbtheory.networks.simulation.estimates import ESTIMATES, on_few
from igbtheory.networks.simulation.kolmogorov import Cumulative, empirical
from igbtheory.networks.simulation.values import Ensemble
from igbtheory.theory.prediction import PerLayer, Prediction

DRAWS = 10
"""Number of draws of the predicted G0 on a data set for every network of an ensemble: they add 5 % to the standard
error of a comparison."""


@final
@dataclass(frozen=True)
class GuessTheory:
    """The predicted law of the guesses: the distribution function of their number, and moments of G0.

    draws: the size of the sample from which the distribution function comes; inf if it is exact.
    variance: E (G0 - 1/2)^2. variance_of_square: Var (G0 - 1/2)^2.
    """

    cdf: Cumulative
    draws: float
    variance: float
    variance_of_square: float


def observable(prediction: Prediction, samples: int) -> PerLayer:
    """Return the moments as a simulation with D = `samples` data shows them.

    With full batches, all pairs of data are pairs within a batch of D data.
    """
    if prediction.batch is None or prediction.batch.size is not None:
        return prediction.per_layer
    moments = prediction.batch.at(samples).per_layer
    variance = np.arcsin(moments.c_within.astype(float)) / (2 * np.pi)
    return replace(
        moments, var_mu=moments.within, var_chi=moments.var_mu + moments.var_chi - moments.within, variance=variance
    )


def beside_theory(simulation: Ensemble) -> str:
    """Return a table of the estimates of a simulation beside the prediction in infinite width."""
    prediction = simulation.network.predict(simulation.inputs)
    expected = observable(prediction, simulation.samples)
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


def guess_theory(simulation: Ensemble, prediction: Prediction) -> GuessTheory:
    """Return the law of the guesses among the data of a simulation: exact for Gaussian inputs, drawn for a data set."""
    size, law = simulation.samples, prediction.G0
    if prediction.dataset is None:
        counts = law.finite(size)
        k = np.arange(size + 1.0)
        variance = float(counts.var()) / size**2
        return GuessTheory(counts.cdf, np.inf, variance, float(counts.pmf(k) @ ((k / size - 0.5) ** 2 - variance) ** 2))
    draws = DRAWS * simulation.networks
    drawn = np.asarray(law.rvs(draws, random_state=simulation.seed))
    # one more draw of G0 = 1/2, so that the variance is not 0 if other values are too rare to be drawn
    squares = np.append((drawn - 0.5) ** 2, 0.0)
    cdf = empirical(np.rint(drawn * size).astype(np.int64))
    return GuessTheory(cdf, draws, law.var(), float(squares.var()))
