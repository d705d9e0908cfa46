"""Mean of s^2/(s^2 + eps) over batches of few data whose sum is fixed, cell by cell of the signs of their deviations.

n values with the variance own^2 under a sum of zero, p of them positive and m = n - p not, are a (u, -v) with points u
and v of two simplices. In the radius r = a R/own, R^2 = |u|^2 + |v|^2,

    E f = sum_p binomial(n, p) sqrt(n) (2 pi)^(-(n - 1)/2)/((p - 1)! (m - 1)!)
          E_u E_v R^(1 - n) int_0^inf dr r^(n - 2) exp(-r^2/2) f,   u and v uniform.

A phi with its kink at the mean is smooth in every cell, and other kinks end panels in r. By symmetry u and v are
sorted; Gauss-Jacobi rules serve them, and panels in r that grow from the scale of eps. At its best for a phi that has
not one value at all n data but where they are equal: f would have a cleft of the width sqrt(eps) there.
"""

from functools import lru_cache
from math import comb, factorial

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.averages.resolved import resolved
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import WIDTH, split

ORDERS = (5, 6, 7, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60, 75, 94, 117, 146, 183)
"""Nodes in the first direction of a simplex, tried in turn; the others, which matter less and less, take fewer."""
LARGEST, MOST, FEWER = 6, 120_000, 40_000
"""Batch, and order to the power of the number of directions, at most; FEWER for a phi with clefts."""
SPARE = 10.0
"""Factor to spare for the error there: rules in turn may miss a cleft alike."""
RADIAL = (14, 17)
"""Nodes of a panel in r, of every other rule."""
SETTLED = 1e-12
"""Relative difference of two rules in turn with which the finer one is taken."""
GROWTH = 3.0
"""Ratio of the ends of panels in r."""
FIRST, LEAST = 0.1, 1e-9
"""First panel in r, in units of the r at which s^2 = eps on average, and its end at least."""
LOOKS = 1000
"""Values at which phi is looked at: even, so that 0 is none of them."""
BLOCK = 2**20
"""Values of phi held at once, roughly."""

Array = NDArray[np.float64]


def tells(phi: Function, size: int, mean: float, own: float) -> bool:
    """Whether phi turns once at most and tells deviations x from -k x/(n - k): equal values are equal data."""
    reach = own * resolved(FLOAT64, phi, mean, own).reach
    x = np.linspace(-reach, reach, LOOKS)
    rises = np.sign(np.diff(phi(FLOAT64, mean + x)))
    turns = np.count_nonzero(np.diff(rises[rises != 0]))
    x = x[x > 0]
    gaps = [phi(FLOAT64, mean + x) - phi(FLOAT64, mean - x * k / (size - k)) for k in range(1, size)]
    return bool(turns <= 1 and all(np.all(gap > 0) or np.all(gap < 0) for gap in gaps))


def serves(phi: Function, size: int, mean: float, own: float) -> bool:
    """Whether the rule holds: few data, and a phi that tells them apart."""
    return 3 <= size <= LARGEST and tells(phi, size, mean, own)


def cleft(phi: Function, size: int, scales: tuple[float, float], eps: float) -> tuple[float, float]:
    """The mean and its absolute error for a phi that `serves` refuses, but smooth off the mean.

    Clefts on points and lines only, which five data cross in three directions or more.
    """
    value, error = fixed_sum(phi, size, scales, eps, FEWER)
    return value, SPARE * error


def cleaves(phi: Function, size: int, mean: float) -> bool:
    """Whether `cleft` holds."""
    return size == 5 and all(kink == mean for kink in phi.pieces.kinks)


def fixed_sum(
    phi: Function, size: int, scales: tuple[float, float], eps: float, most: int = MOST
) -> tuple[float, float]:
    """The mean and its absolute error; scales: mean of the data, and own."""
    fine, error = 0.0, np.inf
    for i, order in enumerate(ORDERS):
        if error <= SETTLED * fine or order ** (size - 2) > most:
            break
        coarse, fine = fine, _by(phi, size, scales, eps, order, RADIAL[i % 2])
        error = abs(coarse - fine)
    return fine, error


@np.errstate(under="ignore")
def _by(phi: Function, size: int, scales: tuple[float, float], eps: float, order: int, radial: int) -> float:
    """The mean by one rule, divided by that of 1 by the same rule."""
    mean, own = scales
    seen = resolved(FLOAT64, phi, mean, own)
    reach = seen.reach + size / 3  # r^(n - 2) adds to it
    variance = float(seen.averaged(np.array([mean]), own, RADIAL[1])[1][0])
    first = max(FIRST * np.sqrt(eps / (variance + eps)), LEAST)
    growing = first * GROWTH ** np.arange(np.ceil(np.log(WIDTH / first) / np.log(GROWTH)))
    ends = np.concatenate([[0.0], growing, np.arange(WIDTH, reach, WIDTH), [reach]])
    off = np.array([kink - mean for kink in seen.kinks if kink != mean]) / own
    total = whole = 0.0
    for positive in range(1, size):
        directions, weights = _cell(positive, size - positive, order)
        panels = ends.size + off.size * size
        for part in np.array_split(np.arange(weights.size), 1 + weights.size * panels * radial * size // BLOCK):
            direction = directions[:, part]
            far = np.where(np.abs(direction) * reach > 1e-9, direction, 1e-9)
            kinks = (off[:, None, None] / far).reshape(-1, part.size)
            r = split(FLOAT64, np.concatenate([ends[:, None] + 0 * part, kinks]), 0.0, reach, radial)
            density = r.x ** (size - 2) * np.exp(-np.square(r.x) / 2)
            square = phi(FLOAT64, mean + own * direction[:, None, None] * r.x).var(axis=0)
            total += weights[part] @ r.integral(density * square / (square + eps))
            whole += weights[part] @ r.integral(density)
    return float(total / whole)


@lru_cache
def _cell(positive: int, negative: int, order: int) -> tuple[Array, Array]:
    """Directions (u, -v)/R, a column each, and their weights."""
    (u, of_u), (v, of_v) = _simplex(positive, order), _simplex(negative, order)
    pairs = np.concatenate([np.repeat(u, of_v.size, axis=1), -np.tile(v, of_u.size)])
    length, size = np.sqrt(np.square(pairs).sum(axis=0)), positive + negative
    ways = comb(size, positive) / (factorial(positive - 1) * factorial(negative - 1))
    return pairs / length, ways * np.outer(of_u, of_v).ravel() * length ** (1.0 - size)


def _simplex(count: int, order: int) -> tuple[Array, Array]:
    """Points with the sum 1 in decreasing order, a column each, and their weights for the uniform law.

    The parts t of a broken stick are uniform over all points, and so is sum_k t_k (1, ..., 1, 0, ..., 0)/k over the
    sorted ones.
    """
    parts, left, weights = np.zeros((0, 1)), np.ones(1), np.ones(1)
    for i, rest in enumerate(range(count - 2, -1, -1)):
        x, of_x = scipy.special.roots_jacobi(max(order - i, 3), rest, 0)
        part = np.outer(left, (1 + x) / 2)
        parts = np.concatenate([np.repeat(parts, x.size, axis=1), part.reshape(1, -1)])
        weights = np.outer(weights, of_x / of_x.sum()).ravel()
        left = (left[:, None] - part).ravel()
    t = np.concatenate([parts, left[None]])
    corners = np.triu(np.ones((count, count))) / np.arange(1, count + 1)
    return corners @ t, weights
