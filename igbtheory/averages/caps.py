"""Laws of one and of two data of a batch normalised with eps > 0, and of caps and wedges of the sphere at eps = 0.

The values of two data are sqrt(n - 1) sin t, sin t_a = g_a/sqrt(l^2 + o), (g_a, g_b) a Gaussian pair of variances 1 and
correlation r = -1/(n - 1), l^2 = |g|^2 + chi^2 of n - 3 degrees of freedom the square of the length of the batch and
o = n eps/v. In orthogonal coordinates the pair is isotropic in the unit disk, and farther than sin s from its centre
with the probability Q = cos(s)^(n - 3) exp(-o tan(s)^2/2). Turning one side of the wedge {t_a > a, t_b > b} by dp moves
Q dp/(2 pi) across it, s being where its corner lies. In p, the angle between the two sides, cos p in the place of r,
e^(2 z) = (cos(a - b) - cos p)/(cos(a + b) + cos p) and dp = -cos(s) sech(z) dz, so that for a + b > 0

    P(t_a > a, t_b > b) = 1/(2 pi) int_z^infinity (1 + T)^(-(n - 2)/2) e^(-o T/2) sech(z) dz,   T = tan(s)^2,
    T = q (1 + e^(2 z)) + w (1 + e^(-2 z)),   q = (tan a + tan b)^2/4,   w = (tan a - tan b)^2/4.

Nothing cancels. A cap is twice a wedge of right angle: {t > a} has twice the probability of {t > a, t' > 0} at r = 0.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.resolved import BLOCK
from igbtheory.averages.sphere import Sphere, density

DIGITS = 37.0
"""Logarithm of what is lost in double precision."""
NOTHING = 100.0
"""Exponent that leaves nothing, beside the smallest probabilities too."""
NODES = 180
DEEPEST = 34.0
"""Distance from z at which sech has lost all digits."""
GROWTH = 0.17
"""Growth of the steps: what lies deeper counts less and needs fewer nodes."""
LEAST = -3.6
"""Where nodes begin, which approach z double-exponentially."""


@np.errstate(over="ignore", under="ignore", divide="ignore")
def law(unit: Sphere, t: Any) -> Any:
    """Multiple of the density of an angle: cos(t)^(n - 3) exp(-o tan(t)^2/2) E sqrt(W + 2 u), u = o/(2 cos(t)^2).

    W is chi^2 of n - 2 degrees of freedom. The mean is int cosh(x)^(3 - n) exp(-u sinh(x)^2) ((n - 2)/cosh(x)^2 + 2 u)
    dx: even and analytic for |Im x| < pi/4, for which equal steps are best.
    """
    plain, free = density(unit.n, t, unit.free - 2), unit.free
    if not unit.offset:
        return plain
    cosine = np.cos(t)
    u = np.asarray(unit.offset / 2 / (cosine * cosine))
    step = 1 / np.sqrt((DIGITS * 2 / np.pi**2) ** 2 + (free + 2 * u) * DIGITS / (2 * np.pi**2))
    farthest = np.minimum(np.arcsinh(np.sqrt(DIGITS / u)), 1 + DIGITS / free)
    x = np.multiply.outer(np.arange(1 + np.ceil(np.max(farthest / step))), step)
    terms = np.exp((2 - free) * np.log(np.cosh(x)) - u * np.sinh(x) ** 2) * ((free - 1) / np.cosh(x) ** 2 + 2 * u)
    return plain * np.exp(-unit.offset / 2 * np.tan(t) ** 2) * step * (terms.sum(axis=0) - terms[0] / 2)


def cap(unit: Sphere, t: Any) -> Any:
    """Probability of an angle beyond |t|, in batches of two or more."""
    square = np.tan(np.asarray(t, dtype=float)) ** 2 / 4
    return 2 * _integral(unit, 1 + 0 * square, square, square)


@np.errstate(divide="ignore")
def dependence(unit: Sphere, a: Any, b: Any, caps: tuple[Any, Any]) -> Any:
    """Covariance of 1(t_a < a) and 1(t_b < b) of two data, from the caps beyond a and b."""
    tilt = np.arcsin(-1 / unit.free)
    low, high = (
        np.maximum(np.cos((x + y) / 2) * np.cos((x - y) / 2), 0)
        for x, y in ((a + b, np.pi / 2 - tilt), (a - b, np.pi / 2 + tilt))
    )
    q, w = ((np.sin(x) / (np.cos(a) * np.cos(b))) ** 2 / 4 for x in (a + b, a - b))
    # the wedge on the other side of one of the two lines where that is the smaller one
    other = low > high
    ratio = np.where(other, low, high) / np.where(other, high, low)
    wedge = _integral(unit, ratio, np.where(other, w, q), np.where(other, q, w))
    product = caps[0] * caps[1]
    return np.where(other, product - wedge, wedge - np.where(a * b < 0, np.minimum(*caps) - product, product))


def log_below(t: Any, caps: Any) -> Any:
    """Logarithm of the probability below an angle, from the cap beyond its absolute value."""
    return np.where(t < 0, np.log(np.maximum(caps, 1e-130)), np.log1p(-caps))


@lru_cache
def _nodes() -> tuple[NDArray[Any], NDArray[Any]]:
    """Nodes e^(2 z) and weights of the integral of a function of z that decays from 0 on."""
    y, step = np.linspace(LEAST, np.arcsinh(DEEPEST * GROWTH) / GROWTH, NODES, retstep=True)
    bent = np.sinh(GROWTH * y) / GROWTH - np.exp(-y)
    weights = step * (np.cosh(GROWTH * y) + np.exp(-y)) / (1 + np.exp(-bent))
    return (1 + np.exp(bent)) ** 2, weights


@np.errstate(all="ignore")
def _integral(unit: Sphere, first: Any, q: Any, w: Any) -> Any:
    """Probability of a wedge, from e^(2 z), q and w: 0 where e^(2 z) is infinite."""
    nodes, weights = _nodes()
    found = np.zeros(np.shape(first))
    seen = np.nonzero(np.isfinite(first))
    first, q, w = (x[seen][:, None] for x in (first, q, w))
    heights, reached = np.zeros(first.size), (first * q)[:, 0]
    for rows in np.array_split(np.argsort(reached), 1 + 8 * first.size * NODES // BLOCK):
        # T is at least q e^(2 z): what lies deeper is nothing
        square = np.min(reached[rows], initial=np.inf) * nodes
        some = (unit.free - 1) / 2 * np.log1p(square) + unit.offset / 2 * square < NOTHING
        heights[rows] = _heights(unit, first[rows] * nodes[some], q[rows], w[rows]) @ weights[some]
    found[seen] = heights
    return found / np.pi


def _heights(unit: Sphere, e: Any, q: Any, w: Any) -> Any:
    """Half the integrand at nodes e^(2 z)."""
    square = q * (1 + e) + w * (1 + 1 / e)
    return np.exp(-(unit.free - 1) / 2 * np.log1p(square) - unit.offset / 2 * square) * np.sqrt(e) / (1 + e)
