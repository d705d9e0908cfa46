"""The last layer with which a network starts at a wanted loss.

At one datum the outputs are independent normal variables of one variance, whatever the bias: what classes share over
the data moves the loss of each network, but not its mean over networks. With x = sum_k exp(a z_k),
E log x = int (exp(-t) - E exp(-t x)) dt/t over t > 0, and E exp(-t x) is a power of an average over one normal z.
"""

import numpy as np
import scipy
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from igbtheory.guesses.arguments import checked_classes, one_number
from igbtheory.theory.prediction import Prediction

Array = NDArray[np.float64]
NARROW, WIDE = 1e-3, 50.0
"""Range of the largest standard deviation of an output in which a scale is searched."""
DEGREE = 60
"""Degree of the polynomial: 120 gives the same scales to 2e-7, for targets of log(10) + 0.0004 and more."""
STEP, REACH = 0.25, 9.0
"""Largest step, half of which gives the same seven digits, and end of a normal variable, which has 1e-19 beyond."""
CUT = 40.0
"""exp(-exp(u)) is 1 - 1e-17 at u = -40, and 0 at u = 4."""


def output_scale(prediction: Prediction, n_classes: int, target: float) -> float:
    """Return the number by which to multiply the outputs for a mean cross-entropy of `target` before training.

    Multiply the weights and biases of the last layer by it, or its sigma_w2 and sigma_b2 by its square. The guesses
    stay as they are. The mean is over networks, data and labels. The number has six digits. ValueError: the target is
    not above log(n_classes), the loss of outputs 0.

    prediction: for one network. n_classes: number of outputs. target: the loss that is wanted.

    >>> prediction = igb.mlp(20, "relu").predict()
    >>> scale = igb.losses.output_scale(prediction, 10, 2.4)
    >>> print(f"{scale:.4f}")
    0.3309
    """
    if not isinstance(prediction, Prediction):
        raise TypeError(f"expected a Prediction, got {type(prediction).__name__}; pass net.predict()")
    if np.ndim(prediction.gamma):
        raise ValueError("expected a prediction of one network, got a sweep; loop over its values")
    classes, wanted = checked_classes(n_classes), one_number("target", target)
    if not np.log(classes) < wanted < np.inf:
        raise ValueError(
            f"expected a target above log({classes}) = {np.log(classes):.6g}, which outputs of 0 have, got {target}; "
            "pass a larger one"
        )
    if prediction.dataset is None:
        variances = np.array([float(prediction.var_mu + prediction.var_chi)])
    else:
        variances = np.diagonal(prediction.dataset.kernel(), axis1=-2, axis2=-1).ravel()
    sizes = np.sqrt(variances)
    low, high = np.log(NARROW * sizes.min() / sizes.max()), np.log(WIDE)

    def of_logarithms(x: Array) -> Array:
        return np.array([_mean_loss(np.exp(at), classes) for at in x])

    # a polynomial in the logarithm of the standard deviation serves all data
    mean = Chebyshev.interpolate(of_logarithms, DEGREE, [low, high])

    def miss(log_scale: float) -> float:
        return float(np.mean(mean(log_scale + np.log(sizes))) - wanted)

    ends = [float(np.log(end / sizes.max())) for end in (NARROW, WIDE)]
    if miss(ends[1]) < 0:
        raise ValueError(
            f"expected a target of at most {miss(ends[1]) + wanted:.4g}, which outputs of standard deviation {WIDE:g} "
            f"have, got {target}; pass a smaller one"
        )
    return float(np.exp(scipy.optimize.brentq(miss, ends[0], ends[1], xtol=1e-12)))


def _mean_loss(size: float, classes: int) -> float:
    """Return the mean cross-entropy of independent normal outputs of this standard deviation."""
    wide = max(1.0, size)
    z = np.arange(-REACH, REACH, STEP / wide)
    density = STEP / wide * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    u = np.arange(-CUT * wide - REACH * size - np.log(classes), (4 + REACH) * wide, STEP * wide)
    mean = np.exp(-np.exp(np.minimum(u[:, None] + size * z, 700))) @ density
    # the integral of exp(-exp(u)) - exp(-exp(u/wide)) is (wide - 1) times Euler's constant
    smooth = np.exp(-np.exp(u / wide))
    return float((wide - 1) * np.euler_gamma + STEP * wide * np.sum(smooth - mean**classes))
