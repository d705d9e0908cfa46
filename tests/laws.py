"""Nodes of a law, and what layers make of them."""

import numpy as np

from igbtheory.averages.state import Moments
from igbtheory.layers import Gaussian, LawNode, Layer
from igbtheory.numbers import FLOAT64


def law(mean: float = 0.0, q: float = 1.0, c: float = 0.0, within: float | None = None) -> LawNode:
    """A Gaussian unit with correlation c of any two data, and a covariance within batches."""
    # the integer 0 marks a centred unit, for which closed forms hold
    return LawNode(FLOAT64, Gaussian(Moments(mean or 0, np.float64(c * q), np.float64((1 - c) * q), 0.0, within)))


def through(node: LawNode, *layers: Layer) -> LawNode:
    for layer in layers:
        node = layer.law(node)
    return node
