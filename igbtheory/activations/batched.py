"""Moments of a function of a batch-normalised unit: plain, with eps > 0, and of a maximum of several."""

from functools import lru_cache
from typing import Any

import numpy as np

from igbtheory.activations import lengths, spherical
from igbtheory.activations.batched_pair import covariance, ends
from igbtheory.activations.function import Function
from igbtheory.activations.moments import Moments
from igbtheory.activations.panels import orders
from igbtheory.activations.sphere import Sphere, density, grid
from igbtheory.numbers import FLOAT64, Kind
from igbtheory.numbers.panels import beyond, split


@lru_cache(maxsize=1024)
def moments(n: Kind, phi: Function, m: int, size: int, law: str) -> Moments:
    """Moments of phi(M), M the largest of m batch-normalised units; two data of different batches are independent."""
    if m == 1:
        mean, variance, within, error = spherical.moments(n, phi, size, law)
        return Moments(mean, 0 * variance, variance, error, within)
    if law == "proxy":
        raise ValueError(
            f'expected law="exact" in BatchNorm({size}) in front of a maximum of {m} units, got "proxy": it is a law '
            "of single units"
        )
    mean, variance, within, error = _of_two(n, phi, m) if size == 2 else _largest(n, phi, m, size)
    return Moments(mean, 0 * variance, variance, error, within)


@lru_cache(maxsize=1024)
def with_eps(n: Kind, phi: Function, size: int, variance: Any, eps: Any) -> Moments:
    """Moments of phi((z - <z>)/sqrt(s^2 + eps)), `variance` that of z over its batch."""
    mean, spread, within, error = lengths.moments_with_eps(n, phi, size, variance, eps)
    return Moments(mean, 0 * spread, spread, error, within)


def _of_two(n: Kind, phi: Function, m: int) -> tuple[Any, Any, Any, float]:
    """Batches of two, B = +-1: the largest is 1 at both data unless all m units agree, of probability 2^(1 - m)."""
    low, high = phi(n, n.number(-1)), phi(n, n.number(1))
    alone = n.number(2) ** -m
    mean = alone * low + (1 - alone) * high
    variance = alone * (1 - alone) * (high - low) ** 2
    return mean, variance, -(alone * alone) * (high - low) ** 2, 8 * n.epsilon


def _largest(n: Kind, phi: Function, m: int, size: int) -> tuple[Any, Any, Any, float]:
    """Mean and variance, covariance at two data of one batch, and their error.

    The covariance in double precision alone, else not a number: in many digits its double integral takes minutes.
    """
    unit = Sphere(n, phi, size, proxy=False, scale=n.number(1))
    found = []
    for order in orders(n):
        mean, variance = _of_order(unit, m, order)
        found.append((mean, variance, covariance(unit, m, mean, order) if n is FLOAT64 else 0 * mean))
    mean, variance, within, error = spherical.compared(n, *found)
    # where all maxima are nearly one value, rounding of phi counts
    error += 4 * n.epsilon * float(n.sqrt(1 + mean * mean / variance))
    return mean, variance, within if n is FLOAT64 else n.number(np.nan), error


def _of_order(unit: Sphere, m: int, order: int) -> tuple[Any, Any]:
    """Mean and variance: the density is m F^(m - 1) times that of one, F the distribution function of one."""
    n, reach = unit.n, unit.reach()
    points = unit.sines([*unit.phi.pieces.kinks, *unit.mesh(reach)])
    cuts = np.array([*grid(n, reach, unit.free), *ends(unit, m), *(n.asin(y) for y in points)])
    t = split(n, cuts, -reach, reach, order)
    single = density(n, t.x, unit.free - 2)
    above = np.minimum(beyond(n, t, single / t.integral(single)), 1 - n.number(n.epsilon))
    weights = t.weights * single * n.exp((m - 1) * n.log1p(-above))
    weights = weights / weights.sum()
    values = unit.at(t.x)
    mean = (weights * values).sum()
    return mean, (weights * (values - mean) ** 2).sum()
