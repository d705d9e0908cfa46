"""Mean of s^2/(s^2 + eps) over batches of three or four data whose sum is fixed or nearly so, whatever phi.

In decreasing order the deviations of n data from their mean are own r u/|u|, u in the simplex of the n - 1 corners
c_k = (1/k, ..., 1/k, -1/(n - k), ..., -1/(n - k)), each of length 1 here, with its plain measure du:

    E f = n! (2 pi)^(-(n - 1)/2) sqrt(det c_j c_k) int du |u|^(1 - n) int_0^inf dr r^(n - 2) exp(-r^2/2) f.

Panels in r and in every direction are bisected, one integral within the other: the integrand has poles at the distance
sqrt(eps) from wherever all values of phi agree, on points, lines or whole regions. A sum that varies moves the mean.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, permutations
from math import factorial
from typing import final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.batches.rays import Rays
from igbtheory.averages.resolved import resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bisected import Array, bisected
from igbtheory.numerics.panels import WIDTH

LARGEST = 4
"""Batch at most."""
SPARE = 10.0
"""Factor to spare: a panel that misses a cleft misses more than its rules differ."""
Rule = Callable[[Array, NDArray[np.intp]], tuple[Array, float]]


def in_chamber(phi: Function, size: int, scales: tuple[float, float, float], eps: float) -> tuple[float, float]:
    """The mean and its absolute error; scales: mean of the data, standard deviation of that of a batch, and own."""
    mean, spread, own = scales
    scale = float(np.hypot(own, spread))
    seen = resolved(FLOAT64, phi, mean, scale)
    variance = float(seen.averaged(np.array([mean]), scale, 16)[1][0])
    if not variance:
        return 0.0, 0.0
    # the integrand is bounded by 1, and of the order of this unit for a large eps
    unit = variance / (variance + eps)
    even = bool(phi.parity) and not mean
    chamber = _Chamber(Rays(seen, size, own, eps, unit), even and not spread)
    value, error = chamber.over_means(mean, spread, even) if spread else chamber.given(np.array([mean]))
    return unit * float(value[0]), unit * SPARE * error


@final
@dataclass(frozen=True)
class _Chamber:
    """Integrals over ordered batches, many at once; they return an array and the largest error in it.

    mirrored: whether the deviations and their negatives give one s^2.
    """

    rays: Rays
    mirrored: bool

    def over_means(self, mean: float, spread: float, even: bool) -> tuple[Array, float]:  # noqa: FBT001
        """Integral over the mean of a batch, of a standard deviation `spread`; even in it, or not."""
        reach = self.rays.seen.reach
        low, sides = (0.0, 2) if even else (-reach, 1)
        kinks = (np.array(self.rays.seen.kinks, dtype=float) - mean) / spread
        ends = np.concatenate([np.linspace(-reach, reach, 1 + int(np.ceil(2 * reach / WIDTH))), kinks])

        def at(v: Array, _: NDArray[np.intp]) -> tuple[Array, float]:
            values, error = self.given(mean + spread * v)
            return sides * FLOAT64.npdf(v) * values, error

        return self._nested(at, np.clip(ends, low, reach)[:, None])

    def given(self, means: Array) -> tuple[Array, float]:
        """Integrals given the mean of a batch."""
        n = self.rays.size
        corners = np.array([np.repeat([1 / k, -1 / (n - k)], [k, n - k]) for k in range(1, n)])
        corners /= np.sqrt(np.square(corners).sum(axis=1, keepdims=True))
        # that of two pairs first: all directions meet there in which data agree by twos
        corners = np.roll(corners, -(n // 2 - 1), axis=0)
        factor = factorial(n) * np.sqrt(np.linalg.det(corners @ corners.T)) * (2 * np.pi) ** ((1 - n) / 2)
        values, error = self._over(np.zeros((n, means.size)), np.ones(means.size), corners, means)
        return factor * values, factor * error

    def _over(self, base: Array, share: Array, corners: Array, means: Array) -> tuple[Array, float]:
        """Integrals over u = base + share (a point of the simplex of some corners), a column each."""
        first, others = corners[0][:, None], corners[1:]
        start = base + share * first
        if not len(others):
            return self.rays.over(start, means)
        ends = [0 * share, 1 + 0 * share]
        for other in others:
            ends += self._meetings(start, share * (other[:, None] - first), means)

        def at(x: Array, column: NDArray[np.intp]) -> tuple[Array, float]:
            inner = base[:, column] + share[column] * (1 - x) * first
            values, error = self._over(inner, share[column] * x, others, means[column])
            return x ** (len(others) - 1) * values, error

        upper = 0.5 if self.mirrored and len(others) == 1 else 1.0
        values, error = self._nested(at, np.clip(ends, 0, upper))
        return values / upper, error / upper

    def _meetings(self, start: Array, step: Array, means: Array) -> list[Array]:
        """Points x at which a deviation start + x step is 0, or two of them reach kinks at once."""
        off = [float(kink) - means for kink in self.rays.seen.kinks]
        found = list(_quotient(-start, step))
        for a, b in combinations(off, 2):
            for i, j in permutations(range(self.rays.size), 2):
                found.append(_quotient(a * start[j] - b * start[i], b * step[i] - a * step[j]))
        return found

    def _nested(self, rule: Rule, ends: Array) -> tuple[Array, float]:
        """Integrals of a rule with an error of its own, between the ends, a column each."""
        worst = 0.0

        def f(x: Array, column: NDArray[np.intp]) -> Array:
            nonlocal worst
            values, error = rule(x.ravel(), np.broadcast_to(column, x.shape).ravel())
            worst = max(worst, error)
            return values.reshape(x.shape)

        values, errors = bisected(f, np.sort(ends, axis=0), self.rays.goal)
        return values, float(errors.max(initial=0.0)) + worst


def _quotient(x: Array, y: Array) -> Array:
    """Quotient x/y, or 0 where y vanishes."""
    return np.divide(x, y, out=np.zeros(np.broadcast_shapes(x.shape, y.shape)), where=y != 0)
