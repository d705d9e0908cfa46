"""Mean slopes of pairs of units by a rule on circles, in double precision.

Standard normal u and v of correlation cos theta are r cos(b + theta/2) and r cos(b - theta/2), r with the density
r exp(-r^2/2) and b uniform. The mean slope of two data with the standard deviations s and t is

    K1(theta) = E phi'(s u) phi'(t v) W,   W = m P(another pair lies below u and v)^(m - 1)

for the largest of m units (W = 1 for m = 1). Between the lines on which a pre-activation is at a kink, the integrand is
analytic, even at theta = 0.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.maximum import maximum_of
from igbtheory.mathematics.averages.resolved import Resolved
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below
from igbtheory.mathematics.numerics.panels import WIDTH, split

ORDERS = ((14, 18), (16, 22))
"""Orders of the Gauss rules in r and in b, first for the coarser and then for the finer rule."""
FEW = 3
"""Number of angles theta at which the two rules are compared: the first, the middle and the last one."""
MERGED = 3
"""Number of mesh panels in one panel in b: a Gauss rule is exact for twice the degree that the mesh resolves."""
MOST = 32
"""Number of mesh points within reach beyond which quadrature of single pairs takes less time than circles."""
GROWTH = 4.0 ** np.arange(30)
"""Ends of panels that grow with the distance from a singularity, in units of that distance. Every panel is as far from
it as a third of its width, so that the rule converges equally fast on all; 4^30 = 1e18 is beyond every reach."""

Array = NDArray[np.float64]


def on_mesh(phi: Function, m: int, q: float) -> Resolved | None:
    """Return phi for variances up to q, or None if K1 is singular at theta = 0 or circles take too long."""
    if any(phi.pieces.jumps(FLOAT64)) or phi.growth not in ("bounded", "polynomial"):
        return None
    try:
        meshed = maximum_of(FLOAT64, phi, m, 0.0, float(np.sqrt(q))).meshed
    except ValueError:  # quadrature raises the error if it fails as well
        return None
    cuts = np.abs(np.array(meshed.cuts, dtype=float))
    return None if meshed.doubt > 1 or np.count_nonzero(cuts < meshed.reach * np.sqrt(q)) > MOST else meshed


def of_equals(meshed: Resolved, m: int, q: Array, theta: Array) -> tuple[Array, float]:
    """Return K1 of the largest of m units of equal variances q, shape (q, theta), and its absolute error.

    meshed: phi for the largest variance. The error is the largest difference from a coarser rule at some of the angles.
    """
    if m == 1:
        return _of_one(meshed, q, theta)
    scales = np.sqrt(q)
    values, error = of_pairs(meshed, m, (scales, scales), theta)
    return np.diagonal(values).T, error


def _of_one(meshed: Resolved, q: Array, theta: Array) -> tuple[Array, float]:
    """Return K1 of single units of equal variances; radii in the units of phi serve all variances."""
    lines, even = _Lines.of(meshed, 1.0), bool(meshed.phi.parity)
    reach, widest = meshed.reach * float(np.sqrt(np.max(q))), WIDTH * float(np.sqrt(np.min(q)))

    def integrals(angle: float, orders: tuple[int, int]) -> Array:
        at = lines.circles(angle, reach, widest, orders, even=even)
        values = at.weights * meshed.phi.slope(FLOAT64, at.u) * meshed.phi.slope(FLOAT64, at.v)
        means = at.of_r * np.bincount(at.circle, values.sum(axis=1), at.r.size)
        return np.asarray(np.exp(np.square(at.r) / (-2 * q[:, None])) @ means / q)

    return _compared(integrals, theta)


def of_pairs(meshed: Resolved, m: int, scales: tuple[Array, Array], theta: Array) -> tuple[Array, float]:
    """Return K1 of the largest of m units, shape (s, t, theta) for standard deviations (s, t), and its absolute error.

    meshed: phi for the largest standard deviation; if they differ, phi may have a kink at 0 only. All of them then have
    their kinks on the same lines and share the nodes.
    """
    lines = _Lines.of(meshed, float(max(map(np.max, scales))))

    def slopes(scale: Array, at: _Circles) -> list[Array]:
        return [meshed.phi.slope(FLOAT64, scale[:, None] * x.ravel()) for x in (at.u, at.v)]

    def integrals(angle: float, orders: tuple[int, int]) -> Array:
        at = lines.circles(angle, meshed.reach, WIDTH, orders, even=False)
        r, of_r = at.r[at.circle, None], at.of_r[at.circle, None]
        weights = (at.weights * of_r * np.exp(-r * r / 2) * at.maximal(m)).ravel()
        a_u, a_v = slopes(scales[0], at)
        b_u, b_v = (a_u, a_v) if scales[0] is scales[1] else slopes(scales[1], at)
        return np.asarray(((a_u * weights) @ b_v.T + (a_v * weights) @ b_u.T) / 2)

    return _compared(integrals, theta)


def _compared(integrals: Any, theta: Array) -> tuple[Array, float]:
    """Return integrals by the finer rule, theta last, and their error: the largest difference from the coarser rule."""
    values = np.stack([integrals(angle, ORDERS[1]) for angle in theta], axis=-1)
    some = np.unique(np.linspace(0, theta.size - 1, FEW).astype(int))
    return values, max(float(np.max(np.abs(integrals(theta[i], ORDERS[0]) - values[..., i]))) for i in some)


@final
@dataclass(frozen=True)
class _Circles:
    """Nodes of a rule at one theta: panels of b on half of each circle, 0 < b < pi, or on a quarter.

    r, of_r: radii and weights of int r dr; circle: index of the radius of each panel; b, weights: angles b and the
    weights of their mean, shape (panels, order).
    """

    theta: float
    r: Array
    of_r: Array
    circle: NDArray[np.intp]
    b: Array
    weights: Array

    @property
    def u(self) -> Array:
        return np.asarray(self.r[self.circle, None] * np.cos(self.b + self.theta / 2))

    @property
    def v(self) -> Array:
        return np.asarray(self.r[self.circle, None] * np.cos(self.b - self.theta / 2))

    def maximal(self, m: int) -> Any:
        """Return the factor W, from the probability that another pair lies below u and v."""
        if m == 1:
            return 1.0
        r, half = self.r[self.circle, None], self.theta / 2
        u_given, v_given = -r * np.sin(self.b - half), r * np.sin(self.b + half)
        return m * both_below(self.u, self.v, u_given, v_given) ** (m - 1)


@final
@dataclass(frozen=True)
class _Lines:
    """Values of u and of v, in standard units, at the `kinks`, and at the `cuts`: the kinks and points of the mesh."""

    kinks: Array
    cuts: Array

    @staticmethod
    def of(meshed: Resolved, scale: float) -> "_Lines":
        """Return the kinks, and every third point of the mesh, counted outwards, and the last ones."""
        kinks = np.array(meshed.kinks, dtype=float)
        points = np.setdiff1d(np.array(meshed.cuts, dtype=float), kinks)
        between_kinks = np.split(points, np.searchsorted(points, kinks))
        between_kinks[0] = between_kinks[0][::-1]
        # beyond the last points one panel in b goes as far as the reach
        inner = [part[MERGED - 1 :: MERGED] for part in between_kinks]
        cuts = np.unique(np.concatenate([kinks, points[:1], points[-1:], *inner]))
        return _Lines(kinks / scale, cuts / scale)

    @np.errstate(all="ignore")
    def circles(self, theta: float, reach: float, widest: float, orders: tuple[int, int], *, even: bool) -> _Circles:
        """Return the nodes of a rule on rings between the radii of kinks; even: b and pi - b give the same value."""
        starts = sorted({0.0, *(r for r in np.abs(self.kinks).tolist() if r < reach)})
        rings = [self._ring(ends, widest, theta, orders[0]) for ends in pairwise([*starts, reach])]
        r, of_r = (np.concatenate(part) for part in zip(*rings, strict=True))
        width = np.pi / 2 if even else np.pi
        ends = np.concatenate([self._angles(r, theta), np.multiply.outer([0, np.pi / 2, width], np.ones_like(r))])
        ends = np.sort(np.minimum(ends, width), axis=0)
        panel, circle = np.nonzero(ends[1:] > ends[:-1])
        low, half = ends[panel, circle, None], (ends[panel + 1, circle, None] - ends[panel, circle, None]) / 2
        nodes, weights = FLOAT64.legendre(orders[1])
        return _Circles(theta, r, of_r, circle, low + half * (1 + nodes), half * weights / width)

    def _ring(self, ends: tuple[float, float], widest: float, theta: float, order: int) -> tuple[Array, Array]:
        """Return radii and weights of int r dr by panels of t, where r^2 = inner^2 + t^2.

        Beyond the radius `inner` of a kink, the integrand varies like the square root of r - inner, and is smooth in t.
        Panels end where two lines of kinks cross on the circle. A kink of smaller radius is a singularity at an
        imaginary t, and panels grow with the distance from it. They also grow beyond the last cut, where the mean over
        b varies like 1/r.
        """
        square, width, kinks = ends[0] ** 2, np.sqrt(ends[1] ** 2 - ends[0] ** 2), self.kinks
        inside = {np.sqrt(square - k * k) for k in (0.0, *np.abs(kinks)) if abs(k) < ends[0]}
        meeting = [
            k * k + ((other - k * np.cos(theta)) / np.sin(theta)) ** 2
            for k, other in combinations_with_replacement(kinks, 2)
        ]
        begun = np.sqrt(np.maximum(np.concatenate([self.cuts**2, meeting]) - square, 0))
        begun = np.nan_to_num(begun)
        growing = [GROWTH * distance for distance in (*inside, np.max(begun, initial=0.0))]
        marks = np.concatenate([[0, width], begun, *growing])
        gaps = pairwise(np.unique(np.minimum(marks, width)))
        fixed = np.concatenate([np.linspace(a, b, 1 + int(np.ceil((b - a) / widest))) for a, b in gaps])
        t = split(FLOAT64, fixed, 0.0, width, order)
        return np.sqrt(square + t.x.ravel() ** 2), (t.weights * t.x).ravel()

    def _angles(self, r: Array, theta: float) -> Array:
        """Return the angles b at which u or v is at a cut, or 0 if the other variable is nearer to a kink."""
        x = self.cuts[np.abs(self.cuts) < np.max(r), None]
        angle, rest = np.arccos(np.clip(x / r, -1, 1)), np.sin(theta) * np.sqrt(np.maximum(r * r - x * x, 0))
        b = np.stack([np.abs(angle - theta / 2), np.pi - np.abs(np.pi - angle - theta / 2)])
        other = x * np.cos(theta) + np.multiply.outer([1, -1], rest)
        gap, other_gap = (np.min(np.abs(y[..., None] - self.kinks), axis=-1, initial=np.inf) for y in (x, other))
        return np.where((np.abs(x) < r) & ((gap == 0) | (gap <= other_gap)), b, 0).reshape(-1, r.size)
