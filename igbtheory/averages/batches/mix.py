"""What stands between a Gaussian unit and the values of a batch beside the activation: a maximum, dropout, noise.

A batch of values x + noise with s^2 = V over the x alone has, averaged over the noise g of variance sigma^2,

    E_g exp(-t s^2) = D^(-(n - 1)/2) exp(-t V/D),  D = 1 + 2 t sigma^2/n,

so that the rule for independent x serves, with kernels exp(-(x - w)^2/(2 width^2)) of width^2 = n/(2 t) + sigma^2.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.numbers import FLOAT64

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Mix:
    """Values x = phi(M) with the probability `kept`, else `at`, M the largest of `maximum` units; noise: its variance.

    Data whose units are correlated have maximum = 1.
    """

    maximum: int = 1
    kept: Any = 1.0
    at: Any = 0.0
    noise: Any = 0.0

    @property
    def dropped(self) -> Any:
        """Probability of the value `at`."""
        return 1 - self.kept

    def density(self, z: Array) -> Array:
        """Density of M times the probability that it is kept, units standard normal."""
        others = self.maximum - 1
        found = self.kept * FLOAT64.npdf(z)
        return np.asarray(found * self.maximum * np.exp(others * scipy.special.log_ndtr(z)) if others else found)

    def mass(self, low: Array, high: Array) -> Array:
        """Probability that M lies between and is kept."""
        if self.maximum == 1:
            side = np.where(low > 0, -1.0, 1.0)  # a difference of tails, not of what is nearly one
            below, above = FLOAT64.ncdf(side * low), FLOAT64.ncdf(side * high)
        else:
            below, above = (np.expm1(self.maximum * scipy.special.log_ndtr(end)) for end in (low, high))
        return np.asarray(self.kept * np.abs(above - below))

    def width(self, t: Any, size: int) -> Any:
        """Width of the kernels."""
        return np.sqrt(size / (2 * t) + self.noise)

    def factor(self, t: Any, size: int) -> Any:
        """Factor sqrt(t/pi) of a batch of `size`, over D for noise."""
        return np.sqrt(t / np.pi) * self._spread(t, size) ** (-(size + 4) / 2)

    def excess(self, t: Any, size: int) -> Any:
        """What noise adds to A_2 A_0 - A_1^2, over A_0^2."""
        return self.noise * self._spread(t, size)

    def _spread(self, t: Any, size: int) -> Any:
        return 1 + 2 * t * self.noise / size


PLAIN = Mix()
"""Values phi(h)."""
