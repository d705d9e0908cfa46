"""Moments of a straight line with equal steps, phi(x) = a x + b + w floor(k x + s), such as round(x) and x - floor(x).

The unit g = k h + s has the mean G and the variance Q, and two data of a distance y have the covariance Q - y. Price's
theorem says, with the density p of g and p_2(i, j, y) of the pair,

    E phi'(h_a) phi'(h_b) = a^2 + 2 a w k sum_i p(i) + (w k)^2 sum_ij p_2(i, j, y)

whose integrals are those of `broken_lines`. If Q is so large that exp(-2 pi^2 Q) is a rounding error, g - floor(g) is
uniform on [0, 1], and its covariance at two data is C(y) = sum_n exp(-4 pi^2 n^2 y)/(2 pi^2 n^2). At small y, Poisson's
formula gives the sum that does not cancel: 1/12 - C(y) = int_0^y (sum_d exp(-d^2/(4 t))/sqrt(4 pi t) - 1) dt.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np

from igbtheory.mathematics.averages.broken_lines import ROUNDED, integral_of_pairs
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import Call, Number, Product, Sum, Tree, Variable, mul
from igbtheory.mathematics.numbers import Kind

FAR = 0.05
"""Distance y of two data up to which the sum over d takes as few terms as the sum over n: three in double precision."""


@final
@dataclass(frozen=True, eq=False)
class Stairs:
    """A formula a x + b + w floor(k x + s), by these numbers in this order.

    average_slope: a + w k, which is exactly 0 for periodic functions; parity: of the function.
    """

    n: Kind
    slope: Any
    start: Any
    height: Any
    rate: Any
    offset: Any
    average_slope: Any
    parity: int

    @property
    def digits(self) -> float:
        """The logarithm of the largest number beside which 1 is a rounding error."""
        return -float(np.log(self.n.epsilon))

    def is_wide(self, variance: Any) -> bool:
        """Return whether g - floor(g) is uniform up to rounding at a variance of g."""
        return bool(2 * np.pi**2 * variance > self.digits)

    def moments(self, mean: Any, var_mu: Any, var_chi: Any) -> tuple[Any, Any, Any, Any]:
        """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep."""
        n, square = self.n, self.rate**2
        if self.is_wide(square * (var_mu + var_chi)):
            shared, rest = self._covariance(square * var_chi)
            line, steps = self.average_slope**2, self.height**2
            average, error = self._wide_mean(mean)
            values = average, line * var_mu + steps * shared, line * var_chi + steps * rest
            errors = error, *(ROUNDED * n.epsilon * part for part in values[1:])
            return *values, stated(n, values, errors)
        scale = abs(self.rate) * n.sqrt(var_mu + var_chi)
        average, error = (part[0] for part in self._narrow_mean(mean, np.array([scale])))
        line, size = (part[0] for part in self._lines(mean, np.array([scale])))
        ends = square * var_chi, square * (var_mu + var_chi)
        shared, rest = (self._steps(mean, scale, part) for part in (ends, (0 * scale, ends[0])))
        values = average, line * var_mu + shared[0], line * var_chi + rest[0]
        rounding, lines = self._rounding(mean, scale), ROUNDED * n.epsilon * size
        more = (part[1] + rounding * part[0] + lines * each for part, each in ((shared, var_mu), (rest, var_chi)))
        return *values, stated(n, values, (error, *more))

    def of_one_variance(self, mean: Any, scales: Any) -> tuple[Any, Any, Any]:
        """Return the mean and variance of phi(mean + scale z) at an array of scales, and their relative error."""
        n, wide = self.n, abs(self.rate) * scales
        if self.is_wide(np.min(wide) ** 2):
            average, error = self._wide_mean(mean)
            average, variance = average + 0 * scales, self.average_slope**2 * scales**2 + self.height**2 / 12
            variance_error = ROUNDED * n.epsilon * variance
        else:
            average, error = self._narrow_mean(mean, wide)
            z = (self._integers(mean, np.max(wide))[:, None] - self._centre(mean)) / wide
            below, above = n.ncdf(z), n.ncdf(-z)
            # the covariance of two steps is the probability below the lower one times that above the upper one
            upper = np.add.accumulate(above[::-1])[::-1]
            steps = (below * (2 * upper - above)).sum(axis=0) * self.height**2
            line, size = self._lines(mean, wide)
            variance = line * scales**2 + steps
            variance_error = ROUNDED * n.epsilon * size * scales**2 + self._rounding(mean, wide) * steps
        none = 0 * variance
        return average, variance, stated(n, (average, none, variance), (error, none, variance_error))

    def _centre(self, mean: Any) -> Any:
        """Return G."""
        return self.rate * mean + self.offset

    def _integers(self, mean: Any, scale: Any) -> Any:
        """Return the integers at which the density of g counts."""
        centre, reach = float(self._centre(mean)), float(np.sqrt(2 * self.digits)) * float(scale) + 1
        return self.n.number(np.arange(np.floor(centre - reach), np.ceil(centre + reach) + 1))

    def _rounding(self, mean: Any, scales: Any) -> Any:
        """Return the relative error of sums over steps: if all are far away, exp(-z^2/2) has the error z^2 epsilon."""
        nearest = np.min(abs(self._integers(mean, np.max(scales)) - self._centre(mean))) / scales
        return (ROUNDED + nearest * nearest) * self.n.epsilon

    def _wide_mean(self, mean: Any) -> tuple[Any, Any]:
        """Return E phi(h) and its error where g - floor(g) is uniform."""
        terms = np.array([self.average_slope * mean, self.start, self.height * (self.offset - self.n.number(1) / 2)])
        return self._checked(mean, terms.sum()), self.n.epsilon * np.abs(terms).sum()

    def _narrow_mean(self, mean: Any, scales: Any) -> tuple[Any, Any]:
        """Return E phi(h) and its error at standard deviations of g."""
        integers, centre = self._integers(mean, np.max(scales)), self._centre(mean)
        z, first = (centre - integers[:, None]) / scales, integers[0] - 1
        steps = self.height * self.n.ncdf(z)
        terms = self.slope * mean, self.start, self.height * first
        size = sum(map(abs, terms)) + np.abs(steps).sum(axis=0)
        return self._checked(mean, sum(terms) + steps.sum(axis=0)), ROUNDED * self.n.epsilon * size

    def _checked(self, mean: Any, average: Any) -> Any:
        """Return E phi(h), which is exactly 0 for an odd phi, so that gamma is exactly 0 in every layer."""
        return 0 * average if self.parity < 0 and not mean else average

    def _lines(self, mean: Any, scales: Any) -> tuple[Any, Any]:
        """Return the part of E phi'(h_a) phi'(h_b) that all pairs have, and its size before terms cancel."""
        z = (self._integers(mean, np.max(scales))[:, None] - self._centre(mean)) / scales
        crossed = 2 * self.slope * self.height * self.rate * (self.n.npdf(z) / scales).sum(axis=0)
        return self.slope**2 + crossed, self.slope**2 + abs(crossed)

    def _steps(self, mean: Any, scale: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return w^2 times the integral of sum_ij p_2(i, j, y) over y between the ends, and its error."""
        apart = self._integers(mean, scale) - self._centre(mean)
        i, j = np.triu_indices(len(apart))
        pairs = self.n.number(np.where(i == j, 1.0, 2.0)) * self.height**2
        return integral_of_pairs(self.n, apart[i] + apart[j], apart[i] - apart[j], pairs, scale**2, ends, rising=None)

    def _covariance(self, y: Any) -> tuple[Any, Any]:
        """Return C(y) and 1/12 - C(y), neither of which cancels."""
        n, twelfth = self.n, self.n.number(1) / 12
        if y > FAR:
            order = self._order(4 * np.pi**2 * FAR)
            shared = (n.exp(-4 * n.pi**2 * order**2 * y) / (2 * n.pi**2 * order**2)).sum()
            return shared, twelfth - shared
        if not y:
            return twelfth, 0 * y
        apart, root = self._order(1 / (4 * FAR)), n.sqrt(y)
        beside = root / n.sqrt(n.pi) * n.exp(-apart * apart / (4 * y)) - apart / 2 * n.erfc(apart / (2 * root))
        rest = root / n.sqrt(n.pi) - y + 2 * beside.sum()
        return twelfth - rest, rest

    def _order(self, exponent: float) -> Any:
        """Return 1, 2, ..., up to the last i for which exp(-exponent i^2) counts."""
        return self.n.number(np.arange(1.0, np.sqrt(self.digits / exponent) + 1))


