"""Moments and kernels of any formula in double precision: its Hermite series, made from the nodes of `value_panels`.

With phi(m + sqrt(q) z) = sum_k a_k He_k(z)/sqrt(k!), the squares a_k^2 with k >= K sum to E phi^2 minus the first K
squares. In an average of two data of correlation c they count at most |c|^K times as much. This bounds the truncation
error for every formula.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.threads import one_thread
from igbtheory.mathematics.averages import hermite, mehler
from igbtheory.mathematics.averages.state import stated
from igbtheory.mathematics.averages.value_panels import nodes
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import TINY

LONGEST, SHORTEST = 4096, 64
"""Largest and smallest number of terms. Beyond 4096 terms, sign(x) has 0.008 and relu 3e-7 of E phi^2."""
WORK, OF_ALL = 2 * 10**8, 4 * 10**9
"""Approximate limits of terms times nodes, for one series and for all series of a data set: half a second, and ten
seconds."""
ROUNDED = 20 * FLOAT64.epsilon
"""Rounding error of a coefficient, relative to the root of E phi^2."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Series:
    """Hermite series of phi at one variance.

    a: the coefficients; second: E phi^2; rest: what the a_k^2 leave of it; error, second_error: the absolute errors of
    a coefficient and of E phi^2.
    """

    a: Array
    second: float
    rest: float
    error: float
    second_error: float


@lru_cache(maxsize=1024)
def series(phi: Function, mean: float, scale: float, most: int) -> Series:
    """Return the series of phi(mean + scale z) with at most `most` terms."""
    at = nodes(phi, mean, scale)
    weighted, length = at.weights * at.values, int(np.clip(WORK // at.z.size, SHORTEST, most))
    second = float(weighted @ at.values)
    a = np.array([row.sum() for row in islice(hermite.rows(FLOAT64, at.z, weighted), length)])
    if phi.parity and not mean:
        a[int(phi.parity > 0) :: 2] = 0
    error, second_error = at.missed + ROUNDED * np.array([np.sqrt(second), second])
    return Series(a, second, max(second - float(a @ a), 0.0), float(error), float(second_error))


def moments(phi: Function, mean: float, var_mu: float, var_chi: float) -> tuple[Any, Any, Any, Any]:
    """Return mean, var_mu, var_chi of phi(h) and their estimated relative error, at one point of a sweep."""
    q = var_mu + var_chi
    if not var_mu or not var_chi:
        return _of_one(phi, float(mean), q, shared=bool(var_mu))
    with one_thread():
        of = series(phi, float(mean), float(np.sqrt(q)), _longest(mehler.terms(FLOAT64, var_mu / q)))
    if not of.second:
        return 0.0, 0.0, 0.0, 0.0
    # what the series leaves out counts as if it all were at the next k
    squares = np.append(of.a[1:] ** 2, of.rest)
    mu_shares, chi_shares = mehler.shares(var_mu / q, var_chi / q, of.a.size)
    values = of.a[0], squares @ mu_shares, squares @ chi_shares
    tail = of.rest * mu_shares[-1]  # of var_mu: between 0 and this; of var_chi: as much less than all of the rest
    mu_error = tail + of.error * (2 * np.abs(of.a[1:]) @ mu_shares[:-1] + of.error)
    return *values, stated(FLOAT64, values, (of.error, mu_error, mu_error + of.second_error))


def _of_one(phi: Function, mean: float, q: float, *, shared: bool) -> tuple[Any, Any, Any, Any]:
    """Return the moments if all variance comes from the weights (`shared`) or all from the data."""
    average, variance, *errors = _mean_and_variance(phi, mean, q)
    values = (average, variance, 0.0) if shared else (average, 0.0, variance)
    if not average and not variance:
        return *values, 0.0
    return *values, stated(FLOAT64, values, (errors[0], errors[1] * shared, errors[1] * (not shared)))


@lru_cache(maxsize=1024)
def _mean_and_variance(phi: Function, mean: float, q: float) -> tuple[float, float, float, float]:
    """Return the mean and the variance of phi and their absolute errors. Those of phi serve phi - s as well."""
    if phi.difference is not None:
        unshifted, s = phi.difference
        average, variance, mean_error, error = _mean_and_variance(unshifted, mean, q)
        average -= s
    else:
        at = nodes(phi, mean, float(np.sqrt(q)))
        average = float(at.weights @ at.values)
        variance = float(at.weights @ (at.values - average) ** 2)
        mean_error, error = (at.missed + ROUNDED * np.array([abs(average), variance])).tolist()
    return 0.0 if phi.parity < 0 and not mean else average, variance, mean_error, error


def product(phi: Function, pair: tuple[Any, Any, Any], mean: float) -> tuple[Any, float]:
    """Return E phi(h_a) phi(h_b) and its largest error relative to sqrt(E phi(h_a)^2 E phi(h_b)^2).

    pair: variances q_a, q_b and covariance q_ab, arrays that broadcast; mean: one number, the mean of both units.
    """
    return mehler.of_pairs(partial(_of_pairs, phi, mean), pair)


def _of_pairs(phi: Function, mean: float, q: Array, a: Any, b: Any, q_ab: Array) -> tuple[Array, float]:
    """Return the product and its error at pairs with the variances q[a] and q[b]."""
    scales, alike = np.sqrt(q), (a == b) & (q_ab == q[a])
    c = np.where(alike, 0.0, np.clip(q_ab / (scales[a] * scales[b]), -1, 1))
    work = scales.size * nodes(phi, mean, float(scales[-1])).z.size
    longest = _longest(min(mehler.terms(FLOAT64, np.max(np.abs(c))), OF_ALL // work))
    with one_thread():
        expansions = [series(phi, mean, float(scale), longest) for scale in scales]
    length = min(of.a.size for of in expansions)
    terms = np.array([of.a[:length] for of in expansions]).T
    root, error = np.sqrt([of.second for of in expansions]), max(_relative_error(of) for of in expansions)
    rest = np.sqrt(np.maximum(1 - (terms * terms).sum(axis=0) / (root**2 + TINY), 0))
    # by Cauchy and Schwarz, for the sums beyond the end of both series
    tail = np.abs(c) ** length * rest[a] * rest[b]
    products = np.where(alike, root[a] ** 2, mehler.sums(FLOAT64, ((terms, terms),), a, b, c))
    return products, float(np.max(tail) + error)


def _longest(needed: int) -> int:
    """Return a length of series, a power of two at least as large as needed: so correlations share what is kept."""
    return int(2 ** int(np.log2(np.clip(2 * needed, SHORTEST, LONGEST))))


def _relative_error(of: Series) -> float:
    """Return the error of averages of products, relative to E phi^2."""
    return (2 * of.error * np.sqrt(of.second) + of.second_error) / of.second if of.second else 0.0
