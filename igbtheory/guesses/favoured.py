"""The mean share of the data that the favoured class gets, at many bias ratios at once."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev

from igbtheory.guesses.bias_of_guesses import gamma_of_variance, without_itself
from igbtheory.guesses.coincidence import share_variance
from igbtheory.guesses.law import float64_array
from igbtheory.guesses.ranked import mean_shares

NODES = 17
"""Number of Chebyshev points at which the double integral is taken: with 13, 1000 classes are off by 3e-9."""


@final
@dataclass(frozen=True)
class FavouredOf:
    """Mean shares of the favoured class: of networks of `n_classes` outputs, on a data set of `samples` data."""

    samples: int
    n_classes: int

    @property
    def even(self) -> float:
        """The share without a bias, above 1/n_classes since the data are finitely many."""
        return float(self.at_gamma(0.0))

    def at_gamma(self, gamma: Any) -> Any:
        """Return the share at gamma of pairs of different data, in its shape."""
        return favoured_share(gamma, self.n_classes, self.samples)

    def at_variance(self, variance: Any) -> Any:
        """Return the share at Var(G0) over all pairs of the data, in its shape."""
        return self.at_gamma(gamma_of_variance(without_itself(variance, self.samples)))

    def at(self, gamma_guess: Any, error: Any = 0.0) -> tuple[Any, Any]:
        """Return the share at gamma_guess over all pairs of the data, and its error by that of gamma_guess."""
        ends = (np.maximum(gamma_guess + sign * np.asarray(error), 0.0) for sign in (0, -1, 1))
        share, lowest, highest = (self.at_variance(share_variance(gamma, 2)) for gamma in ends)
        return share, (highest - lowest) / 2


def favoured_share(gamma: Any, n_classes: int, D: float = np.inf) -> Any:  # noqa: N803 - the papers' letter
    """Return the mean share of D data that the favoured one of M classes gets, in the shape of gamma; NaN gives NaN.

    It is a smooth function of arcsin(rho), rho = sqrt((gamma + 1/D)/(gamma + 1)): 1/2 + arcsin(rho)/pi for two classes,
    and for more a Chebyshev series through values of `mean_shares`, within 1e-9 up to 1000 classes.
    """
    gamma = float64_array("gamma", gamma)
    with np.errstate(invalid="ignore"):
        rho = np.sqrt((gamma + 1.0 / D) / (gamma + 1.0))
    angle = np.arcsin(np.where(np.isposinf(gamma), 1.0, np.minimum(rho, 1.0)))
    if n_classes == 2:
        return (0.5 + angle / np.pi)[()]
    return chebyshev.chebval(4 * angle / np.pi - 1, _series(n_classes))[()]


@lru_cache(maxsize=8)
def _series(n_classes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the coefficients of the series in 4 arcsin(rho)/pi - 1."""
    points = chebyshev.chebpts1(NODES)
    shares = [mean_shares(np.tan((x + 1) * np.pi / 4) ** 2, n_classes, ranks=1)[0] for x in points]
    return chebyshev.chebfit(points, shares, NODES - 1)
