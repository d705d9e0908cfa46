"""The latent Gaussian behind the guesses of a network: given U, class 0 gets the fraction Phi(sqrt(gamma) U)."""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.law import Numbers, shape_of


def fraction(gamma: Numbers, u: Numbers) -> NDArray[np.float64]:
    """Return the fraction Phi(sqrt(gamma) u) of class 0 at the latent value u, of the broadcast shape.

    At gamma = 0 it is 1/2 for every u, at gamma = inf it is 0 up to u = 0 and 1 above.
    """
    with np.errstate(all="ignore"):
        inside = scipy.special.ndtr(np.sqrt(gamma) * u)
    one_peak, two_peaks = np.equal(gamma, 0.0), np.isposinf(gamma)
    limit = np.where(one_peak, 0.5, np.greater(u, 0.0))
    return np.where(np.isnan(u), np.nan, np.where(one_peak | two_peaks, limit, inside))


def angle(gamma: Numbers) -> NDArray[np.float64]:
    """Return the angle arcsin(c), c = gamma/(1 + gamma), of the shape of gamma, to its last digits."""
    # arcsin loses half the digits near 1, the angle does not; beyond 1e300 it is pi/2 to the last digit
    bounded = np.minimum(gamma, 1e300)
    return np.arctan2(bounded, np.sqrt(1.0 + 2.0 * bounded))


def fraction_variance(gamma: Numbers) -> NDArray[np.float64]:
    """Return the variance arcsin(gamma/(1 + gamma))/(2 pi) of the fraction of class 0, of the shape of gamma."""
    return angle(gamma) / (2.0 * np.pi)


def draw_fraction(gamma: Numbers, size: Any, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return independent draws of the fraction of class 0, of shape `size` (None: the shape of gamma).

    ValueError where gamma does not broadcast to `size`.
    """
    own = np.shape(gamma)
    shape = shape_of(size, own)
    if len(own) > len(shape) or any(a not in {1, b} for a, b in zip(own[::-1], shape[::-1], strict=False)):
        message = (
            f"size: expected a shape that gamma, of shape {np.shape(gamma)}, broadcasts to, got {size!r}; "
            f"put further axes in front: (n, {', '.join(map(str, np.shape(gamma)))})"
        )
        raise ValueError(message)
    return fraction(gamma, rng.standard_normal(shape))
