"""Kernel of a function with kinks for whole arrays of pairs, in double precision.

A sum of truncated powers (x - k_i)_+^p/p!, p = 0 to 3, has the same jumps at the kinks k_i as the function and its
first three derivatives. Subtracting it leaves a smooth rest. Powers and rest have Hermite coefficients, and Mehler's
series serves all pairs whose correlation is not near 1 or -1. For the other pairs, the mean product of two powers is a
closed form with Owen's T function, and only products with the rest need a series. That series ends early, after four
terms if phi consists of polynomials of degree at most 3.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice
from itertools import product as each
from math import factorial
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.mathematics.averages import hermite, mehler
from igbtheory.mathematics.averages.resolved import resolved
from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import ZERO, evaluate
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below
from igbtheory.mathematics.numerics.panels import split_normal

HIGHEST = 3
"""Highest power. The coefficients of a function whose p-th derivative jumps fall like k^(-p/2 - 3/4), and so those of
the rest like k^(-11/4)."""
LONGEST, REST = 2048, 512
"""Largest number of terms of the series of phi, which serves pairs with |c| < 0.98, and the number of terms of the
series of the rest."""
PER_KINK = 32
"""Number of terms of a series that take as long as the closed form of one pair of kinks."""
ORDER, PANEL = 20, 0.7
"""Order of the rule on a panel, and the width of panels: the highest Hermite polynomial, of degree REST - 1, has the
wavelength 2 pi/sqrt(511) = 0.28, on which there are eight nodes."""
BLOCK, NODES, HELD = 2**15, 2**21, 2**23
"""Approximate limits of pairs of kinks, of nodes and of coefficients that are held at once: an array takes 64 MiB at
most."""
ROUNDED = 2 * FLOAT64.epsilon
"""Rounding error of a term of size 1."""
_TINY = 1e-40
"""In place of 0 where one divides by it: a distance of a kink from 0 in z, a standard deviation, a mean of phi^2."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Kinked:
    """A function phi, split into truncated powers and a rest.

    kinks: the places; jumps: by how much the derivatives of order p jump there, shape (p, kinks); exact: whether the
    rest is a polynomial of degree at most HIGHEST.
    """

    function: Function
    kinks: Array
    jumps: Array
    exact: bool

    def rest(self, x: Array) -> Array:
        """Return the rest at x. It is the first piece of phi if the rest is one polynomial."""
        if self.exact:
            return np.asarray(evaluate(self.function.pieces.formulas[0], FLOAT64, x) + 0 * x)
        values: Array = self.function(FLOAT64, x)
        for p, i in np.argwhere(self.jumps):
            values = values - self.jumps[p, i] / factorial(p) * (x > self.kinks[i]) * (x - self.kinks[i]) ** p
        return values


@lru_cache(maxsize=64)
def kinked(phi: Function) -> Kinked | None:
    """Return phi as powers and a rest, or None if a derivative is infinite at a kink."""
    if not phi.kinks or not phi.pieces.split:
        return None
    kinks, formulas, jumps = np.array(phi.kinks, dtype=float), phi.pieces.formulas, []
    places = [(phi.pieces.kinks.index(exact), kink) for exact, kink in zip(phi.kinks, kinks, strict=True)]
    for _ in range(HIGHEST + 1):
        with np.errstate(all="ignore"):
            left, right = (np.array([evaluate(formulas[i + k], FLOAT64, x) for i, x in places]) for k in (0, 1))
        if not np.all(np.isfinite([left, right])):
            return None
        rounding = ROUNDED * (np.abs(left) + np.abs(right))
        jumps.append(np.where(np.abs(right - left) > rounding, right - left, 0))
        formulas = tuple(map(derivative, formulas))
    return Kinked(phi, kinks, np.array(jumps), exact=all(formula == ZERO for formula in formulas))


