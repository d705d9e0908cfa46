"""Averages over group-normalised units: batch-normalised ones at a random angle.

A group of n units of two data with correlation c is two normalised vectors of n coordinates, the cosine of whose angle
is the sample correlation r = cos(psi) of n normal pairs. With d = n - 1 degrees of freedom the density of psi is, up to
a constant, sin(psi)^(d-2) (1 - c r)^(1/2-d) 2F1(1/2, 1/2; d + 1/2; (1 + c r)/2) (Hotelling 1953, d = 1: r = +-1 with
P(r = 1) = 1/2 + asin(c)/pi). Given r, a unit is that of a batch of n with that cosine: E phi_a phi_b = E_r K(r).
"""

from functools import lru_cache

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from igbtheory.activations.function import Function
from igbtheory.activations.spherical import Sphere, one, pair, sphere
from igbtheory.numbers import FLOAT64
from igbtheory.numbers.panels import split

Array = NDArray[np.float64]
NODES = 81
"""Angles at which a kernel without closed form is computed; it is smooth in the angle."""
ORDER = 17
LADDER = np.concatenate([[0.0], 2.0 ** np.arange(-3, 24)])
"""Panel ends in units of sqrt(1 - c), on which the density varies at small angles."""
PEAK = np.linspace(-11, 11, 12)
"""Panel ends about the peak, in its standard deviations."""


def moments(phi: Function, size: int, c: float, less: float) -> tuple[float, float, float, float]:
    """Mean, var_mu, var_chi of a unit and their estimated relative error, in double precision; less = 1 - c."""
    unit = _unit(phi, size)
    mean, variance, error = one(unit)
    psi, weights = angles(size, c, less)
    inside = float(weights @ _rise(unit, psi))
    # what is left when the scatter of the data is taken from the whole loses its digits at small c alone
    across = max(variance - inside, 0.0) if c else 0.0
    lost = 1e-14 if unit.phi.closed is not None else 1e-13
    size_ab = mean * mean + across
    return mean, across, inside, error + lost * (mean * mean + variance) * (1 / (size_ab or np.inf) + 1 / inside)


def product(phi: Function, size: int, c: float) -> tuple[float, float]:
    """Mean E phi_a phi_b at correlation c, and its error against the second moment."""
    unit = _unit(phi, size)
    mean, variance, error = one(unit)
    psi, weights = angles(size, c, 1 - c)
    return mean * mean + variance - float(weights @ _rise(unit, psi)), error + 1e-13


def second_moment(phi: Function, size: int) -> float:
    """Second moment E phi^2 of a unit."""
    mean, variance, _ = one(_unit(phi, size))
    return float(mean * mean + variance)


@lru_cache(maxsize=256)
def _unit(phi: Function, size: int) -> Sphere:
    return sphere(FLOAT64, phi, size)


def angles(size: int, c: float, less: float) -> tuple[Array, Array]:
    """Angles psi and their weights, which add up to one."""
    d = size - 1
    if d == 1:
        same = 0.5 + float(np.arcsin(c)) / np.pi
        return np.array([0.0, np.pi]), np.array([same, 1 - same])
    wide, centre = np.sqrt(max(less * (1 + c), 1e-300)), 2 * np.arcsin(np.sqrt(min(max(less / 2, 0.0), 1.0)))
    ends = np.concatenate([wide * LADDER, centre + PEAK * wide / np.sqrt(d), np.linspace(0, np.pi, 9)])
    panels = split(FLOAT64, ends, 0.0, np.pi, ORDER)
    psi = np.ravel(panels.x)
    cosine = np.cos(psi)
    away = less + 2 * c * np.sin(psi / 2) ** 2  # 1 - c r
    log = (d - 2) * np.log(np.sin(psi)) - (d - 0.5) * np.log(away)
    law = np.exp(log - log.max()) * scipy.special.hyp2f1(0.5, 0.5, d + 0.5, (1 + c * cosine) / 2)
    weights = np.ravel(panels.weights) * law
    return psi, weights / weights.sum()


def _rise(unit: Sphere, psi: Array) -> Array:
    """Second moment less the kernel at angles psi, K(1) - K(cos psi)."""
    phi, d = unit.phi, unit.size - 1
    if d == 1:
        both = unit.values(np.array([-1.0, 1.0]))
        return np.where(psi > 1, (both[0] - both[1]) ** 2 / 2, 0.0)
    if phi.closed is not None and phi.degree in {0, 1, 2}:
        less = 2 * np.sin(psi / 2) ** 2
        return np.asarray(phi.closed.spread(FLOAT64, 1 - less, less)) * (d / (d + 2) if phi.degree == 2 else 1.0)
    table = _table(phi, unit.size)
    return np.asarray(chebyshev.chebval(1.0 - 0 * psi, table) - chebyshev.chebval(1 - 2 * psi / np.pi, table))


@lru_cache(maxsize=64)
def _table(phi: Function, size: int) -> Array:
    """Chebyshev coefficients of the kernel in 1 - 2 psi/pi."""
    unit = _unit(phi, size)
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    values = [float(pair(unit, np.cos(np.pi * (1 - x) / 2))[0]) for x in nodes]
    return np.asarray(chebyshev.chebfit(nodes, values, NODES - 1))
