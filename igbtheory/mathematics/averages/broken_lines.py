"""Moments of a continuous piecewise linear function, from the densities of a pair of units at its kinks.

With the kinks t_i, where the slope rises by d_i, and a pair of variance q and covariance q - y, Price's theorem says

    E phi'(h_a) phi'(h_b) = E phi'^2 - int_0^y D,   D(y) = sum_ij d_i d_j density of (h_a, h_b) at (t_i, t_j)
    var_chi of phi = var_chi E phi'^2 - int_0^var_chi (var_chi - y) D(y) dy
    var_mu of phi = var_mu (E phi')^2 + int_var_chi^q (y - var_chi) D(y) dy

The trapezoidal rule in log(y/(end - y)) computes the integrals. A layer takes about 200 exponentials for each pair of
kinks.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np

from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import evaluate, varies
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numerics.limits import TINY

BLOCK = 2**18
"""Densities held at once: blocks of 2^14 to 2^18 take the same time, and larger ones up to 1.7 times as long."""
ROUNDED = 4
"""Rounding errors of a term: an exponent x has the error eps x, and x exp(-x) is small."""


@final
@dataclass(frozen=True, eq=False)
class Lines:
    """Kinks, the rises of the slope at the kinks, the slopes, the first line at x = 0, and the parity."""

    n: Kind
    kinks: Any
    rises: Any
    slopes: Any
    start: Any
    parity: int

    def mean(self, mean: Any, scale: Any) -> tuple[Any, Any]:
        """Return E phi(mean + scale z) and its rounding error."""
        n, z = self.n, (mean - self.kinks) / scale
        above = self.rises * scale * (z * n.ncdf(z) + n.npdf(z))
        terms = np.array([self.start, self.slopes[0] * mean, *above])
        return terms.sum(), ROUNDED * n.epsilon * np.abs(terms).sum()

    def slope(self, mean: Any, scale: Any) -> tuple[Any, Any, Any]:
        """Return E phi', its rounding error, and E phi'^2."""
        n, law = self.n, self._masses((self.kinks - mean) / scale)
        terms = self.slopes * law
        return terms.sum(), ROUNDED * n.epsilon * np.abs(terms).sum(), (self.slopes * terms).sum()

    def of_one_variance(self, mean: Any, scales: Any) -> tuple[Any, Any, Any]:
        """Return the mean and variance of phi(mean + scale z) at an array of scales, and their relative error."""
        n, z = self.n, (self.kinks[:, None] - mean) / scales
        law, density, none = self._masses(z), n.npdf(z), 0 * z[:1]
        first = np.append(none, density, axis=0) - np.append(density, none, axis=0)
        second = law + np.append(none, z * density, axis=0) - np.append(z * density, none, axis=0)
        values = self.start - np.append(self.kinks[:1] * 0, np.add.accumulate(self.rises * self.kinks))
        middle, steep = (values + self.slopes * mean)[:, None], self.slopes[:, None] * scales
        means = np.array([middle * law, steep * first])
        squares = np.array([middle**2 * law, 2 * middle * steep * first, steep**2 * second])
        average, total = means.sum(axis=(0, 1)), squares.sum(axis=(0, 1))
        average = average * (self.parity >= 0 or bool(mean))
        variance = total - average * average
        error, square_error = (ROUNDED * n.epsilon * np.abs(terms).sum(axis=(0, 1)) for terms in (means, squares))
        variance_error = square_error + 2 * np.abs(average) * error
        return average, variance, stated(n, (average, 0 * total, variance), (error, 0 * total, variance_error))

    def _masses(self, z: Any) -> Any:
        """Return the probabilities of the intervals between the kinks z of a standard normal variable, along axis 0."""
        far, left = self.n.ncdf(-np.abs(z)), z < 0
        below, above = np.where(left, far, 1 - far), np.where(left, 1 - far, far)
        inside = np.where(left[:-1], below[1:] - below[:-1], above[:-1] - above[1:])
        return np.concatenate([below[:1], inside, above[-1:]])

    def integral(self, mean: Any, q: Any, ends: tuple[Any, Any], *, rising: bool) -> tuple[Any, Any]:
        """Return the integral of D(y) times the distance of y from the upper end (lower, if rising), and its error."""
        kinks, i, j = self.kinks - mean, *np.triu_indices(len(self.kinks), 1)
        alike = integral_of_pairs(self.n, 2 * kinks, 0 * kinks, self.rises**2, q, ends, rising=rising)
        rises = 2 * self.rises[i] * self.rises[j]
        unlike = integral_of_pairs(self.n, kinks[i] + kinks[j], kinks[i] - kinks[j], rises, q, ends, rising=rising)
        return alike[0] + unlike[0], alike[1] + unlike[1]


def integral_of_pairs(
    n: Kind, total: Any, apart: Any, rises: Any, q: Any, ends: tuple[Any, Any], *, rising: bool | None
) -> tuple[Any, Any]:
    """Return the integral over y of the densities of pairs, and its error.

    total, apart: the sums and differences of the two places of each pair, without the mean; rises: factors of the
    densities. rising: whether they are multiplied by the distance of y from the lower end (True) or from the upper one
    (False), or by none (None).
    """
    low, high = ends
    if not len(total) or not high - low:
        return 0 * q, 0 * q
    digits = -float(np.log(n.epsilon))
    # exp(-apart^2/(4 y)) is bounded for |Im t| < pi/2, where Re 1/y > 0: the error of the rule is exp(-pi^2/step).
    # The weights fall like powers of exp(t) at both ends, the slowest to the left, where they contain y^(-1/2).
    step, left = np.pi**2 / (digits + 5), (digits / 1.5 if rising else 2 * digits)
    nearest = float(np.min(np.abs(apart)))
    if nearest and not low:  # the density is negligible below some y
        left = min(left, max(np.log(4 * digits * float(high) / nearest**2), 1.0))
    right = digits / 2 if rising is False else digits
    t = n.number(np.arange(-np.ceil(left / step), np.ceil(right / step) + 1)) * n.number(step)
    # y = low + width share, dy = width share rest dt; the distances from the ends are width share and width rest
    share, rest = 1 / (1 + n.exp(-t)), 1 / (1 + n.exp(t))
    y, width = low + (high - low) * share, high - low
    distance = 1 if rising is None else width * (share if rising else rest)
    weights = n.number(step) * width * share * rest * distance
    weights = weights / (2 * n.pi * n.sqrt(y * (2 * q - y)))
    of_both = np.array([rises, np.abs(rises)]).T
    blocks = np.array_split(y[:, None], 1 + y.size * len(total) // BLOCK)
    exponents = (total * total / (4 * (2 * q - part)) + apart * apart / (4 * part) for part in blocks)
    both = np.concatenate([n.exp(-part) @ of_both for part in exponents])
    value, size = (weights[:, None] * both).T
    # halving the step squares the relative error
    coarse = abs(2 * value[::2].sum() - value.sum())
    return value.sum(), coarse**2 / (size.sum() + n.number(TINY)) + ROUNDED * n.epsilon * size.sum()


@lru_cache(maxsize=64)
def lines(n: Kind, phi: Function) -> Lines | None:
    """Return the lines of phi, or None if phi is not piecewise linear or jumps."""
    slopes = phi.slope.formulas
    if not phi.pieces.kinks or any(map(varies, slopes)) or any(phi.pieces.jumps(n)):
        return None
    zero = n.number(0)
    numbers = np.array([evaluate(slope, n, zero) for slope in slopes])
    start = evaluate(phi.pieces.formulas[0], n, zero)
    return Lines(n, n.number(np.array(phi.pieces.kinks)), numbers[1:] - numbers[:-1], numbers, start, phi.parity)


def moments(phi: Lines, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep."""
    n, q = phi.n, var_mu + var_chi
    average, error = phi.mean(mean, n.sqrt(q))
    if phi.parity < 0 and not mean:
        average, error = 0 * average, 0 * error
    slope, slope_error, squared = phi.slope(mean, n.sqrt(q))
    if phi.parity > 0 and not mean:
        slope, slope_error = 0 * slope, 0 * slope_error
    fall, fall_error = phi.integral(mean, q, (0 * q, var_chi), rising=False)
    rise, rise_error = phi.integral(mean, q, (var_chi, q), rising=True)
    mu, chi = var_mu * slope**2 + rise, var_chi * squared - fall
    chi_error = fall_error + ROUNDED * n.epsilon * var_chi * squared
    mu_error = rise_error + var_mu * (2 * abs(slope) + slope_error) * slope_error
    return average, mu, chi, stated(n, (average, mu, chi), (error, mu_error, chi_error))
