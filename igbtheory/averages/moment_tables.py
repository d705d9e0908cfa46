"""Moments of kinked functions, for whole sweeps, in double precision.

With the mean slope K1(t) = E phi'(u) phi'(v) of a centred pair of variance q and correlation t, Price's theorem says

    var_chi of phi(h) = var_chi R,  R = int_0^1 K1(1 - x (1 - c)) dx
    var_mu of phi(h)  = var_mu Q,   Q = int_0^1 K1(x c) dx

K1, R and Q are positive, and smooth in log q and theta = acos c also where phi has kinks: Chebyshev polynomials hold
them for all c and an octave of q.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages import mean_slopes
from igbtheory.averages.resolved import Resolved, resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.threads import one_thread
from igbtheory.numerics.chebyshev import Array, Axis, transform

FARTHEST = 10
"""Octaves from q = 1: a network whose q explodes or vanishes comes by once, which panels do for less."""
VARIANCES, ANGLES = 17, (41, 81, 161)
"""Numbers of polynomials in log q and in theta, these tried in turn: each takes the angles of the last and as many."""
TOLERANCE = 3e-14
"""Last coefficients, against the largest K1, with which a series has ended."""
HOPE = 1e-9
"""The same, as they promise to be with the most angles, beyond which no more angles are tried."""
ROUNDING = 30 * FLOAT64.epsilon
"""Rounding error of a value: up to 20 epsilon were seen."""
FLOOR = (1e5 * FLOAT64.epsilon) ** 2
"""Share of the second moment below which a product of means is what rounding leaves of zero."""
SPARE = 16
"""Gauss nodes for averages of a polynomial over a path beyond the half of its degree, which a straight path takes."""
BLOCK = 2**14
"""Points evaluated at once."""

_ONE = np.array([0])


@final
@dataclass(frozen=True, eq=False)
class Octave:
    """Moments for q within half an octave of 2^number, which norms leave a rounding error of.

    means: Chebyshev coefficients of E phi in log q; factors: those of R and of Q, shape (2, log q, theta);
    mean_error, factor_error: absolute ones, estimated by the last coefficients and a coarser quadrature.
    """

    number: int
    means: Array
    factors: Array
    mean_error: float
    factor_error: float

    def moments(self, var_mu: Array, var_chi: Array) -> tuple[Array, Array]:
        """Rows mean, var_mu, var_chi and relative error of phi(h), and where the factors are known to the goal."""
        q = var_mu + var_chi
        # a deep network keeps its q, when norms do
        lines, mean = _at_variance(self, float(q[0])) if q.size == 1 else self.lines(q)
        theta = 2 * np.arctan2(np.sqrt(var_chi), np.sqrt(var_mu + q))
        to_chi, to_mu = np.vecdot(lines, _angles(self.factors.shape[2]).basis(theta))
        var_mu, var_chi = var_mu * to_mu, var_chi * to_chi
        error, shared = self.factor_error / np.minimum(to_chi, to_mu), mean * mean + var_mu
        counted = shared > FLOOR * (shared + var_chi)
        lost = np.divide(2 * np.abs(mean) * self.mean_error, shared, where=counted, out=0 * shared)
        return np.array([mean, var_mu, var_chi, lost + error]), (error > 0) & (error <= FLOAT64.goal)

    def lines(self, q: Array) -> tuple[Array, Array]:
        """Coefficients in theta of R and of Q, shape (2, q, theta), and E phi."""
        in_q = _variances(self.number).basis(np.log2(q))
        return in_q @ self.factors, in_q @ self.means


@lru_cache(maxsize=64)
def _at_variance(octave: Octave, q: float) -> tuple[Array, Array]:
    """What `lines` says at one variance."""
    return octave.lines(np.array([q]))


def fill(phi: Function, points: Array, found: Array) -> Array:
    """Write mean, var_mu, var_chi and error into columns of `found` where tables know them, and return where that is.

    points: rows mean, var_mu, var_chi of h; tables are for the mean 0, and for two variances: a single one takes no
    more than an integral over one variable.
    """
    filled = np.zeros(points.shape[1], dtype=bool)
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    near = (q > 2.0**-FARTHEST) & (q < 2.0**FARTHEST)
    for number, inside in _by_octave(q, (mean == 0) & (var_mu > 0) & (var_chi > 0) & near):
        octave = _octave(phi, number)
        if octave is not None:
            for first in range(0, inside.size, BLOCK):
                part = inside[first : first + BLOCK]
                found[:, part], filled[part] = octave.moments(*points[1:, part])
    return filled


def _by_octave(q: Array, served: NDArray[np.bool_]) -> list[tuple[int, NDArray[np.intp]]]:
    """Numbers of octaves, and the points that are in each."""
    if q.size == 1:
        return [(round(float(np.log2(q[0]))), _ONE)] if served[0] else []
    chosen = np.flatnonzero(served)
    numbers = np.rint(np.log2(q[chosen])).astype(int)
    return [(number, chosen[numbers == number]) for number in set(numbers.tolist())]


@lru_cache(maxsize=256)
def _octave(phi: Function, number: int) -> Octave | None:
    """Table around 2^number, or None where K1 takes too long, is singular at t = 1, or its series do not end."""
    if not phi.pieces.kinks or any(phi.pieces.jumps(FLOAT64)) or phi.growth not in ("bounded", "polynomial"):
        return None
    q = 2.0 ** _variances(number).nodes()
    try:
        seen = resolved(FLOAT64, phi, 0.0, float(np.sqrt(q[-1])))
    except ValueError:  # panels say why, where they fail as well
        return None
    if seen.doubt > 1 or not mean_slopes.few(seen, float(q[-1])):
        return None
    with one_thread():
        slopes, missed = _mean_slopes(seen, q)
        if max(_left(slopes), _left(slopes.T)) > TOLERANCE:
            return None
        means, means_missed = _means(seen, q)
        factors = transform(VARIANCES) @ slopes @ _averages(slopes.shape[1])
        means = transform(VARIANCES) @ means
    ends = _end(factors) + _end(np.moveaxis(factors, 1, 2))
    mean_error = means_missed + _end(means) + ROUNDING * float(np.abs(means).sum())
    return Octave(number, means, factors, mean_error, missed + ends + ROUNDING * float(np.max(slopes)))


def _mean_slopes(seen: Resolved, q: Array) -> tuple[Array, float]:
    """Mean slopes K1, shape (q, theta), at as many angles as their series takes or may, and their absolute error."""
    slopes, missed = mean_slopes.mean_slopes(seen, q, _angles(ANGLES[0]).nodes())
    for size in ANGLES[1:]:
        left, times = _left(slopes), (ANGLES[-1] - 1) // (slopes.shape[1] - 1)
        # coefficients fall in proportion: those so many times as far are that power
        if left <= TOLERANCE or left**times > HOPE:
            break
        between, more = mean_slopes.mean_slopes(seen, q, _angles(size).nodes()[1::2])
        slopes, missed = np.insert(slopes, np.arange(1, slopes.shape[1]), between, axis=1), max(missed, more)
    return slopes, missed


def _left(lines: Array) -> float:
    """Last coefficients of the series of lines, given by their values at nodes (last axis), against the largest value.

    Infinite where a value is, or none is but zero.
    """
    largest = float(np.max(np.abs(lines)))
    return _end(lines @ transform(lines.shape[-1]).T) / largest if 0 < largest < np.inf else np.inf


def _means(seen: Resolved, q: Array) -> tuple[Array, float]:
    """Means E phi and the largest difference from a coarser rule."""
    if seen.phi.parity < 0:
        return 0 * q, 0.0
    coarse, fine = (seen.averaged(0 * q, np.sqrt(q), order)[0] for _, order in mean_slopes.ORDERS)
    return fine, float(np.max(np.abs(fine - coarse)))


def _variances(number: int) -> Axis:
    """Axis of log2 q within half an octave of `number`."""
    return Axis(number - 0.5, number + 0.5, VARIANCES)


def _angles(size: int) -> Axis:
    """Axis of theta."""
    return Axis(0.0, np.pi / 2, size)


@lru_cache
def _averages(size: int) -> Array:
    """Matrices from K1 at the nodes theta (first) to the coefficients (last) of R and of Q."""
    theta = _angles(size).nodes()[:, None]
    x, weights = FLOAT64.legendre(size // 2 + SPARE)
    y, weights = (x + 1) / 2, weights / 2
    toward_one = 2 * np.arcsin(y * np.sin(theta / 2))
    width = np.pi / 2 - theta
    toward_zero = theta + width * y
    rules = (2 * y * weights, toward_one), (weights * np.sin(toward_zero) / np.sinc(width / np.pi), toward_zero)
    to = transform(size)
    sums = (np.vecdot(part, np.moveaxis(_angles(size).basis(path), -1, 0)) for part, path in rules)
    return np.stack([to.T @ over @ to.T for over in sums])


def _end(coefficients: Array) -> float:
    """Largest of the last three coefficients, last axis."""
    return float(np.max(np.abs(coefficients[..., -3:])))
