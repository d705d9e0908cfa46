"""Density of the share of a class, and of the largest share, by drawing only the centres of the other classes.

Shares do not change if all centres are shifted by the same amount. Take all centres relative to the mean centre of the
other classes. Then the centre m ~ N(0, s^2) of the class, with s^2 = gamma M/(M - 1), is independent of the others. Its
share G(m) = E Phi(m - T), where T is the largest output of the others, increases with m. So the density of the share at
g is the mean of npdf(m/s)/(s G'(m)) at G(m) = g over the other centres. This is exact for M = 2. The share is the
largest one if m is the largest centre. The other centres are quasi-random points in M - 2 dimensions, and the error
comes from independent scrambles of these points.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.guesses.centred import blocks, maximum
from igbtheory.guesses.sampled import Estimate, estimate
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.limits import TINY
from igbtheory.mathematics.numerics.sobol import normal_points

REPLICATES = 16
"""Independent scrambles of the points: their scatter tells the error to 18 %, 1/sqrt(30)."""
STEPS = 8
"""Newton steps. They act on Phi^-1(G), which is nearly linear in m, and converge in four or five steps."""

Array = NDArray[np.float64]


def density(gamma: float, n_classes: int, g: Array, draws: int, rng: np.random.Generator, *, largest: bool) -> Estimate:
    """Return the density at the shares g, shape (shares,), of the share of one class or of the largest share."""
    points = 1 << (-(-draws // REPLICATES) - 1).bit_length()
    scale = np.sqrt(gamma * n_classes / (n_classes - 1))
    means = []
    for _ in range(REPLICATES):
        others = np.sqrt(gamma) * normal_points(rng, points, n_classes - 2) @ _centred(n_classes - 1)
        terms = [_terms(scale, g, part, largest=largest) for part in blocks(others)]
        means.append(np.concatenate(terms).mean(axis=0))
    return estimate(means)


def _centred(n: int) -> Array:
    """Return an orthonormal basis, shape (n - 1, n), of the centres of n classes with mean 0."""
    return np.linalg.qr(np.eye(n)[:, 1:] - 1.0 / n)[0].T


def _terms(scale: float, g: Array, others: Array, *, largest: bool) -> Array:
    """Return the density at every g given the centres of the others, shape (draws, shares)."""
    nodes, weights = maximum(others)
    densities = np.empty((len(others), g.size))
    for i, goal in enumerate(scipy.special.ndtri(g)):
        m, rise = _centre(goal, nodes, weights)
        chance = FLOAT64.npdf(m / scale) / (scale * rise)
        densities[:, i] = chance * (others.shape[1] + 1) * (m > others.max(axis=1)) if largest else chance
    return densities


def _centre(goal: Any, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Return the centre m with Phi^-1(G(m)) = goal, and the derivative G'(m), for every draw."""
    mean = (weights * nodes).sum(axis=1)
    spread = np.sqrt(1.0 + (weights * (nodes - mean[:, None]) ** 2).sum(axis=1))
    m = mean + goal * spread
    for _ in range(STEPS):
        distance = m[:, None] - nodes
        y = scipy.special.ndtri(np.clip((weights * scipy.special.ndtr(distance)).sum(axis=1), TINY, 1.0 - 1e-16))
        rise = (weights * FLOAT64.npdf(distance)).sum(axis=1)
        m = m + (goal - y) * FLOAT64.npdf(y) / rise
    return m, rise
