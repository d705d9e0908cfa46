"""The kernel of the outputs on a data set, and their neural tangent kernel, in infinite width.

The tangent kernel Theta is the kernel of the gradients with respect to all weights, in the parametrisation in which W
and b are standard normal and a Dense multiplies them by sigma_w/sqrt(fan-in) and sigma_b. Behind a Dense it is
K + (dK/dq_ab) Theta_in at fixed q_a and q_b (Jacot, Gabriel and Hongler 2018). The first term comes from the weights of
the layer itself, and the derivative in the second from the rules of the kernel, applied to first-order numbers.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.exceptions import ComplexWarning
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import behind_undrawn, each, shapes
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import KernelNode
from igbtheory.layers.nodes.places import units_first
from igbtheory.mathematics.numbers.first_order import first_order, slope_of
from igbtheory.theory.kernels import OutputKernel

Array = NDArray[np.float64]

LARGEST = 5_000
"""Largest number of data, for which the two kernels take 200 MB each."""


@final
@dataclass(frozen=True)
class Tangent(Layer):
    """The identity in front of all weights, from which on derivatives of the kernel are computed."""

    def kernel(self, node: KernelNode) -> KernelNode:
        x = node.averaged()
        return node.with_moments(self, replace(x, q_ab=first_order(x.q_ab, 0)), node.means())

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        return x


def kernels(layers: tuple[Layer, ...], inputs: Any) -> tuple[Array, Array]:
    """Return the kernel K and the tangent kernel Theta of an output at all data, each of shape (n_samples, n_samples).

    Dropout is left out, as in evaluation mode. ValueError: the network has a BatchNorm that trains, a MaxPool behind an
    activation that is not homogeneous, an activation that jumps, or a layer that is estimated from draws; there are too
    many data; or the network is a sweep.
    """
    given = units_first(checks.data_set(inputs))
    if len(given) > LARGEST:
        raise ValueError(
            f"expected at most {LARGEST} data to train on and to test, got {len(given)}, whose kernels take "
            f"{2 * 8 * len(given) ** 2 / 2**30:.0f} GiB; train on a subsample"
        )
    _refuse_batches(layers)
    shapes(layers, given.shape[2:])
    chain, data = behind_undrawn(evaluated(layers), given)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ComplexWarning)
        try:
            found = OutputKernel((Tangent(), *chain), data.astype(float))()
        except ComplexWarning:
            raise ValueError(
                "expected layers whose kernel has a formula, got some that are estimated from draws, for which there "
                "is no tangent kernel; leave them out: net.predict(X).estimated names them"
            ) from None
    return np.ascontiguousarray(found.real), np.ascontiguousarray(slope_of(found))


def evaluated(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return the layers in evaluation mode: without Dropout."""
    return tuple(layer.mapped(evaluated) for layer in layers if not isinstance(layer, Dropout))


def _refuse_batches(layers: tuple[Layer, ...]) -> None:
    found = [layer for layer in each(layers) if isinstance(layer, BatchNorm) and layer.trains]
    if found:
        raise ValueError(
            f"expected no BatchNorm in a network that is trained in theory, got {found[0]!r}: the outputs of a batch "
            "depend on one another, and their tangent kernel is not known here; use LayerNorm or RMSNorm"
        )
