"""Products E f_a(M_a) f_b(M_b), f_a(x) = phi(mean + sqrt(q_a) x), of many variances on one set of nodes.

The density of (M_a, M_b) depends on their correlation c alone and is symmetric: with nodes x_i, y_ij > x_i and weights
w_ij of its own, G_ab = sum_i f_a(x_i) sum_j w_ij f_b(y_ij) at all variances, and E f_a(M_a) f_b(M_b) = G_ab + G_ba, in
double precision. Panels end at kinks and are narrow enough, as any of the f sees them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.maxima import IDENTITY, Maximum, maximum_of, paired
from igbtheory.averages.maxima_law import STEP, ends
from igbtheory.averages.panels import orders
from igbtheory.averages.resolved import SIDES
from igbtheory.formulas.function import Function
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.panels import split

DIGITS = 15
"""Decimals up to which correlations are one: those of one angle differ by rounding from variance to variance."""
FEW = 3
"""Correlations at which a coarser rule is compared."""
BLOCK = 2**16
"""Nodes held at once: their arrays stay in the cache."""

Array = NDArray[np.float64]


def product(phi: Function | None, m: int, mean: Any, q_a: Array, q_b: Array, q_ab: Array) -> tuple[Array, Array]:
    """Mean E phi(M_a) phi(M_b) at arrays of pairs, -1 < c < 1, and its estimated relative error.

    All pairs of one correlation take little more time than one.
    """
    c = q_ab / (np.sqrt(q_a) * np.sqrt(q_b))
    _, first, which = np.unique(np.round(c, DIGITS), return_index=True, return_inverse=True)
    drawn = np.linspace(0, first.size - 1, FEW).astype(int)
    coarser, finer = orders(FLOAT64)
    values, errors = np.empty(c.shape), np.full(c.shape, 100 * FLOAT64.epsilon)
    for group, correlation in enumerate(c.flat[first]):
        pairs = which.reshape(c.shape) == group
        q, places = np.unique([q_a[pairs], q_b[pairs]], return_inverse=True)
        a, b = places.reshape(2, -1)
        maximum = maximum_of(FLOAT64, phi or IDENTITY, m, mean, *np.sqrt(q))
        values[pairs] = _products(maximum, np.sqrt(q), correlation, finer)[a, b]
        if group in drawn:
            coarse = _products(maximum, np.sqrt(q), correlation, coarser)[a, b]
            errors[pairs] += np.abs(coarse - values[pairs]) / (np.abs(values[pairs]) + 1e-300)
    return values, errors


@np.errstate(over="ignore", under="ignore", divide="ignore")
def _products(maximum: Maximum, scales: Array, c: float, order: int) -> Array:
    """Matrix of the products at all pairs of scales."""
    phi, mean, chart = maximum.seen.phi, maximum.mean, paired(FLOAT64, c)
    slant = (1 - c) / chart.s
    points, x_ends = _ends(maximum, scales, c, chart.s, slant)
    x = split(FLOAT64, x_ends, points[0], points[-1], order)
    beyond = []
    for part in np.array_split(x.x.ravel(), 1 + x.x.size * order * points.size // BLOCK):
        v = chart.panels(FLOAT64, part, points, slant * part, order)
        y, law = chart.y(part, v.x), v.weights * chart.density(FLOAT64, maximum.m, part, v)
        beyond.append([(law * phi(FLOAT64, mean + scale * y)).sum(axis=(0, 1)) for scale in scales])
    own = [np.ravel(x.weights * phi(FLOAT64, mean + scale * x.x)) for scale in scales]
    half = own @ np.concatenate(beyond, axis=1).T
    return np.asarray(half + half.T)


def _ends(maximum: Maximum, scales: Array, c: float, s: float, slant: float) -> tuple[Array, Array]:
    """Ends of panels in y, and in x, from which the second datum is seen around c x, smoothed with s, where y > x."""
    reach = maximum.seen.reach
    kinks = np.ravel([(np.array(maximum.seen.kinks, dtype=float) - maximum.mean) / scale for scale in scales])
    base = ends(maximum.m, reach, kinks)
    points = _refined(maximum, np.append(base, np.clip(kinks, base[0], base[-1])), scales, 0 * scales)
    sides = np.array([0, *SIDES, reach])
    around = np.add.outer(kinks, s * np.concatenate([-sides, sides])) / (c + 1e-290)
    # where the line y = x meets that around which the second datum is
    crossing = STEP * np.arange(-np.ceil(reach / STEP), np.ceil(reach / STEP) + 1) / slant
    further = np.clip(np.concatenate([np.ravel(around), crossing]), base[0], base[-1])
    return points, _refined(maximum, np.append(points, further), c * scales, s * scales)


def _refined(maximum: Maximum, points: Array, slopes: Array, noises: Array) -> Array:
    """Points, and those between them that make panels no wider than panels of the mesh of phi, at each scale.

    x is seen at mean + slope x, through noise of that standard deviation: panels as wide as a few of it serve.
    """
    cuts = np.unique(np.array(maximum.seen.cuts, dtype=float)) - maximum.mean
    low, high = np.append(-np.inf, cuts), np.append(cuts, np.inf)
    points = np.unique(points)
    while True:
        width = np.abs(np.multiply.outer(np.diff(points), slopes))
        middle = np.multiply.outer((points[1:] + points[:-1]) / 2, slopes)
        # what only touches a panel of the mesh is not in it, whatever the rounding
        side = (0.5 - 1e-9) * width + maximum.seen.reach * noises
        met = (low < (middle + side)[..., None]) & (high > (middle - side)[..., None])
        least = np.min(np.where(met, high - low, np.inf), axis=-1)
        wide = np.any(width > np.maximum(least, STEP * noises) * (1 + 1e-9), axis=-1)
        if not wide.any():
            return points
        points = np.sort(np.append(points, ((points[1:] + points[:-1]) / 2)[wide]))
