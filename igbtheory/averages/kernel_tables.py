"""Kernels of data sets by interpolation, where quadrature takes milliseconds a pair and there are millions of pairs.

K(q_a, q_b, q_ab) = E f(h_a) f(h_b) is smooth in log q_a, log q_b and the angle theta = acos(q_ab/sqrt(q_a q_b)), also
across a kink or a jump of f at 0: a tensor of Chebyshev polynomials in the three holds all pairs, in double precision.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from igbtheory.numbers import Float64, Kind
from igbtheory.numerics.chebyshev import SHORTEST, Array, Axis

TOLERANCE = 2e-13
"""Coefficient, of a kernel of size 1, from which on a series goes on."""
LONGEST_Q, LONGEST_THETA = 33, 129
"""Nodes at most in either direction."""
INSET = 1e-4
"""Angle to 0 and pi at which the nodes end: closer to it the kernel of a jump loses more than 1e-12 to rounding."""
WITNESSES = 24
"""Pairs drawn to measure the error."""
BLOCK = 2**20
"""Pairs evaluated at once."""

Rule = Callable[[Array, Array, Array], tuple[Any, Any]]
"""Kernel and its estimated relative error, pair by pair or one for all, at arrays q_a, q_b, q_ab of one shape."""
Second = Callable[[Array], Array]
"""Second moment E f(h)^2 at an array of variances: at c = 1 the kernel of a jump loses half of its digits."""


@final
@dataclass(frozen=True)
class Interpolant:
    """Kernel as a tensor of Chebyshev polynomials in log q_a, log q_b and theta.

    moments: coefficients of log E f^2, on an axis of their own; tensor: those of K/sqrt(E f_a^2 E f_b^2), shape (q, q,
    theta); error: estimated, relative to sqrt(E f_a^2 E f_b^2), by the last coefficients and the rule itself.
    """

    of_moments: Axis
    log_q: Axis
    theta: Axis
    moments: Array
    tensor: Array
    error: float

    def second_moment(self, q: Any) -> Any:
        """Mean E f(h)^2 at variances q."""
        return np.exp(self.of_moments.basis(np.log(q)) @ self.moments)

    def __call__(self, q_a: Any, q_b: Any, q_ab: Any) -> Array:
        """Kernel at pairs of variances q_a, shape (rows, 1), and q_b, shape (columns,): shape (rows, columns)."""
        q_a, q_b = np.ravel(q_a), np.ravel(q_b)
        blocks = np.array_split(np.arange(q_a.size), min(q_a.size, 1 + q_ab.size // BLOCK))
        return np.concatenate([self._block(q_a[rows, None], q_b, q_ab[rows]) for rows in blocks])

    def _block(self, q_a: Array, q_b: Array, q_ab: Array) -> Array:
        """Kernel of a block, by Clenshaw's recurrence in theta on matrices over the pairs."""
        left, right = (self.log_q.basis(np.log(np.ravel(q))) for q in (q_a, q_b))
        size_a, size_b = self.second_moment(np.ravel(q_a))[:, None], self.second_moment(q_b)
        left, right = left * np.sqrt(size_a), right * np.sqrt(size_b)[:, None]
        x = self.theta.position(angle(q_a, q_b, q_ab))
        now, before = np.zeros((2, *q_ab.shape))
        for k in range(self.theta.length - 1, 0, -1):
            now, before = left @ self.tensor[:, :, k] @ right.T + 2 * x * now - before, now
        values = left @ self.tensor[:, :, 0] @ right.T + x * now - before
        return np.asarray(np.where((q_ab == q_a) & (q_ab == q_b), size_a, values))


