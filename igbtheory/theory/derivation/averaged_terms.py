"""Gaussian averages of terms x^k exp(a x + b x^2) erf(s x): over a pair of units, and over one unit in an interval."""

from functools import lru_cache
from typing import Any

import sympy as sp

from igbtheory.mathematics.formulas.exponential_sums import Key, Terms


def of_pair(left: Terms, right: Terms, mean: Any, q: Any, v: Any) -> Any:
    """Return E f(h_a) g(h_b) for two units with this mean, variance q and covariance v. An erf needs mean = 0."""
    total = sum(x * y * _pair(f, g, mean, q, v) for f, x in left.items() for g, y in right.items())
    return _real(sp.sympify(total))


def of_stretch(terms: Terms, mean: Any, q: Any, low: Any, high: Any) -> Any:
    """Return the mean of f(h) over low < h < high."""
    return _real(sp.sympify(sum(x * _stretch(f, mean, q, low, high) for f, x in terms.items())))


def _pair(f: Key, g: Key, mean: Any, q: Any, v: Any) -> Any:
    """Return the mean of a term of h_a times a term of h_b.

    With h = mean + y, S the covariance matrix of y, D = 2 diag(b) and e = a + D mean: the exponential times the density
    of y is the density of a Gaussian with covariance T = (1 - S D)^-1 S and mean T e, times a constant.
    """
    (j, a_1, b_1, s_1), (k, a_2, b_2, s_2) = f, g
    s, d, ones = sp.Matrix([[q, v], [v, q]]), 2 * sp.diag(b_1, b_2), sp.Matrix([mean, mean])
    a = sp.Matrix([a_1, a_2])
    # T^-1 = S^-1 - D, written without S^-1, which does not exist for equal data, v = q
    left = sp.eye(2) - s * d
    determinant = sp.factor(left.det())
    t = left.adjugate() * s / determinant
    tilt = a + d * ones
    exponent = (tilt.T * t * tilt)[0] / 2 + (a.T * ones)[0] + (ones.T * d * ones)[0] / 2
    centre = ones + t * tilt
    moment = _moment((j, k), tuple(centre), (t[0, 0], t[1, 1], t[0, 1]), (s_1, s_2))
    return moment * sp.exp(sp.factor(exponent)) / sp.sqrt(determinant)


Pair = tuple[Any, Any]
Covariance = tuple[Any, Any, Any]
"""Two variances and the covariance."""


@lru_cache(maxsize=4096)
def _moment(powers: tuple[int, int], centre: Pair, s: Covariance, scales: Pair) -> Any:
    """Return the mean of x^j y^k erf(s x) erf(t y), x, y Gaussian, by Stein's lemma. An erf needs the centre 0."""
    j, k = powers
    if j == 0 and k == 0:
        return _errors(s, scales)
    if j == 0:
        return _moment((k, j), centre[::-1], (s[1], s[0], s[2]), scales[::-1])
    total = centre[0] * _moment((j - 1, k), centre, s, scales)
    if j > 1:
        total += (j - 1) * s[0] * _moment((j - 2, k), centre, s, scales)
    if k > 0:
        total += k * s[2] * _moment((j - 1, k - 1), centre, s, scales)
    total += s[0] * _slope((j - 1, k), centre, s, scales)
    total += s[2] * _slope((k, j - 1), centre[::-1], (s[1], s[0], s[2]), scales[::-1])
    return total


def _slope(powers: tuple[int, int], centre: Pair, s: Covariance, scales: Pair) -> Any:
    """Return the mean of `_moment` with the derivative 2 s exp(-(s x)^2)/sqrt(pi) in place of erf(s x)."""
    first, second = scales
    if first == 0:
        return sp.Integer(0)
    # exp(-(s x)^2) times the density is a Gaussian density of smaller covariance, with the mass 1/sqrt(shrunk)
    shrunk = 1 + 2 * first**2 * s[0]
    rest = (s[0] / shrunk, s[1] - 2 * first**2 * s[2] ** 2 / shrunk, s[2] / shrunk)
    return 2 * first * _moment(powers, centre, rest, (sp.Integer(0), second)) / sp.sqrt(sp.pi * shrunk)


def _errors(s: Covariance, scales: Pair) -> Any:
    """Return the mean of erf(s x) erf(t y) for centred x and y. A scale of 0 means the factor 1 in place of the erf."""
    first, second = scales
    if first == 0 or second == 0:
        return sp.Integer(1) if first == second else sp.Integer(0)
    # by Price's theorem its derivative by the covariance is the mean product of both slopes; at covariance 0 it is 0
    root = sp.sqrt((1 + 2 * first**2 * s[0]) * (1 + 2 * second**2 * s[1]))
    return 2 * sp.asin(2 * first * second * s[2] / root) / sp.pi


def _stretch(f: Key, mean: Any, q: Any, low: Any, high: Any) -> Any:
    """Return the mean of one term without an erf over low < h < high."""
    k, a, b, _ = f
    # completing the square: exp(a x + b x^2) times the density is `weight` times a Gaussian density
    shrunk = 1 - 2 * b * q
    variance, tilt = q / shrunk, a + 2 * b * mean
    centre, root = mean + variance * tilt, sp.sqrt(variance)
    weight = sp.exp(a * mean + b * mean**2 + variance * tilt**2 / 2) / sp.sqrt(shrunk)
    ends = [(end if end.is_infinite else (end - centre) / root, end) for end in (low, high)]

    def truncated(i: int) -> Any:
        """Return the integral of x^i times the normal density between the ends, by parts (Stein's lemma)."""
        if i == 0:
            below, above = ((1 + sp.erf(z / sp.sqrt(2))) / 2 for z, _ in ends)
            return above - below
        (below, first), (above, last) = ends
        edge = root * (_edge(above, last, i - 1) - _edge(below, first, i - 1))
        rest = (i - 1) * variance * truncated(i - 2) if i > 1 else 0
        return centre * truncated(i - 1) + rest - edge

    return weight * truncated(k)


def _edge(z: Any, end: Any, power: int) -> Any:
    """Return x^power at an end times the standard normal density there, at z."""
    return 0 if end.is_infinite else end**power * sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)


def _real(total: Any) -> Any:
    """Return a real sum of complex exponentials without the imaginary unit."""
    return sp.expand(sp.re(sp.expand_complex(total))) if total.has(sp.I) else total
