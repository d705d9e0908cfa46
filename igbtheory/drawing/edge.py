"""The edge of chaos as a curve: where a fixed point of the variance q multiplies gradients by 1."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Layer
from igbtheory.network import mlp
from igbtheory.phases import gradients

Q = np.geomspace(1e-4, 1e3, 141)
"""Variances of the pre-activations along the curve."""
ALONG = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 61)])
"""Variances of the biases along an edge that is a vertical line."""


@final
@dataclass(frozen=True)
class Edge:
    """Variances of weights and biases on the edge of chaos, along the curve."""

    sigma_w2: Any
    sigma_b2: Any


def edge_of_chaos(activation: Any, pool: int | Layer | None = None, q: Any = Q) -> Edge:
    """The edge, with q as its parameter: sigma_w2 = 1/E |grad f|^2, sigma_b2 = q - sigma_w2 E f^2.

    Where the gradient does not depend on q, as for ReLU, it is a vertical line. ValueError: an activation that jumps.
    """
    net = mlp(1, activation, pool=pool, sigma_w2=1.0)
    inputs = GaussianInputs(variance=q)
    sigma_w2 = 1 / np.asarray(gradients(net, inputs).factor[0], float)
    if np.ptp(sigma_w2) < 1e-9 * sigma_w2[0]:
        return Edge(np.full(ALONG.shape, sigma_w2[0]), ALONG)
    found = net.predict(inputs)
    sigma_b2 = q - sigma_w2 * np.asarray(found.var_mu + found.var_chi, float)
    return Edge(np.where(sigma_b2 >= 0, sigma_w2, np.nan), sigma_b2)