@final
class _Sampler:
    """The rule as a kernel of size 1; moments: coefficients of log E f^2 in log q; error: the largest of the rule."""

    def __init__(self, rule: Rule, second: Second, parity: int, log_q: Axis) -> None:
        self.rule, self.parity, self.log_q, self.error = rule, parity, log_q, 0.0
        with np.errstate(divide="ignore"):  # where f is 0
            self.moments = log_q.coefficients(np.log(second(np.exp(log_q.nodes()))))

    def __call__(self, log_a: Array, log_b: Array, theta: Array) -> Array:
        """Kernel over sqrt(E f_a^2 E f_b^2), shape (*variances, angles); with a parity, angles even about pi/2."""
        near = theta[: (theta.size + 1) // 2] if self.parity else theta
        grids = np.broadcast_arrays(log_a[..., None], log_b[..., None], near)
        size = np.exp(sum(self.log_q.basis(grid) @ self.moments for grid in grids[:2]) / 2)
        q_a, q_b = np.exp(grids[0]), np.exp(grids[1])
        values, error = self.rule(q_a, q_b, np.sqrt(q_a * q_b) * np.cos(near))
        self.error = max(self.error, _largest(error, values, size))
        values = values / size
        beyond = self.parity * values[..., : theta.size - near.size]
        return np.concatenate([values, beyond[..., ::-1]], axis=-1)


def angle(q_a: Any, q_b: Any, q_ab: Any) -> Any:
    """Return the angle theta, cos theta = q_ab/sqrt(q_a q_b), from the distances |h_a - h_b| and |h_a + h_b|.

    4 sin^2(theta/2) sqrt(q_a q_b) = q_a + q_b - 2 q_ab - (sqrt(q_a) - sqrt(q_b))^2: no rounded cosine near 0 and pi.
    """
    excess = np.square((q_a - q_b) / (np.sqrt(q_a) + np.sqrt(q_b)))
    total = q_a + q_b - excess
    return 2 * np.arctan2(np.sqrt(np.maximum(total - 2 * q_ab, 0)), np.sqrt(np.maximum(total + 2 * q_ab, 0)))


def interpolated(rule: Rule, second: Second, q_a: Any, q_b: Any, q_ab: Any, *, parity: int = 0) -> tuple[Array, float]:
    """Return E f(h_a) f(h_b) and its estimated error relative to sqrt(E f_a^2 E f_b^2), by interpolation of a rule.

    second: E f(h)^2; q_a, q_b, q_ab: shapes (rows, 1), (columns,), (rows, columns); parity: 1 for even f, -1 for odd
    f, else 0. Where that takes less time, or f vanishes at some variance, the rule is asked for every pair.
    The error is the largest one at pairs of the data drawn at random, and at the most and the least alike.
    """
    q_a, q_b, q_ab = (np.asarray(q, dtype=np.float64) for q in (q_a, q_b, q_ab))
    low, high = min(q_a.min(), q_b.min()), max(q_a.max(), q_b.max())
    theta = np.where((q_ab == q_a) & (q_ab == q_b), np.pi / 2, angle(q_a, q_b, q_ab))
    ends = float(theta.min()), float(theta.max())
    found = fitted(rule, second, (low, high), ends, parity=parity, most=q_ab.size) if low > 0 else None
    if found is None:
        values, error = rule(*np.broadcast_arrays(q_a, q_b, q_ab))
        return np.asarray(values), float(np.max(error))
    values = found(q_a, q_b, q_ab)
    drawn = np.random.default_rng(0).integers(q_ab.size, size=WITNESSES)
    pairs = np.unravel_index([*drawn, theta.argmin(), theta.argmax()], q_ab.shape)
    a, b = q_a[pairs[0], 0], q_b[pairs[1]]
    exact, error = rule(a, b, q_ab[pairs])
    size = np.sqrt(found.second_moment(a) * found.second_moment(b))
    missed = float(np.max(np.abs(values[pairs] - exact) / size))
    return values, max(found.error, missed + _largest(error, exact, size))


def _largest(error: Any, values: Any, size: Any) -> float:
    """Largest error of the rule against the size of the kernel: where an odd kernel is 0 the relative one is noise."""
    return float(np.max(error * np.abs(values) / size))


def fitted(
    rule: Rule,
    second: Second,
    q: tuple[float, float],
    ends: tuple[float, float],
    *,
    parity: int = 0,
    most: float = np.inf,
) -> Interpolant | None:
    """Return an interpolant for variances and angles between given ends; None where it takes `most` evaluations.

    The number of nodes in each variable is found on lines: through the ends and the middle of the others.
    None also where f vanishes almost surely at some variance, so that the kernel has no size.
    """
    first, last = max(ends[0], INSET), min(ends[1], np.pi - INSET)
    if parity:  # half of the nodes tell the other half
        first = min(first, np.pi - last)
        last = np.pi - first
    along_q, along_theta = Axis(float(np.log(q[0])), float(np.log(q[1]))), Axis(first, last)
    if most <= (SHORTEST + 1) ** 3:
        return None
    sampler = _Sampler(rule, second, parity, replace(along_q, length=LONGEST_Q if along_q.high > along_q.low else 1))
    if not np.all(np.isfinite(sampler.moments)):
        return None
    low, middle, high = (np.array(along_q.at(x)) for x in (-1, 0, 1))
    log_q = along_q
    for log_b, theta in ((middle, first), (high, first), (high, last)):
        across = partial(_across, sampler, log_b, np.array([theta]))
        log_q = replace(log_q, length=max(log_q.length, along_q.needed(across, TOLERANCE, LONGEST_Q)[0]))
    a, b = np.unique([(low, low), (high, high), (low, high), (middle, middle)], axis=0).T
    turns, _ = along_theta.needed(lambda theta: sampler(a, b, theta).T, TOLERANCE, LONGEST_THETA)
    # the error is read from the last two coefficients, which are to be those that no longer count
    angles = replace(along_theta, length=turns + 2 * (turns > 1))
    if log_q.length * (log_q.length + 1) / 2 * angles.length >= most:
        return None
    return _interpolant(sampler, log_q, angles)


def _across(sampler: _Sampler, log_b: Array, theta: Array, log_a: Array) -> Array:
    """Kernel on a line in log_a."""
    return np.asarray(sampler(log_a, log_b, theta)[:, 0])


def _interpolant(sampler: _Sampler, log_q: Axis, theta: Axis) -> Interpolant:
    """Interpolant from the nodes of both axes; the kernel is symmetric in its two data."""
    nodes = log_q.nodes()
    a, b = np.triu_indices(log_q.length)
    values = np.empty((log_q.length, log_q.length, theta.length))
    values[a, b] = values[b, a] = sampler(nodes[a], nodes[b], theta.nodes())
    for i, axis in enumerate((log_q, log_q, theta)):
        values = np.moveaxis(axis.coefficients(np.moveaxis(values, i, 0)), 0, i)
    ends = [values[-1]] * (log_q.length > 1) + [values[..., -2:]] * (theta.length > 2)
    unresolved = max((float(np.max(np.abs(end))) for end in ends), default=0.0)
    return Interpolant(sampler.log_q, log_q, theta, sampler.moments, values, sampler.error + unresolved)


def kernel(
    n: Kind,
    rule: Callable[..., tuple[Any, Any]],
    second: Callable[[Any], Any],
    pair: tuple[Any, Any, Any],
    parity: int = 0,
) -> tuple[Any, float]:
    """Return the kernel E f(h_a) f(h_b) at arrays of pairs and its largest error, from a rule for one pair.

    rule: kernel and its estimated relative error of one pair (q_a, q_b, q_ab); second: E f(h)^2 at one variance; pair:
    (q_a, q_b, q_ab), arrays that broadcast; parity: of f. The pairs of a data set, q_a (rows, 1) with q_b (1, columns),
    are interpolated in double precision.
    """
    pairs = np.broadcast_arrays(*pair)
    if isinstance(n, Float64) and pairs[0].ndim == 2 and pairs[0].shape == (np.size(pair[0]), np.size(pair[1])):
        squares = partial(_each_variance, second)
        return interpolated(partial(_each, rule), squares, pair[0], np.ravel(pair[1]), pairs[2], parity=parity)
    values, errors = _each(rule, *pairs)
    return values[()], float(np.max(errors))


def _each_variance(second: Callable[[Any], Any], q: Array) -> Array:
    return np.array([second(x) for x in q])


def _each(rule: Callable[..., tuple[Any, Any]], q_a: Any, q_b: Any, q_ab: Any) -> tuple[Any, Any]:
    """Values and errors pair by pair: a pair and the same in reverse are one."""
    pairs = [(*sorted(pair), ab) for *pair, ab in zip(*map(np.ravel, (q_a, q_b, q_ab)), strict=True)]
    found = {pair: rule(*pair) for pair in dict.fromkeys(pairs)}
    values, errors = (np.array(part).reshape(np.shape(q_ab)) for part in zip(*map(found.get, pairs), strict=True))
    return values, errors
