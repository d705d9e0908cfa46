"""The effective rank over the data of the units that the output reads, in a network of finite width."""

from typing import Any

import numpy as np

from igbtheory.layers.chain import drawn
from igbtheory.layers.layer import Layer
from igbtheory.networks.simulation.finite import finite_network

DATA = 1024
"""Number of drawn data, whose half a million pairs give the rank to a few per cent; few networks have another rank."""


def effective_rank(layers: tuple[Layer, ...], inputs: Any, width: int) -> float:
    """Return (tr S)^2/tr S^2 of the units in front of the last layer, S their covariance over Gaussian inputs.

    One network is drawn, whose layers read `width` units. tr S^2 is the mean square of centred products of two data.
    """
    rng = np.random.default_rng(0)
    x = drawn(layers[:-1], finite_network(layers, inputs, DATA, width).data(rng), rng, width)
    apart = x - x.mean(axis=0)
    products = np.asarray(apart @ apart.T, dtype=np.float64)
    squares = np.diagonal(products)
    pairs = (np.sum(products**2) - np.sum(squares**2)) / (DATA * (DATA - 1))
    return float(squares.mean() ** 2 / pairs)
