"""Averages over batch-normalised units: B = sqrt(n - 1) sin t, density of t proportional to cos(t)^(n - 3).

A batch of n exchangeable Gaussian values, centred and divided by its standard deviation, is sqrt(n) times a uniform
unit vector orthogonal to (1, ..., 1), whatever their mean, variance and correlation were. The paper's proxy, every
datum normalised by the n - 1 others, is the function sqrt(n) tan t of the same angle. Two coordinates of the vector are
sin a cos v and sin a cos(v - w), cos w = -1/(n - 1), v uniform on the circle, density of a proportional to
sin(a) cos(a)^(n - 4). Source: where-you-place-the-norm, appendix E, Eqs. 27 to 61.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.activations.function import Function
from igbtheory.activations.panels import orders
from igbtheory.activations.resolved import Resolved, resolved
from igbtheory.numbers import Kind
from igbtheory.numbers.panels import WIDTH, Panels, beyond, split

GRADES = 6.0 ** -np.arange(1, 11)
"""Distances of panel ends from an angle at which a kink leaves the sphere, where averages have half-integer powers."""
AROUND = 12
"""Panels of the circle."""


@final
@dataclass(frozen=True)
class Sphere:
    """Units phi(scale B) over batches of `size` data. proxy: every datum normalised by the others."""

    n: Kind
    phi: Function
    size: int
    proxy: bool
    scale: Any
    seen: Resolved

    def values(self, sine: Any) -> Any:
        """Values phi(scale B), from sin t."""
        n = self.n
        if not self.proxy:
            return self.phi(n, self.scale * n.sqrt(n.number(self.size - 1)) * sine)
        return self.phi(n, self.scale * n.sqrt(n.number(self.size)) * sine / n.sqrt((1 - sine) * (1 + sine)))

    def sines(self, points: list[Any]) -> Any:
        """Values of sin t at points of the axis of phi; beyond 1 where B never gets there."""
        x = np.array(points, dtype=np.asarray(self.scale).dtype) / self.scale
        n = self.n
        return x / n.sqrt(self.size + x * x) if self.proxy else x / n.sqrt(n.number(self.size - 1))

    def one(self, order: int) -> tuple[Any, Any]:
        """Mean and variance."""
        n = self.n
        if self.size == 2:
            return _moments(self.values(n.number(np.array([-1, 1]))), n.number(np.array([1, 1])))
        t = self._angles(order)
        mean, variance = _moments(self.values(n.sin(t.x)), t.weights * _cosine_power(n, t.x, self.size - 3))
        # exactly, so that gamma = 0 stays 0 in every layer
        return (0 * mean if self.phi.parity < 0 else mean), variance

    def greatest(self, m: int, order: int) -> tuple[Any, Any]:
        """Mean and variance of the largest of m: the density times m F^(m - 1), F the distribution function."""
        n = self.n
        if self.size == 2:
            alone = n.number(2) ** -m
            return _moments(self.values(n.number(np.array([-1, 1]))), np.array([alone, 1 - alone]))
        t = self._angles(order)
        density = _cosine_power(n, t.x, self.size - 3)
        density = density / t.integral(density)
        above = np.minimum(beyond(n, t, density), 1 - n.number(n.epsilon))
        below = n.exp((m - 1) * n.log1p(-above))
        return _moments(self.values(n.sin(t.x)), t.weights * density * below)

    def _angles(self, order: int) -> Panels:
        """Panels of the angle t that end at the cuts of phi."""
        ends = _ends(self.n, self.size - 3)
        sines = self.sines(self.seen.cuts)
        cuts = self.n.asin(sines[np.abs(sines.astype(float)) < 1])
        return split(self.n, np.concatenate([-ends, ends, cuts]), -ends[-1], ends[-1], order)

    def pair(self, cosine: Any, order: int) -> Any:
        """Mean of the product at two coordinates whose axes have that cosine; size > 3."""
        n = self.n
        w = n.acos(cosine)
        v = self._circle(w, order)
        along = np.ravel(v.x)
        axes = n.cos(along), n.cos(along - w)
        ends = _ends(n, self.size - 4)
        lost = 4 * n.number(n.epsilon)
        images = [np.minimum(np.abs(s / (np.abs(axis) + lost)), 1) for s in self.sines(self.seen.cuts) for axis in axes]
        grid = np.broadcast_to(ends[:, None], (ends.size, along.size))
        a = split(
            n, np.concatenate([grid, n.asin(np.array(images)).reshape(-1, along.size)]), 0 * ends[0], ends[-1], order
        )
        weights = a.weights * n.sin(a.x) * _cosine_power(n, a.x, self.size - 4)
        first, second = (self.values(n.sin(a.x) * axis) for axis in axes)
        inside = (weights * first * second).sum(axis=(0, 1)) / weights.sum(axis=(0, 1))
        return (np.ravel(v.weights) * inside).sum() / v.weights.sum()

    def on_circle(self, cosine: Any, order: int) -> Any:
        """The same at size 3, where the sphere is a circle."""
        v = self._circle(self.n.acos(cosine), order)
        product = self.values(self.n.cos(v.x)) * self.values(self.n.cos(v.x - self.n.acos(cosine)))
        return v.integral(product) / v.weights.sum()

    def _circle(self, w: Any, order: int) -> Any:
        """Panels of the angle v, that end where a kink of either datum reaches the sphere, and where two kinks meet."""
        n = self.n
        turn = 2 * n.pi
        kinks = [s for s in self.sines(self.seen.kinks) if abs(float(s)) < 1]
        sines = kinks + ([n.number(1), n.number(-1)] if self.proxy else [])
        places = [side * n.acos(s) + shift for s in sines for side in (1, -1) for shift in (0 * w, w)]
        graded = [place + side * n.number(step) for place in places for side in (1, -1) for step in GRADES]
        meeting = [n.atan2(s - r * n.cos(w), r * n.sin(w)) + half for s in kinks for r in kinks for half in (0, n.pi)]
        base = list(turn * n.number(np.arange(AROUND + 1)) / AROUND)
        return split(n, np.array([*base, *(x % turn for x in places + graded + meeting)]), 0 * turn, turn, order)


def sphere(n: Kind, phi: Function, size: int, *, proxy: bool = False, scale: Any = 1) -> Sphere:
    """Units phi(scale B) with the kinks and the lengths of phi."""
    seen = resolved(n, phi, 0.0, float(scale))
    return Sphere(n, phi, size, proxy, n.number(scale), seen)


def one(unit: Sphere) -> tuple[Any, Any, float]:
    """Mean and variance of a unit, and the estimated relative error of its second moment."""
    coarse, fine = (unit.one(order) for order in orders(unit.n))
    size = fine[0] ** 2 + fine[1]
    error = float(abs(coarse[0] ** 2 + coarse[1] - size) / size) if size else 0.0
    return *fine, error + 100 * unit.n.epsilon


def pair(unit: Sphere, cosine: Any) -> tuple[Any, float]:
    """Mean of the product of two coordinates whose axes have that cosine, and its error against the second moment.

    Homogeneous phi of degree p with closed forms: those of a Gaussian pair, over E chi_d^2p/d^p, d = n - 1.
    """
    n, phi, d = unit.n, unit.phi, unit.size - 1
    if d == 1:
        values = unit.values(n.number(np.array([-1, 1])))
        same = (values * values).sum() / 2
        return (same if float(cosine) > 0 else values[0] * values[1]), 0.0
    if phi.closed is not None and phi.degree in {0, 1, 2} and not unit.proxy:
        q = unit.scale * unit.scale
        mean = phi.closed.mean(n, q)
        ratio = n.number(d) / (d + 2) if phi.degree == 2 else n.number(1)
        return ratio * (phi.closed.covariance(n, q, q, cosine * q) + mean * mean), 4 * n.epsilon
    mean, variance, _ = one(unit)
    rule = unit.on_circle if d == 2 else unit.pair
    coarse, fine = (rule(cosine, order) for order in orders(n))
    return fine, float(abs(coarse - fine) / (mean * mean + variance)) + 100 * n.epsilon


def largest(unit: Sphere, m: int) -> tuple[Any, Any, float]:
    """Mean and variance of phi(M), M the largest of m independent units, and the estimated relative error."""
    coarse, fine = (unit.greatest(m, order) for order in orders(unit.n))
    size = fine[0] ** 2 + fine[1]
    return *fine, float(abs(coarse[0] ** 2 + coarse[1] - size) / size) + 100 * unit.n.epsilon


def _cosine_power(n: Kind, x: Any, power: int) -> Any:
    """Power of cos x; through its logarithm, since the rounding of cos x would count `power` times."""
    sine = n.sin(x)
    with np.errstate(divide="ignore"):  # at a right angle
        return n.exp(n.log1p(-sine * sine) * power / 2) if power else 1 + 0 * x


def _ends(n: Kind, power: int) -> Any:
    """Ends of panels on [0, pi/2], three standard deviations wide, as far as cos^power is not negligible."""
    reach = float(np.arccos(n.epsilon ** (2 / power))) if power > 2 else np.pi / 2
    count = 1 + int(np.ceil(reach * np.sqrt(power + 1) / WIDTH))
    end = n.number(reach) if reach < 1.5 else n.pi / 2
    return end * n.number(np.arange(count + 1)) / count


def _moments(values: Any, weights: Any) -> tuple[Any, Any]:
    """Mean and variance of values with weights that need not add up to one."""
    weights = weights / weights.sum()
    mean = (weights * values).sum()
    return mean, (weights * (values - mean) ** 2).sum()
