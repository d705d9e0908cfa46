"""Laws of the maximum M of m standard normal variables, and of two maxima M_a, M_b of m correlated pairs.

P(M <= x) = F(x) = Phi(x)^m and P(M_a <= x, M_b <= y) = Phi_2(x, y; c)^m. Logarithms of Phi and of Phi_2 are computed
from the small probabilities beyond x and y, so that no digits are lost for m = 10^6.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, final

import numpy as np
import scipy

from igbtheory.mathematics.averages import hermite
from igbtheory.mathematics.numbers import Kind
from igbtheory.mathematics.numerics.limits import BLOCK
from igbtheory.mathematics.numerics.panels import WIDTH, Panels, beyond, split

STEP = 3.0
"""Largest width of a panel, in units of s, across the line on which the two data agree, where the density varies like a
Gaussian of the standard deviation s."""
NEAR = 0.4
"""Share of a panel: an end that is closer to a cut of f is left out, and the next panel grows by no more."""
FEW = 32
"""Largest m for which powers are products; with more factors, the rounding errors of Phi near 1 would add up."""
STRIPS = 8
"""Least number of strips of a symmetric matrix, of which nine sixteenths are then computed."""
LEVELS = np.exp(-np.concatenate([np.arange(-12, 0.5), np.array([1.5, 4.5, 9.5])]))
"""Values of -log F at which panels end; they are dense where F rises, over a width of 1/sqrt(2 log m)."""


def ends(m: int, reach: float, cuts: Any) -> Any:
    """Return ends of panels that resolve F and its density, without ends that are close to one of the `cuts`.

    Below the first end, F < exp(-reach^2) is negligible even if f varies in its tail only.
    """
    levels = np.append(reach**2, LEVELS[reach**2 > LEVELS])
    x = np.unique(np.append(np.clip(scipy.special.ndtri_exp(-levels / m), -reach, reach), reach))
    stretches = [np.linspace(a, b, 1 + int(np.ceil((b - a) / WIDTH)))[:-1] for a, b in pairwise(x)]
    points = np.append(np.concatenate(stretches), reach)
    gaps = np.diff(points)
    distance = np.min(np.abs(points[1:-1, None] - cuts), axis=1, initial=np.inf)
    spared = distance < NEAR * np.minimum(gaps[1:], gaps[:-1])
    return np.concatenate([points[:1], points[1:-1][~spared], points[-1:]])


def columns(panels: Panels, kept: Any) -> Panels:
    """Return the panels of some of the points."""
    return Panels(panels.x[..., kept], panels.weights[..., kept], panels.half[:, kept], panels.left[:, kept])


def log_ncdf(n: Kind, x: Any) -> Any:
    """Return log Phi(x), computed as log(1 - Phi(-x)) if x > 0."""
    tail = n.ncdf(-np.abs(x))
    return np.where(x < 0, n.log(tail), n.log1p(-tail))


def density(n: Kind, m: int, x: Any) -> Any:
    """Return the density m Phi(x)^(m-1) npdf(x) of the maximum."""
    return m * n.exp((m - 1) * log_ncdf(n, x)) * n.npdf(x)


def dependence(n: Kind, m: int, x: Any, weights: Any, c: Any) -> Any:
    """Return the weighted sum over all pairs of nodes (x, y) of Phi_2(x, y; c)^m - Phi(x)^m Phi(y)^m, 0 <= c < 1.

    By Mehler's formula, Phi_2 - Phi Phi = sum_k c^(k+1)/(k+1) g_k(x) g_k(y) with g_k = He_k npdf/sqrt(k!). It keeps
    its digits when c -> 0, and so does the difference of the powers.
    """
    terms = 2 + int(np.log(n.epsilon / m) / np.log(float(c)))
    table = hermite.table(n, x, n.npdf(x), terms)
    return n.quickly(partial(_sum_of_gains, m), x, weights, table, c)


def _sum_of_gains(m: int, n: Kind, x: Any, weights: Any, table: Any, c: Any) -> Any:
    """Return the sum of `dependence` from the table of g_k(x)."""
    scaled = table * np.array([c ** (k + 1) / (k + 1) for k in range(len(table))])[:, None]
    total = 0 * c
    height = 1 + x.size // max(STRIPS, x.size**2 // BLOCK)
    for start in range(0, x.size, height):
        # the summands are symmetric in x and y: those left of a strip are those above it
        rows, after = slice(start, start + height), slice(start, None)
        twice = weights[after] * np.where(np.arange(start, x.size) < start + height, 1, 2)
        # rounding errors make it negative only where the product of the weights is negligible
        excess = np.maximum(n.product(scaled[:, rows].T, table[:, after]), 0)
        total = total + weights[rows] @ (_gain(n, m, excess, x[rows], x[after]) @ twice)
    return total


def _gain(n: Kind, m: int, excess: Any, x: Any, y: Any) -> Any:
    """Return the matrix (Phi(x) Phi(y) + excess)^m - (Phi(x) Phi(y))^m."""
    base = np.multiply.outer(n.ncdf(x), n.ncdf(y))
    if m <= FEW:
        return excess * _quotient(base + excess, base, m)[1]
    powers = n.exp(m * np.add.outer(log_ncdf(n, x), log_ncdf(n, y)))
    return powers * n.expm1(m * n.log1p(excess / base))


def _quotient(a: Any, b: Any, m: int) -> tuple[Any, Any, Any]:
    """Return a^m, (a^m - b^m)/(a - b) = sum_j a^j b^(m-1-j), and b^m, by doubling."""
    if m == 1:
        return a, 1, b
    high, total, low = _quotient(a, b, m // 2)
    high, total, low = high * high, total * (high + low), low * low
    return (a * high, high + b * total, b * low) if m % 2 else (high, total, low)


@final
@dataclass(frozen=True)
class Chart:
    """Coordinates y = ahead x + s v of a pair of correlation c, s = sqrt(1 - c^2), in which no digits cancel.

    (y - c x)/s = v + near x and (x - c y)/s = far x - c v.
    """

    c: Any
    s: Any
    ahead: Any
    near: Any
    far: Any

    def y(self, x: Any, v: Any) -> Any:
        return self.ahead * x + self.s * v

    def panels(self, n: Kind, x: Any, points: Any, least: Any, order: int) -> Panels:
        """Return panels in v >= `least` that end where y passes the `points` (ascending), short ones near y = c x."""
        reach = points[-1]
        images = (points.reshape(-1, *(1,) * np.ndim(x)) - self.ahead * x) / self.s
        high = images[-1]
        # beyond, both terms of the density are negligible: (x - c y)/s < -reach, and (y - c x)/s > reach
        if self.c > 0:
            high = np.minimum(high, np.maximum((reach + self.far * x) / self.c, reach - self.near * x))
        low = np.minimum(np.maximum(images[0], least), high)
        grid = STEP * np.arange(-np.ceil(2 * float(reach) / STEP), np.ceil(2 * float(reach) / STEP))
        steps = n.number(grid).reshape(-1, *(1,) * np.ndim(x)) + 0 * x
        return split(n, np.concatenate([images, steps]), low, high, order)

    def density(self, n: Kind, m: int, x: Any, v: Panels) -> Any:
        """Return the density of (M_a, M_b) in (x, v) at the nodes of `v`, which must extend to where it is negligible.

        The maxima belong to one pair or to two pairs: m Phi_2^(m-1) npdf_2 + m (m-1) Phi_2^(m-2) d_x Phi_2 d_y Phi_2.
        """
        across = self.s * n.npdf(self.y(x, v.x)) * n.ncdf(self.far * x - self.c * v.x)
        mass = n.ncdf(x)
        # this is P(A < x, B > y)/P(A < x)
        share = np.minimum(beyond(n, v, across) / mass, 1 - n.number(n.epsilon))
        powers = m * n.exp((m - 1) * (log_ncdf(n, x) + n.log1p(-share)))
        z = v.x + self.near * x
        return powers * n.npdf(x) * (n.npdf(z) + (m - 1) * n.ncdf(z) * across / (mass * (1 - share)))
