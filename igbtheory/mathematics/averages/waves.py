"""Moments of sums of terms c x^k exp(a x) with complex a: polynomials, exponentials, sines and cosines of a x + b.

With both units tilted by the exponentials, E h_a^k exp(a h_a) h_b^l exp(b h_b) = G M: for the mean m, the variance q
and the covariance v, G = exp((a + b) m + (a + b)^2 q/2 - a b (q - v)) and M is E x^k y^l of a Gaussian pair with the
means m + (a + b) q - b (q - v) and m + (a + b) q - a (q - v). Variances are computed from the increase of G M between
two values of v, without cancellation.

Without these sums `phases.classify("x+sin(x)**2")`, whose variance grows with depth, takes 50 seconds in place of 2: at
large variances a Hermite series is long, and panels are many.
"""

from functools import lru_cache
from itertools import product, zip_longest
from typing import Any

import numpy as np

from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.formulas.exponential_sums import Sums
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import Kind

MOST = 40
"""Largest number of terms, of which all pairs are needed."""
HIGHEST = 12
"""Highest power of x."""

Terms = dict[tuple[int, Any], Any]
"""The coefficients c, with the keys (k, a)."""


@lru_cache(maxsize=64)
def terms(n: Kind, phi: Function) -> Terms | None:
    """Return the terms of phi, or None if phi is not such a sum or has too many terms."""
    exponentials = None if phi.pieces.kinks else Sums(n, 1j, MOST, HIGHEST).of(phi.pieces.formulas[0])
    if exponentials is None or any(b != 0 or s != 0 for _, _, b, s in exponentials):
        return None
    return {(k, 0j + a): c for (k, a, _, _), c in exponentials.items()}


def moments(
    n: Kind, exponentials: Terms, parity: int, mean: Any, var_mu: Any, var_chi: Any
) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, arrays that broadcast."""
    q = var_mu + var_chi
    still = 0 * q
    means = ((c, _mean(n, k, a, mean, q)) for (k, a), c in exponentials.items())
    average, error = _total(n, means, q)
    if parity < 0 and not np.any(mean):
        average, error = 0 * average, 0 * error
    increases = []
    for step in ((still, var_mu, q, var_chi), (var_mu, var_chi, var_chi, still)):
        pairs = product(exponentials.items(), repeat=2)
        rises = ((x * y, _rise(n, (k, j), (a, b), mean, q, step)) for ((k, a), x), ((j, b), y) in pairs)
        increases.append(_total(n, rises, q))
    (mu, mu_error), (chi, chi_error) = increases
    return average, mu, chi, stated(n, (average, mu, chi), (error, mu_error, chi_error))


def pairs(n: Kind, exponentials: Terms, pair: tuple[Any, Any, Any], mean: Any) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) at arrays of pairs, and its largest error relative to sqrt(E phi(h_a)^2 E phi(h_b)^2).

    pair: variances q_a, q_b and covariance q_ab, which broadcast.
    """
    q_a, q_b, q_ab = pair
    total, error = _product_mean(n, exponentials, q_a, q_b, q_ab, mean)
    of_a, of_b = (_product_mean(n, exponentials, q, q, q, mean)[0] for q in (q_a, q_b))
    return total, float(np.max(error / (n.sqrt(of_a * of_b) + n.number(1e-290))))


def _product_mean(n: Kind, exponentials: Terms, q_a: Any, q_b: Any, q_ab: Any, mean: Any) -> tuple[Any, Any]:
    """Return the mean of the product and its rounding error."""
    s, weighted = (q_a + q_b) / 2, []
    for ((k, a), x), ((j, b), y) in product(exponentials.items(), repeat=2):
        whole, apart = (a + b) * mean + (a + b) ** 2 * s / 2, a * b * (s - q_ab) - (a * a - b * b) * (q_a - q_b) / 4
        centres = [mean + a * q_a + b * q_ab, 0], [mean + b * q_b + a * q_ab, 0]
        value = n.exp(whole - apart) * _mixed((k, j), centres, (q_a, q_b), [q_ab, 0])[0]
        weighted.append((x * y, (value, (8 + 2 * abs(whole) + 2 * abs(apart)) * abs(value))))
    return _total(n, weighted, q_ab)


def _total(n: Kind, weighted: Any, q: Any) -> tuple[Any, Any]:
    """Return the real part of a weighted sum of terms and its rounding error."""
    total = error = 0 * q
    for weight, (value, size) in weighted:
        total = total + (weight * value).real
        error = error + abs(weight) * size * n.epsilon
    return total, error


def _mean(n: Kind, k: int, a: Any, mean: Any, q: Any) -> tuple[Any, Any]:
    """Return the mean of x^k exp(a x), and its absolute value times the number of its rounding errors."""
    value = n.exp(a * mean + a * a * q / 2) * _mixed((k, 0), ([mean + a * q, 0], [0, 0]), (q, q), [0, 0])[0]
    return value, (8 + abs(a * mean) + abs(a * a * q)) * abs(value)


def _rise(
    n: Kind, powers: tuple[int, int], rates: tuple[Any, Any], mean: Any, q: Any, step: tuple[Any, Any, Any, Any]
) -> tuple[Any, Any]:
    """Return the increase of a mean product from the covariance v to v + d, and its size times its rounding errors.

    step: v, d, and q - v before and after.
    """
    (a, b), (v, d, before, after) = rates, step
    exponent = (a + b) * mean + (a + b) ** 2 * q / 2
    first, last, turn = n.exp(exponent - a * b * before), n.exp(exponent - a * b * after), a * b * d
    climbs = (a * b).real > 0
    change = -last * n.expm1(-turn) if climbs else first * n.expm1(turn)
    centre = mean + (a + b) * q
    whole = _mixed(powers, ([centre - b * before, b], [centre - a * before, a]), (q, q), [v, 1])
    sizes = [abs(x) for x in whole]
    last_error, first_error = (
        8 + 2 * (abs((a + b) * mean) + abs((a + b) ** 2 * q) + abs(a * b) * x) for x in (after, before)
    )
    rest, rest_size = _value(whole[1:], d) * d, _value(sizes[1:], d) * d
    value = change * (whole[0] + rest) + first * rest
    error = last_error if climbs else first_error
    return value, error * abs(change) * (sizes[0] + rest_size) + first_error * abs(first) * rest_size


def _value(polynomial: list[Any], d: Any) -> Any:
    total = 0 * d
    for coefficient in reversed(polynomial):
        total = total * d + coefficient
    return total


def _mixed(powers: tuple[int, int], means: tuple[list[Any], list[Any]], q: tuple[Any, Any], v: list[Any]) -> list[Any]:
    """Return the mean of x^k y^l as a polynomial in d, by Stein's lemma; means and covariance are linear in d."""
    (k, j), (mu, nu) = powers, means
    if not k:
        return [1] if not j else _mixed((j, 0), (nu, mu), q[::-1], v)
    summands = [_times(mu, _mixed((k - 1, j), means, q, v))]
    if k > 1:
        summands.append([(k - 1) * q[0] * x for x in _mixed((k - 2, j), means, q, v)])
    if j:
        summands.append([j * x for x in _times(v, _mixed((k - 1, j - 1), means, q, v))])
    return [sum(part) for part in zip_longest(*summands, fillvalue=0)]


def _times(linear: list[Any], polynomial: list[Any]) -> list[Any]:
    constant, slope = linear
    return [constant * x + slope * y for x, y in zip([*polynomial, 0], [0, *polynomial], strict=True)]
