"""Moments of a unit, or of the largest of m units, for sweeps: Chebyshev tables in double precision.

With the mean slope K1(t) of a centred pair of variance q and correlation t, Price's theorem says

    var_chi of phi(M) = var_chi R,  R = int_0^1 K1(1 - x (1 - c)) dx
    var_mu of phi(M)  = var_mu Q,   Q = int_0^1 K1(x c) dx

and of a smooth phi with the Hermite coefficients a_k

    q R = sum_(k>0) a_k^2 (1 + c + ... + c^(k-1)),   q Q = sum_(k>0) a_k^2 c^(k-1)

K1, R and Q are positive. They are smooth in log q and theta = acos c even if phi has kinks. At large q they vary within
about 1/sqrt(q) of theta = 0, and beyond it like a power of theta. Chebyshev polynomials in log q and in the place
asinh(theta/width) represent them for all c and an octave of q.
"""

import itertools
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import final

import numpy as np

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.averages import distant_slopes, hermite, maximum, mean_slopes, mehler
from igbtheory.mathematics.averages.angles import PLACES, angle_at, place_of, stretch
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.chebyshev import Array, Axis, transform

FARTHEST = (2.0**-10, 2.0**100)
"""Smallest and largest variance of the tables. A hundred layers of relu at sigma_w2 = 4 lead from 1 to 2^100."""
FAR = 10
"""Number of the octave beyond which q changes from layer to layer, so that a table would serve one network once."""
VARIANCES, LONGEST = 17, 129
"""Number of polynomials in log q, and largest number in the place. Of relu, softsign and abs(x)*tanh(x), the last
coefficients in log q are below 1e-16."""
TOLERANCE = 3e-14
"""Size of the last coefficients, relative to the largest K1, at which a series has converged: four times ROUNDING,
below which they cannot fall."""
GOAL = 1e-12
"""Relative error up to which a table is used."""
ROUNDING = 30 * FLOAT64.epsilon
"""Rounding error of a value; up to 20 epsilon were observed."""
ALMOST = 1e-100
"""Place at which R is computed for theta = 0, where it is a mean over no interval."""
SPARE = 16
"""Gauss nodes beyond half the degree of a polynomial, because the density of cos theta is none. Without them relu has
an error of 6e-8 around 2^30, with eight one of 6e-14 and with sixteen one of 4e-15."""
MORE = 24
"""Additional polynomials of R and Q, which vary where K1 is constant. With eight, relu has an error of 2e-12 around
2^30, with sixteen one of 1e-14 and with 24 one of 4e-15."""
ORDERS = (64, 128, 256, 512)
"""Numbers of Hermite coefficients to try; all together take less time than circles do, which serve larger variances."""
CIRCLES, SWEPT = 16, 20
"""Points of an octave, or of a sweep if phi is smooth, from which on circles, of 0.04 to 2 s, take less time than
panels at each point, of 20 to 130 ms. Searches for critical lines look at 16 or 17 points of dozens of octaves: for
them tables of a smooth phi take eight times as long."""
BLOCK = 2**14
"""Points evaluated at once; with the longest series they take 60 MiB."""


@final
@dataclass(frozen=True, eq=False)
class Octave:
    """Moments for variances q within half an octave of 2^number.

    2^number is in the middle, since norms leave q = 1 up to rounding, which must not lie at the edge of two octaves.

    means: Chebyshev coefficients of E phi in log q; factors: coefficients of R and of Q, shape (2, place, log q);
    mean_error, factor_error: their absolute errors, estimated from the last coefficients and a coarser quadrature.
    """

    means: Array
    factors: Array
    mean_error: float
    factor_error: float


