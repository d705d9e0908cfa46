"""Kernels of data sets by interpolation: quadrature takes milliseconds for a pair, and there may be millions of pairs.

K(q_a, q_b, q_ab) = E f(h_a) f(h_b) is smooth in log q_a, log q_b and the angle theta = acos(q_ab/sqrt(q_a q_b)), even
if f has a kink at 0, or kinks anywhere if all variances are equal. A tensor of Chebyshev polynomials in the three
variables represents all pairs, in double precision. Its values come from mean slopes by Price's theorem, -dK/dtheta =
sqrt(q_a q_b) K1 sin(theta).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
from numpy.polynomial import chebyshev

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.averages import maximum, mean_slopes
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numbers.sweeps import at_points
from igbtheory.mathematics.numerics.chebyshev import Array, Axis
from igbtheory.mathematics.numerics.limits import BLOCK

TOLERANCE = 2e-13
"""Largest coefficient that a series may leave out, for a kernel of size 1: a fifth of the error up to which a rule is
accepted, `moment_tables.GOAL`."""
LONGEST_Q, LONGEST_THETA = 33, 129
"""Largest numbers of nodes in log q and in theta: 2^k + 1, as doubling the intervals makes them."""
FEW = 100
"""Number of pairs up to which a rule for one pair takes less time than a table of mean slopes."""
ALIKE = 64 * FLOAT64.epsilon
"""Relative difference of two variances that counts as rounding, as behind a norm."""
DIGITS = 15
"""Digits to which a variance is rounded, so that layers behind norms share a table: one less than a float has."""
WITNESSES = 12
"""Number of pairs drawn to measure the error; quadrature takes up to 0.1 s for each."""

Grid = Callable[[Array, Array, Array], tuple[Array, float]]
"""Returns values on the grid of log q_a, log q_b and theta, and their error, relative to sqrt(E f_a^2 E f_b^2)."""


@final
@dataclass(frozen=True)
class Size:
    """Chebyshev coefficients of log E f^2 in log q."""

    axis: Axis
    coefficients: Array

    def at(self, log_q: Any) -> Any:
        return np.exp(self.axis.basis(log_q) @ self.coefficients)


@final
@dataclass(frozen=True)
class Interpolant:
    """Kernel as a tensor of Chebyshev polynomials in log q_a, log q_b and theta.

    tensor: coefficients of K/sqrt(E f_a^2 E f_b^2), shape (q, q, theta); error: the absolute error of this ratio,
    estimated from the last coefficients and the quadrature.
    """

    size: Size
    log_q: Axis
    theta: Axis
    tensor: Array
    error: float

    def second_moment(self, q: Any) -> Any:
        """Return E f(h)^2 at variances q."""
        return self.size.at(np.log(q))

    def __call__(self, q_a: Any, q_b: Any, q_ab: Any) -> Array:
        """Return the kernel, shape (rows, columns), for q_a of shape (rows, 1) and q_b of shape (columns,)."""
        q_a, q_b = np.ravel(q_a), np.ravel(q_b)
        blocks = np.array_split(np.arange(q_a.size), min(q_a.size, 1 + q_ab.size // BLOCK))
        return np.concatenate([self._block(q_a[rows, None], q_b, q_ab[rows]) for rows in blocks])

    def _block(self, q_a: Array, q_b: Array, q_ab: Array) -> Array:
        """Return the kernel of some rows, by Clenshaw's recurrence in theta on matrices over the pairs."""
        left, right = (self.log_q.basis(np.log(np.ravel(q))) for q in (q_a, q_b))
        size_a, size_b = self.second_moment(np.ravel(q_a))[:, None], self.second_moment(q_b)
        left, right = left * np.sqrt(size_a), right * np.sqrt(size_b)[:, None]
        x = self.theta.position(angle(q_a, q_b, q_ab))
        now, before = np.zeros((2, *q_ab.shape))
        for k in range(self.theta.length - 1, 0, -1):
            now, before = left @ self.tensor[:, :, k] @ right.T + 2 * x * now - before, now
        values = left @ self.tensor[:, :, 0] @ right.T + x * now - before
        return np.asarray(np.where((q_ab == q_a) & (q_ab == q_b), size_a, values))


