"""The kernel of the outputs on a data set, and their neural tangent kernel, in infinite width.

The tangent kernel Theta is the kernel of the gradients with respect to all weights, in the parametrisation in which W
and b are standard normal and a Dense multiplies them by sigma_w/sqrt(fan-in) and sigma_b. Behind a Dense it is
K + (dK/dq_ab) Theta_in at fixed q_a and q_b (Jacot, Gabriel and Hongler 2018). The first term comes from the weights of
the layer itself, and the derivative in the second from the verbs of the kernel: see `Pairs.tangent`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.chain import behind_undrawn, entering, shapes
from igbtheory.layers.dropout import Noisy
from igbtheory.layers.nodes.node import Passage
from igbtheory.theory.kernels import OutputKernel

Array = NDArray[np.float64]

PASSAGE = Passage(gradients=True, trains=False)
LARGEST = 5_000
"""Largest number of data, for which the two kernels take 200 MB each."""


def kernels(network: Any, inputs: Any) -> tuple[Array, Array]:
    """Return the kernel K and the tangent kernel Theta of an output at all data, each of shape (n_samples, n_samples).

    Dropout is left out, as in evaluation mode. All data are one batch of a BatchNorm that trains, which stands behind a
    Dense and in front of an activation with phi(a x) = a^p phi(x), such as relu. ValueError: the network has another
    BatchNorm, a MaxPool behind an activation with a kink away from 0, an activation that jumps, Attention whose scores
    do not vanish, or a layer that is estimated from draws; there are too many data; or the network is a sweep.

    network, inputs: the network, and the data, as for `predict`.

    >>> net = igb.mlp(1, "relu")
    >>> K, Theta = igb.training.kernels(net, igb.digits()[:3] / 16)
    >>> K.shape, Theta.shape
    ((3, 3), (3, 3))
    """
    layers = checks.network(network).layers
    given = entering(layers, inputs)
    if len(given) > LARGEST:
        raise ValueError(
            f"expected at most {LARGEST} data to train on and to test, got {len(given)}, whose kernels take "
            f"{2 * 8 * len(given) ** 2 / 2**30:.1f} GiB; train on a subsample"
        )
    shapes(layers, given.shape[2:])
    # in evaluation mode, also in front of the first Dense
    chain, data = behind_undrawn([layer for layer in layers if not isinstance(layer, Noisy)], given)
    kernel, tangent = OutputKernel(chain, data.astype(float), passage=PASSAGE).matrices("q_ab", "tangent")
    return kernel, tangent
