"""Moments of a unit, or of the largest of m, for whole sweeps: Chebyshev tables of mean slopes, in double precision.

With the mean slope K1(t) of a centred pair of variance q and correlation t, Price's theorem says

    var_chi of phi(M) = var_chi R,  R = int_0^1 K1(1 - x (1 - c)) dx
    var_mu of phi(M)  = var_mu Q,   Q = int_0^1 K1(x c) dx

K1, R and Q are positive, and smooth in log q and theta = acos c also where phi has kinks: Chebyshev polynomials hold
them for all c and an octave of q.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages import maximum, mean_slopes
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.threads import one_thread
from igbtheory.numerics.chebyshev import Array, Axis, transform

FARTHEST = 10
"""Tables cover variances q from 2^-10 to 2^10: outside, q changes from layer to layer, and a table would serve once."""
VARIANCES, LONGEST_THETA = 17, 129
"""Number of polynomials in log q, and that in theta at most."""
TOLERANCE = 3e-14
"""Last coefficients, against the largest K1, with which a series has ended."""
GOAL = 1e-12
"""Relative error up to which a table is used."""
ROUNDING = 30 * FLOAT64.epsilon
"""Rounding error of a value: up to 20 epsilon were seen."""
FLOOR = (1e5 * FLOAT64.epsilon) ** 2
"""Share of the second moment below which E x_a x_b of two data is rounding of zero."""
SPARE = 16
"""Gauss nodes beyond half the degree of a polynomial: they average it along paths that are curved in theta."""
MORE = 24
"""Number of polynomials in theta that R and Q have more than K1, since they vary where K1 is constant."""
BLOCK = 2**14
"""Points evaluated at once."""

_ONE = np.array([0])


@final
@dataclass(frozen=True, eq=False)
class Octave:
    """Moments for variances q within half an octave of 2^number; norms leave q a rounding error beside a power of two.

    means: Chebyshev coefficients of E phi in log q; factors: those of R and of Q, shape (2, log q, theta);
    mean_error, factor_error: absolute ones, estimated by the last coefficients and a coarser quadrature.
    """

    number: int
    means: Array
    factors: Array
    mean_error: float
    factor_error: float

    def moments(self, var_mu: Array, var_chi: Array) -> Array:
        """Rows mean, var_mu, var_chi and relative error of phi."""
        q = var_mu + var_chi
        # a deep network keeps its q, when norms do
        lines, mean = _at_variance(self, float(q[0])) if q.size == 1 else self.lines(q)
        theta = 2 * np.arctan2(np.sqrt(var_chi), np.sqrt(var_mu + q))
        to_chi, to_mu = np.vecdot(lines, _angles(self.factors.shape[2]).basis(theta))
        var_mu, var_chi = var_mu * to_mu, var_chi * to_chi
        smallest, second = np.minimum(to_chi, to_mu), mean * mean + var_mu
        error = np.divide(self.factor_error, smallest, where=smallest > 0, out=1 + 0 * q)
        counted = second > FLOOR * (second + var_chi)
        lost = np.divide(2 * np.abs(mean) * self.mean_error, second, where=counted, out=0 * second)
        return np.array([mean, var_mu, var_chi, lost + error])

    def lines(self, q: Array) -> tuple[Array, Array]:
        """Coefficients in theta of R and of Q, shape (2, q, theta), and E phi."""
        in_q = _variances(self.number).basis(np.log2(q))
        return in_q @ self.factors, in_q @ self.means


@lru_cache(maxsize=64)
def _at_variance(octave: Octave, q: float) -> tuple[Array, Array]:
    """Coefficients in theta and E phi at one variance, as of `lines`."""
    return octave.lines(np.array([q]))


def fill(phi: Function, m: int, points: Array, found: Array) -> None:
    """Write mean, var_mu, var_chi and error into columns of `found` where there is a table.

    points: rows mean, var_mu, var_chi of h; tables are for the mean 0, and for two variances: a single one takes no
    more than an integral over one variable.
    """
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    near = (q > 2.0**-FARTHEST) & (q < 2.0**FARTHEST)
    for number, inside in _by_octave(q, (mean == 0) & (var_mu > 0) & (var_chi > 0) & near):
        octave = _octave(phi, m, number)
        if octave is not None:
            for first in range(0, inside.size, BLOCK):
                part = inside[first : first + BLOCK]
                found[:, part] = octave.moments(*points[1:, part])


def _by_octave(q: Array, served: NDArray[np.bool_]) -> list[tuple[int, NDArray[np.intp]]]:
    """Numbers of octaves, and the points that are in each."""
    if q.size == 1:
        return [(round(float(np.log2(q[0]))), _ONE)] if served[0] else []
    chosen = np.flatnonzero(served)
    numbers = np.rint(np.log2(q[chosen])).astype(int)
    return [(number, chosen[numbers == number]) for number in set(numbers.tolist())]


@lru_cache(maxsize=256)
def _octave(phi: Function, m: int, number: int) -> Octave | None:
    """Table around 2^number, or None where K1 takes too long, is singular at t = 1, or its series do not end."""
    q = 2.0 ** _variances(number).nodes()
    seen = mean_slopes.seen(phi, m, float(q[-1]))
    if seen is None:
        return None
    missed = [0.0]

    def line(theta: Array) -> Array:
        values, error = mean_slopes.of_equals(seen, m, q, theta)
        missed.append(error)
        return values.T

    with one_thread():
        largest = float(np.max(np.abs(line(np.zeros(1)))))
        slopes = _angles(1).sampled(line, TOLERANCE * largest, LONGEST_THETA)[0].T
        ends = max(_end(slopes @ transform(slopes.shape[1]).T), _end(slopes.T @ transform(VARIANCES).T))
        if not 0 < ends + largest < np.inf or ends > TOLERANCE * largest:
            return None
        means, means_missed = maximum.means(phi, m, q)
        factors = transform(VARIANCES) @ slopes @ _averages(slopes.shape[1])
        means = transform(VARIANCES) @ means
    left = _end(factors) + _end(np.moveaxis(factors, 1, 2))
    mean_error = means_missed + _end(means) + ROUNDING * float(np.abs(means).sum())
    return Octave(number, means, factors, mean_error, max(missed) + left + ROUNDING * largest)


def _variances(number: int) -> Axis:
    """Axis of log2 q within half an octave of `number`."""
    return Axis(number - 0.5, number + 0.5, VARIANCES)


def _angles(size: int) -> Axis:
    """Axis of theta."""
    return Axis(0.0, np.pi / 2, size)


@lru_cache
def _averages(size: int) -> Array:
    """Matrices from K1 at `size` nodes theta (first) to the coefficients (last) of R and of Q, which are MORE."""
    theta = _angles(size + MORE).nodes()[:, None]
    x, weights = FLOAT64.legendre(size // 2 + SPARE)
    y, weights = (x + 1) / 2, weights / 2
    of_chi = 2 * np.arcsin(y * np.sin(theta / 2))
    width = np.pi / 2 - theta
    of_mu = theta + width * y
    rules = (2 * y * weights, of_chi), (weights * np.sin(of_mu) / np.sinc(width / np.pi), of_mu)
    sums = (np.vecdot(part, np.moveaxis(_angles(size).basis(path), -1, 0)) for part, path in rules)
    return np.stack([transform(size).T @ over @ transform(size + MORE).T for over in sums])


def _end(coefficients: Array) -> float:
    """Largest of the last three coefficients, last axis."""
    return float(np.max(np.abs(coefficients[..., -3:])))
