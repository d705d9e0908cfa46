"""The joint distribution function of two correlated standard normal variables, by Owen's T function."""

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]


def both_below(x: Array, y: Array, x_given: Array, y_given: Array) -> Array:
    """Return the probability that u < x and v < y, for standard normal u and v of correlation c, x and y not 0.

    x_given = (x - c y)/sqrt(1 - c^2) is x standardised by the law of u given v = y; y_given = (y - c x)/sqrt(1 - c^2).
    The arrays broadcast. The absolute error is about 1e-16.
    """
    tails = scipy.special.owens_t(x, y_given / x) + scipy.special.owens_t(y, x_given / y) + (x * y < 0) / 2
    return np.asarray(np.maximum((scipy.special.ndtr(x) + scipy.special.ndtr(y)) / 2 - tails, 0.0))