@final
@dataclass(frozen=True, eq=False)
class _Units:
    """Units h = mean + s z with one mean and several standard deviations s."""

    phi: Kinked
    mean: float
    scales: Array

    @cached_property
    def places(self) -> Array:
        """Kinks in z, shape (kinks, s), moved away from 0 by a tiny distance."""
        z = (self.phi.kinks[:, None] - self.mean) / self.scales
        return np.where(np.abs(z) < _TINY, _TINY, z)

    @cached_property
    def weights(self) -> Array:
        """Jumps in z, shape (p, kinks, s)."""
        return self.phi.jumps[:, :, None] * self.scales ** np.arange(HIGHEST + 1.0)[:, None, None]

    @cached_property
    def powers(self) -> list[int]:
        """Orders p of the derivatives that jump at some kink."""
        return np.flatnonzero(np.any(self.phi.jumps, axis=1)).tolist()

    def of_powers(self, count: int) -> Array:
        """Return the Hermite coefficients of the powers, shape (count, s), by integration by parts."""
        z, coefficients = self.places, np.zeros((count + HIGHEST + 1, self.scales.size))
        # E He_k f = E f^(k); f^(p+1) is a delta function at the kink, and leaves He_(k-p-1) npdf there for k > p
        tails = _tails(z, HIGHEST)
        for p in self.powers:
            for k in range(p + 1):
                coefficients[k] += (self.weights[p] * tails[p - k + 1]).sum(axis=0) / np.sqrt(factorial(k))
        weights = self.weights[self.powers]
        for k, row in enumerate(islice(hermite.rows(FLOAT64, z, tails[0]), count)):
            for p, total in zip(self.powers, (weights * row).sum(axis=1), strict=True):
                coefficients[k + p + 1] += total / np.sqrt(np.prod(k + 1 + np.arange(p + 1.0)))
        return coefficients[:count]

    @cached_property
    def integrals(self) -> tuple[Array, Array]:
        """Means of phi^2, shape (s,), and Hermite coefficients of the rest, shape (terms, s)."""
        scales = np.quantile(self.scales, [0, 0.5, 1])
        meshed = [resolved(FLOAT64, self.phi.function, self.mean, float(scale)) for scale in scales]
        cuts, reach = np.array(meshed[-1].cuts, dtype=float)[:, None], max(one.reach for one in meshed)
        blocks = np.array_split(self.scales, 1 + self.scales.size * len(cuts) * ORDER // NODES)
        squares, rests = zip(*(self._integrals(cuts, reach, scales) for scales in blocks), strict=True)
        return np.concatenate(squares), np.concatenate(rests, axis=1)

    def _integrals(self, cuts: Array, reach: float, scales: Array) -> tuple[Array, Array]:
        fine = np.arange(-reach, reach, PANEL)[:, None] + 0 * scales
        panels = split_normal(FLOAT64, np.concatenate([fine, (cuts - self.mean) / scales]), reach, ORDER)
        z, weights = (part.reshape(-1, scales.size) for part in (panels.x, panels.weights * FLOAT64.npdf(panels.x)))
        h = self.mean + scales * z
        rows = islice(hermite.rows(FLOAT64, z, weights * self.phi.rest(h)), HIGHEST + 1 if self.phi.exact else REST)
        return (weights * self.phi.function(FLOAT64, h) ** 2).sum(axis=0), np.array([row.sum(axis=0) for row in rows])

    @cached_property
    def rounding(self) -> float:
        """Rounding error of products, relative to the means of phi^2; three sums of products of powers may cancel."""
        tails = _tails(self.places, 2 * HIGHEST)
        squares = {p: factorial(2 * p) / factorial(p) ** 2 * np.maximum(tails[2 * p + 1], 0) for p in self.powers}
        size = sum((np.abs(self.weights[p]) * np.sqrt(square)).sum(axis=0) for p, square in squares.items())
        return ROUNDED * (10 + 3 * float(np.max(size**2 / (self.integrals[0] + _TINY))))

    def cut_off(self, of_powers: Array) -> float:
        """Return an estimate of the products with the rest beyond its last term at c = 1: twice the last quarter."""
        if self.phi.exact:
            return 0.0
        squares, rest = self.integrals
        size, last = np.sqrt(squares + _TINY), slice(3 * REST // 4, REST)
        powers, rest = (np.max(np.sqrt((part[last] ** 2).sum(axis=0)) / size) for part in (of_powers, rest))
        return float(2 * rest * (2 * powers + rest))


def _tails(z: Array, highest: int) -> list[Array]:
    """Return the normal density at z, and the means of (u - z)_+^p/p! for p = 0, ..., highest, u standard normal."""
    tails = [FLOAT64.npdf(z), scipy.special.ndtr(-z)]
    for p in range(1, highest + 1):
        tails.append((tails[-2] - z * tails[-1]) / p)
    return tails


@np.errstate(over="ignore", under="ignore")
def product(phi: Kinked, pair: tuple[Any, Any, Any], mean: float = 0.0) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) and its estimated error relative to sqrt(E phi(h_a)^2 E phi(h_b)^2).

    pair: variances q_a, q_b and covariance q_ab, arrays that broadcast; mean: one number, the mean of both units.
    """
    return mehler.of_pairs(partial(_of_pairs, phi, mean), pair)


def _of_pairs(phi: Kinked, mean: float, q: Array, a: Any, b: Any, q_ab: Array) -> tuple[Array, float]:
    """Return the product and its error at pairs with the variances q[a] and q[b]."""
    units = _Units(phi, mean, np.maximum(np.sqrt(q), _TINY))
    c = np.clip(q_ab / (units.scales[a] * units.scales[b]), 4 * FLOAT64.epsilon - 1, 1 - 4 * FLOAT64.epsilon)
    most = int(min(LONGEST, HELD // units.scales.size, REST + PER_KINK * phi.kinks.size**2))
    far = np.abs(c) ** (most - HIGHEST - 1) < FLOAT64.epsilon
    squares, rest = units.integrals
    longest = mehler.terms(FLOAT64, np.max(np.abs(c), where=far, initial=0)) + HIGHEST + 1
    powers = units.of_powers(max(len(rest), longest))
    whole = powers.copy()
    whole[: len(rest)] += rest
    products = np.empty_like(c)
    products[far] = mehler.sums(FLOAT64, ((whole, whole),), a[far], b[far], c[far])
    # all products but that of two powers, which has a closed form
    both = (rest, whole[: len(rest)]), (powers[: len(rest)], rest)
    near = np.flatnonzero(~far)
    for block in np.array_split(near, 1 + near.size * phi.kinks.size**2 // BLOCK):
        at = a[block], b[block], c[block]
        products[block] = mehler.sums(FLOAT64, both, *at) + _closed(units, *at)
    alike = (a == b) & (q_ab == q[a])
    closest = np.max(np.abs(c), where=~(far | alike), initial=0)
    return np.where(alike, squares[a], products), units.rounding + closest ** len(rest) * units.cut_off(powers)


def _closed(units: _Units, a: Any, b: Any, c: Array) -> Array:
    """Return the mean product of the two sums of truncated powers at pairs of units.

    With h(p, r) = E (u - x)_+^p/p! (v - y)_+^r/r! of a normal pair, p = -1 for the density of u at x, Stein's lemma
    gives p h(p, r) = h(p - 2, r) - x h(p - 1, r) + c h(p - 1, r - 1).
    """
    if not units.powers:  # no derivative jumps at the kinks, as for a smooth even function of |x - 1|
        return np.zeros(len(c))
    x, y, c = units.places.T[a][:, :, None], units.places.T[b][:, None, :], c[:, None, None]
    s, top = np.sqrt((1 - c) * (1 + c)), units.powers[-1]
    # both use the same rounded difference `apart`, so that its errors cancel when c is near 1 or -1
    side, rest = np.sign(c), 1 - np.abs(c)
    apart = y - side * x
    of_x, of_y = (rest * side * y - side * apart) / s, (apart + rest * side * x) / s
    at_x, at_y = _tails(of_x, top), _tails(of_y, top)
    h = {(-1, r): FLOAT64.npdf(x) * s**r * at_y[r + 1] for r in range(-1, top + 1)}
    h |= {(p, -1): FLOAT64.npdf(y) * s**p * at_x[p + 1] for p in range(top + 1)}
    h[0, 0] = both_below(-x, -y, -of_x, -of_y)
    for p, r in each(range(top + 1), repeat=2):
        if p:
            h[p, r] = (h[p - 2, r] - x * h[p - 1, r] + c * h[p - 1, r - 1]) / p
        elif r:
            h[p, r] = (h[p, r - 2] - y * h[p, r - 1] + c * h[p - 1, r - 1]) / r
    weights = units.weights.transpose(2, 0, 1)
    left, right = weights[a][:, :, :, None], weights[b][:, :, None, :]
    total = sum(left[:, p] * right[:, r] * h[p, r] for p, r in each(units.powers, repeat=2))
    return np.asarray(np.sum(total, axis=(1, 2)))
