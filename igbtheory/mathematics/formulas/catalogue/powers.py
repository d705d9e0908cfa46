"""Gaussian moments of homogeneous functions a max(x, 0)^p + b max(-x, 0)^p, for any p > -1/2 except 0.

With c the correlation of u and v, both standard normal, and x = (1 + c)/2,

    K(c) = E max(u, 0)^p max(v, 0)^p = 2^p Gamma(p + 1)/(2 pi) x^(p + 1/2) I(x),
    I(x) = int_0^1 (1 - s)^p / sqrt(s (1 - x s)) ds = B(p + 1, 1/2) 2F1(1/2, 1/2; p + 3/2; x).

K is the solution of the differential equation of the arc-cosine kernels (Cho and Saul 2009) that vanishes at c = -1.
The integrands of I(x) and of I(1) - I(x) are positive, and the trapezoidal rule in log(s/(1 - s)) is exact at any x.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np

from igbtheory.mathematics.formulas.function import ClosedForm
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.tree import evaluate
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numerics.limits import BLOCK, TINY

HALF = Fraction(1, 2)


@final
@dataclass(frozen=True)
class Powers(ClosedForm):
    """Moments of a function that is homogeneous of degree p > -1/2: |x|^p times its value at -1 or 1."""

    pieces: Pieces
    p: Fraction

    @property
    def roundings(self) -> float:
        """The errors of the rule, of gamma functions at large p, and of the small variance of |x|^p at small p."""
        p = float(self.p)
        return 40 + 4 * p + 4 / p**2

    def _parts(self, n: Kind) -> tuple[Any, Any]:
        """Return the factors of sign(x) |x|^p and of |x|^p in the function."""
        left, right = (evaluate(self.pieces.formulas[i], n, n.number(side)) for i, side in ((0, -1), (-1, 1)))
        return (right - left) / 2, (right + left) / 2

    def mean(self, n: Kind, q: Any) -> Any:
        return self._parts(n)[1] * _absolute(n, self.p) * n.sqrt(q) ** n.number(self.p)

    def covariance(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        s = n.sqrt(q_a * q_b)
        return s ** n.number(self.p) * self._at(n, n.correlation(q_ab, s))

    def _at(self, n: Kind, c: Any) -> Any:
        """Return the covariance at variance 1."""
        (odd, even), (of_odd, of_even) = self._parts(n), _covariances(n, self.p, c)
        return odd**2 * of_odd + even**2 * of_even

    def slope(self, n: Kind, q_a: Any, q_b: Any, q_ab: Any) -> Any:
        """Return the mean product of slopes: phi' is p |x|^(p - 1) with the two factors exchanged.

        For p < 0 the averages of |x|^(p - 1) do not exist. Euler's transformation of 2F1 then gives the mean from the
        power -p times a power of 1 - c^2.
        """
        s, less = n.sqrt(q_a * q_b), self.p - 1
        odd, even = self._parts(n)
        c = n.correlation(q_ab, s)
        exponent = less if self.p > 0 else -self.p
        of_odd, of_even = _covariances(n, exponent, c)
        of_even = of_even + _absolute(n, exponent) ** 2
        if self.p < 0:
            rest = ((1 - c) * (1 + c)) ** n.number(less + HALF)
            of_odd, of_even = (
                rest * part * (_absolute(n, less + k) / _absolute(n, exponent + k)) ** 2
                for part, k in ((of_odd, 1), (of_even, 0))
            )
        product = even**2 * of_odd + odd**2 * of_even
        return n.number(self.p) ** 2 * s ** n.number(less) * product

    def spread(self, n: Kind, var_mu: Any, var_chi: Any) -> Any:
        """Return the spread: K(1) - K(c), plus K(-c) in the odd part and minus K(-c) in the even part."""
        q = var_mu + var_chi
        scale = q ** n.number(self.p)
        if n.exact:
            return scale * (self._at(n, n.number(1)) - self._at(n, var_mu / q))
        y = var_chi / (2 * q)
        less, mirrored = _fall(n, self.p, y), _kernel(n, self.p, y, 1 - y)
        odd, even = self._parts(n)
        return 2 * scale * (odd**2 * (less + mirrored) + even**2 * (less - mirrored))


def _absolute(n: Kind, p: Fraction) -> Any:
    """Return the mean E |u|^p of a standard normal u, p > -1."""
    return n.number(2) ** n.number(p / 2) * n.gamma(n.number((p + 1) / 2)) / n.sqrt(n.pi)


def _covariances(n: Kind, p: Fraction, c: Any) -> tuple[Any, Any]:
    """Return the covariances of sign(u) |u|^p with sign(v) |v|^p and of |u|^p with |v|^p, for p > -1.

    They are the odd and the even terms of a series in c without negative terms for c > 0. E |u v|^p is
    (E |u|^p)^2 2F1(-p/2, -p/2; 1/2; c^2), and with signs (E |u|^(p + 1))^2 c 2F1(b, b; 3/2; c^2), b = (1 - p)/2. Near
    c = 1, where the series converges slowly, K is used.
    """
    squares = [_absolute(n, p + k) ** 2 for k in (1, 0)]
    if n.exact:
        halves = [(n.number((k - p) / 2), n.number(k + HALF)) for k in (1, 0)]
        odd, even = (n.hyp2f1(a, a, b, c * c) for a, b in halves)
        return squares[0] * c * odd, squares[1] * (even - 1)
    flat = np.ravel(np.asarray(c))
    near, covariances = (2 * flat * flat <= 1).astype(bool), np.empty((2, flat.size), dtype=flat.dtype)
    some, far = flat[near], flat[~near]
    covariances[0, near] = squares[0] * some * (1 + _series(n, p, 1, some * some))
    covariances[1, near] = squares[1] * _series(n, p, 0, some * some)
    here, there = (_kernel(n, p, (1 + x) / 2, (1 - x) / 2) for x in (far, -far))
    covariances[:, ~near] = 2 * (here - there), 2 * (here + there) - squares[1]
    odd, even = (part.reshape(np.shape(c))[()] for part in covariances)
    return odd, even


def _series(n: Kind, p: Fraction, k: int, z: Any) -> Any:
    """Return 2F1((k - p)/2, (k - p)/2; k + 1/2; z) - 1 for z up to 1/2."""
    first, *ratios = _ratios(n, p, k)
    total = 1 + 0 * z
    for ratio in reversed(ratios):
        total = 1 + ratio * z * total
    return first * z * total


@lru_cache(maxsize=64)
def _ratios(n: Kind, p: Fraction, k: int) -> list[Any]:
    """Return the ratios of the coefficients of `_series`, as many as the precision needs."""
    most = int(-np.log2(n.epsilon) + 2 * p) + 4
    return [n.number(((k - p) / 2 + j) ** 2 / ((k + HALF + j) * (j + 1))) for j in range(most)]


def _factor(n: Kind, p: Fraction) -> Any:
    return n.number(2) ** n.number(p) * n.gamma(n.number(p + 1)) / (2 * n.pi)


def _kernel(n: Kind, p: Fraction, x: Any, y: Any) -> Any:
    """Return K at x = (1 + c)/2, y = 1 - x, for p > -1. It is infinite at y = 0 for p <= -1/2."""
    kernel = _factor(n, p) * x ** n.number(p + HALF) * _integral(n, p, y, difference=False)
    return kernel if p > -HALF else np.where(y > 0, kernel, np.inf)[()]


def _fall(n: Kind, p: Fraction, y: Any) -> Any:
    """Return K(1) - K(c) at c = 1 - 2 y, y up to 1/2."""
    log_power = n.number(p + HALF) * n.log1p(-y)
    whole = _factor(n, p) * n.gamma(n.number(p + HALF)) * n.sqrt(n.pi) / n.gamma(n.number(p + 1))
    part = _factor(n, p) * y * _integral(n, p, y, difference=True)
    return n.exp(log_power) * part - n.expm1(log_power) * whole


def _integral(n: Kind, p: Fraction, y: Any, *, difference: bool) -> Any:
    """Return the integral I(x), x = 1 - y, or the difference (I(1) - I(x))/y, at numbers or arrays y."""
    flat = np.ravel(np.asarray(y))
    if not flat.size:
        return y
    octaves = np.log2(float(np.fmax(np.fmin.reduce(flat), TINY)))
    s, r, weights = _nodes(n, p, 16 * int(np.floor(octaves / 16)), difference=difference)
    values = []
    for block in np.array_split(flat, 1 + flat.size * len(s) // BLOCK):
        root = n.sqrt(r + s * block)
        values.append((weights / (root * (n.sqrt(r) + root) if difference else root)).sum(axis=0))
    return np.concatenate(values).reshape(np.shape(y))[()]


@lru_cache(maxsize=64)
def _nodes(n: Kind, p: Fraction, least: int, *, difference: bool) -> tuple[Any, Any, Any]:
    """Return columns of s, 1 - s and weights of the rule, for y >= 2^least.

    In t = log(s/(1 - s)) the integrand is analytic for |Im t| < pi. It decays like exp(t/2) or faster on the left, and
    on the right like exp(-slow t) and, where 1 - s < y, like exp(-fast t).
    """
    digits = -float(np.log(n.epsilon))
    fast, slow = (p + HALF, p - HALF) if difference else (p + 1, p + HALF)
    right = digits / float(fast) - least * np.log(2)
    if slow > 0:
        right = min(right, digits / float(slow))
    step = 2 * np.pi**2 / (digits + 2 * float(p) + 4)
    t = n.number(np.arange(-np.ceil(2 * digits / step), np.ceil(right / step) + 1)[:, None]) * n.number(step)
    s, r = 1 / (1 + n.exp(-t)), 1 / (1 + n.exp(t))
    powers = (s * n.sqrt(s), r ** n.number(p + HALF)) if difference else (n.sqrt(s), r ** n.number(p + 1))
    return s, r, n.number(step) * powers[0] * powers[1]
