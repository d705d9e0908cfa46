"""Words for what the evidence was computed with, which `worded` looks for in the assumptions of a claim."""

from typing import Any

import numpy as np

from igbtheory.claims.words import COUNTS
from igbtheory.networks.network import Network
from igbtheory.theory.prediction import Prediction

PLACES = {"before": "in front of", "after": "behind"}
"""Where a norm stands, seen from the activation, by the `placement` of `igb.mlp`."""
COUNTED = dict(enumerate(("no", *COUNTS)))
"""Small numbers in words."""


def width(prediction: Any) -> str:
    """Return "infinite" for a prediction of infinite width, and "finite" for one at given widths."""
    return "infinite" if isinstance(prediction, Prediction) else "finite"


def biases(network: Network) -> str:
    """Return "no biases", or "biases", of the Dense layers of a network."""
    return "biases" if any(np.any(getattr(layer, "sigma_b2", 0)) for layer in network.layers) else "no biases"