def fill(phi: Function, m: int, points: Array, rows: Array) -> None:
    """Write mean, var_mu, var_chi and error into those columns of `rows` for which there is a table.

    points: rows mean, var_mu, var_chi of h. A table needs a mean of 0 and, if phi has kinks, two positive variances: if
    one of them is 0, an integral over one variable is as fast.
    """
    mean, var_mu, var_chi = points
    q = var_mu + var_chi
    near = (q > FARTHEST[0]) & (q < FARTHEST[1])
    served = np.flatnonzero((mean == 0) & (phi.smooth | (var_mu > 0) & (var_chi > 0)) & near)
    octaves, one = {}, m == 1 and phi.smooth
    for number, count in zip(*np.unique(_number(q[served]), return_counts=True), strict=True):
        # other points of a sweep reach an octave in other layers
        many = served.size >= SWEPT if one else count >= CIRCLES
        octave = _octave(phi, m, int(number), many=many or (number <= FAR and not one))
        if octave is not None:
            octaves[int(number)] = octave
    numbers = _number(q[served])
    served = served[np.argsort(numbers, kind="stable")][np.isin(np.sort(numbers), list(octaves))]
    for part in np.array_split(served, 1 + served.size // BLOCK):
        rows[:, part] = _moments(octaves, *points[1:, part])


def _moments(octaves: dict[int, Octave], var_mu: Array, var_chi: Array) -> Array:
    """Return rows mean, var_mu, var_chi and relative error of phi at points in ascending order of their octaves.

    The polynomials are computed at all points at once.
    """
    q = var_mu + var_chi
    log_q, numbers = np.log2(q), _number(q)
    in_q = _variances(0).polynomials(log_q - numbers)
    longest = max((octaves[number].factors.shape[1] for number in set(numbers.tolist())), default=1)
    theta = 2 * np.arctan2(np.sqrt(var_chi), np.sqrt(var_mu + q))
    in_theta = replace(PLACES, length=longest).polynomials(place_of(theta, numbers))
    # rows mean, factors of var_chi and of var_mu, and the errors of the mean and of the factors
    columns = np.empty((5, q.size))
    ends = np.flatnonzero(np.diff(numbers, prepend=np.nan, append=np.nan))
    for start, end in itertools.pairwise(ends):
        octave, inside = octaves[int(numbers[start])], slice(start, end)
        lines = octave.factors @ in_q[:, inside]
        lines *= in_theta[: lines.shape[1], inside]
        columns[0, inside] = octave.means @ in_q[:, inside]
        columns[1:3, inside] = lines.sum(axis=1)
        columns[3:, inside] = np.array([[octave.mean_error], [octave.factor_error]])
    mean, to_chi, to_mu, mean_error, factor_error = columns
    errors = mean_error, factor_error * var_mu, factor_error * var_chi
    var_mu, var_chi = var_mu * to_mu, var_chi * to_chi
    return np.array([mean, var_mu, var_chi, stated(FLOAT64, (mean, var_mu, var_chi), errors)])


def _number(q: Array) -> Array:
    """Return the numbers of the octaves of variances."""
    return np.rint(np.log2(q))


@lru_cache(maxsize=256)
def _octave(phi: Function, m: int, number: int, *, many: bool) -> Octave | None:
    """Return the table around 2^number, or None if K1 takes too long, is singular at t = 1, or has no short series.

    many: whether there are enough points for circles, where phi is not smooth or its Hermite series is too long.
    """
    one = m == 1 and phi.smooth
    with one_thread():
        table = _of_series(phi, number) if one else None
        return table if table or not many else _of_slopes(phi, m, number)


def _of_series(phi: Function, number: int) -> Octave | None:
    """Return the table of a smooth phi from its Hermite series, or None if the series is too long."""
    q = 2.0 ** _variances(number).nodes()
    for order in ORDERS:
        a, missed = hermite.series(FLOAT64, phi, 0.0, q, order, centred=True)
        if np.max(missed) <= ROUNDING:
            break
    else:
        return None
    squares = np.square(a[1:])

    def line(place: Array) -> Array:
        of_c, totals = mehler.powers(np.cos(angle_at(place, number)), len(squares))
        return np.stack([totals.T @ squares, of_c.T @ squares], axis=1) / q

    largest = float(np.max(line(np.zeros(1))))
    values, length = PLACES.sampled(line, ROUNDING * largest, LONGEST)
    factors = np.moveaxis(np.tensordot(transform(len(values)), values, axes=1) @ transform(VARIANCES).T, 1, 0)
    means = transform(VARIANCES) @ a[0]
    cut_off = np.abs(factors[:, length:]).sum(axis=1).max() + _end(factors) + _end(np.moveaxis(factors, 1, 2))
    # rounding leaves in each a_k an error of the size of phi, which the mean may dominate
    rounding = ROUNDING * (1 + np.sqrt(np.max(1 + a[0] ** 2 / squares.sum(axis=0))))
    error = float(cut_off + (np.max(missed) + rounding) * largest)
    mean_error = _end(means) + ROUNDING * float(np.abs(means).sum())
    return Octave(means, np.ascontiguousarray(factors[:, :length]), mean_error, error)


def _of_slopes(phi: Function, m: int, number: int) -> Octave | None:
    """Return the table from mean slopes on circles, or from those far beyond the bend of phi.

    K1 of maxima takes too long if phi has kinks away from 0: circles have other nodes for each variance.
    """
    q = 2.0 ** _variances(number).nodes()
    if m > 1 and any(phi.pieces.kinks):
        return None
    k1 = _slopes(phi, m, number, q)
    if k1 is None:
        return None

    def line(place: Array) -> Array:
        return np.asarray(k1.at(angle_at(place, number)).T)

    largest = float(np.max(np.abs(line(np.zeros(1)))))
    slopes = PLACES.sampled(line, TOLERANCE * largest, LONGEST)[0].T
    ends = max(_end(slopes @ transform(slopes.shape[1]).T), _end(slopes.T @ transform(VARIANCES).T))
    if not 0 < ends + largest < np.inf or ends > TOLERANCE * largest:
        return None
    means, means_missed = maximum.means(phi, m, q)
    factors = np.moveaxis(transform(VARIANCES) @ slopes @ _averages(slopes.shape[1], number), 1, 2)
    means = transform(VARIANCES) @ means
    cut_off = _end(factors) + _end(np.moveaxis(factors, 1, 2))
    mean_error = means_missed + _end(means) + ROUNDING * float(np.abs(means).sum())
    error = k1.error(angle_at(PLACES.at(np.array([-1.0, 0, 1])), number))
    return Octave(means, np.ascontiguousarray(factors), mean_error, error + cut_off + ROUNDING * largest)


def _slopes(phi: Function, m: int, number: int, q: Array) -> mean_slopes.Slopes | distant_slopes.Distant | None:
    """Return the mean slopes at variances q around 2^number, or None if K1 is singular or takes too long."""
    if m == 1 and phi.smooth and number > distant_slopes.BEYOND and (far := distant_slopes.distant(phi)):
        return replace(far, q=q)
    meshed = mean_slopes.on_mesh(phi, m, float(q[-1]))
    return meshed and mean_slopes.Slopes(meshed, m, q)


def _variances(number: int) -> Axis:
    """Return the axis of log2 q within half an octave of `number`."""
    return Axis(number - 0.5, number + 0.5, VARIANCES)


@lru_cache(maxsize=256)
def _averages(size: int, number: int) -> Array:
    """Return the matrices from K1 at `size` places to the size + MORE coefficients of R and of Q."""
    place = replace(PLACES, length=size + MORE).nodes()[:, None]
    x, weights = FLOAT64.legendre(size // 2 + SPARE)
    inside, steep = (x + 1) / 2, stretch(number)
    sums = []
    # R is the mean of K1 over cos(theta') for theta' from 0 to theta, and Q that for theta' from theta to pi/2
    for path in (np.maximum(place, ALMOST) * inside, place + (1 - place) * inside):
        density = weights * np.sin(angle_at(path, number)) * np.cosh(steep * path)
        density /= density.sum(axis=1, keepdims=True)
        sums.append(np.vecdot(density, np.moveaxis(replace(PLACES, length=size).basis(path), -1, 0)))
    return np.stack([transform(size).T @ over @ transform(size + MORE).T for over in sums])


def _end(coefficients: Array) -> float:
    """Return the largest of the last three coefficients along the last axis."""
    return float(np.max(np.abs(coefficients[..., -3:])))
