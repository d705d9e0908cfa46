"""Predictions of a model in infinite width, where the exact kernel does not take long."""

import warnings
from typing import Any

from igbtheory.layers.chain import behind_undrawn, entering
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.theory.cost import seconds
from igbtheory.theory.data_set import on_data_set
from igbtheory.theory.kernels import Watched
from igbtheory.theory.prediction import Prediction

LONGEST = 30.0
"""Largest number of seconds that the kernel of a model may take in an explanation: as many as its measurement."""


class TooLongError(ValueError):
    """Raised where the exact kernel would take too long."""


def in_infinite_width(layers: tuple[Layer, ...], data: Any, watched: Watched | None = None) -> Prediction:
    """Return the prediction; watched: as in `on_data_set`. ValueError: the theory refuses a layer or the data."""
    behind, x = behind_undrawn(layers, entering(layers, data))
    needed = seconds(behind, len(x), x.shape[2:]) if x.ndim > 2 else 0.0  # vectors take little
    if needed > LONGEST:
        raise TooLongError(
            f"in infinite width the kernel of all pairs of data and positions would take about {needed:.2g} seconds"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the errors are part of the result
        return on_data_set(layers, FLOAT64, data, watched)
