"""The mean share of the data that the favoured class, that of most data, gets, at many bias ratios at once."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr

from igbtheory.guesses.arguments import float64_array
from igbtheory.guesses.bias_of_guesses import gamma_of_variance, without_itself
from igbtheory.guesses.coincidence import share_variance
from igbtheory.guesses.ranked import mean_shares
from igbtheory.mathematics.numbers import FLOAT64

NODES = 17
"""Number of Chebyshev points at which the double integral is taken: with 13, 1000 classes are off by 3e-9."""
EXPONENT = 0.8
"""The power of 1/(p(1 - p)) with which delta falls as the share p grows: 1 less the fall of 1/k^2."""
SCATTER = 0.2
"""Error of the share, over the difference that finitely many data make: the largest in simulations of 8 to 1000 data
and 2 to 100 classes, where it is at most 0.022; with fewer data than classes it may be more."""
STEP, FAR, LARGEST = 0.1, 8.0, 1e4
"""Step and reach of the sums over uniform centres, in standard deviations of an output over the data, which are within
0.01 of drawn ones up to 100 classes, and the largest gamma, beyond which they would need more than 20,000 places."""


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
        return self.at_gamma(self._apart(variance))

    def at(self, gamma_guess: Any, error: Any = 0.0) -> tuple[Any, Any]:
        """Return the share at gamma_guess over all pairs of the data, and its error."""
        with np.errstate(invalid="ignore"):  # an infinite gamma may have an infinite error
            ends = [np.maximum(end, 0.0) for end in (gamma_guess, gamma_guess - error, gamma_guess + error)]
        apart = [self._apart(share_variance(gamma, 2)) for gamma in ends]
        share, lowest, highest = map(self.at_gamma, apart)
        scatter = SCATTER * (share - favoured_share(apart[0], self.n_classes))
        return share, np.hypot((highest - lowest) / 2, scatter)

    def with_uniform(self, gamma_guess: float, uniform: float) -> float:
        """Return the share if uniform numbers make this share of the variance of the centres."""
        gamma = float(self._apart(share_variance(gamma_guess, 2)))
        return favoured_of_uniform(gamma, uniform, self.n_classes, self.samples)

    def _apart(self, variance: Any) -> Any:
        """Return gamma of pairs of different data, from Var(G0) over all pairs."""
        return gamma_of_variance(without_itself(variance, self.samples))


def favoured_share(gamma: Any, n_classes: int, D: float = np.inf) -> Any:  # noqa: N803 - the papers' letter
    """Return the mean share of D data that the favoured one of M classes gets, in the shape of gamma; NaN gives NaN.

    Of infinitely many data it is a smooth function of arcsin(rho), rho^2 = gamma/(1 + gamma): 1/2 + arcsin(rho)/pi for
    two classes, and for more a Chebyshev series through values of `mean_shares`, within 1e-9 up to 1000 classes. The
    scatter of D guesses acts like additional variance of the centres, rho^2 = (gamma + delta)/(1 + gamma): a share p is
    known within p(1 - p)/D, and rises by p(1 - p) k for an increase of the centre, so that delta is about 1/(p(1 - p)
    k^2 D), where k falls slowly with p. At gamma = 0 the share is exact; elsewhere see `SCATTER`.
    """
    gamma = float64_array("gamma", gamma)
    with np.errstate(invalid="ignore"):
        rho2 = np.where(np.isposinf(gamma), 1.0, gamma / (gamma + 1.0))
    share = _of_many(rho2, n_classes)
    if np.isfinite(D):
        share = _of_many(rho2 + _scatter(share, n_classes, int(D)) * (1.0 - rho2), n_classes)
    return share[()]


def favoured_of_uniform(gamma: float, uniform: float, n_classes: int, D: int) -> float:  # noqa: N803 - as above
    """Return the same if a uniform number has this share of the variance of a centre, such as a bias of the last layer.

    With X a centre and Y the output at a datum, it is M times the integral of f(x, y) P(X < x, Y < y)^(M-1), summed on
    a grid of x and of y - x up to FAR; outputs of centres more than 2 FAR below x are surely below y. Bounded centres
    are closer to the largest one than normal ones, so that it gets less.
    """
    gamma = min(gamma, LARGEST)
    delta = _scatter(favoured_share(gamma, n_classes), n_classes, D)
    half = np.sqrt(3.0 * uniform * gamma / (1.0 - delta))
    spread = max(np.sqrt(((1.0 - uniform) * gamma + delta) / (1.0 - delta)), STEP)
    reach = half + FAR * spread
    x = np.arange(-reach, reach, STEP)
    density = STEP * (ndtr((x + half) / spread) - ndtr((x - half) / spread)) / (2.0 * half)
    z, lags = np.arange(-FAR, FAR, STEP), np.arange(0.0, 2 * FAR, STEP)
    padded = np.concatenate([np.zeros(lags.size), density])
    lower = ndtr(z + lags[:, None])
    lower[0] /= 2  # the last half of a step
    near = np.lib.stride_tricks.sliding_window_view(padded[1:], lags.size)[:, ::-1] @ lower
    smaller = np.minimum(near + padded.cumsum()[: x.size, None], 1.0)
    point = density[:, None] * FLOAT64.npdf(z) * STEP
    with np.errstate(under="ignore"):
        return float(n_classes * np.sum(point * smaller ** (n_classes - 1)))


def _scatter(share: Any, n_classes: int, D: int) -> Any:  # noqa: N803 - as above
    """Return delta of D data at the share of infinitely many."""
    even, delta = _of_few(D, n_classes)
    p = np.clip(share, even, max(even, 0.5))
    return delta * (even * (1.0 - even) / (p * (1.0 - p))) ** EXPONENT


@lru_cache(maxsize=8)
def _of_few(D: int, n_classes: int) -> tuple[float, float]:  # noqa: N803 - as above
    """Return the share of D data without a bias, and the delta that gives it."""
    even = even_share(D, n_classes)
    return even, brentq(lambda delta: _of_many(delta, n_classes) - even, 0.0, 1.0, xtol=1e-15)


def even_share(D: int, n_classes: int) -> float:  # noqa: N803 - the papers' letter
    """Return the mean share that the most frequent one of M equally likely classes gets of D independent guesses.

    The counts are independent Poisson variables, given their sum, so that P(all <= m) is an entry of a power of the law
    up to m, by Fourier transform. Counts and sums beyond 12 standard deviations have no weight.
    """
    mean = D / n_classes
    spread = 12 * np.sqrt(mean) + 40
    counts = np.arange(max(0, int(mean - spread)), min(D, int(mean + spread)) + 1)
    size = int(24 * np.sqrt(D)) + 100
    law, place = _poisson(counts, mean), (D - n_classes * counts[0]) % size
    up_to = (np.fft.rfft(law[: i + 1], size) ** n_classes for i in range(counts.size))
    at_most = np.array([np.fft.irfft(power, size)[place] for power in up_to]) / _poisson(D, D)
    # below 1 also for a single datum, so that p(1 - p) is not 0
    return min(float(counts[0] + np.sum(1.0 - np.clip(at_most, 0.0, 1.0))) / D, 1.0 - float(np.finfo(float).eps))


def _poisson(counts: Any, mean: float) -> Any:
    """Return the probabilities of counts with this mean."""
    return np.exp(counts * np.log(mean) - mean - gammaln(counts + 1.0))


def _of_many(rho2: Any, n_classes: int) -> Any:
    """Return the mean share of infinitely many data."""
    angle = np.arcsin(np.sqrt(np.minimum(rho2, 1.0)))
    if n_classes == 2:
        return 0.5 + angle / np.pi
    return chebyshev.chebval(4 * angle / np.pi - 1, _series(n_classes))


@lru_cache(maxsize=8)
def _series(n_classes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the coefficients of the series in 4 arcsin(rho)/pi - 1."""
    points = chebyshev.chebpts1(NODES)
    shares = [mean_shares(np.tan((x + 1) * np.pi / 4) ** 2, n_classes, ranks=1)[0] for x in points]
    return chebyshev.chebfit(points, shares, NODES - 1)