@lru_cache(maxsize=64)
def stairs(n: Kind, phi: Function) -> Stairs | None:
    """Return the stairs of phi, or None if it is no straight line with the steps of one floor."""
    outer = _terms(phi.tree)
    if outer is None or len(outer[2]) != 1:
        return None
    slope, start, steps = outer
    [(argument, height)] = steps.items()
    inner = _terms(argument)
    if inner is None or inner[2] or not inner[0]:
        return None
    rate, offset, _ = inner
    a, b, w, k, s, average = map(n.number, (slope, start, height, rate, offset, slope + height * rate))
    return Stairs(n, a, b, w, k, s, average, phi.parity)


def _terms(tree: Tree) -> tuple[Fraction, Fraction, dict[Tree, Fraction]] | None:
    """Return the factor of x, the constant and the factors of floor by its argument in a sum, or None for others."""
    slope, start, steps = Fraction(0), Fraction(0), dict[Tree, Fraction]()
    for term in tree.terms if isinstance(tree, Sum) else (tree,):
        match term:
            case Product((Number(value), *rest)):
                factor, term = value, mul(*rest)  # noqa: PLW2901 - the rest of the term
            case _:
                factor = Fraction(1)
        match term:
            case Number(value):
                start += factor * value
            case Variable():
                slope += factor
            case Call("floor", argument):
                steps[argument] = steps.get(argument, Fraction(0)) + factor
            case _:
                return None
    return slope, start, steps
