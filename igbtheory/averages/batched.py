"""Moments of a function of a batch-normalised unit: plain, with eps > 0, and of a maximum of several."""

from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.averages import lengths, maximum, spherical
from igbtheory.averages.batched_pair import covariance, ends, jumps
from igbtheory.averages.caps import law
from igbtheory.averages.maximum_law import LEVELS
from igbtheory.averages.panels import PLAIN, orders
from igbtheory.averages.sphere import Sphere
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function, composed, formula
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numerics.panels import beyond, of_rises, split

OF_TWO = formula("of_two", "tanh(asinh(x))", "")
"""y/sqrt(1 + y^2): written so, its slope keeps its digits where it saturates."""
ANGLE = formula("angle", "atan(x)", "")
"""The angle whose sine that is."""


@lru_cache(maxsize=1024)
def moments(n: Kind, phi: Function, m: int, size: int, estimator: str) -> Moments:
    """Moments of phi(M), M the largest of m batch-normalised units; two data of different batches are independent."""
    if m == 1:
        return _of_parts(*spherical.moments(n, phi, size, estimator))
    spherical.check(phi, size, estimator)
    if size == 2:
        return _of_parts(*_of_two(n, phi, m))
    return _of_parts(*_largest(Sphere(n, phi, size, proxy=estimator == "proxy"), m))


@lru_cache(maxsize=1024)
def with_eps(n: Kind, phi: Function, m: int, size: int, variance: Any, eps: Any) -> Moments:
    """The same of units (z - <z>)/sqrt(s^2 + eps), `variance` that of z over its batch."""
    if m == 1 or not variance:
        return _of_parts(*lengths.moments_with_eps(n, phi, size, variance, eps))
    if size == 2:
        return _of_parts(*_of_two_with_eps(n, phi, m, variance / eps))
    if n is not FLOAT64:
        raise ValueError(
            f"BatchNorm({size}, eps={eps}) in front of a maximum of {m} units is computed in double precision; predict "
            "without `digits`"
        )
    offset = float(size * eps / variance)
    return _of_parts(*_largest(Sphere(n, phi, size, proxy=False, offset=offset), m))


def _of_parts(mean: Any, variance: Any, within: Any, error: float) -> Moments:
    return Moments(mean, 0 * variance, variance, error, within)


def _of_two(n: Kind, phi: Function, m: int) -> tuple[Any, Any, Any, float]:
    """Batches of two, B = +-1: the largest is 1 at both data unless all m units agree, of probability 2^(1 - m)."""
    low, high = phi(n, n.number(-1)), phi(n, n.number(1))
    alone = n.number(2) ** -m
    mean = alone * low + (1 - alone) * high
    variance = alone * (1 - alone) * (high - low) ** 2
    return mean, variance, -(alone * alone) * (high - low) ** 2, 8 * n.epsilon


def _of_two_with_eps(n: Kind, phi: Function, m: int, ratio: Any) -> tuple[Any, Any, Any, float]:
    """Batches of two, B = y/sqrt(1 + y^2) of a Gaussian y: it increases, and the largest is that of the largest y.

    ratio: v/eps, v the variance of a unit over its batch. The covariance as in `_largest`.
    """
    (mean, _, variance, error), (_, _, spread, _) = (
        maximum.moments(n, of_y, m, n.number(0), 0 * ratio, ratio / 2) for of_y in (composed(phi, OF_TWO), ANGLE)
    )
    if n is not FLOAT64:
        return mean, variance, n.number(np.nan), error
    unit = Sphere(n, phi, 2, proxy=False, offset=float(2 / ratio))
    coarse, within = (covariance(unit, m, 2 * order) for order in orders(n))
    # where all maxima are nearly at one angle, its rounding counts
    lost = abs(coarse - within) + 4 * n.epsilon / np.sqrt(spread) * abs(within)
    return mean, variance, within, error + float(lost / (variance + n.number(1e-300)))


def _largest(unit: Sphere, m: int) -> tuple[Any, Any, Any, float]:
    """Mean and variance, covariance at two data of one batch, and their error.

    The covariance in double precision alone, else not a number: in many digits its double integral takes minutes.
    """
    n, found = unit.n, []
    for order in orders(n):
        mean, variance, spread = of_order(unit, m, order)
        found.append((mean, variance, covariance(unit, m, order) if n is FLOAT64 else 0 * mean))
    mean, variance, within, error = spherical.compared(n, *found)
    # where all maxima are nearly at one angle, its rounding counts
    error += 4 * n.epsilon / float(spread)
    return mean, variance, within if n is FLOAT64 else n.number(np.nan), error


def of_order(unit: Sphere, m: int, order: int) -> tuple[Any, Any, Any]:
    """Mean, variance, standard deviation of the angle: the density is m F^(m - 1) times that of one, F that below."""
    n, reach, order = unit.n, unit.reach(), order + 8
    t = split(n, ends(unit, m, LEVELS), -reach, reach, order)
    single = law(unit, t.x)
    above = np.minimum(beyond(n, t, single / t.integral(single)), 1 - n.number(n.epsilon))
    weights = t.weights * single * n.exp((m - 1) * n.log1p(-above))
    weights = weights / weights.sum()
    values = unit.at(t.x)
    mean = (weights * values).sum()
    variance = (weights * (values - mean) ** 2).sum()
    spread = n.sqrt((weights * (t.x - (weights * t.x).sum()) ** 2).sum())
    if variance > PLAIN * mean * mean:
        return mean, variance, spread
    return mean, of_rises(n, t, unit.slope(t.x), jumps(unit), weights), spread
