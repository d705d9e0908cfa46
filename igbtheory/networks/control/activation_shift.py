"""Activations phi - a, whose constants a are chosen layer by layer so that gamma has the target value after each layer.

If the activation has the moments mean, var_mu and var_chi, then gamma after phi - a and the next Dense is

    gamma = ((mean - a)^2 + var_mu + sigma_b2/sigma_w2) / var_chi,

so that (mean - a)^2 = gamma var_chi - var_mu - sigma_b2/sigma_w2. Without biases the right side is not negative if
gamma before the activation has the target value, since the covariance of phi at correlation c is
sum_k>0 a_k^2 c^k <= c Var(phi). Source: initial-guessing-bias, section 5 and its appendix on the shifted ReLU
(gamma = 0, one layer).
"""

from collections.abc import Sequence

import numpy as np

from igbtheory.layers.activation import Activation, phi_of
from igbtheory.layers.chain import segments
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.gaussian import Gaussian
from igbtheory.layers.nodes.node import LawNode
from igbtheory.layers.nodes.samples import in_front, undrawn
from igbtheory.mathematics.formulas.shift import shifted
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.network import Network

UNITS = 8
"""Number of units behind a layer by which it is tested."""
ROUNDING = 1e-12
"""A square (mean - a)^2 that is negative by less than this, in units of (1 + gamma) var_chi, is 0 up to rounding."""


def matched(network: Network, inputs: GaussianInputs, gamma: float) -> tuple[Network, tuple[float, ...]]:
    """Return the network with shifted activations that has the target gamma, and the shifts, input side first.

    Each shift is the smaller of the two that a layer allows. ValueError: gamma is too small, or a layer other than a
    pool stands between an activation and the next Dense.
    """
    layers = network.layers
    node = LawNode(FLOAT64, Gaussian(inputs.moments(FLOAT64)))
    replaced: list[Layer] = []
    shifts: list[float] = []
    for i, layer in enumerate(layers):
        changed = layer
        if (phi := phi_of(layer)) is not None:
            shifts.append(_shift(node, layers[i:], gamma, len(shifts) + 1))
            changed = Activation(shifted(phi, shifts[-1]))
        replaced.append(changed)
        node = node.through((changed,))
    if not shifts:
        raise ValueError("expected a network with an activation to shift, got none")
    return Network(*replaced), tuple(shifts)


def _shift(node: LawNode, layers: Sequence[Layer], gamma: float, number: int) -> float:
    """Return the shift of the first of the `layers`, which is activation `number` of the network."""
    before, dense = next(segments(layers))
    other = [layer for layer in before[1:] if not _keeps_shifts(layer)]
    if other:
        raise ValueError(
            f"expected a Dense or pools after activation {number}, got {other[0]!r}, which moves its mean; put it "
            "before the activation"
        )
    x = node.through(before).averaged()
    bias = dense.sigma_b2 / dense.sigma_w2 if dense.sigma_b2 else 0.0
    needed = gamma * x.var_chi - x.var_mu - bias
    if needed < -ROUNDING * x.var_chi * (1 + gamma):
        least = (x.var_mu + bias) / x.var_chi
        raise ValueError(
            f"no shift of activation {number} gives gamma = {gamma:g}: the biases and the layers before make gamma at "
            f"least {least:.6g} there; pass a larger gamma, or smaller biases"
        )
    return float(x.mean - np.copysign(np.sqrt(max(needed, 0.0)), x.mean))


def _keeps_shifts(layer: Layer) -> bool:
    """Return whether a constant that is added to all units in front of a layer is added to the units behind it."""
    x = np.random.default_rng(0).standard_normal((UNITS, in_front(layer, UNITS)))
    behind, behind_shifted = undrawn(layer, x), undrawn(layer, x + 1)
    return behind is not None and behind_shifted is not None and np.allclose(behind_shifted, behind + 1)
