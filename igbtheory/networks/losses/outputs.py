"""Draws of the outputs of an infinitely wide network for several classes at many data."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.guesses.arguments import checked_classes
from igbtheory.guesses.finite_batches import coupled_data
from igbtheory.theory.prediction import Prediction

Draw = Callable[[Generator], NDArray[np.float64]]


def limit_outputs(prediction: Prediction, n_classes: Any, samples: Any) -> Draw:
    """Return a function that draws the outputs of one network, shape (n_samples, n_classes), from a generator.

    samples: the number of data; it is ignored for a prediction on a given data set.
    ValueError: a sweep, fewer than two classes or no datum. TypeError: `prediction` is not a prediction.
    """
    if not isinstance(prediction, Prediction):
        raise TypeError(f"expected a Prediction, got {type(prediction).__name__}; pass net.predict()")
    if np.ndim(prediction.gamma):
        raise ValueError("expected a prediction of one network, got a sweep; loop over its values")
    classes, count = checked_classes(n_classes), checks.whole("samples", samples, 1)
    if prediction.dataset is not None:
        given = prediction.dataset
        return lambda rng: given.at_data(classes, rng)
    var_mu, var_chi = float(prediction.var_mu), float(prediction.var_chi)
    if prediction.batch is not None:
        data: Any = coupled_data(prediction.source.counted(count), count)
        scale = np.sqrt(var_mu + var_chi)
        return lambda rng: scale * data.outputs((classes,), rng).T

    def draw(rng: Generator) -> NDArray[np.float64]:
        centres = np.sqrt(var_mu) * rng.standard_normal(classes)
        return np.asarray(centres + np.sqrt(var_chi) * rng.standard_normal((count, classes)))

    return draw
