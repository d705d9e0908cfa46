"""Density of the share of a class, and of the largest share, by drawing the other classes only.

Shares do not change when all centres move by the same. With the centres of the others less their mean, the share
G(m) = E Phi(m - T) of a class grows with its centre m, T the largest output of the others, and m ~ N(0, s^2) with
s^2 = gamma M/(M - 1) is independent of them: the density of the share at g is the mean over the others of
npdf(m/s)/(s G'(m)) at G(m) = g, exact for M = 2. The share is the largest where m is the largest centre. The others
are quasi-random points of M - 2 dimensions, and the error is that of independent scrambles of them.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.centred import blocks, maximum
from igbtheory.guesses.sampled import Estimate, estimate
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.sobol import normal_points

REPLICATES = 16
"""Independent scrambles of the points."""
STEPS = 8
"""Newton steps, in a scale in which G is nearly straight: it settles in four or five."""

Array = NDArray[np.float64]


def density(gamma: float, n_classes: int, g: Array, draws: int, rng: np.random.Generator, *, largest: bool) -> Estimate:
    """Return the density at the shares g, one-dimensional, of one class or of the largest."""
    points = 1 << (-(-draws // REPLICATES) - 1).bit_length()
    scale = np.sqrt(gamma * n_classes / (n_classes - 1))
    means = []
    for _ in range(REPLICATES):
        others = np.sqrt(gamma) * normal_points(rng, points, n_classes - 2) @ _centred(n_classes - 1)
        parts = [_terms(scale, g, part, largest=largest) for part in blocks(others)]
        means.append(np.concatenate(parts).mean(axis=0))
    return estimate(means)


def _centred(n: int) -> Array:
    """Return an orthonormal basis, (n - 1, n), of the centres of n classes whose mean is 0."""
    return np.linalg.qr(np.eye(n)[:, 1:] - 1.0 / n)[0].T


def _terms(scale: float, g: Array, others: Array, *, largest: bool) -> Array:
    """Return the density at every g given the centres of the others, (draws, shares)."""
    nodes, weights = maximum(others)
    found = np.empty((len(others), g.size))
    for i, goal in enumerate(scipy.special.ndtri(g)):
        m, rise = _centre(goal, nodes, weights)
        chance = FLOAT64.npdf(m / scale) / (scale * rise)
        found[:, i] = chance * (others.shape[1] + 1) * (m > others.max(axis=1)) if largest else chance
    return found


def _centre(goal: Any, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Return the centre m at which Phi^-1(G(m)) is the goal, and G'(m), for every draw."""
    mean = (weights * nodes).sum(axis=1)
    spread = np.sqrt(1.0 + (weights * (nodes - mean[:, None]) ** 2).sum(axis=1))
    m = mean + goal * spread
    for _ in range(STEPS):
        distance = m[:, None] - nodes
        y = scipy.special.ndtri(np.clip((weights * scipy.special.ndtr(distance)).sum(axis=1), 1e-300, 1.0 - 1e-16))
        rise = (weights * FLOAT64.npdf(distance)).sum(axis=1)
        m = m + (goal - y) * FLOAT64.npdf(y) / rise
    return m, rise
