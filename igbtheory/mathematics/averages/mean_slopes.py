"""Mean slopes of pairs of units by a rule on circles, in double precision.

Standard normal u and v of correlation cos theta are r cos(b + theta/2) and r cos(b - theta/2), r with the density
r exp(-r^2/2) and b uniform. The mean slope of two data with the standard deviations s and t is

    K1(theta) = E phi'(s u) phi'(t v) W,   W = m P(another pair lies below u and v)^(m - 1)

for the largest of m units (W = 1 for m = 1). Between the lines on which a pre-activation is at a kink, the integrand is
analytic, even at theta = 0.

The mean over b on a circle does not depend on the variance, and without kinks away from 0 it is smooth in r and theta.
Then K1 of every variance comes from one table of these means, made ring by ring of radii.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.mathematics.averages.angles import PLACES, angle_at, place_of
from igbtheory.mathematics.averages.maximum import maximum_of
from igbtheory.mathematics.averages.mesh import mesh, span
from igbtheory.mathematics.averages.resolved import Resolved
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.bivariate import both_below
from igbtheory.mathematics.numerics.chebyshev import transform
from igbtheory.mathematics.numerics.panels import WIDTH, split

ORDERS = ((14, 18), (16, 22))
"""Orders of the Gauss rules in r and in b, first for the coarser and then for the finer rule."""
FEW = 3
"""Number of angles theta at which a coarser rule is compared: the first, the middle and the last one."""
MERGED = 3
"""Number of mesh panels in one panel in b: a Gauss rule is exact for twice the degree that the mesh resolves."""
MOST = 32
"""Number of mesh points within reach beyond which quadrature of single pairs takes less time than circles."""
GROWTH = 4.0 ** np.arange(30)
"""Ends of panels that grow with the distance from a singularity, in units of that distance. Every panel is as far from
it as a third of its width, so that the rule converges equally fast on all; 4^30 = 1e18 is beyond every reach."""
CIRCLES = 2**10
"""Circles whose nodes are held at once: each of silu has up to 500, and all take 30 MiB."""
INNERMOST = -4
"""Binary logarithm of the outer radius of the innermost ring, a disc: on it the density of the smallest variance of the
tables, 2^-10, varies within two standard deviations."""
FEWEST_WAVES, MOST_WAVES = 32, 2**15
"""Numbers of waves in b to try first and last; with the last, panels take as long."""
TOLERANCE, LONGEST = 4e-15, 129
"""Size of the last coefficients in the place of theta, relative to the largest mean on a ring, at which a series has
converged, 18 epsilon; and the largest number of its nodes. Silu takes 65 on its outer rings."""

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


@final
@dataclass(frozen=True, eq=False)
class Slopes:
    """K1 of the largest of m units of equal variances q; meshed: phi for the largest variance."""

    meshed: Resolved
    m: int
    q: Array

    def at(self, theta: Array) -> Array:
        """Return K1 at angles, up to pi/2 if m = 1, shape (q, theta)."""
        if self.m == 1 and not any(self.meshed.kinks):
            return _from_rings(self.meshed.phi, self._reach, self.q, theta)
        return np.stack([self._integrals(angle, ORDERS[1]) for angle in theta], axis=-1)

    def error(self, theta: Array) -> float:
        """Return the absolute error of K1, its largest difference from circles of a coarser rule at some angles."""
        some = theta[np.unique(np.linspace(0, theta.size - 1, FEW).astype(int))]
        coarse = np.stack([self._integrals(angle, ORDERS[0]) for angle in some], axis=-1)
        return float(np.max(np.abs(coarse - self.at(some))))

    @property
    def _reach(self) -> float:
        """The largest radius that matters, in the units of phi."""
        return self.meshed.reach * float(np.sqrt(np.max(self.q)))

    def _integrals(self, theta: float, orders: tuple[int, int]) -> Array:
        """Return K1 at one angle; for m = 1, radii in the units of phi serve all variances."""
        q, scales = self.q, np.sqrt(self.q)
        if self.m > 1:
            return np.diagonal(_of_pairs(self.meshed, self.m, (scales, scales), theta, orders))
        phi, lines = self.meshed.phi, _Lines.of(self.meshed.kinks, self.meshed.cuts)
        r, of_r = lines.radii(theta, self._reach, WIDTH * float(scales.min()), orders[0])
        means = of_r * lines.circles(theta, r, orders[1], even=bool(phi.parity)).means(phi)
        return np.asarray(np.exp(np.square(r) / (-2 * q[:, None])) @ means / q)


def _from_rings(phi: Function, reach: float, q: Array, theta: Array) -> Array:
    """Return K1 of units of equal variances q, shape (q, theta), for theta up to pi/2, from circles of the table."""
    total = np.zeros((q.size, theta.size))
    for number in range(INNERMOST, int(np.ceil(np.log2(reach))) + 1):
        r, of_r, coefficients = _ring(phi, number, ORDERS[1])
        density = np.exp(r * r / (-2 * q[:, None])) * of_r / q[:, None]
        axis = replace(PLACES, length=coefficients.shape[1])
        total += density @ coefficients @ axis.polynomials(place_of(theta, 2 * number))
    return total


@lru_cache(maxsize=1024)
def _ring(phi: Function, number: int, orders: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Return radii from 2^(number - 1) to 2^number, weights of int r dr, and the means over b on their circles.

    The means are Chebyshev coefficients, shape (radii, place), in the place of theta at the variance 4^number.
    """
    inner, outer = 0.0 if number == INNERMOST else 2.0 ** (number - 1), 2.0**number
    kinks = list(phi.pieces.kinks)  # none, or 0
    lines = _Lines.of(kinks, [*mesh(phi, span(outer)).points, *kinks])
    panels = split(FLOAT64, np.array([inner, outer, *np.abs(lines.cuts)]), inner, outer, orders[0])
    r, of_r = panels.x.ravel(), (panels.weights * panels.x).ravel()
    squares = _waves(phi, r) if phi.smooth else None

    def line(place: Array) -> Array:
        angles = angle_at(place, 2 * number)
        if squares is not None:
            return np.asarray(np.cos(np.multiply.outer(angles, np.arange(len(squares)))) @ squares)
        each, even = (np.repeat(angles, r.size), np.tile(r, angles.size)), bool(phi.parity)
        blocks = zip(*(np.array_split(part, 1 + part.size // CIRCLES) for part in each), strict=True)
        means = [lines.circles(theta, radii, orders[1], even=even).means(phi) for theta, radii in blocks]
        return np.concatenate(means).reshape(angles.size, r.size)

    largest = float(np.max(np.abs(line(np.zeros(1)))))
    values, length = PLACES.sampled(line, TOLERANCE * largest, LONGEST)
    return r, of_r, np.ascontiguousarray((transform(len(values)) @ values)[:length].T)


def _waves(phi: Function, r: Array) -> Array | None:
    """Return weights w_k, shape (k, radii), with sum_k w_k cos(k theta) = the means over b, or None if k goes too far.

    With phi'(r cos b) = sum_k f_k cos(k b), w_0 = f_0^2 and the others are f_k^2/2. The f_k of a smooth phi fall
    geometrically.
    """
    size = FEWEST_WAVES
    while size <= MOST_WAVES:
        b = np.arange(size + 1)[:, None] * (np.pi / size)
        squares = 2 * np.square(np.fft.irfft(phi.slope(FLOAT64, r * np.cos(b)), axis=0)[:size])
        squares[0] /= 2
        if np.all(squares[3 * size // 4 :].sum(axis=0) <= FLOAT64.epsilon / 16 * squares.sum(axis=0)):
            return np.asarray(squares)
        size *= 2
    return None


def of_pairs(meshed: Resolved, m: int, scales: tuple[Array, Array], theta: Array) -> tuple[Array, float]:
    """Return K1 of the largest of m units, shape (s, t, theta) for standard deviations (s, t), and its absolute error.

    meshed: phi for the largest standard deviation; if they differ, phi may have a kink at 0 only. All of them then have
    their kinks on the same lines and share the nodes. The error is the largest difference from a coarser rule at some
    of the angles.
    """
    values = np.stack([_of_pairs(meshed, m, scales, angle, ORDERS[1]) for angle in theta], axis=-1)
    some = np.unique(np.linspace(0, theta.size - 1, FEW).astype(int))
    coarse = np.stack([_of_pairs(meshed, m, scales, angle, ORDERS[0]) for angle in theta[some]], axis=-1)
    return values, float(np.max(np.abs(coarse - values[..., some])))


def _of_pairs(meshed: Resolved, m: int, scales: tuple[Array, Array], theta: float, orders: tuple[int, int]) -> Array:
    """Return K1 at one angle by one rule, shape (s, t)."""
    largest = float(max(map(np.max, scales)))
    lines = _Lines.of([kink / largest for kink in meshed.kinks], [cut / largest for cut in meshed.cuts])
    r, of_r = lines.radii(theta, meshed.reach, WIDTH, orders[0])
    at = lines.circles(theta, r, orders[1], even=False)
    weights = (at.weights * (of_r * np.exp(-r * r / 2))[at.circle, None] * at.maximal(m)).ravel()

    def slopes(scale: Array) -> list[Array]:
        return [meshed.phi.slope(FLOAT64, scale[:, None] * x.ravel()) for x in (at.u, at.v)]

    a_u, a_v = slopes(scales[0])
    b_u, b_v = (a_u, a_v) if scales[0] is scales[1] else slopes(scales[1])
    return np.asarray(((a_u * weights) @ b_v.T + (a_v * weights) @ b_u.T) / 2)


@final
@dataclass(frozen=True)
class _Circles:
    """Nodes of a rule on circles: panels of b on half of each circle, 0 < b < pi, or on a quarter.

    theta, r: one angle for all circles or one for each, and their radii; circle: index of the circle of each panel; b,
    weights: angles b and the weights of their mean, shape (panels, order).
    """

    theta: Any
    r: Array
    circle: NDArray[np.intp]
    b: Array
    weights: Array

    @property
    def u(self) -> Array:
        return np.asarray(self.r[self.circle, None] * np.cos(self.b + self._half))

    @property
    def v(self) -> Array:
        return np.asarray(self.r[self.circle, None] * np.cos(self.b - self._half))

    @property
    def _half(self) -> Array:
        """theta/2 at each panel."""
        return np.broadcast_to(self.theta, self.r.shape)[self.circle, None] / 2

    def means(self, phi: Function) -> Array:
        """Return the means of phi'(u) phi'(v) on the circles."""
        values = self.weights * phi.slope(FLOAT64, self.u) * phi.slope(FLOAT64, self.v)
        return np.bincount(self.circle, values.sum(axis=1), self.r.size).astype(float, copy=False)

    def maximal(self, m: int) -> Any:
        """Return the factor W, from the probability that another pair lies below u and v."""
        if m == 1:
            return 1.0
        r, half = self.r[self.circle, None], self._half
        u_given, v_given = -r * np.sin(self.b - half), r * np.sin(self.b + half)
        return m * both_below(self.u, self.v, u_given, v_given) ** (m - 1)


@final
@dataclass(frozen=True)
class _Lines:
    """Values of u and of v, in standard units, at the `kinks`, and at the `cuts`: the kinks and points of the mesh."""

    kinks: Array
    cuts: Array

    @staticmethod
    def of(all_kinks: list[Any], all_cuts: list[Any]) -> "_Lines":
        """Return the kinks, and every third point of the mesh, counted outwards, and the last ones."""
        kinks = np.array(all_kinks, dtype=float)
        points = np.setdiff1d(np.array(all_cuts, dtype=float), kinks)
        between_kinks = np.split(points, np.searchsorted(points, kinks))
        between_kinks[0] = between_kinks[0][::-1]
        # beyond the last points one panel in b goes as far as the reach
        inner = [part[MERGED - 1 :: MERGED] for part in between_kinks]
        return _Lines(kinks, np.unique(np.concatenate([kinks, points[:1], points[-1:], *inner])))

    @np.errstate(all="ignore")
    def radii(self, theta: float, reach: float, widest: float, order: int) -> tuple[Array, Array]:
        """Return the radii of a rule on rings between the radii of kinks, and the weights of int r dr."""
        starts = sorted({0.0, *(r for r in np.abs(self.kinks).tolist() if r < reach)})
        rings = [self._ring(ends, widest, theta, order) for ends in pairwise([*starts, reach])]
        r, of_r = (np.concatenate(part) for part in zip(*rings, strict=True))
        return r, of_r

    @np.errstate(all="ignore")
    def circles(self, theta: Any, r: Array, order: int, *, even: bool) -> _Circles:
        """Return the nodes of a rule on circles of these radii, with one angle theta or with one for each circle.

        even: whether b and pi - b give the same value.
        """
        width = np.pi / 2 if even else np.pi
        ends = np.concatenate([self._angles(r, theta), np.multiply.outer([0, np.pi / 2, width], np.ones_like(r))])
        ends = np.sort(np.minimum(ends, width), axis=0)
        panel, circle = np.nonzero(ends[1:] > ends[:-1])
        low, half = ends[panel, circle, None], (ends[panel + 1, circle, None] - ends[panel, circle, None]) / 2
        nodes, weights = FLOAT64.legendre(order)
        return _Circles(theta, r, circle, low + half * (1 + nodes), half * weights / width)

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

    def _angles(self, r: Array, theta: Any) -> Array:
        """Return the angles b at which u or v is at a cut, or 0 if the other variable is nearer to a kink."""
        x = self.cuts[np.abs(self.cuts) < np.max(r), None]
        angle, rest = np.arccos(np.clip(x / r, -1, 1)), np.sin(theta) * np.sqrt(np.maximum(r * r - x * x, 0))
        b = np.stack([np.abs(angle - theta / 2), np.pi - np.abs(np.pi - angle - theta / 2)])
        other = x * np.cos(theta) + np.multiply.outer([1, -1], rest)
        gap, other_gap = (np.min(np.abs(y[..., None] - self.kinks), axis=-1, initial=np.inf) for y in (x, other))
        return np.where((np.abs(x) < r) & ((gap == 0) | (gap <= other_gap)), b, 0).reshape(-1, r.size)