def angle(q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return the angle theta with cos theta = q_ab/sqrt(q_a q_b), from the distances |h_a - h_b| and |h_a + h_b|.

    4 sin^2(theta/2) sqrt(q_a q_b) = q_a + q_b - 2 q_ab - (sqrt(q_a) - sqrt(q_b))^2 keeps its digits near 0 and pi;
    the cosine does not.
    """
    excess = np.square((q_a - q_b) / (np.sqrt(q_a) + np.sqrt(q_b)))
    total = q_a + q_b - excess
    return 2 * np.arctan2(np.sqrt(np.maximum(total - 2 * q_ab, 0)), np.sqrt(np.maximum(total + 2 * q_ab, 0)))


def kernel(phi: Function, m: int, pair: tuple[Any, Any, Any]) -> tuple[Any, float] | None:
    """Return the kernel E f(h_a) f(h_b) of a data set and its largest error relative to sqrt(E f_a^2 E f_b^2).

    f: phi of the largest of m centred units; pair: variances q_a (rows, 1) and q_b (1, columns), and q_ab. Return None
    for pairs that are not those of a data set, for few pairs, and if the kernel is not smooth or f vanishes.
    """
    q_a, q_b, q_ab = np.broadcast_arrays(*pair)
    rows, columns = q_ab.shape[-2:] if q_ab.ndim > 1 else (0, 0)
    of_data = (np.shape(pair[0])[-2:], np.shape(pair[1])[-2:]) == ((rows, 1), (1, columns))
    low, high = span(*pair[:2])
    # with unequal variances, the kernel of a kink away from 0 is not smooth along q_a = q_b
    if not of_data or q_ab.size <= FEW or low <= 0 or (low < high and any(phi.pieces.kinks)):
        return None
    # images have one matrix for each pair of positions; the interpolant serves all of them
    stacks = q_a[..., :1].reshape(-1, rows, 1), q_b[..., 0, :].reshape(-1, columns), q_ab.reshape(-1, rows, columns)
    matrices = list(zip(*stacks, strict=True))
    if low == high:
        table = _at_one_variance(phi, m, float(f"{high:.{DIGITS - 1}e}"))
    else:
        theta = np.where((q_ab == q_a) & (q_ab == q_b), np.pi / 2, angle(q_a, q_b, q_ab))
        table = interpolant(phi, m, (low, high), (float(theta.min()), float(theta.max())))
    if table is None:
        return None
    some = [] if low == high else matrices[:: max(1, len(matrices) - 1)]
    error = max([table.error, *(_missed(table, phi, m, matrix) for matrix in some)])
    return np.stack([table(*matrix) for matrix in matrices]).reshape(q_ab.shape), error


@lru_cache(maxsize=64)
def _at_one_variance(phi: Function, m: int, q: float) -> Interpolant | None:
    """Return the kernel of units of one variance at all angles: with norms, every layer has the same variance."""
    table = interpolant(phi, m, (q, q), (0.0, np.pi))
    if table is None:
        return None
    theta = np.random.default_rng(0).uniform(0, np.pi, WITNESSES)
    pairs = np.full((WITNESSES, 1), q), np.full(WITNESSES, q), q * np.cos(np.tile(theta, (WITNESSES, 1)))
    return replace(table, error=max(table.error, _missed(table, phi, m, pairs)))


def span(q_a: Array, q_b: Array) -> tuple[float, float]:
    """Return the smallest and the largest variance; equal numbers if they differ by rounding only, as behind a norm."""
    low, high = min(np.min(q_a), np.min(q_b)), max(np.max(q_a), np.max(q_b))
    return float(high if high <= low * (1 + ALIKE) else low), float(high)


def _missed(table: Interpolant, phi: Function, m: int, data: tuple[Array, Array, Array]) -> float:
    """Return the largest error at random pairs of the data, at the most similar pair and at the least similar pair."""
    q_a, q_b, q_ab = data
    c = np.where((q_ab == q_a) & (q_ab == q_b), 0, q_ab / np.sqrt(q_a * q_b))
    drawn = np.random.default_rng(0).integers(q_ab.size, size=WITNESSES)
    pairs = np.unravel_index([*drawn, c.argmax(), c.argmin()], q_ab.shape)
    a, b, ab = q_a[pairs[0], 0], q_b[pairs[1]], q_ab[pairs]
    exact, error = at_points(partial(maximum.product, FLOAT64, phi, m, 0.0), a, b, ab)
    size = np.sqrt(table.second_moment(a) * table.second_moment(b))
    values = np.diagonal(table(a, b, np.where(np.eye(a.size), ab, 0)))
    return float(np.max(np.abs(values - exact) / size) + np.max(error * np.abs(exact) / size))


def interpolant(phi: Function, m: int, q: tuple[float, float], ends: tuple[float, float]) -> Interpolant | None:
    """Return an interpolant for variances and angles between the given ends.

    It integrates mean slopes from theta = pi/2, where K is the product of the means. Return None if the slopes are not
    known, or if f vanishes at some variance.
    """
    meshed = mean_slopes.on_mesh(phi, m, q[1])
    size = _size(phi, m, q) if meshed else None
    if meshed is None or size is None:
        return None

    def grid(log_a: Array, log_b: Array, theta: Array) -> tuple[Array, float]:
        scales = np.exp(log_a / 2), np.exp(log_b / 2)
        scale = np.multiply.outer(scales[0] / np.sqrt(size.at(log_a)), scales[1] / np.sqrt(size.at(log_b)))
        values, error = mean_slopes.of_pairs(meshed, m, scales, theta)
        return scale[..., None] * values * np.sin(theta), float(error * np.max(scale))

    with one_thread():
        log_q, theta = _axes(grid, size.axis, Axis(min(ends[0], np.pi / 2), max(ends[1], np.pi / 2)))
        tensor, error = _tensor(grid, log_q, theta)
        nodes = log_q.nodes()
        means, missed = maximum.means(phi, m, np.exp(nodes))
    # integrate dK/dtheta; K(pi/2), the product of the means, fixes the constant
    half = (theta.high - theta.low) / 2
    tensor = np.asarray(-half * chebyshev.chebint(tensor, axis=2), dtype=np.float64)
    theta = replace(theta, length=theta.length + 1)
    centred = log_q.coefficients(means / np.sqrt(size.at(nodes)))
    tensor[..., 0] += np.multiply.outer(centred, centred) - tensor @ theta.basis(np.array([np.pi / 2]))[0]
    return Interpolant(size, log_q, theta, tensor, 2 * half * error + 2 * missed / float(np.sqrt(size.at(nodes).min())))


def _size(phi: Function, m: int, q: tuple[float, float]) -> Size | None:
    """Return the second moments for variances between the ends q, or None if f vanishes."""

    def second(variance: Any) -> Any:
        mean, _, var_chi, _ = maximum.moments(FLOAT64, phi, m, 0.0, 0.0, variance)
        return mean * mean + var_chi

    axis = Axis(float(np.log(q[0])), float(np.log(q[1])))
    axis = replace(axis, length=LONGEST_Q if axis.high > axis.low else 1)
    with np.errstate(divide="ignore"):
        coefficients = axis.coefficients(np.log([second(x) for x in np.exp(axis.nodes())]))
    return Size(axis, coefficients) if np.all(np.isfinite(coefficients)) else None


def _axes(grid: Grid, along_q: Axis, along_theta: Axis) -> tuple[Axis, Axis]:
    """Return the axes with the numbers of nodes that series along lines need.

    The lines go through the ends and the middle of the other axes.

    There are two angles more than needed, because the last two coefficients give the error.
    """
    some_q, some_theta = (axis.at(np.array([-1.0, 0, 1])) for axis in (along_q, along_theta))
    _, length = along_q.sampled(lambda log_a: _rows(grid(log_a, some_q, some_theta)[0]), TOLERANCE, LONGEST_Q)
    _, turns = along_theta.sampled(lambda theta: _rows(grid(some_q, some_q, theta)[0].T), TOLERANCE, LONGEST_THETA)
    return replace(along_q, length=length), replace(along_theta, length=turns + 2 * (turns > 1))


def _rows(values: Array) -> Array:
    return values.reshape(len(values), -1)


def _tensor(grid: Grid, log_q: Axis, theta: Axis) -> tuple[Array, float]:
    """Return the coefficients, and the error of the values at the nodes plus the truncation error."""
    nodes = log_q.nodes()
    values, error = grid(nodes, nodes, theta.nodes())
    for i, axis in enumerate((log_q, log_q, theta)):
        values = np.moveaxis(axis.coefficients(np.moveaxis(values, i, 0)), 0, i)
    ends = [values[-1]] * (log_q.length > 1) + [values[..., -2:]] * (theta.length > 2)
    return values, error + max((float(np.max(np.abs(end))) for end in ends), default=0.0)
